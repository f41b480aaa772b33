"""Folders to which runs only ever append, so that what ends a run, however hard, costs no more than its last line."""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Final, Self

from warlight_env import bounded
from warlight_env.agents.former_names import present_specs
from warlight_env.errors import InputError, RunError, clipped
from warlight_env.folder_lock import FolderLock
from warlight_env.output import open_output, write_file

#: What taking a line apart raises where it is damaged, or of something else.
NOT_OURS = (ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError, RecursionError)


class RunFolderError(InputError):
    """A run folder that belongs to another run, is damaged, or is in use; nothing in it has been changed."""


class AppendOnlyFolder(ABC):
    """A description that says what a run is, and a file with a line of JSON for each thing that it has done.

    The description is there as a whole or not at all. Lines are only ever appended; a last one that a kill or a full
    disk cut off is dropped when the run goes on. While the context lasts, the folder is locked against other runs.

    Subclasses say what the files are called, and in `take` what a line means.

    Args:
        folder: made if it is not there. Or the lock of a folder that the caller holds, and releases after the context.
        description: all that decides the run, as JSON takes it; a folder with another one is refused.

    Raises:
        RunFolderError: the folder describes something else (the message names the field), is damaged, or in use.
        RunError: it cannot be written.
    """

    description_name: ClassVar[str]
    lines_name: ClassVar[str]
    #: What a line tells, with its article.
    item: ClassVar[str]
    #: What is raised where the folder cannot be used.
    error: ClassVar[type[RunFolderError]] = RunFolderError
    #: Seconds for which lines may be with the system only, which a killed process survives and a power cut does not.
    sync_seconds: ClassVar[float] = 0.0

    def __init__(self, folder: Path | FolderLock, description: dict[str, Any]) -> None:
        self.folder = folder if isinstance(folder, Path) else folder.folder
        self._lock = folder if isinstance(folder, FolderLock) else None
        self._own_lock: FolderLock | None = None
        self._description = json.loads(json.dumps(description))
        self._file = -1
        self._end = 0  # of the last whole line
        self._synced = 0.0

    def __enter__(self) -> Self:
        try:
            self._is_described()  # before anything is made in another run's folder
            if self._lock is None:
                self._own_lock = FolderLock(self.folder, in_use=self.error, unwritable=self._failure)
            try:
                self._open()
            except BaseException:
                self._unlock()
                raise
        except OSError as error:
            raise self._failure(error) from error
        self._synced = time.monotonic()
        return self

    def _open(self) -> None:
        self._file = open_output(self.folder / self.lines_name, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            if not self._is_described():  # of two runs that begin at once, the one with the lock describes the folder
                self._describe()
            self._end = self._read()
        except BaseException:
            os.close(self._file)
            raise

    def __exit__(self, *exception: object) -> None:
        try:
            os.fsync(self._file)
        except OSError as error:
            raise self._failure(error) from error
        finally:
            os.close(self._file)
            self._unlock()

    def _unlock(self) -> None:
        if self._own_lock is not None:
            self._own_lock.release()
            self._own_lock = None

    @abstractmethod
    def take(self, fields: Any) -> None:
        """Take in what a line says; called for each line that the folder holds.

        Raises:
            ValueError, TypeError, KeyError, AttributeError: it is not of this run.
        """

    def setting(self, where: Sequence[str]) -> str:
        """What a person calls the part of the description to which these keys lead."""
        return ".".join(where)

    def completed(self, found: dict[str, Any]) -> dict[str, Any]:
        """What the folder describes, with what older versions did not say yet."""
        return found

    def append_lines(self, items: Sequence[Any]) -> None:
        """Write a line for each item, as JSON takes it.

        Raises:
            RunError: that failed; the lines written before are still there.
            ValueError: an item holds a number that is none; nothing has been written.
        """
        if not items:
            return
        lines = "".join(json.dumps(item, allow_nan=False) + "\n" for item in items).encode()
        try:
            self._end = append_whole(self._file, self._end, lines)
            if time.monotonic() - self._synced >= self.sync_seconds:
                os.fsync(self._file)
                self._synced = time.monotonic()
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self._end)
            raise self._failure(error) from error

    def write(self, name: str, content: str | bytes) -> Path:
        """Write another file of the run, in a folder of its own if the name says so, as a whole, or leave it as it was.

        Raises:
            RunError: that failed.
        """
        try:
            (self.folder / name).parent.mkdir(exist_ok=True)
            self._write(self.folder / name, content)
        except OSError as error:
            raise self._failure(error) from error
        return self.folder / name

    def _write(self, path: Path, content: str | bytes) -> None:
        """Write a file of the folder. A kill leaves one temporary file at most, which the next run overwrites."""
        write_file(path, content, temporary=path.with_name(f".{path.name}.tmp"))

    def _failure(self, error: OSError) -> RunError:
        return RunError(
            f"cannot write run folder {self.folder}: {error.strerror or error}; what it holds is kept, and the same "
            "run goes on from there"
        )

    def _is_described(self) -> bool:
        """Whether the folder says what it is of; refused where that is another run."""
        path = self.folder / self.description_name
        if not path.exists():
            return False
        text = bounded.read_text(path, bounded.RESULT_BYTES, self.error, "description of a run")
        found = bounded.parse_json(text, f"{path}: no description of a run", self.error)
        if not isinstance(found, dict):
            raise self.error(f"{path}: no description of a run (it is no object)")
        difference = _difference(self.completed(present_specs(found)), self._description)
        if difference is not None:
            where, there, here = difference
            same = "the same settings"
            if _undigested(there) == _undigested(here):
                same = "what these names stood for then (it is their digests that differ)"
            raise self.error(
                f"{self.folder} holds another run ({self.setting(where)}: {_shown(there)} there, {_shown(here)} here); "
                f"to go on give {same}, or another folder"
            )
        return True

    def _describe(self) -> None:
        if os.fstat(self._file).st_size:
            raise self.error(
                f"{self.folder}: {self.lines_name} is there, but no {self.description_name} says what it is of"
            )
        self._write(self.folder / self.description_name, json.dumps(self._description, indent=2) + "\n")

    def _read(self) -> int:
        """Take in all whole lines; returns where the last one ends."""
        path = self.folder / self.lines_name
        end = 0
        with bounded.open_file(path) as file:
            for number, line in enumerate(whole_lines(file), 1):
                try:
                    if line is None:
                        raise ValueError(f"more than {bounded.in_words(bounded.RESULT_BYTES)}")
                    self.take(bounded.decode_line(line))
                except NOT_OURS as error:
                    reason = clipped(f"{type(error).__name__}: {error}", 300)
                    raise self.error(f"{path}, line {number}: not {self.item} of this run ({reason})") from None
                end += len(line)
        return end


