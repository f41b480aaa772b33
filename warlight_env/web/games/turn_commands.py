"""The commands of people in a game: submit and take back turns, resign, agree to a draw."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

from warlight_env.engine.orders import Orders, OrdersTypeError
from warlight_env.errors import InputError
from warlight_env.step_results import IllegalOrdersError
from warlight_env.web.errors import RequestError
from warlight_env.web.games.room import Room
from warlight_env.web.games.turn_clock import TIME_UP
from warlight_env.web.storage.game_folder import DiskError
from warlight_env.web.storage.submitted_turns import SubmittedTurn


def submit_picks(room: Room, seat: int, preferences: list[int]) -> None:
    """Submit a person's preferred regions, the best first; see `submit_orders`."""
    _check_picks(room, seat, preferences)
    _commit(room, seat, SubmittedTurn(preferences))


def submit_orders(room: Room, seat: int, number: int, orders: Orders, hint: dict[str, Any] | None = None) -> None:
    """Submit a person's orders for round `number`.

    Raises:
        RequestError: the orders are wrong; the error contains the reasons. DiskError: the orders could not be saved and
            do not count.
    """
    next_round = room.game.round + 1
    if number != next_round:
        text = f"the turn is for round {number}, but the game is in round {next_round}"
        raise RequestError(text, 409, code="other-round", number=number, now=next_round)
    _check_orders(room, seat, orders)
    _commit(room, seat, SubmittedTurn(orders, hint))


def take_back(room: Room, seat: int) -> Any:
    """Withdraw and return a person's turn, before all seats have submitted.

    Raises:
        RequestError: the round has started, or several people play at one screen. DiskError: the change could not be
            saved, so the turn still counts.
    """
    if not room.seats[seat].friend and len(room.humans) - len(room.friends) > 1:
        raise RequestError("in a game of several people you cannot take a turn back", 409, code="final")
    if seat not in room.pending or not room.awaited or room.clock.seconds_left <= 0:
        text = "you cannot take a turn back now: the round has started"
        raise RequestError(text, 409, code="no-turn-back")
    _save_turns(room, without=seat)
    room.log.seat_states[seat].next_insight = None
    turn = room.pending.pop(seat)
    room.wake()
    return turn


def load(room: Room) -> None:
    """Load the submitted turns of people, the spent time of the clock, and the resignations, after a restart."""
    log = room.log
    if not log.complete:
        room.turns.load_resignations(room.resignations.restore)
    room.clock.resume(room.turns.elapsed(log.steps))
    for seat, submitted in room.turns.turns(log.steps).items():
        with contextlib.suppress(InputError, OrdersTypeError):  # a turn of another position: the file is damaged
            if isinstance(submitted.turn, Orders):
                _check_orders(room, seat, submitted.turn)
            else:
                _check_picks(room, seat, submitted.turn)
            log.seat_states[seat].next_insight = submitted.help_used
            room.pending[seat] = submitted.turn


def submit(room: Room, seat: int, turn: Any) -> None:
    """Submit a bot's turn (orders or picks) without saving it.

    After a restart of the server, the bot computes its turn again.
    """
    room.pending[seat] = turn
    room.wake()


def commit_empty(room: Room, seat: int) -> None:
    """Submit an empty turn for a late seat, unless it has submitted or resigned while the disk was full."""
    if seat in room.awaited:
        game = room.game
        turn: Any = list(game.offers(seat)) if game.phase == "pick" else Orders()
        _commit(room, seat, SubmittedTurn(turn, dict(TIME_UP)))


def keep_clock(room: Room) -> None:
    """Save the spent time of the clock before the server ends, if the disk has space."""
    if room.awaited and room.clock.elapsed:
        with contextlib.suppress(DiskError):
            _save_turns(room)


def _check_picks(room: Room, seat: int, preferences: list[int]) -> None:
    _require_phase(room, seat, "pick")
    clone = room.game.clone()
    try:
        other_picks = {p: list(clone.offers(p)) for p in clone.pickers() if p != seat}
        clone.pick({**other_picks, seat: preferences})
    except IllegalOrdersError as error:
        raise RequestError(str(error), details=_reasons(error), code="illegal") from None


