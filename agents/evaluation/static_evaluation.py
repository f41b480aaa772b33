"""The value of regions and super regions for a player (thesis, algorithms 3.4 and 3.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from warlight_env.agents.context import Context, bare_context, evaluate
from warlight_env.agents.evaluation.territory import largest_territory, threatened_bonus
from warlight_env.agents.weights import START, STATIC, THESIS, WHOLE, Evaluation, Weights, make_evaluation
from warlight_env.engine.board import Board, make_board
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Int, Marks, RandomState, Regions, RegionValues, Shares
from warlight_env.engine.position import Position, Positions, make_position, position_at
from warlight_env.engine.stack import stack_floats
from warlight_env.engine.state import NEUTRAL
from warlight_env.engine.view import View


@kernel
def region_values(context: Context, position: Position, player: Int, values: RegionValues) -> None:
    """Write the value of each region for `player` after the picking phase (thesis, algorithm 3.5) to values float64[N].

    A value includes the weight `neighbor_values` times the mean value of the region's neighbours.
    """
    board, evaluation, owner = context.board, context.evaluation, position.owner
    for s in range(board.bonus.shape[0]):
        start, end = board.member_start[s], board.member_start[s + 1]
        first = owner[board.members[start]]
        own_count, is_complete = 0, first >= 0
        for i in range(start, end):
            holder = owner[board.members[i]]
            own_count += holder == player
            is_complete &= holder == first
        base = evaluation.supers[STATIC, s] + evaluation.own_regions * own_count
        if is_complete:
            base += evaluation.supers[WHOLE, s]
        for i in range(start, end):
            r = board.members[i]
            holder = owner[r]
            if holder < 0:
                values[r] = base
                continue
            value = base
            if holder != player:
                holder_count = 0
                for k in range(start, end):
                    holder_count += owner[board.members[k]] == holder
                value += evaluation.owner_regions * holder_count
            values[r] = value * evaluation.not_neutral
    if evaluation.neighbor_values != 0.0:
        _add_neighbor_values(context, values)


@kernel
def _add_neighbor_values(context: Context, values: RegionValues) -> None:
    """Add the weight `neighbor_values` times the neighbours' mean value to each region's value, values float64[N]."""
    board, evaluation = context.board, context.evaluation
    base_values = stack_floats()
    for r in range(board.super_region.shape[0]):
        base_values[r] = values[r]
    for r in range(board.super_region.shape[0]):
        start, end = board.neighbor_start[r], board.neighbor_start[r + 1]
        total = 0.0
        for e in range(start, end):
            total += base_values[board.edge_target[e]]
        values[r] += evaluation.neighbor_values * total / (end - start)


@inline_kernel
def normalize_shares(players: Int, shares: Shares) -> None:
    """Divide each number in shares float64[P] by the sum over the players; if the sum is 0, write equal shares."""
    total = 0.0
    for p in range(players):
        total += shares[p]
    for p in range(players):
        shares[p] = shares[p] / total if total > 0.0 else 1.0 / players


@kernel
def write_static_values(context: Context, position: Position, values: Shares) -> None:
    """Write the value of each player's position (thesis, algorithm 3.3) to values float64[P].

    The position's value is the sum of the values of the player's regions and armies, and it is at least 0.
    """
    board, evaluation, players = context.board, context.evaluation, context.players
    owner, army = position.owner, position.army
    armies, counts = stack_floats(), stack_floats()
    for p in range(players):
        values[p], armies[p], counts[p] = 0.0, 0.0, 0.0
    for s in range(board.bonus.shape[0]):
        start, end = board.member_start[s], board.member_start[s + 1]
        for i in range(start, end):
            r = board.members[i]
            holder = owner[r]
            if holder >= 0:
                counts[holder] += 1.0
                armies[holder] += army[r]
        for p in range(players):
            if counts[p] == 0.0:
                continue
            value = evaluation.supers[STATIC, s] + evaluation.own_regions * counts[p]
            if counts[p] == end - start:
                value += evaluation.supers[WHOLE, s]
            values[p] += counts[p] * value
            counts[p] = 0.0
    for p in range(players):
        values[p] = max(0.0, values[p] * evaluation.not_neutral + evaluation.army * armies[p])


@kernel
def position_share(context: Context, position: Position, shares: Shares) -> Int:
    """Write each player's part of the total position value to shares float64[P]; see `context.evaluation_signature`."""
    write_static_values(context, position, shares)
    normalize_shares(context.players, shares)
    return 0


