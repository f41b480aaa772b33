"""Runs many inputs in worker processes; detects crashes, hangs and too much memory."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Final

from fuzz.worker import Chunk, Failure, Progress, Tally, is_ours, main

_PROCESSES: Final = multiprocessing.get_context("spawn")
_TICK: Final = 1 / os.sysconf("SC_CLK_TCK")
#: seconds between two checks of the workers
_LOOK: Final = 0.1


@dataclass(frozen=True)
class Limits:
    """Limits of an input: seconds of CPU time, additional GiB of memory, and seconds of waiting."""

    seconds: float = 5.0
    gibibytes: float = 1.0
    waiting: float = 60.0


@dataclass
class Row:
    """The results of all inputs of a kind."""

    kind: str
    accepted: int = 0
    refused: int = 0
    found: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    slowest_number: int = -1
    gibibytes: float = 0.0

    @property
    def inputs(self) -> int:
        """Number of inputs that ran."""
        return self.accepted + self.refused + self.found

    def add(self, tally: Tally) -> None:
        """Add the results of a chunk."""
        self.accepted, self.refused = self.accepted + tally.accepted, self.refused + tally.refused
        self.seconds += tally.seconds
        self.gibibytes = max(self.gibibytes, tally.gibibytes)
        if tally.slowest > self.slowest:
            self.slowest, self.slowest_number = tally.slowest, tally.slowest_number


@dataclass
class Found:
    """A finding: its cause, the first input with this cause, and the number of inputs with this cause."""

    kind: str
    number: int
    failure: Failure
    count: int = 1


@dataclass
class _Worker:
    """The parent's data about a worker process."""

    process: Any
    pipe: Any
    progress: Any
    traces: Path
    chunk: Chunk | None = None
    at: int = -1  #: number of the worker's input at the last check
    since: float = 0.0  #: time of the first check at which the worker had this input
    used: float = 0.0  #: CPU seconds that the worker had used at that time


