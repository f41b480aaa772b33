"""How long our side may think about a question, and waits for the answer: no clock, only what the engine tells."""

from __future__ import annotations

from typing import Final, NamedTuple

from warlight_env.protocol import messages as m

#: Of a question's time, what is kept for the way there and back: a share, with bounds in seconds.
_MARGIN, _LEAST, _MOST = 0.05, 0.03, 0.25
#: Of a bank, the share for one turn; and of what a round adds to it.
_BANK_SHARE: Final = 1 / 20
_INCREMENT_SHARE: Final = 0.8
#: Share of a bank that is kept until the agent has answered within its limit once: its kernels may have to compile.
_KEPT: Final = 0.5


class Allowance(NamedTuple):
    """Seconds, all from when a question was asked."""

    advised: float  #: to think, by whoever does not share out a bank himself
    most: float  #: to think
    wait: float  #: for the answer
    increment: float  #: what a round adds for the next one's thought; without a bank all comes back


class Patience:
    """Follows what an engine says of time, and how the agent keeps to it."""

    def __init__(self) -> None:
        self._increment: float | None = None  # seconds; None: no bank (challenge 1)
        self._bank = 0.0  # seconds that were in it at most
        self._there: set[type] = set()

    def hear(self, message: m.Message) -> None:
        """Take in a message."""
        if isinstance(message, m.TimePerMove):
            self._increment = message.milliseconds / 1000

    def in_time(self, question: m.Question) -> None:
        """The agent has answered a question."""
        self._there.add(type(question))

    def is_new(self, question: m.Question) -> bool:
        """Whether the agent has answered none of its kind in time yet."""
        return type(question) not in self._there

    def of(self, question: m.Question) -> Allowance:
        """The time for a question."""
        limit = question.milliseconds / 1000
        margin = min(max(_MARGIN * limit, _LEAST), _MOST)
        wait = limit - margin
        if self._increment is None:
            return Allowance(wait - margin, wait - margin, wait, wait - margin)
        self._bank = max(self._bank, limit)
        if self.is_new(question):
            wait = min(wait, max(limit - _KEPT * self._bank, self._increment))
        increment = 2 * _INCREMENT_SHARE * self._increment  # after either answer of a turn; the second costs nothing
        return Allowance(min(wait - margin, _BANK_SHARE * limit + increment), wait - margin, wait, increment)
