"""Functions that format text output: aligned columns, numbers with nouns, and text without control characters."""

from __future__ import annotations

from collections.abc import Sequence


def printable(text: object) -> str:
    """Return a text in which U+FFFD replaces control, formatting and unpaired surrogate characters."""
    text = str(text)
    return text if text.isprintable() else "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def align(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """Return the lines of a table with aligned columns.

    Row 0 is the header of the table. The text in the first `left` columns is aligned left; in the remaining columns it
    is aligned right.
    """
    rows = [[printable(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))]
        lines.append("  " + "  ".join(cells).rstrip())
    return lines


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with a noun in the singular or plural: ``1 game``, ``2 games``.

    plural: the plural of the noun; empty: the noun with an "s".
    """
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"
