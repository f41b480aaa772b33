"""Folders with a file to which a run only appends lines. A crash or a kill damages at most the last line."""

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

from warlight_env import bounded_io
from warlight_env.errors import InputError, RunError, clipped
from warlight_env.folder_lock import LOCK, FolderLock, folder_reason
from warlight_env.output import open_output, write_all, write_file
from warlight_env.tables import counted

#: The exceptions that the reader of a line may raise if the line is damaged or belongs to another run.
MALFORMED_DATA = (ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError, RecursionError)


class RunFolderError(InputError):
    """An error for a run folder that belongs to another run, is damaged, or is in use. The folder is unchanged."""


class AppendOnlyFolder(ABC):
    """A folder with two files: a description of a run, and one line of JSON for each completed item of the run.

    The description is written completely or not at all. Lines are only appended. A kill or a full disk can cut off the
    last line; the next run with this folder removes an incomplete line. The object is a context manager. Inside the
    ``with`` block, the folder is locked, so that no other run can use the folder. If an error ends the block before the
    first line, the new files and folders are removed.

    A subclass defines the file names, and the method `load_line`, which reads a line.

    Args:
        folder: the folder, which is made if it does not exist; or a `FolderLock` of the folder, which the caller
            releases after the ``with`` block.
        description: all settings that determine the results of the run, as JSON data. A folder with the description of
            another run cannot be used, unless that run has stored nothing else.

    Raises:
        RunFolderError: the folder contains another description (the error message names the field), is damaged, or is
            in use by another run.
        RunError: the folder cannot be written.
    """

    #: The name of the file with the description.
    description_name: ClassVar[str]
    #: The name of the file with the lines.
    lines_name: ClassVar[str]
    #: The item that a line contains, with an article, for error messages; for example "a game".
    item: ClassVar[str]
    #: The exception for a folder that cannot be used.
    error: ClassVar[type[RunFolderError]] = RunFolderError
    #: The minimum number of seconds between two calls of fsync. Lines that were written after the last call survive a
    #: kill of the process, but not a power failure.
    sync_seconds: ClassVar[float] = 0.0

    def __init__(self, folder: Path | FolderLock, description: dict[str, Any]) -> None:
        self.folder = folder if isinstance(folder, Path) else folder.folder
        self._lock = folder if isinstance(folder, FolderLock) else None
        self._own_lock: FolderLock | None = None
        self._description = json.loads(json.dumps(description))
        self._file = -1
        self._created: list[Path] = []  # the files that did not exist at the start of the ``with`` block
        self._end = 0  # the size in bytes of all complete lines
        self._synced = 0.0

    def __enter__(self) -> Self:
        try:
            self._is_described()  # raises an error before anything is written to the folder of another run
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
        paths = [self.folder / self.description_name, self.folder / self.lines_name]
        self._created = [path for path in paths if not os.path.lexists(path)]
        self._file = open_output(self.folder / self.lines_name, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            if not self._is_described():  # check again: another run may have written a description before the lock
                self._describe()
            self._end = self._read()
        except BaseException:
            self._close(refused=True)
            raise

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        try:
            os.fsync(self._file)
        except OSError as error:
            raise self._failure(error) from error
        finally:
            self._close(refused=kind is not None and issubclass(kind, Exception))
            self._unlock()

    def _close(self, refused: bool) -> None:
        """Close the file with the lines. refused: remove the new files if the run has stored nothing."""
        os.close(self._file)
        if refused:
            with contextlib.suppress(OSError):
                if self._is_unused():
                    for path in self._created:
                        path.unlink(missing_ok=True)

    def _unlock(self) -> None:
        if self._own_lock is not None:
            self._own_lock.release()
            self._own_lock = None

    @abstractmethod
    def load_line(self, fields: Any) -> None:
        """Read a line of the folder. At the start of the ``with`` block, the class calls this method for each line.

        fields: the content of the line, decoded from JSON.

        Raises:
            ValueError, TypeError, KeyError, AttributeError: the line does not belong to this run.
        """

    def setting_name(self, keys: Sequence[str]) -> str:
        """Return the name of a field of the description for error messages. keys: the keys that lead to the field."""
        return ".".join(keys)

    def append_lines(self, items: Sequence[Any]) -> None:
        """Append one line of JSON for each item.

        Raises:
            RunError: the lines cannot be written. Earlier lines remain in the file.
            ValueError: an item contains NaN or infinity. Nothing is written.
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
        """Write another file to the folder, and return its path.

        `name` may contain one subfolder, which is made if it does not exist. An existing file is replaced only after
        the new content is complete; after an error the old content remains.

        Raises:
            RunError: the file cannot be written.
        """
        try:
            (self.folder / name).parent.mkdir(exist_ok=True)
            self._write(self.folder / name, content)
        except OSError as error:
            raise self._failure(error) from error
        return self.folder / name

    def _write(self, path: Path, content: str | bytes) -> None:
        """Write a file of the folder. After a kill, one temporary file may remain, which the next run overwrites."""
        write_file(path, content, temporary=path.with_name(f".{path.name}.tmp"))

    def _failure(self, error: OSError) -> RunError:
        message = f"cannot write run folder {self.folder}: {folder_reason(self.folder, error)}"
        if os.path.isdir(self.folder):  # unlike `Path.is_dir`, it raises no error if the path is too long
            message += "; its content is kept. Give the same command again to continue the run"
        return RunError(message)

    def _is_unused(self) -> bool:
        """Return whether the run of the folder has stored nothing except its description."""
        lines = self.folder / self.lines_name
        names = {path.name for path in self.folder.iterdir()}
        return names <= {self.description_name, self.lines_name, LOCK} and not (lines.exists() and lines.stat().st_size)

    def _is_described(self) -> bool:
        """Return whether the folder has a description of this run.

        Raise an error if the folder has the description of another run, unless that run has stored nothing else and its
        description has the same keys.
        """
        path = self.folder / self.description_name
        if not path.exists():
            return False
        text = bounded_io.read_text(path, bounded_io.RESULT_BYTES, self.error, "description of a run")
        stored_description = bounded_io.parse_json(text, f"{path}: not a description of a run", self.error)
        if not isinstance(stored_description, dict):
            raise self.error(f"{path}: not a description of a run (the content is not an object)")
        difference = _difference(stored_description, self._description)
        if difference is not None:
            if stored_description.keys() == self._description.keys() and self._is_unused():
                return False
            keys, stored, current = difference
            if changes := _changed_files(stored, current):
                (name, (before, now)), *others = changes.items()
                more = f" and {counted(len(others), 'more file')}" if others else ""
                raise self.error(
                    f"{self.folder}: {name}{more} changed since the run in this folder (digest {before} in the folder, "
                    f"{now} now); to continue that run, restore the earlier content of {name}{more}; "
                    f"otherwise give another folder (--out)"
                )
            raise self.error(
                f"{self.folder} contains another run "
                f"({self.setting_name(keys)}: {_value_text(stored)} in the folder, {_value_text(current)} now); "
                f"to continue that run, give the same settings; otherwise give another folder (--out)"
            )
        return True

    def _describe(self) -> None:
        if os.fstat(self._file).st_size:
            raise self.error(
                f"{self.folder}: {self.lines_name} exists, but {self.description_name}, which describes it, is missing"
            )
        self._write(self.folder / self.description_name, json.dumps(self._description, indent=2) + "\n")

    def _read(self) -> int:
        """Read all complete lines; return the total size of these lines in bytes."""
        path = self.folder / self.lines_name
        end = 0
        with bounded_io.open_file(path) as file:
            for number, line in enumerate(whole_lines(file), 1):
                try:
                    if line is None:
                        raise ValueError(f"the line has more than {bounded_io.format_size(bounded_io.RESULT_BYTES)}")
                    self.load_line(bounded_io.decode_line(line))
                except MALFORMED_DATA as error:
                    reason = clipped(f"{type(error).__name__}: {error}", 300)
                    raise self.error(f"{path}, line {number}: not {self.item} of this run ({reason})") from None
                end += len(line)
        return end


def whole_lines(file: BinaryIO) -> Iterator[bytes | None]:
    """Yield the complete lines of a file, including their newline characters. Yield None for a line that is too long.

    If the last line does not end with a newline character, it is incomplete and is not returned.
    """
    while line := file.readline(bounded_io.RESULT_BYTES + 1):
        if line.endswith(b"\n"):
            yield line
        elif len(line) > bounded_io.RESULT_BYTES:
            yield None


def append_whole(file: int, end: int, data: bytes) -> int:
    """Append data to an open file; return the new size of the file in bytes.

    end: the position after the last complete data, in bytes. The function first removes all data after the position
    `end`, because an interrupted earlier call may have left incomplete data after `end`. The function appends all of
    the data or, after an error, nothing.

    Raises:
        OSError: the file cannot be written; nothing was appended.
    """
    try:
        if os.fstat(file).st_size != end:
            os.ftruncate(file, end)
        write_all(file, data)
    except OSError:
        with contextlib.suppress(OSError):
            os.ftruncate(file, end)
        raise
    return end + len(data)


def _difference(stored: Any, current: Any, keys: tuple[str, ...] = ()) -> tuple[tuple[str, ...], Any, Any] | None:
    """Compare two descriptions of runs. Return the keys of the first different field and both values.

    If the descriptions are equal, return None.
    """
    if isinstance(stored, dict) and isinstance(current, dict):
        for key in [*current, *(key for key in stored if key not in current)]:
            difference = _difference(stored.get(key), current.get(key), (*keys, key))
            if difference is not None:
                return difference
        return None
    return None if stored == current and type(stored) is type(current) else (keys, stored, current)


#: The pattern of the name of a file and its digest, as in ``agent:file=name.npz#0123456789abcdef``; see
#: `agents.registry.pinned`. A digest after another name also depends on the settings of an agent.
_DIGEST: Final = re.compile(r"([^:=,#]*\.(?:py|json|npz|zip))#([0-9a-f]{16})\b")


def _changed_files(stored: Any, current: Any) -> dict[str, tuple[str, str]]:
    """Return the changed digests if two values of descriptions differ only in digests of files; otherwise {}.

    The result contains the stored and the current digest of each file.
    """
    texts = [value if isinstance(value, list) else [value] for value in (stored, current)]
    if len(texts[0]) != len(texts[1]) or not all(isinstance(text, str) for text in (*texts[0], *texts[1])):
        return {}
    changes: dict[str, tuple[str, str]] = {}
    for before, now in zip(*texts, strict=True):
        old_files, new_files = _DIGEST.findall(before), _DIGEST.findall(now)
        if _DIGEST.sub(r"\1#", before) != _DIGEST.sub(r"\1#", now) or len(old_files) != len(new_files):
            return {}
        for (name, old_digest), (_, new_digest) in zip(old_files, new_files, strict=True):
            if old_digest != new_digest:
                changes[name] = (old_digest, new_digest)
    return changes


def _value_text(value: Any) -> str:
    """Return a value of a description as text of at most about 300 characters, for error messages."""
    text = "none" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else f"{text[:300]} …"
