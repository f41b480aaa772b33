"""What an agent is, and the common part of agents that are kernels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import bare_context
from warlight_env.agents.evaluation.worth import write_best_picks
from warlight_env.agents.faults import Faults
from warlight_env.agents.records.generator_work import make_generator_work
from warlight_env.agents.records.search_record import Searched, SearchPolicy
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
from warlight_env.ownership import OneThread


@dataclass(frozen=True)
class Budget:
    """What an agent may spend on an answer: simulations, seconds, or (both None) as much as it likes.

    It takes the place of what an agent's own parameters say about simulations and seconds.

    Args:
        simulations: at most so many, for agents that simulate.
        seconds: at most so many, of wall time; with a bank, what the clock advises.
        bank: seconds left on the agent's clock for all of its answers; None: each answer has its own time. Agents
            that plan their time look at this, as those that search do (`search.pacing`).
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


def given(
    budget: Budget | None, simulations: int | None, seconds: float | None, default: int | None
) -> tuple[int | None, float | None]:
    """Simulations and seconds of a move: the budget's, else the agent's own, else `default` simulations."""
    if budget is not None and not (budget.simulations is None and budget.seconds is None):
        return budget.simulations, budget.seconds
    if simulations is None and seconds is None:
        return default, None
    return simulations, seconds


def check_asked(view: Any, budget: Any = None) -> None:
    """Raises InputError unless an agent can be asked with these: a `View`, and a `Budget` or None."""
    if not isinstance(view, View):
        raise InputError(f"view = {short_repr(view)}: must be a `View`, as `Game.view` gives it")
    if not isinstance(budget, Budget | None):
        raise InputError(f"budget = {short_repr(budget)}: must be a `Budget` or None")


#: The methods of an agent that work in its memory.
ASKED: Final = ("pick", "act", "searched", "search_policy", "insight")


class Agent(ABC):
    """A player. It sees a `View` only, and keeps its own random generator, so that dice and bots never mix.

    A subclass gives `pick` and `act`. All else has a default, which stands for an agent that has nothing of the kind;
    those that are properties a subclass overrides by properties, or by attributes of the class.
    """

    name: str = "agent"

    @abstractmethod
    def pick(self, view: View) -> list[int]:
        """The offered regions that it would like, best first."""

    @abstractmethod
    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """Its turn for this round."""

    #: Whether it keeps to a budget in simulations; a clock of simulations alone is refused for one that does not.
    counts_simulations: bool = True

    @property
    def simulations(self) -> int | None:
        """Simulations of its last answer, which matches count; None: it makes none."""
        return None

    @property
    def faults(self) -> Faults | None:
        """What went wrong with its answers in this game without ending it; None: it does not tell."""
        return None

    def check(self, map: Map, rules: Rules, players: int) -> None:
        """Raises an InputError where it cannot play such games; matches ask before they begin."""
        return None

    def close(self) -> None:
        """Its game is over: it gives back what it holds, as a process."""
        return None

    def insight(self) -> dict[str, Any] | None:
        """What it thought before its last answer, as plain data for JSON; None: nothing, or what `searched` tells.

        Asked once the round has been played.
        """
        return None

    def searched(self) -> Searched | None:
        """What its last search came to; None: it has not searched yet, or never does."""
        return None

    def search_policy(self) -> SearchPolicy | None:
        """What its last answer was chosen from: turns with probabilities and values, the answer first.

        Probabilities are shares of visits (`mcts`, `flat_mc`), or the mixture (`nash`); agents that play the turn of
        the highest value give that one all. None: it has not answered yet, or chooses from nothing.
        """
        searched = self.searched()
        return None if searched is None else searched.record.policy(searched.view.params.max_orders)


def check_once(agent: Agent, map: Map, rules: Rules, players: int) -> None:
    """Ask an agent that was made for this question alone whether it can play such games; it is closed then.

    Raises:
        InputError: it cannot, as its `check` says.
    """
    try:
        agent.check(map, rules, players)
    finally:
        agent.close()


class KernelAgent(OneThread, Agent):
    """An agent whose turn a kernel writes into arrays; subclasses give `_write` and `pick`."""

    exclusive_methods = ASKED
    not_copied = ("_known",)

    name = "kernel"

    def __init__(self, seed: int = 0) -> None:
        self.rng = make_rng(seed_of(seed))
        self._known: tuple[Board, RuleParams] | None = None

    def _prepare(self, view: View) -> None:
        """Buffers for the board and the rules of this game; called when an agent meets new ones."""
        board, self._known = view.board, (view.board, view.params)
        self._scratch = make_scratch(board.n_regions, view.players)
        self._deploy: npt.NDArray[np.int32] = np.zeros(board.n_regions, dtype=np.int32)
        self._attacks: npt.NDArray[np.int32] = np.zeros((board.n_edges, 3), dtype=np.int32)

    @abstractmethod
    def _write(self, view: View) -> int:
        """Write the turn to `_deploy` and `_attacks`; returns the number of attacks."""

    @abstractmethod
    def pick(self, view: View) -> list[int]:
        """See `Agent.pick`."""

    def _picked(self, view: View, picker: Any, weights: Weights) -> list[int]:
        """What a kernel of the signature of pickers wishes for."""
        check_asked(view)
        free = np.zeros(view.board.n_regions, dtype=np.int8)
        free[list(view.offers)] = 1
        wishes = np.zeros(view.board.n_regions, dtype=np.int32)
        context = bare_context(view.board, view.params, view.players, weights)
        count = picker(context, view.position, free, view.player, self.rng, wishes)
        return [int(region) for region in wishes[:count]]

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """See `Agent.act`; kernels need no budget."""
        check_asked(view, budget)
        if self._known is None or any(a is not b for a, b in zip(self._known, (view.board, view.params), strict=True)):
            self._prepare(view)
        return Orders.from_arrays(self._deploy, self._attacks, self._write(view)).limited(view.params.max_orders)

    def __repr__(self) -> str:
        return f"<agent {self.name}>"


class ValuingAgent(KernelAgent):
    """An agent whose turn is a policy kernel's, and that goes by the thesis's evaluation, in its picks too."""

    policy: ClassVar[Callable[..., Any]]  #: of the signature of policies, see `plug_ins.policy_signature`

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
