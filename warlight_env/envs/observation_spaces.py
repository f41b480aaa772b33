"""Functions that make observations, and their space, from the arrays of an `EnvCore`."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from warlight_env.envs.actions.kernels import OFFERED
from warlight_env.envs.arrays import box_of, fixed
from warlight_env.envs.core import EnvCore
from warlight_env.features.columns import FeatureBlock


def observation_space_of(core: EnvCore) -> spaces.Space[Any]:
    """Return the observation space: a Box for "flat" and for custom functions, otherwise a Dict of feature groups."""
    if core.custom_observation is not None:
        return fixed(core.custom_observation.space)
    if core.observation == "flat":
        return fixed(box_of(*core.features.bounds))
    return fixed(spaces.Dict({part.name: _space(part) for part in core.features.parts}))


def _space(part: FeatureBlock) -> spaces.Space[Any]:
    if part.name == "offered":
        return spaces.MultiBinary(part.shape[0])
    low, high = part.bounds
    return spaces.Discrete(int(high) + 1) if part.name == "phase" else box_of(low, high)


def observation(core: EnvCore, slot: int, games: int | slice | npt.NDArray[np.int64] = 0) -> Any:
    """Return the observation of the player in a slot of one game, as an element of `observation_space_of(core)`.

    If `games` selects several games, the arrays have a leading axis for the games. All arrays are new.
    """
    if core.custom_observation is not None:
        if isinstance(games, int | np.integer):
            return core.custom_observation.observe(core.player_views(slot, slice(int(games), int(games) + 1)))[0]
        return core.custom_observation.observe(core.player_views(slot, games))
    obs = observed_arrays(core, slot, games)
    if isinstance(obs, dict):
        return {name: array.copy() for name, array in obs.items()}
    return obs.copy()


def observed_arrays(core: EnvCore, slot: int, games: int | slice | npt.NDArray[np.int64] = 0) -> Any:
    """Return the same as `observation`, but the next step may change the arrays.

    Custom observations are not supported.
    """
    if core.observation == "flat":
        return core.out.features[games, slot]
    obs: dict[str, Any] = {}
    if core.observation == "raw":
        state, out = core.state, core.out
        phase = state.phase[games]
        seat = out.seat[games, slot].astype(np.int64)[..., None]
        obs = {
            "owner": out.seen_owner[games, slot],
            "army": out.seen_army[games, slot],
            "offered": (out.free[games, slot] == OFFERED).view(np.int8),
            "round": state.round[:, None][games],
            "income": np.take_along_axis(out.income[games], seat, axis=-1),
            "phase": phase.astype(np.int64),
        }
    values = core.out.features[games, slot]
    for part in core.features.parts:
        if part.start is not None:
            obs[part.name] = part.cut(values)
    return obs
