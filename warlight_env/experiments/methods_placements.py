"""The best values for the first place and for the other places at the end of a simulation, in games of four players."""

from warlight_env.experiments.comparison_table import TREE, Comparison, ComparisonTable, Side

SIMULATIONS = 91
SHARES = Side(TREE, SIMULATIONS)


def _placed(alpha: float, beta: float) -> Side:
    return Side(f"{TREE},utility=placements,alpha={alpha:g},beta={beta:g}", SIMULATIONS)


def _two_and_two(label: str, one: Side, other: Side, theirs: float | None = None, map: str = "small") -> Comparison:
    games, rounds = (300, 40) if map == "small" else (100, 60)
    sample = "" if theirs is None else "of games"
    sides = (one, other, one, other)
    return Comparison(
        f"{map}: {label}", sides, games, team=(0, 2), map=map, published=theirs, published_sample=sample, rounds=rounds
    )


HIGH_OR_LOW_ALPHA = ("alpha 0.96 against 0.5", _placed(0.96, 0.5), _placed(0.5, 0.5), 0.68)

TABLE = ComparisonTable(
    name="methods-placements",
    title="Placements with alpha and beta, four players",
    setting=(
        "In games of four, two players of a first type play against two players of a second type, with 91 "
        "simulations for each move and random starting regions. The table has the share of games that a player of "
        "the first type wins. The first place in a simulation has a value from alpha to 1, and the other places "
        "have values from 0 to beta. Most comparisons use the map `small`, because its games are shorter."
    ),
    finding=(
        "for Metro, alpha = 0.96 beat 0.5 in 68 per cent of the games, and beta made no difference (Venta, Prague "
        "2013)."
    ),
    comparisons=(
        _two_and_two(*HIGH_OR_LOW_ALPHA),
        _two_and_two("beta 0.2 against 0.5", _placed(0.96, 0.2), _placed(0.96, 0.5)),
        _two_and_two("beta 0.8 against 0.5", _placed(0.96, 0.8), _placed(0.96, 0.5)),
        _two_and_two("alpha 0.96, beta 0.5 against shares", _placed(0.96, 0.5), SHARES),
        _two_and_two("alpha 0.5, beta 0.5 against shares", _placed(0.5, 0.5), SHARES),
        _two_and_two(*HIGH_OR_LOW_ALPHA, map="world"),
    ),
)
