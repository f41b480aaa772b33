"""A lock for each kernel, with which the processes of a test run wait for a kernel that another process compiles."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Iterator
from typing import Any, Final

from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.sigutils import normalize_signature

from warlight_env.engine.cache import cache_folder, source_digests

try:
    import fcntl
except ImportError:  # on Windows, each process compiles all kernels that it needs
    fcntl = None  # type: ignore[assignment]

#: The lock file in `cache_folder`. Each lock is one byte. The cache ignores files whose names begin with a dot.
_LOCKS: Final = ".compile_once"
#: The maximum number of seconds that a process waits. Afterwards it compiles the kernel itself.
_MAX_WAIT: Final = 600.0


def compile_once() -> None:
    """Make this process wait for a kernel that another process with `compile_once` compiles, and then load the kernel.

    The processes of a test run need the same kernels at almost the same time. Without the locks, each process compiles
    most of them, and parses all modules with kernels.
    """
    folder = cache_folder()
    if fcntl is None or folder is None:
        return
    try:
        file = os.open(folder / _LOCKS, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:  # the folder is read-only
        return
    with _locked(file, "sources"):  # one process parses the modules of kernels, and the others read its file
        source_digests()
    compile_alone = Dispatcher.compile

    def compile_locked(self: Any, signature: Any) -> Any:
        arguments, _ = normalize_signature(signature)
        if tuple(arguments) in self.overloads or self._cache.cache_path is None:  # compiled already, or not stored
            return compile_alone(self, signature)
        with global_compiler_lock, _locked(file, f"{self._cache._impl.filename_base} {signature}"):
            return compile_alone(self, signature)

    Dispatcher.compile = compile_locked


@contextlib.contextmanager
def _locked(file: int, key: str) -> Iterator[None]:
    """Hold the lock of a kernel. A process that already has the lock gets it again at once."""
    place = int.from_bytes(hashlib.sha256(key.encode()).digest()[:7]) >> 1
    end = time.monotonic() + _MAX_WAIT
    while True:
        with contextlib.suppress(BlockingIOError):
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
            break
        if time.monotonic() > end:
            break
        time.sleep(0.02)
    try:
        yield
    finally:
        fcntl.lockf(file, fcntl.LOCK_UN, 1, place)
