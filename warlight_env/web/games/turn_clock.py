"""The time limit for people's turns; the time runs only while at least one of the players is connected.

The clock of the first turn starts when all people have opened the game, see `Room.not_ready`.
"""

from __future__ import annotations

from time import monotonic
from typing import Any, Final

#: Seconds between the end of the time and an empty turn for a missing player. In these seconds, pages submit drafts.
GRACE: Final = 2.0
#: The log's entry for a turn that was not submitted in time.
TIME_UP: Final = {"error": "the time was over, and no turn was submitted"}


class TurnClock:
    """The clock for the turns of people: it counts the seconds of the current turn.

    Args:
        seconds: the time limit of each turn in seconds; None: there is no limit.
    """

    def __init__(self, seconds: int | None) -> None:
        self.seconds = seconds
        self._elapsed = 0.0
        self._running_since: float | None = None

    def begin(self) -> None:
        """Set the clock to the start of a turn; the clock does not run until `run` is called."""
        self._elapsed, self._running_since = 0.0, None

    def resume(self, elapsed: float) -> None:
        """Continue a turn of which `elapsed` seconds are already spent."""
        self._elapsed, self._running_since = elapsed, None

    def run(self, runs: bool) -> None:
        """Start or stop the clock."""
        now = monotonic()
        if self._running_since is not None:
            self._elapsed += now - self._running_since
        self._running_since = now if runs and self.seconds is not None else None

    @property
    def seconds_left(self) -> float:
        """The remaining seconds of the turn; negative if the time is over, infinite if there is no limit."""
        return float("inf") if self.seconds is None else self.seconds - self.elapsed

    @property
    def elapsed(self) -> float:
        """The seconds of the turn that have passed while the clock was running."""
        return self._elapsed + (0.0 if self._running_since is None else monotonic() - self._running_since)

    @property
    def seconds_to_check(self) -> float | None:
        """The seconds until the clock must be checked again; None if it need not be checked."""
        return None if self._running_since is None else max(0.0, self.seconds_left + GRACE)

    @property
    def expired(self) -> bool:
        """Whether the time is over, so that players who have submitted no turn get an empty turn."""
        return self.seconds_left <= -GRACE

    def to_dict(self) -> dict[str, Any] | None:
        """Return the clock's state for viewers; None if turns have no time limit."""
        if self.seconds is None:
            return None
        return {
            "limit": self.seconds,
            "left": round(max(0.0, self.seconds_left), 2),
            "runs": self._running_since is not None,
        }
