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


def run_checker(folder: Path, seat_rounds: int, seed: int = 1) -> Checker:
    async def check() -> Checker:
        checker = Checker(folder, seed)
        try:
            await checker.run(seat_rounds)
        finally:
            await checker.close()
        return checker

    return asyncio.run(check())


def test_no_hidden_information_is_sent(tmp_path: Path):
    checker = run_checker(tmp_path, 150)
    assert checker.hidden > 500
    assert checker.hints > 0
    assert checker.watched > 50  # positions that spectators received
    assert {rules for rules, *_ in checker.kinds} == set(PRESETS)


@pytest.mark.slow
def test_no_hidden_information_is_sent_in_many_rounds(tmp_path: Path):
    rounds = int(os.environ.get("WARLIGHT_SEAT_ROUNDS", "10000"))
    checker = run_checker(tmp_path, rounds, seed=2)
    print(f"{checker.seat_rounds} seat-rounds, {checker.hidden} hidden regions, {len(checker.kinds)} kinds of games")
    print(f"{checker.hints} hints the same as of the position in sight, {checker.late} too late to be compared")
    assert checker.seat_rounds >= rounds
    assert {map_ for _, map_, *_ in checker.kinds} == {"small", "world", "large", "generated"}
