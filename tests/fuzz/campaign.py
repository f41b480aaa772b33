"""Inputs by the thousand in worker processes, and what ends or stops those: signals, hangs, memory."""

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
#: Between two looks at the workers.
_LOOK: Final = 0.1


@dataclass(frozen=True)
class Limits:
    """What an input may take: seconds of a processor, GiB more than before; and seconds of waiting for anything."""

    seconds: float = 5.0
    gibibytes: float = 1.0
    waiting: float = 60.0


@dataclass
class Row:
    """What came of all inputs of a kind."""

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
        """How many ran."""
        return self.accepted + self.refused + self.found

    def add(self, tally: Tally) -> None:
        """Count a chunk's."""
        self.accepted, self.refused = self.accepted + tally.accepted, self.refused + tally.refused
        self.seconds += tally.seconds
        self.gibibytes = max(self.gibibytes, tally.gibibytes)
        if tally.slowest > self.slowest:
            self.slowest, self.slowest_number = tally.slowest, tally.slowest_number


@dataclass
class Found:
    """A finding: the first input with its cause, and how many had the same."""

    kind: str
    number: int
    failure: Failure
    count: int = 1


@dataclass
class _Worker:
    """A worker process as its parent sees it."""

    process: Any
    pipe: Any
    progress: Any
    traces: Path
    chunk: Chunk | None = None
    at: int = -1  #: the input that it was at when last looked at,
    since: float = 0.0  #: from when on,
    used: float = 0.0  #: and what it had used of a processor by then


@dataclass
class Campaign:
    """Runs chunks of inputs on `jobs` processes. The inputs depend on the seed alone.

    tell: is called after every chunk.
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
        """Run all chunks, or those that there is time for (`until` on the clock of `time.monotonic`)."""
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
        """Take what workers say; count, and replace, those that ended or hang."""
        said = wait([worker.pipe for worker in workers if worker.chunk is not None], _LOOK)
        for worker in list(workers):
            if worker.chunk is None:
                continue
            reason = None
            if worker.pipe in said:
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
        """Take in what a worker says next."""
        said = worker.pipe.recv()
        assert worker.chunk is not None
        if isinstance(said, Tally):
            worker.chunk = None
            self._row(said.chunk.kind).add(said)
            self.tell(self)
        else:
            self._note(worker.chunk.kind, *said)

    def _overdue(self, worker: _Worker) -> str | None:
        """Why a worker is to be ended, if it is."""
        number = worker.progress.number
        try:
            used, resident = _usage(worker.process.pid)
        except OSError:
            return None  # it has just ended, which its pipe tells
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
        """Count what a worker did that has ended, or is to end; what is left of its chunk."""
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
        if worker.chunk is None:  # it had just come to the chunk's end
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
        """Count a failure; the first of its cause is the finding."""
        self._row(kind).found += 1
        found = self.found.setdefault((kind, failure.cause), Found(kind, number, failure, 0))
        found.count += 1


def _status(code: int | None) -> str:
    if code is not None and code < 0:
        return f"signal {signal.Signals(-code).name}"
    return f"exit {code}"


def _where(reason: str, trace: str) -> str:
    """A cause that tells one hang or crash from another: the innermost line of ours."""
    ours = [line for line in trace.splitlines() if is_ours(line.strip().removeprefix('File "'))]
    what = reason.partition(":")[0]
    if not ours:
        return what
    name, _, rest = ours[0].strip().rpartition("/")[2].replace('"', "").partition(", line")
    return f"{what} in {name}:{rest.rpartition(' in ')[2]}"


def _usage(pid: int) -> tuple[float, int]:
    """Seconds of a processor that a process has used, and bytes that it holds."""
    fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    return (int(fields[11]) + int(fields[12])) * _TICK, int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
