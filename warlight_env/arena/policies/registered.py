"""The agent ``policy`` for the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warlight_env.agents.registry import register

if TYPE_CHECKING:
    from collections.abc import Callable

    from warlight_env.arena.policies.policy_agent import TrainedAgent


def _load() -> Callable[..., TrainedAgent]:
    from warlight_env.arena.policies.policy_agent import trained_policy

    return trained_policy


def register_agents() -> None:
    """Make it known; what it needs is loaded when one is made."""
    register(
        "policy",
        _load,
        "a trained policy",
        form="policy:FILE or policy:NAME (world, small)",
        players=2,
    )
