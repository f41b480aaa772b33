"""The faults of an external bot (late, missing or malformed answers), which the results of a match contain."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

#: The maximum number of faults that are stored for a game. Further faults are only counted.
MAX_FAULTS: Final = 200

#: The kinds of faults of a bot, see `warlight_env.arena.games.seated_agent.FAULT_KINDS`.
FaultKind = Literal["late", "missing", "unreadable", "other"]


@dataclass(frozen=True)
class BotFault:
    """A fault of an external bot, for example a late or malformed answer.

    Attributes:
        round: the round, from 1; 0 during the picks.
        question: the line of the question, without the ids of regions in it.
        cause: a description of the fault.
        said: the wrong text that the bot wrote, in quotes and shortened; "" if the bot wrote no wrong text.
        expected: the correct form of the answer; "" if the fault is not in the form of an answer.
        errors: the end of the bot's standard error, if it may explain the fault.
        lost: True if the whole answer was ignored; False if its valid parts were used.
    """

    round: int
    question: str
    cause: str
    said: str = ""
    expected: str = ""
    errors: str = ""
    lost: bool = False

    def __str__(self) -> str:
        stage = f"round {self.round}" if self.round else "picking"
        text = f"{stage}, {self.question}: {self.cause}"
        if self.said:
            text += f": {self.said}"
        if self.expected:
            text += f"; expected {self.expected}"
        if self.errors:
            text += f"; standard error ends: {self.errors!r}"
        return text

    def to_dict(self) -> dict[str, Any]:
        """Return the fault as data for JSON."""
        return asdict(self)


class BotFaults(list[BotFault]):
    """A list of the first `MAX_FAULTS` faults of a bot in a game.

    Attributes:
        total: number of all faults, including faults that are not stored.
        lost: number of answers that were ignored completely, or did not come in time.
        counts: number of all faults of each kind.
    """

    def __init__(self) -> None:
        super().__init__()
        self.total = self.lost = 0
        self.counts: Counter[str] = Counter()

    def note(self, fault: BotFault, kind: FaultKind = "other") -> None:
        """Count a fault, and store the fault if fewer than `MAX_FAULTS` faults are stored."""
        self.total += 1
        self.lost += fault.lost
        self.counts[kind] += 1
        if len(self) < MAX_FAULTS:
            self.append(fault)
