"""Bots with a common interface, and their registry.

This package is imported by `envs` and all layers above it. It imports `features`, `networks` and the layers below. To
add a bot, write it in `players` and add an entry to `built_in`. Other packages register bots with `register`.
"""

from warlight_env.agents.base import Agent, Budget
from warlight_env.agents.bot_profile import BotProfile, Face
from warlight_env.agents.registry import AgentError, agent_names, describe, make_agent, register

__all__ = ["Agent", "AgentError", "BotProfile", "Budget", "Face", "agent_names", "describe", "make_agent", "register"]
