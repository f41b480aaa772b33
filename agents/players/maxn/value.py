"""The value of a battle (Chaloupka, Krůl, Láncoš 2020, for Dice Wars), with additional terms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context, evaluate
from warlight_env.agents.players.maxn.odds import Odds, capture_chance
from warlight_env.engine.board import Board
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Armies, Bool, Int, Marks, Real
from warlight_env.engine.position import Position
from warlight_env.engine.stack import stack_floats


class Terms(NamedTuple):
    """The battle probabilities, and the weights of the additional terms; a weight of 0 turns a term off.

    See `battle_value`.
    """

    odds: Odds
    join: float
    spare: float
    chains: float


class TermInputs(NamedTuple):
    """Properties of a position that the additional terms use."""

    has_several_territories: Bool  #: whether the player has several connected territories
    part: npt.NDArray[np.int32]  #: [N] the player's territories, see `label_components`
    spared: npt.NDArray[np.int8]  #: [P] weak enemies, see `mark_spared`


@kernel
def hold_chance(board: Board, position: Position, odds: Odds, player: Int, region: Int, armies: Int) -> Real:
    """Return the probability that `armies` defend a region against attacks from all adjacent enemy regions.

    Each adjacent enemy region is assumed to attack with all its armies but one.
    """
    owner, army = position.owner, position.army
    chance: Real = 1.0
    for e in range(board.neighbor_start[region], board.neighbor_start[region + 1]):
        q = board.edge_target[e]
        if owner[q] >= 0 and owner[q] != player:
            chance *= 1.0 - capture_chance(odds, np.int64(army[q]) - 1, np.int64(armies))
    return chance


@kernel
def carry_out(odds: Odds, position: Position, player: Int, source: Int, target: Int, attackers: Int, won: Bool) -> None:
    """Apply a battle to a position, with average losses. won: whether the attack succeeds."""
    owner, army = position.owner, position.army
    defenders = np.int64(army[target])
    lost = min(np.int64(np.floor(odds.kill[1] * defenders + 0.5)), np.int64(attackers))
    army[source] -= attackers if won else lost
    if won:
        owner[target] = player
        army[target] = max(np.int64(1), attackers - lost)
    else:
        killed = np.int64(np.floor(odds.kill[0] * attackers + 0.5))
        army[target] = max(np.int64(1), defenders - killed)


@kernel
def simple_value(
    context: Context,
    position: Position,
    odds: Odds,
    player: Int,
    source: Int,
    target: Int,
    attackers: Int,
    threshold: Real,
) -> Real:
    """Return P(success) value(after success) P(hold) - P(fail) value(after failure); a value is the player's share.

    The kernel stops as soon as the result cannot exceed `threshold`. If the exact result is at most `threshold`, the
    kernel may return a number between the exact result and `threshold` instead. The function changes `owner` and
    `army`, and restores them before it returns.
    """
    board, owner, army = context.board, position.owner, position.army
    holder, source_army, defenders, shares = owner[target], army[source], army[target], stack_floats()
    success = capture_chance(odds, np.int64(attackers), np.int64(defenders))
    carry_out(odds, position, player, source, target, attackers, True)
    value = success * hold_chance(board, position, odds, player, target, army[target])
    if value > threshold:
        evaluate(context, position, shares)
        value *= shares[player]
    owner[target], army[source], army[target] = holder, source_army, defenders
    if value > threshold and success < 1.0:
        carry_out(odds, position, player, source, target, attackers, False)
        evaluate(context, position, shares)
        value -= (1.0 - success) * shares[player]
        army[source], army[target] = source_army, defenders
    return value


@kernel
def _best_sequel(
    context: Context, position: Position, odds: Odds, player: Int, source: Int, target: Int, attackers: Int
) -> Real:
    """Return the value of the best battle that can start from `target` after its capture; at least 0."""
    board, owner, army = context.board, position.owner, position.army
    holder, source_army, defenders = owner[target], army[source], army[target]
    carry_out(odds, position, player, source, target, attackers, True)
    best: Real = 0.0
    free = np.int64(army[target]) - 1
    if free > 0:
        for e in range(board.neighbor_start[target], board.neighbor_start[target + 1]):
            q = np.int64(board.edge_target[e])
            if owner[q] != player:
                value = simple_value(context, position, odds, player, target, q, free, best)
                best = max(best, value)
    owner[target], army[source], army[target] = holder, source_army, defenders
    return best


@kernel
def joins(board: Board, part: Armies, source: Int, target: Int) -> Real:
    """Return 1 / d, where d is the distance from the territory of `source` to the player's nearest other territory.

    Return 0 if `target` is not on a shortest path between the two territories of the player.
    """
    gap, after = np.int64(32767), np.int64(32767)
    for b in range(part.shape[0]):
        if part[b] == 0 or part[b] == part[source]:
            continue
        after = min(after, np.int64(board.distance[target, b]))
        for a in range(part.shape[0]):
            if part[a] == part[source]:
                gap = min(gap, np.int64(board.distance[a, b]))
    return 1.0 / gap if after < gap else 0.0


@kernel
def mark_spared(context: Context, position: Position, player: Int, spared: Marks) -> None:
    """Write 1 to spared int8[P] for each weak enemy that is adjacent to a strong enemy, and 0 for all other players.

    A weak enemy has less than half the player's share. A strong enemy has a larger share than the player.
    """
    board, players, owner, shares = context.board, context.players, position.owner, stack_floats()
    evaluate(context, position, shares)
    for p in range(players):
        spared[p] = 0
        if p == player or 2.0 * shares[p] >= shares[player]:
            continue
        for e in range(board.edge_source.shape[0]):
            q = np.int64(owner[board.edge_target[e]])
            beside = owner[board.edge_source[e]] == p and q >= 0 and q not in (p, player)
            if beside and shares[q] > shares[player]:
                spared[p] = 1
                break


@kernel
def battle_value(
    context: Context,
    position: Position,
    terms: Terms,
    player: Int,
    source: Int,
    target: Int,
    attackers: Int,
    inputs: TermInputs,
    threshold: Real,
) -> Real:
    """Return `simple_value` plus the active terms, in units of the player's share.

    join: adds P(success) / steps for a target on a shortest path between two own territories. spare: subtracts
    P(success) for attacks on enemies that `mark_spared` marks. chains: adds P(success) times the value of the best
    battle that can start from the captured region. threshold: a result of at most `threshold` need not be exact, see
    `simple_value`.
    """
    board, odds, owner, army = context.board, terms.odds, position.owner, position.army
    is_simple = terms.join == 0.0 and terms.spare == 0.0 and terms.chains == 0.0
    value = simple_value(
        context, position, odds, player, source, target, attackers, threshold if is_simple else -np.inf
    )
    if is_simple:
        return value
    success = capture_chance(odds, np.int64(attackers), np.int64(army[target]))
    shares = stack_floats()
    evaluate(context, position, shares)
    share = shares[player]
    if terms.join != 0.0 and inputs.has_several_territories:
        value += terms.join * share * success * joins(board, inputs.part, source, target)
    if terms.spare != 0.0 and owner[target] >= 0 and inputs.spared[owner[target]] != 0:
        value -= terms.spare * share * success
    if terms.chains != 0.0:
        value += terms.chains * success * _best_sequel(context, position, odds, player, source, target, attackers)
    return value
