"""The start of worker processes, and their end if their parent is killed."""

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
    """Block SIGINT and SIGTERM while this thread starts processes; those processes start with both blocked, too.

    This process receives a blocked signal after the block. Systems without signal masks ignore SIGINT instead, in the
    main thread.
    """
    if hasattr(signal, "pthread_sigmask"):
        resource_tracker.ensure_running()  # start it before, because its start would unblock the signals
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
    """Ignore SIGINT, because the parent handles Ctrl-C; end this process as soon as the parent has ended.

    Call this first in a process that was started within `interrupts_blocked`.

    Args:
        folder: a folder to remove if the parent ends before this process.
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
