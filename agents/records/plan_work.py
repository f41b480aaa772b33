"""The working memory for planning a turn; each thread has its own."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.records.plan_style import N_STYLE
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.reference import reference

#: Columns of `PlanWork.orders`: source, target, armies, and one of the types below.
ORDER_COLUMNS: Final = 4
TRANSFER: Final = 0
NEUTRAL_ATTACK: Final = 1
ENEMY_ATTACK: Final = 2

#: Indices into `PlanWork.numbers`: the number of orders, the number of chosen goals, and the income that is left.
ORDERED: Final = 0
GOALS: Final = 1
LEFT: Final = 2

#: Columns of `PlanWork.goals`: the region, its owner (the player if the goal is to defend it), armies.
GOAL_COLUMNS: Final = 3


class PlanWork(NamedTuple):
    """Arrays by region [N], super region [S] and player [P] for one turn."""

    style: npt.NDArray[np.float64]  #: [N_STYLE]
    #: [N] number of armies that capture or defend the region with the probability that the style requires
    required: npt.NDArray[np.int64]
    strongest: npt.NDArray[np.int64]  #: [N] largest number of armies that an enemy can send against the own region
    gain: npt.NDArray[np.float64]  #: [N] the value of a goal, in armies
    noise: npt.NDArray[np.float64]  #: [N] random factors of the goals' values
    done: npt.NDArray[np.int8]  #: [N] 1: the region's goal was chosen, 2: the goal is not possible
    after: npt.NDArray[np.int64]  #: [N] armies after the deploys
    free: npt.NDArray[np.int64]  #: [N] armies that may be sent and have no order
    moved: npt.NDArray[np.int8]  #: [N] 1: `move_idle` has decided where the region's armies without an order go
    garrison: npt.NDArray[np.int64]  #: [N] armies that stay to defend the region
    demand: npt.NDArray[np.float64]  #: [N] how urgently the region needs armies, in value per army
    #: [S, P] armies that a player needs to complete a super region; -1: no region there
    missing: npt.NDArray[np.float64]
    income: npt.NDArray[np.int64]  #: [P]
    orders: npt.NDArray[np.int32]  #: [E, ORDER_COLUMNS]
    goals: npt.NDArray[np.int32]  #: [N, GOAL_COLUMNS] goals in the order of choice
    goal_values: npt.NDArray[np.float64]  #: [N] value of the chosen goals, in armies
    numbers: npt.NDArray[np.int64]  #: [3] counters at the indices ORDERED, GOALS and LEFT


def make_plan_work(n_regions: int, n_edges: int, players: int) -> PlanWork:
    """Allocate working memory for one thread that plans turns."""
    n = n_regions
    return reference(
        PlanWork(
            style=private_zeros(N_STYLE, np.float64),
            required=private_zeros(n, np.int64),
            strongest=private_zeros(n, np.int64),
            gain=private_zeros(n, np.float64),
            noise=private_zeros(n, np.float64),
            done=private_zeros(n, np.int8),
            after=private_zeros(n, np.int64),
            free=private_zeros(n, np.int64),
            moved=private_zeros(n, np.int8),
            garrison=private_zeros(n, np.int64),
            demand=private_zeros(n, np.float64),
            missing=private_zeros((n, players), np.float64),
            income=private_zeros(players, np.int64),
            orders=private_zeros((max(1, n_edges), ORDER_COLUMNS), np.int32),
            goals=private_zeros((n, GOAL_COLUMNS), np.int32),
            goal_values=private_zeros(n, np.float64),
            numbers=private_zeros(3, np.int64),
        )
    )
