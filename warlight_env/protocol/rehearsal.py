"""What an agent answers before it is asked, so that its kernels are loaded, or compiled, when it is."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Final

from warlight_env import maps
from warlight_env.agents import Agent, Budget
from warlight_env.errors import InputError, RunError
from warlight_env.protocol import messages as m
from warlight_env.protocol.bot_side import BotSide
from warlight_env.protocol.telling import NAMES, setup_messages

#: Seconds of thought for a turn, and how many turns at most. Who loads or compiles within a turn takes longer, and may
#: have left out what it would have done with the time.
THOUGHT: Final = 0.05
MOST_TURNS: Final = 8


def until_in_time(turn: Callable[[Budget], object]) -> None:
    """Have turns played until one takes no longer than it may."""
    for _ in range(MOST_TURNS):
        start = time.perf_counter()
        turn(Budget(seconds=THOUGHT))
        if time.perf_counter() - start < 2 * THOUGHT:
            break


class Rehearsal:
    """A scripted game on the competitions' map: regions to pick, then a war between two continents.

    What an agent cannot do here it says when it is asked in earnest.

    Args:
        make: makes an agent for it.
    """

    def __init__(self, make: Callable[[], Agent]) -> None:
        self._map = maps.load("world")
        self._side = BotSide(make)
        for message in (m.YourBot(NAMES[0]), m.OpponentBot(NAMES[1]), *setup_messages(self._map)):
            self._side.hear(message)

    def pick(self) -> None:
        """Pick regions."""
        with contextlib.suppress(InputError, RunError):
            self._side.answer(m.PickRegions(0, tuple(members[0] + 1 for members in self._map.members)))

    def turns(self) -> None:
        """Play turns until all is loaded."""
        with contextlib.suppress(InputError, RunError):
            until_in_time(self._turn)

    def _turn(self, budget: Budget) -> None:
        own, *_ = self._map.members
        near = sorted({q for r in own for q in self._map.neighbors[r]} - {*own})
        rows = [(r + 1, NAMES[0], 5) for r in own] + [(q + 1, NAMES[1], 4) for q in near]
        for message in (m.StartingArmies(10), m.UpdateMap(tuple(rows)), m.OpponentMoves(())):
            self._side.hear(message)
        self._side.answer(m.Go(m.PLACE, 0), budget)
