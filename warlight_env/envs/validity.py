"""Check whether games and submitted turns are possible under the rules, for example in a snapshot from a caller."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.engine import validity
from warlight_env.engine.board import Board
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Bool, Int
from warlight_env.engine.round import income
from warlight_env.engine.rules import MAX_ARMIES, RuleParams
from warlight_env.engine.setup import ALTERNATING, picker
from warlight_env.engine.state import NEUTRAL, OVER, PICK, State
from warlight_env.engine.validity import StateError, fault_message, fault_of_state, new_fault, note
from warlight_env.envs.actions.kernels import COUNT, NAMED, READY
from warlight_env.envs.step import Turns, Work

#: The maximum of `Buffers.cycles` of a game that is not over. The last step of the game may increase it by one.
MAX_CYCLES: Final = 2**31 - 2

#: The texts of all errors: first those of `engine.validity`, then those of this module. Kernels return an index of this
#: tuple.
REASONS: Final = (
    *validity.REASONS,
    "cycles is {value}: must lie in 0 .. {most}",
    "live, terminated and truncated of player {at} must be true or false",
    "potential of player {at} must lie in 0 .. 1",
    "reward of player {at} must be a finite number",
    "illegal of player {at} is {value}: must be at least 0",
    "the game has not begun, so phase, owners, offers, round, turn, winner and eliminated_at must have initial values",
    "player {at} must be exactly one of live, terminated and truncated",
    "terminated of player {at} is {value}: must be {most}, because of the phase and eliminated_at",
    "player {at} is live in a game that was truncated",
    "turns: status of player {at} contains {value}: its entries must be in 0 .. {most}, at least 0, and 0 or 1",
    "turns: player {at} deploys {value} armies: must be 0 or more, and 0 on a region of another owner",
    "turns: player {at} deploys {value} armies, but its income is {most}",
    "turns: player {at} has {value} deploys, or {value} attacks, but the rules allow {most}",
    "turns: player {at} prefers region {value}: it is not offered, or in the list twice",
    "turns: attack {value} of player {at}: must be from a region of the player to a neighbour, once for each pair",
    "turns: player {at} attacks with {value} armies: must lie in 1 .. {most}",
)  # fmt: skip
(
    _CYCLES, _FLAG, _POTENTIAL, _REWARD, _ILLEGAL, _UNBEGUN, _ONE_OF, _TERMINATED, _TRUNCATED, _STATUS, _DEPLOY,
    _INCOME, _ORDERS, _WISH, _ATTACK, _ARMIES,
) = range(len(validity.REASONS), len(REASONS))  # fmt: skip


class Bookkeeping(NamedTuple):
    """The arrays of `Buffers` that a snapshot contains. Booleans are uint8, so that invalid bytes can be detected."""

    cycles: npt.NDArray[np.int32]  #: [B]
    potential: npt.NDArray[np.float64]  #: [B, P]
    reward: npt.NDArray[np.float64]  #: [B, P]
    illegal: npt.NDArray[np.int32]  #: [B, P]
    live: npt.NDArray[np.uint8]  #: [B, P]
    terminated: npt.NDArray[np.uint8]  #: [B, P]
    truncated: npt.NDArray[np.uint8]  #: [B, P]


class CheckedGames(NamedTuple):
    """All data of the games of an `EnvCore`."""

    state: State
    bookkeeping: Bookkeeping
    turns: Turns  #: arrays for 0 games if no turns are submitted


@kernel
def _fault_of_numbers(bookkeeping: Any, b: Int, fault: Any) -> Int:
    max_cycles = MAX_CYCLES + 1
    for p in range(bookkeeping.live.shape[1]):
        if bookkeeping.live[b, p] != 0:
            max_cycles = MAX_CYCLES
    if bookkeeping.cycles[b] < 0 or bookkeeping.cycles[b] > max_cycles:
        note(fault, 0, bookkeeping.cycles[b], max_cycles)
        return _CYCLES
    for p in range(bookkeeping.live.shape[1]):
        note(fault, p, bookkeeping.illegal[b, p], 0)
        if max(bookkeeping.live[b, p], bookkeeping.terminated[b, p], bookkeeping.truncated[b, p]) > 1:
            return _FLAG
        if not 0.0 <= bookkeeping.potential[b, p] <= 1.0:  # this condition is also true for NaN
            return _POTENTIAL
        if not abs(bookkeeping.reward[b, p]) < np.inf:
            return _REWARD
        if bookkeeping.illegal[b, p] < 0:
            return _ILLEGAL
    return 0


@kernel
def _is_empty(state: State, b: Int) -> Bool:
    """Whether game b has not begun: its arrays have the values that `make_state` sets, except for the generator."""
    empty = state.phase[b] == PICK and state.round[b] == 0 and state.turn[b] == 0 and state.winner[b] == NEUTRAL
    for r in range(state.owner.shape[1]):
        empty = empty and state.owner[b, r] == NEUTRAL and state.offers[b, r] == 0 and state.army[b, r] == 1
    for p in range(state.eliminated_at.shape[1]):
        empty = empty and state.eliminated_at[b, p] == 0
    return empty and (state.rng[b, 0] != 0 or state.rng[b, 1] != 0)


@kernel
def _fault_of_flags(state: State, bookkeeping: Any, b: Int, fault: Any) -> Int:
    players = bookkeeping.live.shape[1]
    late = False
    for p in range(players):
        late = late or bookkeeping.truncated[b, p] != 0
    for p in range(players):
        flags = np.int64(bookkeeping.live[b, p]) + bookkeeping.terminated[b, p] + bookkeeping.truncated[b, p]
        ended = np.int64(state.phase[b] == OVER or state.eliminated_at[b, p] != 0)
        note(fault, p, bookkeeping.terminated[b, p], ended)
        if flags != 1:
            return _ONE_OF
        if bookkeeping.terminated[b, p] != ended:
            return _TERMINATED
        if late and bookkeeping.live[b, p] != 0:
            return _TRUNCATED
    return 0


@kernel
def _fault_of_preferences(
    params: RuleParams, state: State, turns: Turns, b: Int, p: Int, count: Int, fault: Any
) -> Int:
    offers, preferences = state.offers[b], turns.preferences[b, p]
    my_pick = params.picking != ALTERNATING or picker(state.turn[b], state.eliminated_at.shape[1]) == p
    for i in range(count):
        region = np.int64(preferences[i])
        note(fault, p, region, 0)
        if region < 0 or region >= offers.shape[0] or not my_pick or (offers[region] >> p) & 1 == 0:
            return _WISH
        for k in range(i):
            if preferences[k] == region:
                return _WISH
    return 0


@kernel
def _fault_of_deploys(board: Board, params: RuleParams, state: State, turns: Turns, b: Int, p: Int, fault: Any) -> Int:
    owner, deploy, picking = state.owner[b], turns.deploy[b, p], state.phase[b] == PICK
    total, named = np.int64(0), np.int64(0)
    for r in range(owner.shape[0]):
        armies = np.int64(deploy[r])
        if armies < 0 or (armies > 0 and (owner[r] != p or picking)):
            note(fault, p, armies, 0)
            return _DEPLOY
        total += armies
        named += armies > 0
    earned = np.int64(income(board, params.base_income, owner, p))
    if total > earned:
        note(fault, p, total, earned)
        return _INCOME
    if params.max_orders > 0 and named > params.max_orders:
        note(fault, p, named, params.max_orders)
        return _ORDERS
    return 0


@kernel
def _fault_of_attacks(
    board: Board,
    params: RuleParams,
    state: State,
    turns: Turns,
    b: Int,
    p: Int,
    count: Int,
    edge_used: npt.NDArray[np.int32],
    fault: Any,
) -> Int:
    """Check a player's attacks; return 0 or the index of an error text in `REASONS`.

    Args:
        edge_used: int32[E + 1], working memory.
        fault: the array to which the kernel writes the place and the values of the error.
    """
    owner, attacks, n = state.owner[b], turns.attacks[b, p], state.owner.shape[1]
    if params.max_orders > 0 and count > params.max_orders:
        note(fault, p, count, params.max_orders)
        return _ORDERS
    for e in range(board.edge_target.shape[0]):
        edge_used[e] = 0
    for i in range(count):
        source, target, armies = np.int64(attacks[i, 0]), np.int64(attacks[i, 1]), np.int64(attacks[i, 2])
        note(fault, p, i, 0)
        if source < 0 or source >= n or target < 0 or target >= n or owner[source] != p:
            return _ATTACK
        edge = np.int64(board.edge_index[source, target])
        if edge < 0 or edge_used[edge] != 0:
            return _ATTACK
        edge_used[edge] = 1
        if armies < 1 or armies > MAX_ARMIES:
            note(fault, p, armies, MAX_ARMIES)
            return _ARMIES
    return 0


@kernel
def _fault_of_turn(
    board: Board, params: RuleParams, stepwise: Bool, state: State, turns: Turns, b: Int, p: Int, work: Work, fault: Any
) -> Int:
    """Check the submitted turn of player p in game b; return 0 or the index of an error text in `REASONS`.

    The state of the game must already be checked.
    """
    status, picking = turns.status[b, p], state.phase[b] == PICK
    count, n_edges = np.int64(status[COUNT]), np.int64(board.edge_target.shape[0])
    max_count = np.int64(state.owner.shape[1]) if picking else n_edges
    for i in range(3):
        is_invalid = status[i] < 0 or (i == COUNT and count > max_count) or (i == READY and status[i] > 1)
        if is_invalid or (i == NAMED and status[i] > MAX_ARMIES):
            note(fault, p, status[i], max_count)
            return _STATUS
    if not stepwise and status[READY] == 0:
        return 0  # no turn is submitted; the old entries of the arrays are overwritten before their next use
    code: Int = 0
    if stepwise or not picking:
        code = _fault_of_deploys(board, params, state, turns, b, p, fault)
    if code == 0 and picking:
        code = _fault_of_preferences(params, state, turns, b, p, count, fault)
    elif code == 0:
        code = _fault_of_attacks(board, params, state, turns, b, p, count, work.action.places, fault)
    return code


@kernel
def _fault_of_game(
    board: Board, params: RuleParams, stepwise: Bool, check_all: Bool, games: CheckedGames, b: Int,
    work: Work, fault: Any,
) -> Int:  # fmt: skip
    state, bookkeeping, turns = games.state, games.bookkeeping, games.turns
    players = bookkeeping.live.shape[1]
    code = _fault_of_numbers(bookkeeping, b, fault)
    if code != 0:
        return code
    has_begun = False
    for p in range(players):
        has_begun = has_begun or bookkeeping.live[b, p] + bookkeeping.terminated[b, p] + bookkeeping.truncated[b, p] > 0
    if has_begun or not _is_empty(state, b):
        if not has_begun and check_all:
            return _UNBEGUN
        code = fault_of_state(params, state, b, check_all, fault)
        if code == 0 and check_all:
            code = _fault_of_flags(state, bookkeeping, b, fault)
    if turns.status.shape[0] == 0:
        return code
    for p in range(players):
        if code == 0:
            code = _fault_of_turn(board, params, stepwise, state, turns, b, p, work, fault)
    return code


@kernel
def _first_fault(
    board: Board, params: RuleParams, stepwise: Bool, check_all: Bool, games: CheckedGames, work: Work, fault: Any
) -> Any:
    for b in range(games.state.phase.shape[0]):
        code = _fault_of_game(board, params, stepwise, check_all, games, b, work, fault)
        if code != 0:
            return b, code
    return 0, 0


def check_games(
    board: Board, params: RuleParams, stepwise: bool, check_all: bool, state: State, bookkeeping: Any, turns: Turns,
    work: Work,
) -> None:  # fmt: skip
    """Raise `StateError` unless all games are possible under the rules.

    All arrays must already have the shapes and dtypes of the arrays of an `EnvCore`; this function does not check them.

    Args:
        board, params: the map and the rules.
        stepwise: whether a turn consists of several actions.
        check_all: whether to check all values. If it is False, check only the values on which kernels rely.
        state: the positions.
        bookkeeping: the arrays cycles, potential, reward, illegal, live, terminated and truncated of `Buffers`.
        turns: the submitted turns, or `Turns` of 0 games if no turns are submitted.
        work: working memory.
    """
    *numbers, live, terminated, truncated = bookkeeping
    flags = (array.view(np.uint8) for array in (live, terminated, truncated))
    games, fault = CheckedGames(state, Bookkeeping(*numbers, *flags), turns), new_fault()
    b, code = _first_fault(board, params, stepwise, check_all, games, work, fault)
    if code:
        raise StateError(f"game {b}: {fault_message(REASONS, int(code), fault)}")
