"""Progress of a long task on stderr: a bar on a terminal, otherwise a line from time to time."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Final

#: The time in seconds between two progress lines if stderr is not a terminal. A shorter task prints no line.
LINE_SECONDS: Final = 5.0


@contextlib.contextmanager
def task_progress(what: str, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Show the progress of a task inside the `with` block.

    Yield a function to call after each step, with the number of finished steps and the number of all steps.
    """
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

        from warlight_env.engine import compile_progress

        with compile_progress.shown():
            yield tell
