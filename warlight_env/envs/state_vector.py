"""The true position of a game, without fog of war, as one vector for centralized critics and mixing networks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from warlight_env.engine.state import NEUTRAL, OVER, PICK
from warlight_env.envs.arrays import box_of, fixed
from warlight_env.envs.core import EnvCore
from warlight_env.features.columns import state_features
from warlight_env.features.definitions import MANY_ARMIES, SOFT_ARMIES


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