@kernel
def write_extended_values(context: Context, position: Position, values: Shares) -> None:
    """Write the values of all players, with the terms that the thesis does not have; see `Evaluation.extended`."""
    board, evaluation, owner, army = context.board, context.evaluation, position.owner, position.army
    if evaluation.neighbor_values != 0.0:
        region_value = stack_floats()
        for p in range(context.players):
            region_values(context, position, p, region_value)
            values[p] = 0.0
            for r in range(owner.shape[0]):
                if owner[r] == p:
                    values[p] += region_value[r] + evaluation.army * army[r]
    else:
        write_static_values(context, position, values)
    for p in range(context.players):
        if evaluation.largest_territory != 0.0:
            values[p] += evaluation.largest_territory * largest_territory(board, owner, p)
        if evaluation.threatened_bonus != 0.0:
            values[p] += evaluation.threatened_bonus * threatened_bonus(board, position, p)
        values[p] = max(0.0, values[p])


@kernel
def extended_share(context: Context, position: Position, shares: Shares) -> Int:
    """Write each player's share as `position_share` does, but with the extended values ``value ** sharpness``.

    Between two players the share is the logistic function of ``sharpness * ln(mine / theirs)``. The share is an
    estimate of the probability to win if the weights were fitted to the outcomes of games. `position_share` does not
    contain the additional terms because they increase the computing time by half. A search uses this function only if
    an additional term is not 0.
    """
    write_extended_values(context, position, shares)
    for p in range(context.players):
        shares[p] = shares[p] ** context.evaluation.sharpness
    normalize_shares(context.players, shares)
    return 0


@kernel
def evaluated_shares(context: Context, positions: Positions, count: Int, shares: Shares) -> Int:
    """Evaluate several positions with the context's evaluation; see `context.leaf_signature` for the arguments."""
    for k in range(count):
        evaluate(context, position_at(positions, k), shares[k])
    return 0


def pick_value(board: Board, evaluation: Evaluation, own_regions: Sequence[int], region: int) -> float:
    """Return the value of a region as the next pick of a player with the regions `own_regions`.

    This is algorithm 3.4 of the thesis. The value is the sum of a term for the super region and a term for the distance
    to the nearest own region. The term for the distance is 0 if `own_regions` is empty. Distances above half the map's
    diameter count as half the diameter.
    """
    value = evaluation.pick_super * float(evaluation.supers[START, board.super_region[region]])
    if own_regions:
        distance = min(float(board.distance[q, region]) for q in own_regions)
        value += evaluation.pick_distance * min(distance, board.distance.max() / 2.0)
    return value


@kernel
def write_best_picks(
    context: Context, position: Position, free: Marks, player: Int, rng: RandomState, preferences: Regions
) -> Int:
    """Write the regions r with free[r] != 0 to preferences int32[N], best first.

    Each region has the highest `pick_value`, given the regions before it. `rng` is not used; it is an argument because
    `context.picker_signature` requires it. Returns the number of regions.
    """
    board, evaluation, owner = context.board, context.evaluation, position.owner
    n = owner.shape[0]
    diameter = 0.0
    for r in range(n):
        for q in range(n):
            diameter = max(diameter, np.float64(board.distance[q, r]))
    count = 0
    while True:
        best, best_value = -1, 0.0
        for r in range(n):
            if free[r] == 0:
                continue
            distance, is_picked = np.inf, False
            for i in range(count):
                is_picked |= preferences[i] == r
                distance = min(distance, np.float64(board.distance[preferences[i], r]))
            if is_picked:
                continue
            for q in range(n):
                if owner[q] == player:
                    distance = min(distance, np.float64(board.distance[q, r]))
            value = evaluation.pick_super * evaluation.supers[START, board.super_region[r]]
            if distance < np.inf:
                value += evaluation.pick_distance * min(distance, diameter / 2.0)
            if best < 0 or value > best_value:
                best, best_value = r, value
        if best < 0:
            return count
        preferences[count] = best
        count += 1


