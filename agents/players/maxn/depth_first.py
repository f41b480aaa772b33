"""Max^N search with a depth limit: each player chooses the turn that maximises its own share of a position's value.

The algorithm is from Luckhardt and Irani (1986).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context, evaluate
from warlight_env.agents.evaluation.game_outcome import holds_regions
from warlight_env.agents.players.maxn.battle_turns import (
    MAX_BREADTH,
    BattleWork,
    list_first_battles,
    make_battle_work,
    make_turn,
)
from warlight_env.agents.players.maxn.value import Terms
from warlight_env.agents.records.generator_work import TurnSet, make_turn_set
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Bool, Int, Owners, Shares
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.position import Position, Positions, copy_position, make_positions, position_at
from warlight_env.engine.reference import reference

#: Largest search depth, in players' moves.
MAX_DEPTH: Final = 24

#: Indices into `MaxnWork.counters`. PLY: the current ply, -1 after the search. LEAVES: number of evaluated positions.
#: CUTS: number of cut-offs. NODES: number of positions in the tree, including the root. SHALLOWEST, DEEPEST: the
#: smallest and the largest number of turns from the root to a leaf.
PLY: Final = 0
LEAVES: Final = 1
CUTS: Final = 2
NODES: Final = 3
SHALLOWEST: Final = 4
DEEPEST: Final = 5


class MaxnWork(NamedTuple):
    """The arrays of a search that can be paused: for each ply, the mover's turns and the positions after the turns."""

    battles: BattleWork
    first: npt.NDArray[np.int32]  #: [B, 2] (from, to), the first battle of each turn
    turns: TurnSet  #: [MAX_BREADTH, ...] turns of the root
    positions: Positions  #: [D * MAX_BREADTH, ...] the positions after the turns of each ply, ply after ply
    mover: npt.NDArray[np.int64]  #: [D] the player to move
    turn_counts: npt.NDArray[np.int64]  #: [D] number of the mover's turns
    cursor: npt.NDArray[np.int64]  #: [D] index of the turn that the search is at
    best: npt.NDArray[np.float64]  #: [D, P] each player's share after the mover's best turn so far
    value: npt.NDArray[np.float64]  #: [B] the searching player's share after each turn of the root; -1: not searched
    counters: npt.NDArray[np.int64]  #: [6] PLY, LEAVES, CUTS, NODES, SHALLOWEST, DEEPEST
    shares: npt.NDArray[np.float64]  #: [P]


def make_maxn_work(n_regions: int, n_edges: int, players: int) -> MaxnWork:
    """Allocate the arrays of one Max^N search."""
    return reference(
        MaxnWork(
            battles=make_battle_work(n_regions, n_edges, players),
            first=private_zeros((MAX_BREADTH, 2), np.int32),
            turns=make_turn_set(n_regions, n_edges, MAX_BREADTH),
            positions=make_positions(MAX_DEPTH * MAX_BREADTH, n_regions),
            mover=private_zeros(MAX_DEPTH, np.int64),
            turn_counts=private_zeros(MAX_DEPTH, np.int64),
            cursor=private_zeros(MAX_DEPTH, np.int64),
            best=private_zeros((MAX_DEPTH, players), np.float64),
            value=private_zeros(MAX_BREADTH, np.float64),
            counters=private_zeros(6, np.int64),
            shares=private_zeros(players, np.float64),
        )
    )


