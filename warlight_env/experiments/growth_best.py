"""Income of a long search without opposition."""

from warlight_env.experiments.base import Measurement
from warlight_env.experiments.growth_measurement import measure_growth, summarise_growth

TABLE = Measurement(
    name="growth-best",
    title="Growth of a long search that nobody hinders",
    setting=(
        "The starts of `growth`. In each round 200 turns are compared by the mean income after the eighth: all in 40 "
        "games each, whose other rounds go by plans, the best 50 of these in 160, the best 12 of these in 640."
    ),
    measure=measure_growth,
    summary=summarise_growth,
    count=200,
    cost=2.0,
    agents=("",),
)
