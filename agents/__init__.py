"""Bots with a common interface, and their registry.

`envs` and all packages above it in the import order (see ARCHITECTURE.md) import this package. This package imports
`features`, `networks` and the packages below them. To add a bot, write it in `players` and register it
(`registry.register`).
"""

from warlight_env.agents.base import Agent, Budget
from warlight_env.agents.registry import AgentError, agent_names, describe, make_agent, register

__all__ = ["Agent", "AgentError", "Budget", "agent_names", "describe", "make_agent", "register"]
