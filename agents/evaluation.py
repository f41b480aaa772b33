"""What regions and super regions are worth to a player (thesis, algorithms 3.4 and 3.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.territory import largest_territory, threatened_bonus
from warlight_env.agents.weights import THESIS, Weights
from warlight_env.engine.board import Board, make_board
from warlight_env.engine.jit import kernel, read_only, shared
from warlight_env.engine.reference import reference
from warlight_env.engine.stack import stack_floats
from warlight_env.engine.view import View

#: Rows of `Evaluation.supers`: worth of a super region while regions are picked; constant part of its regions' worth
#: later; what is added to that when one player owns all of it.
START: Final = 0
STATIC: Final = 1
WHOLE: Final = 2


@shared
class Evaluation(NamedTuple):
    """Weights prepared for one board, for kernels. Read-only."""

    supers: npt.NDArray[np.float64]  #: [3, S] of each super region what START, STATIC and WHOLE say
    own_regions: float
    owner_regions: float
    not_neutral: float
    pick_super: float
    pick_distance: float
    army: float
    neighbor_values: float
    largest_territory: float
    threatened_bonus: float
    sharpness: float
    extended: bool  #: the last four are not all as in the thesis: `extended_share` is the share


def super_region_terms(board: Board) -> npt.NDArray[np.float64]:
    """What a super region's worth is made of, float64[4, S]: bonus, neighbouring super regions, borders, regions."""
    bonus = board.bonus.astype(np.float64)
    sizes = np.diff(board.member_start).astype(np.float64)
    here, there = board.super_region[board.edge_source], board.super_region[board.edge_target]
    across = here != there
    borders = np.bincount(here[across], minlength=len(bonus)).astype(np.float64)
    pairs = np.unique(np.stack([here[across], there[across]]), axis=1)
    neighbors = np.bincount(pairs[0], minlength=len(bonus)).astype(np.float64)
    return np.stack([bonus, neighbors, borders, sizes])


def make_evaluation(board: Board, weights: Weights) -> Evaluation:
    """The constant parts for a board: the terms of super regions, weighted, and shifted so that the smallest is 1."""
    terms, w = super_region_terms(board), Weights(*map(float, weights))
    start = np.array([w.start_bonus, w.start_neighbors, w.start_borders, w.start_regions]) @ terms
    later = np.array([w.bonus, w.neighbors, w.borders, w.regions]) @ terms
    evaluation = Evaluation(
        supers=np.stack(
            [
                start + (1.0 - start.min()),
                w.region_super * (later + (1.0 - later.min())),
                w.whole_bonus_squared * terms[0] ** 2,
            ]
        ),
        own_regions=w.own_regions,
        owner_regions=w.owner_regions,
        not_neutral=w.not_neutral,
        pick_super=w.pick_super,
        pick_distance=w.pick_distance,
        army=w.army,
        neighbor_values=w.neighbor_values,
        largest_territory=w.largest_territory,
        threatened_bonus=w.threatened_bonus,
        sharpness=w.sharpness,
        extended=any((w.neighbor_values, w.largest_territory, w.threatened_bonus, w.sharpness != 1.0)),
    )
    return reference(read_only(evaluation))


@kernel
def _own_value(board, evaluation, owner, player, region):
    """Worth of a region by itself (thesis, algorithm 3.5)."""
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
    value = evaluation.supers[STATIC, s] + evaluation.own_regions * own
    if whole:
        value += evaluation.supers[WHOLE, s]
    if holder >= 0:
        if holder != player:
            value += evaluation.owner_regions * same
        value *= evaluation.not_neutral
    return value


@kernel
def region_value(board, evaluation, owner, player, region):
    """Worth of a region to `player` after the picks (thesis, algorithm 3.5); owner int8[N], as it sees it.

    To it comes `neighbor_values` times the mean of what its neighbours are worth by themselves.
    """
    value = _own_value(board, evaluation, owner, player, region)
    if evaluation.neighbor_values != 0.0:
        start, end = board.neighbor_start[region], board.neighbor_start[region + 1]
        total = 0.0
        for e in range(start, end):
            total += _own_value(board, evaluation, owner, player, board.edge_target[e])
        value += evaluation.neighbor_values * total / (end - start)
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
        base = evaluation.supers[STATIC, s] + evaluation.own_regions * own
        if whole:
            base += evaluation.supers[WHOLE, s]
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
    if evaluation.neighbor_values != 0.0:
        _see_neighbors(board, evaluation, values)


@kernel
def _see_neighbors(board, evaluation, values):
    """Add to every region's value `neighbor_values` times the mean over its neighbours, float64[N]."""
    alone = stack_floats()
    for r in range(board.super_region.shape[0]):
        alone[r] = values[r]
    for r in range(board.super_region.shape[0]):
        start, end = board.neighbor_start[r], board.neighbor_start[r + 1]
        total = 0.0
        for e in range(start, end):
            total += alone[board.edge_target[e]]
        values[r] += evaluation.neighbor_values * total / (end - start)


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
        value = evaluation.supers[STATIC, s] + evaluation.own_regions * own
        if own == end - start:
            value += evaluation.supers[WHOLE, s]
        worth += own * value
    return max(0.0, worth * evaluation.not_neutral + evaluation.army * armies)


