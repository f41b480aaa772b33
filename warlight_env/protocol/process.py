"""The process of an external bot: send lines, wait for a line until a deadline, and end all processes of the bot.

A separate process, the guard (script `supervisor`), starts the bot's program, and later ends the program and all its
child processes.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from warlight_env.errors import RunError
from warlight_env.protocol.grammar import MAX_LINE
from warlight_env.protocol.limits import NO_LIMITS, SUPERVISOR, BotLimits, CommandError
from warlight_env.protocol.process_cleanup import ProcessMark
from warlight_env.protocol.stderr import ErrorReader

#: The maximum number of bytes of input that are stored until the bot reads them.
MAX_WAITING: Final = 1 << 22
_CHUNK: Final = 1 << 16
#: The maximum number of bytes of output before a question that are ignored. Further bytes count as the bot's answer.
_MAX_STALE: Final = 1 << 20
#: The maximum times in seconds to wait for the exit status and for the standard error of a bot that has ended or closed
#: its streams.
_EXIT_WAIT, _ERROR_WAIT = 2.0, 0.5
#: The maximum times in seconds in which the guard (script `supervisor`) must start the program, and end it.
_START_SECONDS, _END_SECONDS = 30.0, 15.0


@dataclass(frozen=True)
class Reply:
    """A bot's reply to a question, or the reason why no reply came.

    Attributes:
        text: the line that the bot wrote, without the line end; None: no line came.
        seconds: the time until the line came, or until the end of the wait.
        cause: the reason why no line came.
        late: whether the bot's time ran out.
        lost: whether the bot has ended or closed its streams, so that no further answers can come.
        stale: the number of ignored bytes that the bot wrote before the question.
        stale_text: the beginning of the ignored bytes, as text.
    """

    text: str | None
    seconds: float
    cause: str | None = None
    late: bool = False
    lost: bool = False
    stale: int = 0
    stale_text: str = ""


class BotProcess:
    """A running external bot.

    The bot's processes end when `close` is called, when this object is deleted, and when this process ends.

    Args:
        command: the program and its arguments.
        folder: the working directory of the bot.
        error_file: a file for the bot's standard error, see `ErrorReader`; if it is None, there is no file.
        limits: the limits of the bot's processes.

    Raises:
        CommandError: the program does not exist, or cannot be executed.
        RunError: this operating system does not support process groups, or cannot set the limits.
    """

    def __init__(
        self,
        command: Sequence[str],
        folder: str | Path = ".",
        error_file: Path | None = None,
        limits: BotLimits = NO_LIMITS,
    ) -> None:
        if not hasattr(os, "setsid"):
            raise RunError("bots need a system with process groups (Linux, macOS, BSD)")
        check_command(command, folder)
        with contextlib.ExitStack() as guard_files, contextlib.ExitStack() as host_files:
            try:
                from_us, self._in = os.pipe()
                guard_files.callback(os.close, from_us)
                host_files.callback(os.close, self._in)
                self._out, to_us = os.pipe()
                guard_files.callback(os.close, to_us)
                host_files.callback(os.close, self._out)
                errors, errors_in = os.pipe()
                guard_files.callback(os.close, errors_in)
                self.errors = ErrorReader(errors, error_file)
                host_files.callback(self.errors.close)
                self._host, guard = socket.socketpair()
                host_files.enter_context(self._host)
                guard_files.enter_context(guard)
                mark = ProcessMark.new()
                arguments = [str(guard.fileno()), str(folder), limits.settings(mark), *command]
                self._guard = subprocess.Popen(
                    [sys.executable, "-I", "-S", str(SUPERVISOR), *arguments],
                    stdin=from_us, stdout=to_us, stderr=errors_in, pass_fds=[guard.fileno()], start_new_session=True,
                )  # fmt: skip
            except OSError as error:
                raise RunError(f"cannot start a process for {command[0]!r}: {error.strerror or error}") from error
            host_files.pop_all()
        for fd in (self._in, self._out):
            os.set_blocking(fd, False)
        self._pending_input, self._buffer = bytearray(), bytearray()
        self._scanned = 0  # number of bytes at the start of the buffer that contain no line end
        self._skipping = False  # whether the next bytes belong to a line that is too long
        self._open = True  # whether the bot's output is not yet closed
        self._end: str | None = None  # the reason why the bot can give no more answers
        self._status_asked = False  # whether `_end` names the exit status, if there is one
        self.survivors: list[int] = []  #: ids of the bot's processes that `close` could not end
        self._finish = weakref.finalize(
            self, _finish, self._guard, self._host, self._in, self._out, self.errors, mark, self.survivors
        )
        self._await_start(command)

    def _await_start(self, command: Sequence[str]) -> None:
        words = self._guard_message(_START_SECONDS)
        if words[:1] != ["started"]:
            self.close()
            if words[:1] == ["failed"]:
                raise CommandError(f"command {command[0]!r} cannot be started: {os.strerror(int(words[1]))}")
            if words[:1] == ["refused"]:
                raise RunError(f"command {command[0]!r}: {' '.join(words[1:])}")
            raise RunError(f"the process that starts and stops {command[0]!r} did not start: {self.errors.tail(500)}")
        self.pid = int(words[1])  #: id of the bot's process and process group, as seen inside its namespaces

    def _guard_message(self, timeout: float) -> list[str]:
        """Return the words of the guard's next message; an empty list if none comes within `timeout` seconds."""
        self._host.settimeout(timeout)
        try:
            return self._host.recv(256).decode().split()
        except OSError:
            return []
        finally:
            self._host.setblocking(False)

    # Questions and answers

    def send(self, line: str) -> None:
        """Send a line without waiting. The line is stored until the bot reads it."""
        if self._end is None:
            self._pending_input += line.encode() + b"\n"
            self._write()

    def ask(self, line: str, limit: float) -> Reply:
        """Send a question, and wait at most `limit` seconds for the next line. Ignore earlier output of the bot."""
        stale, stale_text = self._discard_output()
        self.send(line)
        return replace(self.wait(limit), stale=stale, stale_text=stale_text)

    def wait(self, limit: float) -> Reply:
        """Wait at most `limit` seconds for the next line of the bot."""
        start = time.perf_counter()

        def reply(text: str | None, cause: str | None = None, *, late: bool = False, lost: bool = False) -> Reply:
            return Reply(text, time.perf_counter() - start, cause, late, lost)

        while True:
            text = self._take_line()
            seconds_left = start + limit - time.perf_counter()
            if seconds_left < 0:
                return reply(None, "no answer in time", late=True)
            if text is not None:
                return reply(text)
            if len(self._buffer) > MAX_LINE:
                self._buffer.clear()
                self._scanned, self._skipping = 0, True
                return reply(None, f"a line of more than {MAX_LINE} bytes")
            if self._end is not None:
                lost = reply(None, lost=True)  # the following waits do not count as the bot's time
                if not self._status_asked:
                    self._status_asked, self._end = True, self._exit_status() or self._end
                self.errors.wait_for_end(_ERROR_WAIT)
                return replace(lost, cause=self._end)
            self._wait(seconds_left)

    def _wait(self, seconds: float) -> None:
        """Wait at most `seconds` until the bot has written output or can accept input.

        Then read the output or write the input once.
        """
        poll = select.poll()
        if self._open:
            poll.register(self._out, select.POLLIN)
        if self._pending_input:
            poll.register(self._in, select.POLLOUT)
        poll.register(self._host, select.POLLIN)
        for fd, _ in poll.poll(math.ceil(1000 * seconds)):
            if fd == self._out:
                self._read()
            elif fd == self._in:
                self._write()
            else:
                self._read_end()

    def _read(self) -> bool:
        """Read available output of the bot, at most `_CHUNK` bytes.

        Return whether any output of the bot was available.
        """
        if not self._open:
            return False
        try:
            chunk = os.read(self._out, _CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            self._open = False
            self._end = self._end or "the bot closed its output"
            if self._buffer and not self._skipping:
                self._buffer += b"\n"  # the last line may have no line end
            return False
        self._buffer += chunk
        return True

    def _write(self) -> None:
        try:
            while self._pending_input:
                del self._pending_input[: os.write(self._in, self._pending_input[:_CHUNK])]
        except BlockingIOError:
            if len(self._pending_input) > MAX_WAITING:
                self._end, self._status_asked = "the bot does not read its input", True
        except BrokenPipeError:
            self._pending_input.clear()
            self._end = self._end or "the bot closed its input"

    def _read_end(self) -> None:
        """Read the rest of the bot's output, after the guard has reported that the bot has ended."""
        status, self._status_asked = self._exit_status(0.0), True
        while self._read() and len(self._buffer) <= MAX_LINE:
            pass
        self._end = status or self._end or "its guard process ended"

    def _exit_status(self, timeout: float = _EXIT_WAIT) -> str | None:
        """Return the bot's exit status as text; None if the guard reports no exit status within `timeout` seconds."""
        words = self._guard_message(timeout)
        return _describe_status(int(words[1])) if words[:1] == ["exited"] else None

    def _take_line(self) -> str | None:
        """Remove the next complete line from the buffer and return it; None if there is no complete line."""
        while True:
            end = self._buffer.find(b"\n", self._scanned)
            if end < 0:
                self._scanned = len(self._buffer)
                if self._skipping:
                    self._buffer.clear()
                    self._scanned = 0
                return None
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            self._scanned = 0
            if not self._skipping:
                return line.decode("utf-8", "backslashreplace").removesuffix("\r")
            self._skipping = False

    def _discard_output(self) -> tuple[int, str]:
        """Discard output that the bot wrote before a question.

        Return the size of the discarded output in bytes, and the beginning of the output.
        """
        size, text = 0, ""
        while True:
            has_output = self._read()
            while (line := self._take_line()) is not None:
                size += len(line) + 1
                text = text or line[:500]
            if not has_output or size > _MAX_STALE or len(self._buffer) > MAX_LINE:
                return size, text

    def ends_itself(self, timeout: float) -> bool:
        """Close the bot's input. Return whether the bot ends within `timeout` seconds.

        After this call, no line can be sent to the bot.
        """
        os.set_blocking(self._in, True)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._in, inheritable=False)  # no other file gets this descriptor number
        os.close(nowhere)
        return self._end is not None or self._exit_status(timeout) is not None

    def close(self) -> None:
        """End the bot and all its child processes. The call takes half a second if the bot does not end by itself."""
        self._finish()


