"""Table 3.10: the number of simulations of a search thread while 1, 2 or 4 threads run at the same time."""

from warlight_env.experiments.base import Measurement
from warlight_env.experiments.measurements import measure_trees, summarise_trees

TABLE = Measurement(
    name="thesis-3.10",
    title="Simulations and nodes of a tree, with 1, 2 and 4 threads",
    setting=(
        "The bot searches for 15 seconds in each of 8 positions from the middle of games, with 1, 2 and 4 threads. "
        "Each thread has its own tree. The table has medians over trees, and intervals from resampling positions. "
        "Nothing else should run on the machine. If it has fewer cores than threads, the threads share the cores."
    ),
    measure=measure_trees,
    summary=summarise_trees,
    count=8,
    cost=3 * 15.0 + 1,
    budget="seconds",
)
