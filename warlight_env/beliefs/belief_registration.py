"""Registration of the agent ``belief``, which plays games under fog of war."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warlight_env.agents.agent_info import TextForm
from warlight_env.agents.bot_profile import BotProfile, Face
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
        "Guesses the hidden regions in fog, then lets another bot play.",
        text=TextForm("belief:AGENT", wraps=True),
        players=2,
        profile=BotProfile("Cassandra", "hard", Face("violet", "pink", "drop", "halo", "veil", "flat")),
    )
