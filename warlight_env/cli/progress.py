"""Progress of long tasks on stderr: a bar on a terminal, otherwise a line from time to time."""

from __future__ import annotations

import contextlib
import functools
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Final, TypeVar

#: The maximum time in seconds between two lines about games or measurements.
UNIT_LINE_SECONDS: Final = 30.0
#: The minimum time in seconds between two lines about a task. A shorter task prints no line.
TASK_LINE_SECONDS: Final = 5.0
#: The minimum time in seconds before the first line about the warm-up, and between two lines.
WARM_UP_SECONDS: Final = 2.0

#: A function that receives the number of newly finished games or measurements, and their label.
OnProgress = Callable[[int, str], None]
#: A function that receives the number of finished steps of a task, and the number of all steps.
OnStep = Callable[[int, int], None]

F = TypeVar("F", OnProgress, OnStep)


class LineInterval:
    """Decides when to print a progress line if stderr is not a terminal.

    A line is due after each tenth of the total, and at the latest `UNIT_LINE_SECONDS` after the previous line.

    Args:
        total: the number of all games or measurements.
    """

    def __init__(self, total: int) -> None:
        self._total, self._tenth, self._last = max(1, total), 0, time.monotonic()

    def is_due(self, done: int) -> bool:
        """Return whether to print a line now; `done` is the number of finished games or measurements."""
        tenth, now = done * 10 // self._total, time.monotonic()
        if tenth <= self._tenth and now - self._last < UNIT_LINE_SECONDS:
            return False
        self._tenth, self._last = tenth, now
        return True


class WarmUpLines:
    """Prints lines about the warm-up to stderr: at most one in `WARM_UP_SECONDS`.

    An instance can be used as an `OnWarmUp`.
    """

    def __init__(self, quiet: bool) -> None:
        self._quiet, self._last = quiet, time.monotonic()

    def __call__(self, done: int, total: int, agent: str) -> None:
        now = time.monotonic()
        if not self._quiet and now - self._last >= WARM_UP_SECONDS:
            self._last = now
            print(f"warm-up: {done} of {total} agents are ready; {agent} is next", file=sys.stderr, flush=True)


def unit_progress(title: str, total: int, unit: str, quiet: bool) -> AbstractContextManager[OnProgress]:
    """Show the progress of games or measurements inside the `with` block.

    The context is a function to call after each game or measurement, see `OnProgress`. `unit` is a plural noun for the
    display, for example "games".
    """

    def on_bar(update: Callable[..., None]) -> OnProgress:
        return lambda count, label: update(advance=count, now=label)

    return _progress(title, total, unit, quiet, on_bar, lambda: _unit_lines(title, total, unit))


def task_progress(title: str, quiet: bool = False) -> AbstractContextManager[OnStep]:
    """Show the progress of a task inside the `with` block.

    The context is a function to call after each step, see `OnStep`.
    """

    def on_bar(update: Callable[..., None]) -> OnStep:
        return lambda done, total: update(completed=done, total=total)

    return _progress(title, None, None, quiet, on_bar, lambda: _task_lines(title))


@contextlib.contextmanager
def _progress(
    title: str,
    total: int | None,
    unit: str | None,
    quiet: bool,
    on_bar: Callable[[Callable[..., None]], F],
    lines: Callable[[], F],
) -> Iterator[F]:
    """Show the progress inside the `with` block, and yield the function that receives it.

    Args:
        on_bar: makes this function for a bar, from the function that updates the bar (see `rich.progress.Progress`).
        lines: makes this function for lines.
    """
    if quiet:
        yield on_bar(lambda **fields: None)
    elif not sys.stderr.isatty():
        from warlight_env.engine import compile_progress

        with compile_progress.shown():
            yield lines()
    else:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        description, count, remaining = (
            TextColumn("{task.description}", markup=False),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        columns: tuple[Any, ...] = (description, BarColumn(), count, remaining)
        if unit is not None:
            now = TextColumn("{task.fields[now]}", markup=False)
            columns = (description, count, TextColumn(unit), BarColumn(), TextColumn("eta"), remaining, now)
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            yield on_bar(functools.partial(bar.update, bar.add_task(title, total=total, now="")))


def _unit_lines(title: str, total: int, unit: str) -> OnProgress:
    done, start, interval = 0, time.perf_counter(), LineInterval(total)

    def advance(count: int, label: str) -> None:
        nonlocal done
        done += count
        if interval.is_due(done):
            seconds = time.perf_counter() - start
            line = f"{title}: {done}/{total} {unit}, {seconds:.0f} s since the start ({label})"
            print(line, file=sys.stderr, flush=True)

    return advance


def _task_lines(title: str) -> OnStep:
    printed = time.monotonic()

    def step(done: int, total: int) -> None:
        nonlocal printed
        if time.monotonic() - printed >= TASK_LINE_SECONDS:
            printed = time.monotonic()
            print(f"{title}: {done} of {total}", file=sys.stderr, flush=True)

    return step
