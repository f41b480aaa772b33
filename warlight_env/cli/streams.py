"""Functions that make sure that the standard streams are open, and that standard output contains only the result."""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import shutil
import sys
from collections.abc import Iterator
from typing import Final, TextIO

#: The minimum width of tables and help texts, in columns. With fewer columns the library rich does not terminate.
COLUMNS: Final = 40

#: The stream to which commands write their result inside `reserved_output`; None outside.
_results: TextIO | None = None
#: Whether `reserved_output` has been used in this process.
_reserved = False


def open_streams() -> None:
    """Open a null device for each standard stream that the parent process has closed.

    Without the null device, the next opened file would get the descriptor of the closed stream. Child processes inherit
    the null devices. If standard output was closed, writing to it raises OSError. If standard error was closed, text
    for it is lost.
    """
    modes = (os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)
    for number, (name, mode) in enumerate(zip(("stdin", "stdout", "stderr"), modes, strict=True)):
        try:
            os.fstat(number)
        except OSError:
            descriptor = os.open(os.devnull, mode)
            if descriptor == number:
                os.set_inheritable(number, True)
            else:
                os.dup2(descriptor, number)
                os.close(descriptor)
        if getattr(sys, name) is None:
            stream = os.fdopen(number, "r" if number == 0 else "w", encoding="utf-8", errors="replace", closefd=False)
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)


def widen_narrow_terminal() -> None:
    """If the terminal has fewer than `COLUMNS` columns, format texts for `COLUMNS` columns."""
    if shutil.get_terminal_size().columns < COLUMNS:
        os.environ["COLUMNS"] = str(COLUMNS)


def result_stream() -> TextIO:
    """Return the stream to which a command writes its result."""
    return sys.stdout if _results is None else _results


@contextlib.contextmanager
def reserved_output() -> Iterator[None]:
    """Reserve standard output for the result of the command, which `result_stream` writes.

    Inside the `with` block, all output but the result goes to standard error: output of Python code (agents and
    libraries), of C code, and of processes that start inside the block.
    """
    global _results, _reserved
    if _results is not None:
        yield
        return
    _reserved = True
    before = sys.stdout
    before.flush()
    stdout_copy = os.dup(1)
    if _descriptor(before) == 1:
        encoding, errors = before.encoding, before.errors
        _results = os.fdopen(stdout_copy, "w", encoding=encoding, errors=errors, closefd=False)
    else:
        _results = before
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        yield
        _results.flush()
    finally:
        for flush in (before.flush, _flush_c) if _results is not before else (_flush_c,):
            with contextlib.suppress(OSError, ValueError):  # the buffer contains only output of agents, not the result
                flush()
        if _results is not before:
            with contextlib.suppress(OSError):  # the flush above has raised the same error
                _results.close()
        os.dup2(stdout_copy, 1)
        os.close(stdout_copy)
        sys.stdout, _results = before, None


def end_results() -> None:
    """If `reserved_output` has been used in this process, send all later output to standard error."""
    if _reserved:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
        os.dup2(2, 1)


def _descriptor(stream: TextIO) -> int | None:
    """Return the file descriptor of a stream, or None if the stream has no descriptor."""
    try:
        return stream.fileno()
    except (OSError, ValueError, AttributeError, io.UnsupportedOperation):
        return None


def _flush_c() -> None:
    """Write the output that C code has buffered."""
    if os.name == "posix":
        ctypes.CDLL(None).fflush(None)
