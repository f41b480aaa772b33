"""Flat Monte Carlo: no tree, our turns at random, and the one answered whose results are best in the middle."""

from warlight_env.agents.players.flat.agent import FlatAgent
from warlight_env.agents.players.flat.flat_search import PARAMETERS, FlatSearch, FlatSettings

__all__ = ["PARAMETERS", "FlatAgent", "FlatSearch", "FlatSettings"]
