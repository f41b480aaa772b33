"""The end of a `warlight` process: the process ends at once after its last line, and soon after Ctrl-C."""

from __future__ import annotations

import atexit
import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import Final, NoReturn

#: Exit code of an interrupted command.
INTERRUPTED: Final = 130
#: Seconds after the first Ctrl-C or SIGTERM in which a command may report its results.
GRACE: Final = 4.0
#: Seconds that functions registered with `atexit` may take at a forced end.
FORCED_CLEANUP: Final = 0.5

#: Lock of the thread that runs the functions registered with `atexit`. It is never released: they run only once.
_exit_functions: Final = threading.Lock()


def exit_process(code: int, cleanup: float | None = None) -> NoReturn:
    """End this process and its children, after all functions registered with `atexit`.

    The interpreter would also wait for all threads, such as those of libraries. A Ctrl-C under `forced_interrupts`
    ends the process even if one of the functions does not end.

    Args:
        code: the exit code.
        cleanup: seconds after which the process ends even if the functions still run. None: without a limit.
    """
    if cleanup is not None:
        threading.Thread(target=_exit_after, args=(cleanup, code), daemon=True).start()
    if threading.current_thread() is threading.main_thread():
        leave_interrupts_to_watcher()
    for child in multiprocessing.active_children():
        child.kill()
    _flush()
    _exit_functions.acquire()
    with contextlib.suppress(BaseException):
        atexit._run_exitfuncs()
    _flush()
    os._exit(code)


def leave_interrupts_to_watcher() -> None:
    """Raise nothing on Ctrl-C and SIGTERM from now on: a traceback would be printed.

    The thread of `forced_interrupts` still receives the signals; ignored signals would not reach it.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _do_nothing)


def _do_nothing(number: int, frame: FrameType | None) -> None:
    pass


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()


def _exit_after(seconds: float, code: int) -> NoReturn:
    time.sleep(seconds)
    os._exit(code)


@contextlib.contextmanager
def forced_interrupts() -> Iterator[None]:
    """End the process `GRACE` seconds after the first Ctrl-C or SIGTERM, and at once after the second Ctrl-C.

    A thread waits for signals: Python calls their handlers only between two instructions of the main thread, and
    compiled code or the compiler may run there for minutes. The finished work of a command is on disk.
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(reading,), name="forced interrupts", daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(writing)


def _watch(reading: int) -> None:
    counted = 0
    while arrived := os.read(reading, 64):
        interrupts = arrived.count(signal.SIGINT)
        if interrupts + arrived.count(signal.SIGTERM) == 0:
            continue
        if counted == 0:
            threading.Thread(target=_force_after, args=(GRACE,), daemon=True).start()
        counted += max(interrupts, int(counted == 0))
        if interrupts and counted >= 2:
            _force()
    os.close(reading)


def _force_after(seconds: float) -> None:
    time.sleep(seconds)
    _force()


def _force() -> NoReturn:
    """End an interrupted process. Write the message with `os.write`, as the main thread may have locked the streams."""
    with contextlib.suppress(OSError):
        if os.isatty(2):
            os.write(2, b"\x1b[?25h")  # a progress bar has hidden the cursor
        os.write(2, b"interrupted\n")
    exit_process(INTERRUPTED, FORCED_CLEANUP)
