"""Progress of a long task on stderr: a bar on a terminal, otherwise a line from time to time."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Final

#: Seconds between two lines if stderr is not a terminal; shorter tasks print no lines.
LINE_SECONDS: Final = 5.0


@contextlib.contextmanager
def task_progress(what: str, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Show progress until the context ends. Yield a function that takes the numbers of finished and of all steps."""
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
