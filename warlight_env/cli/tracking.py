"""How far a long task is: a bar where a terminal is, otherwise a line now and then, on stderr."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Final

#: Seconds between two lines where there is no terminal; shorter tasks say nothing there.
LINE_SECONDS: Final = 5.0


@contextlib.contextmanager
def tracking(what: str, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """A function to be told how many are done, of how many; what it shows lasts as long as the context."""
    if quiet:
        yield lambda done, total: None
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(what, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)
    else:
        told = time.monotonic()

        def tell(done: int, total: int) -> None:
            nonlocal told
            if time.monotonic() - told >= LINE_SECONDS:
                told = time.monotonic()
                print(f"{what}: {done} of {total}", file=sys.stderr, flush=True)

        yield tell
