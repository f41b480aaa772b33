"""Observations out of a core's buffers, for one game or a batch of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from warlight_env.envs.actions.kernels import OFFERED
from warlight_env.envs.arrays import fixed
from warlight_env.envs.core import EnvCore
from warlight_env.envs.features import TURN_FEATURES, observation_space


def observation_space_of(core: EnvCore) -> spaces.Space[Any]:
    """The space of `observation`."""
    return fixed(observation_space(core.observation, core.board, core.players, core.encoding.stepwise))


def observation(core: EnvCore, slot: int, games: int | slice | npt.NDArray[np.int64] = 0) -> Any:
    """What the player of a slot sees in a game, or in several (with a leading axis), in arrays of its own.

    In `observation_space_of` the core.
    """
    if core.observation == "flat":
        return core.out.features[games, slot].copy()
    n, stepwise = core.board.n_regions, core.settings.stepwise
    seen: dict[str, Any] = {}
    if core.observation == "raw":
        state, out = core.state, core.out
        phase = state.phase[games]
        seat = out.seat[games, slot].astype(np.int64)[..., None]
        seen = {
            "owner": out.seen_owner[games, slot].copy(),
            "army": out.seen_army[games, slot].copy(),
            "offered": (out.free[games, slot] == OFFERED).view(np.int8),
            "round": state.round[:, None][games].copy(),
            "income": np.take_along_axis(out.income[games], seat, axis=-1),
            "phase": phase.astype(np.int64),
        }
    else:
        values = core.out.features[games, slot].copy()
        size = n * core.node_width
        end = size + core.globals.shape[2]
        lead = values.shape[:-1]
        seen = {"nodes": values[..., :size].reshape(*lead, n, -1), "globals": values[..., size:end]}
    if stepwise:
        values = core.turn_features[games, slot].copy()
        seen["turn"] = values[..., :-1].reshape(*values.shape[:-1], n, len(TURN_FEATURES))
        seen["income_left"] = values[..., -1:]
    return seen
