"""The list of a folder's games, read beside the loop: the folder in a thread, logs in the desk, each once."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from warlight_env.record.names import PARTIAL, PLAIN
from warlight_env.web import clerk
from warlight_env.web.clerk import SEATS
from warlight_env.web.desk import Desk, DeskError
from warlight_env.web.errors import RequestError

MOST: Final = 20  # games of a list

Row = dict[str, Any]
#: By which a file that has changed is known: time and size.
Stamp = tuple[int, int]

T = TypeVar("T")


class Shared(Generic[T]):
    """Work done once for all who ask before it begins; who asks while it is done gets that of the next time."""

    def __init__(self, work: Callable[[], Coroutine[Any, Any, T]]) -> None:
        self._work = work
        self._lock = asyncio.Lock()
        self._coming: asyncio.Task[T] | None = None
        self._tasks: set[asyncio.Task[T]] = set()

    async def get(self) -> T:
        """What the work returns or raises."""
        if self._coming is None:
            self._coming = asyncio.ensure_future(self._run())
            self._tasks.add(self._coming)
            self._coming.add_done_callback(self._tasks.discard)
        return await asyncio.shield(self._coming)

    async def _run(self) -> T:
        async with self._lock:
            self._coming = None
            return await self._work()

    def close(self) -> None:
        """Leave off."""
        for task in self._tasks:
            task.cancel()


@dataclass(frozen=True)
class ListedGame:
    """A game in the folder: when its seats were written, and the stamps of its files."""

    id: str
    when: int
    stamps: tuple[Stamp, Stamp]


class Listing:
    """The newest games of a folder.

    Args:
        folder: of games. desk: reads logs. rows: of the games in memory, whose files need not be read.
    """

    def __init__(self, folder: Path, desk: Desk, rows: Callable[[], dict[str, Row]]) -> None:
        self._folder, self._desk, self._rows = folder, desk, rows
        self._known: dict[str, tuple[tuple[Stamp, Stamp], Row | None]] = {}  # those that were listed last
        self._thread = ThreadPoolExecutor(1, "warlight-listing")  # of its own, as others may be taken for long
        self._shared = Shared(self._list)

    async def newest(self) -> list[Row]:
        """What a list shows of them. Where the desk has too much to do, games whose logs it must read are left out."""
        return await self._shared.get()

    async def beside(self, work: Callable[..., T], *args: Any) -> T:
        """Have another folder looked through in the same thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *args)

    def close(self) -> None:
        """List no more."""
        self._shared.close()
        self._thread.shutdown(wait=True)

    async def _list(self) -> list[Row]:
        found = await self.beside(newest, self._folder, MOST)
        here, known = self._rows(), self._known
        listed, rows = {}, []
        for entry in found:
            row = here.get(entry.id)
            if row is None:
                if known.get(entry.id, (None, None))[0] == entry.stamps:
                    listed[entry.id] = known[entry.id]
                else:
                    try:
                        read = await self._desk.short(clerk.row_of, self._folder, entry.id)
                    except (RequestError, DeskError):
                        continue
                    listed[entry.id] = entry.stamps, read
                row = listed[entry.id][1]
            if row is not None:
                rows.append({"id": entry.id, **row, "when": entry.when})
        self._known = listed
        return rows


def newest(folder: Path, most: int) -> list[ListedGame]:
    """The games whose seats were written last, the newest first."""
    found: list[tuple[int, str, Stamp]] = []
    try:
        with os.scandir(folder) as files:
            for file in files:
                if file.name.endswith(SEATS):
                    try:
                        stamp = _stamp(file.stat())
                    except OSError:  # it has just gone
                        continue
                    found.append((stamp[0], file.name.removesuffix(SEATS), stamp))
    except FileNotFoundError:
        return []
    entries = []
    for written, id, seats in sorted(found, reverse=True)[:most]:
        for name in (f"{id}{PLAIN}", f"{id}{PARTIAL}{PLAIN}"):
            try:
                log = _stamp((folder / name).stat())
            except OSError:
                continue
            entries.append(ListedGame(id, written // 10**9, (seats, log)))
            break
    return entries


def _stamp(found: os.stat_result) -> Stamp:
    return found.st_mtime_ns, found.st_size