def _check_orders(room: Room, seat: int, orders: Orders) -> None:
    _require_phase(room, seat, "play")
    illegal = room.game.check(seat, orders)
    if illegal:
        error = IllegalOrdersError(illegal)
        raise RequestError(str(error), details=_reasons(error), code="illegal")


def _commit(room: Room, seat: int, submitted: SubmittedTurn) -> None:
    """Save and submit a person's turn. The saved turn counts even if the server is killed before the round."""
    _save_turns(room, {seat: submitted})
    if submitted.help_used is not None:
        room.log.seat_states[seat].next_insight = submitted.help_used
    submit(room, seat, submitted.turn)


def _save_turns(room: Room, new_turns: Mapping[int, SubmittedTurn] | None = None, without: int | None = None) -> None:
    """Save people's turns, the spent time and the resignations.

    After a `DiskError`, the previous file is unchanged.
    """
    seat_states = room.log.seat_states
    turns = {s: SubmittedTurn(room.pending[s], seat_states[s].next_insight) for s in room.humans if s in room.pending}
    turns.pop(-1 if without is None else without, None)
    room.turns.save(room.log.steps, {**turns, **(new_turns or {})}, room.resignations.to_dict(), room.clock.elapsed)


def resign(room: Room, seat: int) -> None:
    """Resign for a person. A resignation cannot be undone: the seat makes no more moves from the current round on.

    Raises:
        RequestError: the seat cannot resign now. DiskError: the resignation could not be saved and does not count.
    """
    _require_playing(room, seat)
    game, resignations = room.game, room.resignations
    resignations.resigned[seat] = 0 if game.phase == "pick" else game.round + 1
    try:
        _save_turns(room, without=seat)
    except DiskError:
        del resignations.resigned[seat]
        raise
    room.pending.pop(seat, None)
    room.log.seat_states[seat].next_insight = None
    resignations.agreed.clear()
    room.wake()


def agree(room: Room, seat: int, agrees: bool) -> None:
    """Note whether a person agrees to a draw; once all remaining players agree, the game is over.

    Raises:
        RequestError: a draw is not possible now. DiskError: the draw could not be saved; the game continues.
    """
    _require_playing(room, seat)
    resignations = room.resignations
    active_seats = resignations.active_seats(room.game)
    if any(room.seats[active_seat].spec is not None for active_seat in active_seats):
        raise RequestError("bots do not accept draws", 409, code="bots-draw")
    agreed = resignations.agreed | {seat} if agrees else resignations.agreed - {seat}
    if agreed.issuperset(active_seats):
        resignations.drawn = tuple(active_seats)
        try:
            _save_turns(room)
        except DiskError:
            resignations.drawn = ()
            raise
    resignations.agreed = agreed
    room.wake()


def _require_playing(room: Room, seat: int) -> None:
    if room.over:
        raise RequestError("the game is over", 409, code="game-over")
    if room.log.has_unsaved:
        raise RequestError("the round is in progress: try again in a moment", 409, code="being-played")
    if not room.resignations.is_active(room.game, seat):
        raise RequestError("this seat is no longer in the game", 409, code="not-in-game")


def _require_phase(room: Room, seat: int, phase: str) -> None:
    is_over, current_phase = room.over, room.game.phase
    if is_over or current_phase != phase:
        state = (
            "over: you cannot send a turn"
            if is_over
            else f"in the phase {current_phase!r}: you cannot send this turn now"
        )
        raise RequestError(f"the game is {state}", 409, code="over" if is_over else "other-phase")
    if seat in room.resignations.resigned:
        raise RequestError("this seat has resigned", 409, code="resigned")
    if seat in room.pending:
        raise RequestError("this turn is already committed", 409, code="committed")
    if seat not in room.awaited:
        raise RequestError("it is not the turn of this seat", 409, code="not-to-move")


def _reasons(error: IllegalOrdersError) -> list[dict[str, Any]]:
    return [{"kind": i.kind, "index": i.index, "order": list(i.order), "reason": i.reason} for i in error.illegal]
