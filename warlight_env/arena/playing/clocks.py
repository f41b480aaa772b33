"""Clocks: what an agent may spend on each of its answers, or on all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from warlight_env.agents import Budget
from warlight_env.arguments import is_number, short_repr
from warlight_env.durations import read_seconds, read_simulations
from warlight_env.errors import InputError

#: Seconds by which an answer may be late before it counts: the operating system's share, not the agent's.
MARGIN: Final = 0.05

#: A clock with a bank advises to spend this part of it on an answer, and the increment: games last some 30 rounds.
PART: Final = 1 / 20

#: The least that a clock advises, in seconds: too little for anything but a first thought, and still not "no limit".
LEAST: Final = 0.001


class ClockError(InputError):
    """A clock that cannot be; the message names the reason."""


@dataclass(frozen=True)
class Clock:
    """What an agent may spend.

    An agent is told by the `Budget` of each answer; that takes the place of its own parameters. Simulations are the
    agent's to count (see `Setup.check_clocks` for those that cannot), wall time is charged: an answer that takes longer
    than it may, by more than `MARGIN`, is late.

    Args:
        simulations: for each answer.
        seconds: for each answer.
        bank: seconds for all answers (picks included); the whole of what is left is the limit of each.
        increment: seconds that the bank gets after each answer; as in the second AI Challenge, it never holds more
            than at first.

    Raises:
        ClockError: an amount is not above 0, or there are both a bank and seconds for each answer.
    """

    simulations: int | None = None
    seconds: float | None = None
    bank: float | None = None
    increment: float = 0.0

    def __post_init__(self) -> None:
        if self.simulations is not None and (type(self.simulations) is not int or self.simulations < 1):
            raise ClockError(f"simulations = {short_repr(self.simulations)}: must be an integer from 1 up")
        for name in ("seconds", "bank"):
            value = getattr(self, name)
            if value is not None and not (is_number(value) and value > 0):
                raise ClockError(f"{name} = {short_repr(value)}: must be a number above 0")
        if not (is_number(self.increment) and self.increment >= 0):
            raise ClockError(f"increment = {short_repr(self.increment)}: must be a number, at least 0")
        if self.bank is None and self.increment:
            raise ClockError("an increment needs a bank")
        if self.bank is not None and self.seconds is not None:
            raise ClockError("either a bank or seconds for each answer, not both")

    @classmethod
    def parse(cls, text: str) -> Clock | None:
        """A clock from text; None for ``none``.

        ``457sims``: simulations for each answer; ``1s``, ``500ms``: time for each; ``10s+0.5s``: a bank and its
        increment; ``457sims/1s``: whichever is used up first.

        Raises:
            ClockError: the text is no clock.
        """
        if not isinstance(text, str):
            raise ClockError(f"clock {short_repr(text)}: must be a string")
        if text.strip() == "none":
            return None
        simulations: int | None = None
        seconds: float | None = None
        bank: float | None = None
        increment = 0.0
        for part in text.strip().split("/"):
            first, plus, second = part.partition("+")
            count, time, more = read_simulations(first), read_seconds(first), read_seconds(second)
            if plus and time is not None and more is not None and bank is seconds is None:
                bank, increment = time, more
            elif not plus and count is not None and simulations is None:
                simulations = count
            elif not plus and time is not None and bank is seconds is None:
                seconds = time
            else:
                raise ClockError(
                    f"clock {text!r}: must be simulations (457sims) or time (1s, 500ms) for each answer, or a bank and "
                    "an increment (10s+0.5s)"
                )
        try:
            return cls(simulations, seconds, bank, increment)
        except ClockError as error:
            raise ClockError(f"clock {text!r}: {error}") from None

    def __str__(self) -> str:
        parts = []
        if self.simulations is not None:
            parts.append(f"{self.simulations}sims")
        if self.seconds is not None:
            parts.append(f"{_number(self.seconds)}s")
        if self.bank is not None:
            parts.append(f"{_number(self.bank)}s+{_number(self.increment)}s")
        return "/".join(parts) or "none"


def _number(value: float) -> str:
    """All digits that matter: clocks that differ read differently."""
    return repr(float(value)).removesuffix(".0")


class RunningClock:
    """A clock during a game."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.left = clock.bank  #: seconds in the bank

    def budget(self) -> Budget:
        """What the agent is told before an answer."""
        clock = self.clock
        if self.left is None:
            return Budget(clock.simulations, clock.seconds)
        advised = min(PART * self.left + clock.increment, self.left - MARGIN)
        return Budget(clock.simulations, max(LEAST, advised), self.left, clock.increment)

    def charge(self, seconds: float) -> bool:
        """Take an answer's seconds off; returns whether it was late."""
        limit = self.clock.seconds if self.left is None else self.left
        if self.left is not None:
            assert self.clock.bank is not None
            self.left = min(max(self.left - seconds, 0.0) + self.clock.increment, self.clock.bank)
        return limit is not None and seconds > limit + MARGIN
