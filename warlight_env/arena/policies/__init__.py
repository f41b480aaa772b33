"""Trained policies as agents, and the policies that come with the package.

Imported by `train`, `bench` and `cli`. To add a kind of policy file, write its reader and register the agent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from warlight_env.lazy import loaded_on_use

if TYPE_CHECKING:
    from warlight_env.arena.policies.policy_agent import PolicyAgent

__getattr__, __dir__ = loaded_on_use(__name__, {"PolicyAgent": "policy_agent"})

__all__ = ["PolicyAgent"]
