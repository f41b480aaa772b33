"""The best turns for players in a simulation."""

from warlight_env.experiments.comparison_table import TREE, Comparison, ComparisonTable, Side
from warlight_env.experiments.players import with_parameters

SECONDS = 0.04


def _comparison(agent: str, playout: str) -> Comparison:
    sides = (Side(with_parameters(agent, {"playout": playout}), seconds=SECONDS), Side(agent, seconds=SECONDS))
    return Comparison(f"{agent.split(':')[0]}: {playout} against random", sides, games=150)


TABLE = ComparisonTable(
    name="methods-playouts",
    title="Playouts that look ahead, at equal time",
    setting=(
        "40 ms a move on both sides, world, random starts. The playouts of the first side look ahead: they take "
        "the best turn after one round (one_ply), the best turn against the worst reply (two_ply), or a random "
        "one of the three best turns (weighted). The playouts of the second side take random turns. The figure is "
        "the share of games that the first side wins. Nothing else should run on the machine."
    ),
    finding=(
        "for THUD!, one-ply playouts of both sides helped. Two-ply playouts cost more than they gained, because "
        "they made simulations 50 to 700 times fewer (a student's project, Olomouc). For Metro, turns that were "
        "sampled by their score were best: a playout that is too greedy is always the same, and a playout that is "
        "too random is useless (Venta, Prague 2013)."
    ),
    comparisons=tuple(
        _comparison(agent, playout) for agent in (TREE, "flat_mc") for playout in ("one_ply", "two_ply", "weighted")
    ),
)
