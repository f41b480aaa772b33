"""Gymnasium: its environment checker, and `make_vec` in both modes."""

import gymnasium
from gymnasium.utils.env_checker import check_env

import warlight_env.envs

gymnasium.register_envs(warlight_env.envs)
for action in ("steps", "factored", "continuous", "strategies", "orders"):
    for observation in ("flat", "graph", "raw"):
        env = gymnasium.make("warlight/WarlightSmall-v0", action=action, observation=observation)
        check_env(env.unwrapped, skip_render_check=True)
for mode in ("sync", "vector_entry_point"):
    envs = gymnasium.make_vec("warlight/WarlightSmallStrategies-v0", 4, vectorization_mode=mode)
    envs.reset(seed=1)
    for _ in range(50):
        envs.step(envs.action_space.sample())
    envs.close()
print("passed")
