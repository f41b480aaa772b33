"""Table 3.3: the depth that the search reaches in 10 seconds."""

from warlight_env.experiments.base import Measurement
from warlight_env.experiments.measurements import measure_searches, summarise_searches

TABLE = Measurement(
    name="thesis-3.3",
    title="Depth, simulations and nodes of a search",
    setting=(
        "All moves of 40 games of the bot against itself, with 10 seconds for each move (457 simulations) and "
        "random starting regions. A depth is the number of turns of single players from the root. Depths are means "
        "over the moves; simulations and nodes are medians. Intervals come from resampling games."
    ),
    measure=measure_searches,
    summary=summarise_searches,
    count=40,
    cost=60 * 457 / 8000,
)
