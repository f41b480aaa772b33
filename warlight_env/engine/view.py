"""What one player may see of a game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from warlight_env.engine.board import Board
from warlight_env.engine.rules import RuleParams, Rules


@dataclass(frozen=True)
class View:
    """Everything that an agent gets to know when it is asked for picks or orders. Regions and players count from 0.

    map: the `Map` that is played on; ``map.neighbors[r]`` are the regions beside r, ``map.regions[r].name`` its name,
        ``map.super_region_of[r]`` its super region, ``map.bonuses[s]`` and ``map.members[s]`` a super region's.
    board, params: the same map and rules as arrays and numbers for kernels.
    rules: the `Rules`.
    player, players: who is asked, of how many.
    phase: "pick", "play" or "over". round: rounds played.
    owner: int8[N], a player, -1 neutral, -2 not seen. army: int32[N], 0 where not seen.
    income: armies that the player may deploy now.
    offers: regions that the player may pick. picks_left: how many of them it will get.
    starts: by player, the regions that it got at the start, where that is known to everybody; else None. Those that
        were picked one by one stand in that order.
    """

    map: Any
    board: Board
    rules: Rules
    params: RuleParams
    player: int
    players: int
    phase: str
    round: int
    owner: npt.NDArray[np.int8]
    army: npt.NDArray[np.int32]
    income: int
    offers: tuple[int, ...]
    picks_left: int
    starts: tuple[tuple[int, ...], ...] | None = None
    _told: Callable[[], Any] | None = field(default=None, repr=False, compare=False)

    @property
    def last_round(self) -> Any:
        """What the player got to know of the last round, a `RoundResult`, made when it is asked for.

        None before the first round, in a game that was loaded, and in environments, which keep no events.
        """
        return None if self._told is None else self._told()
