"""Reports on the progress of compilation, on standard error: the current kernel, and the number of compiled kernels."""

from __future__ import annotations

import builtins
import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any, Final, NamedTuple

from numba.core import event

#: Seconds between two lines of progress.
INTERVAL: Final = 5.0

Function = Callable[..., Any]


class CompileState(NamedTuple):
    """The state of a compilation: whether it runs, the number of ready kernels, and of all kernels that it needs."""

    active: bool
    ready: int
    expected: int


def called_kernels(function: Function) -> set[Function]:
    """The given kernel and all kernels of this package that it can call, except calls through addresses."""
    kernels: set[Function] = set()
    waiting = [function]
    while waiting:
        current = waiting.pop()
        if current in kernels:
            continue
        kernels.add(current)
        cells = dict(zip(current.__code__.co_freevars, current.__closure__ or (), strict=True))
        for name in _names(current.__code__):
            value = cells[name].cell_contents if name in cells else current.__globals__.get(name)
            body = getattr(value, "py_func", None)
            if body is not None and _is_ours(body):
                waiting.append(body)
    return kernels


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    yield from code.co_freevars
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _is_ours(function: Any) -> bool:
    return (getattr(function, "__module__", None) or "").startswith("warlight_env.")


def _is_interactive() -> bool:
    """Whether standard error is shown to a person, in a terminal or a notebook."""
    return _is_open() and (sys.stderr.isatty() or hasattr(builtins, "__IPYTHON__"))


def _is_open() -> bool:
    """Whether standard error exists. ``sys.stderr`` is None if the parent process has closed standard error."""
    return sys.stderr is not None and not sys.stderr.closed


def _print(line: str) -> None:
    with contextlib.suppress(OSError):  # the pipe is closed or the disk is full: continue the compilation
        print(line, file=sys.stderr, flush=True)


class _Progress(event.Listener):
    """A listener that counts the kernels compiled by Numba and prints a line every `INTERVAL` seconds."""

    def __init__(self) -> None:
        self.compiled = 0
        self.shown_anywhere = 0
        self._depth = 0
        self.has_printed = False
        self._last = 0.0
        self._expected: set[Function] = set()
        self.ready: set[Function] = set()
        self.observer: Callable[[CompileState], None] | None = None

    def on_start(self, event: Any) -> None:
        function: Any = getattr(event.data.get("dispatcher"), "py_func", None)
        if not _is_ours(function):
            return
        if self._depth == 0:
            self._expected |= called_kernels(function)
        self._depth += 1
        self.compiled += 1
        self._notify()
        if _is_open() and (self.shown_anywhere or _is_interactive()):
            self._report(function)

    def on_end(self, event: Any) -> None:
        function: Any = getattr(event.data.get("dispatcher"), "py_func", None)
        if _is_ours(function):
            self._depth -= 1
            self.ready.add(function)
            if self._depth == 0:
                self._notify()

    def _notify(self) -> None:
        if self.observer is not None:
            done = len(self._expected & self.ready)
            self.observer(CompileState(self._depth > 0, done, len(self._expected)))

    def _report(self, function: Function) -> None:
        now = time.monotonic()
        if not self.has_printed:
            self.has_printed, self._last = True, now
            _print("compiling (the first time only) …")
        elif now - self._last >= INTERVAL:
            self._last = now
            done, name = len(self._expected & self.ready), f"{function.__module__}.{function.__qualname__}"
            _print(f"compiling: {done} of about {len(self._expected)} kernels ready, now {name}")


_PROGRESS: Final = _Progress()
event.register("numba:compile", _PROGRESS)


def compiled_count() -> int:
    """Return the number of kernels that this process has compiled; kernels from the cache do not count."""
    return _PROGRESS.compiled


def observe(observer: Callable[[CompileState], None]) -> None:
    """Call `observer` when the compilation of a kernel begins, and when no compilation runs any more."""
    _PROGRESS.observer = observer


def count_loaded_kernel(function: Function) -> None:
    """Count a kernel from the cache as ready."""
    _PROGRESS.ready.add(function)


@contextlib.contextmanager
def shown() -> Iterator[None]:
    """Show the progress inside the `with` block, also if standard error is a file or a pipe."""
    if not _is_interactive():
        _PROGRESS.has_printed = False  # print the first line again when the next kernel is compiled
    _PROGRESS.shown_anywhere += 1
    try:
        yield
    finally:
        _PROGRESS.shown_anywhere -= 1
