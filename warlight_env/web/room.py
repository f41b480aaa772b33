"""One game on the server: seats, turns as they come in, bots that are asked, and what viewers are told."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from warlight_env.arena.playing.play import round_limit
from warlight_env.engine.orders import Orders, OrdersTypeError
from warlight_env.engine.rng import derive_seed
from warlight_env.errors import InputError
from warlight_env.game import Game
from warlight_env.record import Header
from warlight_env.step_results import IllegalOrdersError
from warlight_env.web.book import Book
from warlight_env.web.disk import DiskError
from warlight_env.web.errors import Refusal, RequestError, refusal
from warlight_env.web.eyes import SPECTATOR
from warlight_env.web.feed import Feed
from warlight_env.web.kept_game import KeptGame
from warlight_env.web.leaving import Leaving
from warlight_env.web.thinking import Thinkers
from warlight_env.web.turn_clock import TIME_UP, TurnClock
from warlight_env.web.turn_file import TURNS, Committed, TurnsFile
from warlight_env.web.worker import AskedPosition, Question, WorkerSetup

_log = logging.getLogger(__name__)

RETRY: Final = 1.0  # seconds after which a full disk is tried again
#: Seconds between two rounds of a game between bots.
PACE: Final = 0.8
#: Playouts for the chances of a position while it is watched, at most; and for a second of the pace, so that at a fast
#: one bots need not wait. Intervals tell how many there were.
LIVE_PLAYOUTS: Final = 80
PLAYOUTS_PER_SECOND: Final = 200


@dataclass
class Seat:
    """Who plays on a seat: a person (spec None) or a bot."""

    name: str
    spec: str | None
    token: str
    spent: float = 0.0  #: seconds of thought
    last: float = 0.0
    since: float | None = None  #: when it began to think
    friend: bool = False  #: a person who was invited, and has a screen of its own


@dataclass
class Room:
    """A game that is being played.

    id: names it. seats: by seat. game: as it stands. book: its log. setup: of the game. watch_token: sees everything;
    None: nobody may. drawing: of its map as JSON; None: not made yet.
    """

    id: str
    seats: list[Seat]
    game: Game
    book: Book
    setup: WorkerSetup
    thinkers: Thinkers
    watch_token: str | None
    pace: float = PACE
    paused: bool = False
    drawing: bytes | None = None
    number: int = 0  #: decides which worker thinks
    pending: dict[int, Any] = field(default_factory=dict)
    touched: float = field(default_factory=time.monotonic)
    trouble: Refusal | None = None  #: why the game does not go on
    chances: list[list[list[float]] | None] = field(default_factory=list)  #: by rounds played, between bots
    leaving: Leaving = field(default_factory=Leaving)
    name: str = ""  #: that somebody gave it
    spectate_token: str | None = None  #: of those who watch people; None: nobody does
    clock: TurnClock = field(default_factory=lambda: TurnClock(None))
    rematch: str | None = None  #: the game that is played next
    rematch_kept: KeptGame | None = None  #: what is kept of it; None: it has been deleted

    def __post_init__(self) -> None:
        self.limit = round_limit(self.game.rules, self.game.map.n_regions, None)
        self.feed = Feed(self)
        self.turns = TurnsFile(self.book.path.with_name(f"{self.id}{TURNS}"))
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    # What it is

    @property
    def humans(self) -> list[int]:
        """The seats of people."""
        return [s for s, seat in enumerate(self.seats) if seat.spec is None]

    @property
    def header(self) -> Header:
        """Of the log."""
        assert self.book.header is not None  # rooms are started once their books have begun
        return self.book.header

    @property
    def begun(self) -> bool:
        """Whether anything was done in it, beyond what it took over from another game."""
        if self.header.continues is not None:
            played = self.game.round > self.header.continues.rounds
        else:
            played = self.book.steps > 0
        return played or self.over or bool(self.leaving.resigned) or any(s in self.pending for s in self.humans)

    @property
    def friends(self) -> list[int]:
        """The seats of people who were invited."""
        return [s for s, seat in enumerate(self.seats) if seat.friend]

    @property
    def kind(self) -> str:
        """ "watch", "play", "hotseat", or "together", with friends who have screens of their own."""
        if self.friends:
            return "together"
        return ("watch", "play")[len(self.humans)] if len(self.humans) < 2 else "hotseat"

    @property
    def over(self) -> bool:
        """Whether nothing more can happen."""
        return self.game.done or self.game.round >= self.limit or self.leaving.ends(self.game)

    @property
    def error(self) -> str | None:
        """Why the game does not go on."""
        return None if self.trouble is None else str(self.trouble["error"])

    @property
    def awaited(self) -> list[int]:
        """The seats that have not handed in."""
        if self.over:
            return []
        asked: Sequence[int] = self.game.pickers() if self.game.phase == "pick" else range(self.game.players)
        return [s for s in asked if s not in self.pending and self.leaving.plays(self.game, s)]

    def now(self, seat: int | None) -> dict[str, Any]:
        """What is not in the log: who is awaited, who thinks, clocks; for a player, what it may do."""
        clock = time.monotonic()
        state: dict[str, Any] = {
            "type": "now",
            "phase": "over" if self.over else self.game.phase,
            "round": self.game.round,
            "awaited": self.awaited,
            "out": [s for s in range(self.game.players) if self.game.phase != "pick" and not self.game.alive(s)],
            "thinking": {s: round(clock - x.since, 2) for s, x in enumerate(self.seats) if x.since is not None},
            "clocks": [[round(seat.last, 3), round(seat.spent, 3)] for seat in self.seats],
            "paused": self.paused,
            "pace": self.pace,
            "error": self.error,
            "code": "" if self.trouble is None else self.trouble["code"],
            "values": {} if self.trouble is None else self.trouble["values"],
            "chances": self._last_chances() if seat is None else None,
            "resigned": list(self.leaving.resigned),
            "draw": sorted(self.leaving.agreed),
            "here": [s for s in self.humans if self.feed.there(s)],
            "watching": self.feed.there(SPECTATOR),
            "clock": self.clock.told() if self.awaited else None,
            "rematch": self._rematch(seat),
        }
        if seat is not None and seat != SPECTATOR:
            view = self.game.view(seat)
            state["you"] = {
                "income": view.income,
                "offers": list(self.game.offers(seat)),
                "picks": self.game.rules.ranked or view.picks_left,
                "in": seat in self.pending,
                "alive": self.leaving.plays(self.game, seat),
            }
        return state

    def _rematch(self, seat: int | None) -> dict[str, Any] | None:
        """Where the game is played anew: the key is that of the same seat, or of watching."""
        if self.rematch_kept is None or seat is None:
            return None
        token, player = self.rematch_kept.token(seat), None if seat == SPECTATOR else seat
        return None if token is None else {"id": self.rematch, "seat": player, "token": token}

    def _last_chances(self) -> tuple[int, list[list[float]]] | None:
        """The latest that are known, with their round: where bots wait for the worker, a position goes without."""
        for played, values in reversed(list(enumerate(self.chances))):
            if values is not None:
                return played, values
        return None

    # Handing in

    def hand_in_picks(self, seat: int, wishes: list[int]) -> None:
        """A person's picks, best first; see `hand_in_orders`."""
        self._check_picks(seat, wishes)
        self._commit(seat, Committed(wishes))

    def hand_in_orders(self, seat: int, number: int, orders: Orders, hint: dict[str, Any] | None = None) -> None:
        """A person's orders for the round of that number.

        Raises:
            RequestError: what is wrong with them. DiskError: they could not be kept; nothing has been handed in.
        """
        if number != self.game.round + 1:
            text = f"round {number}: the game is in round {self.game.round + 1}"
            raise RequestError(text, 409, code="other-round", number=number, now=self.game.round + 1)
        self._check_orders(seat, orders)
        self._commit(seat, Committed(orders, hint))

    def take_back(self, seat: int) -> Any:
        """Give a person's committed turn back, orders or wishes: until all have handed in, and not at a shared screen.

        Raises:
            RequestError: it is not to be had any more. DiskError: it still counts, as that could not be written.
        """
        if not self.seats[seat].friend and len(self.humans) - len(self.friends) > 1:
            raise RequestError("a turn is final in a game of several people", 409, code="final")
        if seat not in self.pending or not self.awaited or self.clock.left <= 0:
            text = "there is no turn to be taken back: the round is being played, or was"
            raise RequestError(text, 409, code="no-turn-back")
        self._keep(without=seat)
        self.book.stands[seat].thought = None
        turn = self.pending.pop(seat)
        self.wake()
        return turn

    def take_up(self) -> None:
        """After a restart: the turns that people had handed in, the time that is left for the others, who has left."""
        if not self.book.complete:
            self.turns.left(self.leaving.take)
        self.clock.go_on(self.turns.spent(self.book.steps))
        for seat, committed in self.turns.kept(self.book.steps).items():
            with contextlib.suppress(InputError, OrdersTypeError):  # not one of this position: the file is damaged
                if isinstance(committed.turn, Orders):
                    self._check_orders(seat, committed.turn)
                else:
                    self._check_picks(seat, committed.turn)
                self.book.stands[seat].thought = committed.thought
                self.pending[seat] = committed.turn

    def _check_picks(self, seat: int, wishes: list[int]) -> None:
        self._require(seat, "pick")
        trial = self.game.clone()
        try:
            others = {p: list(trial.offers(p)) for p in trial.pickers() if p != seat}
            trial.pick({**others, seat: wishes})
        except IllegalOrdersError as error:
            raise RequestError(str(error), details=_reasons(error), code="illegal") from None

    def _check_orders(self, seat: int, orders: Orders) -> None:
        self._require(seat, "play")
        illegal = self.game.check(seat, orders)
        if illegal:
            error = IllegalOrdersError(illegal)
            raise RequestError(str(error), details=_reasons(error), code="illegal")

    def _commit(self, seat: int, committed: Committed) -> None:
        """A person's turn counts from here on, also if the server is killed before the others have handed in."""
        self._keep({seat: committed})
        if committed.thought is not None:
            self.book.stands[seat].thought = committed.thought
        self._hand_in(seat, committed.turn)

    def _keep(self, more: Mapping[int, Committed] | None = None, without: int | None = None) -> None:
        """Have on disk the turns of people, the time that is gone, and who has left; `DiskError`: as it was there."""
        stands = self.book.stands
        turns = {s: Committed(self.pending[s], stands[s].thought) for s in self.humans if s in self.pending}
        turns.pop(-1 if without is None else without, None)
        self.turns.keep(self.book.steps, {**turns, **(more or {})}, self.leaving.to_dict(), self.clock.spent)

    # Leaving

    def resign(self, seat: int) -> None:
        """A person gives up, for good: it stands still from the round on that is being entered.

        Raises:
            RequestError: there is nothing to be given up now. DiskError: that could not be kept; it has not.
        """
        self._require_playing(seat)
        self.leaving.resigned[seat] = 0 if self.game.phase == "pick" else self.game.round + 1
        try:
            self._keep(without=seat)
        except DiskError:
            del self.leaving.resigned[seat]
            raise
        self.pending.pop(seat, None)
        self.book.stands[seat].thought = None
        self.leaving.agreed.clear()
        self.wake()

    def agree(self, seat: int, agrees: bool) -> None:
        """A person agrees on a draw as things stand, or does not; once all who are still in agree, the game is over.

        Raises:
            RequestError: there is none to be agreed on now. DiskError: it could not be kept; the game goes on.
        """
        self._require_playing(seat)
        left = self.leaving.left(self.game)
        if any(self.seats[other].spec is not None for other in left):
            raise RequestError("bots agree on no draws", 409, code="bots-draw")
        agreed = self.leaving.agreed | {seat} if agrees else self.leaving.agreed - {seat}
        if agreed.issuperset(left):
            self.leaving.drawn = tuple(left)
            try:
                self._keep()
            except DiskError:
                self.leaving.drawn = ()
                raise
        self.leaving.agreed = agreed
        self.wake()

    def _require_playing(self, seat: int) -> None:
        if self.over:
            raise RequestError("the game is over", 409, code="game-over")
        if self.book.waits:
            raise RequestError("the round is being played: wait a moment", 409, code="being-played")
        if not self.leaving.plays(self.game, seat):
            raise RequestError("this seat is not in the game any more", 409, code="not-in-game")

    def _require(self, seat: int, phase: str) -> None:
        if self.over or self.game.phase != phase:
            what = "over" if self.over else f"in its phase {self.game.phase!r}"
            raise RequestError(
                f"the game is {what}: no such turn now", 409, code="over" if self.over else "other-phase"
            )
        if seat in self.leaving.resigned:
            raise RequestError("this seat has resigned", 409, code="resigned")
        if seat in self.pending:
            raise RequestError("this turn is committed already", 409, code="committed")
        if seat not in self.awaited:
            raise RequestError("this seat is not to move now", 409, code="not-to-move")

    def _hand_in(self, seat: int, turn: Any) -> None:
        self.pending[seat] = turn
        self.wake()

    def wake(self) -> None:
        """Something has changed: look at it, and tell the viewers."""
        self.touched = time.monotonic()
        self._news.set()
        self.feed.tell()

    def looked_at(self, seat: int | None) -> None:
        """A viewer has come or gone: games between bots wait while nobody watches, people's time while none is here."""
        self.touched = time.monotonic()
        self._news.set()
        if seat is not None:
            self.feed.tell()

    # Playing

    def start(self) -> None:
        """Let the game go on."""
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._play(), name=f"game {self.id}")

    async def stop(self) -> None:
        """Stop where it is; all rounds that were played are on disk, and what is left of the clock if possible."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self.awaited and self.clock.spent:
            with contextlib.suppress(DiskError):
                self._keep()
        self.book.close()
        self.feed.close()

    async def _play(self) -> None:
        try:
            due = time.monotonic()
            if self.game.phase != "pick" and not self.over:
                self.leaving.to_log(
                    self.game.round, self.book.left
                )  # where the server ended before the log was written
                if self.book.waits:
                    await self._on_disk(self.book.save)
            while not self.over:
                if not self.humans and self.game.phase == "play":
                    await self._reckon()
                await self._everybody()
                if self.over:  # by who left
                    break
                if not self.humans:
                    due = await self._keep_pace(due)
                await self._resolve()
            if not self.book.path.exists():
                await self._on_disk(lambda: self.book.finish(self._tell_end))
            self.turns.forget()
        except Exception as error:  # what it says may be of all seats: viewers are told no more than its kind
            kind = type(error).__name__
            text = f"the game cannot go on ({kind}): the server's log says why"
            self.trouble = refusal(text, code="stopped", values={"kind": kind})
            _log.exception("game %s", self.id)
        finally:
            self.feed.tell()

    async def _reckon(self) -> None:
        """The chances of this position, for those who watch: no game of people is told what it did not ask for.

        Where bots wait for the worker they come first, and the position goes without.
        """
        if self.thinkers.busy(self.number):
            self.chances += [None] * (self.game.round + 1 - len(self.chances))
            return
        position = replace(
            AskedPosition.of(self.game.view(0)), owner=self.game.owner.tolist(), army=self.game.army.tolist()
        )
        playouts = max(1, min(LIVE_PLAYOUTS, int(PLAYOUTS_PER_SECOND * self.pace)))
        question = Question(self.setup, position, None, self.game.round, chances=True, games=playouts)
        answer = await self.thinkers.ask(question, self.number)
        if answer.error is not None:
            _log.warning("game %s: no chances: %s", self.id, answer.error)
        self.chances += [None] * (self.game.round - len(self.chances)) + [answer.chances]

    async def _everybody(self) -> None:
        """Wait until all have handed in; the bots think side by side, while people do."""
        bots = [asyncio.ensure_future(self._ask(s)) for s in self.awaited if self.seats[s].spec is not None]
        for bot in bots:
            bot.add_done_callback(lambda done: self._news.set())
        try:
            while self.awaited:
                self._news.clear()
                self.clock.run(self._thinking())
                self.feed.tell()
                with contextlib.suppress(TimeoutError):
                    # Python 3.11's wait_for may swallow a cancellation.
                    async with asyncio.timeout(self.clock.patience):
                        await self._news.wait()
                if self.clock.up:
                    await self._time_is_up()
                for bot in bots:
                    if bot.done():
                        bot.result()  # a mistake of ours while asking: it ends the game, and is told
        finally:
            self.clock.run(False)
            for bot in bots:
                bot.cancel()
            for seat in self.seats:
                seat.since = None

    def _thinking(self) -> bool:
        """Whether a person is awaited, and one who plays is there: then time runs."""
        people = [s for s in self.humans if self.leaving.plays(self.game, s)]
        return any(s in self.awaited for s in people) and any(self.feed.there(s) for s in people)

    async def _time_is_up(self) -> None:
        """Whoever has not handed in by now has an empty turn, or picks the first regions that are offered."""
        for s in [s for s in self.awaited if self.seats[s].spec is None]:
            await self._on_disk(functools.partial(self._commit_empty, s))

    def _commit_empty(self, seat: int) -> None:
        """The turn of a seat that let the time run out, unless it has handed in or left while the disk was full."""
        if seat in self.awaited:
            turn: Any = list(self.game.offers(seat)) if self.game.phase == "pick" else Orders()
            self._commit(seat, Committed(turn, dict(TIME_UP)))

    async def _ask(self, s: int) -> None:
        seat, view = self.seats[s], self.game.view(s)
        seat.since = time.monotonic()
        seed = derive_seed(self.game.seed, s + 1, self.game.round)
        question = Question(self.setup, AskedPosition.of(view), seat.spec, seed, keep=self.id)
        answer = await self.thinkers.ask(question, self.number + s)
        seat.since, seat.last, seat.spent = None, answer.seconds, seat.spent + answer.seconds
        stand = self.book.stands[s]
        stand.thought = answer.insight if answer.error is None else {"error": answer.error}
        if view.phase == "pick":
            self._hand_in(s, list(view.offers) if answer.wishes is None else answer.wishes)
        else:
            orders = Orders([(r, n) for r, n in answer.deploys], [(a, b, n) for a, b, n in answer.attacks])
            self._hand_in(s, orders if answer.error is None else None)

    async def _keep_pace(self, last: float) -> float:
        """Between bots: not faster than people want to watch, not at all while nobody does.

        A round is due its pace after the last one was, at `last`. Returns when it was due, so that what a round takes
        does not add up; or now, where it is late by a whole pace or more: after a pause nothing is made up for.
        """
        while True:
            due, now = last + self.pace, time.monotonic()
            rest = due - now
            waiting = self.paused or not self.feed.viewers
            if not waiting and rest <= 0:
                return due if -rest < self.pace else now
            self._news.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if waiting else rest):
                    await self._news.wait()

    async def _resolve(self) -> None:
        """Play the step; it has happened once it is on disk."""
        turns, after = dict(self.pending), self.game.clone()
        if after.phase == "pick":
            for seat in self.leaving.resigned:
                if seat in after.pickers():
                    turns[seat] = list(after.offers(seat))
            dropped = after.pick(turns, on_illegal="skip")
            self.book.picked(turns, dropped, after)
        else:
            result = after.play_round(turns, on_illegal="skip")
            self.book.played(turns, result, after)
        if after.phase != "pick":
            self.leaving.to_log(after.round, self.book.left)
        await self._on_disk(self.book.save)
        self.game, self.pending, self.leaving.agreed = after, {}, set()
        self.clock.begin()
        self.wake()

    def _tell_end(self) -> None:
        """The end, for the log, and before it what of leaving is not in it yet."""
        self.leaving.to_log(None, self.book.left)
        if self.leaving.drawn and not self.leaving.draw_logged:
            self.book.agreed(self.game.round, self.leaving.drawn)
        self.book.ended(self.leaving.end(self.game))

    async def _on_disk(self, save: Callable[[], None]) -> None:
        """Until that has worked the game waits: it goes on by itself as soon as there is space again."""
        while True:
            try:
                save()
            except DiskError as error:
                waits = f"the game waits, and nothing is lost: the server cannot write its log ({error.reason})"
                if self.error != waits:
                    _log.error("game %s waits: %s", self.id, error)
                    self.trouble = refusal(waits, code="waits", values={"reason": error.reason})
                    self.feed.tell()
                await asyncio.sleep(RETRY)
            else:
                if self.trouble is not None:
                    _log.error("game %s goes on", self.id)
                    self.trouble = None
                return


def _reasons(error: IllegalOrdersError) -> list[dict[str, Any]]:
    return [{"kind": i.kind, "index": i.index, "order": list(i.order), "reason": i.reason} for i in error.illegal]
