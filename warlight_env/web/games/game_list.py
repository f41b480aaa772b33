"""The list of games in a folder: a thread scans the folder, the process pool reads each log once."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from warlight_env.record.names import PARTIAL, PLAIN
from warlight_env.web.errors import BUSY, ProcessPoolError, RequestError
from warlight_env.web.storage.game_folder import FileStamp, file_stamp
from warlight_env.web.storage.saved_game import SEATS
from warlight_env.web.workers import worker_tasks
from warlight_env.web.workers.process_pool import ProcessPool

MAX_LISTED: Final = 20  # the maximum number of games in the short list
AT_ONCE: Final = 40  # the maximum number of logs that the process pool reads together
SIZE: Final = 16 << 20  # the maximum total bytes of the logs that the process pool reads together
WAIT: Final = 0.5  # seconds without reading logs while the process pool is busy

UNREAD: Final = ((-1, -1), (-1, -1))  # stamps that no file has: the files are still to be read

Row = dict[str, Any]

T = TypeVar("T")


class SharedTask(Generic[T]):
    """A function that runs once for all waiting requests.

    A request that arrives while the function runs gets the result of the next run of the function.
    """

    def __init__(self, work: Callable[[], Coroutine[Any, Any, T]]) -> None:
        self._work = work
        self._lock = asyncio.Lock()
        self._next_run: asyncio.Task[T] | None = None
        self._tasks: set[asyncio.Task[T]] = set()

    async def get(self) -> T:
        """Return the work's result, or raise its error."""
        if self._next_run is None:
            self._next_run = asyncio.ensure_future(self._run())
            self._tasks.add(self._next_run)
            self._next_run.add_done_callback(self._tasks.discard)
        return await asyncio.shield(self._next_run)

    async def _run(self) -> T:
        async with self._lock:
            self._next_run = None
            return await self._work()

    def close(self) -> None:
        """Cancel the calls of the shared function that run or wait."""
        for task in self._tasks:
            task.cancel()


@dataclass(frozen=True)
class ListedGame:
    """A game in the folder: the time of its last change in seconds, and the stamps (time, size) of its two files."""

    id: str
    modified: int
    stamps: tuple[FileStamp, FileStamp]


