"""No message of a server contains information that is hidden from its seat, under all rules and on all maps.

``WARLIGHT_SEAT_ROUNDS=100000 pytest -m slow tests/web/test_web_information_leaks.py`` checks 100,000 rounds
for each seat.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from leak_helpers import Checker

from warlight_env.engine.rules import PRESETS


def checked(folder: Path, seat_rounds: int, seed: int = 1) -> Checker:
    async def check() -> Checker:
        checker = Checker(folder, seed)
        try:
            await checker.run(seat_rounds)
        finally:
            await checker.close()
        return checker

    return asyncio.run(check())


def test_nothing_that_is_hidden_is_sent(tmp_path: Path):
    checker = checked(tmp_path, 150)
    assert checker.hidden > 500
    assert checker.hints > 0
    assert checker.watched > 50  # positions through the eyes of spectators
    assert {rules for rules, *_ in checker.kinds} == set(PRESETS)


@pytest.mark.slow
def test_nothing_that_is_hidden_is_sent_in_long(tmp_path: Path):
    wanted = int(os.environ.get("WARLIGHT_SEAT_ROUNDS", "10000"))
    checker = checked(tmp_path, wanted, seed=2)
    print(f"{checker.seat_rounds} seat-rounds, {checker.hidden} hidden regions, {len(checker.kinds)} kinds of games")
    print(f"{checker.hints} hints the same as of the position in sight, {checker.late} too late to be compared")
    assert checker.seat_rounds >= wanted
    assert {map_ for _, map_, *_ in checker.kinds} == {"small", "world", "large", "generated"}
