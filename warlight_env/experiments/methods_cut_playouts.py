"""The best length of simulations, in rounds, for searches that evaluate the position after a simulation."""

from warlight_env.experiments.comparison_table import TREE, Comparison, ComparisonTable, Side
from warlight_env.experiments.players import with_parameters

SECONDS = 0.03
LENGTHS = (1, 2, 5, 10)
LONGEST = 20


def _comparison(agent: str, length: int, published: float | None = None, sample: str = "") -> Comparison:
    sides = tuple(
        Side(with_parameters(agent, {"rounds": str(rounds)}), seconds=SECONDS) for rounds in (length, LONGEST)
    )
    return Comparison(
        f"{agent.split(':')[0]}: {length} against {LONGEST}", sides, 160, published=published, published_sample=sample
    )


TABLE = ComparisonTable(
    name="methods-cut-playouts",
    title="Simulations cut after 1, 2, 5 and 10 rounds against 20, at equal time",
    setting=(
        "30 ms for each move on both sides, world map, random starting regions. The table has the share of games "
        "that the side with the shorter simulations wins. For flat Monte Carlo, the round of the tried turn counts "
        "as one of the rounds. Nothing else should run on the machine."
    ),
    finding=(
        "for THUD!, flat Monte Carlo was stronger with shorter simulations, down to 5 plies: 5 plies beat 20 plies "
        "in 98.4 per cent of the games. For the tree search, the length made no clear difference (a student's "
        "project, Olomouc)."
    ),
    comparisons=(
        *(_comparison("flat_mc", n, *((0.984, "5 plies against 20") if n == 5 else ())) for n in LENGTHS),
        *(_comparison(TREE, n) for n in LENGTHS),
    ),
)
