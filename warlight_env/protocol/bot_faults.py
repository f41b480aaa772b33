"""What a bot did wrong: the record of a game quotes it beside the grammar that was expected."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

#: Faults that are kept of a game; of the others only their number.
MAX_FAULTS: Final = 200


@dataclass(frozen=True)
class BotFault:
    """One thing that went wrong between host and bot.

    round: counted from 1; 0 while picking. question: what was asked, without its ids.
    cause: what happened. said: the offending text, quoted and cut; "" where there was none.
    expected: the grammar of the answer. errors: the end of the bot's standard error, where that may explain it.
    lost: whether the answer was lost; else it was only taken kindly.
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
        """As JSON takes it."""
        return asdict(self)


class BotFaults(list[BotFault]):
    """The faults of a game, the first `MAX_FAULTS`; `total` and `lost` count all of them, and the lost answers."""

    def __init__(self) -> None:
        super().__init__()
        self.total = self.lost = 0

    def note(self, fault: BotFault) -> None:
        """Count a fault, and keep it where there is room."""
        self.total += 1
        self.lost += fault.lost
        if len(self) < MAX_FAULTS:
            self.append(fault)
