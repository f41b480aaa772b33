"""Registration of the agent ``belief``, which plays games under fog of war."""

from __future__ import annotations

from warlight_env.agents.agent_info import TextForm, loader_of
from warlight_env.agents.bot_profile import BotProfile, Face
from warlight_env.agents.registry import register


def register_agents() -> None:
    """Register the agent ``belief``. The code of the agent is imported when an agent is made."""
    register(
        "belief",
        loader_of("warlight_env.beliefs.belief_agent:make_belief_agent"),
        "Guesses the hidden regions in fog, then lets another bot play.",
        text=TextForm("belief:AGENT", wraps=True),
        players=2,
        profile=BotProfile("Cassandra", "hard", Face("violet", "pink", "drop", "halo", "veil", "flat")),
    )
