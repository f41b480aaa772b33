"""Progress of games or measurements on stderr: a bar on a terminal, otherwise a line from time to time."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Final

#: The maximum time in seconds between two progress lines if stderr is not a terminal.
LINE_SECONDS: Final = 30.0
#: The minimum time in seconds before the first line about the warm-up, and between two lines.
WARM_UP_SECONDS: Final = 2.0

#: A function that receives the number of newly finished games or measurements, and their label.
OnProgress = Callable[[int, str], None]


class LineInterval:
    """Decides when to print a progress line if stderr is not a terminal.

    A line is due after each tenth of the total, and at the latest `LINE_SECONDS` after the previous line.

    Args:
        total: the number of all games or measurements.
    """

    def __init__(self, total: int) -> None:
        self._total, self._tenth, self._last = max(1, total), 0, time.monotonic()

    def due(self, done: int) -> bool:
        """Return whether to print a line now; `done` is the number of finished games or measurements."""
        tenth, now = done * 10 // self._total, time.monotonic()
        if tenth <= self._tenth and now - self._last < LINE_SECONDS:
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


@contextlib.contextmanager
def unit_progress(title: str, total: int, unit: str, quiet: bool) -> Iterator[OnProgress]:
    """Show progress on stderr inside the `with` block.

    Yield a function to call after each game or measurement, see `OnProgress`. `unit` is a plural noun for the display,
    for example "games".
    """
    if quiet:
        yield lambda count, label: None
    elif not sys.stderr.isatty():
        from warlight_env.engine import compile_progress

        with compile_progress.shown():
            yield _lines(title, total, unit)
    else:
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"), MofNCompleteColumn(), TextColumn(unit), BarColumn(), TextColumn("eta"),
            TimeRemainingColumn(), TextColumn("{task.fields[now]}"),
        )  # fmt: skip
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(escape(title), total=total, now="")
            yield lambda count, label: bar.update(task, advance=count, now=escape(label))


def _lines(title: str, total: int, what: str) -> OnProgress:
    done, began, pace = 0, time.perf_counter(), LineInterval(total)

    def advance(count: int, label: str) -> None:
        nonlocal done
        done += count
        if pace.due(done):
            seconds = time.perf_counter() - began
            line = f"{title}: {done}/{total} {what}, {seconds:.0f} s since the start ({label})"
            print(line, file=sys.stderr, flush=True)

    return advance
