"""The type `Core`: the attributes of an `EnvCore` that other modules use without importing `envs.core`."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.engine.bits import BitBoard
from warlight_env.engine.board import Board
from warlight_env.engine.rules import RuleParams, Rules
from warlight_env.engine.state import State
from warlight_env.envs.actions import ActionEncoding
from warlight_env.envs.buffers import Buffers, EnvSettings
from warlight_env.envs.rewards import Reward
from warlight_env.envs.round_history import RoundHistory
from warlight_env.envs.step import GameBatch, Turns, Work
from warlight_env.features.columns import Features
from warlight_env.maps import Map


class ActionBuffers(NamedTuple):
    """Arrays that are allocated once and used at each submission of action rows."""

    all_slots: npt.NDArray[np.int8]  #: [B, S] all entries are 1, to select all slots
    every_game: npt.NDArray[np.int8]  #: [B] all entries are 1, to select all games
    #: [B, S, K] the copy of actions with a dtype that kernels do not accept. A new array in each step would be slower.
    converted: npt.NDArray[np.int64]


def make_action_buffers(batch: int, slots: int, row_size: int) -> ActionBuffers:
    """Make the arrays for actions of K = `row_size` integers each, in B = `batch` games with S = `slots` slots each."""
    return ActionBuffers(
        np.ones((batch, slots), np.int8), np.ones(batch, np.int8), np.empty((batch, slots, row_size), np.int64)
    )


class Core(Protocol):
    """The attributes of an `EnvCore`, as a type for functions that take an `EnvCore` as an argument."""

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
    limits: npt.NDArray[np.int64]
    settings: EnvSettings
    state: State
    out: Buffers
    round_history: RoundHistory | None
    bot_rngs: npt.NDArray[np.uint64]
    row_buffers: ActionBuffers

    @property
    def slots(self) -> int:
        """S, the number of players in each game that get observations and masks."""
        ...

    @property
    def turns(self) -> Turns:
        """The turns that players have submitted for the rounds not played yet."""
        ...

    @property
    def work(self) -> Work:
        """The working memory of the kernels."""
        ...

    @property
    def game_batch(self) -> GameBatch:
        """All arguments of the step's kernels as one NamedTuple."""
        ...
