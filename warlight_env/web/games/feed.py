"""The feed of a game for its viewers: numbered events, filtered for each seat, and the current state."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any, Final, Protocol

from warlight_env.game import Game
from warlight_env.web.documents.fog_filter import FogFilter
from warlight_env.web.errors import RequestError
from warlight_env.web.storage.game_log import GameLogWriter

#: Seconds between messages to a viewer; faster events are sent together.
MESSAGE_SECONDS: Final = 0.03
#: Seconds between two messages that contain only the state, such as the thinking bots: each redraws the page.
STATE_SECONDS: Final = 0.15
#: Seconds of continuous work for one viewer, before other tasks get a turn.
FILTER_SECONDS: Final = 0.005


class FeedRoom(Protocol):
    """The attributes and methods of a room (a running game) that `Feed` uses."""

    game: Game
    log: GameLogWriter

    def live_state(self, seat: int | None) -> dict[str, Any]:
        """Return the part of the game state that the log does not contain, as the player on `seat` may see it."""
        ...

    def viewers_changed(self, seat: int | None) -> None:
        """Note that a viewer of a seat came or left."""
        ...


class Feed:
    """The events of a room for all its viewers.

    A viewer has no queue, only a position in the list of events. A viewer receives the next events when its connection
    accepts more data. Without queues, a viewer that never reads uses no memory, and a viewer that reconnects receives
    the events after its last event.
    """

    def __init__(self, room: FeedRoom) -> None:
        self._room = room
        self._texts: dict[int | None, _SeatEvents] = {}
        self._states: dict[int | None, tuple[int, str]] = {}
        self._version = 0
        self._wake_events: set[asyncio.Event] = set()
        self._closed = False
        self._viewer_counts: Counter[int | None] = Counter()

    @property
    def size(self) -> int:
        """The size in bytes of the encoded events that viewers receive."""
        return sum(seat_events.size for seat_events in self._texts.values())

    @property
    def viewers(self) -> int:
        """The number of viewers."""
        return self._viewer_counts.total()

    @property
    def closed(self) -> bool:
        """Whether the feed has ended."""
        return self._closed

    def viewer_count(self, seat: int | None) -> int:
        """Return the number of viewers of a seat."""
        return self._viewer_counts[seat]

    def notify(self) -> None:
        """Note a change, and wake the streams of all viewers."""
        self._version += 1
        for event in self._wake_events:
            event.set()

    def close(self) -> None:
        """End the streams of all viewers."""
        self._closed = True
        self.notify()

    async def follow(self, seat: int | None, after: int) -> AsyncGenerator[str, None]:
        """Yield messages for a viewer who has the events up to number `after` (-1: none), until the room closes.

        A viewer that leaves earlier must close this generator (`contextlib.aclosing`), or it still counts as a viewer.
        """
        seat_events = self._texts.setdefault(seat, _SeatEvents(self._room, seat))
        if after >= (count := await seat_events.count()):
            raise RequestError(f"after {after}: the game has events 0 to {count - 1}")
        number, sent_version, wake = after + 1, -1, asyncio.Event()
        self._wake_events.add(wake)
        self._viewer_counts[seat] += 1
        self._room.viewers_changed(seat)
        try:
            while not self._closed:
                wake.clear()
                async for text in seat_events.since(number):
                    yield text
                    number += 1
                if sent_version != self._version:
                    sent_version = self._version
                    yield self._state(seat)
                    await asyncio.sleep(MESSAGE_SECONDS)
                    await self._wait_for_event(seat_events, number, wake, STATE_SECONDS - MESSAGE_SECONDS)
                    continue
                await wake.wait()
        finally:
            self._wake_events.discard(wake)
            self._viewer_counts[seat] -= 1
            self._room.viewers_changed(seat)

    async def _wait_for_event(self, seat_events: _SeatEvents, number: int, wake: asyncio.Event, seconds: float) -> None:
        """Wait until event number `number` exists, but at most `seconds` seconds."""
        clock = asyncio.get_running_loop().time
        deadline = clock() + seconds
        while not self._closed and not seat_events.has(number) and clock() < deadline:
            wake.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(deadline):
                    await wake.wait()

    def _state(self, seat: int | None) -> str:
        """Return the current state for the viewers of a seat; all of them get the same cached text."""
        version, text = self._states.get(seat, (-1, ""))
        if version != self._version:
            text = _text(self._room.live_state(seat))
            self._states[seat] = self._version, text
        return text


class _SeatEvents:
    """The events for one seat as texts; the text of each event is made only once.

    The events for the seat are numbered without gaps, because a gap would reveal a hidden event.
    """

    def __init__(self, room: FeedRoom, seat: int | None) -> None:
        self._log = room.log
        self._filter = FogFilter(room.game.map, room.game.rules, room.game.players, seat)
        self._filtered_count = 0  # events that the filter has processed
        self._texts: list[str] = []
        self.size = 0  #: characters of the texts, one byte each

    async def since(self, number: int) -> AsyncIterator[str]:
        """Yield the texts from event number `number` on. Other tasks can run between parts of a long game."""
        start = time.perf_counter()
        while number < len(self._texts) or self._filtered_count < self._log.events:
            if number < len(self._texts):
                yield self._texts[number]
                number += 1
            else:
                self._filter_events(start + FILTER_SECONDS)
            if time.perf_counter() - start > FILTER_SECONDS:
                await asyncio.sleep(0)
                start = time.perf_counter()

    async def count(self) -> int:
        """Return the number of the seat's events so far."""
        while self._filtered_count < self._log.events:
            self._filter_events(time.perf_counter() + FILTER_SECONDS)
            await asyncio.sleep(0)
        return len(self._texts)

    def has(self, number: int) -> bool:
        """Filter new events for at most `FILTER_SECONDS` seconds; return whether event number `number` then exists."""
        if number >= len(self._texts):
            self._filter_events(time.perf_counter() + FILTER_SECONDS)
        return number < len(self._texts)

    def _filter_events(self, deadline: float) -> None:
        """Filter at least one remaining event, then further events until the time `deadline`."""
        while self._filtered_count < self._log.events:
            event: Any = self._filter.filter(self._log.event(self._filtered_count))
            self._filtered_count += 1
            if event is not None:
                self._texts.append(_text({"type": "event", "n": len(self._texts), **event}))
                self.size += len(self._texts[-1])
            if time.perf_counter() > deadline:
                return


def _text(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"))
