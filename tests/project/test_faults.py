"""The fault-injection program accepts interrupted runs that lose no data, and detects lost or repeated data."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the fault bench reads /proc")

#: Writes forty lines to a file, one every few milliseconds; a new start continues after the last complete line.
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
#: The same program with an error: after a restart it writes the last line again.
FORGETFUL = HONEST.replace("range(len(whole), 40)", "range(max(0, len(whole) - 1), 40)")
#: The same program with a worker that outlives it.
ORPHANED = HONEST.replace("out.mkdir", "import subprocess; subprocess.Popen(['sleep', '60']); out.mkdir")


@pytest.fixture
def bench(benchmarks):
    import fault_kinds
    import fault_subjects

    yield fault_kinds, fault_subjects
    for name in ("fault_kinds", "fault_subjects"):
        sys.modules.pop(name)


def run_fault(bench, tmp_path, program, fault, times=6):
    kinds, subjects = bench
    script = tmp_path / "program.py"
    script.write_text(program)
    target = kinds.FaultTarget(
        subjects.Subject("counting", ("{out}",), ("lines.jsonl",), jobs=False, program=(str(script),)), tmp_path, 1
    )
    target.prepare()
    *_, score = kinds.FAULTS[fault](target, times)
    return score


def test_a_run_that_resumes_correctly_survives_every_kill(bench, tmp_path):
    score = run_fault(bench, tmp_path, HONEST, "kills")
    assert (score.tried, score.survived, score.lost) == (6, 6, [])
    assert sum(score.notes.values()) == 6, "each kill is told with its moment"


def test_a_repeated_line_is_detected(bench, tmp_path):
    score = run_fault(bench, tmp_path, FORGETFUL, "kills")
    assert score.survived < score.tried and "lines.jsonl" in score.lost[0]


def test_workers_that_outlive_their_run_are_detected(bench, tmp_path):
    script = tmp_path / "program.py"
    script.write_text(ORPHANED)
    run = bench[1].Run(bench[1].Subject("counting", ("{out}",), (), program=(str(script),)), tmp_path)
    assert run.process.wait(20) == 0
    assert len(run.members()) == 1 and not run.empty(0.2)
    assert run.empty(5), "and they are ended"


@pytest.mark.parametrize("status", [130, 3])
def test_an_unexpected_exit_status_of_an_interrupted_run_is_detected(bench, tmp_path, status):
    leaves = f"import os, signal\nfor s in (2, 15): signal.signal(s, lambda *_: os._exit({status}))\n"
    slow = HONEST.replace("0.005", "0.03")  # slow enough to install its signal handlers before the first signal
    score = run_fault(bench, tmp_path, leaves + slow, "interrupts", 2)
    assert score.tried == score.survived == 2
    if status == 130:
        assert score.lost == []
    else:
        assert len(score.lost) == 3 and "status 3 at SIG" in score.lost[0] and "never ended with" in score.lost[-1]


def test_a_run_that_always_ends_before_its_fault_is_reported(bench, tmp_path, monkeypatch):
    kinds, subjects = bench
    monkeypatch.setattr(kinds, "MISSES", 1)
    script = tmp_path / "program.py"
    script.write_text("")
    subject = subjects.Subject("nothing", ("{out}",), (), jobs=True, program=(str(script),))
    target = kinds.FaultTarget(subject, tmp_path, 1)
    target.seconds = 1.0
    for fault in ("interrupts", "lost workers"):
        *_, score = kinds.FAULTS[fault](target, 1)
        assert (score.tried, score.lost) == (0, ["it is always over before it is struck"])


def test_events_that_a_server_no_longer_sends_are_reported(bench):
    from fault_server import Table

    class Silent:
        """A server that answers no request."""

        def feed(self, *_):
            raise TimeoutError

    table = Table.__new__(Table)
    table.id, table.tokens, table.watch, table.events = "abc", {"0": "x"}, None, [{"type": "event", "n": 0}]
    assert table.lost(Silent()) == "game abc: 0 of 1 events are there (TimeoutError)"


@pytest.mark.parametrize("fault", ["full disk", "read-only disk"])
def test_disk_faults_without_a_clear_message_are_reported(bench, tmp_path, fault):
    """The program loses no data on a full disk, but it prints a Python traceback instead of a message."""
    score = run_fault(bench, tmp_path, HONEST, fault, 2)
    if score.skipped is None:
        assert score.tried == 2 and len(score.lost) == 2 and all("status 1" in line for line in score.lost)


def test_differences_are_reported_with_their_place(bench):
    difference = bench[0].difference
    assert difference({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]}) is None
    assert difference({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}) == "/a[1]/b: 2 became 3"
    assert "only in one" in difference({"a": 1}, {})
    assert bench[1].untimed({"seconds": 1, "time": 2, "x": [{"rounds_per_second": 3, "y": 4}]}) == {"x": [{"y": 4}]}
