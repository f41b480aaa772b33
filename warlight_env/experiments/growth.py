"""Experiments on the income of players that grow without opponents."""

from __future__ import annotations

from functools import partial
from typing import Final

from warlight_env.experiments.base import Measurement
from warlight_env.experiments.growth_measurement import measure_growth, summarise_growth

#: The income of players that grow without opponents.
GROWTH = Measurement(
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


#: The income that a long search (`IncomeSearch`) reaches without opponents.
GROWTH_BEST = Measurement(
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


#: The income of a long search (`IncomeSearch`) that maximizes the income in a later round.
GROWTH_LATER = Measurement(
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


#: All experiments of this module, in the order of the report.
TABLES: Final = (
    GROWTH,
    GROWTH_BEST,
    GROWTH_LATER,
)
