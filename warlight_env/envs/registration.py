"""Registration of the environments with Gymnasium and PettingZoo."""

from __future__ import annotations

from typing import Final

import gymnasium
import pettingzoo

#: Variants of `WarlightEnv` with other defaults: a dict from the id in Gymnasium's registry to the changed arguments.
#: Arguments of `gymnasium.make` override the variant's arguments. The variants are for scripts that accept only an id
#: and no arguments. Many of these scripts need a flat observation, so all variants have a flat one.
VARIANTS: Final[dict[str, dict[str, str]]] = {
    f"warlight/Warlight{part_of_map}{part_of_action}-v0": {**map_, **action}
    for part_of_map, map_ in (("", {}), ("Small", {"map": "small"}))
    for part_of_action, action in (
        ("", {}),
        ("Strategies", {"action": "strategies"}),
        ("Continuous", {"action": "continuous"}),
        ("Factored", {"action": "factored"}),
    )
}
#: The id of the parallel environment and of the AEC environment, in PettingZoo's registries.
ENV_ID: Final = "warlight/warlight-v0"
#: The ids, in Gymnasium's registry, of `WarlightEnv` (one map) and of `WarlightMapsEnv` (many maps).
ENVIRONMENT_ID: Final = "warlight/Warlight-v0"
MAPS_ID: Final = "warlight/WarlightMaps-v0"


def register_all() -> None:
    """Register all environments, so that Gymnasium's `make` and `make_vec` and PettingZoo's `make` find them."""
    for variant, arguments in VARIANTS.items():
        if variant not in gymnasium.registry:
            gymnasium.register(
                variant,
                entry_point="warlight_env.envs.single:WarlightEnv",
                vector_entry_point="warlight_env.envs.vector:make_vector_env",
                kwargs=dict(arguments),
            )
    if MAPS_ID not in gymnasium.registry:
        gymnasium.register(
            MAPS_ID,
            entry_point="warlight_env.envs.many_maps:WarlightMapsEnv",
            vector_entry_point="warlight_env.envs.many_maps:WarlightMapsVectorEnv",
        )
    if ENV_ID not in pettingzoo.parallel_registry:
        pettingzoo.register("parallel", "warlight/warlight_v0", "warlight_env.envs.parallel:WarlightParallelEnv")
    if ENV_ID not in pettingzoo.aec_registry:
        pettingzoo.register("aec", "warlight/warlight_v0", "warlight_env.envs.aec:env")
