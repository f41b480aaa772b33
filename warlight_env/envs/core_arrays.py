"""`CoreArrays`: the data of an `EnvCore`, their allocation, and copies with another number of games or slots."""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.arguments import short_repr
from warlight_env.engine.bits import BitBoard
from warlight_env.engine.board import Board
from warlight_env.engine.jit import address
from warlight_env.engine.memory import copy_to_one_block
from warlight_env.engine.reference import reference
from warlight_env.engine.rules import RuleParams, Rules
from warlight_env.engine.state import State, copy_state, make_state
from warlight_env.envs.actions import ActionEncoding
from warlight_env.envs.actions.kernels import kernel_pointer, mask_signature, no_mask, submit_signature
from warlight_env.envs.buffers import Buffers, EnvSettings, make_buffers
from warlight_env.envs.core_arguments import check_batch, check_max_cycles
from warlight_env.envs.custom_functions import CustomObservation, CustomReward
from warlight_env.envs.rewards import SHAPINGS, Reward
from warlight_env.envs.round_history import RoundHistory
from warlight_env.envs.step import (
    GameBatch,
    Turns,
    Work,
    make_turns,
    make_work,
    refresh_observations,
    refresh_turn_features,
)
from warlight_env.errors import InputError
from warlight_env.features.columns import Features
from warlight_env.maps import Map
from warlight_env.thread_ownership import UseLock


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


