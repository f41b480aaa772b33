"""What an agent may have beyond `Agent`: a method `check`, asked before games begin, and `close`, told after each."""

from __future__ import annotations

from warlight_env.agents.base import Agent
from warlight_env.engine.rules import Rules
from warlight_env.maps import Map


def close(agent: Agent) -> None:
    """Tell an agent that its game is over, if it has a method `close`: it may hold a process."""
    told = getattr(agent, "close", None)
    if callable(told):
        told()


def check(agent: Agent, map: Map, rules: Rules, players: int) -> None:
    """Ask an agent that was made for this question alone whether it can play such games; it is closed then.

    Raises:
        InputError: it has a method `check`, which says that it cannot.
    """
    asked = getattr(agent, "check", None)
    try:
        if callable(asked):
            asked(map, rules, players)
    finally:
        close(agent)
