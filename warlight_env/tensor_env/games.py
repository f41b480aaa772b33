"""The arrays of the games of a `WarlightTensorEnv`, and what a device does with them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from warlight_env.envs.core import EnvCore
from warlight_env.envs.restarting_games import LEARNER, SAME_STEP, Seats


def make_seats(core: EnvCore, bots: Sequence[int], autoreset: int) -> Seats:
    """Make the `Seats` of the games of an `EnvCore`.

    bots: the number of the bot on each seat, or LEARNER.
    """
    batch, players, slots = core.batch, core.players, core.slots
    acting = np.zeros((batch, slots), dtype=np.int8)
    acting[:, :] = [bot == LEARNER for bot in bots]
    features = core.out.features.shape[1:] if autoreset == SAME_STEP else (0, 0)
    return Seats(
        bots=np.array(bots, dtype=np.int8),
        acting=acting,
        seeds=np.zeros(batch, dtype=np.uint64),
        games=np.zeros(batch, dtype=np.int64),
        ended=np.ones(batch, dtype=np.bool_),
        restarting=np.zeros(batch, dtype=np.bool_),
        rngs=np.zeros((batch, players, 2), dtype=np.uint64),
        reward=np.zeros((batch, players), dtype=np.float64),
        terminated=np.zeros((batch, players), dtype=np.bool_),
        truncated=np.zeros((batch, players), dtype=np.bool_),
        final=np.zeros((batch, *features), dtype=np.float32),
        picked=core.picking == "random",
        autoreset=autoreset,
    )


def action_type(core: EnvCore) -> Any:
    """Return the dtype of action rows in the memory of a device: int8 if the limits allow it."""
    return np.int8 if core.limits.max() <= np.iinfo(np.int8).max else np.int64


class DeviceGames(ABC):
    """B games in the memory of a device, and the calls that step them.

    Attributes:
        games, seats: trees of arrays in the memory of the device; the arguments of the kernels.
    """

    games: Any
    seats: Any

    @abstractmethod
    def tensor(self, array: Any) -> Any:
        """Return a PyTorch tensor that shares the memory of an array of this device."""

    @abstractmethod
    def restart(self) -> None:
        """Begin the games that are marked in `seats.restarting`."""

    @abstractmethod
    def step(self, actions: Any) -> None:
        """Step all games, and begin new games in place of ended games.

        actions: a tensor int[B, S, K] in the memory of the device; the entries are within the encoding's limits.
        """

    @abstractmethod
    def failed(self) -> int:
        """Return the number of a game that could not begin since the last call of this method, or -1."""
