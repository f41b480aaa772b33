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

#: Seconds between messages to a viewer: what happens faster is told together.
BREATH: Final = 0.03
#: Seconds between two messages about nothing but the state, such as who thinks: each has the page drawn anew.
LULL: Final = 0.15
#: Seconds for which one viewer is brought up to date at a stretch.
SLICE: Final = 0.005


class FeedRoom(Protocol):
    """The part of a room that `Feed` uses."""

    game: Game
    log: GameLogWriter

    def now(self, seat: int | None) -> dict[str, Any]:
        """What is not in the log, for a seat."""
        ...

    def looked_at(self, seat: int | None) -> None:
        """A viewer of a seat has come or gone."""
        ...


class Feed:
    """The events of a room for all who watch.

    Nothing is queued for a viewer: it has a place in the one list of events, and goes on from there when its connection
    takes more. So one that never reads costs no memory, and one that was gone is brought up to date from the number
    that it had.
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
        """Bytes of the events as viewers have them."""
        return sum(cut.size for cut in self._texts.values())

    @property
    def viewers(self) -> int:
        """How many there are."""
        return self._there.total()

    def there(self, seat: int | None) -> int:
        """How many watch as a seat."""
        return self._there[seat]

    def tell(self) -> None:
        """Something happened."""
        self._version += 1
        for waiting in self._waiting:
            waiting.set()

    def close(self) -> None:
        """Send the viewers away."""
        self._closed = True
        self.tell()

    async def follow(self, seat: int | None, after: int) -> AsyncGenerator[str, None]:
        """Messages for a viewer who has the events up to number `after` (-1: none), until the room closes.

        Who leaves earlier closes it (`contextlib.aclosing`): until then it counts among those who are there.
        """
        cut = self._texts.setdefault(seat, _SeatEvents(self._room, seat))
        if after >= (count := await cut.count()):
            raise RequestError(f"after {after}: there are events 0 to {count - 1}")
        place, told, wake = after + 1, -1, asyncio.Event()
        self._waiting.add(wake)
        self._there[seat] += 1
        self._room.looked_at(seat)
        try:
            while not self._closed:
                wake.clear()
                async for text in cut.since(place):
                    yield text
                    place += 1
                if told != self._version:
                    told = self._version
                    yield self._state(seat)
                    await asyncio.sleep(BREATH)
                    await self._event_after(cut, place, wake, LULL - BREATH)
                    continue
                await wake.wait()
        finally:
            self._waiting.discard(wake)
            self._there[seat] -= 1
            self._room.looked_at(seat)

    async def _event_after(self, cut: _SeatEvents, place: int, wake: asyncio.Event, seconds: float) -> None:
        """Wait until the viewer has an event of that number to come, so many seconds at most."""
        clock = asyncio.get_running_loop().time
        until = clock() + seconds
        while not self._closed and not cut.has(place) and clock() < until:
            wake.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(until):
                    await wake.wait()

    def _state(self, seat: int | None) -> str:
        """The state of the moment, made once for all viewers of a seat."""
        version, text = self._now.get(seat, (-1, ""))
        if version != self._version:
            text = _text(self._room.now(seat))
            self._now[seat] = self._version, text
        return text


class _SeatEvents:
    """The events for one seat as texts, each made once.

    They are numbered as the seat has them: a gap would tell that something happened of which it may not know.
    """

    def __init__(self, room: FeedRoom, seat: int | None) -> None:
        self._log = room.log
        self._filter = FogFilter(room.game.map, room.game.rules, room.game.players, seat)
        self._seen = 0  # events that were looked at
        self._texts: list[str] = []
        self.size = 0  #: characters of them, each a byte

    async def since(self, place: int) -> AsyncIterator[str]:
        """The texts from that number on; a long game's are made bit by bit, so that nobody waits meanwhile."""
        began = time.perf_counter()
        while place < len(self._texts) or self._seen < self._log.events:
            if place < len(self._texts):
                yield self._texts[place]
                place += 1
            else:
                self._cut(began + SLICE)
            if time.perf_counter() - began > SLICE:
                await asyncio.sleep(0)
                began = time.perf_counter()

    async def count(self) -> int:
        """How many there are for the seat so far."""
        while self._seen < self._log.events:
            self._cut(time.perf_counter() + SLICE)
            await asyncio.sleep(0)
        return len(self._texts)

    def has(self, place: int) -> bool:
        """Whether there is one of that number, as far as that can be seen at a stretch."""
        if place >= len(self._texts):
            self._cut(time.perf_counter() + SLICE)
        return place < len(self._texts)

    def _cut(self, until: float) -> None:
        """Cut what is left, one event at least, and no longer than that."""
        while self._seen < self._log.events:
            event: Any = self._filter.see(self._log.event(self._seen))
            self._seen += 1
            if event is not None:
                self._texts.append(_text({"type": "event", "n": len(self._texts), **event}))
                self.size += len(self._texts[-1])
            if time.perf_counter() > until:
                return


def _text(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"))
