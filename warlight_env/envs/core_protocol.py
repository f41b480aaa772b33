"""What the parts of an `EnvCore` ask of it, which stand below it."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.engine.bits import BitBoard
from warlight_env.engine.board import Board
from warlight_env.engine.rules import RuleParams, Rules
from warlight_env.engine.state import State
from warlight_env.envs.actions import ActionEncoding
from warlight_env.envs.buffers import Buffers, EnvSettings
from warlight_env.envs.chronicle import Chronicle
from warlight_env.envs.rewards import Reward
from warlight_env.envs.step import Turns, Work
from warlight_env.features.columns import Features
from warlight_env.maps import Map

#: What kernels of a step get: context, settings, address of the mask, config, state, out, turns, bits, work.
StepArguments = tuple[
    Context, EnvSettings, Any, npt.NDArray[np.int64], State, Buffers, Turns, BitBoard, Work
]  # fmt: skip


class RowRoom(NamedTuple):
    """Arrays that rows are handed in with, made once."""

    limits: npt.NDArray[np.int64]  #: [K]
    everybody: npt.NDArray[np.int8]  #: [B, S] 1
    every_game: npt.NDArray[np.int8]  #: [B] 1
    #: [B, S, K] of actions of another dtype than the kernels': new memory for a large batch costs more than a copy.
    converted: npt.NDArray[np.int64]


def make_row_room(limits: npt.NDArray[np.int64], batch: int, slots: int) -> RowRoom:
    """Room for the actions of so many games, of S players each."""
    return RowRoom(
        limits,
        np.ones((batch, slots), np.int8),
        np.ones(batch, np.int8),
        np.empty((batch, slots, len(limits)), np.int64),
    )


class Core(Protocol):
    """What is asked of an `EnvCore`."""

    map: Map
    rules: Rules
    players: int
    batch: int
    digest: str
    board: Board
    bits: BitBoard
    params: RuleParams
    encoding: ActionEncoding
    features: Features
    reward: Reward
    context: Context
    settings: EnvSettings
    state: State
    out: Buffers
    chronicle: Chronicle | None
    bot_rngs: npt.NDArray[np.uint64]
    row_room: RowRoom

    @property
    def slots(self) -> int:
        """S, the players of a game for whom observations and masks are kept."""
        ...

    @property
    def turns(self) -> Turns:
        """What is handed in already."""
        ...

    @property
    def work(self) -> Work:
        """Working memory."""
        ...

    @property
    def submit_address(self) -> Any:
        """Of the kernel that reads rows."""
        ...

    @property
    def arguments(self) -> StepArguments:
        """What kernels of a step get."""
        ...


__all__ = ["Core", "RowRoom", "StepArguments", "make_row_room"]
