"""A line of the table of speeds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Row:
    """A line of the table."""

    what: str
    asked: str
    measured: str
    value: float
    reached: bool | None