@kernel
def _open(
    context: Context, position: Position, terms: Terms, ply: Int, mover: Int, breadth: Int, work: MaxnWork
) -> None:
    """List the turns of the player `mover` in a position, and the positions after these turns."""
    players, battles, n = context.players, work.battles, position.owner.shape[0]
    copy_position(position, battles.position)
    n_turns = list_first_battles(context, terms, mover, breadth, battles)
    for i in range(n_turns):  # `make_turn` overwrites `battles.rows`
        work.first[i, 0], work.first[i, 1] = battles.rows[i, 0], battles.rows[i, 1]
    if n_turns < breadth:  # a turn without battles is added if there is room
        work.first[n_turns, 0], work.first[n_turns, 1] = -1, -1
        n_turns += 1
    for i in range(n_turns):
        copy_position(position, battles.position)
        count = make_turn(context, terms, mover, np.int64(work.first[i, 0]), np.int64(work.first[i, 1]), battles)
        copy_position(battles.position, position_at(work.positions, ply * MAX_BREADTH + i))
        if ply == 0:
            for r in range(n):
                work.turns.deploy[i, r] = battles.deploy[r]
            for k in range(count):
                for c in range(3):
                    work.turns.attacks[i, k, c] = battles.attacks[k, c]
            work.turns.counts[i] = count
    work.mover[ply], work.turn_counts[ply], work.cursor[ply] = mover, n_turns, 0
    for p in range(players):
        work.best[ply, p] = -1.0
    work.counters[PLY] = ply
    work.counters[NODES] += n_turns


@kernel
def begin(context: Context, position: Position, terms: Terms, player: Int, breadth: Int, work: MaxnWork) -> Int:
    """Start a search from a position, and return the number of the player's turns."""
    work.counters[LEAVES], work.counters[CUTS], work.counters[NODES] = 0, 0, 1
    work.counters[SHALLOWEST], work.counters[DEEPEST] = MAX_DEPTH, 0
    _open(context, position, terms, 0, player, breadth, work)
    for i in range(work.value.shape[0]):
        work.value[i] = -1.0
    return work.turn_counts[0]


@inline_kernel
def _next_mover(owner: Owners, mover: Int, players: Int) -> Int:
    """Return the next player in seat order who is still in the game; `mover` if all other players are eliminated."""
    for k in range(1, players):
        p = (mover + k) % players
        if holds_regions(owner, p):
            return np.int64(p)
    return np.int64(mover)


@inline_kernel
def _store_result(work: MaxnWork, ply: Int, players: Int, shares: Shares) -> None:
    """Store the result of the current turn at a ply, update the mover's best result, and go to the next turn.

    If the mover's best share is s, the previous player's share is at most 1 - s, because the shares add up to 1. The
    mover's remaining turns are skipped if 1 minus the mover's best share is not above the previous player's best share
    so far (shallow pruning, Korf 1991).
    """
    mover = work.mover[ply]
    if ply == 0:
        work.value[work.cursor[0]] = shares[mover]
    if shares[mover] > work.best[ply, mover]:
        for p in range(players):
            work.best[ply, p] = shares[p]
    work.cursor[ply] += 1
    if ply > 0 and work.cursor[ply] < work.turn_counts[ply]:
        previous = work.mover[ply - 1]
        if previous != mover and 1.0 - work.best[ply, mover] <= work.best[ply - 1, previous]:
            work.cursor[ply] = work.turn_counts[ply]
            work.counters[CUTS] += 1


@kernel
def advance(context: Context, terms: Terms, breadth: Int, depth: Int, leaves: Int, work: MaxnWork) -> Bool:
    """Continue a search of depth `depth` until it is complete, or until `leaves` more positions are evaluated.

    Returns True if the search is complete.
    """
    players = context.players
    leaf_limit = work.counters[LEAVES] + leaves
    while work.counters[PLY] >= 0:
        ply = work.counters[PLY]
        if work.cursor[ply] >= work.turn_counts[ply]:
            work.counters[PLY] = ply - 1
            if ply > 0:
                _store_result(work, ply - 1, players, work.best[ply])
            continue
        if work.counters[LEAVES] >= leaf_limit:
            return False
        turn = work.cursor[ply]
        position = position_at(work.positions, ply * MAX_BREADTH + turn)
        mover = _next_mover(position.owner, work.mover[ply], players)
        if ply + 1 < depth and mover != work.mover[ply]:
            _open(context, position, terms, ply + 1, mover, breadth, work)
            continue
        evaluate(context, position, work.shares)
        work.counters[LEAVES] += 1
        work.counters[SHALLOWEST] = min(work.counters[SHALLOWEST], ply + 1)
        work.counters[DEEPEST] = max(work.counters[DEEPEST], ply + 1)
        _store_result(work, ply, players, work.shares)
    return True