@dataclass
class Campaign:
    """Runs chunks of inputs in `jobs` processes. The inputs depend only on the seed.

    tell: called after every chunk.
    """

    seed: int
    jobs: int = 1
    limits: Limits = field(default_factory=Limits)
    tell: Callable[[Campaign], None] = lambda campaign: None

    def __post_init__(self) -> None:
        self.rows: dict[str, Row] = {}
        self.found: dict[tuple[str, str], Found] = {}
        self._folder = tempfile.TemporaryDirectory(prefix="fuzz-traces-")
        self._started = 0

    def run(self, chunks: Iterable[Chunk], until: float | None = None) -> None:
        """Run all chunks, or chunks until the time `until` (of `time.monotonic`)."""
        source, again = iter(chunks), deque[Chunk]()
        workers: list[_Worker] = []

        def following() -> Chunk | None:
            if again:
                return again.popleft()
            late = until is not None and time.monotonic() >= until
            return None if late else next(source, None)

        try:
            while True:
                idle = [worker for worker in workers if worker.chunk is None]
                while idle or len(workers) < self.jobs:
                    chunk = following()
                    if chunk is None:
                        break
                    if not idle:
                        workers.append(self._start())
                    worker = idle.pop() if idle else workers[-1]
                    worker.chunk, worker.at = chunk, -1
                    worker.pipe.send(chunk)
                if all(worker.chunk is None for worker in workers):
                    return
                self._look(workers, again)
        finally:
            for worker in workers:
                self._end(worker)
            self._folder.cleanup()

    def _start(self) -> _Worker:
        self._started += 1
        traces = Path(self._folder.name, f"{self._started}.txt")
        ours, theirs = _PROCESSES.Pipe()
        progress = _PROCESSES.Value(Progress, lock=False)
        progress.number = -1
        arguments = (theirs, progress, self.seed, self.limits.gibibytes, str(traces))
        process = _PROCESSES.Process(target=main, args=arguments)
        process.start()
        theirs.close()
        return _Worker(process, ours, progress, traces)

    def _end(self, worker: _Worker) -> None:
        with contextlib.suppress(OSError):
            if worker.chunk is None:
                worker.pipe.send(None)
        if worker.chunk is not None:
            worker.process.kill()
        worker.process.join(10)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.pipe.close()

    def _look(self, workers: list[_Worker], again: deque[Chunk]) -> None:
        """Receive messages from the workers; replace workers that have ended or hang, and count this as a failure."""
        ready = wait([worker.pipe for worker in workers if worker.chunk is not None], _LOOK)
        for worker in list(workers):
            if worker.chunk is None:
                continue
            reason = None
            if worker.pipe in ready:
                try:
                    self._hear(worker)
                    continue
                except (EOFError, OSError):
                    worker.process.join(10)
                    reason = _status(worker.process.exitcode)
            reason = reason or self._overdue(worker)
            if reason is not None:
                workers.remove(worker)
                again.extend(self._lost(worker, reason))

    def _hear(self, worker: _Worker) -> None:
        """Receive the next message of a worker."""
        message = worker.pipe.recv()
        assert worker.chunk is not None
        if isinstance(message, Tally):
            worker.chunk = None
            self._row(message.chunk.kind).add(message)
            self.tell(self)
        else:
            self._note(worker.chunk.kind, *message)

    def _overdue(self, worker: _Worker) -> str | None:
        """Return why a worker must be killed; None: it may continue."""
        number = worker.progress.number
        try:
            used, resident = _usage(worker.process.pid)
        except OSError:
            return None  # the process has just ended; the closed pipe reports it
        if number != worker.at or number < 0:
            worker.at, worker.since, worker.used = number, time.monotonic(), used
            if number < 0:
                return None
        if used - worker.used > self.limits.seconds:
            return f"hang: more than {self.limits.seconds:g} s"
        if time.monotonic() - worker.since > self.limits.waiting:
            return f"hang: waits for more than {self.limits.waiting:g} s"
        if resident > (self.limits.gibibytes + 2.0) * 2**30:
            return f"memory: {resident / 2**30:.1f} GiB"
        return None

    def _lost(self, worker: _Worker, reason: str) -> list[Chunk]:
        """Count the results of a lost worker, and end it; return the rest of its chunk."""
        chunk, at = worker.chunk, worker.progress.last
        assert chunk is not None
        if worker.process.is_alive():
            with contextlib.suppress(OSError):
                os.kill(worker.process.pid, signal.SIGUSR1)
            time.sleep(0.3)
        worker.process.kill()
        worker.process.join()
        with contextlib.suppress(EOFError, OSError):
            while worker.pipe.poll():
                self._hear(worker)
        worker.pipe.close()
        if worker.chunk is None:  # the worker has just completed the chunk
            return []
        trace = worker.traces.read_text(encoding="utf-8", errors="replace")[-12_000:]
        if reason.startswith("exit"):
            raise RuntimeError(f"a worker could not make its inputs of {chunk.kind} ({reason})")
        self._row(chunk.kind).add(Tally(chunk, worker.progress.accepted, worker.progress.refused))
        self._note(chunk.kind, at, Failure(_where(reason, trace), f"{reason}\n{trace}"))
        left = chunk.first + chunk.count - at - 1
        return [Chunk(chunk.kind, at + 1, left)] if left else []

    def _row(self, kind: str) -> Row:
        return self.rows.setdefault(kind, Row(kind))

    def _note(self, kind: str, number: int, failure: Failure) -> None:
        """Count a failure; the first failure with a cause is the finding."""
        self._row(kind).found += 1
        found = self.found.setdefault((kind, failure.cause), Found(kind, number, failure, 0))
        found.count += 1


def _status(code: int | None) -> str:
    if code is not None and code < 0:
        return f"signal {signal.Signals(-code).name}"
    return f"exit {code}"


def _where(reason: str, trace: str) -> str:
    """Return a cause that identifies a hang or crash: the innermost line of this project's code."""
    ours = [line for line in trace.splitlines() if is_ours(line.strip().removeprefix('File "'))]
    what = reason.partition(":")[0]
    if not ours:
        return what
    name, _, rest = ours[0].strip().rpartition("/")[2].replace('"', "").partition(", line")
    return f"{what} in {name}:{rest.rpartition(' in ')[2]}"


def _usage(pid: int) -> tuple[float, int]:
    """Return the CPU seconds that a process has used, and its memory in bytes."""
    fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    return (int(fields[11]) + int(fields[12])) * _TICK, int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
