"""The checked build: it detects errors in kernels, and the kernels play unusual games without an error."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import checked_play
import pytest

from forked_python import PythonStarts

HERE = Path(__file__).parents[1]

KERNELS = """
import sys
import numpy as np
from numba import types
from warlight_env.engine.atomic import atomic_add
from warlight_env.engine.jit import kernel, pointer

@kernel
def read(a, i):
    return a[i]

@kernel
def read_row(a, i):
    return a[1, i]

@kernel
def through(a, i):
    return read(a, i)

@kernel
def write(a, i, value):
    a[i] = value

@kernel
def part(a, i, j):
    return a[i:j].shape[0] + a[i:].shape[0]

@kernel
def add(a, i):
    return atomic_add(a, i, 1)

@kernel
def whole(x):
    return np.int64(x)

def tried(function, *arguments):
    try:
        return function(*arguments)
    except (IndexError, OverflowError) as error:
        return f"{type(error).__name__}: {error}"

signed, unsigned = np.arange(3, dtype=np.int32), np.zeros(3, dtype=np.uint32)
"""


#: Program parts that call the kernels.
OUT_OF_RANGE = """
for function, a in (read, signed), (through, signed), (read_row, signed.repeat(2).reshape(2, 3)), (add, signed.copy()):
    for i in 2, 3, -1, np.uint32(3), np.int8(-1):
        print(tried(function, a, i))
for bounds in (0, 3), (3, 3), (0, 4), (-1, 3), (1, -1):
    print(tried(part, signed, *bounds))
"""
NOT_FITTING = """
for value in 2**31 - 1, -(2**31), 2.5, True, 2**31, -(2**31) - 1, np.uint64(2**63), 3e9, np.nan:
    print(tried(write, signed, 0, value), signed[0])
for value in 2**32 - 1, 0, 2**32, -1, np.int8(-1), -1.0:
    print(tried(write, unsigned, 0, value), unsigned[0])
for value in -2.5, 9e18, np.nan, -np.inf, 1e19:
    print(tried(whole, value))
"""
BEHIND_POINTERS = """
sys.unraisablehook = lambda unraisable: print(unraisable.exc_value)
behind = pointer(types.int32(types.int32[::1], types.int64), read)

@kernel
def call(function, a, i):
    return function(a, i)

print(call(behind, signed, 2))
call(behind, signed, -1)
"""
OTHERS = """
import numba
last = numba.njit(lambda a: a[-1])
signed = np.arange(3, dtype=np.int32)
print(last(signed), tried(write, signed, 0, 2**32 + 7), signed[0], tried(read, signed, -1))
"""


class Program(NamedTuple):
    """A module with KERNELS, and the output of a program that imports it: the lines of each part."""

    module: Path
    said: dict[str, list[str]]


def run(starts: PythonStarts, engine: Path, folder: Path, checked: bool, *parts: str) -> Program:
    """Run some parts in one process, in the checked or the usual build."""
    (folder / "kernels.py").write_text(KERNELS)
    code = "from kernels import *\nfrom kernels import tried\n" + "print('-----')\n".join(parts)
    path = os.pathsep.join(map(str, (folder, engine)))
    process = starts.run(code, PYTHONPATH=path, WARLIGHT_CHECKED=str(int(checked)), WARLIGHT_CACHE_DIR=folder / "cache")
    assert process.returncode == 0, process.stderr
    outputs = [part.splitlines() for part in process.stdout.split("-----\n")]
    return Program(folder / "kernels.py", dict(zip(parts, outputs, strict=True)))


@pytest.fixture(scope="module")
def checked_program(starts, engine_alone, tmp_path_factory) -> Program:
    """All parts in the checked build; BEHIND_POINTERS comes last, because it changes a hook."""
    folder = tmp_path_factory.mktemp("checked")
    return run(starts, engine_alone, folder, True, OUT_OF_RANGE, NOT_FITTING, OTHERS, BEHIND_POINTERS)


def row(name: str) -> int:
    """The line of the first statement of a kernel."""
    return KERNELS.splitlines().index(next(line for line in KERNELS.splitlines() if f"def {name}(" in line)) + 2


def test_index_errors_name_the_source_line(checked_program):
    module, lines = checked_program.module, checked_program.said[OUT_OF_RANGE]
    for k, (name, at) in enumerate([("read", 2), ("read", 2), ("read_row", 2), ("add", 2)]):
        error = f"IndexError: index is out of bounds ({module}:{row(name)}, in {name})"
        assert lines[5 * k : 5 * k + 5] == [str(at), error, error, error, error]
    error = f"IndexError: slice is out of bounds ({module}:{row('part')}, in part)"
    assert lines[20:] == ["6", "0", error, error, error]


def test_numbers_out_of_range_raise_overflow_errors(checked_program):
    module, lines = checked_program.module, checked_program.said[NOT_FITTING]
    place = f"({module}:{row('write')}, in write)"
    fits, none = (
        f"OverflowError: number {what} int32 {place} 1" for what in ("does not fit into", "is not a value of")
    )
    assert lines[:9] == ["None 2147483647", "None -2147483648", "None 2", "None 1", fits, fits, fits, none, none]
    fits, none = (
        f"OverflowError: number {what} uint32 {place} 0" for what in ("does not fit into", "is not a value of")
    )
    assert lines[9:15] == ["None 4294967295", "None 0", fits, fits, fits, none]
    error = f"OverflowError: number is not a value of int64 ({module}:{row('whole')}, in whole)"
    assert lines[15:] == ["-2", "9000000000000000000", error, error, error]


def test_errors_in_function_pointers_call_the_unraisable_hook(checked_program):
    module, lines = checked_program.module, checked_program.said[BEHIND_POINTERS]
    assert lines == ["2", f"index is out of bounds ({module}:{row('read')}, in read)"]


def test_other_functions_and_the_usual_build_have_no_checks(checked_program, starts, engine_alone, tmp_path):
    usual = run(starts, engine_alone, tmp_path, False, OTHERS)
    assert usual.said[OTHERS] == ["2 None 7 2"]
    (line,) = checked_program.said[OTHERS]
    assert line.startswith("2 OverflowError")


def test_checked_build_rejects_other_versions_of_numba():
    program = "import numba.core.cgutils as c; c.do_boundscheck = lambda a, b: 0; import warlight_env.engine.jit"
    environment = {**os.environ, "WARLIGHT_CHECKED": "1"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "ImportError: WARLIGHT_CHECKED does not support this version of Numba: numba.core.cgutils" in done.stderr


def play(games: str, **places: str) -> list[str]:
    """Play in the checked build and return the output of `checked_play`."""
    settings = {"WARLIGHT_CHECKED": "1", "NUMBA_OPT": "1", **places}  # Numba stores few kernels with NUMBA_OPT=0
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(HERE / "checked_play.py"), games],
        env={**os.environ, **settings}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_checked_build_plays_a_few_unusual_games_like_the_usual_build():
    assert play("few") == checked_play.few()


@pytest.mark.slow
def test_checked_build_tree_search_plays_like_the_usual_build():
    assert play("search") == checked_play.search_turns()


@pytest.mark.slow
def test_checked_build_runs_every_kernel_in_unusual_games_without_an_error(tmp_path):
    assert play("all", WARLIGHT_CACHE_DIR=str(tmp_path)) == []
