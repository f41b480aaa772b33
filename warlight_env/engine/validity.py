"""Check whether the arrays of a state contain possible games: the numbers are in their ranges and consistent."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.engine.army_cap import ARMY_CAP
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Bool, Int, Owners
from warlight_env.engine.position import position_at
from warlight_env.engine.round import finish_round
from warlight_env.engine.rules import RuleParams
from warlight_env.engine.setup import (
    ALTERNATING,
    DEALT,
    OWN_OFFER,
    RANKED,
    SURE_PICKS,
    most_picks,
    offered_at_start,
    picker,
    picks_lost,
    picks_made,
)
from warlight_env.engine.state import NEUTRAL, OVER, PICK, State
from warlight_env.errors import InputError

#: The maximum of `State.round` in a valid state, which is far below the overflow of the counter.
MAX_ROUND: Final = 10**9

#: Messages for invalid states; the code of a message is its index. {at}: a region, player or number; {value}: the
#: invalid value; {most}: its maximum.
REASONS: Final = (
    "",
    "phase is {value}: must be 0 (pick), 1 (play) or 2 (over)",
    "winner is {value}: must lie in -1 .. {most}",
    "round is {value}: must lie in 0 .. {most}",
    "rng must not be all 0",
    "owner of region {at} is {value}: must lie in -1 .. {most}",
    "army of region {at} is {value}: must lie in 1 .. {most}",
    "offers of region {at} are {value}: must lie in 0 .. {most}",
    "eliminated_at of player {at} is {value}: must lie in 0 .. round, {most}",
    "player {at} is not eliminated, but owns no region",
    "player {at} is eliminated, but owns regions",
    "turn is {value}: must lie in 0 .. {most}",
    "offers of region {at} are {value}: must be 0 or {most} under these rules",
    "offers of region {at} are {value}: must be to only one player under these rules",
    "offers of region {at} are {value}: must be 0, because the region has an owner or the picks are over",
    "offers leave player {at} too few regions to pick: {value} of {most}",
    "offers leave too few regions to pick: {value} of {most}",
    "player {at} owns {value} regions, but has picked {most}",
    "phase is 'pick', but these rules assign the regions at random",
    "winner is {value}, but no player has won yet",
    "phase is 'play', but the game is over",
    "phase is 'over', but the game has not ended",
    "winner is {value}: must be {most}",
    "turn says that each player has lost {value} picks: must lie in 0 .. {most}",
)  # fmt: skip
_PHASE, _WINNER, _ROUND, _RNG, _OWNER, _ARMY, _OFFERS, _OUT_AT, _IN, _OUT, _TURN = range(1, 12)
_SHARED, _SINGLE, _CLOSED, _FEW_OWN, _FEW, _PICKED, _DEALT, _NOBODY, _ENDED, _GOES_ON, _WINS, _LOST = range(12, 24)


class StateError(InputError):
    """An error for an impossible position that was loaded or passed as an argument.

    The message names the game, field and reason.
    """


@kernel
def note(fault: Any, at: Int, value: Any, most: Int) -> None:
    """Write the values for {at}, {value} and {most}, the placeholders in a message of REASONS, to fault int64[3]."""
    fault[0], fault[1], fault[2] = at, value, most


@kernel
def _fault_of_numbers(state: State, b: Int, fault: Any) -> Int:
    """Find the first number of game b that is out of range; return its code in REASONS, or 0 if there is none."""
    players = state.eliminated_at.shape[1]
    phase, winner, rounds = np.int64(state.phase[b]), np.int64(state.winner[b]), np.int64(state.round[b])
    if phase < PICK or phase > OVER:
        note(fault, 0, phase, OVER)
        return _PHASE
    if winner < NEUTRAL or winner >= players:
        note(fault, 0, winner, players - 1)
        return _WINNER
    if rounds < 0 or rounds > MAX_ROUND:
        note(fault, 0, rounds, MAX_ROUND)
        return _ROUND
    if state.rng[b, 0] == 0 and state.rng[b, 1] == 0:
        return _RNG
    for r in range(state.owner.shape[1]):
        owner, army, offers = np.int64(state.owner[b, r]), np.int64(state.army[b, r]), np.int64(state.offers[b, r])
        if owner < NEUTRAL or owner >= players:
            note(fault, r, owner, players - 1)
            return _OWNER
        if army < 1 or army > ARMY_CAP:
            note(fault, r, army, ARMY_CAP)
            return _ARMY
        if offers >= 1 << players:
            note(fault, r, offers, (1 << players) - 1)
            return _OFFERS
        if offers != 0 and (phase != PICK or owner != NEUTRAL):
            note(fault, r, offers, 0)
            return _CLOSED
    for p in range(players):
        if state.eliminated_at[b, p] < 0 or state.eliminated_at[b, p] > rounds:
            note(fault, p, state.eliminated_at[b, p], rounds)
            return _OUT_AT
    return 0


@kernel
def _owned(owner: Owners, player: Int) -> Int:
    count = np.int64(0)
    for r in range(owner.shape[0]):
        count += owner[r] == player
    return count


@kernel
def _fault_of_offers(params: RuleParams, players: Int, offers: npt.NDArray[np.uint8], fault: Any) -> Int:
    """Check the offers uint8[N] under rules in which all players pick at once; return 0 or a code in REASONS."""
    everyone, total = (1 << players) - 1, np.int64(0)
    for r in range(offers.shape[0]):
        offer = np.int64(offers[r])
        total += offer != 0
        if params.picking == OWN_OFFER and offer & (offer - 1) != 0:
            note(fault, r, offer, 0)
            return _SINGLE
        if params.picking == RANKED and offer != 0 and offer != everyone:
            note(fault, r, offer, everyone)
            return _SHARED
    if params.picking == RANKED and total < params.picks * players:
        note(fault, 0, total, params.picks * players)
        return _FEW
    for p in range(players):
        offered = np.int64(0)
        for r in range(offers.shape[0]):
            offered += (offers[r] >> p) & 1
        if offered < params.picks:
            note(fault, p, offered, params.picks)
            return _FEW_OWN
    return 0


@kernel
def _fault_of_turn(params: RuleParams, turn: Int, max_picks: Int, players: Int, fault: Any) -> Int:
    """Check the number in `State.turn`; return 0 or a code in REASONS. max_picks: the maximum number of picks."""
    never_lost = max_picks if params.picks != 0 else min(max_picks, np.int64(SURE_PICKS))
    if turn < 0 or picks_lost(turn) > max_picks - never_lost:
        note(fault, 0, picks_lost(turn), max_picks - never_lost)
        return _LOST
    if picks_made(turn) > (max_picks - picks_lost(turn)) * players:
        note(fault, 0, picks_made(turn), (max_picks - picks_lost(turn)) * players)
        return _TURN
    return 0


@kernel
def _fault_of_picking(params: RuleParams, state: State, b: Int, fault: Any) -> Int:
    """Check game b in the phase "pick"; return 0 or a code in REASONS.

    The caller must first check the numbers with `_fault_of_numbers`.
    """
    owner, offers, players = state.owner[b], state.offers[b], state.eliminated_at.shape[1]
    if params.picking == DEALT:
        return _DEALT
    if state.winner[b] != NEUTRAL:
        note(fault, 0, state.winner[b], NEUTRAL)
        return _NOBODY
    if state.round[b] != 0:
        note(fault, 0, state.round[b], 0)
        return _ROUND
    turn: Int = np.int64(state.turn[b])
    expected = np.int64(0)
    if params.picking == ALTERNATING:
        everyone = (1 << players) - 1
        for r in range(offers.shape[0]):
            if offers[r] != 0 and offers[r] != everyone:
                note(fault, r, offers[r], everyone)
                return _SHARED
        max_picks = most_picks(params, offered_at_start(offers, owner), players)
        if max_picks < 1:
            note(fault, 0, max_picks * players, players)
            return _FEW
        code = _fault_of_turn(params, turn, max_picks, players, fault)
        if code != 0:
            return code
        expected = (max_picks - picks_lost(turn)) * players - 1
        turn = picks_made(turn)
    if turn < 0 or turn > expected:
        note(fault, 0, turn, expected)
        return _TURN
    for p in range(players):
        expected = np.int64(0)
        for i in range(turn):
            expected += picker(i, players) == p
        owned = _owned(owner, p)
        if owned != expected:
            note(fault, p, owned, expected)
            return _PICKED
    return 0 if params.picking == ALTERNATING else _fault_of_offers(params, players, offers, fault)


@kernel
def fault_of_state(params: RuleParams, state: State, b: Int, check_all: Bool, fault: Any) -> Int:
    """Check game b of a `State`. Return 0 (valid) or a code in REASONS, with the message's values in fault int64[3].

    check_all: True: check all values. False: check only the values that kernels rely on, so that a custom position may,
    for example, have only one owner.
    """
    code = _fault_of_numbers(state, b, fault)
    if code != 0 or (not check_all and state.phase[b] != PICK):
        return code
    if state.phase[b] == PICK:
        return _fault_of_picking(params, state, b, fault)
    owner, turn = state.owner[b], np.int64(state.turn[b])
    if params.picking == ALTERNATING:
        players = state.eliminated_at.shape[1]
        code = _fault_of_turn(params, turn, most_picks(params, owner.shape[0], players), players, fault)
        if code != 0:
            return code
    elif turn != 0:
        note(fault, 0, turn, 0)
        return _TURN
    for p in range(state.eliminated_at.shape[1]):
        owned = _owned(owner, p)
        note(fault, p, owned, 0)
        if owned == 0 and state.eliminated_at[b, p] == 0:
            return _IN
        if owned != 0 and state.eliminated_at[b, p] != 0:
            return _OUT
    is_over, winner = finish_round(params, position_at(state, b), state.eliminated_at[b])
    if is_over != (state.phase[b] == OVER):
        return _ENDED if is_over else _GOES_ON
    if state.winner[b] != winner:
        note(fault, 0, state.winner[b], winner)
        return _WINS
    return 0


def new_fault() -> npt.NDArray[np.int64]:
    """Return an array int64[3], to which a kernel writes the values of a message in REASONS."""
    return np.zeros(3, dtype=np.int64)


def fault_message(reasons: tuple[str, ...], code: int, fault: npt.NDArray[np.int64]) -> str:
    """Return the message with this code in `reasons`, with the values in fault int64[3]."""
    at, value, most = fault.tolist()
    return reasons[code].format(at=at, value=value, most=most)


def check_state(params: RuleParams, state: State) -> None:
    """Raise `StateError` if the game of a state, a batch of one game, is impossible under the rules `params`.

    The caller ensures that the arrays have the shapes and dtypes of `make_state`.
    """
    fault = new_fault()
    code = fault_of_state(params, state, 0, True, fault)
    if code:
        raise StateError(fault_message(REASONS, int(code), fault))


def exact_copy(value: Any, like: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    """Return a copy of an array.

    Raise `StateError` if the array's shape, dtype or byte order differs from that of `like`.

    The result is a copy, so that the caller cannot change it after the check.
    """
    if type(value) not in (np.ndarray, np.memmap):
        raise StateError(f"{name} must be an array, not {type(value).__name__}")
    if value.dtype != like.dtype or value.shape != like.shape:
        raise StateError(
            f"{name} must be an array of {like.dtype} with shape {like.shape}, "
            f"not of {value.dtype.str} with shape {value.shape}"
        )
    return np.array(value, order="C")
