"""Registers the environments with Gymnasium and PettingZoo, once."""

from __future__ import annotations

import gymnasium
import pettingzoo

GYMNASIUM_ID = "warlight/Warlight-v0"
ENV_ID = "warlight/warlight-v0"


def register_all() -> None:
    """Make Gymnasium's `make` and `make_vec` and PettingZoo's `make` know the environments."""
    if GYMNASIUM_ID not in gymnasium.registry:
        gymnasium.register(
            GYMNASIUM_ID,
            entry_point="warlight_env.envs.single:WarlightEnv",
            vector_entry_point="warlight_env.envs.vector:WarlightVectorEnv",
        )
    if ENV_ID not in pettingzoo.parallel_registry:
        pettingzoo.register("parallel", "warlight/warlight_v0", "warlight_env.envs.parallel:WarlightParallelEnv")
    if ENV_ID not in pettingzoo.aec_registry:
        pettingzoo.register("aec", "warlight/warlight_v0", "warlight_env.envs.aec:env")