class CoreArrays:
    """The arrays and constant data of B games on one map. The subclass `EnvCore` sets the attributes."""

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
    observation: str
    custom_reward: CustomReward | None
    custom_observation: CustomObservation | None
    round_history: RoundHistory | None
    bot_rngs: npt.NDArray[np.uint64]
    row_buffers: ActionBuffers
    _config: npt.NDArray[np.int64]
    _limits: npt.NDArray[np.int64]
    _work: Work | None
    _turns: Turns | None
    _game_batch: GameBatch | None
    _in_use: UseLock

    def _set_settings(self, max_cycles: int) -> None:
        """Set the settings that kernels read. Raise InputError if `max_cycles` is not a valid number of steps."""
        encoding, reward = self.encoding, self.reward
        self.settings = reference(
            EnvSettings(
                row_width=encoding.row_width,
                priority=encoding.mask_rows > self.board.n_regions + self.board.n_edges,
                asks_mask=encoding.write_mask is not None,
                stepwise=encoding.stepwise,
                features=self.observation != "raw",
                fog=self.rules.fog,
                max_cycles=check_max_cycles(max_cycles),
                max_income=encoding.max_income,
                shaping=SHAPINGS.index(reward.shaping),
                scale=float(reward.scale),
                gamma=float(reward.gamma),
            )
        )

    def _make_buffers(self, slots: int) -> Buffers:
        if isinstance(slots, bool) or not isinstance(slots, int | np.integer) or not 1 <= slots <= self.players:
            raise InputError(f"slots = {short_repr(slots)}: must be an integer in 1 .. {self.players}")
        return make_buffers(
            self.board, self.players, self.batch, slots, self.settings, self.features, self.encoding.mask_size
        )

    def set_slots(self, slots: int) -> None:
        """Change the number of players in each game that get observations and masks.

        After the call, `out` contains arrays for the new number of slots. `out.seat` gives the player in each slot.
        """
        out, new = self.out, self._make_buffers(slots)
        for name in _PER_PLAYER:
            getattr(new, name)[...] = getattr(out, name)
        count = min(slots, self.slots)
        new.seat[:, count:], new.seat[:, :count] = -1, out.seat[:, :count]
        new.slot[...] = np.where(out.slot < count, out.slot, -1)
        self.out = new
        self.row_buffers = make_action_buffers(self.batch, slots, self.row_size)
        self._refresh()

    def _refresh(self, first: int = 0, end: int | None = None, turns_only: bool = False) -> None:
        """Update the observations of the games first .. end - 1; see `EnvCore.refresh_observations`.

        end: None means the number of games, so that the last game is included.
        """
        end = self.batch if end is None else end
        (refresh_turn_features if turns_only else refresh_observations)(self.game_batch, first, end)

    @property
    def slots(self) -> int:
        """S, the number of players in each game that get observations and masks."""
        return self.out.seat.shape[1]

    @property
    def nodes(self) -> npt.NDArray[np.float32]:
        """float32[B, S, N, F], the node features of all slots. Raises KeyError for the observation "raw"."""
        nodes: npt.NDArray[np.float32] = self.features["nodes"].cut(self.out.features)
        return nodes

    @property
    def globals(self) -> npt.NDArray[np.float32]:
        """float32[B, S, G], the global features of all slots. Raises KeyError for the observation "raw"."""
        overall: npt.NDArray[np.float32] = self.features["globals"].cut(self.out.features)
        return overall

    @property
    def row_size(self) -> int:
        """K, the number of integers in an action row."""
        return len(self.limits)

    @property
    def max_cycles(self) -> int:
        """The number of steps after which a game is truncated."""
        return self.settings.max_cycles

    @max_cycles.setter
    def max_cycles(self, value: int) -> None:
        self._set_settings(value)

    @property
    def work(self) -> Work:
        """The working memory of the kernels, allocated at the first use."""
        if self._work is None:
            self._work = make_work(self.board, self.bits, self.players, self.row_size)
        return self._work

    @property
    def game_batch(self) -> GameBatch:
        """All arguments of the step's kernels as one NamedTuple; rebuilt after `out` or `settings` is replaced."""
        batch = self._game_batch
        if batch is None or batch.out is not self.out or batch.settings is not self.settings:
            submit = kernel_pointer(submit_signature, self.encoding.submit)
            mask = kernel_pointer(mask_signature, self.encoding.write_mask or no_mask)
            self._game_batch = batch = reference(self.game_batch_for(address(submit), address(mask)))
        return batch

    def game_batch_for(self, submit: int, mask: int) -> GameBatch:
        """Return `game_batch` with the given addresses of the encoding's kernels `submit` and `write_mask`.

        An address may be 0 if the caller's kernels do not use it.
        """
        return GameBatch(
            self.context, self.settings, submit, mask, self._config, self._limits, self.state, self.out, self.turns,
            self.bits, self.work,
        )  # fmt: skip

    @property
    def turns(self) -> Turns:
        """The turns that players have submitted for the next round.

        The arrays of turns are allocated at the first use.
        """
        if self._turns is None:
            self._turns = make_turns(self.board.n_regions, self.board.n_edges, self.players, self.batch)
        return self._turns

    def new_like(self, batch: int) -> Self:
        """Return another `EnvCore` with the same arguments, but with `batch` new games.

        The new object and this object share constant data and working memory, so only one thread may use the two
        objects. The arrays of the new object are in one block of memory.
        """
        check_batch(batch)
        new_core = type(self).__new__(type(self))
        new_core.__dict__.update(self.__dict__)
        new_core.batch, new_core._work, new_core.round_history, new_core._game_batch = batch, self.work, None, None
        n, e, players = self.board.n_regions, self.board.n_edges, self.players
        state, rngs = make_state(batch, n, players), np.zeros((batch, players, 2), dtype=np.uint64)
        out: tuple[Any, ...] = tuple(new_core._make_buffers(self.slots))
        turns: tuple[Any, ...] = tuple(make_turns(n, e, players, batch))
        arrays = iter(copy_to_one_block([*state, *out, *turns, rngs]))
        new_core.state = State(*islice(arrays, len(state)))
        new_core.out = reference(Buffers(*islice(arrays, len(out))))
        new_core._turns, new_core.bot_rngs = reference(Turns(*islice(arrays, len(turns)))), next(arrays)
        new_core.row_buffers = make_action_buffers(batch, self.slots, self.row_size)
        if self.round_history is not None:
            new_core.round_history = RoundHistory(self.map, self.board, self.rules, self.params)
        return new_core

    def clone(self) -> Self:
        """Return an independent copy of the games and their random generators.

        Equal actions give equal games in both objects. The copy and the original share constant data.
        """
        duplicate = type(self).__new__(type(self))
        duplicate.__dict__.update(self.__dict__)
        duplicate._in_use = UseLock()
        duplicate.state = copy_state(self.state)
        arrays: Any = self.out
        duplicate.out = reference(Buffers(*[array.copy() for array in arrays]))
        duplicate.row_buffers = self.row_buffers._replace(converted=np.empty_like(self.row_buffers.converted))
        duplicate.bot_rngs = self.bot_rngs.copy()
        duplicate._turns = duplicate._work = duplicate._game_batch = None
        if self._turns is not None and (self.settings.stepwise or self._turns.status.any()):
            duplicate._turns = reference(copy_turns(self._turns))
        duplicate.round_history = None if self.round_history is None else self.round_history.copy()
        return duplicate


def copy_turns(turns: Turns) -> Turns:
    """Return `Turns` with copies of all arrays."""
    return Turns(*(array.copy() for array in turns))


#: The names of the arrays in `Buffers` whose shape does not depend on the number of slots.
_PER_PLAYER = ("income", "illegal", "reward", "potential", "live", "terminated", "truncated", "cycles")
