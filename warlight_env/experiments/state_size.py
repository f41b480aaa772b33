"""The memory size of a position."""

from warlight_env.experiments.base import Measurement
from warlight_env.experiments.measurements import measure_state, summarise_state

TABLE = Measurement(
    name="state-size",
    title="Bytes of a position",
    setting="A position of the world map with two players. The sizes are exact: they are the same on every machine.",
    measure=measure_state,
    summary=summarise_state,
    count=1,
    cost=0.0,
    quick_count=1,
    agents=("",),
)
