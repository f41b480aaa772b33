"""The base class of all agents, and the base class of agents that consist of kernels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import bare_context
from warlight_env.agents.evaluation.static_evaluation import write_best_picks
from warlight_env.agents.faults import Faults
from warlight_env.agents.records.generator_work import make_generator_work
from warlight_env.agents.records.search_record import SearchPolicy, SearchResult
from warlight_env.agents.weights import THESIS, Weights
from warlight_env.arguments import is_integer, is_number, seed_of, short_repr
from warlight_env.engine.board import Board
from warlight_env.engine.orders import Orders
from warlight_env.engine.rng import make_rng
from warlight_env.engine.rules import RuleParams, Rules
from warlight_env.engine.state import make_scratch
from warlight_env.engine.view import View
from warlight_env.errors import InputError
from warlight_env.maps import Map
from warlight_env.thread_ownership import SingleThreaded


@dataclass(frozen=True)
class Budget:
    """The limits of one answer: a number of simulations, a number of seconds, or no limit (both None).

    A budget replaces the simulations and seconds in an agent's own parameters.

    Args:
        simulations: largest number of simulations for one answer, for agents that simulate.
        seconds: largest wall time of one answer in seconds; with a bank, the clock's recommendation.
        bank: seconds left on the agent's clock for all of its answers. None: each answer has its own time. Agents that
            search plan their time with it (`search.time_management`).
        increment: seconds that the bank gets after each answer.
    """

    simulations: int | None = None
    seconds: float | None = None
    bank: float | None = None
    increment: float = 0.0

    def __post_init__(self) -> None:
        if self.simulations is not None and not (is_integer(self.simulations) and 0 <= self.simulations < 2**63):
            raise InputError(f"simulations = {short_repr(self.simulations)}: must be an integer from 0 up, or None")
        for name in ("seconds", "bank", "increment"):
            value = getattr(self, name)
            if not (is_number(value) and value >= 0) and (value is not None or name == "increment"):
                raise InputError(f"{name} = {short_repr(value)}: must be a number from 0 up")


def resolve_limits(
    budget: Budget | None, simulations: int | None, seconds: float | None, default: int | None
) -> tuple[int | None, float | None]:
    """Return the simulations and seconds of a move: from the budget, else the agent, else `default` simulations."""
    if budget is not None and not (budget.simulations is None and budget.seconds is None):
        return budget.simulations, budget.seconds
    if simulations is None and seconds is None:
        return default, None
    return simulations, seconds


def check_asked(view: Any, budget: Any = None) -> None:
    """Raise InputError unless these are valid arguments of an agent: a `View`, and a `Budget` or None."""
    if not isinstance(view, View):
        raise InputError(f"view = {short_repr(view)}: must be a `View`, which `Game.view` returns")
    if not isinstance(budget, Budget | None):
        raise InputError(f"budget = {short_repr(budget)}: must be a `Budget` or None")


#: The methods of an agent that use its working memory.
EXCLUSIVE_METHODS: Final = ("pick", "act", "last_search", "search_policy", "insight")


class Agent(ABC):
    """A player. It sees only a `View`, and it has its own random generator, separate from the dice.

    A subclass defines `pick` and `act`. All other methods and attributes have defaults for agents without that feature.
    A subclass overrides the properties with properties or class attributes.
    """

    name: str = "agent"

    @abstractmethod
    def pick(self, view: View) -> list[int]:
        """Return the offered regions in the agent's order of preference, best first."""

    @abstractmethod
    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """Return the agent's turn for this round."""

    #: Whether the agent respects a budget in simulations. If not, the agent cannot play with a clock that has only
    #: simulations.
    counts_simulations: bool = True

    @property
    def simulations(self) -> int | None:
        """Number of simulations of the last answer, for the counts of matches. None: the agent does not simulate."""
        return None

    @property
    def faults(self) -> Faults | None:
        """The faults in the agent's answers of this game that did not end the game.

        None: the agent does not report faults.
        """
        return None

    def check(self, map: Map, rules: Rules, players: int) -> None:
        """Raise an InputError if the agent cannot play with this map, these rules and this number of players.

        Matches call this method before they begin.
        """
        return None

    def close(self) -> None:
        """Release the agent's resources, such as a process, after its game."""
        return None

    def insight(self) -> dict[str, Any] | None:
        """Return information about the last answer as plain data for JSON; None: no information beyond `last_search`.

        Call it after the round has been played.
        """
        return None

    def last_search(self) -> SearchResult | None:
        """Return the result of the last search; None: the agent has not searched yet, or it never searches."""
        return None

    def search_policy(self) -> SearchPolicy | None:
        """Return the turns that the last answer was chosen from, with probabilities and values; the answer is first.

        Probabilities are shares of visits (`mcts`, `flat_mc`) or the mixture (`nash`). Agents that play the turn with
        the highest value give it probability 1. None: the agent has not answered yet, or it does not choose among
        turns.
        """
        searched = self.last_search()
        return None if searched is None else searched.record.policy(searched.view.params.max_orders)


