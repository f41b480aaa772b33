"""The class `IsolatedAgent`: an agent in Python that plays in its own process, with the limits of an external bot."""

from __future__ import annotations

import json
import os
import sys
from collections import OrderedDict
from dataclasses import replace
from typing import Any, Final

from warlight_env.agents import Agent, AgentError, Budget
from warlight_env.agents.registry import parse
from warlight_env.arena.games.agent_errors import AgentProcessError, ForfeitError, InvalidAgentError
from warlight_env.arena.games.clocks import MARGIN
from warlight_env.arguments import seed_of
from warlight_env.engine.orders import Orders, preferences_of
from warlight_env.engine.view import View
from warlight_env.maps import Map
from warlight_env.protocol.bot_faults import BotFault, BotFaults, FaultKind
from warlight_env.protocol.clock import BotClock
from warlight_env.protocol.external_agent import MAX_MISSED, QUOTED_ERRORS
from warlight_env.protocol.isolated_worker import IsolatedQuestion
from warlight_env.protocol.limits import CommandError, check_limits
from warlight_env.protocol.options import ExternalBotOptions, read_options, split_options
from warlight_env.protocol.process import BotProcess, Reply
from warlight_env.protocol.view_transfer import QueriedPosition, WorkerSetup
from warlight_env.thread_ownership import SingleThreaded

#: The maximum seconds for the start of the process, and for making the agent. The agent's clock does not count them.
START_SECONDS: Final = 60.0
#: The time in seconds for each answer if the agent has no clock.
ANSWER_SECONDS: Final = 10.0
#: The options of `ExternalBotOptions` that isolated agents have.
OPTIONS: Final = ("policy", "bank", "increment", "memory", "procs", "network", "isolate")
#: The maximum number of processes that wait for the next game of the same agent.
MAX_IDLE: Final = 4

#: The waiting processes, by this process's id, the command and the limits. The last process in the dict was used last.
_idle: OrderedDict[tuple[Any, ...], BotProcess] = OrderedDict()


