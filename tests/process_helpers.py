"""Processes that are forked from a process with the imported package and its usual kernels."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from multiprocessing import forkserver
from multiprocessing.connection import Connection, arbitrary_address
from multiprocessing.context import BaseContext
from pathlib import Path
from unittest import mock

from forked_python import WARLIGHT, ForkedProgram

_usual = multiprocessing.get_context
_forking = _usual("forkserver")
_forking.set_forkserver_preload(["loaded_package", "process_helpers"])


def forking_context(method: str | None = None) -> BaseContext:
    """Return the same as `multiprocessing.get_context`, but with forks instead of spawned processes.

    All forks have the environment variables of the first one.
    """
    if method != "spawn":
        return _usual(method)
    _start_forking()
    return _forking


class ForkedCommand(ForkedProgram):
    """A ``warlight`` command in a fork of the process that forks workers. Its workers are also forks.

    Args:
        words: arguments of the command line. environment: added to the variables of this process. errors: file for its
        standard error.
    """

    context = _forking

    def __init__(self, words: list[str], environment: dict[str, str], errors: Path | None) -> None:
        _start_forking()
        variables = {**os.environ, **environment}
        program = f"from process_helpers import prepare_command; prepare_command({variables!r}); {WARLIGHT}"
        super().__init__(program, *words, errors=errors)


def serve_after_compilation(pipe: Connection) -> None:
    """Answer questions like a worker that compiles kernels for two seconds before each answer.

    The answer is the question; before the answer "slow" the worker also computes for a minute.
    """
    from warlight_env.engine import compile_progress
    from warlight_env.web.workers.child_process import serve_questions

    def answer(question: str) -> str:
        observer = compile_progress._PROGRESS.observer
        assert observer is not None
        observer(compile_progress.CompileState(True, 1, 2))
        time.sleep(2.0)
        observer(compile_progress.CompileState(False, 2, 2))
        if question == "slow":
            time.sleep(60)
        return question

    serve_questions(pipe, answer, repr, 0)


def _start_forking() -> None:
    """Start the process that forks, if it does not run. It gets no `sys.path`, only environment variables."""
    paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    with mock.patch.dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, paths))):
        forkserver.ensure_running()


def prepare_command(environment: dict[str, str]) -> None:
    """Give this process a process group, the environment variables, and forks as worker processes."""
    assert "loaded_package" in sys.modules, "the process that forks must import this module; it ignores an ImportError"
    os.setpgid(0, 0)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None  # the folder for temporary files depends on the variables
    _fork_the_process_that_forks_workers()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    multiprocessing.get_context = forking_context  # type: ignore[method-assign, assignment]


def _end_with_parent() -> None:
    """Kill this process and its workers after the process of the tests has ended."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.killpg(0, signal.SIGKILL)


def _fork_the_process_that_forks_workers() -> None:
    """Start the fork server of `multiprocessing` as a fork of this process, which has imported the package."""
    server = forkserver._forkserver
    with socket.socket(socket.AF_UNIX) as listener:
        address = arbitrary_address("AF_UNIX")
        listener.bind(address)
        listener.listen()
        ended, alive = os.pipe()
        pid = os.fork()
        if not pid:
            os.close(alive)
            forkserver.main(listener.detach(), ended, [])
    os.close(ended)
    server._forkserver_address, server._forkserver_alive_fd, server._forkserver_pid = address, alive, pid
