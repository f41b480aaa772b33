"""The best number of a player's turns in the tree."""

from warlight_env.experiments.comparison_table import TREE, Comparison, ComparisonTable, Side

#: The author's results with the heuristic, by number of simulations.
THEIRS = {50: 0.60, 100: 0.53}


def _comparison(top: int, simulations: int) -> Comparison:
    sides = (Side(f"{TREE},breadth={top}", simulations), Side(TREE, simulations))
    theirs = THEIRS.get(simulations) if top == 3 else None
    sample = "" if theirs is None else "with the heuristic"
    return Comparison(
        f"{top} best, {simulations} simulations",
        sides,
        400 if simulations < 1000 else 100,
        published=theirs,
        published_sample=sample,
    )


TABLE = ComparisonTable(
    name="methods-top-turns",
    title="The best 1, 3 and 5 turns against all in the tree",
    setting=(
        "Equal simulations on both sides, world, random starts. The tree of the first side contains only the best "
        "turns of each player, ranked by their share after one simulation of the round. The figure is the share "
        "of games that this side wins."
    ),
    finding=(
        "for Metro, the heuristic helped only with few branches or few simulations: it won 53 per cent with 100 "
        "simulations and 60 per cent with 50 (Venta, Prague 2013). The table compares these figures with the "
        "three best turns, although the number of branches was different in Metro."
    ),
    comparisons=tuple(_comparison(top, simulations) for simulations in (50, 100, 1000) for top in (1, 3, 5)),
)
