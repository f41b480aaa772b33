"""Trained policies as agents, and the policies that come with the package.

Imported by `train`, `bench` and `cli`. To add a type of policy file, write its reader and register the agent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from warlight_env.lazy import lazy_attributes

if TYPE_CHECKING:
    from warlight_env.arena.policies.policy_agent import PolicyAgent

__getattr__, __dir__ = lazy_attributes(__name__, {"PolicyAgent": "policy_agent"})

__all__ = ["PolicyAgent"]
