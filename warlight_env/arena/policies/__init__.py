"""Agents that play trained policies, and the trained policies that are included in this package.

The packages `train`, `bench` and `cli` import this package. To add a new type of policy file, write a reader for it and
register an agent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from warlight_env.lazy import lazy_attributes

if TYPE_CHECKING:
    from warlight_env.arena.policies.policy_agent import PolicyAgent

__getattr__, __dir__ = lazy_attributes(__name__, {"PolicyAgent": "policy_agent"})

__all__ = ["PolicyAgent"]
