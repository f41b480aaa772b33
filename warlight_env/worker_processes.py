"""Functions that start worker processes without interrupts, and end them when their parent process ends."""

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


@contextlib.contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Block SIGINT and SIGTERM in the `with` block, in which this thread starts worker processes.

    The worker processes start with SIGINT and SIGTERM blocked. If a signal arrives during the `with` block, this
    process receives the signal after the block. On systems without signal masks, the main thread ignores SIGINT during
    the block.
    """
    if hasattr(signal, "pthread_sigmask"):
        resource_tracker.ensure_running()  # start Python's resource tracker first, because its start unblocks signals
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
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


def begin_worker(folder: Path | None = None) -> None:
    """Prepare a worker process: ignore SIGINT, and end the process as soon as its parent process ends.

    A worker process that was started within `interrupts_blocked` must call this function first. SIGINT is ignored
    because the parent process handles Ctrl-C.

    Args:
        folder: a folder to delete if the parent process ends before this process.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
    threading.Thread(target=_end_with_parent, args=(folder,), name="end with parent", daemon=True).start()


def _end_with_parent(folder: Path | None) -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)
