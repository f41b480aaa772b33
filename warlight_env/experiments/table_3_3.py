"""Table 3.3: the depth of a search of 10 seconds."""

from warlight_env.experiments.base import Measurement
from warlight_env.experiments.measurements import measure_searches, summarise_searches

TABLE = Measurement(
    name="thesis-3.3",
    title="Depth, simulations and nodes of a search",
    setting=(
        "All moves of 40 games of the bot against itself, 10 seconds a move (457 simulations), random starts. "
        "Depths are counted in turns of one player from the root, means over the moves; simulations and nodes are "
        "medians. Intervals come from resampling games."
    ),
    measure=measure_searches,
    summary=summarise_searches,
    count=40,
    cost=60 * 457 / 8000,
)
