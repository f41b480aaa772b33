"""``warlight bot run``: an agent on standard input and output, which answers within the time it is told, or earlier.

This module imports nothing heavy: the first question of challenge 1 must be answered within two seconds of the start,
while the kernels are loaded by another thread.
"""

from __future__ import annotations

import contextlib
import os
import queue
import sys
import threading
import time
import traceback
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, Final

from warlight_env.errors import InputError
from warlight_env.protocol import messages as m
from warlight_env.protocol.grammar import ProtocolError, format_answer, parse_message
from warlight_env.protocol.reflex import Reflex

if TYPE_CHECKING:
    from warlight_env.agents import Budget
    from warlight_env.protocol.bot_side import BotSide

#: Of a question's time, what is kept for the way there and back: a share, with bounds in seconds.
_MARGIN, _LEAST, _MOST = 0.05, 0.03, 0.25
#: Of a bank, the share for one turn; and of what a round adds to it.
_BANK_SHARE: Final = 1 / 20
_INCREMENT_SHARE: Final = 0.8
#: Lines that come within so many seconds of listening have been waiting.
_WAITING: Final = 0.05
#: Seconds of thought that there always are, once an agent is asked at all.
_GLIMPSE: Final = 0.005


@dataclass
class Job:
    """A question for the thinking thread."""

    question: m.Question
    think: float  #: until when it should have thought, on the clock of `time.monotonic`
    done: threading.Event = field(default_factory=threading.Event)
    answer: m.Answer | None = None


class Thinker(threading.Thread):
    """Loads the agent, then takes in messages and answers questions in their order."""

    def __init__(self, spec: str, seed: int, challenge: m.Challenge | None) -> None:
        super().__init__(name="agent", daemon=True)
        self.todo: queue.SimpleQueue[m.Message | m.Picks | Job] = queue.SimpleQueue()
        self.refused: InputError | None = None  #: why the agent cannot be used at all
        self.failed = False
        self.ready = threading.Event()  #: it is loaded, or never will be
        self._spec, self._seed, self._challenge = spec, seed, challenge

    def run(self) -> None:
        """Work until the process ends."""
        try:
            side = self._load()
        except InputError as error:
            self.refused = error
            return
        except Exception:
            self._complain()
            return
        finally:
            self.ready.set()
        while True:
            item = self.todo.get()
            try:
                if isinstance(item, Job):
                    item.answer = side.answer(item.question, self._budget(item))
                    item.done.set()
                elif isinstance(item, m.Picks):
                    side.said(item)
                else:
                    side.hear(item)
            except Exception:
                self._complain()

    def _load(self) -> BotSide:
        """Import what is needed and have every kernel loaded, by playing a round."""
        from warlight_env.agents import Budget, make_agent
        from warlight_env.agents.registry import parse
        from warlight_env.arena.play import play_game
        from warlight_env.protocol.believer import BelievingAgent
        from warlight_env.protocol.bot_side import BotSide

        _, values = parse(self._spec)
        self._own = Budget(values.get("sims"), values.get("secs"))
        make_agent(self._spec, self._seed)
        once = Budget(simulations=1, seconds=0.1)
        players = [BelievingAgent(make_agent(self._spec, seat)) for seat in range(2)]
        play_game(players, "small", "challenge1", picks="agents", max_rounds=1, budget=once)
        return BotSide(lambda: make_agent(self._spec, self._seed), self._challenge)

    def _budget(self, job: Job) -> Budget:
        from warlight_env.agents import Budget

        left = max(_GLIMPSE, job.think - time.monotonic())
        own = self._own.seconds
        return Budget(self._own.simulations, left if own is None else min(own, left))

    def _complain(self) -> None:
        self.failed = True
        traceback.print_exc(file=sys.stderr)


class Runner:
    """Reads an engine's lines and answers in time: with the agent's answer, or by reflex when there is none yet."""

    def __init__(self, spec: str, seed: int = 0, challenge: m.Challenge | None = None) -> None:
        self._born = time.monotonic() - process_age()
        self._thinker = Thinker(spec, seed, challenge)
        self._reflex = Reflex()
        self._increment: float | None = None  # seconds; None: no bank (challenge 1)
        self.reflexes = 0  #: answers that the agent did not have in time

    def run(self, lines: BinaryIO, answers: BinaryIO) -> bool:
        """Play until the input ends; whether the agent worked.

        Raises:
            InputError: there is no such agent.
        """
        said: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()

        def listen() -> None:
            # The time counts from when a line arrives, not from when it is looked at. What has arrived while the
            # process was starting may have arrived at its very beginning.
            start = time.monotonic()
            for line in iter(lines.readline, b""):
                now = time.monotonic()
                said.put((self._born if now < start + _WAITING else now, line))
            said.put((0.0, b""))

        self._thinker.start()
        threading.Thread(target=listen, name="input", daemon=True).start()
        while True:
            when, line = said.get()
            if self._thinker.refused is not None:
                raise self._thinker.refused
            if not line:
                self._thinker.ready.wait()
                if self._thinker.refused is not None:
                    raise self._thinker.refused
                return not self._thinker.failed
            try:
                message = parse_message(line.decode("utf-8", "replace"))
            except ProtocolError as error:
                print(f"not understood: {error}", file=sys.stderr)
                continue
            if isinstance(message, m.Question):
                answer = self._answer(message, when)
                if isinstance(answer, m.Picks):
                    self._thinker.todo.put(answer)
                try:
                    answers.write(format_answer(answer).encode() + b"\n")
                    answers.flush()
                except BrokenPipeError:
                    return not self._thinker.failed
            else:
                if isinstance(message, m.TimePerMove):
                    self._increment = message.milliseconds / 1000
                self._reflex.hear(message)
                self._thinker.todo.put(message)

    def _answer(self, question: m.Question, asked: float) -> m.Answer:
        limit = question.milliseconds / 1000
        margin = min(max(_MARGIN * limit, _LEAST), _MOST)
        latest = asked + limit - margin
        job = Job(question, min(latest - margin, asked + self._share(limit)))
        self._thinker.todo.put(job)
        if not job.done.wait(max(0.0, latest - time.monotonic())):
            self.reflexes += 1
            print(f"no time: {type(question).__name__} answered by reflex", file=sys.stderr)
            return self._reflex.answer(question)
        assert job.answer is not None
        return job.answer

    def _share(self, limit: float) -> float:
        """How long to think, of a time that is for this question alone or is a bank for all that follow."""
        if self._increment is None:
            return limit
        return limit * _BANK_SHARE + 2 * self._increment * _INCREMENT_SHARE


def process_age() -> float:
    """Seconds since this process was started, or, where the system does not tell, a lower bound."""
    with contextlib.suppress(OSError, IndexError, ValueError, AttributeError), open("/proc/self/stat", "rb") as file:
        ticks = int(file.read().rpartition(b")")[2].split()[19])
        return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    return time.process_time()


def run(spec: str, seed: int = 0, challenge: m.Challenge | None = None) -> bool:
    """Run an agent on this process's standard input and output; whether it worked.

    What the agent itself prints goes to standard error. Ends the process at once, should it still be thinking.

    Raises:
        InputError: there is no such agent.
    """
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        runner = Runner(spec, seed, challenge)
        worked = runner.run(sys.stdin.buffer, answers)
    sys.stderr.flush()
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.flush()
    # The thread that thinks, or that reads, may be in the middle of it: nothing is left to be waited for.
    os._exit(0 if worked else 1)
