"""The base class of all agents, and base classes of agents that choose turns in compiled functions (kernels)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, Protocol

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import bare_context
from warlight_env.agents.evaluation.static_evaluation import write_best_picks
from warlight_env.agents.records.generator_work import make_generator_work
from warlight_env.agents.records.search_record import SearchPolicy, SearchResult
from warlight_env.agents.weights import THESIS, Weights
from warlight_env.arguments import is_integer, is_number, seed_of, short_repr
from warlight_env.engine.board import Board
from warlight_env.engine.orders import Orders
from warlight_env.engine.position import Position
from warlight_env.engine.rng import make_rng
from warlight_env.engine.rules import RuleParams, Rules
from warlight_env.engine.state import make_scratch
from warlight_env.engine.view import View
from warlight_env.errors import InputError
from warlight_env.maps import Map
from warlight_env.thread_ownership import SingleThreaded


@dataclass(frozen=True)
class Budget:
    """The limits of one answer (a turn or a list of picks): simulations, seconds, or no limit (both None).

    A budget replaces the simulations and seconds in an agent's own parameters.

    Args:
        simulations: largest number of simulations for one answer, for agents that simulate.
        seconds: largest wall time of one answer in seconds. With `bank`, `seconds` is only the time that the clock
            recommends.
        bank: seconds left on the agent's clock for all answers of the game. If `bank` is None, only `seconds` limits an
            answer. Agents that search distribute the bank over their answers (`search.search_agent`).
        increment: seconds that are added to the bank after each answer.
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
    """Return the limits of a move (simulations, seconds).

    The limits of the budget come first. If the budget has no limits, the agent's own arguments `simulations` and
    `seconds` are the limits. If the budget and the agent have no limits, the limit is `default` simulations.
    """
    if budget is not None and not (budget.simulations is None and budget.seconds is None):
        return budget.simulations, budget.seconds
    if simulations is None and seconds is None:
        return default, None
    return simulations, seconds


def check_request(view: Any, budget: Any = None) -> None:
    """Raise InputError unless `view` is a `View`, and `budget` is a `Budget` or None."""
    if not isinstance(view, View):
        raise InputError(f"view = {short_repr(view)}: must be a `View`, which `Game.view` returns")
    if not isinstance(budget, Budget | None):
        raise InputError(f"budget = {short_repr(budget)}: must be a `Budget` or None")


#: How often an agent needs a warm-up, see `Agent.warm_up_scope`.
WarmUpScope = Literal["process", "machine", "never"]

#: The methods of an agent that use its working memory. Only one thread at a time may call these methods.
EXCLUSIVE_METHODS: Final = ("prepare", "pick", "act", "last_search", "search_policy", "insight")


class Fault(Protocol):
    """One fault; its text contains the cause and the time."""

    @property
    def lost(self) -> bool:
        """Whether the game ignored the answer because of the fault; otherwise the game used the faulty answer."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return the fault as plain data for JSON."""
        ...


class Faults(Protocol):
    """A sequence of an agent's faults in a game. Some faults may be missing, but `total` and `lost` count all."""

    @property
    def total(self) -> int:
        """The number of all faults, including faults that are not stored."""
        ...

    @property
    def lost(self) -> int:
        """The number of faults after which the game could not use the answer."""
        ...

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of all faults of each kind: "late", "missing", "unreadable" or "other"."""
        ...

    def __len__(self) -> int: ...

    def __getitem__(self, part: slice, /) -> Sequence[Fault]: ...


class Agent(ABC):
    """A player. An agent sees only a `View`, and has its own random generator, separate from the dice.

    A subclass defines `pick` and `act`. All other methods and attributes have default implementations. A subclass may
    override a property with a property or a class attribute.
    """

    name: str = "agent"

    #: Before clocks run, a match lets each agent play a short game, so that its compiled code is ready. "process": in
    #: every process that plays games. "machine": once on each machine, because the agent has a process of its own, and
    #: only the cache on disk must be ready. "never": the agent's code is not part of this package.
    warm_up_scope: WarmUpScope = "process"

    @abstractmethod
    def pick(self, view: View) -> list[int]:
        """Return the offered regions in the agent's order of preference, best first."""

    @abstractmethod
    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """Return the agent's turn for this round."""

    #: Whether the agent obeys `Budget.simulations`. If not, it cannot play with a clock that limits only the number of
    #: simulations.
    counts_simulations: bool = True

    @property
    def simulations(self) -> int | None:
        """Number of simulations of the last answer, for match statistics; None for an agent that does not simulate."""
        return None

    @property
    def faults(self) -> Faults | None:
        """The faults in the agent's answers during this game, such as late turns, that did not end the game.

        The value is None for an agent that does not report faults.
        """
        return None

    def check(self, map: Map, rules: Rules, players: int) -> None:
        """Raise an InputError if the agent cannot play with this map, these rules and this number of players.

        A match calls this method before its first game.
        """
        return None

    def prepare(self, view: View) -> None:
        """Get ready for a new game, for example start a process. A match calls this method before the first answer.

        The time of this call does not count for the agent's clock. view: the agent's view for the first answer.
        """
        return None

    def close(self) -> None:
        """Release the agent's resources, such as a process, after its game."""
        return None

    def insight(self) -> dict[str, Any] | None:
        """Return information about the last answer as plain data for JSON, or None if `last_search` contains all of it.

        Call this method after the game has resolved the round.
        """
        return None

    def last_search(self) -> SearchResult | None:
        """Return the result of the last search, or None if the agent has not searched yet or never searches."""
        return None

    def search_policy(self) -> SearchPolicy | None:
        """Return the candidate turns of the last answer with probabilities and values; the chosen turn comes first.

        The probability of a turn is its fraction of all visits (`mcts`, `flat_mc`) or its probability in the mixed
        strategy (`nash`). Agents that play the turn with the highest value give it probability 1. Return None if the
        agent has not answered yet, or if it does not compare candidate turns.
        """
        search_result = self.last_search()
        return None if search_result is None else search_result.record.policy(search_result.view.params.max_orders)


