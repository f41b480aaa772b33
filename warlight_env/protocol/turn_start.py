"""The beginning of a turn, and its number of armies. An engine may leave out either of the two messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

#: Armies per turn without bonuses, in both challenges.
BASE_INCOME: Final = 5


class TurnStart:
    """Receives ``update_map`` and ``settings starting_armies``, in any order, until the questions for orders.

    A turn begins with the first ``update_map`` after a question. Until the next question, another map or another number
    of armies replaces the earlier one. An engine may leave out one of the two lines. In a turn without armies,
    ``armies`` is None. A turn without a map begins with ``go place_armies``, see `receive_question`.
    """

    def __init__(self) -> None:
        self.round = -1  #: number of rounds that began before this one; -1: none has begun
        self.armies: int | None = None  #: armies of this turn from the engine; None: not yet received
        self._next: int | None = None
        self._asked = True  # a question for orders came after the last map, so new messages belong to the next turn

    def receive_armies(self, armies: int) -> None:
        """Process ``settings starting_armies``."""
        if self._asked:
            self._next = armies
        else:
            self.armies = armies

    def receive_map(self) -> None:
        """Process ``update_map``."""
        if self._asked:
            self._begin()
            self._asked = False

    def receive_question(self, placing: bool) -> bool:
        """Process a question for orders. Return True if it begins a turn without its own map.

        Args:
            placing: whether the question is ``go place_armies``. This question begins a turn if the armies of the next
                turn are known.
        """
        begins = placing and self._asked and self.round >= 0 and self._next is not None
        if begins:
            self._begin()
        self._asked = True
        return begins

    def _begin(self) -> None:
        self.round += 1
        self.armies, self._next = self._next, None


def income(owned: Iterable[int], super_regions: Mapping[int, int], bonuses: Mapping[int, int]) -> int:
    """Return the number of armies that a player may place, by the rules.

    Args:
        owned: ids of the player's regions.
        super_regions: the super region of each region.
        bonuses: the bonus of each super region.
    """
    lacking = set(super_regions) - set(owned)
    incomplete = {super_regions[region] for region in lacking}
    return BASE_INCOME + sum(bonus for s, bonus in bonuses.items() if s not in incomplete)
