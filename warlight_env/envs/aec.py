"""The environment in which agents step one after the other, as PettingZoo's AEC games."""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import wrappers
from pettingzoo.utils.conversions import parallel_to_aec

from warlight_env.envs.parallel import WarlightParallelEnv


def raw_env(**kwargs: Any) -> AECEnv[str, Any, Any]:
    """The environment in which agents step one after the other; orders are kept until all are in.

    Arguments as for `WarlightParallelEnv`.
    """
    return parallel_to_aec(WarlightParallelEnv(**kwargs))


def env(**kwargs: Any) -> AECEnv[str, Any, Any]:
    """`raw_env` with the usual checks on actions and on the order of calls."""
    checked = wrappers.AssertOutOfBoundsWrapper(raw_env(**kwargs))
    return wrappers.OrderEnforcingWrapper(checked)
