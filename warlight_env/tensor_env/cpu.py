"""The games of a `WarlightTensorEnv` on the CPU: the same kernels, one game after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import picker_at, policy_at, record_types
from warlight_env.agents.plug_ins.functions import plug_in
from warlight_env.engine.jit import address, kernel
from warlight_env.engine.reference import address_array, address_of, record_at, reference
from warlight_env.envs.core import EnvCore
from warlight_env.envs.restarting_games import (
    Seats,
    finish,
    observe,
    play,
    submit_bots,
    submit_learners,
)
from warlight_env.envs.step import GameBatch
from warlight_env.tensor_env.games import Bot, DeviceGames

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
