"""Monte Carlo tree search over generated turns (thesis, section 3.1)."""

from warlight_env.agents.mcts.agent import MctsAgent, no_defense, parallel_mcts, thesis_mcts
from warlight_env.agents.mcts.record import Candidate, SearchRecord
from warlight_env.agents.mcts.searching import THESIS_SETTINGS, MctsSettings, Search, SearchError

__all__ = [
    "THESIS_SETTINGS",
    "Candidate",
    "MctsAgent",
    "MctsSettings",
    "Search",
    "SearchError",
    "SearchRecord",
    "no_defense",
    "parallel_mcts",
    "thesis_mcts",
]
