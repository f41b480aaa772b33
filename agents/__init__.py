"""Bots with a common interface, and their registry.

This package is imported by `envs` and all layers above it. It imports `features`, `networks` and the layers below. To
add a bot, write it in `players` and register it (`registry.register`).
"""

from warlight_env.agents.base import Agent, Budget
from warlight_env.agents.registry import AgentError, agent_names, describe, make_agent, register

__all__ = ["Agent", "AgentError", "Budget", "agent_names", "describe", "make_agent", "register"]
