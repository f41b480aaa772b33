"""Time limits for the answers of an agent that plays as a bot, computed from the game engine's messages."""

from __future__ import annotations

from typing import Final, NamedTuple

from warlight_env.protocol import messages as m

#: The fraction of a question's time that is reserved for communication; the reserved time's minimum and maximum in
#: seconds.
_MARGIN, _LEAST, _MOST = 0.05, 0.03, 0.25
#: The suggested time of a turn: this fraction of the time bank, plus this fraction of the time that the round adds.
_BANK_SHARE: Final = 1 / 20
_INCREMENT_SHARE: Final = 0.8
#: The fraction of the time bank that the first answer must not use, because the agent's code may need compilation.
_KEPT: Final = 0.5


class MoveTime(NamedTuple):
    """The time limits for the answer to a question, in seconds after the question."""

    optimum: float  #: suggested time of the search, for an agent that does not manage a time bank itself
    maximum: float  #: maximum time of the search
    wait: float  #: maximum time to wait for the answer
    increment: float  #: time that a round adds to the bank; without a bank, the whole time of a turn


class TimeControl:
    """Receives the game engine's messages about time, and computes the time limits of each question."""

    def __init__(self) -> None:
        self._increment: float | None = None  # seconds added per answer; None: there is no time bank (challenge 1)
        self._bank = 0.0  # the maximum time of a question so far, in seconds
        self._there: set[type] = set()

    def receive(self, message: m.Message) -> None:
        """Store the time in a message, if it is ``settings time_per_move``."""
        if isinstance(message, m.TimePerMove):
            self._increment = message.milliseconds / 1000

    def note_answer(self, question: m.Question) -> None:
        """Store that the agent has answered a question of the same type as `question` in time."""
        self._there.add(type(question))

    def is_first_question(self, question: m.Question) -> bool:
        """Return whether the agent has not yet answered any question of the type of `question` in time."""
        return type(question) not in self._there

    def limits(self, question: m.Question) -> MoveTime:
        """Return the time limits for the answer to a question."""
        limit = question.milliseconds / 1000
        margin = min(max(_MARGIN * limit, _LEAST), _MOST)
        wait = limit - margin
        if self._increment is None:
            return MoveTime(wait - margin, wait - margin, wait, wait - margin)
        self._bank = max(self._bank, limit)
        if self.is_first_question(question):
            wait = min(wait, max(limit - _KEPT * self._bank, self._increment))
        increment = 2 * _INCREMENT_SHARE * self._increment  # a turn has two answers, and each adds the increment
        return MoveTime(min(wait - margin, _BANK_SHARE * limit + increment), wait - margin, wait, increment)
