"""Warlight as a PettingZoo AEC (agent-environment-cycle) environment, in which agents step one after the other."""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import wrappers
from pettingzoo.utils.conversions import parallel_to_aec

from warlight_env.envs.parallel import WarlightParallelEnv


def raw_env(**kwargs: Any) -> AECEnv[str, Any, Any]:
    """Make the AEC environment: the agents step one after the other, and the game plays a round after the last agent.

    The arguments are those of `WarlightParallelEnv`.
    """
    return parallel_to_aec(WarlightParallelEnv(**kwargs))


def env(**kwargs: Any) -> AECEnv[str, Any, Any]:
    """Make the environment of `raw_env`, with PettingZoo's wrappers that check the actions and the order of calls."""
    checked = wrappers.AssertOutOfBoundsWrapper(raw_env(**kwargs))
    return wrappers.OrderEnforcingWrapper(checked)