def rank_picks(context: Context, offers: Sequence[int], own_regions: Sequence[int]) -> list[int]:
    """Return the offered regions, best first; each region has the highest value, given the regions before it.

    For equal values the region with the lower number comes first.
    """
    n = context.board.n_regions
    position, free = make_position(n), np.zeros(n, dtype=np.int8)
    position.owner[:] = NEUTRAL
    position.owner[list(own_regions)], free[list(offers)] = 0, 1
    preferences = np.zeros(n, dtype=np.int32)
    count = write_best_picks(context, position, free, 0, np.zeros(2, dtype=np.uint64), preferences)
    return [int(region) for region in preferences[:count]]


def best_picks(view: View, weights: Weights = THESIS) -> list[int]:
    """Return all offered regions in order of preference, best first; see `rank_picks`."""
    own_regions = [r for r, holder in enumerate(view.owner.tolist()) if holder == view.player]
    return rank_picks(bare_context(view.board, view.params, view.players, weights), view.offers, own_regions)


@dataclass(frozen=True)
class RegionTerms:
    """The terms of a region's value for a player.

    `value` is the sum of the first four terms, multiplied by `factor`, plus `neighbors`.
    """

    region: int
    super_region: float  #: constant part of the super region's value
    own_regions: float  #: term for the player's regions in the super region
    complete_super_region: float  #: term for a super region that one player owns completely; otherwise 0
    owner_regions: float  #: if an enemy owns the region: term for this enemy's regions in the super region; otherwise 0
    factor: float  #: the weight `not_neutral` if a player owns the region; otherwise 1
    neighbors: float  #: term for the mean value of the adjacent regions
    value: float


def explain(game: Any, player: int, weights: Weights = THESIS) -> list[RegionTerms]:
    """Return the terms of `region_values` for every region of a `Game` or a `View`, from a player's perspective."""
    board, owner = make_board(game.map), np.ascontiguousarray(game.owner)
    evaluation = make_evaluation(board, weights)
    terms = []
    for r in range(board.n_regions):
        s, holder = int(board.super_region[r]), int(owner[r])
        holders = owner[board.members[board.member_start[s] : board.member_start[s + 1]]]
        own_term = evaluation.own_regions * int((holders == player).sum())
        complete_term = float(evaluation.supers[WHOLE, s]) if holders[0] >= 0 and (holders == holders[0]).all() else 0.0
        rival = evaluation.owner_regions * int((holders == holder).sum()) if holder >= 0 and holder != player else 0.0
        factor = evaluation.not_neutral if holder >= 0 else 1.0
        static = float(evaluation.supers[STATIC, s])
        value = (static + own_term + complete_term + rival) * factor
        terms.append(RegionTerms(r, static, own_term, complete_term, rival, factor, 0.0, value))
    if evaluation.neighbor_values == 0.0:
        return terms
    base_values = [term.value for term in terms]
    for r, term in enumerate(terms):
        adjacent = board.edge_target[board.neighbor_start[r] : board.neighbor_start[r + 1]]
        neighbor_term = evaluation.neighbor_values * float(np.mean([base_values[q] for q in adjacent]))
        terms[r] = replace(term, neighbors=neighbor_term, value=term.value + neighbor_term)
    return terms
