"""The income of players that grow without opponents."""

from warlight_env.experiments.base import Measurement
from warlight_env.experiments.growth_measurement import measure_growth, summarise_growth

TABLE = Measurement(
    name="growth",
    title="Growth of players without opposition",
    setting=(
        "World map, preset `thesis`, random starting regions. Each player plays eight rounds in games with a "
        "passive player, which has one far region and never moves. All players have the same starts."
    ),
    measure=measure_growth,
    summary=summarise_growth,
    count=200,
    cost=1.0,
    agents=("aggressive", "one_ply", "plan", "nash:sims=1000", "mcts:sims=457"),
)
