"""A class that detects in the game engine's messages when a turn begins and how many armies it places.

Two messages begin a turn: ``update_map`` and ``settings starting_armies``. A game engine may send only ``update_map``
or only ``settings starting_armies``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

#: The number of armies that a player receives per turn without bonuses, in both challenges.
BASE_INCOME: Final = 5


class TurnStart:
    """The round and the number of armies of the current turn.

    The messages ``update_map`` and ``settings starting_armies`` can come in any order before the questions of a turn. A
    turn begins with the first ``update_map`` after a question. Until the next question, a later message replaces an
    earlier message of the same type. Without a message ``settings starting_armies``, the attribute ``armies`` is None.
    Without a message ``update_map``, the turn begins with the question ``go place_armies``, see `receive_question`.
    """

    def __init__(self) -> None:
        self.round = -1  #: number of the round, from 0; -1 before the first round
        self.armies: int | None = None  #: number of armies that the game engine has sent; None: not yet received
        self._next_armies: int | None = None
        # Whether a question came after the last ``update_map``, so that new messages belong to the next turn.
        self._question_received = True

    def receive_armies(self, armies: int) -> None:
        """Process the message ``settings starting_armies``."""
        if self._question_received:
            self._next_armies = armies
        else:
            self.armies = armies

    def receive_map(self) -> None:
        """Process the message ``update_map``."""
        if self._question_received:
            self._begin()
            self._question_received = False

    def receive_question(self, placing: bool) -> bool:
        """Process a question for orders. Return True if a turn without the message ``update_map`` begins.

        Args:
            placing: whether the question is ``go place_armies``. The question ``go place_armies`` begins a turn if the
                number of armies of a new turn has been received.
        """
        begins = placing and self._question_received and self.round >= 0 and self._next_armies is not None
        if begins:
            self._begin()
        self._question_received = True
        return begins

    def _begin(self) -> None:
        self.round += 1
        self.armies, self._next_armies = self._next_armies, None


def income(owned: Iterable[int], super_regions: Mapping[int, int], bonuses: Mapping[int, int]) -> int:
    """Compute the number of armies that a player may place: the base income, and the bonuses of its super regions.

    Args:
        owned: ids of the player's regions.
        super_regions: for each region of the map, its super region.
        bonuses: for each super region, its bonus.
    """
    missing_regions = set(super_regions) - set(owned)
    incomplete = {super_regions[region] for region in missing_regions}
    return BASE_INCOME + sum(bonus for s, bonus in bonuses.items() if s not in incomplete)
