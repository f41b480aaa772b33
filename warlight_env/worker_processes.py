"""Functions that delay interrupts, and that start and end worker processes."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import shutil
import signal
import threading
from collections.abc import Iterator
from multiprocessing import resource_tracker
from pathlib import Path
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextlib.contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Block SIGINT and SIGTERM in the `with` block, in which this thread starts worker processes.

    The worker processes start with SIGINT and SIGTERM blocked. If a signal arrives during the `with` block, this
    process receives the signal after the block. On systems without signal masks, the main thread ignores SIGINT during
    the block.
    """
    if hasattr(signal, "pthread_sigmask"):
        resource_tracker.ensure_running()  # start Python's resource tracker first, because its start unblocks signals
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
    elif threading.current_thread() is threading.main_thread():
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, handler)
    else:
        yield


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay the signals SIGINT (Ctrl-C) and SIGTERM until the end of the ``with`` block.

    After the block, call the previous handlers of the delayed signals. Use this context manager only for blocks that
    take milliseconds. Signals interrupt only the main thread, so this context manager does nothing in other threads.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        arrived.append(number)

    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    delayed = {
        number: handler for number, handler in handlers.items() if callable(handler)
    }  # handlers that are not callable raise no exception, so they need no delay
    for number in delayed:
        signal.signal(number, note)
    try:
        yield
    finally:
        for number, handler in delayed.items():
            signal.signal(number, handler)
        for late in dict.fromkeys(arrived):
            signal.raise_signal(late)


def begin_worker(folder: Path | None = None) -> None:
    """Prepare a worker process: ignore SIGINT, and end the process as soon as its parent process ends.

    A worker process that was started within `interrupts_blocked` must call this function first. SIGINT is ignored
    because the parent process handles Ctrl-C.

    Args:
        folder: a folder to delete if the parent process ends before this process.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    threading.Thread(target=_end_with_parent, args=(folder,), name="end with parent", daemon=True).start()


def _end_with_parent(folder: Path | None) -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)
