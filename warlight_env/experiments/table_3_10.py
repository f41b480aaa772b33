"""Table 3.10: the effect of concurrent threads on each other."""

from warlight_env.experiments.base import Measurement
from warlight_env.experiments.measurements import measure_trees, summarise_trees

TABLE = Measurement(
    name="thesis-3.10",
    title="Simulations and nodes of a tree, with 1, 2 and 4 threads",
    setting=(
        "15 seconds of search, by the clock, in 8 positions from the middle of games, with a tree in each of 1, 2 "
        "and 4 threads; medians over trees, intervals from resampling positions. Nothing else should run on the "
        "machine, and with fewer cores than threads the threads share them."
    ),
    measure=measure_trees,
    summary=summarise_trees,
    count=8,
    cost=3 * 15.0 + 1,
    budget="seconds",
)
