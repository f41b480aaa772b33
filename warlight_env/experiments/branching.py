"""The number of turns in a position."""

from warlight_env.experiments.base import Measurement
from warlight_env.experiments.measurements import measure_branching, summarise_branching

TABLE = Measurement(
    name="branching",
    title="Turns of a position",
    setting=(
        "Both players' turns in every position of 20 games of the bot against itself, 10 seconds a move (457 "
        "simulations), random starts. The number of turns is exact: all ways to deploy the whole income, times "
        "all ways to send armies over borders that leave at least one army behind, in one fixed order of attacks. "
        "The figures are powers of ten; the intervals come from resampling games."
    ),
    measure=measure_branching,
    summary=summarise_branching,
    count=20,
    cost=60 * 457 / 8000,
)
