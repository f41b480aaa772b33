"""Run folders: every finished game is on disk, and an interrupted run goes on where it was."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from warlight_env import __version__
from warlight_env.arena.course import Contest
from warlight_env.arena.play import GameRecord
from warlight_env.errors import InputError, RunError

try:
    import fcntl
except ImportError:  # no such locks there: that two runs write to one folder goes unnoticed
    fcntl = None  # type: ignore[assignment]

#: Version of the form of run folders.
FORMAT: Final = 1
DESCRIPTION: Final = "run.json"
GAMES: Final = "games.jsonl"

#: Seconds between two times at which the system is asked to bring what was written to the disk itself.
SYNC_SECONDS: Final = 1.0


class RunFolderError(InputError):
    """A run folder that belongs to another run, is damaged, or is in use; nothing in it has been changed."""


class RunFolder:
    """The state of a run: `run.json` says what is played, `games.jsonl` holds a line for every finished game.

    The description is written to a temporary file that then takes its name, so that it is there as a whole or not at
    all. Games are only ever appended; when the process is killed while it writes, the last line is incomplete, and is
    dropped when the run goes on.

    Args:
        folder: made if it is not there.
        contests: what is played.

    Raises:
        RunFolderError: the folder describes something else (the message names the field), is damaged, or in use.
        RunError: it cannot be written.
    """

    def __init__(self, folder: Path, contests: Sequence[Contest]) -> None:
        self.folder = folder
        self.known: dict[str, list[GameRecord]] = {contest.key: [] for contest in contests}  #: at the start
        self._contests = {contest.key: contest for contest in contests}
        self._file = -1

    def __enter__(self) -> RunFolder:
        description = describe_run(tuple(self._contests.values()))
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.folder / GAMES, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            raise self._failure(error) from error
        try:
            self._lock()  # first: of two runs that begin at once, one alone says what is played here
            self._describe(description)
            self._end = self._read()
        except BaseException:
            os.close(self._file)
            raise
        self._synced = time.monotonic()
        return self

    def __exit__(self, *exception: object) -> None:
        try:
            os.fsync(self._file)
        except OSError as error:
            raise self._failure(error) from error
        finally:
            os.close(self._file)

    def append(self, key: str, records: Sequence[GameRecord]) -> None:
        """Write finished games of a contest.

        Raises:
            RunError: that failed; the games written before are still there.
        """
        if not records:
            return
        lines = "".join(json.dumps({"contest": key, **record.to_dict()}) + "\n" for record in records).encode()
        try:
            if os.fstat(self._file).st_size != self._end:
                os.ftruncate(self._file, self._end)  # the rest of a write that was broken off
            rest = memoryview(lines)
            while rest:
                rest = rest[os.write(self._file, rest) :]
            self._end += len(lines)
            if time.monotonic() - self._synced > SYNC_SECONDS:
                os.fsync(self._file)
                self._synced = time.monotonic()
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self._end)
            raise self._failure(error) from error

    def _failure(self, error: OSError) -> RunError:
        return RunError(
            f"cannot write run folder {self.folder}: {error.strerror or error}; games that it holds are kept, and the "
            "same run goes on from them"
        )

    def _describe(self, description: dict[str, Any]) -> None:
        """Compare with what the folder says is played, or say it there."""
        path = self.folder / DESCRIPTION
        try:
            if path.exists():
                _compare(path, description)
            elif os.fstat(self._file).st_size:
                raise RunFolderError(f"{self.folder}: {GAMES} is there, but no {DESCRIPTION} says what was played")
            else:
                write_atomically(path, json.dumps(description, indent=2) + "\n")
        except OSError as error:
            raise self._failure(error) from error

    def _lock(self) -> None:
        if fcntl is None:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunFolderError(f"{self.folder}: another process is playing this run") from None

    def _read(self) -> int:
        """Read the games; returns where the last whole line ends."""
        data = (self.folder / GAMES).read_bytes()
        end = data.rfind(b"\n") + 1
        seen: dict[str, set[int]] = {key: set() for key in self.known}
        for number, line in enumerate(data[:end].splitlines(), 1):
            try:
                fields = json.loads(line)
                key = fields.pop("contest")
                record = GameRecord.from_dict(fields)
                setup = self._contests[key].setup
                if not 0 <= record.number < self._contests[key].n_games:
                    raise ValueError(f"there is no game {record.number}")
                if (record.unit, record.seats) != setup.place(record.number):
                    raise ValueError(f"game {record.number} has another unit or other seats")
                _check_result(record)
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                reason = f"{type(error).__name__}: {error}"
                raise RunFolderError(
                    f"{self.folder / GAMES}, line {number}: not a game of this run ({reason})"
                ) from None
            if record.number not in seen[key]:
                seen[key].add(record.number)
                self.known[key].append(record)
        return end


def _check_result(record: GameRecord) -> None:
    """Refuse what no game comes to with a `ValueError`: statistics would not notice."""
    players = range(len(record.seats))
    fits = {
        "winner": record.winner is None or (type(record.winner) is int and record.winner in players),
        "rounds": type(record.rounds) is int and record.rounds >= 0,
        "placements": len(record.placements) == len(players) and all(p - 1 in players for p in record.placements),
        "cut_off": type(record.cut_off) is bool,
        "dropped": len(record.dropped) == len(players) and all(type(n) is int and n >= 0 for n in record.dropped),
        "seconds": type(record.seconds) in (int, float) and record.seconds >= 0,
        "use": len(record.use) in (0, len(players)),
    }
    for name, fit in fits.items():
        if not fit:
            raise ValueError(f"game {record.number} has {name} = {getattr(record, name)!r:.60}")


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that it is there with all of the content, or as it was before, whatever happens meanwhile."""
    temporary = path.with_name(f".{path.name}.tmp")
    with open(temporary, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
    if os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def describe_run(contests: Sequence[Contest]) -> dict[str, Any]:
    """All that decides the games of a run, as JSON takes it."""
    described = {
        contest.key: {
            **contest.setup.describe(),
            "games": contest.n_games,
            "stop": None if contest.stop is None else contest.stop.describe(),
        }
        for contest in contests
    }
    return {"format": FORMAT, "version": __version__, "contests": described}


def _compare(path: Path, description: dict[str, Any]) -> None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RunFolderError(f"{path}: no description of a run ({error})") from None
    difference = _difference(found, json.loads(json.dumps(description)))
    if difference is not None:
        where, there, here = difference
        raise RunFolderError(
            f"{path.parent} holds another run: {where} = {json.dumps(there)} there, {json.dumps(here)} here; "
            "give the same settings to go on, or another folder"
        )


def _difference(there: Any, here: Any, where: str = "") -> tuple[str, Any, Any] | None:
    """The first field in which two descriptions differ, with both values."""
    if isinstance(there, dict) and isinstance(here, dict):
        for key in [*here, *(key for key in there if key not in here)]:
            inside = f"{where}.{key}" if where else key
            found = _difference(there.get(key), here.get(key), inside)
            if found is not None:
                return found
        return None
    return None if there == here and type(there) is type(here) else (where, there, here)
