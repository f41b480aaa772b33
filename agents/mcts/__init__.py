"""Monte Carlo tree search over generated turns (thesis, section 3.1)."""

from warlight_env.agents.mcts.agent import MctsAgent, flat_monte_carlo, no_defense, parallel_mcts, thesis_mcts
from warlight_env.agents.mcts.searching import Search
from warlight_env.agents.mcts.settings import (
    FLAT_PARAMETERS,
    FLAT_SETTINGS,
    PARALLEL_PARAMETERS,
    PARAMETERS,
    THESIS_PARAMETERS,
    THESIS_SETTINGS,
    MctsSettings,
)
from warlight_env.agents.search_record import Candidate, SearchRecord

__all__ = [
    "FLAT_PARAMETERS",
    "FLAT_SETTINGS",
    "PARALLEL_PARAMETERS",
    "PARAMETERS",
    "THESIS_PARAMETERS",
    "THESIS_SETTINGS",
    "Candidate",
    "MctsAgent",
    "MctsSettings",
    "Search",
    "SearchRecord",
    "flat_monte_carlo",
    "no_defense",
    "parallel_mcts",
    "thesis_mcts",
]
