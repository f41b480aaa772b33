"""One round of a game: deploys, the order of attacks, battles, eliminations, and the end of the game."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.engine.army_cap import ARMY_CAP
from warlight_env.engine.board import Board
from warlight_env.engine.dice import choose, roll_kills
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Bool, Events, Int, Owners, RandomState, Script
from warlight_env.engine.position import Position, position_at
from warlight_env.engine.rules import RuleParams
from warlight_env.engine.state import NEUTRAL, OVER, State, Workspace

#: Values of `RuleParams.moved_armies`.
MOVE_FREELY: Final = 0
CHALLENGE1: Final = 1
CHALLENGE2: Final = 2

#: The columns of an event are player, source, target, armies sent, attackers lost, defenders lost, captured (0 or 1).
EVENT_COLUMNS: Final = 7


@kernel
def income(board: Board, base_income: Int, owner: Owners, player: Int) -> Int:
    """Return the armies that `player` may deploy: the base income plus the bonuses of super regions that it owns."""
    total = np.int64(base_income)
    for s in range(board.bonus.shape[0]):
        owns_all = True
        for i in range(board.member_start[s], board.member_start[s + 1]):
            if owner[board.members[i]] != player:
                owns_all = False
                break
        if owns_all:
            total += board.bonus[s]
    return total


@inline_kernel
def _battle(
    params: RuleParams,
    position: Position,
    source: Int,
    target: Int,
    player: Int,
    attackers: Int,
    rng: RandomState,
    script: Script,
) -> Any:
    """Attack with `attackers` armies; both sides kill at the same time.

    Return the number of lost attackers, the number of lost defenders, and whether the region was captured.
    """
    owner, army = position.owner, position.army
    defenders = np.int64(army[target])
    killed = min(roll_kills(params.dice, 0, attackers, rng, script), defenders)
    lost = min(roll_kills(params.dice, 1, defenders, rng, script), attackers)
    if killed < defenders:
        army[target] = defenders - killed
        army[source] -= lost
        return lost, killed, False
    army[source] -= attackers
    if lost == attackers:  # no army is left on either side: the defender keeps the region
        army[target] = 1
        return lost, defenders - 1, False
    owner[target] = player
    army[target] = attackers - lost
    return lost, killed, True


@inline_kernel
def _carry_out(
    params: RuleParams,
    position: Position,
    player: Int,
    order: AttackRows,
    movable: Armies,
    rng: RandomState,
    script: Script,
    events: Events,
    n_events: Int,
) -> Bool:
    """Execute one attack or transfer in the current position; return False if it is impossible."""
    owner, army = position.owner, position.army
    source, target = np.int64(order[0]), np.int64(order[1])
    if owner[source] != player:
        return False
    limit = np.int64(army[source]) - 1
    if params.moved_armies != MOVE_FREELY:
        if movable[source] <= 1:
            return False
        if army[source] > movable[source]:
            limit = np.int64(movable[source]) - 1
    armies = min(np.int64(order[2]), limit)
    if armies < 1:
        return False
    if params.moved_armies != MOVE_FREELY:
        movable[source] -= armies
    lost, killed, captured = np.int64(0), np.int64(0), False
    if owner[target] == player:
        army[source] -= armies
        army[target] = min(army[target] + armies, ARMY_CAP)
    else:
        lost, killed, captured = _battle(params, position, source, target, player, armies, rng, script)
        if params.moved_armies == CHALLENGE2:
            movable[target] = 1 if captured else movable[target] - killed
    if events is not None:
        row = events[n_events]
        row[0], row[1], row[2], row[3] = player, source, target, armies
        row[4], row[5], row[6] = lost, killed, 1 if captured else 0
    return True


@inline_kernel
def resolve_orders(
    params: RuleParams, position: Position, orders: Workspace, rng: RandomState, script: Script, events: Events
) -> Int:
    """Execute all deploys, then all attacks; change the position and its round counter.

    The players attack in passes: in a pass each player makes one attack, and the order of the players is random.
    orders: a `Workspace` with the legal orders of all players, as `orders.check_orders` writes them. rng: uint64[2].
    script: None, or decisions for `dice.scripted_below`. events: None, or int32[M, 7] with space for all attacks; see
    EVENT_COLUMNS for the columns. Returns the number of executed attacks.
    """
    owner, army = position.owner, position.army
    deploy, attacks, counts, scratch = orders.deploy, orders.attacks, orders.counts, orders.scratch
    players = counts.shape[0]
    position.round[0] += 1
    for p in range(players):
        for r in range(owner.shape[0]):
            army[r] = min(army[r] + deploy[p, r], ARMY_CAP)
    cursor, order, movable = scratch.cursor, scratch.order, scratch.movable
    if params.moved_armies != MOVE_FREELY:
        for r in range(owner.shape[0]):
            movable[r] = army[r]
    for p in range(players):
        cursor[p] = 0
    done = 0
    while True:
        waiting = 0
        for p in range(players):
            if cursor[p] < counts[p]:
                order[waiting] = p
                waiting += 1
        if waiting == 0:
            return done
        for k in range(waiting - 1, 0, -1):
            j = choose(k + 1, rng, script)
            order[k], order[j] = order[j], order[k]
        for k in range(waiting):
            p = order[k]
            while cursor[p] < counts[p]:
                carried_out = _carry_out(params, position, p, attacks[p, cursor[p]], movable, rng, script, events, done)
                cursor[p] += 1
                if carried_out:
                    done += 1
                if carried_out or params.skipped_keeps_place:
                    break


@kernel
def leader(position: Position, players: Int) -> Int:
    """Return the player with the most regions; if several players have them, the one of these with the most armies.

    Returns NEUTRAL if several players have the most regions and equally many armies.
    """
    best, best_score = NEUTRAL, np.int64(-1)
    for p in range(players):
        score = np.int64(0)
        for r in range(position.owner.shape[0]):
            if position.owner[r] == p:
                score += (np.int64(1) << 40) + position.army[r]
        if score > best_score:
            best, best_score = p, score
        elif score == best_score:
            best = NEUTRAL
    return np.int64(best)


@inline_kernel
def finish_round(params: RuleParams, position: Position, eliminated_at: npt.NDArray[np.int32]) -> Any:
    """Write the round to `eliminated_at` of each player that has lost its last region, and detect the end of the game.

    Rounds count from 1.

    Returns (over, winner); the winner is NEUTRAL if no player has won.
    """
    players, round_number = eliminated_at.shape[0], position.round[0]
    alive, last = 0, np.int64(NEUTRAL)
    for p in range(players):
        owns_region = False
        for r in range(position.owner.shape[0]):
            owns_region |= position.owner[r] == p
        if owns_region:
            alive += 1
            last = np.int64(p)
        elif eliminated_at[p] == 0:
            eliminated_at[p] = round_number
    if alive <= 1:
        return True, last
    if params.round_limit == 0 or round_number < params.round_limit:
        return False, np.int64(NEUTRAL)
    return True, leader(position, players) if params.ties_by_regions else np.int64(NEUTRAL)


@inline_kernel
def play_round(params: RuleParams, state: State, b: Int, orders: Workspace, script: Script, events: Events) -> Int:
    """Play one round of game b of a batch; return the number of executed attacks."""
    position = position_at(state, b)
    executed = resolve_orders(params, position, orders, state.rng[b], script, events)
    is_over, winner = finish_round(params, position, state.eliminated_at[b])
    if is_over:
        state.phase[b] = OVER
        state.winner[b] = winner
    return executed
