"""The income that a long search (`IncomeSearch`) reaches without opponents."""

from warlight_env.experiments.base import Measurement
from warlight_env.experiments.growth_measurement import measure_growth, summarise_growth

TABLE = Measurement(
    name="growth-best",
    title="Growth of a long search without opposition",
    setting=(
        "The starts of `growth`. In each round the search compares 200 turns by the mean income after the eighth "
        "round. It tries all turns in 40 games each, the best 50 of them in 160 games each, and the best 12 of "
        "these in 640 games each. In these games, plans decide the later rounds."
    ),
    measure=measure_growth,
    summary=summarise_growth,
    count=200,
    cost=2.0,
    agents=("",),
)
