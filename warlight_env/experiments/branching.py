"""The experiment on the branching factor: the number of possible turns in a position."""

from warlight_env.experiments.base import Measurement
from warlight_env.experiments.measurements import measure_branching, summarise_branching

TABLE = Measurement(
    name="branching",
    title="Turns of a position",
    setting=(
        "Turns of both players in every position of 20 games of the bot against itself, with 10 seconds for each "
        "move (457 simulations) and random starting regions. The number of turns is exact: all ways to deploy the "
        "whole income, times all ways to move armies over borders so that one army stays in each region. Different "
        "orders of the same attacks count once. The table has powers of ten. Intervals come from resampling games."
    ),
    measure=measure_branching,
    summary=summarise_branching,
    count=20,
    cost=60 * 457 / 8000,
)
