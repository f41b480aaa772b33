"""The best number of turns of each player that the tree search considers in a position."""

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
    title="Only the best 1, 3 and 5 turns in the tree, against all turns",
    setting=(
        "Equal numbers of simulations on both sides, world map, random starting regions. In the trees of the first "
        "side, each player has only its best turns: those with the largest share after one simulated round. The "
        "table has the share of games that this side wins."
    ),
    finding=(
        "for Metro, the heuristic helped only with few branches or few simulations: it won 53 per cent of the games "
        "with 100 simulations, and 60 per cent with 50 (Venta, Prague 2013). The table compares these figures with "
        "our rows of three turns, although Metro has another number of branches."
    ),
    comparisons=tuple(_comparison(top, simulations) for simulations in (50, 100, 1000) for top in (1, 3, 5)),
)
