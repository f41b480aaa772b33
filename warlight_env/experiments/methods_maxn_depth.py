"""The best depth of Max^N in games of four."""

from warlight_env.experiments.comparison_table import Comparison, ComparisonTable, Side


def _curve(map: str) -> Comparison:
    """Return a game of depths 1, 4, 8 and 12 with two turns of each player."""
    costs = {1: 0.0003, 4: 0.0006, 8: 0.004, 12: 0.06}
    sides = tuple(Side(f"maxn:depth={depth},breadth=2", cost=cost) for depth, cost in costs.items())
    return Comparison(f"{map}, 2 turns each", sides, games=400, team=(), map=map, rounds=120)


def _pair(map: str) -> Comparison:
    """Return games of depth 4 against 1, two players of each, with the usual five turns."""
    one, other = Side("maxn:depth=4,breadth=5", cost=0.004), Side("maxn:depth=1,breadth=5", cost=0.0003)
    label = f"{map}, 5 turns each: depth 4 against 1, two players of each"
    return Comparison(label, (one, other, one, other), games=200, team=(0, 2), map=map, rounds=120)


TABLE = ComparisonTable(
    name="methods-maxn-depth",
    title="Max^N by depth, four players",
    setting=(
        "Four players of different depths in one game, random starts; the share of games that each player wins. A "
        "move is a player's whole turn: half a round of two players, or a quarter of a round of four. With five "
        "turns of each player, a search of depth 8 takes up to two seconds on world, and a search of depth 12 "
        "takes minutes. So the comparison of all depths uses two turns of each player."
    ),
    finding=(
        "for Dice Wars, with four players and depths 1, 4, 8 and 12, depth 8 won most: at greater depths, the "
        "error of guessing chance adds up (Chaloupka, Krůl, Láncoš, Brno 2020). No shares are given here, because "
        "the game is different."
    ),
    comparisons=(_curve("world"), _curve("small"), _pair("world"), _pair("small")),
)
