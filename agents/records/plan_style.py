"""Planning styles: coefficients for values of goals, for the certainty of attacks, and for the sequence of orders."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.records.army_requirements import LEVELS
from warlight_env.agents.weights import Evaluation
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import RandomState, Real
from warlight_env.engine.rng import below, uniform


class Style(NamedTuple):
    """The parameters with which the planner builds a turn (the style of a plan).

    Kernels get the parameters as float64[N_STYLE], in the order of the fields. The first thirteen parameters come from
    `Weights`.
    """

    goal_region: float  #: value of a region, in armies
    goal_income: float  #: value of an income of one army per round, in armies
    goal_prospect: float  #: value of one army of a super region's bonus if the player owns a part of it, in armies
    goal_patience: float  #: number of missing armies at which the value `goal_prospect` falls to 1 / e
    sure_neutral: float  #: index into `army_requirements.LEVELS` for attacks on neutral regions
    sure_enemy: float  #: index into `army_requirements.LEVELS` for attacks on enemies
    sure_hold: float  #: index into `army_requirements.LEVELS` for defending regions
    expected: float  #: fraction of an enemy's income that the enemy is assumed to deploy on the attacked region
    feared: float  #: fraction of an enemy's income that is assumed to join its strongest attack
    against_enemies: float  #: factor of the value of capturing an enemy's region
    holding: float  #: factor of the value of defending a region
    price: float  #: cost of a lost army, in armies
    spend: float  #: a goal's value is divided by its number of armies to this power; above 1, small goals come first
    noise: float  #: temperature: standard deviation of the logarithm of a goal's value
    order: float  #: AS_CHOSEN, ENEMIES_FIRST, ENEMIES_LAST or GATHERING
    press: float  #: probability that armies without an order join an attack from their region


N_STYLE: Final = len(Style._fields)
#: Values of `Style.order`: the sequence of a turn's orders. AS_CHOSEN: attacks in the order of the chosen goals, then
#: transfers. ENEMIES_FIRST: attacks on enemies, attacks on neutral regions, transfers. ENEMIES_LAST: attacks on neutral
#: regions, transfers, attacks on enemies; until then, enemies may have lost armies in their own attacks. GATHERING:
#: transfers, then attacks, so that moved armies join attacks. If armies may not move twice in a round, GATHERING is the
#: same as AS_CHOSEN.
AS_CHOSEN: Final = 0
ENEMIES_FIRST: Final = 1
ENEMIES_LAST: Final = 2
GATHERING: Final = 3

#: The index of each parameter in the arrays of parameters; kernels use the indices as constants.
AT: Final[Any] = Style(*range(N_STYLE))

_MOST_SURE: Final = len(LEVELS) - 1


@kernel
def write_style(evaluation: Evaluation, style: npt.NDArray[np.float64]) -> None:
    """Write the style that the evaluation's weights define to style float64[N_STYLE]."""
    for i in range(evaluation.style.shape[0]):
        style[i] = evaluation.style[i]
    style[AT.noise], style[AT.order], style[AT.press] = 0.0, 0.0, 1.0


@kernel
def _between(low: Real, high: Real, rng: RandomState) -> Real:
    return low + (high - low) * uniform(rng)


@kernel
def draw_style(evaluation: Evaluation, style: npt.NDArray[np.float64], rng: RandomState) -> None:
    """Write a random variation of the evaluation's style to style float64[N_STYLE]."""
    write_style(evaluation, style)
    style[AT.sure_neutral] = 1 + below(rng, _MOST_SURE)
    style[AT.sure_enemy] = below(rng, _MOST_SURE + 1)
    style[AT.sure_hold] = 1 + below(rng, _MOST_SURE)
    style[AT.expected] = _between(0.0, 1.0, rng)
    style[AT.feared] = _between(0.0, 1.0, rng)
    style[AT.against_enemies] *= np.exp(_between(-1.0, 1.0, rng))
    style[AT.holding] *= _between(0.0, 2.0, rng)
    style[AT.noise] = _between(0.0, 0.8, rng)
    style[AT.order] = below(rng, 4)
    style[AT.press] = below(rng, 2)
