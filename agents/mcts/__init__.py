"""Monte Carlo tree search over generated turns (thesis, section 3.1)."""

from warlight_env.agents.mcts.agent import MctsAgent, no_defense, parallel_mcts
from warlight_env.agents.mcts.record import Candidate, SearchRecord
from warlight_env.agents.mcts.searching import MctsSettings, Search, SearchError

__all__ = [
    "Candidate",
    "MctsAgent",
    "MctsSettings",
    "Search",
    "SearchError",
    "SearchRecord",
    "no_defense",
    "parallel_mcts",
]
