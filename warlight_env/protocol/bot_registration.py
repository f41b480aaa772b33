"""The registration of the agents ``cmd``, an external program, and ``isolated``, any agent in its own process."""

from __future__ import annotations

from warlight_env.agents.agent_info import TextForm, loader_of
from warlight_env.agents.registry import register


def register_agents() -> None:
    """Register the agents ``cmd`` and ``isolated``.

    The code of an agent is loaded when the first agent of its type is made.
    """
    register(
        "cmd",
        loader_of("warlight_env.protocol.external_agent:external_bot"),
        "A program that implements the AI Challenge protocol, in its own process.",
        text=TextForm("cmd:COMMAND or cmd[OPTION=VALUE,…]:COMMAND"),
        players=2,
    )
    register(
        "isolated",
        loader_of("warlight_env.protocol.isolated_agent:isolated_agent"),
        "Any agent in its own process, with limits on time, memory and network.",
        text=TextForm("isolated:AGENT or isolated[OPTION=VALUE,…]:AGENT", wraps=True),
    )
