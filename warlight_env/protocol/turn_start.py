"""When a turn begins, and with how many armies: the engine says both, but not every engine says both each time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

#: Armies per turn without bonuses, in both challenges.
BASE_INCOME: Final = 5


class TurnStart:
    """Follows ``update_map`` and ``settings starting_armies``, in any order, up to the questions for orders.

    A turn begins with the first ``update_map`` after a question. Until the next question, another map or another
    number of armies replaces the earlier one. An engine may leave out one of the two lines: a turn without armies has
    ``armies`` None, and a turn without a map begins with ``go place_armies``, see `hear_question`.
    """

    def __init__(self) -> None:
        self.round = -1  #: rounds that began before this one; -1: none has begun
        self.armies: int | None = None  #: what the engine allows in this turn; None: it has not said so
        self._next: int | None = None
        self._asked = True  # for orders since the map: what the engine says now is about the next turn

    def hear_armies(self, armies: int) -> None:
        """Take in ``settings starting_armies``."""
        if self._asked:
            self._next = armies
        else:
            self.armies = armies

    def hear_map(self) -> None:
        """Take in ``update_map``."""
        if self._asked:
            self._begin()
            self._asked = False

    def hear_question(self, placing: bool) -> bool:
        """Take in a question for orders; True if it begins a turn without a map of its own.

        placing: whether the question is ``go place_armies``. It begins a turn if the armies of a next turn are known.
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
    """The armies that a player may place, by the rules.

    Args:
        owned: ids of the player's regions.
        super_regions: the super region of each region. bonuses: of each super region.
    """
    lacking = set(super_regions) - set(owned)
    incomplete = {super_regions[region] for region in lacking}
    return BASE_INCOME + sum(bonus for s, bonus in bonuses.items() if s not in incomplete)
