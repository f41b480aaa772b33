"""Functions that format text for people: aligned columns, numbers with nouns, text without control characters."""

from __future__ import annotations

from collections.abc import Sequence


def printable(text: object) -> str:
    """Return a text without control, formatting or unpaired surrogate characters."""
    text = str(text)
    return text if text.isprintable() else "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def align(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """Return lines of columns: the first `left` columns are aligned left, the others right; row 0 is the header."""
    rows = [[printable(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))]
        lines.append("  " + "  ".join(cells).rstrip())
    return lines


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 game``, ``2 games``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
