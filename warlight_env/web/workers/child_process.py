"""A child process that answers questions one at a time and is killed after a timeout.

The time of a question does not run while the child compiles kernels: on a busy machine, a compilation takes minutes.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import pickle
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Final

from warlight_env.engine.compile_progress import CompileState, observe
from warlight_env.worker_processes import begin_worker, interrupts_blocked

#: Seconds within which a process must be ready for its first question.
START: Final = 300.0
#: Seconds after which a compilation counts as ended if no other kernel is compiled.
PAUSE: Final = 0.5

#: Receives a state while the process starts or compiles (0 of 0 kernels while it starts); None: it computes.
StateCallback = Callable[[CompileState | None], None]


class ChildTimeoutError(Exception):
    """An answer took longer than its limit of `seconds` seconds, and the process was killed."""

    def __init__(self, reason: str, seconds: float) -> None:
        super().__init__(reason)
        self.seconds = seconds


class ChildDiedError(Exception):
    """A process ended before its answer. The error has the exit code (see `multiprocessing.Process`)."""

    def __init__(self, reason: str, exitcode: int | None) -> None:
        super().__init__(reason)
        self.exitcode = exitcode


def ignore(state: CompileState | None) -> None:
    """Ignore what a process does."""


class _Deadline:
    """A timer that calls `expire` after `seconds` seconds, without the seconds in which it is paused."""

    def __init__(self, seconds: float, expire: Callable[[], None]) -> None:
        self._loop, self._remaining, self._expire = asyncio.get_running_loop(), seconds, expire
        self._resumed_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self.resume()

    def pause(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._remaining -= time.monotonic() - self._resumed_at

    def resume(self) -> None:
        if self._timer is None:
            self._resumed_at = time.monotonic()
            self._timer = self._loop.call_later(max(0.0, self._remaining), self._expire)


class ChildProcess:
    """A process that starts at the first question, and starts again at a question after its end.

    Args:
        serve: the function that the process runs: a function of a module, which calls `serve_questions`.
        name: the name of the process.
    """

    def __init__(self, serve: Callable[[Connection], None], name: str) -> None:
        self._serve, self._name = serve, name
        self._lock = asyncio.Lock()
        self._thread = ThreadPoolExecutor(1, name)  # its own thread: busy threads of the event loop do not delay it
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._is_late = self._closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._deadline: _Deadline | None = None
        self._on_state: StateCallback = ignore
        self._compute_timer: asyncio.TimerHandle | None = None

    @property
    def busy(self) -> bool:
        """Whether a question is being answered."""
        return self._lock.locked()

    async def ask(self, question: Any, limit: Callable[[], float], on_state: StateCallback = ignore) -> Any:
        """Return the answer to a question, after the answers to earlier questions.

        If the caller's task is cancelled, the process still finishes the answer before the next question, so that the
        next caller does not receive the wrong answer.

        Args:
            limit: returns the seconds for the answer, without compilation; called when the question's turn has come.
            on_state: called when the process starts, compiles or computes for this question, see `StateCallback`.

        Raises:
            ChildTimeoutError: the answer took too long. ChildDiedError: the process ended.
        """
        await self._lock.acquire()
        asking = asyncio.ensure_future(self._ask(question, limit, on_state))
        asking.add_done_callback(self._release)
        return await asyncio.shield(asking)

    def _release(self, asking: asyncio.Future[Any]) -> None:
        self._lock.release()
        if not asking.cancelled():
            asking.exception()  # retrieves the error, so that asyncio does not log it if no caller waits

    async def _ask(self, question: Any, limit: Callable[[], float], on_state: StateCallback) -> Any:
        self._on_state = on_state
        try:
            if self._process is None or not self._process.is_alive():
                on_state(CompileState(True, 0, 0))
            await self._run_within(START, self._make_ready)
            on_state(None)
            return await self._run_within(limit(), self._exchange, question)
        finally:
            self._on_state = ignore
            self._cancel_compute_timer()

    def _update_state(self, state: CompileState) -> None:
        """Stop the time limit while the process compiles; report the state to the caller, except for short breaks."""
        if self._deadline is None:
            return
        self._cancel_compute_timer()
        if state.active:
            self._deadline.pause()
            self._on_state(state)
        else:
            self._deadline.resume()
            self._compute_timer = asyncio.get_running_loop().call_later(PAUSE, self._on_state, None)

    def _cancel_compute_timer(self) -> None:
        if self._compute_timer is not None:
            self._compute_timer.cancel()
            self._compute_timer = None

    async def _run_within(self, seconds: float, work: Callable[..., Any], *args: Any) -> Any:
        """Run the work in the thread. After `seconds` seconds the process is killed, and the thread notices its end."""
        self._loop = loop = asyncio.get_running_loop()
        self._is_late = False
        self._deadline = _Deadline(seconds, self._expire)
        try:
            if self._closed:
                raise ChildDiedError("it was stopped", None)
            return await loop.run_in_executor(self._thread, self._call, work, args)
        except ChildDiedError:
            if self._is_late:
                raise ChildTimeoutError(f"no answer within {seconds:.0f} s", seconds) from None
            raise
        finally:
            self._deadline.pause()
            self._deadline = None

    def _call(self, work: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Call `work(*args)`; if the pipe to the process fails, end the process."""
        try:
            return work(*args)
        except (EOFError, OSError) as error:
            is_start_error = isinstance(error, OSError) and not isinstance(error, ConnectionError)
            reason = f"it cannot be started: {error}" if is_start_error else "it ended unexpectedly"
            raise ChildDiedError(reason, self._end()) from None

    def _expire(self) -> None:
        self._is_late = True
        if self._process is not None and self._process.pid is not None:
            self._process.kill()

    def _make_ready(self) -> None:
        if self._process is not None and self._process.is_alive():
            return
        self._end()
        context = multiprocessing.get_context("spawn")
        self._pipe, child_pipe = context.Pipe()
        self._process = context.Process(target=_run, args=(self._serve, child_pipe), daemon=True, name=self._name)
        try:
            with interrupts_blocked():
                self._process.start()
        finally:
            child_pipe.close()
        self._pipe.recv_bytes()

    def _exchange(self, question: Any) -> Any:
        assert self._pipe is not None and self._loop is not None
        self._pipe.send(question)
        while isinstance(answer := self._pipe.recv(), CompileState):
            self._loop.call_soon_threadsafe(self._update_state, answer)
        return answer

    def _end(self) -> int | None:
        """End the process; return its exit code if it had already ended by itself, otherwise None."""
        process, self._process = self._process, None
        pipe, self._pipe = self._pipe, None
        if pipe is not None:
            pipe.close()
        if process is None or process.pid is None:
            return None
        process.join(0.1)  # a process with a closed pipe ends at once
        exitcode = process.exitcode
        process.kill()
        process.join(5)
        return exitcode

    def close(self) -> None:
        """End the process, even if it is busy; waiting callers get a `ChildDiedError`."""
        self._closed = True
        if self._process is not None and self._process.pid is not None:
            self._process.kill()
        self._thread.submit(self._end)
        self._thread.shutdown(wait=True)


