"""Minimizes the inputs of findings. Each attempt runs in a new process and must fail with the same cause."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fuzz import target as targets
from fuzz.worker import Failure, TargetCache, attempt, limit_memory, silence


def cause_apart(target: targets.Target, data: targets.Data, seconds: float, gibibytes: float) -> Failure | None:
    """Run an input in a new process; return its failure, or None."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            limit_memory(gibibytes)
            result = attempt(target, data)
            if isinstance(result, Failure):
                os.write(writing, f"{result.cause}\0{result.trace}".encode("utf-8", "replace")[:60_000])
        finally:
            os._exit(0)
    os.close(writing)
    ended = bool(select.select([reading], [], [], 4 * seconds)[0])
    if not ended:
        os.kill(child, signal.SIGKILL)
    output = os.read(reading, 60_000).decode("utf-8", "replace") if ended else ""
    os.close(reading)
    _, status = os.waitpid(child, 0)
    if not ended:
        return Failure("hang", "hang")
    if os.WIFSIGNALED(status):
        name = f"signal {signal.Signals(os.WTERMSIG(status)).name}"
        return Failure(name, name)
    cause, _, trace = output.partition("\0")
    return Failure(cause, trace) if cause else None


def smaller(data: Any, fails: Callable[[Any], bool], deadline: float) -> Any:
    """Return the smallest input found before the deadline for which `fails` is true."""
    again = True
    while again and time.monotonic() < deadline:
        again = False
        for candidate in _simpler(data):
            if time.monotonic() >= deadline:
                break
            if fails(candidate):
                data, again = candidate, True
                break
    return data


def _simpler(value: Any) -> Iterator[Any]:
    """Yield inputs with fewer parts, the smallest first."""
    if isinstance(value, bytes | str | list | tuple):
        size = len(value) // 2
        while size:
            for start in range(0, len(value), size):
                yield value[:start] + value[start + size :]
            size = 0 if size == 1 else max(1, size // 4)
        if isinstance(value, list | tuple):
            for i, item in enumerate(value):
                for simpler in _simpler(item):
                    yield type(value)((*value[:i], simpler, *value[i + 1 :]))
    elif isinstance(value, dict):
        for key in value:
            yield {k: v for k, v in value.items() if k != key}
        for key, item in value.items():
            for simpler in _simpler(item):
                yield {**value, key: simpler}
    elif isinstance(value, int | float) and value not in (0, 1):
        yield 0
        yield 1


def minimise(kind: str, seed: int, number: int, path: str, seconds: float, gibibytes: float, patience: float) -> None:
    """Write the input of a finding, minimized within `patience` seconds, to a file next to `path`.

    If the input does not fail alone, earlier inputs contributed to the failure; then it is written unchanged.
    """
    silence(2)
    os.setsid()
    crew = TargetCache()
    try:
        target = crew.target(kind)
        data = targets.make(target, kind, seed, number)
        first = cause_apart(target, data, seconds, gibibytes)
        note = "by itself it does no harm; those before it must have had a part in it\n"
        if first is not None:
            note = ""

            def fails(candidate: Any) -> bool:
                failure = cause_apart(target, candidate, seconds, gibibytes)
                return failure is not None and failure.cause == first.cause

            data = smaller(data, fails, time.monotonic() + patience)
            last = cause_apart(target, data, seconds, gibibytes) or first
            note = f"made small:\n{last.trace}\n"
        Path(path + targets.suffix(data)).write_bytes(targets.write(data))
        with open(path + ".report", "a", encoding="utf-8") as file:
            file.write(note)
    finally:
        crew.close()
