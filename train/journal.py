"""A run's folder: what it is, and what happened so far, line by line, so that a killed run goes on exactly."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from warlight_env.arena.runs import write_atomically
from warlight_env.errors import InputError, RunError

try:
    import fcntl
except ImportError:  # no such locks there: that two runs write to one folder goes unnoticed
    fcntl = None  # type: ignore[assignment]

#: What a run is.
SETTINGS: Final = "settings.json"
#: What happened.
JOURNAL: Final = "journal.jsonl"


class JournalError(InputError):
    """A folder that belongs to another run, is damaged or in use; nothing in it has been changed."""


class Journal:
    """The folder of a training run.

    `settings.json` is there as a whole or not at all; `journal.jsonl` is only ever appended to, and each line is on the
    disk before the run goes on. A line that a kill or a full disk cut off is dropped when the run goes on.

    Args:
        folder: made if it is not there.
        settings: plain data that decides the run.

    Raises:
        JournalError: the folder holds another run, is damaged or in use.
        RunError: it cannot be written.
    """

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        self.folder, self._settings, self._file = folder, json.loads(json.dumps(settings)), -1
        self.entries: list[dict[str, Any]] = []  #: so far

    def __enter__(self) -> Journal:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._check_settings()
            self._file = os.open(self.folder / JOURNAL, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            raise self._failure(error) from error
        try:
            self._lock()
            self._end = self._read()
        except BaseException:
            os.close(self._file)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)

    def append(self, entry: dict[str, Any]) -> None:
        """Write what happened; on the disk when this returns.

        Raises:
            RunError: that failed; everything before is still there.
        """
        line = (json.dumps(entry, allow_nan=False) + "\n").encode()
        try:
            if os.fstat(self._file).st_size != self._end:
                os.ftruncate(self._file, self._end)
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(self._file, rest) :]
            os.fsync(self._file)
        except OSError as error:
            raise self._failure(error) from error
        self._end += len(line)
        self.entries.append(json.loads(line))

    def write(self, name: str, content: str | bytes) -> Path:
        """Write a file of the run, in a folder of its own if the name says so, as a whole, or leave it as it was.

        Raises:
            RunError: that failed.
        """
        try:
            (self.folder / name).parent.mkdir(exist_ok=True)
            write_atomically(self.folder / name, content)
        except OSError as error:
            raise self._failure(error) from error
        return self.folder / name

    def _check_settings(self) -> None:
        path = self.folder / SETTINGS
        if not path.exists():
            if (self.folder / JOURNAL).exists():
                raise JournalError(f"{self.folder}: {JOURNAL} is there, but no {SETTINGS} says what it is of")
            write_atomically(path, json.dumps(self._settings, indent=2) + "\n")
            return
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise JournalError(f"{path}: damaged ({error})") from None
        for key in {**self._settings, **(found if isinstance(found, dict) else {})}:
            there, here = found.get(key), self._settings.get(key)
            if there != here:
                raise JournalError(
                    f"{self.folder} holds another run: {key} = {json.dumps(there)} there, {json.dumps(here)} here; "
                    "give the same settings to go on, or another folder"
                )

    def _failure(self, error: OSError) -> RunError:
        return RunError(
            f"cannot write {self.folder}: {error.strerror or error}; what is there is kept, and the same command goes "
            "on from it"
        )

    def _lock(self) -> None:
        if fcntl is None:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise JournalError(f"{self.folder}: another process is at this run") from None

    def _read(self) -> int:
        data = (self.folder / JOURNAL).read_bytes()
        end = data.rfind(b"\n") + 1
        for number, line in enumerate(data[:end].splitlines(), 1):
            try:
                self.entries.append(json.loads(line))
            except ValueError as error:
                raise JournalError(f"{self.folder / JOURNAL}, line {number}: damaged ({error})") from None
        return end