class IsolatedAgent(SingleThreaded, Agent):
    """An agent that plays in its own process.

    If the agent does not answer in time, its answer is lost, like a late answer of an external bot. After a game
    without faults the process waits for the next game.

    Args:
        spec: the specification of the agent in the process.
        seed: the agent's seed, an integer.
        options: see `ExternalBotOptions`; only the fields in `OPTIONS` have an effect. Without the option `bank`, each
            answer has `ANSWER_SECONDS` seconds. With the option `increment`, `bank` is a time bank for all answers of a
            game.

    Raises:
        AgentError: there is no agent with this specification.
        CommandError: this system cannot set the limits in `options`.
    """

    warm_up_scope = "machine"

    exclusive_methods = ("prepare", "pick", "act")

    def __init__(self, spec: str, seed: int = 0, options: ExternalBotOptions | None = None) -> None:
        self._players = parse(spec)[0].players
        self.spec, self.seed = spec, seed_of(seed, AgentError)
        self.options = ExternalBotOptions() if options is None else options
        check_limits(self.options.limits)
        self.name = f"isolated:{spec}"
        self._process: BotProcess | None = None
        self._reset()

    def _reset(self) -> None:
        bank = ANSWER_SECONDS if self.options.bank is None else self.options.bank
        self._clock = BotClock(bank, self.options.increment, self.options.increment is not None)
        self._faults = BotFaults()
        self._number = self._missed = 0
        self._failed = False  # whether the agent receives no more questions in this game
        self._simulations: int | None = None

    def prepare(self, view: View) -> None:
        """Start the process, and make the agent for a new game. See `Agent.prepare`.

        Raises:
            AgentProcessError: the agent's code raises an error, or this takes longer than `START_SECONDS`.
            InvalidAgentError: the specification names no agent, for example a class without the method `act`.
        """
        self.close()
        self._reset()
        key = self._key()
        process = _idle.pop(key, None)
        self._process = process or BotProcess(
            [sys.executable, "-m", "warlight_env.protocol.isolated_worker", self.spec], limits=self.options.limits
        )
        reply = self._get_reply(self._question(view, None, self.seed), START_SECONDS)
        if reply.text is None:
            self._fail(f"the start: {reply.cause}")
        answer = self._parse_answer(reply.text)
        if "invalid" in answer:
            raise InvalidAgentError(str(answer["invalid"]))

    def pick(self, view: View) -> list[int]:
        """Ask the agent for its picks. See `Agent.pick`."""
        answer = self._ask(view, None, self._clock)
        return preferences_of(answer.get("picks", []))

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """Ask the agent for its turn. See `Agent.act`. The time in `budget` replaces the agent's own clock."""
        clock = BotClock.for_budget(budget) or self._clock
        self._simulations = None
        answer = self._ask(view, budget, clock)
        simulations = answer.get("simulations")
        self._simulations = simulations if type(simulations) is int else None
        return Orders(answer.get("deploys", []), answer.get("attacks", []))

    @property
    def simulations(self) -> int | None:
        """The number of simulations in the last turn, see `Agent.simulations`."""
        return self._simulations

    @property
    def faults(self) -> BotFaults:
        """The missing answers of the agent in the current game."""
        return self._faults

    def check(self, map: Map, rules: Any, players: int) -> None:
        """Raise an error if the agent does not support games with `players` players."""
        if players > self._players:
            raise AgentError(f"agent {self.name!r}: plays games of at most {self._players} players, not of {players}")

    def close(self) -> None:
        """End the game. If the process has answered all questions, it waits for the next game; otherwise it ends."""
        process, self._process = self._process, None
        if process is None:
            return
        if self._failed or self._faults:
            process.close()
            return
        _idle[self._key()] = process
        if len(_idle) > MAX_IDLE:
            _idle.popitem(last=False)[1].close()

    def _key(self) -> tuple[Any, ...]:
        return os.getpid(), self.spec, str(self.options.limits), os.getcwd()

    # The communication with the process

    def _question(self, view: View, budget: Budget | None, seed: int | None = None) -> IsolatedQuestion:
        self._number += 1
        setup = WorkerSetup.for_game(view.map, view.rules, view.players)
        return IsolatedQuestion(self._number, setup, QueriedPosition.from_view(view), budget, seed)

    def _get_reply(self, question: IsolatedQuestion, seconds: float) -> Reply:
        """Send a question, and return the reply. Ignore late answers to earlier questions."""
        assert self._process is not None
        reply = self._process.ask(question.line(), seconds)
        elapsed = reply.seconds
        while reply.text is not None and reply.text.startswith('{"number": '):
            if reply.text.startswith(f'{{"number": {question.number}'):
                break
            reply = self._process.wait(seconds - elapsed)
            elapsed += reply.seconds
        return replace(reply, seconds=elapsed)

    def _ask(self, view: View, budget: Budget | None, clock: BotClock) -> dict[str, Any]:
        """Return the agent's answer as a dict, which is empty if no answer came. Note faults in `faults`."""
        if self._failed:
            return {}
        if self._process is None:
            self.prepare(view)
        reply = self._get_reply(self._question(view, budget), clock.remaining + MARGIN)
        limit = clock.remaining
        clock.spend(reply.seconds)
        if reply.text is not None:
            return self._parse_answer(reply.text)
        cause = clock.missing(limit) if reply.late else reply.cause or "no answer"
        self._note_fault(view, cause, "late" if reply.late else "missing")
        self._missed += 1
        if self.options.policy == "forfeit":
            self._failed = True
            raise ForfeitError(cause, self._errors())
        if reply.lost or self._missed >= MAX_MISSED:
            self._fail(cause if reply.lost else f"{cause} ({self._missed} answers are missing)")
        return {}

    def _note_fault(self, view: View, cause: str, kind: FaultKind) -> None:
        round = view.round + 1 if view.phase == "play" else 0
        question = "act" if view.phase == "play" else "pick"
        self._faults.note(BotFault(round, question, cause, errors=self._errors(), lost=True), kind)

    def _fail(self, reason: str) -> None:
        """End the process. Raise an error, unless the agent's option `policy` is "skip"."""
        errors = self._errors()
        self._failed = True
        self.close()
        if self.options.policy != "skip":
            raise AgentProcessError(reason, errors)

    def _errors(self) -> str:
        return "" if self._process is None else self._process.errors.tail(QUOTED_ERRORS)

    def _parse_answer(self, text: str | None) -> dict[str, Any]:
        try:
            answer = json.loads(text or "{}")
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise AgentProcessError("the process gave an answer that is not an object in JSON", self._errors())
        if "error" in answer:
            raise AgentProcessError(str(answer["error"]), str(answer.get("detail", "")))
        return answer


def isolated_agent(seed: int, text: str) -> IsolatedAgent:
    """Return the agent of the specification ``isolated:AGENT`` or ``isolated[OPTION=VALUE,…]:AGENT``.

    Args:
        seed: the agent's seed.
        text: the specification without its first word ``isolated`` and the colon after it.

    Raises:
        AgentError: a part of the specification is not valid; the message names it.
    """
    options, spec = split_options(text, "isolated", "AGENT")
    try:
        return IsolatedAgent(spec, seed, read_options(options, OPTIONS))
    except (CommandError, ValueError) as error:
        raise AgentError(f"agent 'isolated:{spec}': {error}") from None
