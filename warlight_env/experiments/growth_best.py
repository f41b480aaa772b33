"""Income of a long search without opposition."""

from warlight_env.experiments.base import Measurement
from warlight_env.experiments.growth_measurement import measure_growth, summarise_growth

TABLE = Measurement(
    name="growth-best",
    title="Growth of a long search without opposition",
    setting=(
        "The starts of `growth`. In each round, 200 turns are compared by the mean income after the eighth round: "
        "all turns in 40 games each, the best 50 in 160 games each, and the best 12 in 640 games each. In these "
        "games, plans decide the other rounds."
    ),
    measure=measure_growth,
    summary=summarise_growth,
    count=200,
    cost=2.0,
    agents=("",),
)
