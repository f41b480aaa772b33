"""Adapter that turns any object with a name, `pick` and `act` into an `Agent`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final, Protocol

from warlight_env.agents.base import Agent, Budget, Faults
from warlight_env.agents.records.search_record import SearchPolicy
from warlight_env.arguments import accepts_arguments
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import Rules
from warlight_env.engine.view import View
from warlight_env.errors import InputError
from warlight_env.maps import Map

_NOT_GIVEN: Final = object()


class PlainAgent(Protocol):
    """An object that `as_agent` can turn into an `Agent`: it has a name and the methods `pick` and `act`, as every
    `Agent`."""

    name: str

    def pick(self, view: View) -> list[int]:
        """See `Agent.pick`."""
        ...

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """See `Agent.act`."""
        ...


def is_agent(candidate: object) -> bool:
    """Return whether an object can play as an agent: it is an `Agent`, or it has `name`, `pick` and `act`."""
    return isinstance(candidate, Agent) or all(hasattr(candidate, name) for name in ("name", "pick", "act"))


def makes_agents(source: object) -> bool:
    """Return whether an object makes agents: an agent's class, or a function whose first parameter is `seed`."""
    if isinstance(source, type):
        return hasattr(source, "pick") and hasattr(source, "act")
    if not callable(source):
        return False
    try:
        return next(iter(inspect.signature(source).parameters), None) == "seed"
    except (TypeError, ValueError):
        return False


#: The arguments with which a match calls the methods of an agent.
_ARGUMENTS: Final = {"pick": ("view",), "act": ("view", "budget")}


def method_fault(agent: object) -> str | None:
    """Return why a match cannot call the methods `pick` and `act` of an agent; None if it can call them.

    A method without a readable signature, such as a function in C, is accepted.
    """
    name = type(agent).__name__
    for method, arguments in _ARGUMENTS.items():
        function = getattr(agent, method, None)
        if isinstance(agent, type) or not callable(function):
            return f"{name} has no method {method}({', '.join(arguments)})"
        if not accepts_arguments(function, *arguments):
            budget = ", budget=None" if "budget" in arguments else ""
            return (
                f"{name}.{method} must accept the arguments ({', '.join(arguments)}): "
                f"write def {method}(self, view{budget})"
            )
    return None


def as_agent(agent: Any) -> Agent:
    """Return an `Agent` unchanged, or wrap another object with the defaults of `Agent` for missing attributes."""
    return agent if isinstance(agent, Agent) else AgentAdapter(agent)


class AgentFactoryError(InputError):
    """Error: an agent factory does not accept the required arguments (the seed and the agent's parameters)."""


def call_factory(factory: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """Call an agent factory with a seed and parameters, and return the agent.

    Raises:
        AgentFactoryError: the factory does not accept the given arguments.
    """
    try:
        return factory(*arguments, **keywords)
    except TypeError:
        try:
            inspect.signature(factory).bind(*arguments, **keywords)
        except TypeError as error:
            name = getattr(factory, "__qualname__", type(factory).__qualname__)
            raise AgentFactoryError(
                f"{name} cannot make an agent: it must be callable as {name}(seed), with seed and the "
                f"agent's parameters as keyword arguments, like a class with __init__(self, seed) ({error})"
            ) from None
        except ValueError:
            pass  # some functions in C have no readable signature
        raise


class _Counted(list[Any]):
    """A list of faults with the additional methods and attributes that the interface `Faults` requires."""

    @property
    def total(self) -> int:
        """See `Faults.total`."""
        return len(self)

    @property
    def lost(self) -> int:
        """See `Faults.lost`."""
        return sum(bool(fault.lost) for fault in self)

    @property
    def counts(self) -> dict[str, int]:
        """See `Faults.counts`."""
        return {"other": len(self)}


class AgentAdapter(Agent):
    """Wrapper that makes an `Agent` from another object.

    The wrapper forwards method calls to the object. The wrapper reads an attribute from the object at each access.
    """

    def __init__(self, agent: Any) -> None:
        self._agent = agent
        self.counts_simulations = bool(getattr(agent, "counts_simulations", True))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # `copy` and `pickle` ask for private attributes before `_agent` exists
            raise AttributeError(name)
        return getattr(self._agent, name)

    @property
    def name(self) -> str:
        """Return the wrapped object's name, or the name of its class if the object has no name."""
        name: str = getattr(self._agent, "name", type(self._agent).__name__)
        return name

    @name.setter
    def name(self, name: str) -> None:
        self._agent.name = name

    def pick(self, view: View) -> list[int]:
        """See `Agent.pick`."""
        preferences: list[int] = self._agent.pick(view)
        return preferences

    def act(self, view: View, budget: Any = _NOT_GIVEN) -> Orders:
        """See `Agent.act`. If the caller gives no budget, the object's `act` is called without a budget."""
        orders: Orders = self._agent.act(view) if budget is _NOT_GIVEN else self._agent.act(view, budget)
        return orders

    @property
    def simulations(self) -> int | None:
        """See `Agent.simulations`. The result is None if the object's attribute is not an integer."""
        count = getattr(self._agent, "simulations", None)
        return count if type(count) is int else None

    @property
    def faults(self) -> Faults | None:
        """See `Agent.faults`. The result is None if the object's attribute is not a list."""
        fault_list = getattr(self._agent, "faults", None)
        if not isinstance(fault_list, list):
            return None
        counts: Any = fault_list  # a list with its own `total` and `lost` may count more faults than it stores
        return counts if hasattr(fault_list, "total") and hasattr(fault_list, "lost") else _Counted(fault_list)

    def check(self, map: Map, rules: Rules, players: int) -> None:
        """See `Agent.check`."""
        method = getattr(self._agent, "check", None)
        if callable(method):
            method(map, rules, players)

    def close(self) -> None:
        """See `Agent.close`."""
        method = getattr(self._agent, "close", None)
        if callable(method):
            method()

    def insight(self) -> dict[str, Any] | None:
        """See `Agent.insight`."""
        method = getattr(self._agent, "insight", None)
        return method() if callable(method) else None

    def search_policy(self) -> SearchPolicy | None:
        """See `Agent.search_policy`."""
        method = getattr(self._agent, "search_policy", None)
        return method() if callable(method) else None

    def __repr__(self) -> str:
        return repr(self._agent)
