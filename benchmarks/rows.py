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


def not_installed(what: str, asked: str, error: ImportError) -> Row:
    """The row of a benchmark that lacks a library."""
    return Row(what, asked, f"{error.name} is not installed", float("nan"), None)
