"""Table 3.7: games of a search with 10 seconds per move against a search with 2 or 5 seconds."""

from warlight_env.experiments.base import MatchTable, Matchup
from warlight_env.experiments.players import Contender
from warlight_env.experiments.rows import WinLoss

TABLE = MatchTable(
    name="thesis-3.7",
    title="MCTS with 10 seconds against 2 and 5 seconds",
    setting=(
        "457 simulations for each move against 91 and against 228, random starting regions. The numbers of "
        "simulations have the same ratios as the seconds."
    ),
    matchups=(
        Matchup("10 s against 2 s", Contender(seconds=10), Contender(seconds=2), games=580, thesis=WinLoss(274, 126)),
        Matchup("10 s against 5 s", Contender(seconds=10), Contender(seconds=5), games=600, thesis=WinLoss(168, 132)),
    ),
)
