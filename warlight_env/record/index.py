"""A list of the game logs in a folder. A hidden SQLite file in the folder caches the list.

Users may delete the hidden file at any time.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from warlight_env.agents.agent_spec import AgentSpec
from warlight_env.agents.registry import unpinned
from warlight_env.arguments import path_of
from warlight_env.record.errors import LogError
from warlight_env.record.names import is_log
from warlight_env.record.reader import LogSummary, summarize

NAME: Final = ".warlight-logs.sqlite"
_VERSION: Final = 2
_TABLE: Final = """
CREATE TABLE games (
    path TEXT PRIMARY KEY, stamp TEXT NOT NULL, status TEXT NOT NULL, rounds INTEGER, winner INTEGER,
    players TEXT NOT NULL, specs TEXT NOT NULL, map TEXT, rules TEXT, seed TEXT, number INTEGER, reason TEXT
) WITHOUT ROWID
"""
#: Errors of SQLite that come from the operating system, not from the file. After such an error, the list is in memory.
_OS_CODES: Final = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_FULL", "SQLITE_IOERR")
_NO_TEXT: Final = "no text"  # the stamp of a log whose name is not valid UTF-8; such a log is not read
_BATCH: Final = 500  # the SQLite file is written after this number of logs


@dataclass(frozen=True)
class LogEntry:
    """An entry of the list of logs: the data about one log file in the folder. Players are numbered from 0."""

    path: str  #: path relative to the folder, with "/" as the separator
    status: str  #: a value of `GameLog.status`, or "unreadable"
    rounds: int
    winner: int | None
    players: tuple[str, ...]  #: names of the players, in the order of the seats
    specs: tuple[str, ...]  #: the agents' specifications, in the order of the seats; "" for people and functions
    map: str
    rules: str
    seed: int
    number: int | None  #: number of the game in its match, from 0; None: the game belongs to no match
    reason: str  #: the reason why the log is unreadable; "" if it is readable


class LogIndex:
    """A list of the logs in a folder and its subfolders, in the order of their paths, and a context manager.

    `refresh` reads new and changed logs, and removes deleted logs from the list. The list is stored in a hidden file in
    the folder. If the hidden file is damaged, a new file replaces it. If the hidden file cannot be written, the list
    exists only in memory. If the hidden file is damaged or cannot be written, `notices` contains a message.

    Raises:
        LogError: the folder does not exist.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = path_of(folder, "folder", LogError)
        if not os.path.isdir(self.folder):
            raise LogError(f"{self.folder}: this folder does not exist")
        self.notices: list[str] = []
        self._file = self.folder / NAME
        self._database = self._open()

    def __enter__(self) -> LogIndex:
        return self

    def __exit__(self, *exception: object) -> None:
        self._database.close()

    def refresh(self, on_log: Callable[[int, int], None] | None = None) -> int:
        """Update the list. Return the number of logs that were read.

        Args:
            on_log: a function that is called after each log, with the number of logs read so far and the total number.
        """
        try:
            return self._refresh(on_log)
        except sqlite3.Error as error:
            self._database.close()
            self._database = self._replace_database(error)
            return self._refresh(on_log)

    def entries(self, agent: str | None = None, status: str | None = None, player: str | None = None) -> list[LogEntry]:
        """Return the entries of the list in the order of their paths.

        Args:
            agent: only games of this agent, as a specification; a name without parameters, such as "mcts", matches any
                parameters.
            status: only logs with this status.
            player: only games of the player with this name.
        """
        try:
            entries = self._entries()
        except (sqlite3.Error, ValueError, TypeError, RecursionError):  # another program has changed the SQLite file
            self._database.close()
            self._database = self._replace_database(sqlite3.DatabaseError("another program changed its rows"))
            self._refresh(None)
            entries = self._entries()
        return [
            entry
            for entry in entries
            if (status is None or entry.status == status)
            and (player is None or player in entry.players)
            and (agent is None or any(agent in (spec, AgentSpec.parse(spec).name) for spec in _agents(entry)))
        ]

    def _entries(self) -> list[LogEntry]:
        """Return all entries. Raise ValueError or TypeError if a row does not have the format that `_row` writes."""
        entries = []
        rows = self._database.execute(
            "SELECT path, status, rounds, winner, players, specs, map, rules, seed, number, reason "
            "FROM games ORDER BY path"
        )
        for path, state, rounds, winner, players, agents, map_, rules, seed, number, reason in rows:
            names, specs = tuple(json.loads(players)), tuple(json.loads(agents))
            entry = LogEntry(path, state, rounds, winner, names, specs, map_, rules, int(seed), number, reason)
            texts, numbers = (path, state, *names, *specs, map_, rules, reason), (rounds, winner or 0, number or 0)
            if not all(type(text) is str for text in texts) or not all(type(value) is int for value in numbers):
                raise TypeError(path)
            entries.append(entry)
        return entries

    def _open(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except sqlite3.Error as error:
            return self._replace_database(error)

    def _connect(self) -> sqlite3.Connection:
        database = sqlite3.connect(self._file, timeout=10)
        try:
            database.execute("PRAGMA synchronous = OFF")  # do not wait for the disk: lost rows are read again
            (version,) = database.execute("PRAGMA user_version").fetchone()
            if version == 0:
                with database:
                    database.execute(_TABLE)
                    database.execute(f"PRAGMA user_version = {_VERSION}")
            elif version != _VERSION:
                raise sqlite3.DatabaseError(f"the index has version {version}, not {_VERSION}")
            database.execute("SELECT path, stamp, reason FROM games LIMIT 1").fetchall()
        except BaseException:
            database.close()
            raise
        return database

    def _replace_database(self, error: sqlite3.Error) -> sqlite3.Connection:
        """Replace a damaged SQLite file by a new file, or, if no file can be written, by a database in memory."""
        if not (getattr(error, "sqlite_errorname", None) or "").startswith(_OS_CODES):
            self.notices.append(f"{self._file}: the index cannot be used ({error}) and was made again")
            with contextlib.suppress(OSError, sqlite3.Error):
                for suffix in ("", "-journal", "-wal", "-shm"):
                    self._file.with_name(NAME + suffix).unlink(missing_ok=True)
                return self._connect()
        self.notices.append(f"{self._file}: the index cannot be written ({error}); every call reads all logs again")
        database = sqlite3.connect(":memory:")
        database.execute(_TABLE)
        return database

    def _refresh(self, on_log: Callable[[int, int], None] | None) -> int:
        stored_stamps = dict(self._database.execute("SELECT path, stamp FROM games"))
        file_stamps = dict(_logs(self.folder))
        with self._database:
            self._database.executemany(
                "DELETE FROM games WHERE path = ?", [(path,) for path in stored_stamps if path not in file_stamps]
            )
        changed_paths = sorted(path for path, stamp in file_stamps.items() if stored_stamps.get(path) != stamp)
        for first in range(0, len(changed_paths), _BATCH):
            rows = []
            for path in changed_paths[first : first + _BATCH]:
                rows.append(_row(self.folder, path, file_stamps[path]))
                if on_log is not None:
                    on_log(first + len(rows), len(changed_paths))
            with self._database:
                self._database.executemany(f"INSERT OR REPLACE INTO games VALUES ({', '.join('?' * 12)})", rows)
        return len(changed_paths)


def _agents(entry: LogEntry) -> Iterator[str]:
    """Yield the agent's specification for each player; for a player without a specification, yield its name."""
    yield from (spec or name for name, spec in zip(entry.players, entry.specs, strict=True))


def _logs(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the logs in a folder and its subfolders, each with a text (stamp) that changes when the file changes."""
    for directory, _, names in os.walk(folder):
        for name in names:
            if is_log(name):
                path = Path(directory, name)
                relative_path = path.relative_to(folder).as_posix()
                if not _is_text(relative_path):
                    yield relative_path.encode("utf-8", "backslashreplace").decode(), _NO_TEXT
                    continue
                with contextlib.suppress(FileNotFoundError):  # the log of a running game was renamed in the meantime
                    stat = path.stat()
                    yield relative_path, f"{stat.st_size}-{stat.st_mtime_ns}-{stat.st_ino}"


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _row(folder: Path, path: str, stamp: str) -> tuple[Any, ...]:
    reason = "its name is not UTF-8"
    try:
        if stamp != _NO_TEXT:
            return (path, stamp, *_columns(summarize(folder / path)), "")
    except LogError as error:
        reason = str(error).removeprefix(f"{folder / path}: ")
    return (path, stamp, "unreadable", 0, None, "[]", "[]", "", "", "0", None, reason)


def _columns(summary: LogSummary) -> tuple[Any, ...]:
    header = summary.header
    number = (header.match or {}).get("game")
    return (
        summary.status,
        summary.rounds,
        None if summary.end is None else summary.end.winner,
        json.dumps([player.name for player in header.players]),
        json.dumps([unpinned(player.spec) if player.spec else "" for player in header.players]),
        header.map.name,
        header.rules.name,
        str(header.seed),
        number if type(number) is int and 0 <= number < 2**63 else None,
    )
