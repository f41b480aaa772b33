"""``warlight bot run``: run an agent as a bot that answers within the game engine's time limit.

The agent computes its answers in a separate process (`agent_worker`). The process of this module forwards the game
engine's messages to the process of the agent. This module imports no large modules, so that it starts fast. If the
agent does not answer in time, this process answers with the `FallbackPolicy`.
"""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import subprocess
import sys
import time
from typing import BinaryIO, Final, NamedTuple

from warlight_env.protocol import messages as m
from warlight_env.protocol.fallback_policy import FallbackPolicy
from warlight_env.protocol.grammar import MAX_LINE, ProtocolError, format_answer, lines_of, parse_message

#: The fraction of a question's time that is reserved for communication; the reserved time's minimum and maximum in
#: seconds.
_MARGIN_SHARE, _MIN_MARGIN, _MAX_MARGIN = 0.05, 0.03, 0.25
#: The suggested time of a turn: this fraction of the time bank, plus this fraction of the time that the round adds.
_BANK_SHARE: Final = 1 / 20
_INCREMENT_SHARE: Final = 0.8
#: The fraction of the time bank that the first answer must not use, because the agent's code may need compilation.
_RESERVED_SHARE: Final = 0.5

#: A line that arrives within this time in seconds after the start may have been sent before the start.
_EARLY_SECONDS: Final = 0.05


class MoveTime(NamedTuple):
    """The time limits for the answer to a question, in seconds after the question."""

    optimum: float  #: suggested time of the search, for an agent that does not manage a time bank itself
    maximum: float  #: maximum time of the search
    wait: float  #: maximum time to wait for the answer
    increment: float  #: time that a round adds to the bank; without a bank, the whole time of a turn


class TimeControl:
    """Receives the game engine's messages about time, and computes the time limits of each question."""

    def __init__(self) -> None:
        self._increment: float | None = None  # seconds added per answer; None: there is no time bank (challenge 1)
        self._bank = 0.0  # the maximum time of a question so far, in seconds
        self._answered_types: set[type] = set()

    def receive(self, message: m.Message) -> None:
        """Store the time in a message, if it is ``settings time_per_move``."""
        if isinstance(message, m.TimePerMove):
            self._increment = message.milliseconds / 1000

    def note_answer(self, question: m.Question) -> None:
        """Store that the agent has answered a question of the same type as `question` in time."""
        self._answered_types.add(type(question))

    def is_first_question(self, question: m.Question) -> bool:
        """Return whether the agent has not yet answered any question of the type of `question` in time."""
        return type(question) not in self._answered_types

    def limits(self, question: m.Question) -> MoveTime:
        """Return the time limits for the answer to a question."""
        limit = question.milliseconds / 1000
        margin = min(max(_MARGIN_SHARE * limit, _MIN_MARGIN), _MAX_MARGIN)
        wait = limit - margin
        if self._increment is None:
            return MoveTime(wait - margin, wait - margin, wait, wait - margin)
        self._bank = max(self._bank, limit)
        if self.is_first_question(question):
            wait = min(wait, max(limit - _RESERVED_SHARE * self._bank, self._increment))
        increment = 2 * _INCREMENT_SHARE * self._increment  # a turn has two answers, and each adds the increment
        return MoveTime(min(wait - margin, _BANK_SHARE * limit + increment), wait - margin, wait, increment)


