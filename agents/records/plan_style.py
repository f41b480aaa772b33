"""Styles of planning: how sure a turn wants to be, what it fears, and in which order its attacks stand."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.records.forces import LEVELS
from warlight_env.agents.weights import Evaluation
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import RandomState, Real
from warlight_env.engine.rng import below, uniform


class Style(NamedTuple):
    """What a turn is planned by, for kernels float64[N_STYLE] in this order; the first thirteen are of `Weights`."""

    goal_region: float  #: worth of a region, in armies, as the next ones
    goal_income: float  #: of an army of income
    goal_prospect: float  #: of one that a super region would add which the player has a part of
    goal_patience: float  #: armies of cost at which that falls to 1 / e
    sure_neutral: float  #: index into `forces.LEVELS` of attacks on neutral regions
    sure_enemy: float  #: … of attacks on enemies
    sure_hold: float  #: … of holding regions
    expected: float  #: part of an enemy's income that is thought to stand on the region that is attacked
    feared: float  #: part of an enemy's income that is thought to join its strongest attack
    against_enemies: float  #: factor of what captures of enemies' regions are worth
    holding: float  #: factor of what holding is worth
    price: float  #: of an army that is lost
    spend: float  #: exponent of the armies that a goal takes: above 1, small ones come first
    noise: float  #: temperature: standard deviation of the logarithm of what a goal is worth
    order: float  #: AS_CHOSEN, ENEMIES_FIRST, ENEMIES_LAST or GATHERING
    press: float  #: chance that armies without an order join an attack of their region


N_STYLE: Final = len(Style._fields)
#: Templates of the order in which orders stand: as the goals were chosen, transfers last; enemies first; neutral
#: regions, transfers, and enemies last, when they have spent what they had; transfers first, so that what they bring
#: joins attacks (where armies that moved may move on; else as chosen).
AS_CHOSEN: Final = 0
ENEMIES_FIRST: Final = 1
ENEMIES_LAST: Final = 2
GATHERING: Final = 3

_AT: Final = {name: place for place, name in enumerate(Style._fields)}
GOAL_REGION: Final = _AT["goal_region"]
GOAL_INCOME: Final = _AT["goal_income"]
GOAL_PROSPECT: Final = _AT["goal_prospect"]
GOAL_PATIENCE: Final = _AT["goal_patience"]
SURE_NEUTRAL: Final = _AT["sure_neutral"]
SURE_ENEMY: Final = _AT["sure_enemy"]
SURE_HOLD: Final = _AT["sure_hold"]
EXPECTED: Final = _AT["expected"]
FEARED: Final = _AT["feared"]
AGAINST_ENEMIES: Final = _AT["against_enemies"]
HOLDING: Final = _AT["holding"]
PRICE: Final = _AT["price"]
SPEND: Final = _AT["spend"]
NOISE: Final = _AT["noise"]
ORDER: Final = _AT["order"]
PRESS: Final = _AT["press"]

_MOST_SURE: Final = len(LEVELS) - 1


@kernel
def write_style(evaluation: Evaluation, style: npt.NDArray[np.float64]) -> None:
    """Write the evaluation's own style to float64[N_STYLE]."""
    for i in range(evaluation.style.shape[0]):
        style[i] = evaluation.style[i]
    style[NOISE], style[ORDER], style[PRESS] = 0.0, 0.0, 1.0


@kernel
def _between(low: Real, high: Real, rng: RandomState) -> Real:
    return low + (high - low) * uniform(rng)


@kernel
def draw_style(evaluation: Evaluation, style: npt.NDArray[np.float64], rng: RandomState) -> None:
    """Write a style at random around the evaluation's to float64[N_STYLE]."""
    write_style(evaluation, style)
    style[SURE_NEUTRAL] = 1 + below(rng, _MOST_SURE)
    style[SURE_ENEMY] = below(rng, _MOST_SURE + 1)
    style[SURE_HOLD] = 1 + below(rng, _MOST_SURE)
    style[EXPECTED] = _between(0.0, 1.0, rng)
    style[FEARED] = _between(0.0, 1.0, rng)
    style[AGAINST_ENEMIES] *= np.exp(_between(-1.0, 1.0, rng))
    style[HOLDING] *= _between(0.0, 2.0, rng)
    style[NOISE] = _between(0.0, 0.8, rng)
    style[ORDER] = below(rng, 4)
    style[PRESS] = below(rng, 2)
