"""A bot's faults. The record of a game quotes them, with the expected grammar."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

#: The largest number of faults that are stored for a game. Later faults are only counted.
MAX_FAULTS: Final = 200


@dataclass(frozen=True)
class BotFault:
    """A fault in the communication between host and bot.

    Attributes:
        round: the round, from 1; 0 while picking.
        question: the question, without its ids.
        cause: a description of the fault.
        said: the wrong text, quoted and shortened; "" if there is none.
        expected: the grammar of the answer.
        errors: the end of the bot's standard error, if it may explain the fault.
        lost: True: the answer was lost; False: it was accepted leniently.
    """

    round: int
    question: str
    cause: str
    said: str = ""
    expected: str = ""
    errors: str = ""
    lost: bool = False

    def __str__(self) -> str:
        when = f"round {self.round}" if self.round else "picking"
        text = f"{when}, {self.question}: {self.cause}"
        if self.said:
            text += f": {self.said}"
        if self.expected:
            text += f"; expected {self.expected}"
        if self.errors:
            text += f"; standard error ends: {self.errors!r}"
        return text

    def to_dict(self) -> dict[str, Any]:
        """Return the fault in a form for JSON."""
        return asdict(self)


class BotFaults(list[BotFault]):
    """The first `MAX_FAULTS` faults of a game.

    Attributes:
        total: number of all faults.
        lost: number of lost answers.
    """

    def __init__(self) -> None:
        super().__init__()
        self.total = self.lost = 0

    def note(self, fault: BotFault) -> None:
        """Count a fault, and store it if fewer than `MAX_FAULTS` are stored."""
        self.total += 1
        self.lost += fault.lost
        if len(self) < MAX_FAULTS:
            self.append(fault)
