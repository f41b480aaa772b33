"""The registration of the agents ``cmd``, an external program, and ``isolated``, any agent in its own process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warlight_env.agents.agent_info import TextForm
from warlight_env.agents.registry import register

if TYPE_CHECKING:
    from collections.abc import Callable

    from warlight_env.protocol.external_agent import ExternalBot
    from warlight_env.protocol.isolated_agent import IsolatedAgent


def _load() -> Callable[..., ExternalBot]:
    from warlight_env.protocol.external_agent import external_bot

    return external_bot


def _load_isolated() -> Callable[..., IsolatedAgent]:
    from warlight_env.protocol.isolated_agent import isolated_agent

    return isolated_agent


def register_agents() -> None:
    """Register the agents ``cmd`` and ``isolated``.

    The code of an agent is loaded when the first agent of its type is made.
    """
    register(
        "cmd",
        _load,
        "A program that implements the AI Challenge protocol, in its own process.",
        text=TextForm("cmd:COMMAND or cmd[OPTION=VALUE,…]:COMMAND"),
        players=2,
    )
    register(
        "isolated",
        _load_isolated,
        "Any agent in its own process, with limits on time, memory and network.",
        text=TextForm("isolated:AGENT or isolated[OPTION=VALUE,…]:AGENT", wraps=True),
    )
