"""Table 3.5: games of the search against the bot `one_big_army`."""

from warlight_env.experiments.base import MatchTable, Matchup
from warlight_env.experiments.players import Contender
from warlight_env.experiments.rows import WinLoss

TABLE = MatchTable(
    name="thesis-3.5",
    title="MCTS against one big army",
    setting=(
        "10 seconds for each move (457 simulations), random starting regions. The table has the share of games that "
        "the search wins."
    ),
    matchups=(
        Matchup(
            "against one big army", Contender(seconds=10), Contender("one_big_army"), games=200, thesis=WinLoss(497, 3)
        ),
    ),
)
