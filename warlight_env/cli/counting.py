"""How far a run of games or measurements is: a bar on a terminal, otherwise a line every tenth, on stderr."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

#: Told how many units more are done, and of what.
Advance = Callable[[int, str], None]


@contextlib.contextmanager
def counting(title: str, total: int, what: str, quiet: bool) -> Iterator[Advance]:
    """Progress that fits stderr, shown while the context lasts; `what` is counted, as in "games"."""
    if quiet:
        yield lambda count, label: None
    elif not sys.stderr.isatty():
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
    done, began = 0, time.perf_counter()

    def advance(count: int, label: str) -> None:
        nonlocal done
        tenth = done * 10 // max(1, total)
        done += count
        if done * 10 // max(1, total) > tenth:
            seconds = time.perf_counter() - began
            print(f"{title}: {done}/{total} {what}, {seconds:.0f} s, now {label}", file=sys.stderr, flush=True)

    return advance
