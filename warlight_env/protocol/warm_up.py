"""A warm-up game of an agent, so that its compiled code is ready before the first question of the real game."""

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
from warlight_env.protocol.engine_messages import NAMES, setup_messages

#: The time limit of a warm-up turn in seconds, and the maximum number of turns. A turn that compiles code exceeds the
#: limit and may skip a part of its search. So several turns may be necessary until all code is compiled.
TURN_SECONDS: Final = 0.05
MAX_TURNS: Final = 8


class WarmUp:
    """A fixed game on the world map for the warm-up: the picks, and turns at the border of one super region.

    The warm-up ignores errors of the agent, because the agent raises the same errors in the real game.

    Args:
        make: a function that makes the agent for the warm-up.
    """

    def __init__(self, make: Callable[[], Agent]) -> None:
        self._map = maps.load("world")
        self._side = BotSide(make)
        for message in (m.YourBot(NAMES[0]), m.OpponentBot(NAMES[1]), *setup_messages(self._map)):
            self._side.receive(message)

    def pick(self) -> None:
        """Let the agent pick regions, so that its code for the picks is loaded."""
        with contextlib.suppress(InputError, RunError):
            self._side.answer(m.PickRegions(0, tuple(members[0] + 1 for members in self._map.members)))

    def turns(self) -> None:
        """Let the agent play turns until a turn takes less than twice its time limit; at most `MAX_TURNS` turns."""
        with contextlib.suppress(InputError, RunError):
            for _ in range(MAX_TURNS):
                start = time.perf_counter()
                self._turn(Budget(seconds=TURN_SECONDS))
                if time.perf_counter() - start < 2 * TURN_SECONDS:
                    break

    def _turn(self, budget: Budget) -> None:
        own_regions, *_ = self._map.members
        neighbors = sorted({q for r in own_regions for q in self._map.neighbors[r]} - {*own_regions})
        rows = [(r + 1, NAMES[0], 5) for r in own_regions] + [(q + 1, NAMES[1], 4) for q in neighbors]
        for message in (m.StartingArmies(10), m.UpdateMap(tuple(rows)), m.OpponentMoves(())):
            self._side.receive(message)
        self._side.answer(m.Go(m.PLACE, 0), budget)
