"""The engine of an analysis: a bot that the page offers, with a time for the search of each turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from warlight_env.agents.registry import with_seconds
from warlight_env.web.workers.bot_workers import move_seconds


@dataclass(frozen=True)
class Engine:
    """A bot that searches each turn of an analysis for a given time.

    Attributes:
        bot: the specification of a bot that the page offers.
        seconds: the time for a turn; it has no effect on a bot whose specification has no parameter for the time.
        agent_spec: a function that returns the specification of the agent that plays as `bot`, see
            `BotWorkers.agent_spec`.
    """

    bot: str
    seconds: float
    agent_spec: Callable[[str | None], str | None]

    @property
    def name(self) -> str:
        """The bot's specification with the time for each turn."""
        return self._timed(self.seconds)

    def spec(self, seconds: float) -> str:
        """Return the specification of the agent that searches each turn for `seconds`."""
        timed = self._timed(seconds)
        return self.agent_spec(timed) or timed

    def _timed(self, seconds: float) -> str:
        return with_seconds(self.bot, seconds) if move_seconds(self.bot) else self.bot