def check_once(agent: Agent, map: Map, rules: Rules, players: int) -> None:
    """Check that an agent can play with this map, these rules and this number of players, and close the agent.

    Use this function only for an agent that plays no game, because the function closes the agent.

    Raises:
        InputError: the agent cannot play with this map, these rules and this number of players.
    """
    try:
        agent.check(map, rules, players)
    finally:
        agent.close()


class KernelAgent(SingleThreaded, Agent):
    """An agent that chooses its turn in a compiled function (kernel). Subclasses define `_write`."""

    exclusive_methods = EXCLUSIVE_METHODS
    not_copied = ("_prepared_game",)

    name = "kernel"
    picker: ClassVar[Callable[..., Any]] = staticmethod(write_best_picks)  #: see `plug_ins.picker_signature`
    weights: Weights = THESIS  #: the weights of the picks

    def __init__(self, seed: int = 0) -> None:
        self.rng = make_rng(seed_of(seed))
        self._prepared_game: tuple[Board, RuleParams] | None = None

    def _prepare(self, view: View) -> None:
        """Allocate arrays for a game's board and rules. `_prepare_for` calls this method."""
        board, self._prepared_game = view.board, (view.board, view.params)
        self._scratch = make_scratch(board.n_regions, view.players)
        self._deploy: npt.NDArray[np.int32] = np.zeros(board.n_regions, dtype=np.int32)
        self._attacks: npt.NDArray[np.int32] = np.zeros((board.n_edges, 3), dtype=np.int32)

    def _prepare_for(self, view: View) -> None:
        """Call `_prepare` if the board or the rules have changed."""
        if self._prepared_game is None or any(
            a is not b for a, b in zip(self._prepared_game, (view.board, view.params), strict=True)
        ):
            self._prepare(view)

    @abstractmethod
    def _write(self, view: View) -> int:
        """Write the turn to `_deploy` and `_attacks`, and return the number of attacks."""

    def pick(self, view: View) -> list[int]:
        """Return the starting regions that the kernel `picker` prefers, best first."""
        check_request(view)
        free = np.zeros(view.board.n_regions, dtype=np.int8)
        free[list(view.offers)] = 1
        preferences = np.zeros(view.board.n_regions, dtype=np.int32)
        context = bare_context(view.board, view.params, view.players, self.weights)
        count = self.picker(context, view.position, free, view.player, self.rng, preferences)
        return [int(region) for region in preferences[:count]]

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """See `Agent.act`. A kernel agent ignores the budget."""
        check_request(view, budget)
        self._prepare_for(view)
        return Orders.from_arrays(self._deploy, self._attacks, self._write(view)).limited(view.params.max_orders)

    def __repr__(self) -> str:
        return f"<agent {self.name}>"


class PolicyKernelAgent(KernelAgent):
    """An agent that gets its turns from a policy kernel, which calls no plug-in functions."""

    policy: ClassVar[Callable[..., Any]]  #: a kernel with the signature `plug_ins.policy_signature`

    def _prepare(self, view: View) -> None:
        super()._prepare(view)
        self._context = bare_context(view.board, view.params, view.players, self.weights)
        self._work = make_generator_work(view.board.n_regions, view.board.n_edges, view.players)

    def _position(self, view: View) -> Position:
        """Return the position for the kernel."""
        return view.position

    def _write(self, view: View) -> int:
        position = self._position(view)
        return int(self.policy(self._context, position, view.player, self.rng, self._work, self._deploy, self._attacks))
