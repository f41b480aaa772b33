"""The environment as a PettingZoo AEC game, in which agents step one after the other."""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import wrappers
from pettingzoo.utils.conversions import parallel_to_aec

from warlight_env.envs.parallel import WarlightParallelEnv


def raw_env(**kwargs: Any) -> AECEnv[str, Any, Any]:
    """Make the environment in which agents step one after the other; a round is played after all have acted.

    The arguments are those of `WarlightParallelEnv`.
    """
    return parallel_to_aec(WarlightParallelEnv(**kwargs))


def env(**kwargs: Any) -> AECEnv[str, Any, Any]:
    """Make `raw_env` with PettingZoo's usual checks of actions and of the order of calls."""
    checked = wrappers.AssertOutOfBoundsWrapper(raw_env(**kwargs))
    return wrappers.OrderEnforcingWrapper(checked)
