"""Intermediate income of a long search that maximizes the income of a later round."""

from functools import partial

from warlight_env.experiments.base import Measurement
from warlight_env.experiments.growth_measurement import measure_growth, summarise_growth

TABLE = Measurement(
    name="growth-later",
    title="Growth of a long search that maximizes a later income",
    setting=(
        "Like `growth-best`, but the turns are compared by the mean income after the twelfth round, and eight "
        "rounds are played."
    ),
    measure=partial(measure_growth, horizon=4),
    summary=summarise_growth,
    count=200,
    cost=2.0,
    agents=("",),
)
