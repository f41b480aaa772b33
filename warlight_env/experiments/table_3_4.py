"""Table 3.4: games of the search against three reference bots."""

from warlight_env.experiments.base import MatchTable, Matchup
from warlight_env.experiments.players import Contender
from warlight_env.experiments.rows import WinLoss

MCTS = Contender(seconds=10)

TABLE = MatchTable(
    name="thesis-3.4",
    title="MCTS against random, smart random and aggressive",
    setting=(
        "10 seconds for each move (457 simulations), random starting regions. The table has the share of games that "
        "the search wins."
    ),
    matchups=(
        Matchup("against random", MCTS, Contender("random"), games=200, thesis=WinLoss(500, 0)),
        Matchup("against smart random", MCTS, Contender("smart_random"), games=240, thesis=WinLoss(481, 19)),
        Matchup("against aggressive", MCTS, Contender("aggressive"), games=350, thesis=WinLoss(436, 64)),
    ),
)
