"""Bots with a common interface, and their registry.

`envs` and all packages above it in the import order (see ARCHITECTURE.md) import this package. This package imports
`features`, `networks` and the packages below them. To add a bot, write it in `players` and add an entry to
`built_in`. Other packages register bots with `register`.
"""

from warlight_env.agents.base import Agent, Budget
from warlight_env.agents.bot_profile import BotProfile, Face
from warlight_env.agents.registry import AgentError, agent_names, describe, make_agent, register

__all__ = ["Agent", "AgentError", "BotProfile", "Budget", "Face", "agent_names", "describe", "make_agent", "register"]
