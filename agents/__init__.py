"""The bots, behind one interface and a registry."""

from warlight_env.agents.base import Agent, Budget
from warlight_env.agents.registry import AgentError, agent_names, describe, make_agent, register

__all__ = ["Agent", "AgentError", "Budget", "agent_names", "describe", "make_agent", "register"]
