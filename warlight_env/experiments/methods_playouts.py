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
        "40 ms a move on both sides, world, random starts; the share of games that the side wins "
        "whose playouts take the turn that is best a round ahead (one_ply), best against the worst reply (two_ply), "
        "or one of the three best by chance (weighted), against turns at random. Nothing else should run on the "
        "machine."
    ),
    finding=(
        "for THUD!, one-ply playouts of both sides helped, and two-ply ones cost more than they brought, as "
        "simulations became 50 to 700 times fewer (a student's project, Olomouc). For Metro, turns drawn by their "
        "score were best: too greedy a playout is always the same, too random a one is worth nothing (Venta, Prague "
        "2013)."
    ),
    comparisons=tuple(
        _comparison(agent, playout) for agent in (TREE, "flat_mc") for playout in ("one_ply", "two_ply", "weighted")
    ),
)
