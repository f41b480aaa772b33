"""Flat Monte Carlo: turns as arms of a bandit, without a tree.

The registry and experiments import this package. The selection rules of MCTS are in `agents.players.mcts.selection`.
"""

from warlight_env.agents.players.flat.flat_search import PARAMETERS, FlatAgent, FlatSearch, FlatSettings

__all__ = ["PARAMETERS", "FlatAgent", "FlatSearch", "FlatSettings"]
