"""The task that plays a game on the server: it asks bots, waits for people, and saves each round to the disk."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final, Protocol

from warlight_env.engine.compile_progress import CompileState
from warlight_env.engine.rng import derive_seed
from warlight_env.protocol.view_transfer import QueriedPosition, WorkerSetup
from warlight_env.web.errors import ErrorBody, make_error_body
from warlight_env.web.games.feed import Feed
from warlight_env.web.games.turn_commands import BotFailure, CommandRoom, TurnCommands
from warlight_env.web.storage.game_folder import DiskError
from warlight_env.web.storage.submitted_turns import SubmittedTurns
from warlight_env.web.workers.bot_process import BotQuery
from warlight_env.web.workers.bot_workers import BotWorkers

_log = logging.getLogger(__name__)

RETRY: Final = 1.0  # seconds until the next try on a full disk
#: The largest number of playouts for the win probabilities of a position. Then the number of playouts per second of the
#: pace (the time between two rounds), so that fast games need not wait. The intervals of the win probabilities depend
#: on the number of playouts.
LIVE_ROLLOUTS: Final = 80
ROLLOUTS_PER_SECOND: Final = 200


class LoopRoom(CommandRoom, Protocol):
    """The attributes and methods of a room (a running game) that `GameLoop` uses."""

    id: str
    setup: WorkerSetup
    bot_workers: BotWorkers
    number: int
    pace: float
    paused: bool
    failure: ErrorBody | None
    win_probabilities: list[list[list[float]] | None]
    feed: Feed
    turns: SubmittedTurns
    commands: TurnCommands

    @property
    def error(self) -> str | None:
        """The reason why the game cannot continue; None if the game can continue."""
        ...

    @property
    def not_ready(self) -> list[int]:
        """The people who have not opened the game; the clock of the first turn waits for them."""
        ...


class GameLoop:
    """The task that plays a room's game to its end."""

    def __init__(self, room: LoopRoom) -> None:
        self._room = room
        self._wake_event = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start the task, unless it runs already."""
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._play(), name=f"game {self._room.id}")

    async def stop(self) -> None:
        """Stop the task at its current position."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def wake(self) -> None:
        """Wake the task after a change, so that the task checks whether it must still wait."""
        self._wake_event.set()

    async def _play(self) -> None:
        room = self._room
        try:
            due = time.monotonic()
            if room.game.phase != "pick" and not room.over:
                # Resignations that the server had not logged before its last end.
                room.resignations.to_log(room.game.round, room.log.log_resignation)
                if room.log.has_unsaved:
                    await self._retry_save(room.log.save)
            while not room.over:
                if not room.humans and room.game.phase == "play":
                    await self._estimate_win_probabilities()
                await self._collect_turns()
                if room.over:  # because of a resignation
                    break
                if not room.humans:
                    due = await self._keep_pace(due)
                await self._resolve()
            if not room.log.path.exists():
                await self._retry_save(lambda: room.log.finish(self._log_end))
            room.turns.forget()
        except Exception as error:  # its text may reveal secrets of all seats: viewers receive only the error's type
            kind = type(error).__name__
            text = f"the game cannot continue ({kind}): see the server's log"
            room.failure = make_error_body(text, code="stopped", values={"kind": kind})
            _log.exception("game %s", room.id)
        finally:
            room.feed.notify()

    async def _estimate_win_probabilities(self) -> None:
        """Compute the win probabilities of the current position, for viewers of a game between bots.

        Games of people get no win probabilities, unless a player asks for them. If bots wait for the same worker, the
        worker answers the bots, and the position gets no win probabilities.
        """
        room = self._room
        if room.bot_workers.busy(room.number):
            room.win_probabilities += [None] * (room.game.round + 1 - len(room.win_probabilities))
            return
        view_position = QueriedPosition.from_view(room.game.view(0))
        position = replace(view_position, owner=room.game.owner.tolist(), army=room.game.army.tolist())
        playouts = max(1, min(LIVE_ROLLOUTS, int(ROLLOUTS_PER_SECOND * room.pace)))
        question = BotQuery(room.setup, position, None, room.game.round, win_probabilities=True, games=playouts)
        answer = await room.bot_workers.ask(question, room.number)
        if answer.error is not None:
            _log.warning("game %s: no win probabilities: %s", room.id, answer.error)
        room.win_probabilities += [None] * (room.game.round - len(room.win_probabilities)) + [answer.win_probabilities]

    async def _collect_turns(self) -> None:
        """Wait until all seats have submitted their turns. The bots think in parallel, while the people think."""
        room = self._room
        bots = [asyncio.ensure_future(self._ask_bot(s)) for s in room.awaited if room.seats[s].spec is not None]
        for bot in bots:
            bot.add_done_callback(lambda done: self._wake_event.set())
        try:
            while room.awaited:
                self._wake_event.clear()
                room.clock.run(self._thinking())
                room.feed.notify()
                with contextlib.suppress(TimeoutError):
                    # Python 3.11's wait_for may swallow a cancellation.
                    async with asyncio.timeout(room.clock.seconds_to_check):
                        await self._wake_event.wait()
                if room.clock.expired:
                    await self._time_is_up()
                for bot in bots:
                    if bot.done():
                        bot.result()  # raises the exception of a bug in this code, which ends the game and is reported
        finally:
            room.clock.run(False)
            for bot in bots:
                bot.cancel()

    def _thinking(self) -> bool:
        """Return whether the clock runs.

        The clock runs if the game waits for a person and at least one person who plays is connected. In the first turn,
        the clock runs only after all people have opened the game.
        """
        room = self._room
        if room.not_ready:
            return False
        people = [s for s in room.humans if room.resignations.is_active(room.game, s)]
        return any(s in room.awaited for s in people) and any(room.feed.viewer_count(s) for s in people)

    async def _time_is_up(self) -> None:
        """Submit for each late person: an empty turn, or picks of the first regions that are offered."""
        room = self._room
        for s in [s for s in room.awaited if room.seats[s].spec is None]:
            await self._retry_save(functools.partial(room.commands.commit_empty, s))

    async def _ask_bot(self, s: int) -> None:
        room = self._room
        seat, view = room.seats[s], room.game.view(s)
        seed = derive_seed(room.game.seed, s + 1, room.game.round)
        question = BotQuery(room.setup, QueriedPosition.from_view(view), seat.spec, seed, agent_key=room.id)
        asking = True

        def report_state(state: CompileState | None) -> None:
            if not asking:  # the game no longer waits for this bot
                return
            if seat.busy_since is None or (state is None) != (seat.preparing is None):
                seat.busy_since = time.monotonic()
            seat.preparing = state
            room.feed.notify()

        try:
            answer = await room.bot_workers.ask(question, room.number + s, report_state)
        finally:
            asking, seat.busy_since, seat.preparing = False, None, None
        seat.last_seconds, seat.total_seconds = answer.seconds, seat.total_seconds + answer.seconds
        number = 0 if view.phase == "pick" else view.round + 1
        if answer.error is not None:
            seat.failure = BotFailure(number, answer.seconds if answer.late else None)
        elif seat.failure is not None and seat.failure.round < number - 1:  # the page shows a failure for a round
            seat.failure = None
        room.log.seat_states[s].next_insight = answer.insight if answer.error is None else {"error": answer.error}
        if view.phase == "pick":
            room.commands.submit(s, list(view.offers) if answer.preferences is None else answer.preferences)
        else:
            room.commands.submit(s, answer.orders if answer.error is None else None)

    async def _keep_pace(self, last: float) -> float:
        """Wait in a game between bots: for its pace, and while it has no viewer.

        The pace is the time between two rounds, and `last` is the time at which the last round was due. A round is due
        one pace later. Return the time at which the next round is due, so that delays do not add up. If the round is
        late by a pace or more, return the current time, so that rounds after a pause are not faster.
        """
        room = self._room
        while True:
            due, now = last + room.pace, time.monotonic()
            remaining = due - now
            is_waiting = room.paused or not room.feed.viewers
            if not is_waiting and remaining <= 0:
                return due if -remaining < room.pace else now
            self._wake_event.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if is_waiting else remaining):
                    await self._wake_event.wait()

    async def _resolve(self) -> None:
        """Play the round or picks on a copy of the game. The copy replaces the game once the result is on disk."""
        room = self._room
        turns, after = dict(room.commands.pending), room.game.clone()
        if after.phase == "pick":
            for seat in room.resignations.resigned:
                if seat in after.pickers():
                    turns[seat] = list(after.offers(seat))
            dropped = after.pick(turns, on_illegal="skip")
            room.log.picked(turns, dropped, after)
        else:
            result = after.play_round(turns, on_illegal="skip")
            room.log.played(turns, result, after)
        if after.phase != "pick":
            room.resignations.to_log(after.round, room.log.log_resignation)
        await self._retry_save(room.log.save)
        room.game = after
        room.commands.start_next_step()
        room.wake()

    def _log_end(self) -> None:
        """Write to the log the resignations that are not in the log yet, and then the end."""
        room = self._room
        room.resignations.to_log(None, room.log.log_resignation)
        if room.resignations.drawn and not room.resignations.draw_logged:
            room.log.draw_agreed(room.game.round, room.resignations.drawn)
        room.log.ended(room.resignations.end(room.game))

    async def _retry_save(self, save: Callable[[], None]) -> None:
        """Repeat `save` until it succeeds. The game waits and continues as soon as the disk has space."""
        room = self._room
        while True:
            try:
                save()
            except DiskError as error:
                message = f"the game is paused and nothing is lost: the server cannot write its log ({error.reason})"
                if room.error != message:
                    _log.error("game %s is paused: %s", room.id, error)
                    room.failure = make_error_body(message, code="waits", values={"reason": error.reason})
                    room.feed.notify()
                await asyncio.sleep(RETRY)
            else:
                if room.failure is not None:
                    _log.error("game %s continues", room.id)
                    room.failure = None
                return
