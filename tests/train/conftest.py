"""A fixture that kills a training run before its end."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from typing import Any

import pytest

Entry = dict[str, Any]


@pytest.fixture
def killed_at_line() -> Callable[[int, Callable[[Callable[[Entry], None]], object]], None]:
    """Kill a run, in a fork of this process, when it reports the journal's line with the given number.

    The fork has libraries and kernels loaded; loading them takes longer than a small run.
    """

    def killed(line: int, run: Callable[[Callable[[Entry], None]], object]) -> None:
        entries: list[Entry] = []

        def say(entry: Entry) -> None:
            entries.append(entry)
            if len(entries) == line:
                os.kill(os.getpid(), signal.SIGKILL)

        process = multiprocessing.get_context("fork").Process(target=run, args=(say,))
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL, "it was to be killed on the way"

    return killed