def check_once(agent: Agent, map: Map, rules: Rules, players: int) -> None:
    """Raise an error if an agent cannot play with this map, these rules and this number of players. Close the agent.

    The agent was made only for this check.

    Raises:
        InputError: the agent's `check` raised it.
    """
    try:
        agent.check(map, rules, players)
    finally:
        agent.close()


class KernelAgent(SingleThreaded, Agent):
    """An agent with a kernel that writes its turn into arrays; subclasses define `_write` and `pick`."""

    exclusive_methods = EXCLUSIVE_METHODS
    not_copied = ("_known",)

    name = "kernel"

    def __init__(self, seed: int = 0) -> None:
        self.rng = make_rng(seed_of(seed))
        self._known: tuple[Board, RuleParams] | None = None

    def _prepare(self, view: View) -> None:
        """Make buffers for the board and the rules of this game; called when the board or the rules change."""
        board, self._known = view.board, (view.board, view.params)
        self._scratch = make_scratch(board.n_regions, view.players)
        self._deploy: npt.NDArray[np.int32] = np.zeros(board.n_regions, dtype=np.int32)
        self._attacks: npt.NDArray[np.int32] = np.zeros((board.n_edges, 3), dtype=np.int32)

    @abstractmethod
    def _write(self, view: View) -> int:
        """Write the turn to `_deploy` and `_attacks`, and return the number of attacks."""

    @abstractmethod
    def pick(self, view: View) -> list[int]:
        """See `Agent.pick`."""

    def _picked(self, view: View, picker: Any, weights: Weights) -> list[int]:
        """Return the regions that a picker kernel chooses, best first."""
        check_asked(view)
        free = np.zeros(view.board.n_regions, dtype=np.int8)
        free[list(view.offers)] = 1
        preferences = np.zeros(view.board.n_regions, dtype=np.int32)
        context = bare_context(view.board, view.params, view.players, weights)
        count = picker(context, view.position, free, view.player, self.rng, preferences)
        return [int(region) for region in preferences[:count]]

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """See `Agent.act`; kernels need no budget."""
        check_asked(view, budget)
        if self._known is None or any(a is not b for a, b in zip(self._known, (view.board, view.params), strict=True)):
            self._prepare(view)
        return Orders.from_arrays(self._deploy, self._attacks, self._write(view)).limited(view.params.max_orders)

    def __repr__(self) -> str:
        return f"<agent {self.name}>"


class PolicyKernelAgent(KernelAgent):
    """An agent that takes its turns from a policy kernel; turns and picks use the thesis's evaluation."""

    policy: ClassVar[Callable[..., Any]]  #: has the signature of policies, see `plug_ins.policy_signature`

    def _prepare(self, view: View) -> None:
        super()._prepare(view)
        self._context = bare_context(view.board, view.params, view.players, THESIS)
        self._work = make_generator_work(view.board.n_regions, view.board.n_edges, view.players)

    def _write(self, view: View) -> int:
        return int(
            self.policy(self._context, view.position, view.player, self.rng, self._work, self._deploy, self._attacks)
        )

    def pick(self, view: View) -> list[int]:
        """See `Agent.pick`."""
        return self._picked(view, write_best_picks, THESIS)
