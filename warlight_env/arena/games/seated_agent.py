"""`SeatedAgent`: an agent in a game, with its clock, the time that it has used, and its failure."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeVar

from warlight_env.agents import Agent, Budget
from warlight_env.agents.agent_adapter import PlainAgent, as_agent
from warlight_env.arena.games.agent_errors import ForfeitError, InvalidAgentError, failure_detail, failure_reason
from warlight_env.arena.games.clocks import Clock, RunningClock
from warlight_env.engine.orders import Orders, preferences_of
from warlight_env.engine.view import View

#: The reaction to a failure of an agent. "forfeit": the agent loses the game. "skip": the agent gives no orders in this
#: answer, and the game continues. "stop": raise the agent's error.
OnCrash = Literal["forfeit", "skip", "stop"]

#: The reaction to a late answer. "report": only count it. "forfeit": count it, and the agent loses the game.
OnLate = Literal["report", "forfeit"]

_Answer = TypeVar("_Answer")


class Failure(NamedTuple):
    """The reason why an agent lost a game by forfeit."""

    agent: int  #: the number of the agent
    round: int  #: the round of the failure, from 1; 0 during the picks
    kind: Literal["crash", "late", "forfeit"]
    reason: str
    detail: str = ""  #: the end of the traceback, or of the standard error of the agent's process


class AgentFaults(NamedTuple):
    """The faults that an agent reports about its own answers in a game, for example an answer that it could not read.

    A fault of an agent does not end the game.
    """

    agent: int  #: the number of the agent
    total: int  #: the number of faults
    lost: int  #: the number of answers that were lost because of a fault
    first: tuple[str, ...]  #: the descriptions of the first faults
    kinds: tuple[tuple[str, int], ...]  #: the number of faults of each kind, see `FAULT_KINDS`
    detail: str  #: the end of the traceback of the first skipped error


#: The kinds of faults. "error": an error of the agent, after which the game continued. "late": no answer in time.
#: "missing": another reason why there is no answer. "unreadable": an answer with parts that are not in the right form.
#: "other": for example too much output.
FAULT_KINDS: Final = ("error", "late", "missing", "unreadable", "other")

#: The maximum number of faults of an agent that `GameRecord.faults` describes.
QUOTED_FAULTS: Final = 3


class TimeUse(NamedTuple):
    """The time and the simulations that an agent used in a game. Times are wall-clock times in seconds."""

    answers: int = 0  #: the number of answers: picks and turns
    turns: int = 0  #: the number of turns for which the agent reports its simulations
    seconds: float = 0.0  #: the time for all answers
    slowest: float = 0.0  #: the time for the slowest answer
    late: int = 0  #: the number of answers that took longer than the clock allowed
    simulations: int | None = None  #: the number of simulations in all turns; None: the agent does not report them


class SeatedAgent:
    """An agent in a game. This class has the methods of `Agent`, measures the time of answers, and handles failures.

    With ``on_crash="forfeit"``, the agent leaves the game after an exception or a wrong answer; with
    ``on_late="forfeit"``, after a late answer. After the agent has left the game, `failure` contains the reason, and
    this class returns empty answers without calling the agent. With ``on_crash="skip"``, this class returns an empty
    answer instead of an exception or a wrong answer, and counts a fault.

    Args:
        agent: the agent. index: the number of the agent.
        clock: the agent's clock; None: no limit.
        on_crash, on_late: the reactions to failures and to late answers.
        on_skip: a function that is called with the round (0: the picks) and the reason of each empty answer that
            replaces an exception or a wrong answer.
    """

    def __init__(
        self,
        agent: PlainAgent,
        index: int,
        clock: Clock | None = None,
        on_crash: OnCrash = "stop",
        on_late: OnLate = "report",
        on_skip: Callable[[int, str], None] | None = None,
    ) -> None:
        self.agent = as_agent(agent)
        self.name = self.agent.name
        self.failure: Failure | None = None
        self.use = TimeUse()
        self._index = index
        self._clock = None if clock is None else RunningClock(clock)
        self._on_crash, self._on_late, self._on_skip = on_crash, on_late, on_skip
        self._late_faults = 0  # the number of late answers that the agent has reported as faults
        self._errors: list[str] = []  # the reasons of skipped errors
        self._detail = ""  # the detail of the first skipped error

    def prepare(self, view: View) -> None:
        """Prepare the agent for the game, see `Agent.prepare`.

        If the agent raises an error, the error counts as a failure, except `InvalidAgentError`, which is raised again.
        """
        try:
            self.agent.prepare(view)
        except InvalidAgentError:
            raise
        except Exception as error:
            if self._on_crash == "stop":
                raise
            self._fail_or_skip(0, failure_reason(error), failure_detail(error))

    def pick(self, view: View) -> list[int]:
        """Ask the agent for its preferred regions, see `Agent.pick`; return an empty list after a failure."""
        return self._ask(0, lambda: self.agent.pick(view), preferences_of, [])

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """Ask the agent for its orders, see `Agent.act`. The limits of the agent's clock replace `budget`."""
        answer_budget = budget if self._clock is None else self._clock.budget()
        orders = self._ask(view.round + 1, lambda: self.agent.act(view, answer_budget), _check_orders, Orders())
        simulations = self.agent.simulations
        if simulations is not None and self.failure is None:
            use = self.use
            self.use = use._replace(turns=use.turns + 1, simulations=(use.simulations or 0) + simulations)
        return orders

    def _ask(
        self, round: int, question: Callable[[], _Answer], check: Callable[[Any], object], nothing: _Answer
    ) -> _Answer:
        if self.failure is not None:
            return nothing
        crash: tuple[str, str] | None = None  # the reason and the detail of a failure
        answer = nothing
        clock = self._clock
        bank_seconds = None if clock is None else clock.left
        start = time.perf_counter()
        try:
            answer = question()
        except ForfeitError as error:
            self.failure = Failure(self._index, round, "forfeit", error.reason, failure_detail(error))
        except Exception as error:
            if self._on_crash == "stop":
                raise
            crash = failure_reason(error), failure_detail(error)
        seconds = time.perf_counter() - start
        over_limit = clock is not None and clock.charge(seconds)
        late = self._new_late_faults() or over_limit
        use = self.use
        self.use = use._replace(
            answers=use.answers + 1,
            seconds=use.seconds + seconds,
            slowest=max(use.slowest, seconds),
            late=use.late + late,
        )
        if self.failure is not None:
            return nothing
        if crash is None and self._on_crash != "stop":
            try:
                check(answer)
            except (TypeError, ValueError, OverflowError) as error:
                crash = str(error), ""
        if crash is not None:
            self._fail_or_skip(round, *crash)
            if self.failure is None and self._on_skip is not None:
                self._on_skip(round, crash[0])
            return nothing
        if late and self._on_late == "forfeit":
            self.failure = Failure(self._index, round, "late", self._late_reason(seconds, bank_seconds))
        return answer if self.failure is None else nothing

    def _fail_or_skip(self, round: int, reason: str, detail: str) -> None:
        if self._on_crash == "skip":
            self._errors.append(f"round {round}: {reason}" if round else f"picks: {reason}")
            self._detail = self._detail or detail
        else:
            self.failure = Failure(self._index, round, "crash", reason, detail)

    def _new_late_faults(self) -> bool:
        """Return whether the agent has reported a late answer since the last call."""
        before, self._late_faults = self._late_faults, _counts(self.agent).get("late", 0)
        return self._late_faults > before

    def _late_reason(self, seconds: float, bank_seconds: float | None) -> str:
        """Return the reason of a late answer.

        bank_seconds: the seconds in the time bank before the answer; None if there is no bank.
        """
        if self._clock is None:  # the agent has its own clock, and has reported the late answer
            faults = self.agent.faults
            return f"{seconds:.3f} s" if faults is None else "; ".join(map(str, faults[-1:]))
        clock = self._clock.clock
        if bank_seconds is None:
            return f"{seconds:.3f} s on a clock of {clock}"
        return (
            f"the time bank is exhausted: {seconds:.3f} s for an answer with {bank_seconds:.3f} s left on a clock "
            f"of {clock}"
        )

    def close(self) -> None:
        """Call the agent's method `close`, because the game is over."""
        self.agent.close()

    def faults(self) -> AgentFaults | None:
        """Return the faults that the agent reports, and its skipped errors; None if it has no faults or errors."""
        reports = self.agent.faults
        reported = 0 if reports is None else reports.total
        errors = len(self._errors)
        if not reported and not errors:
            return None
        counts = Counter({"error": errors}) + Counter(_counts(self.agent))
        first = [*self._errors[:QUOTED_FAULTS], *(str(fault) for fault in (reports or [])[:QUOTED_FAULTS])]
        return AgentFaults(
            self._index,
            reported + errors,
            errors + (0 if reports is None else reports.lost),
            tuple(first[:QUOTED_FAULTS]),
            tuple((kind, counts[kind]) for kind in FAULT_KINDS if counts[kind]),
            self._detail,
        )


def _counts(agent: Agent) -> Mapping[str, int]:
    """Return the number of faults of each kind that an agent has reported in this game."""
    reports = agent.faults
    if reports is None:
        return {}
    counts: Mapping[str, int] | None = getattr(reports, "counts", None)
    return {"other": reports.total} if counts is None else counts


def _check_orders(answer: Any) -> None:
    if not isinstance(answer, Orders):
        raise TypeError(f"act returned {type(answer).__name__}, not Orders")
    answer.arrays()
