"""The report on one turn: its value, its loss compared with the best known turn, and its mark."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

#: Marks of turns, as in chess: a good turn, an inaccuracy, a mistake, a blunder.
Mark = Literal["!", "?!", "?", "??"]

#: The loss of win probability from which a turn has a mark, largest first. The lower end of the loss's 95 % interval
#: must be at least half of it.
LOSSES: Final[tuple[tuple[float, Mark], ...]] = ((0.15, "??"), (0.10, "?"), (0.05, "?!"))
CHANGE: Final = 0.08  # the loss of win probability from any cause that makes a turning point
GOOD: Final = 0.05  # the gain of win probability over the search's best turn that makes a good turn


@dataclass(frozen=True)
class Better:
    """A turn that is better than the played turn.

    Attributes:
        orders: the better turn in the syntax of logs.
        gain: the gain of win probability compared with the played turn.
        error: half the width of the 95 % interval of the gain.
    """

    orders: str
    gain: float
    error: float


@dataclass(frozen=True)
class Reason:
    """The reason of a player's loss of win probability in a round.

    Attributes:
        code: the type of the reason, see `turning_points`; the page contains a text for each code.
        values: the names of regions and super regions, the numbers of armies, and shares of cases, for the text.
    """

    code: str
    values: dict[str, Any]


@dataclass(frozen=True)
class TurnReport:
    """The report on a player's turn. All values except `armies` are win probabilities of the player, 0 to 1.

    Attributes:
        before: the value of the position before the turn.
        worth: the value of the turn, as a mean over the dice.
        after: the value of the position after the round.
        armies: the number of armies that the player gained from the dice of the round's battles, beyond the
            expectation.
        gain: the value of the best turn that the search found, minus `worth`.
        error: half the width of the 95 % interval of `gain`.
        stake: the value of the best known turn minus the value of a turn without orders, at least `lost`.
        better: the best turn that the search found, if it is significantly better than the played turn.
        reason: the largest cause of the loss; None if the turn has no mark for a loss and the player lost little.
    """

    before: float
    worth: float
    after: float
    armies: float
    gain: float
    error: float
    stake: float
    better: Better | None
    reason: Reason | None = None

    @property
    def lost(self) -> float:
        """The loss of win probability compared with the best known turn, which may be the played turn."""
        return max(0.0, self.gain)

    @property
    def luck(self) -> float:
        """The change of win probability because of the dice."""
        return self.after - self.worth

    @property
    def mark(self) -> Mark | None:
        """The mark of the turn, such as "??" for a blunder; None: the turn is neither very good nor bad."""
        if self.better is not None:
            lower_end = self.gain - self.error
            return next(
                (mark for min_loss, mark in LOSSES if self.gain >= min_loss and lower_end >= min_loss / 2), None
            )
        return "!" if -self.gain >= GOOD and -self.gain > self.error else None

    def to_dict(self) -> dict[str, Any]:
        """Return the report as data for JSON, with the values of `lost`, `luck` and `mark`."""
        return {**asdict(self), "lost": self.lost, "luck": self.luck, "mark": self.mark}
