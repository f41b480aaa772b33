"""Flat Monte Carlo with three averages of results: is the median, the mean or the mode best?"""

from warlight_env.experiments.comparison_table import Comparison, ComparisonTable, Side


def _comparison(one: str, other: str, published: float | None = None, sample: str = "") -> Comparison:
    sides = tuple(Side(f"flat_mc:final_move={answer}", 228) for answer in (one, other))
    return Comparison(f"{one} against {other}", sides, games=250, published=published, published_sample=sample)


TABLE = ComparisonTable(
    name="methods-flat-middle",
    title="Flat Monte Carlo: median, mean and mode",
    setting=(
        "228 simulations of five rounds for each move, world map, random starting regions. The table has the share "
        "of games that the first side wins."
    ),
    finding=(
        "for THUD!, the median beat the mean by 91.6 : 4.0 per cent, and the other games were draws (a student's "
        "project, Olomouc). Here draws are rare, so the table has their share of the decided games."
    ),
    comparisons=(
        _comparison("median", "mean", 0.916 / 0.956, "91.6 : 4.0"),
        _comparison("median", "mode"),
        _comparison("mean", "mode"),
    ),
)
