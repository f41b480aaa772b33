"""Training runs that a test kills before they end."""

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
    """Kills a run, in a copy of this process, when it tells of its journal's line of a number.

    The copy has libraries and kernels loaded, which takes longer than a small run.
    """

    def killed(line: int, run: Callable[[Callable[[Entry], None]], object]) -> None:
        told: list[Entry] = []

        def say(entry: Entry) -> None:
            told.append(entry)
            if len(told) == line:
                os.kill(os.getpid(), signal.SIGKILL)

        process = multiprocessing.get_context("fork").Process(target=run, args=(say,))
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL, "it was to be killed on the way"

    return killed
