"""The best amount of exploration in the tree search."""

from warlight_env.experiments.comparison_table import TREE, Comparison, ComparisonTable, Side


def _comparison(
    c: float, other: float, games: int = 400, again: str = "", published: float | None = None
) -> Comparison:
    sides = tuple(Side(f"{TREE},c={value:g}", 150) for value in (c, other))
    sample = "" if published is None else "50.0 : 34.8"
    return Comparison(
        f"c={c:.3g} against c={other:.3g}{again}", sides, games, published=published, published_sample=sample
    )


TABLE = ComparisonTable(
    name="methods-exploration",
    title="Exploration from 0.1 to 3 against 0.4",
    setting="150 simulations a move, world, random starts; the share of games that the first side wins.",
    finding=(
        "for THUD!, with values in 0 to 1 as here, 0.65 beat 0.71 by 50.0 : 34.8 per cent, with draws in the "
        "other games, and 0.65 also beat the textbook's 1.41 (a student's project, Olomouc). Draws are rare here, "
        "so the share is of decided games."
    ),
    comparisons=(
        *(_comparison(c, 0.4) for c in (0.1, 0.2, 0.3, 0.5, 0.65, 0.8, 1.0, 1.41, 2.0, 3.0)),
        _comparison(0.65, 0.7071, published=0.5 / 0.848),
        _comparison(0.5, 0.4, games=1200, again=", again"),
    ),
)
