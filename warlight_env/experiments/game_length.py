"""The number of rounds in a game."""

from warlight_env.experiments.base import MatchTable, Matchup
from warlight_env.experiments.players import Contender

MCTS = Contender(seconds=10)

TABLE = MatchTable(
    name="game-length",
    title="Rounds of a game",
    setting=(
        "10 seconds for each move (457 simulations), random starting regions. The table has the mean number of "
        "rounds of a game, with a 95 % interval."
    ),
    matchups=(
        Matchup("against itself", MCTS, MCTS, games=60, thesis=None),
        Matchup("against aggressive", MCTS, Contender("aggressive"), games=60, thesis=None),
        Matchup("against smart random", MCTS, Contender("smart_random"), games=60, thesis=None),
    ),
    rounds=30,
)
