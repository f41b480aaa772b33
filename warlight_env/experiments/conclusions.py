"""Conclusions of an experiment, computed from its own rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from warlight_env.experiments.rows import Row

#: The publication whose numbers the rows are compared with.
Source: TypeAlias = Literal["thesis", "authors"]
POSSESSIVES: Final[dict[Source, str]] = {"thesis": "the thesis's", "authors": "the authors'"}


def conclusions(rows: Sequence[Row], source: Source = "thesis") -> str:
    """Return sentences that compare the rows with the published numbers and with equally strong players.

    Args:
        rows: rows of one result.
        source: the publication whose numbers the rows are compared with.
    """
    return " ".join([*_published(rows, source), *_strength(rows)])


def _published(rows: Sequence[Row], source: Source) -> list[str]:
    """Return sentences that compare the rows with the published numbers."""
    compared = [row for row in rows if row.verdict != "no figure"]
    if not compared:
        return []
    owner = POSSESSIVES[source]
    within = sum(row.verdict == "within" for row in compared)
    found = [f"{owner.capitalize()} figure is within our 95 % interval in {within} of {len(compared)} rows."]
    outside = [row for row in compared if row.verdict != "within"]
    clear = [row for row in outside if not _may_be_chance(row)]
    found += _sentence("Chance may explain the difference in", [row for row in outside if _may_be_chance(row)])
    found += _sentence(f"Our figure is higher than {owner} in", [row for row in clear if row.verdict == "above"])
    found += _sentence(f"Our figure is lower than {owner} in", [row for row in clear if row.verdict == "below"])
    return found


def _strength(rows: Sequence[Row]) -> list[str]:
    """Return sentences that compare the shares of games won with the shares that equally strong players would win."""
    shares = [(row, row.even) for row in rows if row.even is not None]
    more = [row for row, even in shares if row.low > even]
    fewer = [row for row, even in shares if row.high < even]
    equal = [row for row, even in shares if row.low <= even <= row.high]
    return [
        *_sentence("Significantly more wins than between equal players:", more),
        *_sentence("Significantly fewer wins than between equal players:", fewer),
        *_sentence("No significant difference from equal players:", equal),
    ]


def _may_be_chance(row: Row) -> bool:
    return row.difference is not None and row.difference.low <= 0 <= row.difference.high


def _sentence(words: str, rows: Sequence[Row]) -> list[str]:
    """Return a list with one sentence that names the rows; an empty list if there are no rows."""
    return [f"{words} {', '.join(f'“{row.label}”' for row in rows)}."] if rows else []


__all__ = ["POSSESSIVES", "Source", "conclusions"]
