"""The coefficients of the evaluation, as one record."""

from __future__ import annotations

from typing import NamedTuple


class Weights(NamedTuple):
    """Coefficients with the values that the thesis's author set by hand."""

    # Worth of a super region while regions are picked.
    start_bonus: float = 3.0
    start_neighbors: float = 1.0
    start_borders: float = -5.0
    start_regions: float = -3.0
    # Worth of a super region later.
    bonus: float = 3.0
    neighbors: float = -1.0
    borders: float = -3.0
    regions: float = -5.0
    whole_bonus_squared: float = 30.0
    # Worth of a region while regions are picked: of its super region, and of its distance to own picks.
    pick_super: float = 3.0
    pick_distance: float = 50.0
    # Worth of a region later: per own region of its super region, per region there of its owner, factor for players'.
    own_regions: float = 20.0
    owner_regions: float = 20.0
    not_neutral: float = 2.0


#: The thesis's values.
THESIS = Weights()
