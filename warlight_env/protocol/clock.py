"""A bot's clock: two seconds for each question in challenge 1, a bank with an increment in challenge 2."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class BotClock:
    """The remaining seconds of a bot, in wall time.

    Attributes:
        bank: seconds at the start, and the largest number of seconds in the bank.
        increment: seconds added after each answer; None: every question starts with the full bank (challenge 1).
    """

    bank: float
    increment: float | None
    left: float = field(init=False)

    def __post_init__(self) -> None:
        self.left = self.bank

    @classmethod
    def of(cls, challenge: int, bank: float | None = None, increment: float | None = None) -> BotClock:
        """Return a challenge's clock, in seconds. `bank` and `increment` replace the challenge's values."""
        if challenge == 1:
            return cls(2.0 if bank is None else bank, None)
        return cls(10.0 if bank is None else bank, 0.5 if increment is None else increment)

    @property
    def milliseconds(self) -> int:
        """The remaining time, as the bot receives it."""
        return int(1000 * self.left)

    def spend(self, seconds: float) -> None:
        """Subtract the time of an answer, or of the wait for a missing answer."""
        if self.increment is not None:
            self.left = min(max(self.left - seconds, 0.0) + self.increment, self.bank)