class GameList:
    """The games of a folder, the last changed game first; contains only games in which a person did something, or that
    a player has opened.

    Args:
        folder: the folder of games. process_pool: reads logs. rows: list entries of the games in memory; the files of
            these games are not read.
    """

    def __init__(self, folder: Path, process_pool: ProcessPool, rows: Callable[[], dict[str, Row]]) -> None:
        self._folder, self._process_pool, self._rows = folder, process_pool, rows
        # for each game, the stamps of its files when they were last read, and its list entry
        self._cached_rows: dict[str, tuple[tuple[FileStamp, FileStamp], Row | None]] = {}
        self._thread = ThreadPoolExecutor(
            1, "warlight-listing"
        )  # its own thread, because other threads may be busy for long
        self._newest_task = SharedTask(self._newest)
        self._scan_task = SharedTask(self._scan)
        self._reading: asyncio.Task[None] | None = None

    async def newest(self) -> list[Row]:
        """Return the list entries of the newest games.

        While the process pool is busy, a game whose log is unread has its former entry, or is left out without one.
        """
        return await self._newest_task.get()

    async def all(self) -> tuple[list[Row], int]:
        """Return the entries of all games with a known log, and the number of unread logs.

        The method also starts to read the unread logs. A game whose files have changed, and a game that has left the
        memory, keeps its former entry until its log has been read.
        """
        entries = await self._scan_task.get()
        loaded_rows = self._rows()
        rows, missing = [], []
        for entry in entries:
            if entry.id not in loaded_rows and not self._is_cached(entry):
                missing.append(entry)
            row = loaded_rows.get(entry.id) or self._last_row(entry)
            if row is not None and (row["begun"] or row["name"]):
                rows.append(_list_entry(entry, row))
        if missing and (self._reading is None or self._reading.done()):
            self._reading = asyncio.get_running_loop().create_task(self._read_all(missing))
        return rows, len(missing)

    def keep(self, id: str, row: Row) -> None:
        """Keep the entry of a game that leaves the memory, so that lists have it until its files are read."""
        self._cached_rows[id] = UNREAD, row

    def set_name(self, id: str, name: str) -> None:
        """Change the name in the last entry of a game, so that lists have it before the files are read again."""
        stamps, row = self._cached_rows.get(id, (None, None))
        if stamps is not None and row is not None:
            self._cached_rows[id] = stamps, {**row, "name": name}

    async def in_thread(self, work: Callable[..., T], *args: Any) -> T:
        """Run another function in the thread of this list, such as the scan of another folder."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *args)

    def close(self) -> None:
        """Stop the list and its thread."""
        self._newest_task.close()
        self._scan_task.close()
        if self._reading is not None:
            self._reading.cancel()
        self._thread.shutdown(wait=True)

    async def _scan(self) -> list[ListedGame]:
        entries = await self.in_thread(listed, self._folder)
        ids = {entry.id for entry in entries}
        self._cached_rows = {id: cached for id, cached in self._cached_rows.items() if id in ids}
        return entries

    def _is_cached(self, entry: ListedGame) -> bool:
        """Return whether the current versions of the game's files have already been read."""
        return self._cached_rows.get(entry.id, (None, None))[0] == entry.stamps

    def _last_row(self, entry: ListedGame) -> Row | None:
        """Return the list entry of the game from its last read files, which may have changed since."""
        return self._cached_rows.get(entry.id, (None, None))[1]

    async def _newest(self) -> list[Row]:
        rows: list[Row] = []
        remaining = await self._scan_task.get()
        while remaining and len(rows) < MAX_LISTED:
            part, remaining = remaining[:MAX_LISTED], remaining[MAX_LISTED:]
            loaded_rows = self._rows()
            with contextlib.suppress(RequestError, ProcessPoolError):
                await self._read_logs(
                    [entry for entry in part if entry.id not in loaded_rows and not self._is_cached(entry)]
                )
            for entry in part:
                row = loaded_rows.get(entry.id) or self._last_row(entry)
                if row is not None and (row["begun"] or row["name"]):
                    rows.append(_list_entry(entry, row))
        return rows[:MAX_LISTED]

    async def _read_all(self, missing: Sequence[ListedGame]) -> None:
        """Read the logs part by part. A single log that the process pool cannot read is not tried again."""
        for part in _parts(missing):
            try:
                await self._read_logs(part)
            except (RequestError, ProcessPoolError) as error:
                if getattr(error, "status", 0) in BUSY and len(part) > 1:
                    await asyncio.sleep(WAIT)  # the process pool is busy: the next list reads these logs
                elif len(part) == 1:
                    self._cached_rows[part[0].id] = part[0].stamps, None

    async def _read_logs(self, entries: Sequence[ListedGame]) -> None:
        """Read the logs of `entries` in the process pool."""
        for part in _parts(entries):
            rows = await self._process_pool.short(worker_tasks.rows_of, self._folder, [entry.id for entry in part])
            self._cached_rows.update({entry.id: (entry.stamps, row) for entry, row in zip(part, rows, strict=True)})


def _list_entry(entry: ListedGame, row: Row) -> Row:
    return {"id": entry.id, **{key: value for key, value in row.items() if key != "begun"}, "when": entry.modified}


def _parts(entries: Sequence[ListedGame]) -> Iterator[list[ListedGame]]:
    """Split games into groups whose logs the process pool reads quickly; a large log is a group of its own."""
    part: list[ListedGame] = []
    size = 0
    for entry in entries:
        log = entry.stamps[1][1]
        if part and (len(part) == AT_ONCE or size + log > SIZE):
            yield part
            part, size = [], 0
        part.append(entry)
        size += log
    if part:
        yield part


def listed(folder: Path) -> list[ListedGame]:
    """Return the games of a folder, sorted by the time of the last change of their logs, the latest first."""
    seats: dict[str, FileStamp] = {}
    logs: dict[str, FileStamp] = {}
    try:
        with os.scandir(folder) as files:
            for file in files:
                for suffix, stamps in ((SEATS, seats), (f"{PARTIAL}{PLAIN}", logs), (PLAIN, logs)):
                    if file.name.endswith(suffix):
                        with contextlib.suppress(OSError):  # the file was just deleted
                            stamps[file.name.removesuffix(suffix)] = file_stamp(file.stat())
                        break
    except FileNotFoundError:
        return []
    games = [ListedGame(id, logs[id][0] // 10**9, (stamp, logs[id])) for id, stamp in seats.items() if id in logs]
    return sorted(games, key=lambda entry: (entry.stamps[1][0], entry.id), reverse=True)
