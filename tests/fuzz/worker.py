"""A process that runs inputs: it says which one it is at, and what came of them; what ends it, its parent notices."""

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
    """What an input did that it must not. cause: tells findings apart; trace: for people."""

    cause: str
    trace: str


@dataclass(frozen=True)
class Chunk:
    """Inputs of a kind, by number."""

    kind: str
    first: int
    count: int


@dataclass
class Tally:
    """What came of the inputs of a chunk; failures are told one by one, before."""

    chunk: Chunk
    accepted: int = 0
    refused: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    slowest_number: int = -1
    gibibytes: float = 0.0  #: the most that the process held meanwhile


class Progress(ctypes.Structure):
    """Where a worker is, in memory that it shares with its parent: `number` is -1 between inputs, `last` stays."""

    _fields_ = [(name, ctypes.c_longlong) for name in ("number", "last", "accepted", "refused")]


def attempt(target: targets.Target, data: targets.Data) -> bool | Failure:
    """Whether an input was taken, or what it did that it must not."""
    try:
        return target.run(data)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Failure(cause_of(error), "".join(traceback.format_exception(error, limit=40))[-12_000:])


def cause_of(error: BaseException) -> str:
    """The kind of an error and where it comes from, so that one mistake is counted once."""
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
    """Whether a file is the project's, its tests and its environment aside."""
    return path.startswith(str(ROOT)) and "/tests/" not in path and "/.venv/" not in path


def limit_memory(more: float) -> None:
    """Let this process have so many GiB more than it holds now: what asks for more gets a `MemoryError`."""
    resource.setrlimit(resource.RLIMIT_DATA, (int(_held("VmData") + more * GIB), resource.RLIM_INFINITY))


def _held(what: str) -> int:
    """Bytes of this process's memory, of a kind that the system counts."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(f"{what}:")) * 1024


def forget_peak() -> float:
    """Have `peak` count from now on, and from this."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return peak()


def peak() -> float:
    """GiB that this process held at most."""
    return _held("VmHWM") / GIB  # what `getrusage` says holds for the process from which this one was forked, too


def silence(*more: int) -> None:
    """What is printed meanwhile goes nowhere; more: streams besides standard input and output."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, *more):
        os.dup2(null, stream)
    warnings.simplefilter("ignore")


class TargetCache:
    """The targets of a process, each made when it is first needed, and its files."""

    def __init__(self) -> None:
        shared = Path("/dev/shm")
        self._folder = Path(tempfile.mkdtemp(prefix="fuzz-", dir=shared if os.access(shared, os.W_OK) else None))
        self._made: dict[str, targets.Target] = {}

    def target(self, kind: str) -> targets.Target:
        """The target of a kind."""
        if kind not in self._made:
            self._made[kind] = targets.load(kind, self._folder / kind.replace("/", "-"))
        return self._made[kind]

    def close(self) -> None:
        """Leave nothing behind."""
        for target in self._made.values():
            target.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def main(pipe: Connection, progress: Any, seed: int, gibibytes: float, traces: str) -> None:
    """Run chunks as they come through the pipe, and say what failed, then a `Tally` for each; None ends it."""
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
                    limit_memory(gibibytes + 1.0)  # kernels and libraries that are still to be loaded
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
