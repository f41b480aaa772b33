"""The time limit for people's turns; it runs while one of them is connected."""

from __future__ import annotations

from time import monotonic
from typing import Any, Final

#: Seconds after which a turn that was not handed in is empty: until then pages hand in their drafts.
GRACE: Final = 2.0
#: What is logged of a turn that was not handed in in time.
TIME_UP: Final = {"error": "the time was up: nothing was handed in"}


class TurnClock:
    """Counts the seconds of a turn.

    Args:
        seconds: for each turn; None: there is no limit.
    """

    def __init__(self, seconds: int | None) -> None:
        self.seconds = seconds
        self._spent = 0.0
        self._since: float | None = None

    def begin(self) -> None:
        """A turn begins; its time does not run yet."""
        self._spent, self._since = 0.0, None

    def go_on(self, spent: float) -> None:
        """A turn goes on of which so many seconds are gone."""
        self._spent, self._since = spent, None

    def run(self, runs: bool) -> None:
        """Let the time run, or stand still."""
        now = monotonic()
        if self._since is not None:
            self._spent += now - self._since
        self._since = now if runs and self.seconds is not None else None

    @property
    def left(self) -> float:
        """Seconds that are left of the turn; below 0 it is over. Infinite without a limit."""
        return float("inf") if self.seconds is None else self.seconds - self.spent

    @property
    def spent(self) -> float:
        """Seconds of the turn that are gone."""
        return self._spent + (0.0 if self._since is None else monotonic() - self._since)

    @property
    def patience(self) -> float | None:
        """Seconds after which somebody has to look at it again; None: no need."""
        return None if self._since is None else max(0.0, self.left + GRACE)

    @property
    def up(self) -> bool:
        """Whether turns that are not handed in by now are empty."""
        return self.left <= -GRACE

    def told(self) -> dict[str, Any] | None:
        """As viewers are told."""
        if self.seconds is None:
            return None
        return {"limit": self.seconds, "left": round(max(0.0, self.left), 2), "runs": self._since is not None}
