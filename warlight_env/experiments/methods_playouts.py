"""The best policy for the turns of all players in a simulation."""

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
        "40 ms for each move on both sides, world map, random starting regions. In the playouts of the first side, "
        "players search ahead. They play the best turn after one round (`one_ply`), the best turn against the worst "
        "reply (`two_ply`), or a random one of the three best turns (`weighted`). In the playouts of the second "
        "side, they play random turns. The table has the share of games that the first side wins. Nothing else "
        "should run on the machine."
    ),
    finding=(
        "for THUD!, one-ply playouts of both sides helped. Two-ply playouts cost more than they gained, because "
        "they made the number of simulations 50 to 700 times smaller (a student's project, Olomouc). For Metro, "
        "turns drawn according to their score were best: playouts that are too greedy are always the same, and "
        "playouts that are too random say nothing (Venta, Prague 2013)."
    ),
    comparisons=tuple(
        _comparison(agent, playout) for agent in (TREE, "flat_mc") for playout in ("one_ply", "two_ply", "weighted")
    ),
)
