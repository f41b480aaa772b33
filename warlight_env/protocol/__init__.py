"""The text protocol of the Warlight AI Challenges: external bots, and the package's agents as such bots.

Names are loaded at their first use, because an agent that plays as a bot must answer quickly. Imported by `cli`, `web`
and `train`. To add a message, extend `messages` and its readers.
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
