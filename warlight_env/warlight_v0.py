"""Warlight environments under the names that PettingZoo uses, and ``vector_env`` for many games at once.

``parallel_env``, ``env`` and ``raw_env`` have the same arguments as `WarlightParallelEnv`; ``vector_env`` has those of
`WarlightParallelVectorEnv`.

>>> from warlight_env import warlight_v0
>>> env = warlight_v0.parallel_env(players=3)
>>> observations, infos = env.reset(seed=1)
>>> while env.agents:
...     actions = {a: env.action_space(a).sample(observations[a]["action_mask"]) for a in env.agents}
...     observations, rewards, terminations, truncations, infos = env.step(actions)
"""

from __future__ import annotations

from warlight_env.envs import WarlightParallelEnv, WarlightParallelVectorEnv
from warlight_env.envs.aec import env, raw_env

__all__ = ["env", "parallel_env", "raw_env", "vector_env"]


parallel_env = WarlightParallelEnv
vector_env = WarlightParallelVectorEnv
