"""Beliefs: estimates of the whole position under fog of war, and agents that use these estimates.

The modules are imported when one of their names is first used, because `protocol` does not need the agents. `protocol`
and `cli` import this package; `arena` uses it through the registry of agents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from warlight_env.lazy import lazy_attributes

if TYPE_CHECKING:
    from warlight_env.beliefs.belief import Belief, Observation, believed_position
    from warlight_env.beliefs.belief_agent import BeliefAgent
    from warlight_env.beliefs.order_observer import OpponentOrders, OrderObserver

_HOMES: Final = {
    "Belief": "belief",
    "BeliefAgent": "belief_agent",
    "believed_position": "belief",
    "Observation": "belief",
    "OpponentOrders": "order_observer",
    "OrderObserver": "order_observer",
}

__all__ = ["Belief", "BeliefAgent", "Observation", "OpponentOrders", "OrderObserver", "believed_position"]


__getattr__, __dir__ = lazy_attributes(__name__, _HOMES)
