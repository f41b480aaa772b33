"""During compilation, a line shows the current kernel, the number of ready kernels and their approximate total."""

from __future__ import annotations

import contextlib
import os
import re
import sys

import pytest

from warlight_env.cli.progress import task_progress
from warlight_env.engine import compile_progress
from warlight_env.engine.jit import kernel

#: Two callees and their caller; without a file they are never cached.
SOURCE = """
def one(x):
    return x + 1
def two(x):
    return one(x) + 2
def three(x):
    return two(x) + one(x)
"""


def make_kernels():
    names: dict = {"__name__": "warlight_env.made_up"}
    exec(SOURCE, names)
    for name in ("one", "two", "three"):
        names[name] = kernel(names[name])
    return names


def test_called_kernels_includes_indirect_callees():
    names = make_kernels()
    callees = compile_progress.called_kernels(names["three"].py_func)
    assert {function.__name__ for function in callees} == {"one", "two", "three"}


def test_progress_lines_count_the_ready_kernels(capsys, monkeypatch):
    monkeypatch.setattr(compile_progress, "INTERVAL", 0.0)
    names = make_kernels()
    before = compile_progress.compiled_count()
    with compile_progress.shown():
        assert names["three"](1) == 6
    lines = capsys.readouterr().err.splitlines()
    assert compile_progress.compiled_count() == before + 3
    assert lines[0] == "compiling (the first time only) …" and len(lines) == 3
    counts = [re.fullmatch(r"compiling: (\d+) of about (\d+) kernels ready, now (\S+)", line) for line in lines[1:]]
    assert all(counts)
    ready = [int(match[1]) for match in counts]
    assert ready == sorted(ready) and all(int(match[1]) < int(match[2]) for match in counts)
    assert {match[3] for match in counts} <= {"warlight_env.made_up.one", "warlight_env.made_up.two"}
    with compile_progress.shown():
        names["three"](1)
    assert capsys.readouterr().err == ""


def test_long_tasks_of_commands_show_the_compilation(capsys):
    with task_progress("rounds"):
        make_kernels()["three"](1)
    assert capsys.readouterr().err.startswith("compiling (the first time only) …\n")
    with task_progress("rounds", quiet=True):
        make_kernels()["three"](1)
    assert capsys.readouterr().err == ""


def test_redirected_stderr_shows_compilation_only_inside_shown(starts):
    program = f"""
from warlight_env.engine import compile_progress
from warlight_env.engine.jit import kernel
names = {{"__name__": "warlight_env.made_up"}}
exec({SOURCE!r}, names)
kernel(names["one"])(1)
with compile_progress.shown():
    kernel(names["one"])(1.5)
"""
    process = starts.run(program)
    assert process.stderr == "compiling (the first time only) …\n"


@pytest.fixture(params=["none", "closed", "full"])
def broken_stderr(request, monkeypatch):
    """A standard error stream that cannot be written."""
    with contextlib.suppress(OSError), open("/dev/full" if request.param == "full" else os.devnull, "w") as stream:
        if request.param == "closed":
            stream.close()
        monkeypatch.setattr(sys, "stderr", None if request.param == "none" else stream)
        yield


def test_a_kernel_compiles_without_a_standard_error(broken_stderr, capsys, monkeypatch):
    monkeypatch.setattr(compile_progress, "INTERVAL", 0.0)
    assert make_kernels()["one"](1) == 2
    with compile_progress.shown():
        assert make_kernels()["three"](1) == 6
    assert capsys.readouterr().out == ""
