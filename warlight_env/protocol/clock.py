"""The time that a bot has: two seconds a question in challenge 1, a bank that is refilled in challenge 2."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class BotClock:
    """Seconds left, by wall time.

    bank: at the start, and the most that can be saved.
    increment: added after each answer; None: every question has the whole bank again (challenge 1).
    """

    bank: float
    increment: float | None
    left: float = field(init=False)

    def __post_init__(self) -> None:
        self.left = self.bank

    @classmethod
    def of(cls, challenge: int, bank: float | None = None, increment: float | None = None) -> BotClock:
        """A challenge's clock, in seconds, with other figures where they are given."""
        if challenge == 1:
            return cls(2.0 if bank is None else bank, None)
        return cls(10.0 if bank is None else bank, 0.5 if increment is None else increment)

    @property
    def milliseconds(self) -> int:
        """What the bot is told."""
        return int(1000 * self.left)

    def spend(self, seconds: float) -> None:
        """An answer took so long, or did not come."""
        if self.increment is not None:
            self.left = min(max(self.left - seconds, 0.0) + self.increment, self.bank)
