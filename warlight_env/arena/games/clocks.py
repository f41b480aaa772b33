"""Clocks: limits on the simulations and the time that an agent uses for each answer, or for a whole game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from warlight_env.agents import Budget
from warlight_env.arguments import is_number, short_repr
from warlight_env.durations import read_seconds, read_simulations
from warlight_env.errors import InputError

#: The number of seconds by which an answer may exceed its limit without a penalty, because the operating system can
#: cause short delays.
MARGIN: Final = 0.05

#: A clock with a time bank (the time for all answers of a game) suggests this fraction of the bank, plus the increment,
#: for each answer. A game has about 30 rounds.
BANK_SHARE: Final = 1 / 20

#: The shortest time in seconds that a clock suggests for an answer. It cannot be 0, because 0 means "no limit".
MIN_SECONDS: Final = 0.001


class ClockError(InputError):
    """An error for a clock with impossible settings. The error message contains the reason."""


@dataclass(frozen=True)
class Clock:
    """Limits on the simulations and the time that an agent uses for its answers (picks and turns).

    The agent receives the limits of each answer as a `Budget`, which replaces the agent's own limits. The agent itself
    counts its simulations (see `MatchSetup.check_clocks` for agents that cannot count simulations). The arena measures
    wall-clock time. An answer is late if it exceeds its time limit by more than `MARGIN` seconds.

    Args:
        simulations: the maximum number of simulations for each answer.
        seconds: the maximum number of seconds for each answer.
        bank: the time bank: the number of seconds for all answers of a game, including picks. An answer may use the
            whole rest of the bank.
        increment: the number of seconds that is added to the bank after each answer. The bank never exceeds its first
            value, as in the second AI Challenge.

    Raises:
        ClockError: a limit is not above 0, or the clock has both a bank and seconds for each answer.
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
            raise ClockError(f"increment = {short_repr(self.increment)}: must be a number of at least 0")
        if self.bank is None and self.increment:
            raise ClockError("a clock with an increment must also have a bank")
        if self.bank is not None and self.seconds is not None:
            raise ClockError("a clock has either a bank or seconds for each answer, not both")

    @classmethod
    def parse(cls, text: str) -> Clock | None:
        """Convert a text to a clock; the text ``none`` gives None.

        ``457sims`` is a number of simulations for each answer. ``1s`` and ``500ms`` are times for each answer.
        ``10s+0.5s`` is a time bank and its increment. ``457sims/1s`` sets two limits; an answer ends when it reaches
        one of them.

        Raises:
            ClockError: the text does not describe a clock.
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
            count, time, plus_time = read_simulations(first), read_seconds(first), read_seconds(second)
            if plus and time is not None and plus_time is not None and bank is seconds is None:
                bank, increment = time, plus_time
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
    """Return a number as text with all its digits, so that different clocks have different texts."""
    return repr(float(value)).removesuffix(".0")


class RunningClock:
    """The state of an agent's clock during a game."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.left = clock.bank  #: the seconds that are left in the time bank; None for a clock without a time bank

    def budget(self) -> Budget:
        """Return the limits that the agent receives for its next answer."""
        clock = self.clock
        if self.left is None:
            return Budget(clock.simulations, clock.seconds)
        advised = min(BANK_SHARE * self.left + clock.increment, self.left - MARGIN)
        return Budget(clock.simulations, max(MIN_SECONDS, advised), self.left, clock.increment)

    def charge(self, seconds: float) -> bool:
        """Subtract the time of an answer, in seconds, from the time bank. Return whether the answer was late."""
        limit = self.clock.seconds if self.left is None else self.left
        if self.left is not None:
            assert self.clock.bank is not None
            self.left = min(max(self.left - seconds, 0.0) + self.clock.increment, self.clock.bank)
        return limit is not None and seconds > limit + MARGIN
