"""The agent that plays with flat Monte Carlo."""

from __future__ import annotations

from warlight_env.agents.players.flat.flat_search import FlatSearch, FlatSettings
from warlight_env.agents.search.anytime_agent import AnytimeAgent


class FlatAgent(AnytimeAgent):
    """Flat Monte Carlo over candidate turns; see `AnytimeAgent`, and `FlatSettings` for the parameters."""

    name = "flat_mc"
    search_type = FlatSearch
    default_settings = FlatSettings()
