"""The best average of results in flat Monte Carlo: median, mean or mode."""

from warlight_env.experiments.comparison_table import Field, FieldTable, Side


def _duel(one: str, other: str, theirs: float | None = None, sample: str = "") -> Field:
    sides = tuple(Side(f"flat_mc:answer={answer}", 228) for answer in (one, other))
    return Field(f"{one} against {other}", sides, games=250, theirs=theirs, theirs_sample=sample)


TABLE = FieldTable(
    name="methods-flat-middle",
    title="Flat Monte Carlo: median, mean and mode",
    setting="228 simulations a move of five rounds each, world, random starts; the share of games that the first wins.",
    finding=(
        "for THUD!, the median beat the mean 91.6 : 4.0 per cent, the rest drawn (a student's project, Olomouc). Draws "
        "hardly occur here: their share is of decided games."
    ),
    fields=(
        _duel("median", "mean", 0.916 / 0.956, "91.6 : 4.0"),
        _duel("median", "mode"),
        _duel("mean", "mode"),
    ),
)
