"""Games of each search method against each other method."""

import itertools

from warlight_env.experiments.comparison_table import TREE, Comparison, ComparisonTable, Side

#: A game without a winner after this number of rounds is a draw; some games would take hundreds of rounds.
MAX_ROUNDS = 150
METHODS = ("minimax2", "flat_mc", "maxn:depth=8", TREE, "aggressive")


def _side(spec: str, seconds: float) -> Side:
    return Side(spec) if spec == "aggressive" else Side(spec, seconds=seconds)


def _comparison(one: str, other: str, seconds: float) -> Comparison:
    pool = f"{seconds:g} s"
    games = 40 if seconds < 1 else 10
    sides = (_side(one, seconds), _side(other, seconds))
    return Comparison(f"{one} against {other}, {pool}", sides, games, pool=pool, max_rounds=MAX_ROUNDS)


TABLE = ComparisonTable(
    name="methods-round-robin",
    title="Minimax, flat Monte Carlo, Max^N, the tree search and aggressive",
    setting=(
        "0.1 or 1 second for each move, world map, two players, random starting regions. The table has the share of "
        f"games that the first side wins. After {MAX_ROUNDS} rounds, a game is a draw. The table also has ratings "
        "from all games with the same time for a move (Bradley and Terry's model, in Elo points with the mean 0). "
        "Nothing else should run on the machine."
    ),
    finding=(
        "for THUD!, minimax of depth 2 beat both players that use simulations: a search is only as good as its "
        "simulations (a student's project, Olomouc)."
    ),
    comparisons=tuple(
        _comparison(one, other, seconds) for seconds in (0.1, 1.0) for one, other in itertools.combinations(METHODS, 2)
    ),
)
