"""Functions that end a `warlight` process at once after its last output, and within seconds after Ctrl-C."""

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
#: The time in seconds that a command has for its last output after the first Ctrl-C or SIGTERM.
GRACE: Final = 4.0
#: The time in seconds for the functions registered with `atexit` if the process is forced to end.
FORCED_CLEANUP: Final = 0.5

#: The thread that runs the functions registered with `atexit` takes this lock and never releases it. So the functions
#: run only once.
_exit_functions: Final = threading.Lock()


def exit_process(code: int, cleanup: float | None = None) -> NoReturn:
    """Kill the child processes, run all functions registered with `atexit`, and end this process.

    A normal end of Python would also wait for all threads, for example threads of libraries. Inside
    `forced_interrupts`, a Ctrl-C ends the process even if a function registered with `atexit` does not return.

    Args:
        code: the exit code.
        cleanup: the maximum time in seconds for the functions registered with `atexit`. None: no limit.
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
    """Let Ctrl-C and SIGTERM raise no exception from now on, because Python would print a traceback.

    The thread of `forced_interrupts` still receives the signals SIGINT and SIGTERM. If the handler of a signal is
    SIG_IGN, no thread of the process receives the signal.
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

    A separate thread waits for the signals SIGINT (Ctrl-C) and SIGTERM. A normal signal handler could be too late:
    Python calls a signal handler only between two Python instructions of the main thread, but compiled code or the
    compiler may run in this thread for minutes. A forced end loses no results, because commands write finished work to
    disk.
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
    n_interrupts = 0
    while signals := os.read(reading, 64):
        interrupts = signals.count(signal.SIGINT)
        if interrupts + signals.count(signal.SIGTERM) == 0:
            continue
        if n_interrupts == 0:
            threading.Thread(target=_force_after, args=(GRACE,), daemon=True).start()
        n_interrupts += max(interrupts, int(n_interrupts == 0))
        if interrupts and n_interrupts >= 2:
            _force()
    os.close(reading)


def _force_after(seconds: float) -> None:
    time.sleep(seconds)
    _force()


def _force() -> NoReturn:
    """End an interrupted process with a message.

    `os.write` prints the message, because the main thread may have locked the objects `sys.stdout` and `sys.stderr`.
    """
    with contextlib.suppress(OSError):
        if os.isatty(2):
            os.write(2, b"\x1b[?25h")  # a progress bar has hidden the cursor
        os.write(2, b"interrupted\n")
    exit_process(INTERRUPTED, FORCED_CLEANUP)
