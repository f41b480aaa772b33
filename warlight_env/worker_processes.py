"""How worker processes start, and how they end if their parent is killed."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterable, Iterator
from multiprocessing import resource_tracker, util
from multiprocessing.context import ForkServerContext, SpawnContext
from typing import Final

#: Bytes that the path of a socket may have on all systems, and those of ``/pymp-XXXXXXXX/listener-XXXXXXXX`` in it.
_SOCKET_PATH: Final = 103
_SOCKET_NAME: Final = 32


def worker_context(modules: Iterable[str]) -> ForkServerContext | SpawnContext:
    """The start method of worker processes: "forkserver", or "spawn" where no fork server can be started.

    Both start workers without the threads and locks of this process. A fork server imports the package once, so the
    next workers start in milliseconds. It keeps the environment variables of the time when it started. Some systems
    have no fork server, and its socket does not fit into a temporary folder with a very long path.

    Args:
        modules: what the fork server imports when it starts, by name.
    """
    too_long = len(os.fsencode(tempfile.gettempdir())) + _SOCKET_NAME > _SOCKET_PATH
    if too_long or "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(modules))
    return context


@contextlib.contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Block SIGINT and SIGTERM while this thread starts processes; those processes have them blocked, too.

    A signal that arrives meanwhile reaches this process afterwards. Systems without signal masks ignore SIGINT instead,
    in the main thread.
    """
    if hasattr(signal, "pthread_sigmask"):
        resource_tracker.ensure_running()  # it would unblock the signals
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


def socket_folder() -> str:
    """The folder of this process that has the socket of its fork server; a killed process cannot remove it."""
    return util.get_temp_dir()


def begin_worker(folders: Iterable[str]) -> None:
    """Ignore SIGINT, as the parent decides what Ctrl-C means; end as soon as the parent has ended.

    Call this first in a process that was started within `interrupts_blocked`.

    Args:
        folders: removed if the parent ends before this process.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
    threading.Thread(target=_end_with_parent, args=(tuple(folders),), name="end with parent", daemon=True).start()


def _end_with_parent(folders: tuple[str, ...]) -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)
