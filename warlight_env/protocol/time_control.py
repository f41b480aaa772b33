"""Time limits for the answers of an agent as a bot. They follow from the engine's messages; no clock is read."""

from __future__ import annotations

from typing import Final, NamedTuple

from warlight_env.protocol import messages as m

#: Share of a question's time that is reserved for communication, with bounds in seconds.
_MARGIN, _LEAST, _MOST = 0.05, 0.03, 0.25
#: Share of a bank for one turn, and share of the increment of a round.
_BANK_SHARE: Final = 1 / 20
_INCREMENT_SHARE: Final = 0.8
#: Share of a bank that is reserved until the agent has answered once within its limit: its kernels may need compiling.
_KEPT: Final = 0.5


class MoveTime(NamedTuple):
    """Time limits of a question, in seconds after the question."""

    optimum: float  #: time to think, for an agent that does not divide a bank itself
    maximum: float  #: longest time to think
    wait: float  #: longest time to wait for the answer
    increment: float  #: time that a round adds for the next turn; without a bank, the whole time of a turn


class TimeControl:
    """Receives the engine's messages about time, and notes the agent's answers in time."""

    def __init__(self) -> None:
        self._increment: float | None = None  # seconds; None: no bank (challenge 1)
        self._bank = 0.0  # the largest number of seconds in the bank so far
        self._there: set[type] = set()

    def receive(self, message: m.Message) -> None:
        """Process a message."""
        if isinstance(message, m.TimePerMove):
            self._increment = message.milliseconds / 1000

    def note_answer(self, question: m.Question) -> None:
        """Note that the agent has answered a question in time."""
        self._there.add(type(question))

    def is_first_question(self, question: m.Question) -> bool:
        """Return whether the agent has not yet answered a question of this type in time."""
        return type(question) not in self._there

    def limits(self, question: m.Question) -> MoveTime:
        """Return the time for a question."""
        limit = question.milliseconds / 1000
        margin = min(max(_MARGIN * limit, _LEAST), _MOST)
        wait = limit - margin
        if self._increment is None:
            return MoveTime(wait - margin, wait - margin, wait, wait - margin)
        self._bank = max(self._bank, limit)
        if self.is_first_question(question):
            wait = min(wait, max(limit - _KEPT * self._bank, self._increment))
        increment = 2 * _INCREMENT_SHARE * self._increment  # once for each answer of a turn
        return MoveTime(min(wait - margin, _BANK_SHARE * limit + increment), wait - margin, wait, increment)
