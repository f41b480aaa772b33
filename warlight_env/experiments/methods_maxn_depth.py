"""The best search depth of Max^N in games of four players."""

from warlight_env.experiments.comparison_table import Comparison, ComparisonTable, Side


def _curve(map: str) -> Comparison:
    """Return games of searches with the depths 1, 4, 8 and 12, which consider two turns of each player."""
    costs = {1: 0.0003, 4: 0.0006, 8: 0.004, 12: 0.06}
    sides = tuple(Side(f"maxn:depth={depth},breadth=2", cost=cost) for depth, cost in costs.items())
    return Comparison(f"{map}, 2 turns each", sides, games=400, team=(), map=map, rounds=120)


def _pair(map: str) -> Comparison:
    """Return games of two searches of depth 4 against two of depth 1; all consider five turns of each player."""
    one, other = Side("maxn:depth=4,breadth=5", cost=0.004), Side("maxn:depth=1,breadth=5", cost=0.0003)
    label = f"{map}, 5 turns each: depth 4 against 1, two players of each"
    return Comparison(label, (one, other, one, other), games=200, team=(0, 2), map=map, rounds=120)


TABLE = ComparisonTable(
    name="methods-maxn-depth",
    title="Max^N by depth, four players",
    setting=(
        "Four players with different depths play in one game, with random starting regions. The table has the share "
        "of games that each player wins. The depth counts moves. A move is the whole turn of one player: half a "
        "round of two players, or a quarter of a round of four. With five turns of each player, a search of depth 8 "
        "takes up to two seconds on the world map, and a search of depth 12 takes minutes. Therefore the searches "
        "of four depths consider only two turns of each player."
    ),
    finding=(
        "for Dice Wars, with four players and the depths 1, 4, 8 and 12, depth 8 won most games. At larger depths, "
        "the errors of the estimated chances add up (Chaloupka, Krůl, Láncoš, Brno 2020). The table has no shares "
        "of theirs, because the game is another one."
    ),
    comparisons=(_curve("world"), _curve("small"), _pair("world"), _pair("small")),
)
