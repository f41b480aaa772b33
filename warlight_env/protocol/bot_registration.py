"""The registration of the agent ``cmd``, which plays with an external program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warlight_env.agents.agent_info import TextForm
from warlight_env.agents.registry import register

if TYPE_CHECKING:
    from collections.abc import Callable

    from warlight_env.protocol.external_agent import ExternalBot


def _load() -> Callable[..., ExternalBot]:
    from warlight_env.protocol.external_agent import external_bot

    return external_bot


def register_agents() -> None:
    """Register the agent ``cmd`` in the agent registry. Its code is loaded when the first agent is made."""
    register(
        "cmd",
        _load,
        "A program that implements the AI Challenge protocol, in its own process.",
        text=TextForm("cmd:COMMAND or cmd[OPTION=VALUE,…]:COMMAND"),
        players=2,
    )
