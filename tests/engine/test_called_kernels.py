"""Kernels that other kernels call have no machine code of their own, but work like other kernels."""

from __future__ import annotations

import gc
import os

import pytest
from numba.core import event

from warlight_env.engine.jit import kernel

MODULE = """
from warlight_env.engine.jit import kernel

@kernel
def inner(x):
    print("inner", x)
    if x > 9:
        raise ValueError("too large")
    return x + 1

@kernel
def middle(x):
    return 2 * inner(x)

@kernel
def outer(x):
    return middle(x) + inner(x)
"""

PROGRAM = """
import chain
print(chain.outer(3))
try:
    chain.middle(10)
except ValueError as error:
    print(error)
print(chain.inner(4))
"""


@pytest.fixture
def run(starts, engine_alone, tmp_path):
    """A function that runs a program, which can import `MODULE` as ``chain``, with a cache; it returns the output."""
    (tmp_path / "chain.py").write_text(MODULE)
    settings = {"PYTHONPATH": f"{tmp_path}{os.pathsep}{engine_alone}", "WARLIGHT_CACHE_DIR": tmp_path / "cache"}

    def run_program(program):
        process = starts.run(program, **settings)
        process.check_returncode()
        return process.stdout.splitlines()

    return run_program


def test_called_kernels_from_the_cache_print_and_raise(run):
    for _ in range(2):
        assert run(PROGRAM) == ["inner 3", "inner 3", "12", "inner 10", "too large", "inner 4", "5"]


def test_a_caller_is_compiled_from_cached_kernels(run):
    for caller, result in ("middle", 4), ("outer", 6):
        assert run(f"import chain; print(chain.{caller}(1))")[-1] == str(result)


@pytest.mark.parametrize("enabled", [True, False])
def test_the_garbage_collector_pauses_only_during_compilation(enabled):
    during = []

    names: dict = {"__name__": "warlight_env.made_up"}
    exec("def add(x):\n    return x + 1", names)  # a function without a file is not cached

    class Listener(event.Listener):
        def on_start(self, event):
            during.append(gc.isenabled())

        def on_end(self, event):
            pass

    was_enabled = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        with event.install_listener("numba:compile", Listener()):
            assert kernel(names["add"])(1) == 2
        assert during == [False]
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if was_enabled else gc.disable)()
