"""Attacks and transfers as rows of integers, as in the log."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from warlight_env.record.checks import Columns
from warlight_env.step_results import Event


def move_columns(regions: int, players: int) -> tuple[Columns, Columns]:
    """Return the limits of the columns of a transfer and of an attack."""
    transfer: Columns = ((0, players - 1), (0, regions - 1), (0, regions - 1), (0, None))
    return transfer, (*transfer, (0, None), (0, None), (0, 1))


def move_rows(events: Iterable[Event]) -> list[tuple[Any, ...]]:
    """Return attacks as rows of seven numbers and transfers as rows of four numbers, as in the event "round"."""
    return [
        (e.player, e.source, e.target, e.armies, e.attackers_lost, e.defenders_lost, 1 if e.captured else 0)
        if e.kind == "attack"
        else (e.player, e.source, e.target, e.armies)
        for e in events
    ]


def move_of(values: tuple[int, ...]) -> Event:
    """Return the attack or transfer of a row."""
    if len(values) == 4:
        return Event(*values, "transfer", 0, 0, False)
    player, source, target, armies, lost, killed, captured = values
    return Event(player, source, target, armies, "attack", lost, killed, captured == 1)
