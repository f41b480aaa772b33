"""What an agent is, and the common part of agents that are kernels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import bare_context
from warlight_env.agents.evaluation import write_best_picks
from warlight_env.agents.generator_work import make_generator_work
from warlight_env.agents.weights import THESIS, Weights
from warlight_env.engine.board import Board
from warlight_env.engine.orders import Orders
from warlight_env.engine.rng import make_rng
from warlight_env.engine.rules import RuleParams
from warlight_env.engine.state import make_scratch
from warlight_env.engine.view import View
from warlight_env.errors import InputError


@dataclass(frozen=True)
class Budget:
    """What an agent may spend on an answer: simulations, seconds, or (both None) as much as it likes.

    It takes the place of what an agent's own parameters say about simulations and seconds.

    Args:
        simulations: at most so many, for agents that simulate.
        seconds: at most so many, of wall time; with a bank, what the clock advises.
        bank: seconds left on the agent's clock for all of its answers; None: each answer has its own time. Agents
            that plan their time look at this.
        increment: seconds that the bank gets after each answer.
    """

    simulations: int | None = None
    seconds: float | None = None
    bank: float | None = None
    increment: float = 0.0


def given(
    budget: Budget | None, simulations: int | None, seconds: float | None, default: int | None
) -> tuple[int | None, float | None]:
    """Simulations and seconds of a move: the budget's, else the agent's own, else `default` simulations."""
    if budget is not None and not (budget.simulations is None and budget.seconds is None):
        return budget.simulations, budget.seconds
    if simulations is None and seconds is None:
        return default, None
    return simulations, seconds


def check_integer(name: str, value: object, low: int, high: int | None = None) -> None:
    """Raise `InputError` unless a parameter is an integer from `low` up, to `high` if that is given."""
    if isinstance(value, bool) or not isinstance(value, int) or value < low or (high is not None and value > high):
        bounds = f"from {low} up" if high is None else f"in {low} .. {high}"
        raise InputError(f"{name} = {value!r}: must be an integer {bounds}")


@runtime_checkable
class Agent(Protocol):
    """A player. It sees a `View` only, and keeps its own random generator, so that dice and bots never mix.

    An agent may have an attribute `simulations`, an integer: those of its last answer. Matches then count them.
    It may have a method ``check(map, rules, players)``, which raises an InputError where it cannot play such games:
    matches then refuse it before they begin.
    """

    name: str

    def pick(self, view: View) -> list[int]:
        """The offered regions that it would like, best first."""
        ...

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """Its turn for this round."""
        ...


class KernelAgent(ABC):
    """An agent whose turn a kernel writes into arrays; subclasses give `_write` and `pick`."""

    name = "kernel"

    def __init__(self, seed: int = 0) -> None:
        self.rng = make_rng(seed)
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
        free = np.zeros(view.board.n_regions, dtype=np.int8)
        free[list(view.offers)] = 1
        wishes = np.zeros(view.board.n_regions, dtype=np.int32)
        context = bare_context(view.board, view.params, view.players, weights)
        count = picker(context, view.position, free, view.player, self.rng, wishes)
        return [int(region) for region in wishes[:count]]

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """See `Agent.act`; kernels need no budget."""
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
