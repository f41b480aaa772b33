"""`SeatedAgent`: an agent in a game, with its clock, the time that it has used, and its failure."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple, TypeVar

from warlight_env.agents import Budget
from warlight_env.agents.agent_adapter import PlainAgent, as_agent
from warlight_env.arena.games.clocks import Clock, RunningClock
from warlight_env.engine.orders import Orders, preferences_of
from warlight_env.engine.view import View
from warlight_env.errors import RunError, crash_reason

#: The reaction to a failure of an agent. "raise": raise its error. "forfeit": the agent loses the game.
OnCrash = Literal["raise", "forfeit"]

#: The reaction to a late answer. "report": only count it. "forfeit": count it, and the agent loses the game.
OnLate = Literal["report", "forfeit"]

_Answer = TypeVar("_Answer")


class ForfeitError(RunError):
    """An error that an agent raises to give up the game. The agent then loses, even with ``on_crash="raise"``."""


class Failure(NamedTuple):
    """The reason why an agent lost a game by forfeit."""

    agent: int  #: the number of the agent
    round: int  #: the round of the failure, from 1; 0 during the picks
    kind: Literal["crash", "late", "forfeit"]
    reason: str


class AgentFaults(NamedTuple):
    """The faults that an agent reports about its own answers in a game, for example an answer that it could not read.

    Faults do not end the game.
    """

    agent: int  #: the number of the agent
    total: int  #: the number of faults
    lost: int  #: the number of answers that were lost because of a fault
    first: tuple[str, ...]  #: the descriptions of the first faults


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
    ``on_late="forfeit"``, after a late answer. Then `failure` contains the reason, and this class returns empty answers
    without calling the agent.
    """

    def __init__(
        self,
        agent: PlainAgent,
        index: int,
        clock: Clock | None = None,
        on_crash: OnCrash = "raise",
        on_late: OnLate = "report",
    ) -> None:
        self.agent = as_agent(agent)
        self.name = self.agent.name
        self.failure: Failure | None = None
        self.use = TimeUse()
        self._index = index
        self._clock = None if clock is None else RunningClock(clock)
        self._on_crash, self._on_late = on_crash, on_late

    def pick(self, view: View) -> list[int]:
        """Ask the agent for its preferred regions, see `Agent.pick`; return an empty list after a failure."""
        return self._ask(0, lambda: self.agent.pick(view), preferences_of, [])

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """Ask the agent for its orders, see `Agent.act`. The limits of the agent's clock replace `budget`."""
        given = budget if self._clock is None else self._clock.budget()
        orders = self._ask(view.round + 1, lambda: self.agent.act(view, given), _check_orders, Orders())
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
        crash: str | None = None
        answer = nothing
        start = time.perf_counter()
        try:
            answer = question()
        except ForfeitError as error:
            self.failure = Failure(self._index, round, "forfeit", str(error))
        except Exception as error:
            if self._on_crash == "raise":
                raise
            crash = crash_reason(error)
        seconds = time.perf_counter() - start
        late = self._clock is not None and self._clock.charge(seconds)
        use = self.use
        self.use = use._replace(
            answers=use.answers + 1,
            seconds=use.seconds + seconds,
            slowest=max(use.slowest, seconds),
            late=use.late + late,
        )
        if self.failure is not None:
            return nothing
        if crash is None and self._on_crash == "forfeit":
            try:
                check(answer)
            except (TypeError, ValueError, OverflowError) as error:
                crash = str(error)
        if crash is not None:
            self.failure = Failure(self._index, round, "crash", crash)
        elif late and self._on_late == "forfeit":
            assert self._clock is not None
            self.failure = Failure(self._index, round, "late", f"{seconds:.3f} s on a clock of {self._clock.clock}")
        return answer if self.failure is None else nothing

    def close(self) -> None:
        """Call the agent's method `close`, because the game is over."""
        self.agent.close()

    def faults(self) -> AgentFaults | None:
        """Return the faults that the agent reports; None if it reports no faults."""
        found = self.agent.faults
        if found is None or not len(found):
            return None
        first = tuple(str(fault) for fault in found[:QUOTED_FAULTS])
        return AgentFaults(self._index, found.total, found.lost, first)


def _check_orders(answer: Any) -> None:
    if not isinstance(answer, Orders):
        raise TypeError(f"act returned {type(answer).__name__}, not Orders")
    answer.arrays()
