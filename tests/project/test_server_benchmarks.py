"""The benchmark programs of the page's server: the process of the viewers starts."""

from __future__ import annotations

import asyncio
import runpy
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.parametrize(
    ("program", "arguments", "function"), [("server.py", ["[]"], "attend"), ("server_heavy.py", [], "trouble")]
)
def test_the_process_of_the_viewers_starts(benchmarks, program, arguments, function, monkeypatch):
    started = []

    def run(main):
        started.append(main.__name__)
        main.close()

    monkeypatch.setattr(asyncio, "run", run)
    monkeypatch.setattr(sys, "argv", [program, "http://127.0.0.1:1/?token=a", *arguments])
    runpy.run_path(str(BENCHMARKS / program), run_name="__main__")
    assert started == [function]
