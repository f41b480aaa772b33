"""Monte Carlo tree search over candidate turns (thesis, section 3.1).

The registry, `beliefs` and experiments import this package. To add a selection rule, write its kernel in `selection`
and add it to `SELECTIONS`.
"""

from warlight_env.agents.players.mcts.agent import MctsAgent, no_defense, parallel_mcts, thesis_mcts
from warlight_env.agents.players.mcts.settings import (
    PARALLEL_PARAMETERS,
    PARAMETERS,
    THESIS_PARAMETERS,
    THESIS_SETTINGS,
    MctsSettings,
)
from warlight_env.agents.players.mcts.tree_search import TreeSearch
from warlight_env.agents.records.search_record import Candidate, SearchRecord

__all__ = [
    "PARALLEL_PARAMETERS",
    "PARAMETERS",
    "THESIS_PARAMETERS",
    "THESIS_SETTINGS",
    "Candidate",
    "MctsAgent",
    "MctsSettings",
    "TreeSearch",
    "SearchRecord",
    "no_defense",
    "parallel_mcts",
    "thesis_mcts",
]
