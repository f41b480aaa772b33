"""Income of players without opposition."""

from warlight_env.experiments.base import Measurement
from warlight_env.experiments.growth_measurement import measure_growth, summarise_growth

TABLE = Measurement(
    name="growth",
    title="Growth of players without opposition",
    setting=(
        "World map, preset thesis, random starts. The player plays eight rounds against a passive player, who "
        "owns one distant region and never moves. All agents have the same starts."
    ),
    measure=measure_growth,
    summary=summarise_growth,
    count=200,
    cost=1.0,
    agents=("aggressive", "one_ply", "plan", "nash:sims=1000", "mcts:sims=457"),
)
