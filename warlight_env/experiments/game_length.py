"""The number of rounds in a game."""

from warlight_env.experiments.base import Duel, MatchTable
from warlight_env.experiments.players import Contender

MCTS = Contender(seconds=10)

TABLE = MatchTable(
    name="game-length",
    title="Rounds of a game",
    setting="10 seconds a move (457 simulations), random starts; mean rounds of a game with a 95 % interval.",
    duels=(
        Duel("against itself", MCTS, MCTS, games=60, thesis=None),
        Duel("against aggressive", MCTS, Contender("aggressive"), games=60, thesis=None),
        Duel("against smart random", MCTS, Contender("smart_random"), games=60, thesis=None),
    ),
    rounds=30,
)