def _run(serve: Callable[[Connection], None], pipe: Connection) -> None:
    """Run `serve` in the child process."""
    begin_worker()
    serve(pipe)


def serve_questions(
    pipe: Connection, answer: Callable[[Any], Any], failed: Callable[[BaseException], Any], niceness: int
) -> None:
    """Answer questions until the pipe closes, at a lower priority than the server's.

    Args:
        answer: a function that returns the answer to a question.
        failed: a function that returns the answer if `answer` raises an error, or if the answer cannot be pickled.
        niceness: a number that the process adds to its niceness; a higher niceness is a lower priority.
    """
    if hasattr(os, "nice"):
        os.nice(niceness)
    sending = threading.Lock()  # kernels may be compiled in several threads

    def send(data: bytes) -> None:
        with sending:
            pipe.send_bytes(data)

    def send_state(state: CompileState) -> None:
        with contextlib.suppress(OSError):  # the server has ended, which the next question notices
            send(pickle.dumps(state))

    try:
        send(b"ready")
        observe(send_state)
        while True:
            question = pipe.recv_bytes()
            try:
                reply = pickle.dumps(answer(pickle.loads(question)), pickle.HIGHEST_PROTOCOL)
            except BaseException as error:  # a bot may even raise SystemExit
                reply = pickle.dumps(failed(error), pickle.HIGHEST_PROTOCOL)
            send(reply)
    except (EOFError, OSError):  # the server has ended
        return