class AgentProcess:
    """The process in which the agent computes its answers, and the connection to this process."""

    def __init__(self, spec: str, seed: int, challenge: m.Challenge | None) -> None:
        command = [sys.executable, "-m", "warlight_env.protocol.agent_worker", spec, str(seed), str(challenge or 0)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        assert self._process.stdin is not None and self._process.stdout is not None
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._in, False)
        self._pending_input = b""  # bytes that the agent's process has not read yet
        self._buffer = b""
        self._count = 0
        self._ready = False
        self.failed = False  #: the agent's process ended, or the agent could not answer
        self.reason = ""  #: the reason why the agent has not answered the last question

    def send(self, line: str) -> None:
        """Send a line to the agent's process without waiting."""
        self._pending_input += line.rstrip("\r\n").encode() + b"\n"
        self._write()

    def _write(self) -> None:
        try:
            self._pending_input = self._pending_input[os.write(self._in, self._pending_input) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:  # the agent's process has ended; `_line` notices this
            self._pending_input = b""

    def ask(self, line: str, question_time: float, allowance: MoveTime) -> str | None:
        """Return the agent's answer to a question, or None if the answer does not come in time.

        Args:
            line: the line of the question.
            question_time: the time of the question, a value of `time.monotonic`.
            allowance: the time limits of the question.
        """
        self._count += 1
        self.reason = "no time"
        optimum, maximum, latest = (question_time + seconds for seconds in allowance[:3])
        self.send(f"think {self._count} {optimum:.6f} {maximum:.6f} {allowance.increment:.6f}")
        self.send(line)
        while (output := self._line(latest)) is not None:
            number, _, answer = output.partition(" ")
            if number != str(self._count):
                continue  # skip a late answer to an earlier question
            if answer != "!":
                return answer
            self.failed, self.reason = True, "the agent failed"
            return None
        return None

    def _line(self, latest: float) -> str | None:
        while b"\n" not in self._buffer:
            inputs = [self._in] if self._pending_input else []
            readable, writable, _ = select.select([self._out], inputs, [], max(0.0, latest - time.monotonic()))
            if writable:
                self._write()
            if writable and not readable:
                continue
            chunk = os.read(self._out, 1 << 16) if readable else b""
            if not chunk:
                if readable:
                    self.failed, self.reason = True, "the agent's process has ended"
                return None
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        self._ready |= line == b"ready"
        return line.decode()

    def end(self) -> int:
        """End the agent's process, and return its exit status.

        First, wait at most 60 s until the process has made the agent or has reported an error.
        """
        while not self._ready and self._line(time.monotonic() + 60) is not None:
            pass
        assert self._process.stdin is not None
        self._process.stdin.close()
        if self._ready and not self.failed:
            self._process.kill()
            self._process.wait()
            return 0
        return self._process.wait() or int(self.failed)


class Runner:
    """A bot that reads a game engine's lines and answers in time.

    The bot sends the agent's answer. If the agent does not answer in time, the bot sends the answer of the
    `FallbackPolicy`.
    """

    def __init__(self, spec: str, seed: int = 0, challenge: m.Challenge | None = None) -> None:
        self._start_time = time.monotonic() - process_age()
        self._agent = AgentProcess(spec, seed, challenge)
        self._fallback = FallbackPolicy()
        self._spec = spec
        self._time_control = TimeControl()
        self._help_printed = False

    def run(self, lines: BinaryIO, answers: BinaryIO) -> int:
        """Play until the input ends.

        Return the exit status: 1 if the agent failed, 2 if there is no such agent, else 0.
        """
        start = time.monotonic()
        for line in lines_of(lines):
            now = time.monotonic()
            # Assume for a line that arrived during the start of the process that it came at the start.
            question_time = self._start_time if now < start + _EARLY_SECONDS else now
            if line is None:
                print(f"cannot read a line: it has more than {MAX_LINE} bytes", file=sys.stderr)
                continue
            try:
                message = parse_message(line)
            except ProtocolError as error:
                print(f"cannot read a line: {error}", file=sys.stderr)
                continue
            if not isinstance(message, m.Question):
                self._time_control.receive(message)
                if not isinstance(message, m.Other):  # an unknown line could be a command of `agent_worker`
                    self._fallback.receive(message)
                    self._agent.send(line)
                continue
            self._fallback.receive(message)
            answer = self._answer(message, line, question_time)
            try:
                answers.write(answer.encode() + b"\n")
                answers.flush()
            except BrokenPipeError:
                break
            if not isinstance(message, m.Go):
                self._agent.send(f"said {answer}")
        return self._agent.end()

    def _answer(self, question: m.Question, line: str, question_time: float) -> str:
        answer = self._agent.ask(line, question_time, self._time_control.limits(question))
        if answer is None:
            print(f"{self._agent.reason}: {type(question).__name__} answered by the fallback policy", file=sys.stderr)
            self._print_help(question)
            return format_answer(self._fallback.answer(question))
        self._time_control.note_answer(question)
        return answer

    def _print_help(self, question: m.Question) -> None:
        """If the agent has not yet answered a question, print once how to compile the agent's code in advance."""
        if self._time_control.is_first_question(question) and not self._agent.failed and not self._help_printed:
            self._help_printed = True
            tip = f"`warlight bot precompile {shlex.quote(self._spec)}` compiles it in advance"
            print(f"the agent is still being loaded or compiled; {tip}", file=sys.stderr)


def process_age() -> float:
    """Return the time since the start of this process, in seconds; a lower bound if the start time is unknown."""
    with contextlib.suppress(OSError, IndexError, ValueError, AttributeError), open("/proc/self/stat", "rb") as file:
        ticks = int(file.read().rpartition(b")")[2].split()[19])
        return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    return time.process_time()
