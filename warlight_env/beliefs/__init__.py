"""Beliefs: the most likely position under fog, and agents that use it.

Names are loaded at their first use, because the protocol needs no agents. Imported by `protocol`, `arena` through the
registry, and `cli`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from warlight_env.lazy import lazy_attributes

if TYPE_CHECKING:
    from warlight_env.beliefs.belief import Belief, Observation
    from warlight_env.beliefs.belief_agent import BeliefAgent
    from warlight_env.beliefs.order_observer import OpponentOrders, OrderObserver

_HOMES: Final = {
    "Belief": "belief",
    "BeliefAgent": "belief_agent",
    "Observation": "belief",
    "OpponentOrders": "order_observer",
    "OrderObserver": "order_observer",
}

__all__ = ["Belief", "BeliefAgent", "Observation", "OpponentOrders", "OrderObserver"]


__getattr__, __dir__ = lazy_attributes(__name__, _HOMES)
