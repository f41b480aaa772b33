"""A worker process runs inputs and reports its progress and results; its parent detects a crash or hang."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import resource
import shutil
import signal
import tempfile
import time
import traceback
import warnings
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from fuzz import target as targets

ROOT: Final = Path(__file__).resolve().parents[2]
GIB: Final = 2**30


@dataclass(frozen=True)
class Failure:
    """Incorrect behaviour for an input. cause: equal for equal findings; trace: a traceback for the report."""

    cause: str
    trace: str


@dataclass(frozen=True)
class Chunk:
    """Consecutive inputs of a kind, by their numbers."""

    kind: str
    first: int
    count: int


@dataclass
class Tally:
    """The results of a chunk; failures were already reported one by one."""

    chunk: Chunk
    accepted: int = 0
    refused: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    slowest_number: int = -1
    gibibytes: float = 0.0  #: largest memory use of the process during the chunk


class Progress(ctypes.Structure):
    """The progress of a worker in memory shared with its parent: `number` is -1 between inputs, `last` is not reset."""

    _fields_ = [(name, ctypes.c_longlong) for name in ("number", "last", "accepted", "refused")]


def attempt(target: targets.Target, data: targets.Data) -> bool | Failure:
    """Run an input; return whether it was accepted, or its failure."""
    try:
        return target.run(data)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Failure(cause_of(error), "".join(traceback.format_exception(error, limit=40))[-12_000:])


def cause_of(error: BaseException) -> str:
    """Return the type of an error and the function that raised it, so that equal errors are counted together."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if is_ours(f.filename)]
    where = (ours or [*frames[-1:]])[-1:]
    place = "".join(f" in {Path(f.filename).name}:{f.name}" for f in where)
    what = f"{type(error).__name__}"
    if isinstance(error, targets.Finding):
        cause = error.__cause__
        what += f" ({str(error).partition(':')[0]})"
        if cause is not None:
            return f"{what}, {cause_of(cause)}"
    return f"{what}{place}"


def is_ours(path: str) -> bool:
    """Return whether a file belongs to the project, without its tests and its virtual environment."""
    return path.startswith(str(ROOT)) and "/tests/" not in path and "/.venv/" not in path


def limit_memory(more: float) -> None:
    """Allow this process `more` GiB of memory in addition to its present use; beyond it, it gets a `MemoryError`."""
    resource.setrlimit(resource.RLIMIT_DATA, (int(_held("VmData") + more * GIB), resource.RLIM_INFINITY))


def _held(what: str) -> int:
    """Return a value of /proc/self/status in bytes, such as VmData."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(f"{what}:")) * 1024


def forget_peak() -> float:
    """Reset the value of `peak` to the present memory use, and return it."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return peak()


def peak() -> float:
    """Return the largest memory use of this process in GiB."""
    return _held("VmHWM") / GIB  # `getrusage` would include the parent's memory before the fork


def silence(*more: int) -> None:
    """Redirect standard input and output to /dev/null. more: additional file descriptors."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, *more):
        os.dup2(null, stream)
    warnings.simplefilter("ignore")


class TargetCache:
    """The targets of a process, each created when first needed, and the folder of their files."""

    def __init__(self) -> None:
        shared = Path("/dev/shm")
        self._folder = Path(tempfile.mkdtemp(prefix="fuzz-", dir=shared if os.access(shared, os.W_OK) else None))
        self._made: dict[str, targets.Target] = {}

    def target(self, kind: str) -> targets.Target:
        """Return the target of a kind."""
        if kind not in self._made:
            self._made[kind] = targets.load(kind, self._folder / kind.replace("/", "-"))
        return self._made[kind]

    def close(self) -> None:
        """Close all targets and delete their files."""
        for target in self._made.values():
            target.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def main(pipe: Connection, progress: Any, seed: int, gibibytes: float, traces: str) -> None:
    """Run chunks from the pipe; send each failure, and a `Tally` after each chunk. None ends the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    silence()
    with open(traces, "w", encoding="utf-8") as file:
        faulthandler.enable(file)
        faulthandler.register(signal.SIGUSR1, file, all_threads=True)
        crew = TargetCache()
        limited = False
        try:
            while (chunk := pipe.recv()) is not None:
                target = crew.target(chunk.kind)
                if not limited:
                    limited = True
                    limit_memory(gibibytes + 1.0)  # additional memory for kernels and libraries that are loaded later
                pipe.send(_run(target, chunk, progress, seed, gibibytes, pipe))
        finally:
            crew.close()


def _run(target: targets.Target, chunk: Chunk, progress: Any, seed: int, gibibytes: float, pipe: Connection) -> Tally:
    tally = Tally(chunk)
    progress.accepted, progress.refused, progress.last = 0, 0, chunk.first
    most = forget_peak() + gibibytes
    began = time.perf_counter()
    for number in range(chunk.first, chunk.first + chunk.count):
        data = targets.make(target, chunk.kind, seed, number)
        progress.number = progress.last = number
        start = time.perf_counter()
        result = attempt(target, data)
        took = time.perf_counter() - start
        progress.number = -1
        if peak() > most:
            result, most = Failure("memory", f"{peak():.1f} GiB, {gibibytes:g} more than before"), peak() + gibibytes
        if isinstance(result, Failure):
            pipe.send((number, result))
        elif result:
            progress.accepted = tally.accepted = tally.accepted + 1
        else:
            progress.refused = tally.refused = tally.refused + 1
        if took > tally.slowest:
            tally.slowest, tally.slowest_number = took, number
    tally.seconds, tally.gibibytes = time.perf_counter() - began, peak()
    return tally
