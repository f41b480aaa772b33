"""Table 3.3: the depth of a search of 10 seconds."""

from warlight_env.experiments.base import Measurement
from warlight_env.experiments.measuring import measure_searches, summarise_searches

TABLE = Measurement(
    name="thesis-3.3",
    title="Depth, simulations and nodes of a search",
    setting=(
        "All moves of 40 games of the bot against itself, 10 seconds a move (457 simulations), random starts. "
        "Depths are counted in turns of one player from the root, means over the moves; simulations and nodes are "
        "medians. Intervals come from resampling games."
    ),
    comment=(
        "With the budget in simulations their number is the thesis's by definition, and the shallowest leaves lie "
        "almost as deep. We do not agree in nodes: ours are counted as soon as they are in the tree, and an expansion "
        "adds all turns of ours and all replies to each of them, visited or not; the thesis's median is 6.5 nodes a "
        "simulation, fewer than one expansion of nine turns has, and it does not say which nodes it counts. Nor in the "
        "deepest leaves: first rounds, with few turns to choose from, make deep trees, but those from the middle of "
        "games are deeper than the thesis's, too. Why is not known; its positions and its generators' number of turns "
        "are not given."
    ),
    measure=measure_searches,
    summary=summarise_searches,
    count=40,
    cost=60 * 457 / 8000,
)
