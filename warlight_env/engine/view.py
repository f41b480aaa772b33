"""What one player may see of a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from warlight_env.engine.board import Board
from warlight_env.engine.jit import kernel
from warlight_env.engine.rules import RuleParams, Rules
from warlight_env.engine.state import UNKNOWN


@kernel
def see(board, fog, owner, army, player, owner_out, army_out):
    """The position through a player's eyes: under fog own regions and their neighbours, else everything.

    Regions out of sight read owner UNKNOWN and army 0. Arrays as in `State`, one game.
    """
    for r in range(owner.shape[0]):
        visible = not fog or owner[r] == player
        if not visible:
            for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
                if owner[board.edge_target[e]] == player:
                    visible = True
                    break
        owner_out[r] = owner[r] if visible else UNKNOWN
        army_out[r] = army[r] if visible else 0


@dataclass(frozen=True)
class View:
    """Everything that an agent gets to know when it is asked for picks or orders."""

    map: Any  #: the `Map` that is played on
    board: Board
    rules: Rules
    params: RuleParams
    player: int
    players: int
    phase: str  #: "pick", "play" or "over"
    round: int  #: rounds played
    owner: npt.NDArray[np.int8]  #: [N] NEUTRAL, UNKNOWN or a player
    army: npt.NDArray[np.int32]  #: [N] 0 where unknown
    income: int
    offers: tuple[int, ...]  #: regions that the player may pick
    picks_left: int  #: how many of them it will get
