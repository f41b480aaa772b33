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
        self._now: dict[int | None, tuple[int, str]] = {}
        self._version = 0
        self._waiting: set[asyncio.Event] = set()
        self._closed = False
        self._there: Counter[int | None] = Counter()

    @property
    def size(self) -> int:
        """The size in bytes of the encoded events that viewers receive."""
        return sum(cut.size for cut in self._texts.values())

    @property
    def viewers(self) -> int:
        """The number of viewers."""
        return self._there.total()

    @property
    def closed(self) -> bool:
        """Whether the feed has ended."""
        return self._closed

    def viewer_count(self, seat: int | None) -> int:
        """Return the number of viewers of a seat."""
        return self._there[seat]

    def notify(self) -> None:
        """Note a change, and wake the streams of all viewers."""
        self._version += 1
        for waiting in self._waiting:
            waiting.set()

    def close(self) -> None:
        """End the streams of all viewers."""
        self._closed = True
        self.notify()

    async def follow(self, seat: int | None, after: int) -> AsyncGenerator[str, None]:
        """Yield messages for a viewer who has the events up to number `after` (-1: none), until the room closes.

        A viewer that leaves earlier must close this generator (`contextlib.aclosing`), or it still counts as a viewer.
        """
        cut = self._texts.setdefault(seat, _SeatEvents(self._room, seat))
        if after >= (count := await cut.count()):
            raise RequestError(f"after {after}: the game has events 0 to {count - 1}")
        place, told, wake = after + 1, -1, asyncio.Event()
        self._waiting.add(wake)
        self._there[seat] += 1
        self._room.viewers_changed(seat)
        try:
            while not self._closed:
                wake.clear()
                async for text in cut.since(place):
                    yield text
                    place += 1
                if told != self._version:
                    told = self._version
                    yield self._state(seat)
                    await asyncio.sleep(MESSAGE_SECONDS)
                    await self._event_after(cut, place, wake, STATE_SECONDS - MESSAGE_SECONDS)
                    continue
                await wake.wait()
        finally:
            self._waiting.discard(wake)
            self._there[seat] -= 1
            self._room.viewers_changed(seat)

    async def _event_after(self, cut: _SeatEvents, place: int, wake: asyncio.Event, seconds: float) -> None:
        """Wait until event number `place` exists, but at most `seconds` seconds."""
        clock = asyncio.get_running_loop().time
        until = clock() + seconds
        while not self._closed and not cut.has(place) and clock() < until:
            wake.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(until):
                    await wake.wait()

    def _state(self, seat: int | None) -> str:
        """Return the current state for the viewers of a seat; all of them get the same cached text."""
        version, text = self._now.get(seat, (-1, ""))
        if version != self._version:
            text = _text(self._room.live_state(seat))
            self._now[seat] = self._version, text
        return text


class _SeatEvents:
    """The events for one seat as texts; the text of each event is made only once.

    The events for the seat are numbered without gaps, because a gap would reveal a hidden event.
    """

    def __init__(self, room: FeedRoom, seat: int | None) -> None:
        self._log = room.log
        self._filter = FogFilter(room.game.map, room.game.rules, room.game.players, seat)
        self._seen = 0  # events that the filter has processed
        self._texts: list[str] = []
        self.size = 0  #: characters of the texts, one byte each

    async def since(self, place: int) -> AsyncIterator[str]:
        """Yield the texts from event number `place` on. Other tasks can run between parts of a long game."""
        began = time.perf_counter()
        while place < len(self._texts) or self._seen < self._log.events:
            if place < len(self._texts):
                yield self._texts[place]
                place += 1
            else:
                self._cut(began + FILTER_SECONDS)
            if time.perf_counter() - began > FILTER_SECONDS:
                await asyncio.sleep(0)
                began = time.perf_counter()

    async def count(self) -> int:
        """Return the number of the seat's events so far."""
        while self._seen < self._log.events:
            self._cut(time.perf_counter() + FILTER_SECONDS)
            await asyncio.sleep(0)
        return len(self._texts)

    def has(self, place: int) -> bool:
        """Filter new events for at most `FILTER_SECONDS` seconds; return whether event number `place` then exists."""
        if place >= len(self._texts):
            self._cut(time.perf_counter() + FILTER_SECONDS)
        return place < len(self._texts)

    def _cut(self, until: float) -> None:
        """Filter at least one remaining event, then further events until the time `until`."""
        while self._seen < self._log.events:
            event: Any = self._filter.filter(self._log.event(self._seen))
            self._seen += 1
            if event is not None:
                self._texts.append(_text({"type": "event", "n": len(self._texts), **event}))
                self.size += len(self._texts[-1])
            if time.perf_counter() > until:
                return


def _text(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"))
