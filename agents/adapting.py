"""The door for agents of others, which may be any object with a name, `pick` and `act`; behind it all are `Agent`s."""

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
    """What the door asks for; an `Agent` has it, too."""

    name: str

    def pick(self, view: View) -> list[int]:
        """See `Agent.pick`."""
        ...

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """See `Agent.act`."""
        ...


def is_agent(thing: object) -> bool:
    """Whether it can be asked as an agent is: an `Agent`, or something with a name, `pick` and `act`."""
    return isinstance(thing, Agent) or all(hasattr(thing, name) for name in ("name", "pick", "act"))


def as_agent(thing: Any) -> Agent:
    """An `Agent` as it is; anything else with the defaults of `Agent` for what it lacks."""
    return thing if isinstance(thing, Agent) else AdaptedAgent(thing)


class UncallableError(InputError):
    """A factory of agents that does not take what one must."""


def made_by(factory: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """What a factory of agents makes of a seed and parameters.

    Raises:
        UncallableError: it cannot be called so.
    """
    try:
        return factory(*arguments, **named)
    except TypeError:
        try:
            inspect.signature(factory).bind(*arguments, **named)
        except TypeError as error:
            name = getattr(factory, "__qualname__", type(factory).__qualname__)
            raise UncallableError(
                f"{name} makes no agents: it must be callable as {name}(seed), with the argument named so and the "
                f"agent's parameters by their names, as a class with __init__(self, seed) is ({error})"
            ) from None
        except ValueError:
            pass  # some functions in C do not tell what they take
        raise


class _Counted(list[Any]):
    """Faults that were kept in a plain list."""

    @property
    def total(self) -> int:
        """See `Faults`."""
        return len(self)

    @property
    def lost(self) -> int:
        """See `Faults`."""
        return sum(bool(fault.lost) for fault in self)


class AdaptedAgent(Agent):
    """An object that is no `Agent`, as one: what it has is asked of it each time, its other attributes are its own."""

    def __init__(self, thing: Any) -> None:
        self._thing = thing
        self.counts_simulations = bool(getattr(thing, "counts_simulations", True))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # what is not there yet while an agent is copied or unpickled
            raise AttributeError(name)
        return getattr(self._thing, name)

    @property
    def name(self) -> str:
        """Its own; without one that of its class."""
        name: str = getattr(self._thing, "name", type(self._thing).__name__)
        return name

    @name.setter
    def name(self, name: str) -> None:
        self._thing.name = name

    def pick(self, view: View) -> list[int]:
        """See `Agent.pick`."""
        wishes: list[int] = self._thing.pick(view)
        return wishes

    def act(self, view: View, budget: Any = _NOT_GIVEN) -> Orders:
        """See `Agent.act`; where nothing is said of a budget, its own `act` need not take one."""
        orders: Orders = self._thing.act(view) if budget is _NOT_GIVEN else self._thing.act(view, budget)
        return orders

    @property
    def simulations(self) -> int | None:
        """See `Agent.simulations`; what is no integer is none."""
        found = getattr(self._thing, "simulations", None)
        return found if type(found) is int else None

    @property
    def faults(self) -> Faults | None:
        """See `Agent.faults`; what is no list is none."""
        found = getattr(self._thing, "faults", None)
        if not isinstance(found, list):
            return None
        counts: Any = found  # a list of its own may count those, too, that it does not keep
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