def _finish(
    guard: subprocess.Popen[bytes],
    host: socket.socket,
    input_fd: int,
    output_fd: int,
    errors: ErrorReader,
    mark: ProcessMark,
    survivors: list[int],
) -> None:
    os.close(input_fd)
    os.close(output_fd)
    with contextlib.suppress(OSError):
        host.shutdown(socket.SHUT_RDWR)  # unlike `close`, this works even if a forked process has a copy of the socket
    host.close()
    guard.send_signal(signal.SIGCONT)  # the bot may have stopped the guard with SIGSTOP
    try:
        guard.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        guard.kill()
        guard.wait()
    if guard.returncode and sys.platform == "linux":  # the guard failed; usually the bot has killed it
        survivors += mark.kill_all()
    errors.close()


def _describe_status(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"the bot ended with exit status {code}"
    with contextlib.suppress(ValueError):
        return f"the bot was killed by {signal.Signals(-code).name}"
    return f"the bot was killed by signal {-code}"


def check_command(command: Sequence[str], folder: str | Path = ".") -> None:
    """Raise `CommandError` if the program of a command does not exist or cannot be executed."""
    if not command or not command[0]:
        raise CommandError("the command is empty")
    if not os.path.isdir(folder):
        raise CommandError(f"the working folder {str(folder)!r} of {command[0]!r} does not exist")
    program = os.path.join(folder, command[0]) if "/" in command[0] else command[0]  # no `Path`, which shortens ./bot
    if shutil.which(program) is None:
        raise CommandError(f"the program {command[0]!r} does not exist or cannot be executed")
