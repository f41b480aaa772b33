"""Functions that make observations and states, and their spaces, from the arrays of an `EnvCore`.

A state is the true position of a game, without fog of war, for centralized critics and mixing networks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from warlight_env.engine.state import NEUTRAL, OVER, PICK
from warlight_env.envs.actions.kernels import OFFERED
from warlight_env.envs.arrays import box_of, fixed
from warlight_env.envs.core import EnvCore
from warlight_env.features.columns import FeatureBlock, state_features
from warlight_env.features.definitions import MANY_ARMIES, SOFT_ARMIES


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


def state_space(core: EnvCore) -> spaces.Box:
    """Return the Box that contains all possible results of `state_vector`."""
    return fixed(box_of(*state_features(core.board.n_regions, core.players).bounds))


def state_vector(core: EnvCore, b: int = 0) -> npt.NDArray[np.float32]:
    """Return the true position of game b as a float32 vector in `state_space`.

    `state_features` gives the name, position and range of each entry.
    """
    state, players = core.state, core.players
    owner, army = state.owner[b], state.army[b].astype(np.float32)
    limit = core.params.round_limit
    regions = {
        "neutral": owner == NEUTRAL, "army_soft": army / (army + SOFT_ARMIES),
        "army_linear": np.minimum(army / MANY_ARMIES, 1),
    }  # fmt: skip
    overall = {
        "picking": state.phase[b] == PICK, "over": state.phase[b] == OVER,
        "time": min(core.out.cycles[b] / core.max_cycles, 1), "round": min(state.round[b] / limit, 1) if limit else 0,
    }  # fmt: skip
    for p in range(players):
        regions |= {f"player_{p}": owner == p, f"offered_player_{p}": (state.offers[b] >> p) & 1}
        overall[f"in_game_player_{p}"] = state.eliminated_at[b, p] == 0
    features = state_features(core.board.n_regions, players)
    rows = np.stack([regions[name] for name in features["regions"].names], axis=1)
    overall_values = [overall[name] for name in features["overall"].names]
    return np.concatenate([rows.reshape(-1), overall_values]).astype(np.float32)
