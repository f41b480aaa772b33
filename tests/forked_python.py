"""Run Python programs in forks of a process that has already imported slow modules, such as Numba."""

from __future__ import annotations

import atexit
import json
import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, TextIO

#: Each fork leaves the loop, runs its program, and ends like any Python process. It imports this package itself.
_FORKING = """
import json, os, sys
import numba.core.caching, numba.np.arraymath
numba.njit(lambda: 0)()  # at the first compilation, Numba loads its types and LLVM, which takes 0.3 s
for line in sys.stdin:
    wanted = json.loads(line)
    child = os.fork()
    if not child:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()
for stream, file in enumerate(wanted["files"]):
    os.dup2(os.open(file, os.O_WRONLY if stream else os.O_RDONLY), stream)
sys.stdin, sys.argv = open(0, closefd=False), ["program", *wanted["arguments"]]
os.chdir(wanted["folder"])
os.environ.clear()
os.environ.update(wanted["environment"])
sys.path[:0] = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
exec(wanted["program"], {"__name__": "__main__"})
"""


class PythonStarts:
    """A context manager with a process that forks to run programs.

    The settings that Numba reads during its import, and the warning filters, are those of the tests.
    """

    def __enter__(self) -> PythonStarts:
        command = [sys.executable, "-c", _FORKING]
        self._forking = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def run(
        self, program: str, *arguments: str, text: str = "", folder: Path | None = None, **settings: str | Path
    ) -> subprocess.CompletedProcess[str]:
        """Run a program until it ends.

        Args:
            arguments: its ``sys.argv[1:]``. text: its standard input. folder: its working directory; None: the one of
            this process. settings: additional environment variables.
        """
        assert self._forking.stdin is not None and self._forking.stdout is not None
        environment = {**os.environ, **{name: str(value) for name, value in settings.items()}}
        with (
            tempfile.NamedTemporaryFile("r+") as given,
            tempfile.NamedTemporaryFile("r") as out,
            tempfile.NamedTemporaryFile("r") as err,
        ):
            given.write(text)
            given.flush()
            request = {
                "program": program, "arguments": arguments, "folder": str(folder or Path.cwd()),
                "files": [given.name, out.name, err.name], "environment": environment,
            }  # fmt: skip
            print(json.dumps(request), file=self._forking.stdin, flush=True)
            code = int(self._forking.stdout.readline())
            return subprocess.CompletedProcess(program, code, out.read(), err.read())

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._forking.communicate()


def run_in_copy(program: Path, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run ``python program arguments`` in a folder, in a fork of this process with its loaded libraries and kernels.

    The `stdout` of the result contains both output streams.
    """
    with tempfile.NamedTemporaryFile("r") as output:
        process = multiprocessing.get_context("fork").Process(
            target=_run_as_main, args=(program, arguments, folder, output.name)
        )
        process.start()
        process.join()
        return subprocess.CompletedProcess(program, process.exitcode or 0, output.read(), "")


class ForkedProgram:
    """A Python program in a fork of this process with its loaded libraries and kernels; it has methods of `Popen`.

    Args:
        program: the source code. arguments: the program's ``sys.argv[1:]``. output: a file descriptor for its
        standard output, which is otherwise a pipe. errors: a file, or a file descriptor, for its standard error, which
        is otherwise the one of this process. encoding: the encoding of its streams.
    """

    #: The start method of the process. A subclass whose start method has no file descriptors of this process must not
    #: pass any to the constructor.
    context: ClassVar[Any] = multiprocessing.get_context("fork")

    def __init__(
        self,
        program: str,
        *arguments: str,
        output: int | None = None,
        errors: int | Path | None = None,
        encoding: str = "utf-8",
    ) -> None:
        ours, theirs = self.context.Pipe(duplex=False)
        streams = theirs, output, errors
        self._process = self.context.Process(target=_run_text, args=(program, arguments, streams, encoding))
        self._process.start()
        atexit.register(self._process.kill)  # otherwise this process would wait for the end of the program
        theirs.close()
        self.pid: int = self._process.pid
        self.stdout: TextIO = os.fdopen(os.dup(ours.fileno()))
        ours.close()

    def poll(self) -> int | None:
        """Return the exit code, or None if the program still runs."""
        exit_code: int | None = self._process.exitcode
        return exit_code

    def send_signal(self, number: int) -> None:
        """Send a signal to the process."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill the process."""
        self._process.kill()

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait for the end of the process, close its standard output, and return its exit code.

        If the process still runs after `timeout` seconds, return None.
        """
        self._process.join(timeout)
        if self.poll() is not None:
            self.stdout.close()
        return self.poll()

    def communicate(self, timeout: float | None = None) -> str:
        """Wait for the end of the process, and return its remaining standard output.

        Raise TimeoutExpired if the process runs for longer than `timeout` seconds. Only a program with little output
        may have a time limit.
        """
        if timeout is not None:
            self._process.join(timeout)
            if self.poll() is None:
                raise subprocess.TimeoutExpired("a forked program", timeout)
        output = self.stdout.read()
        self.wait()
        return output


#: A program for `ForkedProgram`: the ``warlight`` command.
WARLIGHT = "import sys; from warlight_env.cli import main; sys.exit(main(sys.argv[1:]))"


def _run_text(
    program: str,
    arguments: tuple[str, ...],
    streams: tuple[Connection, int | None, int | Path | None],
    encoding: str,
) -> None:
    pipe, output, errors = streams
    os.dup2(pipe.fileno() if output is None else output, 1)
    pipe.close()
    if isinstance(errors, Path):
        with errors.open("wb") as file:
            os.dup2(file.fileno(), 2)
    elif errors is not None:
        os.dup2(errors, 2)
    sys.stdout = open(1, "w", encoding=encoding, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, encoding=encoding, closefd=False)  # noqa: SIM115
    sys.argv = ["program", *arguments]
    exec(program, {"__name__": "__main__"})


def _run_as_main(program: Path, arguments: tuple[str, ...], folder: Path, output: str) -> None:
    os.chdir(folder)
    with open(output, "wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
    sys.argv, sys.path[0] = [str(program), *arguments], str(program.parent)
    runpy.run_path(str(program), run_name="__main__")
    sys.stdout.flush()
