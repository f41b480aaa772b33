"""The whole position as one vector, for critics and mixers that are trained on what no player sees."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from warlight_env.engine.state import OVER, PICK
from warlight_env.envs.arrays import fixed
from warlight_env.envs.core import EnvCore
from warlight_env.features.columns import MANY_ARMIES, SOFT_ARMIES, state_features


def state_space(core: EnvCore) -> spaces.Box:
    """The space of `state_vector`."""
    return fixed(spaces.Box(0.0, 1.0, (state_features(core.board.n_regions, core.players).size,), np.float32))


def state_vector(core: EnvCore, b: int = 0) -> npt.NDArray[np.float32]:
    """The true position of game b, float32, all in 0 .. 1.

    `state_features` names what it holds.
    """
    state, players = core.state, core.players
    owner, army = state.owner[b], state.army[b].astype(np.float32)
    seats = np.arange(players)
    one_hot = owner[:, None] == np.arange(-1, players)
    offered = (state.offers[b][:, None] >> seats) & 1
    armies = np.stack([army / (army + SOFT_ARMIES), np.minimum(army / MANY_ARMIES, 1)], axis=1)
    limit = core.params.round_limit
    times = [
        state.phase[b] == PICK,
        state.phase[b] == OVER,
        min(core.out.cycles[b] / core.max_cycles, 1),
        min(state.round[b] / limit, 1) if limit else 0,
    ]
    parts = [np.concatenate([one_hot, armies, offered], axis=1).reshape(-1), state.eliminated_at[b] == 0, times]
    return np.concatenate(parts).astype(np.float32)
