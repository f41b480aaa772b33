"""The benchmark programs of the page's server: their help, and the start of the second process."""

from __future__ import annotations

import asyncio
import runpy
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.parametrize(
    ("program", "option", "arguments", "function"),
    [("server.py", "--attend", ["[]"], "attend"), ("server_heavy.py", "--trouble", [], "trouble")],
)
def test_the_second_process_starts(benchmarks, program, option, arguments, function, monkeypatch):
    started = []

    def run(main):
        started.append(main.__name__)
        main.close()

    monkeypatch.setattr(asyncio, "run", run)
    monkeypatch.setattr(sys, "argv", [program, option, "http://127.0.0.1:1/?token=a", *arguments])
    runpy.run_path(str(BENCHMARKS / program), run_name="__main__")
    assert started == [function]


@pytest.mark.parametrize("program", ["server.py", "server_heavy.py"])
@pytest.mark.parametrize(("arguments", "status"), [(["--help"], 0), (["--unknown"], 2), (["unknown"], 2)])
def test_nothing_is_measured_for_help_and_wrong_arguments(benchmarks, program, arguments, status, monkeypatch, capsys):
    monkeypatch.setattr(asyncio, "run", lambda main: pytest.fail("the program started"))
    monkeypatch.setattr(sys, "argv", [program, *arguments])
    with pytest.raises(SystemExit) as stopped:
        runpy.run_path(str(BENCHMARKS / program), run_name="__main__")
    captured = capsys.readouterr()
    assert stopped.value.code == status
    assert f"usage: {program} [-h]\n" in captured.out + captured.err
    assert status == 2 or "python benchmarks/" in captured.out
