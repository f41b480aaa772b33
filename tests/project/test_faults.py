"""The program that interrupts runs on purpose: it accepts runs that lose no data, and detects lost or repeated data."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the fault bench reads /proc")

#: Counts to forty into a file, a line every few milliseconds, and goes on from there.
HONEST = """
import json, pathlib, sys, time
out = pathlib.Path(sys.argv[1])
out.mkdir(exist_ok=True)
lines = out / "lines.jsonl"
*whole, torn = lines.read_bytes().split(b"\\n") if lines.exists() else [b""]
with open(lines, "r+b" if lines.exists() else "wb") as file:
    file.truncate(sum(len(line) + 1 for line in whole))
    file.seek(0, 2)
    for number in range(len(whole), 40):
        file.write(json.dumps({"line": number, "text": "x" * 1000, "seconds": time.time()}).encode() + b"\\n")
        file.flush()
        time.sleep(0.005)
"""
#: The same, but what it starts again it does not remember: a line is told twice.
FORGETFUL = HONEST.replace("range(len(whole), 40)", "range(max(0, len(whole) - 1), 40)")
#: The same, with a worker that does not end with it.
ORPHANED = HONEST.replace("out.mkdir", "import subprocess; subprocess.Popen(['sleep', '60']); out.mkdir")


@pytest.fixture
def bench(benchmarks):
    import fault_kinds
    import fault_subjects

    yield fault_kinds, fault_subjects
    for name in ("fault_kinds", "fault_subjects"):
        sys.modules.pop(name)


def scored(bench, tmp_path, program, fault, times=6):
    kinds, subjects = bench
    script = tmp_path / "program.py"
    script.write_text(program)
    ward = kinds.FaultTarget(
        subjects.Subject("counting", ("{out}",), ("lines.jsonl",), jobs=False, program=(str(script),)), tmp_path, 1
    )
    ward.prepare()
    *_, score = kinds.FAULTS[fault](ward, times)
    return score


def test_what_goes_on_where_it_was_survives_every_kill(bench, tmp_path):
    score = scored(bench, tmp_path, HONEST, "kills")
    assert (score.tried, score.survived, score.lost) == (6, 6, [])
    assert sum(score.notes.values()) == 6, "each kill is told with its moment"


def test_what_is_told_twice_is_noticed(bench, tmp_path):
    score = scored(bench, tmp_path, FORGETFUL, "kills")
    assert score.survived < score.tried and "lines.jsonl" in score.lost[0]


def test_workers_that_outlive_their_run_are_noticed(bench, tmp_path):
    script = tmp_path / "program.py"
    script.write_text(ORPHANED)
    run = bench[1].Run(bench[1].Subject("counting", ("{out}",), (), program=(str(script),)), tmp_path)
    assert run.process.wait(20) == 0
    assert len(run.members()) == 1 and not run.empty(0.2)
    assert run.empty(5), "and they are ended"


@pytest.mark.parametrize("status", [130, 3])
def test_a_status_that_is_none_of_an_interrupted_run_is_noticed(bench, tmp_path, status):
    leaves = f"import os, signal\nfor s in (2, 15): signal.signal(s, lambda *_: os._exit({status}))\n"
    slow = HONEST.replace("0.005", "0.03")  # so that it has said what it does with signals when the first one comes
    score = scored(bench, tmp_path, leaves + slow, "interrupts", 2)
    assert score.tried == score.survived == 2
    if status == 130:
        assert score.lost == []
    else:
        assert len(score.lost) == 3 and "status 3 at SIG" in score.lost[0] and "never ended with" in score.lost[-1]


def test_a_run_that_is_always_over_before_it_is_struck_is_a_loss(bench, tmp_path, monkeypatch):
    kinds, subjects = bench
    monkeypatch.setattr(kinds, "MISSES", 1)
    script = tmp_path / "program.py"
    script.write_text("")
    subject = subjects.Subject("nothing", ("{out}",), (), jobs=True, program=(str(script),))
    ward = kinds.FaultTarget(subject, tmp_path, 1)
    ward.seconds = 1.0
    for fault in ("interrupts", "lost workers"):
        *_, score = kinds.FAULTS[fault](ward, 1)
        assert (score.tried, score.lost) == (0, ["it is always over before it is struck"])


def test_what_a_server_no_longer_tells_is_a_loss(bench):
    from fault_server import Table

    class Silent:
        """A server that says nothing any more."""

        def feed(self, *_):
            raise TimeoutError

    table = Table.__new__(Table)
    table.id, table.tokens, table.watch, table.shown = "abc", {"0": "x"}, None, [{"type": "event", "n": 0}]
    assert table.lost(Silent()) == "game abc: 0 of 1 events are there (TimeoutError)"


@pytest.mark.parametrize("fault", ["full disk", "read-only disk"])
def test_disks(bench, tmp_path, fault):
    """A program that lets Python's own traceback out at a full disk loses nothing, but does not say it in words."""
    score = scored(bench, tmp_path, HONEST, fault, 2)
    if score.skipped is None:
        assert score.tried == 2 and len(score.lost) == 2 and all("status 1" in line for line in score.lost)


def test_differences_are_told_with_their_place(bench):
    difference = bench[0].difference
    assert difference({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]}) is None
    assert difference({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}) == "/a[1]/b: 2 became 3"
    assert "only in one" in difference({"a": 1}, {})
    assert bench[1].untimed({"seconds": 1, "time": 2, "x": [{"rounds_per_second": 3, "y": 4}]}) == {"x": [{"y": 4}]}
