"""The text protocol between a game engine and a bot, from the Warlight AI Challenges.

The package uses external programs as agents, and runs its own agents as bots of another game engine. Python loads each
public name at its first use, because a bot must answer quickly after its start. The packages `cli`, `web` and `train`
import this package. To add a message, extend the module `messages` and the functions that read and write lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from warlight_env.lazy import lazy_attributes

if TYPE_CHECKING:
    from warlight_env.protocol.bot_faults import BotFault
    from warlight_env.protocol.bot_side import BotSide
    from warlight_env.protocol.conformance import CaseOutcome, check
    from warlight_env.protocol.external_agent import ExternalBot
    from warlight_env.protocol.grammar import ProtocolError
    from warlight_env.protocol.options import ExternalBotOptions
    from warlight_env.protocol.process import CommandError
    from warlight_env.protocol.replay import replay_to

_HOMES: Final = {
    "BotFault": "bot_faults",
    "BotSide": "bot_side",
    "CaseOutcome": "conformance",
    "CommandError": "process",
    "ExternalBot": "external_agent",
    "ExternalBotOptions": "options",
    "ProtocolError": "grammar",
    "check": "conformance",
    "replay_to": "replay",
}

__all__ = [
    "BotFault",
    "BotSide",
    "CaseOutcome",
    "CommandError",
    "ExternalBot",
    "ExternalBotOptions",
    "ProtocolError",
    "check",
    "replay_to",
]


__getattr__, __dir__ = lazy_attributes(__name__, _HOMES)
