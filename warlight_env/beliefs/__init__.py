"""Beliefs: the most likely whole position under fog, and any agent that plays on it.

Names are loaded when they are first used: who tells or hears a position has no need of agents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from warlight_env.lazy import loaded_on_use

if TYPE_CHECKING:
    from warlight_env.beliefs.belief import Belief, Observation
    from warlight_env.beliefs.believer import BelievingAgent
    from warlight_env.beliefs.watching import Seen, Watcher

_HOMES: Final = {
    "Belief": "belief",
    "BelievingAgent": "believer",
    "Observation": "belief",
    "Seen": "watching",
    "Watcher": "watching",
}

__all__ = ["Belief", "BelievingAgent", "Observation", "Seen", "Watcher"]


__getattr__, __dir__ = loaded_on_use(__name__, _HOMES)
