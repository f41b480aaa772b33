"""Registration of the agent ``belief``, which plays games under fog of war."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warlight_env.agents.registry import register

if TYPE_CHECKING:
    from collections.abc import Callable

    from warlight_env.beliefs.belief_agent import BeliefAgent


def _load() -> Callable[..., BeliefAgent]:
    from warlight_env.beliefs.belief_agent import make_belief_agent

    return make_belief_agent


def register_agents() -> None:
    """Register the agent ``belief``. The code of the agent is imported when an agent is made."""
    register(
        "belief",
        _load,
        "an agent that uses the most likely position under fog, for games of two players",
        form="belief:AGENT",
        players=2,
        wraps=True,
    )
