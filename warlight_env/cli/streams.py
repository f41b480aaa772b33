"""The standard streams of a command: all are open, and standard output contains only the result."""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import shutil
import sys
from collections.abc import Iterator
from typing import Final, TextIO

#: The smallest number of columns for tables and help texts. With fewer columns, the library rich does not terminate.
COLUMNS: Final = 40

#: The stream of results while `reserved_output` is active.
_results: TextIO | None = None
#: Whether standard output was reserved for a result in this process.
_reserved = False


def open_streams() -> None:
    """Open each standard stream that the caller has closed, on a null device.

    So no other file gets the descriptor of the stream. Child processes inherit the streams. If the caller has closed
    standard output, writing to it raises OSError. If the caller has closed standard error, its text is lost.
    """
    modes = (os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)
    for number, (name, mode) in enumerate(zip(("stdin", "stdout", "stderr"), modes, strict=True)):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, mode)
            if opened == number:
                os.set_inheritable(number, True)
            else:
                os.dup2(opened, number)
                os.close(opened)
        if getattr(sys, name) is None:
            stream = os.fdopen(number, "r" if number == 0 else "w", encoding="utf-8", errors="replace", closefd=False)
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)


def widen_narrow_terminal() -> None:
    """Format texts for `COLUMNS` columns on narrower terminals."""
    if shutil.get_terminal_size().columns < COLUMNS:
        os.environ["COLUMNS"] = str(COLUMNS)


def result_stream() -> TextIO:
    """Return the stream to which a command writes its result."""
    return sys.stdout if _results is None else _results


@contextlib.contextmanager
def reserved_output() -> Iterator[None]:
    """Keep standard output for `result_stream`; in this context, all other output goes to standard error.

    This holds for Python (agents, libraries), for C code, and for processes that start in this context.
    """
    global _results, _reserved
    if _results is not None:
        yield
        return
    _reserved = True
    before = sys.stdout
    before.flush()
    kept = os.dup(1)
    if _descriptor(before) == 1:
        encoding, errors = before.encoding, before.errors
        _results = os.fdopen(kept, "w", encoding=encoding, errors=errors, closefd=False)
    else:
        _results = before
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        yield
        _results.flush()
    finally:
        for flush in (before.flush, _flush_c) if _results is not before else (_flush_c,):
            with contextlib.suppress(OSError, ValueError):  # the buffer only contains text that an agent wrote
                flush()
        if _results is not before:
            with contextlib.suppress(OSError):  # reported by the flush above
                _results.close()
        os.dup2(kept, 1)
        os.close(kept)
        sys.stdout, _results = before, None


def end_results() -> None:
    """Send all later output of the process to standard error, if standard output was reserved before."""
    if _reserved:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
        os.dup2(2, 1)


def _descriptor(stream: TextIO) -> int | None:
    """Return the file descriptor of a stream; None: it has none."""
    try:
        return stream.fileno()
    except (OSError, ValueError, AttributeError, io.UnsupportedOperation):
        return None


def _flush_c() -> None:
    """Write the buffered output of C code."""
    if os.name == "posix":
        ctypes.CDLL(None).fflush(None)
