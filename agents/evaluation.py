"""What regions and super regions are worth to a player (thesis, algorithms 3.4 and 3.5)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.weights import Weights
from warlight_env.engine.board import Board
from warlight_env.engine.jit import kernel


class Evaluation(NamedTuple):
    """Weights prepared for one board, for kernels."""

    super_start: npt.NDArray[np.float64]  #: [S] worth of a super region while regions are picked
    super_static: npt.NDArray[np.float64]  #: [S] constant part of its worth later; the smallest is 1
    super_whole: npt.NDArray[np.float64]  #: [S] added when one player owns all of it
    own_regions: float
    owner_regions: float
    not_neutral: float
    pick_super: float
    pick_distance: float


def make_evaluation(board: Board, weights: Weights) -> Evaluation:
    """The constant parts for a board: bonus, neighbouring super regions, borders and regions, weighted."""
    bonus = board.bonus.astype(np.float64)
    sizes = np.diff(board.member_start).astype(np.float64)
    here, there = board.super_region[board.edge_source], board.super_region[board.edge_target]
    across = here != there
    borders = np.bincount(here[across], minlength=len(bonus)).astype(np.float64)
    pairs = np.unique(np.stack([here[across], there[across]]), axis=1)
    neighbors = np.bincount(pairs[0], minlength=len(bonus)).astype(np.float64)
    terms = np.stack([bonus, neighbors, borders, sizes])
    w = weights
    start = np.array([w.start_bonus, w.start_neighbors, w.start_borders, w.start_regions]) @ terms
    later = np.array([w.bonus, w.neighbors, w.borders, w.regions]) @ terms
    return Evaluation(
        super_start=start + (1.0 - start.min()),
        super_static=later + (1.0 - later.min()),
        super_whole=w.whole_bonus_squared * bonus**2,
        own_regions=w.own_regions,
        owner_regions=w.owner_regions,
        not_neutral=w.not_neutral,
        pick_super=w.pick_super,
        pick_distance=w.pick_distance,
    )


@kernel
def region_value(board, evaluation, owner, player, region):
    """Worth of a region to `player` after the picks (thesis, algorithm 3.5); owner int8[N], as it sees it."""
    s = board.super_region[region]
    holder = owner[region]
    first = owner[board.members[board.member_start[s]]]
    own, same, whole = 0, 0, first >= 0
    for i in range(board.member_start[s], board.member_start[s + 1]):
        by = owner[board.members[i]]
        if by == player:
            own += 1
        if by == holder:
            same += 1
        if by != first:
            whole = False
    value = evaluation.super_static[s] + evaluation.own_regions * own
    if whole:
        value += evaluation.super_whole[s]
    if holder >= 0:
        if holder != player:
            value += evaluation.owner_regions * same
        value *= evaluation.not_neutral
    return value


def rank_picks(board: Board, evaluation: Evaluation, offers: tuple[int, ...], own: list[int]) -> list[int]:
    """Offered regions, the best first, each chosen given those before it (thesis, algorithm 3.4).

    A region is worth its super region, and its distance to the own picks up to half the map's diameter.
    """
    half = board.distance.max() / 2.0
    mine, rest, ranked = list(own), list(offers), []
    while rest:

        def worth(r: int) -> float:
            near = min((float(board.distance[q, r]) for q in mine), default=0.0)
            by_super = evaluation.pick_super * float(evaluation.super_start[board.super_region[r]])
            return by_super + evaluation.pick_distance * min(near, half)

        best = max(rest, key=worth)
        rest.remove(best)
        mine.append(best)
        ranked.append(best)
    return ranked
