"""Adapter that turns any object with a name, `pick` and `act` into an `Agent`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final, Protocol

from warlight_env.agents.base import Agent, Budget
from warlight_env.agents.faults import Faults
from warlight_env.agents.records.search_record import SearchPolicy
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


def is_agent(thing: object) -> bool:
    """Return whether an object can play as an agent: it is an `Agent`, or it has `name`, `pick` and `act`."""
    return isinstance(thing, Agent) or all(hasattr(thing, name) for name in ("name", "pick", "act"))


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


def missing_method(thing: object) -> str | None:
    """Return the name of a method, `pick` or `act`, that an agent lacks; None if it has both methods."""
    return next(
        (name for name in ("pick", "act") if isinstance(thing, type) or not callable(getattr(thing, name, None))), None
    )


def as_agent(thing: Any) -> Agent:
    """Return an `Agent` unchanged, or wrap another object with the defaults of `Agent` for missing attributes."""
    return thing if isinstance(thing, Agent) else AgentAdapter(thing)


class AgentFactoryError(InputError):
    """Error: an agent factory does not accept the required arguments (the seed and the agent's parameters)."""


def call_factory(factory: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Call an agent factory with a seed and parameters, and return the agent.

    Raises:
        AgentFactoryError: the factory does not accept the given arguments.
    """
    try:
        return factory(*arguments, **named)
    except TypeError:
        try:
            inspect.signature(factory).bind(*arguments, **named)
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

    def __init__(self, thing: Any) -> None:
        self._thing = thing
        self.counts_simulations = bool(getattr(thing, "counts_simulations", True))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # `copy` and `pickle` ask for private attributes before `_thing` exists
            raise AttributeError(name)
        return getattr(self._thing, name)

    @property
    def name(self) -> str:
        """Return the wrapped object's name, or the name of its class if the object has no name."""
        name: str = getattr(self._thing, "name", type(self._thing).__name__)
        return name

    @name.setter
    def name(self, name: str) -> None:
        self._thing.name = name

    def pick(self, view: View) -> list[int]:
        """See `Agent.pick`."""
        preferences: list[int] = self._thing.pick(view)
        return preferences

    def act(self, view: View, budget: Any = _NOT_GIVEN) -> Orders:
        """See `Agent.act`. If the caller gives no budget, the object's `act` is called without a budget."""
        orders: Orders = self._thing.act(view) if budget is _NOT_GIVEN else self._thing.act(view, budget)
        return orders

    @property
    def simulations(self) -> int | None:
        """See `Agent.simulations`. The result is None if the object's attribute is not an integer."""
        found = getattr(self._thing, "simulations", None)
        return found if type(found) is int else None

    @property
    def faults(self) -> Faults | None:
        """See `Agent.faults`. The result is None if the object's attribute is not a list."""
        found = getattr(self._thing, "faults", None)
        if not isinstance(found, list):
            return None
        counts: Any = found  # a list with its own `total` and `lost` may count more faults than it stores
        return counts if hasattr(found, "total") and hasattr(found, "lost") else _Counted(found)

    def check(self, map: Map, rules: Rules, players: int) -> None:
        """See `Agent.check`."""
        asked = getattr(self._thing, "check", None)
        if callable(asked):
            asked(map, rules, players)

    def close(self) -> None:
        """See `Agent.close`."""
        told = getattr(self._thing, "close", None)
        if callable(told):
            told()

    def insight(self) -> dict[str, Any] | None:
        """See `Agent.insight`."""
        told = getattr(self._thing, "insight", None)
        return told() if callable(told) else None

    def search_policy(self) -> SearchPolicy | None:
        """See `Agent.search_policy`."""
        told = getattr(self._thing, "search_policy", None)
        return told() if callable(told) else None

    def __repr__(self) -> str:
        return repr(self._thing)
