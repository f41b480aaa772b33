"""Inputs on which the package once failed, new inputs of every type, and faults that the fuzzer must detect."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from faulty_target import HARM, Faulty
from fuzz import mutate, target
from fuzz.campaign import Campaign, Limits
from fuzz.minimise import smaller
from fuzz.run import table
from fuzz.values import nested
from fuzz.worker import Chunk, Failure, attempt

CASES = Path(__file__).parents[1] / "fuzz" / "cases"
#: Number of inputs of each kind in this test, the first ones of seed 1. CONTRIBUTING.md explains longer runs.
INPUTS = {
    "lines": 100, "engine": 10, "orders": 40, "rules": 15, "games": 25, "specs": 75, "maps": 20, "logs": 10,
    "studies": 15, "folders": 12, "actions": 15, "settings": 5, "policies": 3, "states": 3, "requests": 5, "api": 40,
}  # fmt: skip
#: Kinds without new inputs in this test, because each plug-in is compiled separately.
SLOW = {"plug_ins"}
posix = pytest.mark.skipif(sys.platform != "linux", reason="watches processes through /proc")


@pytest.mark.parametrize("kind", sorted(path.name for path in CASES.iterdir()))
def test_earlier_failures_are_fixed(kind, tmp_path):
    subject = target.load(kind, tmp_path)
    try:
        results = {path.name: attempt(subject, target.read(path)) for path in sorted((CASES / kind).iterdir())}
    finally:
        subject.close()
    assert results
    failures = {name: result for name, result in results.items() if isinstance(result, Failure)}
    assert not failures, "\n\n".join(f"{name}: {failure.trace}" for name, failure in failures.items())


@posix
def test_new_inputs_of_every_kind_cause_no_failure():
    assert INPUTS.keys() | SLOW == set(target.KINDS)
    campaign = Campaign(seed=1)
    campaign.run(Chunk(kind, 0, count) for kind, count in INPUTS.items())
    assert {kind: row.inputs for kind, row in campaign.rows.items()} == INPUTS
    assert not campaign.found, "\n\n".join(f"{f.kind} {f.number}: {f.failure.trace}" for f in campaign.found.values())


@posix
def test_the_memory_peak_of_a_process_is_measured_and_reset():
    held = bytearray(400 << 20)
    code = (
        "from fuzz.worker import forget_peak, peak\n"
        "own = peak()\nheld = bytearray(400 << 20)\nmost = peak()\ndel held\nprint(own, most, forget_peak())"
    )
    paths = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    output = subprocess.run([sys.executable, "-c", code], env=paths, capture_output=True, text=True, check=True).stdout
    own, most, after_reset = map(float, output.split())
    assert held and own < 0.35 and most > own + 0.3 and after_reset < most - 0.3


def results_of_inputs(seed: int, count: int, folder: Path) -> list[str]:
    subject = Faulty(folder)
    return [target.make(subject, "faulty_target", seed, number)[0] for number in range(count)]


@posix
def test_the_fuzzer_detects_exceptions_false_results_signals_hangs_and_memory(tmp_path):
    seed, count = 287, 24
    expected = Counter(results_of_inputs(seed, count, tmp_path))
    assert all(expected[harm] for harm in HARM)
    campaign = Campaign(seed, jobs=2, limits=Limits(seconds=0.5, gibibytes=0.25))
    campaign.run(Chunk("faulty_target", first, 8) for first in range(0, count, 8))
    (row,) = campaign.rows.values()
    assert (row.accepted, row.refused) == (expected["taken"], expected["refused"])
    assert row.found == sum(expected[harm] for harm in HARM)
    causes = {found.failure.cause: found.count for found in campaign.found.values()}
    assert causes == {
        "KeyError in faulty_target.py:run": expected["raises"],
        "Finding (something that is not so) in target.py:expect": expected["lies"],
        "signal SIGSEGV": expected["dies"],
        "hang": expected["hangs"],
        "MemoryError in faulty_target.py:run": expected["hoards"],
    }
    assert f"{count:>9}" in table(campaign)


def test_inputs_depend_only_on_their_seed_and_number(tmp_path):
    one, other = target.load("lines", tmp_path / "a"), target.load("lines", tmp_path / "b")
    inputs = [target.make(one, "lines", 3, number) for number in range(50)]
    assert [target.make(other, "lines", 3, number) for number in reversed(range(50))] == inputs[::-1]
    assert inputs != [target.make(one, "lines", 4, number) for number in range(50)]


@pytest.mark.parametrize(
    "data", [b"\x00\xff", ("\ud800\u202e", float("inf"), [None, {1: b"x"}], -(10**400)), ("x", nested(300))]
)
def test_an_input_is_unchanged_after_writing_and_reading(data, tmp_path):
    path = tmp_path / f"case{target.suffix(data)}"
    path.write_bytes(target.write(data))
    assert target.read(path) == data


def test_failing_inputs_are_minimised():
    data = {"a": [1, 2, "long text with a ! in it"], "b": {"c": 17, "d": None}}
    assert smaller(data, lambda value: "!" in str(value) and isinstance(value, dict), 1e18) == {"a": ["!"]}
    assert smaller(b"0123456789" * 50 + b"x", lambda value: b"x" in value, 1e18) == b"x"


def test_mutations_do_not_change_the_original():
    import random

    original = {"a": [1, {"b": "c"}], "d": (2, 3)}
    before = repr(original)
    changed = {repr(mutate.changed(original, random.Random(i))) for i in range(200)}
    assert repr(original) == before and len(changed) > 100
