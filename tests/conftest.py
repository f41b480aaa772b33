"""Hypothesis without wall-clock deadlines, in CI with the same examples at each run; Ctrl-C as on a terminal; a log."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", parent=settings.get_profile("default"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")

# Whoever starts the tests in the background of a shell has Ctrl-C ignored, here and in all programs that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def whole(tmp_path_factory) -> Path:
    """The log of a game to its end, with picks one by one and fog; not to be changed."""
    from log_helpers import play_logged

    file = tmp_path_factory.mktemp("whole") / "game.wl.jsonl"
    play_logged(file, map="small", rules="challenge2", picks="agents", seed=5)
    return file
