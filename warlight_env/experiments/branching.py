"""The number of turns in a position."""

from warlight_env.experiments.base import Measurement
from warlight_env.experiments.measuring import measure_branching, summarise_branching

TABLE = Measurement(
    name="branching",
    title="Turns of a position",
    setting=(
        "Both players' turns in every position of 20 games of the bot against itself, 10 seconds a move (457 "
        "simulations), random starts. Counted exactly: all ways to deploy the whole income, times all ways to send "
        "armies over borders that leave one behind, in one fixed order of attacks. Powers of ten; intervals come "
        "from resampling games."
    ),
    comment=(
        "We agree in the mean of the exponents, not in their median: the thesis gives about 10^13 without saying how "
        "it counts, or when. The moment decides: a first round has some 10^4 turns, an eleventh 10^11, a late one of "
        "a long game above 10^15. A different order of the same attacks is a different turn, too; counting orders "
        "would add several powers of ten more."
    ),
    measure=measure_branching,
    summary=summarise_branching,
    count=20,
    cost=60 * 457 / 8000,
)
