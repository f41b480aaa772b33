"""The arrays of a `WarlightTensorEnv`'s games, and the methods with which a device steps the games, on the CPU here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context, picker_at, policy_at, record_types
from warlight_env.agents.players.compiled import COMPILED
from warlight_env.agents.plug_ins.functions import plug_in
from warlight_env.engine.jit import address, kernel
from warlight_env.engine.reference import address_array, address_of, record_at, reference
from warlight_env.envs.core import EnvCore
from warlight_env.envs.restarting_games import (
    LEARNER,
    SAME_STEP,
    Seats,
    finish,
    observe,
    play,
    submit_bots,
    submit_learners,
)
from warlight_env.envs.step import GameBatch


class Bot(NamedTuple):
    """The kernels of a bot, and their first argument."""

    policy: Callable[..., Any]  #: with the signature `agents.context.policy_signature`
    pick: Callable[..., Any]  #: with the signature `agents.context.picker_signature`
    context: Context


def compiled_bot(core: EnvCore, name: str) -> Bot:
    """Return a compiled bot. name: a key of `agents.players.compiled.COMPILED`."""
    return Bot(*COMPILED[name], core.bots_context)


def make_seats(core: EnvCore, bots: npt.ArrayLike, autoreset: int) -> Seats:
    """Make the `Seats` of the games of an `EnvCore`.

    bots: int[P] or int[B, P], the number of the bot on each seat, or LEARNER.
    """
    batch, players, slots = core.batch, core.players, core.slots
    seated = np.broadcast_to(np.asarray(bots, dtype=np.int8), (batch, players)).copy()
    features = core.out.features.shape[1:] if autoreset == SAME_STEP else (0, 0)
    return Seats(
        bots=seated,
        acting=(seated == LEARNER)[:, :slots].astype(np.int8),
        seeds=np.zeros(batch, dtype=np.uint64),
        games=np.zeros(batch, dtype=np.int64),
        ended=np.ones(batch, dtype=np.bool_),
        played=np.zeros(batch, dtype=np.bool_),
        restarting=np.zeros(batch, dtype=np.bool_),
        rngs=np.zeros((batch, players, 2), dtype=np.uint64),
        reward=np.zeros((batch, players), dtype=np.float64),
        illegal=np.zeros((batch, players), dtype=np.int32),
        terminated=np.zeros((batch, players), dtype=np.bool_),
        truncated=np.zeros((batch, players), dtype=np.bool_),
        final_features=np.zeros((batch, *features), dtype=np.float32),
        random_start=core.picking == "random",
        autoreset=autoreset,
    )


def action_type(core: EnvCore) -> Any:
    """Return the dtype of action rows in the memory of a device: int8 if the limits allow it."""
    return np.int8 if core.limits.max() <= np.iinfo(np.int8).max else np.int64


class DeviceGames(ABC):
    """B games in the memory of a device, and the calls that step them.

    Attributes:
        games, seats: nested NamedTuples of arrays in the memory of the device; the arguments of the kernels.
    """

    games: Any
    seats: Any

    @abstractmethod
    def tensor(self, array: Any) -> Any:
        """Return a PyTorch tensor that shares the memory of an array of this device."""

    def seat(self, bots: npt.NDArray[np.int8]) -> None:
        """Choose the player of each seat, int8[B, P]: the number of a bot, or LEARNER."""
        import torch

        seated, acting = self.tensor(self.seats.bots), self.tensor(self.seats.acting)
        seated.copy_(torch.from_numpy(bots))
        acting.copy_(seated[:, : acting.shape[1]] == LEARNER)

    @abstractmethod
    def restart(self) -> None:
        """Begin the games that are marked in `seats.restarting`."""

    @abstractmethod
    def step(self, actions: Any) -> None:
        """Step all games, and begin new games in place of ended games.

        actions: a tensor int[B, S, K] in the memory of the device; the entries are within the encoding's limits.
        """


_context_at = record_at(lambda: record_types()["context"])


@kernel
def _restart(games: GameBatch, seats: Seats) -> None:
    for b in range(seats.ended.shape[0]):
        seats.played[b] = False
        finish(games, seats, b)
        observe(games, seats, True, b)


@kernel
def _step(
    games: GameBatch, seats: Seats, contexts: Any, policies: npt.NDArray[np.int64], pickers: npt.NDArray[np.int64],
    actions: Any,
) -> None:  # fmt: skip
    for b in range(actions.shape[0]):
        submit_learners(games, seats, actions, b)
        for k in range(policies.shape[0]):
            submit_bots(games, seats, _context_at(contexts[k]), policy_at(policies[k]), picker_at(pickers[k]), k, b)
        play(games, seats, b)
        observe(games, seats, False, b)
        finish(games, seats, b)
        observe(games, seats, True, b)


class CpuGames(DeviceGames):
    """The games of an `EnvCore`, in which each player has a slot with observations."""

    def __init__(self, core: EnvCore, seats: Seats, bots: Sequence[Bot]) -> None:
        self.games, self.seats = core.game_batch, reference(seats)
        self._functions = [(plug_in("policy", bot.policy), plug_in("picker", bot.pick)) for bot in bots]
        self._bot_contexts = [bot.context for bot in bots]
        self._contexts = address_array([address_of(context) for context in self._bot_contexts])
        self._policies = address_array([address(policy) for policy, _ in self._functions])
        self._pickers = address_array([address(pick) for _, pick in self._functions])

    def tensor(self, array: Any) -> Any:
        import torch

        return torch.from_numpy(array)

    def restart(self) -> None:
        _restart(self.games, self.seats)

    def step(self, actions: Any) -> None:
        _step(self.games, self.seats, self._contexts, self._policies, self._pickers, actions.numpy())
