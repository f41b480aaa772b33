"""The commands of people in a game: submit and take back turns, resign, agree to a draw."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from warlight_env.engine.compile_progress import CompileState
from warlight_env.engine.orders import Orders, OrdersTypeError
from warlight_env.errors import InputError
from warlight_env.game import Game
from warlight_env.step_results import IllegalOrdersError
from warlight_env.web.errors import RequestError
from warlight_env.web.games.resignation import Resignations
from warlight_env.web.games.turn_clock import TIME_UP, TurnClock
from warlight_env.web.storage.game_folder import DiskError
from warlight_env.web.storage.game_log import GameLogWriter
from warlight_env.web.storage.submitted_turns import SubmittedTurn, SubmittedTurns


class BotFailure(NamedTuple):
    """A turn of a bot that failed: the number of the round (0: the picks), and its time limit if it was late."""

    round: int
    seconds: float | None


@dataclass
class Seat:
    """The player of a seat: a person (spec None) or a bot."""

    name: str
    spec: str | None
    token: str
    total_seconds: float = 0.0  #: total seconds of thinking
    last_seconds: float = 0.0
    busy_since: float | None = None  #: time when it began to think or to prepare
    preparing: CompileState | None = None  #: the state of its process while the process starts or compiles
    failure: BotFailure | None = None  #: why its last turn was empty; None: the bot played its last turn
    friend: bool = False  #: an invited person, at a screen of its own


class CommandRoom(Protocol):
    """The attributes and methods of a room (a running game) that `TurnCommands` uses."""

    seats: list[Seat]
    game: Game
    log: GameLogWriter
    resignations: Resignations
    clock: TurnClock

    @property
    def humans(self) -> list[int]:
        """The seats of people."""
        ...

    @property
    def friends(self) -> list[int]:
        """The seats of invited people, who play at their own screens."""
        ...

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        ...

    @property
    def awaited(self) -> list[int]:
        """The seats that have not submitted their turns."""
        ...

    def wake(self) -> None:
        """Handle a change of the game."""
        ...


class TurnCommands:
    """The turns that are submitted for the next step of the game (picks or a round), and the commands of people.

    The attribute `pending` has the submitted orders or picks of each seat; None for the turn of a bot that failed.

    Args:
        file: stores people's turns until the step is in the log.
    """

    def __init__(self, room: CommandRoom, file: SubmittedTurns) -> None:
        self.pending: dict[int, Any] = {}
        self._room, self._file = room, file

    def submit_picks(self, seat: int, preferences: list[int]) -> None:
        """Submit a person's preferred regions, the best first; see `submit_orders`."""
        self._check_picks(seat, preferences)
        self._commit(seat, SubmittedTurn(preferences))

    def submit_orders(self, seat: int, number: int, orders: Orders, hint: dict[str, Any] | None = None) -> None:
        """Submit a person's orders for round `number`.

        Raises:
            RequestError: the orders are wrong; the error contains the reasons. DiskError: the orders could not be saved
                and do not count.
        """
        next_round = self._room.game.round + 1
        if number != next_round:
            text = f"the turn is for round {number}, but the game is in round {next_round}"
            raise RequestError(text, 409, code="other-round", number=number, now=next_round)
        self._check_orders(seat, orders)
        self._commit(seat, SubmittedTurn(orders, hint))

    def take_back(self, seat: int) -> Any:
        """Withdraw and return a person's turn, before all seats have submitted.

        Raises:
            RequestError: the round has started, or several people play at one screen. DiskError: the change could not
                be saved, so the turn still counts.
        """
        room = self._room
        if not room.seats[seat].friend and len(room.humans) - len(room.friends) > 1:
            raise RequestError("in a game of several people you cannot take a turn back", 409, code="final")
        if seat not in self.pending or not room.awaited or room.clock.seconds_left <= 0:
            text = "you cannot take a turn back now: the round has started"
            raise RequestError(text, 409, code="no-turn-back")
        self._save_turns(without=seat)
        room.log.seat_states[seat].next_insight = None
        turn = self.pending.pop(seat)
        room.wake()
        return turn

    def load(self) -> None:
        """Load the submitted turns of people, the spent time of the clock, and the resignations, after a restart."""
        room, log = self._room, self._room.log
        if not log.complete:
            self._file.load_resignations(room.resignations.restore)
        room.clock.resume(self._file.elapsed(log.steps))
        for seat, submitted in self._file.turns(log.steps).items():
            with contextlib.suppress(InputError, OrdersTypeError):  # a turn of another position: the file is damaged
                if isinstance(submitted.turn, Orders):
                    self._check_orders(seat, submitted.turn)
                else:
                    self._check_picks(seat, submitted.turn)
                log.seat_states[seat].next_insight = submitted.help_used
                self.pending[seat] = submitted.turn

    def submit(self, seat: int, turn: Any) -> None:
        """Submit a bot's turn (orders or picks) without saving it.

        After a restart of the server, the bot computes its turn again.
        """
        self.pending[seat] = turn
        self._room.wake()

    def commit_empty(self, seat: int) -> None:
        """Submit an empty turn for a late seat, unless it has submitted or resigned while the disk was full."""
        if seat in self._room.awaited:
            game = self._room.game
            turn: Any = list(game.offers(seat)) if game.phase == "pick" else Orders()
            self._commit(seat, SubmittedTurn(turn, dict(TIME_UP)))

    def keep_clock(self) -> None:
        """Save the spent time of the clock before the server ends, if the disk has space."""
        if self._room.awaited and self._room.clock.elapsed:
            with contextlib.suppress(DiskError):
                self._save_turns()

    def start_next_step(self) -> None:
        """Prepare the next step of the game: forget the submitted turns, and start the clock again."""
        self.pending, self._room.resignations.agreed = {}, set()
        self._room.clock.begin()

    def _check_picks(self, seat: int, preferences: list[int]) -> None:
        self._require_phase(seat, "pick")
        clone = self._room.game.clone()
        try:
            other_picks = {p: list(clone.offers(p)) for p in clone.pickers() if p != seat}
            clone.pick({**other_picks, seat: preferences})
        except IllegalOrdersError as error:
            raise RequestError(str(error), details=_reasons(error), code="illegal") from None

    def _check_orders(self, seat: int, orders: Orders) -> None:
        self._require_phase(seat, "play")
        illegal = self._room.game.check(seat, orders)
        if illegal:
            error = IllegalOrdersError(illegal)
            raise RequestError(str(error), details=_reasons(error), code="illegal")

    def _commit(self, seat: int, submitted: SubmittedTurn) -> None:
        """Save and submit a person's turn. The saved turn counts even if the server is killed before the round."""
        self._save_turns({seat: submitted})
        if submitted.help_used is not None:
            self._room.log.seat_states[seat].next_insight = submitted.help_used
        self.submit(seat, submitted.turn)

    def _save_turns(self, new_turns: Mapping[int, SubmittedTurn] | None = None, without: int | None = None) -> None:
        """Save people's turns, the spent time and the resignations.

        After a `DiskError`, the previous file is unchanged.
        """
        room, seat_states = self._room, self._room.log.seat_states
        turns = {
            s: SubmittedTurn(self.pending[s], seat_states[s].next_insight) for s in room.humans if s in self.pending
        }
        turns.pop(-1 if without is None else without, None)
        self._file.save(room.log.steps, {**turns, **(new_turns or {})}, room.resignations.to_dict(), room.clock.elapsed)

    def resign(self, seat: int) -> None:
        """Resign for a person. A resignation cannot be undone: the seat makes no more moves from the current round on.

        Raises:
            RequestError: the seat cannot resign now. DiskError: the resignation could not be saved and does not count.
        """
        self._require_playing(seat)
        room, game, resignations = self._room, self._room.game, self._room.resignations
        resignations.resigned[seat] = 0 if game.phase == "pick" else game.round + 1
        try:
            self._save_turns(without=seat)
        except DiskError:
            del resignations.resigned[seat]
            raise
        self.pending.pop(seat, None)
        room.log.seat_states[seat].next_insight = None
        resignations.agreed.clear()
        room.wake()

    def agree(self, seat: int, agrees: bool) -> None:
        """Note whether a person agrees to a draw; once all remaining players agree, the game is over.

        Raises:
            RequestError: a draw is not possible now. DiskError: the draw could not be saved; the game continues.
        """
        self._require_playing(seat)
        room, resignations = self._room, self._room.resignations
        active_seats = resignations.active_seats(room.game)
        if any(room.seats[active_seat].spec is not None for active_seat in active_seats):
            raise RequestError("bots do not accept draws", 409, code="bots-draw")
        agreed = resignations.agreed | {seat} if agrees else resignations.agreed - {seat}
        if agreed.issuperset(active_seats):
            resignations.drawn = tuple(active_seats)
            try:
                self._save_turns()
            except DiskError:
                resignations.drawn = ()
                raise
        resignations.agreed = agreed
        room.wake()

    def _require_playing(self, seat: int) -> None:
        room = self._room
        if room.over:
            raise RequestError("the game is over", 409, code="game-over")
        if room.log.has_unsaved:
            raise RequestError("the round is in progress: try again in a moment", 409, code="being-played")
        if not room.resignations.is_active(room.game, seat):
            raise RequestError("this seat is no longer in the game", 409, code="not-in-game")

    def _require_phase(self, seat: int, phase: str) -> None:
        room = self._room
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
        if seat in self.pending:
            raise RequestError("this turn is already committed", 409, code="committed")
        if seat not in room.awaited:
            raise RequestError("it is not the turn of this seat", 409, code="not-to-move")


def _reasons(error: IllegalOrdersError) -> list[dict[str, Any]]:
    return [{"kind": i.kind, "index": i.index, "order": list(i.order), "reason": i.reason} for i in error.illegal]
