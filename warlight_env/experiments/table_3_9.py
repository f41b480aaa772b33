"""Table 3.9: the value of threads."""

from warlight_env.experiments.base import MatchTable, Matchup
from warlight_env.experiments.players import Contender
from warlight_env.experiments.rows import WinLoss

ALONE = Contender(seconds=15)

TABLE = MatchTable(
    name="thesis-3.9",
    title="Parallel MCTS against MCTS in one thread",
    setting=(
        "15 seconds a move, random starts; a tree for each thread, and their roots added up. In simulations: 1272 "
        "in the one tree against 1096 in each of two and 836 in each of four, which is what the thesis's threads "
        "came to (table 3.10). By seconds, a machine needs as many cores as there are threads for the row to mean "
        "what it says."
    ),
    matchups=(
        Matchup("2 threads against 1", Contender(seconds=15, threads=2), ALONE, games=30, thesis=WinLoss(52, 48)),
        Matchup("4 threads against 1", Contender(seconds=15, threads=4), ALONE, games=30, thesis=WinLoss(85, 65)),
    ),
)