def whole_lines(file: BinaryIO) -> Iterator[bytes | None]:
    """The lines of a file with their ends, one by one; without a last one that has none. None: one that is too long."""
    while line := file.readline(bounded.RESULT_BYTES + 1):
        if line.endswith(b"\n"):
            yield line
        elif len(line) > bounded.RESULT_BYTES:
            yield None


def append_whole(file: int, end: int, data: bytes) -> int:
    """Append to an open file whose content ends at `end`, all or nothing; returns where it ends now.

    What a write that was broken off left behind is cut off before the next one.

    Raises:
        OSError: nothing was appended.
    """
    try:
        if os.fstat(file).st_size != end:
            os.ftruncate(file, end)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(file, rest) :]
    except OSError:
        with contextlib.suppress(OSError):
            os.ftruncate(file, end)
        raise
    return end + len(data)


def _difference(there: Any, here: Any, where: tuple[str, ...] = ()) -> tuple[tuple[str, ...], Any, Any] | None:
    """The keys to the first field in which two descriptions differ, with both values."""
    if isinstance(there, dict) and isinstance(here, dict):
        for key in [*here, *(key for key in there if key not in here)]:
            found = _difference(there.get(key), here.get(key), (*where, key))
            if found is not None:
                return found
        return None
    return None if there == here and type(there) is type(here) else (where, there, here)


#: What descriptions have behind the name of a file or of an agent's source, see `agents.registry.pinned`.
_DIGEST: Final = re.compile(r"#[0-9a-f]{16}\b")


def _undigested(value: Any) -> str:
    """A value of a description without what stands behind its names."""
    return _DIGEST.sub("", json.dumps(value))


def _shown(value: Any) -> str:
    """A value of a description in a message; a whole contest would fill the screen."""
    text = "none" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else f"{text[:300]} …"
