"""The games of a match in several processes."""

from __future__ import annotations

import contextlib
import multiprocessing
import pickle
import signal
import tempfile
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from warlight_env.agents import AgentError
from warlight_env.arena.match import MatchError, OnGames, Setup
from warlight_env.arena.play import GameRecord, GameStopped
from warlight_env.errors import RunError

#: Most games that are handed to a process at once.
CHUNK = 64


class _Worker:
    """What a worker process keeps: the match, and the flag in shared memory that stops it."""

    setup: Setup
    stop: Any
    warm = False


def _start(file: Path, stop: Any) -> None:
    _Worker.setup, _Worker.stop = pickle.loads(file.read_bytes()), stop


def _stopped() -> bool:
    return bool(_Worker.stop.value)


def _play(numbers: range) -> list[GameRecord]:
    records: list[GameRecord] = []
    if not _Worker.warm:
        _Worker.setup.warm_up()
        _Worker.warm = True
    with contextlib.suppress(GameStopped):
        for number in numbers:
            if _stopped():
                break
            records.append(_Worker.setup.play(number, _stopped))
    return records


@contextlib.contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Processes started meanwhile ignore Ctrl-C for life: the parent alone decides what it means."""
    if threading.current_thread() is not threading.main_thread():
        yield
    elif hasattr(signal, "pthread_sigmask"):  # blocked, not ignored: what arrives meanwhile is delivered afterwards
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
    else:
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, handler)


def run_in_processes(
    setup: Setup, games: int, jobs: int, on_games: OnGames | None = None
) -> tuple[list[GameRecord], bool]:
    """Play games 0 .. games - 1; returns the records in that order, and whether Ctrl-C ended it early."""
    try:
        sent = pickle.dumps(setup)
    except Exception as error:
        raise MatchError(f"jobs = {jobs}: the agents cannot be sent to other processes ({error})") from error
    with tempfile.TemporaryDirectory(prefix="warlight-match-") as folder:
        # A process that fails to start reads nothing, and what is larger than a pipe's buffer would wait for ever.
        file = Path(folder, "setup.pickle")
        file.write_bytes(sent)
        return _run(file, games, jobs, on_games)


def _run(file: Path, games: int, jobs: int, on_games: OnGames | None) -> tuple[list[GameRecord], bool]:
    context = multiprocessing.get_context("spawn")
    stop = context.RawValue("b", 0)
    size = max(1, min(CHUNK, games // (8 * jobs)))
    chunks = [range(first, min(first + size, games)) for first in range(0, games, size)]
    records: list[GameRecord] = []
    interrupted = False
    with ProcessPoolExecutor(min(jobs, len(chunks)), context, _start, (file, stop)) as pool:
        futures: list[Future[list[GameRecord]]] = []
        try:
            with _interrupts_ignored():
                futures = [pool.submit(_play, chunk) for chunk in chunks]
            pending = set(futures)
            while pending:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                _collect(done, records, on_games)
        except KeyboardInterrupt:
            interrupted = True
            stop.value = 1
            pool.shutdown(wait=True, cancel_futures=True)
            _collect([future for future in futures if future.done() and not future.cancelled()], records, None)
        except AgentError as error:
            raise MatchError(f"{error} (agents registered at run time need jobs = 1)") from error
        except BrokenProcessPool as error:
            raise RunError(
                "a process of the match died: killed, out of memory, or started by a script that calls Match.run with "
                'jobs > 1 outside of `if __name__ == "__main__":`'
            ) from error
        finally:
            stop.value = 1
            pool.shutdown(wait=True, cancel_futures=True)
    unique = {record.number: record for record in records}
    return [unique[number] for number in sorted(unique)], interrupted


def _collect(done: Iterable[Future[list[GameRecord]]], records: list[GameRecord], on_games: OnGames | None) -> None:
    for future in done:
        new = future.result()
        records.extend(new)
        if on_games is not None and new:
            on_games(new)
