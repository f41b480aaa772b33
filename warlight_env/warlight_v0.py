"""Warlight as PettingZoo names it: ``parallel_env``, ``env`` and ``raw_env``, all with the arguments of the class.

>>> from warlight_env import warlight_v0
>>> env = warlight_v0.parallel_env(players=3)
>>> observations, infos = env.reset(seed=1)
>>> while env.agents:
...     actions = {a: env.action_space(a).sample(observations[a]["action_mask"]) for a in env.agents}
...     observations, rewards, terminations, truncations, infos = env.step(actions)
"""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import wrappers
from pettingzoo.utils.conversions import parallel_to_aec

from warlight_env.envs import WarlightParallelEnv

__all__ = ["env", "parallel_env", "raw_env"]


parallel_env = WarlightParallelEnv


def raw_env(**kwargs: Any) -> AECEnv[str, Any, Any]:
    """The environment in which agents step one after the other; orders are kept until all are in.

    Arguments as for `parallel_env`.
    """
    return parallel_to_aec(parallel_env(**kwargs))


def env(**kwargs: Any) -> AECEnv[str, Any, Any]:
    """`raw_env` with the usual checks on actions and on the order of calls; arguments as for `parallel_env`."""
    checked = wrappers.AssertOutOfBoundsWrapper(raw_env(**kwargs))
    return wrappers.OrderEnforcingWrapper(checked)
