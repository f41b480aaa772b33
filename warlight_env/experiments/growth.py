"""Income of players without opposition."""

from warlight_env.experiments.base import Measurement
from warlight_env.experiments.growth_measurement import measure_growth, summarise_growth

TABLE = Measurement(
    name="growth",
    title="Growth of players that nobody hinders",
    setting=(
        "World map, preset thesis, random starts, eight rounds beside a player of one far region who never moves; the "
        "same starts for all."
    ),
    measure=measure_growth,
    summary=summarise_growth,
    count=200,
    cost=1.0,
    agents=("aggressive", "one_ply", "plan", "nash:sims=1000", "mcts:sims=457"),
)
