"""Options of `play_game` that most games leave at their defaults."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, get_args

from warlight_env.agents import Budget
from warlight_env.arena.games.clocks import Clock
from warlight_env.arena.games.seated_agent import OnCrash, OnLate
from warlight_env.arguments import check_choice, is_integer, short_repr
from warlight_env.step_results import GameError


@dataclass(frozen=True)
class PlayOptions:
    """Options of `play_game`: time limits, reactions to failures, a stop condition, and fields of the result.

    If on_crash is "forfeit", an agent that fails leaves the game in the round of its failure. If on_late is "forfeit",
    an agent that answers late leaves the game in the round of the late answer. An agent that leaves the game loses, and
    its armies remain on the map. The game ends when at most one agent still plays. See `failure_rule` for the
    definition of a failure.
    """

    budget: Budget | None = None  #: argument of every `act` of an agent without a clock
    clocks: Sequence[Clock | None] | None = None  #: by seat; None: no agent has a clock
    on_crash: OnCrash = "stop"  #: reaction to an agent's failure, see `OnCrash`
    on_late: OnLate = "report"  #: reaction to an answer after the clock's time: count it, or also "forfeit"
    stop: Callable[[], bool] | None = None  #: called after each round; True stops the game
    number: int = 0  #: the value of `GameRecord.number`; it does not change the game
    unit: int = 0  #: the value of `GameRecord.unit`; it does not change the game
    #: the number of the agent on each seat, for `GameRecord`; None: agent k is on seat k. It does not change the game.
    seats: tuple[int, ...] | None = None

    def check(self, n_agents: int) -> None:
        """Raise GameError unless the options are possible for a game of `n_agents` agents."""
        check_choice(self.on_crash, "on_crash", get_args(OnCrash), GameError)
        check_choice(self.on_late, "on_late", get_args(OnLate), GameError)
        check_budget(self.budget)
        seats: Any = self.seats
        numbers = list(range(n_agents))
        if seats is not None and (
            not isinstance(seats, Sequence) or not all(map(is_integer, seats)) or sorted(seats) != numbers
        ):
            raise GameError(f"seats = {short_repr(seats)}: must contain each of {numbers} once")
        clocks: Any = self.clocks
        if clocks is not None:
            timed = isinstance(clocks, Sequence) and all(isinstance(clock, Clock | None) for clock in clocks)
            if not timed or len(clocks) != n_agents:
                raise GameError(f"clocks = {short_repr(clocks)}: must be a list with a Clock or None for each agent")


#: No limits, no clocks; an agent's failure is an error.
DEFAULTS: Final = PlayOptions()


#: The sentence about the reaction to a failure, and to a late answer.
_REACTIONS: Final[dict[str, str]] = {
    "forfeit": "An agent that fails loses the game.",
    "skip": "An agent that fails gives no orders in this answer, and the game continues.",
    "stop": "An agent that fails ends all games.",
}
_LATE: Final[dict[str, str]] = {
    "report": "Late answers are counted.",
    "forfeit": "An agent loses the game after a late answer.",
}


def failure_rule(on_crash: OnCrash, on_late: OnLate) -> str:
    """Return the rule for failures and late answers as text for reports.

    The rule is the same for all types of agents.
    """
    return (
        "An agent fails if it raises an error or returns a wrong type, if its process ends, or if its process gives no "
        f"answer in time twice in a game. {_REACTIONS[on_crash]} {_LATE[on_late]}"
    )


def check_budget(budget: Any) -> None:
    """Raise GameError unless `budget` is a `Budget` or None."""
    if not isinstance(budget, Budget | None):
        raise GameError(f"budget = {short_repr(budget)}: must be a Budget or None")
