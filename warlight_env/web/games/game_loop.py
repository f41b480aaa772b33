"""The task that plays a game on the server: it asks bots, waits for people, and saves each round to the disk."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from warlight_env.engine.compile_progress import CompileState
from warlight_env.engine.rng import derive_seed
from warlight_env.protocol.view_transfer import QueriedPosition
from warlight_env.web.errors import make_error_body
from warlight_env.web.games import turn_commands
from warlight_env.web.games.room import BotFailure, Room
from warlight_env.web.storage.game_folder import DiskError
from warlight_env.web.workers.bot_process import BotQuery

_log = logging.getLogger(__name__)

RETRY: Final = 1.0  # seconds until the next try on a full disk
#: The largest number of playouts for the win probabilities of a position. Then the number of playouts per second of the
#: pace (the time between two rounds), so that fast games need not wait. The intervals of the win probabilities depend
#: on the number of playouts.
LIVE_ROLLOUTS: Final = 80
ROLLOUTS_PER_SECOND: Final = 200


def start(room: Room) -> None:
    """Start the task that plays the room's game to its end, or continue a stopped game."""
    if room.task is None or room.task.done():
        room.task = asyncio.get_running_loop().create_task(_play(room), name=f"game {room.id}")


async def stop(room: Room) -> None:
    """Stop the game. All played rounds are on disk; the spent time of the clock is saved if possible."""
    if room.task is not None:
        room.task.cancel()
        await asyncio.gather(room.task, return_exceptions=True)
    turn_commands.keep_clock(room)
    room.log.close()
    room.feed.close()


async def _play(room: Room) -> None:
    try:
        due = time.monotonic()
        if room.game.phase != "pick" and not room.over:
            # Resignations that the server had not logged before its last end.
            room.resignations.to_log(room.game.round, room.log.log_resignation)
            if room.log.has_unsaved:
                await _retry_save(room, room.log.save)
        while not room.over:
            if not room.humans and room.game.phase == "play":
                await _estimate_win_probabilities(room)
            await _collect_turns(room)
            if room.over:  # because of a resignation
                break
            if not room.humans:
                due = await _keep_pace(room, due)
            await _resolve(room)
        if not room.log.path.exists():
            await _retry_save(room, lambda: room.log.finish(functools.partial(_log_end, room)))
        room.turns.forget()
    except Exception as error:  # its text may reveal secrets of all seats: viewers receive only the error's type
        kind = type(error).__name__
        text = f"the game cannot continue ({kind}): see the server's log"
        room.failure = make_error_body(text, code="stopped", values={"kind": kind})
        _log.exception("game %s", room.id)
    finally:
        room.feed.notify()


async def _estimate_win_probabilities(room: Room) -> None:
    """Compute the win probabilities of the current position, for viewers of a game between bots.

    Games of people get no win probabilities, unless a player asks for them. If bots wait for the same worker, the
    worker answers the bots, and the position gets no win probabilities.
    """
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


async def _collect_turns(room: Room) -> None:
    """Wait until all seats have submitted their turns. The bots think in parallel, while the people think."""
    bots = [asyncio.ensure_future(_ask_bot(room, s)) for s in room.awaited if room.seats[s].spec is not None]
    for bot in bots:
        bot.add_done_callback(lambda done: room.wake_event.set())
    try:
        while room.awaited:
            room.wake_event.clear()
            room.clock.run(_thinking(room))
            room.feed.notify()
            with contextlib.suppress(TimeoutError):
                # Python 3.11's wait_for may swallow a cancellation.
                async with asyncio.timeout(room.clock.seconds_to_check):
                    await room.wake_event.wait()
            if room.clock.expired:
                await _time_is_up(room)
            for bot in bots:
                if bot.done():
                    bot.result()  # raises the exception of a bug in this code, which ends the game and is reported
    finally:
        room.clock.run(False)
        for bot in bots:
            bot.cancel()


def _thinking(room: Room) -> bool:
    """Return whether the clock runs.

    The clock runs if the game waits for a person and at least one person who plays is connected. In the first turn, the
    clock runs only after all people have opened the game.
    """
    if room.not_ready:
        return False
    people = [s for s in room.humans if room.resignations.is_active(room.game, s)]
    return any(s in room.awaited for s in people) and any(room.feed.viewer_count(s) for s in people)


async def _time_is_up(room: Room) -> None:
    """Submit for each late person: an empty turn, or picks of the first regions that are offered."""
    for s in [s for s in room.awaited if room.seats[s].spec is None]:
        await _retry_save(room, functools.partial(turn_commands.commit_empty, room, s))


async def _ask_bot(room: Room, s: int) -> None:
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
        turn_commands.submit(room, s, list(view.offers) if answer.preferences is None else answer.preferences)
    else:
        turn_commands.submit(room, s, answer.orders if answer.error is None else None)


async def _keep_pace(room: Room, last: float) -> float:
    """Wait in a game between bots: for its pace, and while it has no viewer.

    The pace is the time between two rounds, and `last` is the time at which the last round was due. A round is due one
    pace later. Return the time at which the next round is due, so that delays do not add up. If the round is late by a
    pace or more, return the current time, so that rounds after a pause are not faster.
    """
    while True:
        due, now = last + room.pace, time.monotonic()
        remaining = due - now
        is_waiting = room.paused or not room.feed.viewers
        if not is_waiting and remaining <= 0:
            return due if -remaining < room.pace else now
        room.wake_event.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(None if is_waiting else remaining):
                await room.wake_event.wait()


async def _resolve(room: Room) -> None:
    """Play the round or picks on a copy of the game. The copy replaces the game once the result is on disk."""
    turns, after = dict(room.pending), room.game.clone()
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
    await _retry_save(room, room.log.save)
    room.game = after
    room.pending, room.resignations.agreed = {}, set()
    room.clock.begin()
    room.wake()


def _log_end(room: Room) -> None:
    """Write to the log the resignations that are not in the log yet, and then the end."""
    room.resignations.to_log(None, room.log.log_resignation)
    if room.resignations.drawn and not room.resignations.draw_logged:
        room.log.draw_agreed(room.game.round, room.resignations.drawn)
    room.log.ended(room.resignations.end(room.game))


async def _retry_save(room: Room, save: Callable[[], None]) -> None:
    """Repeat `save` until it succeeds. The game waits and continues as soon as the disk has space."""
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
