"""The time limits of an external bot: two seconds per question in challenge 1, a time bank in challenge 2."""

from __future__ import annotations

from dataclasses import dataclass, field

from warlight_env.agents import Budget


@dataclass
class BotClock:
    """The time that a bot has left for its answers, in seconds of wall time.

    Attributes:
        bank: the time at the start of the game, which is also the maximum.
        increment: the time that each answer adds. In challenge 1, `increment` is None, and the bot has the full time
            `bank` for every question.
        is_bank: whether the time is a time bank for all answers of the game.
        remaining: the time that is left.
    """

    bank: float
    increment: float | None
    is_bank: bool = False
    remaining: float = field(init=False)

    def __post_init__(self) -> None:
        self.remaining = self.bank

    @classmethod
    def for_budget(cls, budget: Budget | None) -> BotClock | None:
        """Return the clock for the time of one answer, or None if the budget does not limit the time."""
        if budget is None:
            return None
        if budget.bank is not None:
            return cls(budget.bank, 0.0, True)
        return None if budget.seconds is None else cls(budget.seconds, 0.0)

    @classmethod
    def for_challenge(cls, challenge: int, bank: float | None = None, increment: float | None = None) -> BotClock:
        """Return the clock of challenge 1 or 2. `bank` and `increment`, in seconds, replace the usual values."""
        if challenge == 1:
            return cls(2.0 if bank is None else bank, None)
        return cls(10.0 if bank is None else bank, 0.5 if increment is None else increment, True)

    @property
    def milliseconds(self) -> int:
        """The time that is left, in milliseconds, as the protocol reports it to the bot."""
        return int(1000 * self.remaining)

    def missing(self, seconds: float) -> str:
        """Return the reason of a late answer. seconds: the time that the bot had for this answer."""
        if self.is_bank:
            return f"the time bank is exhausted: no answer within the {1000 * seconds:.0f} ms that were left of it"
        return f"no answer within {1000 * seconds:.0f} ms"

    def spend(self, seconds: float) -> None:
        """Subtract the time that an answer took, or the waiting time for an answer that did not come."""
        if self.increment is not None:
            self.remaining = min(max(self.remaining - seconds, 0.0) + self.increment, self.bank)
