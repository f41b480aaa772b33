"""Measurement of ratios in one run: alternating repetitions, medians, and a C loop for the machine's speed."""

from __future__ import annotations

import ctypes
import multiprocessing
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

C_LOOP = r"""
#include <stdint.h>
uint64_t spin(uint64_t n) {
    uint64_t x = 88172645463325252ull;
    for (uint64_t i = 0; i < n; ++i) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; }
    return x;
}
"""


def seconds(work: Callable[[], object]) -> float:
    """Return the wall time of one call in seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def calls_per_second(work: Callable[[], object], duration: float) -> float:
    """Return the rate of calls that follow each other for `duration` seconds; there is at least one call."""
    count, start = 0, time.perf_counter()
    while count == 0 or time.perf_counter() - start < duration:
        work()
        count += 1
    return count / (time.perf_counter() - start)


def interleaved(functions: dict[str, Callable[[], float]], repeats: int) -> dict[str, float]:
    """Return the median rate of each function. They alternate, so that machine changes affect all equally."""
    rates: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(repeats):
        for name, function in functions.items():
            rates[name].append(function())
    return {name: statistics.median(values) for name, values in rates.items()}


def paired_rates(functions: dict[str, Callable[[], float]], turns: int) -> dict[str, list[float]]:
    """Return the rates of each function in each turn, for `median_ratio`.

    In each turn every function runs once, in a new order, so that changes of the machine's load affect all equally. A
    single call should take much less than a second.
    """
    rates: dict[str, list[float]] = {name: [] for name in functions}
    names = list(functions)
    for turn in range(turns):
        k = turn % len(names)
        for name in names[k:] + names[:k]:
            rates[name].append(functions[name]())
    return rates


def median_ratio(rates: dict[str, list[float]], name: str, base: str) -> float:
    """Return the median of the ratios of two functions' rates in the same turn. rates: a result of `paired_rates`."""
    return statistics.median(rate / base_rate for rate, base_rate in zip(rates[name], rates[base], strict=True))


def build_c_loop(folder: Path) -> Path | None:
    """Build the plain C loop as a shared library; return None if there is no C compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    source, library = folder / "spin.c", folder / "spin.so"
    source.write_text(C_LOOP)
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    return library


def _spin(library: str, n: int, ready, go, done) -> None:
    spin = ctypes.CDLL(library).spin
    spin.restype = ctypes.c_uint64
    spin(ctypes.c_uint64(1000))
    ready.release()
    go.acquire()
    start = time.perf_counter()
    spin(ctypes.c_uint64(n))
    done.put(time.perf_counter() - start)


def c_processes(library: Path, processes: int, n: int) -> float:
    """Return the total iterations per second of the C loop in several independent processes at once."""
    context = multiprocessing.get_context("spawn")
    ready, go, done = context.Semaphore(0), context.Semaphore(0), context.Queue()
    workers = [context.Process(target=_spin, args=(str(library), n, ready, go, done)) for _ in range(processes)]
    for worker in workers:
        worker.start()
    for _ in workers:
        ready.acquire()
    for _ in workers:
        go.release()
    slowest = max(done.get() for _ in workers)
    for worker in workers:
        worker.join()
    return processes * n / slowest


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a temporary folder, which is deleted at the end of its context."""
    return tempfile.TemporaryDirectory(prefix="warlight-bench-")
