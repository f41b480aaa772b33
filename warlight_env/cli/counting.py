"""How far a run of games or measurements is: a bar on a terminal, otherwise a line now and then, on stderr."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Final

#: Seconds after which a line is due where there is no terminal, should it take so long to the next tenth.
LINE_SECONDS: Final = 30.0

#: Told how many units more are done, and of what.
Advance = Callable[[int, str], None]


class Pace:
    """When a line is due where there is no terminal: at every tenth, and when none was due for `LINE_SECONDS`.

    Args:
        total: how many there are to do.
    """

    def __init__(self, total: int) -> None:
        self._total, self._tenth, self._last = max(1, total), 0, time.monotonic()

    def due(self, done: int) -> bool:
        """Whether to print a line now that so many are done."""
        tenth, now = done * 10 // self._total, time.monotonic()
        if tenth <= self._tenth and now - self._last < LINE_SECONDS:
            return False
        self._tenth, self._last = tenth, now
        return True


@contextlib.contextmanager
def counting(title: str, total: int, what: str, quiet: bool) -> Iterator[Advance]:
    """Progress that fits stderr, shown while the context lasts; `what` is counted, as in "games"."""
    if quiet:
        yield lambda count, label: None
    elif not sys.stderr.isatty():
        from warlight_env.engine import compile_progress

        with compile_progress.shown():
            yield _lines(title, total, what)
    else:
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"), MofNCompleteColumn(), TextColumn(what), BarColumn(), TextColumn("eta"),
            TimeRemainingColumn(), TextColumn("{task.fields[now]}"),
        )  # fmt: skip
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(escape(title), total=total, now="")
            yield lambda count, label: bar.update(task, advance=count, now=escape(label))


def _lines(title: str, total: int, what: str) -> Advance:
    done, began, pace = 0, time.perf_counter(), Pace(total)

    def advance(count: int, label: str) -> None:
        nonlocal done
        done += count
        if pace.due(done):
            seconds = time.perf_counter() - began
            line = f"{title}: {done}/{total} {what}, {seconds:.0f} s since the start ({label})"
            print(line, file=sys.stderr, flush=True)

    return advance
