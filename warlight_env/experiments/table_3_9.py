"""Table 3.9: the value of threads."""

from warlight_env.experiments.base import MatchTable, Matchup
from warlight_env.experiments.players import Contender
from warlight_env.experiments.rows import WinLoss

ALONE = Contender(seconds=15)

TABLE = MatchTable(
    name="thesis-3.9",
    title="Parallel MCTS against MCTS in one thread",
    setting=(
        "15 seconds a move, random starts; each thread has a tree, and the roots are added up. In simulations: "
        "1272 in the single tree, 1096 in each of two trees and 836 in each of four trees, as measured in the "
        "thesis (table 3.10). With a budget in seconds, the figure is only meaningful on a machine with at least "
        "as many cores as threads."
    ),
    matchups=(
        Matchup("2 threads against 1", Contender(seconds=15, threads=2), ALONE, games=30, thesis=WinLoss(52, 48)),
        Matchup("4 threads against 1", Contender(seconds=15, threads=4), ALONE, games=30, thesis=WinLoss(85, 65)),
    ),
)
