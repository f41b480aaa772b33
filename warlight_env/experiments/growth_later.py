"""The income of a long search (`IncomeSearch`) that maximizes the income in a later round."""

from functools import partial

from warlight_env.experiments.base import Measurement
from warlight_env.experiments.growth_measurement import measure_growth, summarise_growth

TABLE = Measurement(
    name="growth-later",
    title="Growth of a long search that looks further ahead",
    setting=(
        "As in `growth-best`, but the search compares turns by the mean income after the twelfth round. The games "
        "still have eight rounds."
    ),
    measure=partial(measure_growth, horizon=4),
    summary=summarise_growth,
    count=200,
    cost=2.0,
    agents=("",),
)
