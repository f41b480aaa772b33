"""Beliefs: the most likely position under fog, and agents that play on it.

Names are loaded at their first use, because the protocol needs no agents. Imported by `protocol`, `arena` through the
registry, and `cli`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from warlight_env.lazy import loaded_on_use

if TYPE_CHECKING:
    from warlight_env.beliefs.belief import Belief, Observation
    from warlight_env.beliefs.belief_agent import BelievingAgent
    from warlight_env.beliefs.observed_orders import Seen, Watcher

_HOMES: Final = {
    "Belief": "belief",
    "BelievingAgent": "belief_agent",
    "Observation": "belief",
    "Seen": "observed_orders",
    "Watcher": "observed_orders",
}

__all__ = ["Belief", "BelievingAgent", "Observation", "Seen", "Watcher"]


__getattr__, __dir__ = loaded_on_use(__name__, _HOMES)