@kernel
def position_share(board, evaluation, owner, army, player, players):
    """A player's part of the sum of all positions, in [0, 1]; equal parts where the sum is 0.

    To the bit what `position` of each player comes to, in one pass over the regions for all of them.
    """
    worth, armies, own = stack_floats(), stack_floats(), stack_floats()
    for p in range(players):
        worth[p], armies[p], own[p] = 0.0, 0.0, 0.0
    for s in range(board.bonus.shape[0]):
        start, end = board.member_start[s], board.member_start[s + 1]
        for i in range(start, end):
            r = board.members[i]
            by = owner[r]
            if by >= 0:
                own[by] += 1.0
                armies[by] += army[r]
        for p in range(players):
            if own[p] == 0.0:
                continue
            value = evaluation.supers[STATIC, s] + evaluation.own_regions * own[p]
            if own[p] == end - start:
                value += evaluation.supers[WHOLE, s]
            worth[p] += own[p] * value
            own[p] = 0.0
    mine, total = 0.0, 0.0
    for p in range(players):
        whole = max(0.0, worth[p] * evaluation.not_neutral + evaluation.army * armies[p])
        total += whole
        if p == player:
            mine = whole
    return mine / total if total > 0.0 else 1.0 / players


@kernel
def extended_position(board, evaluation, owner, army, player):
    """`position` with the terms beyond the thesis's, for evaluations that are `extended`."""
    worth = 0.0
    if evaluation.neighbor_values != 0.0:
        values = stack_floats()
        region_values(board, evaluation, owner, player, values)
        for r in range(owner.shape[0]):
            if owner[r] == player:
                worth += values[r] + evaluation.army * army[r]
    else:
        worth = position(board, evaluation, owner, army, player)
    if evaluation.largest_territory != 0.0:
        worth += evaluation.largest_territory * largest_territory(board, owner, player)
    if evaluation.threatened_bonus != 0.0:
        worth += evaluation.threatened_bonus * threatened_bonus(board, owner, army, player)
    return max(0.0, worth)


@kernel
def extended_share(board, evaluation, owner, army, player, players):
    """`position_share` of `extended_position` to the power `sharpness`.

    Between two that is the logistic function of ``sharpness * ln(mine / theirs)``: a chance to win, where the weights
    were fitted to the outcomes of games. A function of its own, which a search takes only where it is needed: the
    thesis's terms alone are half as much work again with it.
    """
    mine, total = 0.0, 0.0
    for p in range(players):
        worth = extended_position(board, evaluation, owner, army, p) ** evaluation.sharpness
        total += worth
        if p == player:
            mine = worth
    return mine / total if total > 0.0 else 1.0 / players


@kernel
def share(board, evaluation, owner, army, player, players):
    """`extended_share` for evaluations that are `extended`, else `position_share`."""
    if evaluation.extended:
        return extended_share(board, evaluation, owner, army, player, players)
    return position_share(board, evaluation, owner, army, player, players)


def pick_value(board: Board, evaluation: Evaluation, own: Sequence[int], region: int) -> float:
    """What picking a region is worth after those in `own` (thesis, algorithm 3.4).

    Its super region, and its distance to the own picks up to half the map's diameter, once there are any.
    """
    value = evaluation.pick_super * float(evaluation.supers[START, board.super_region[region]])
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
            value = evaluation.pick_super * evaluation.supers[START, board.super_region[r]]
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
    """What the value of a region to a player consists of.

    `value` is (the sum of the first four) times `factor`, and `neighbors`.
    """

    region: int
    super_region: float  #: constant part of the super region's worth
    own_regions: float  #: for the player's regions in it
    whole: float  #: where somebody owns all of it
    owner_regions: float  #: for those of the region's owner, an enemy
    factor: float
    neighbors: float  #: for what the regions beside it are worth
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
        whole = float(evaluation.supers[WHOLE, s]) if holders[0] >= 0 and (holders == holders[0]).all() else 0.0
        rival = evaluation.owner_regions * int((holders == by).sum()) if by >= 0 and by != player else 0.0
        factor = evaluation.not_neutral if by >= 0 else 1.0
        static = float(evaluation.supers[STATIC, s])
        terms.append(RegionTerms(r, static, own, whole, rival, factor, 0.0, (static + own + whole + rival) * factor))
    if evaluation.neighbor_values == 0.0:
        return terms
    alone = [term.value for term in terms]
    for r, term in enumerate(terms):
        beside = board.edge_target[board.neighbor_start[r] : board.neighbor_start[r + 1]]
        near = evaluation.neighbor_values * float(np.mean([alone[q] for q in beside]))
        terms[r] = replace(term, neighbors=near, value=term.value + near)
    return terms
