"""Table 3.6: games of the search against the same search without defensive turns."""

from warlight_env.experiments.base import MatchTable, Matchup
from warlight_env.experiments.players import Contender
from warlight_env.experiments.rows import WinLoss

TABLE = MatchTable(
    name="thesis-3.6",
    title="MCTS against MCTS without defence",
    setting=(
        "15 seconds for each move (1272 simulations) on both sides, random starting regions. The generator of the "
        "second side has no defensive deploy, and neither of the two ways to attack that wait. So this side chooses "
        "between two turns instead of nine."
    ),
    matchups=(
        Matchup(
            "against the same without defence",
            Contender(seconds=15),
            Contender(seconds=15, defense=False),
            games=200,
            thesis=WinLoss(165, 35),
        ),
    ),
)
