"""Table 3.9: games of a search with 2 or 4 threads against a search with one thread."""

from warlight_env.experiments.base import MatchTable, Matchup
from warlight_env.experiments.players import Contender
from warlight_env.experiments.rows import WinLoss

ALONE = Contender(seconds=15)

TABLE = MatchTable(
    name="thesis-3.9",
    title="Parallel MCTS against MCTS in one thread",
    setting=(
        "15 seconds for each move, random starting regions. Each thread has its own tree, and the statistics at the "
        "roots are added up. With budgets in simulations, the single tree has 1272, each of two trees has 1096, and "
        "each of four trees has 836. The thesis's threads reached these numbers (table 3.10). With budgets in "
        "seconds, the result is only meaningful on a machine with at least as many cores as threads."
    ),
    matchups=(
        Matchup("2 threads against 1", Contender(seconds=15, threads=2), ALONE, games=30, thesis=WinLoss(52, 48)),
        Matchup("4 threads against 1", Contender(seconds=15, threads=4), ALONE, games=30, thesis=WinLoss(85, 65)),
    ),
)
