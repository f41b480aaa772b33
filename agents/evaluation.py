"""What regions and super regions are worth to a player (thesis, algorithms 3.4 and 3.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.weights import THESIS, Weights
from warlight_env.engine.board import Board, make_board
from warlight_env.engine.jit import kernel
from warlight_env.engine.view import View


class Evaluation(NamedTuple):
    """Weights prepared for one board, for kernels."""

    super_start: npt.NDArray[np.float64]  #: [S] worth of a super region while regions are picked
    super_static: npt.NDArray[np.float64]  #: [S] constant part of a region's worth later, by its super region
    super_whole: npt.NDArray[np.float64]  #: [S] added when one player owns all of it
    own_regions: float
    owner_regions: float
    not_neutral: float
    pick_super: float
    pick_distance: float
    army: float


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
        super_static=w.region_super * (later + (1.0 - later.min())),
        super_whole=w.whole_bonus_squared * bonus**2,
        own_regions=w.own_regions,
        owner_regions=w.owner_regions,
        not_neutral=w.not_neutral,
        pick_super=w.pick_super,
        pick_distance=w.pick_distance,
        army=w.army,
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


@kernel
def region_values(board, evaluation, owner, player, values):
    """`region_value` of every region, float64[N], in one pass over the super regions."""
    for s in range(board.bonus.shape[0]):
        start, end = board.member_start[s], board.member_start[s + 1]
        first = owner[board.members[start]]
        own, whole = 0, first >= 0
        for i in range(start, end):
            by = owner[board.members[i]]
            own += by == player
            whole &= by == first
        base = evaluation.super_static[s] + evaluation.own_regions * own
        if whole:
            base += evaluation.super_whole[s]
        for i in range(start, end):
            r = board.members[i]
            by = owner[r]
            if by < 0:
                values[r] = base
                continue
            value = base
            if by != player:
                same = 0
                for k in range(start, end):
                    same += owner[board.members[k]] == by
                value += evaluation.owner_regions * same
            values[r] = value * evaluation.not_neutral


@kernel
def position(board, evaluation, owner, army, player):
    """A player's position (thesis, algorithm 3.3): its regions' values and its armies, at least 0."""
    worth, armies = 0.0, np.int64(0)
    for s in range(board.bonus.shape[0]):
        start, end = board.member_start[s], board.member_start[s + 1]
        own = 0
        for i in range(start, end):
            r = board.members[i]
            mine = owner[r] == player
            own += mine
            armies += army[r] if mine else 0
        value = evaluation.super_static[s] + evaluation.own_regions * own
        if own == end - start:
            value += evaluation.super_whole[s]
        worth += own * value
    return max(0.0, worth * evaluation.not_neutral + evaluation.army * armies)


@kernel
def position_share(board, evaluation, owner, army, player, players):
    """A player's part of the sum of all positions, in [0, 1]; equal parts where the sum is 0."""
    mine, total = 0.0, 0.0
    for p in range(players):
        worth = position(board, evaluation, owner, army, p)
        total += worth
        if p == player:
            mine = worth
    return mine / total if total > 0.0 else 1.0 / players


def pick_value(board: Board, evaluation: Evaluation, own: Sequence[int], region: int) -> float:
    """What picking a region is worth after those in `own` (thesis, algorithm 3.4).

    Its super region, and its distance to the own picks up to half the map's diameter, once there are any.
    """
    value = evaluation.pick_super * float(evaluation.super_start[board.super_region[region]])
    if own:
        near = min(float(board.distance[q, region]) for q in own)
        value += evaluation.pick_distance * min(near, board.distance.max() / 2.0)
    return value


@kernel
def write_best_picks(board, evaluation, owner, free, player, rng, wishes):
    """Write the regions r with free[r] != 0 to wishes int32[N], each chosen by `pick_value` given those before it.

    owner int8[N]; `rng` is not used: it stands in the signature of pickers. Returns how many.
    """
    n = owner.shape[0]
    diameter = 0.0
    for r in range(n):
        for q in range(n):
            diameter = max(diameter, np.float64(board.distance[q, r]))
    count = 0
    while True:
        best, most = -1, 0.0
        for r in range(n):
            if free[r] == 0:
                continue
            near, taken = np.inf, False
            for i in range(count):
                taken |= wishes[i] == r
                near = min(near, np.float64(board.distance[wishes[i], r]))
            if taken:
                continue
            for q in range(n):
                if owner[q] == player:
                    near = min(near, np.float64(board.distance[q, r]))
            value = evaluation.pick_super * evaluation.super_start[board.super_region[r]]
            if near < np.inf:
                value += evaluation.pick_distance * min(near, diameter / 2.0)
            if best < 0 or value > most:
                best, most = r, value
        if best < 0:
            return count
        wishes[count] = best
        count += 1


def rank_picks(board: Board, evaluation: Evaluation, offers: Sequence[int], own: Sequence[int]) -> list[int]:
    """Offered regions, the best first, each chosen given those before it; equals: the lower region first."""
    owner, free = np.full(board.n_regions, -1, dtype=np.int8), np.zeros(board.n_regions, dtype=np.int8)
    owner[list(own)], free[list(offers)] = 0, 1
    wishes = np.zeros(board.n_regions, dtype=np.int32)
    count = write_best_picks(board, evaluation, owner, free, 0, np.zeros(2, dtype=np.uint64), wishes)
    return [int(region) for region in wishes[:count]]


def best_picks(view: View, weights: Weights = THESIS) -> list[int]:
    """All offered regions, those that a player wants most first; see `rank_picks`."""
    own = [r for r, by in enumerate(view.owner.tolist()) if by == view.player]
    return rank_picks(view.board, make_evaluation(view.board, weights), view.offers, own)


@dataclass(frozen=True)
class RegionTerms:
    """What the value of a region to a player consists of; `value` is (the sum of the first four) times `factor`."""

    region: int
    super_region: float  #: constant part of the super region's worth
    own_regions: float  #: for the player's regions in it
    whole: float  #: where somebody owns all of it
    owner_regions: float  #: for those of the region's owner, an enemy
    factor: float
    value: float


def explain(game: Any, player: int, weights: Weights = THESIS) -> list[RegionTerms]:
    """The terms of `region_value` for every region of a `Game` (or a `View`), as the player sees it."""
    board, owner = make_board(game.map), np.ascontiguousarray(game.owner)
    evaluation = make_evaluation(board, weights)
    terms = []
    for r in range(board.n_regions):
        s, by = int(board.super_region[r]), int(owner[r])
        holders = owner[board.members[board.member_start[s] : board.member_start[s + 1]]]
        own = evaluation.own_regions * int((holders == player).sum())
        whole = float(evaluation.super_whole[s]) if holders[0] >= 0 and (holders == holders[0]).all() else 0.0
        rival = evaluation.owner_regions * int((holders == by).sum()) if by >= 0 and by != player else 0.0
        factor = evaluation.not_neutral if by >= 0 else 1.0
        static = float(evaluation.super_static[s])
        terms.append(RegionTerms(r, static, own, whole, rival, factor, (static + own + whole + rival) * factor))
    return terms
