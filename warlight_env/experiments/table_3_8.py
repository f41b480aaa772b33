"""Table 3.8: games of a search with 20 seconds per move against a search with 5 seconds."""

from warlight_env.experiments.base import MatchTable, Matchup
from warlight_env.experiments.players import Contender
from warlight_env.experiments.rows import WinLoss

TABLE = MatchTable(
    name="thesis-3.8",
    title="MCTS with 20 seconds against 5 seconds",
    setting=(
        "914 simulations for each move against 228, random starting regions. The numbers of simulations have the "
        "same ratio as the seconds."
    ),
    matchups=(
        Matchup("20 s against 5 s", Contender(seconds=20), Contender(seconds=5), games=600, thesis=WinLoss(358, 242)),
    ),
)
