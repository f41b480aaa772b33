"""Time management: how much of the clock's time bank a search may spend on a turn.

The first turns, and the first turns with an enemy at the border, get more time. Turns in a decided game get little
time.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from warlight_env.agents.base import Budget
from warlight_env.engine.round import income
from warlight_env.engine.state import UNKNOWN
from warlight_env.engine.view import View
from warlight_env.maps import Map

#: The fraction of the bank for a normal turn. Near the round limit, it is 1 / (number of remaining rounds). The turn
#: also gets the whole increment.
PART: Final = 1 / 20
#: Factors of this fraction. FIRST: in the first rounds of the game. MET: in the first rounds of a contact, that is, of
#: a time with an enemy at the border. AT_WAR: in later rounds of a contact. QUIET: without an enemy at the border.
FIRST, MET, AT_WAR, QUIET = 1.5, 2.0, 1.0, 0.5
#: OPENING: the number of first rounds of a game. MEETING: the number of first rounds of a contact. APART: a contact
#: ends after this number of rounds without an enemy at the border.
OPENING: Final = 3
MEETING: Final = 2
APART: Final = 3
#: DECIDED: a game is decided if the mean of a player's share of armies and share of income is at least this number.
#: ROUTINE: the factor of the time for turns in a decided game.
DECIDED: Final = 0.8
ROUTINE: Final = 0.1
#: RESERVE: seconds of the bank that are never spent. _RESERVED_PART: the reserve is at most this fraction of the bank.
RESERVE: Final = 0.02
_RESERVED_PART: Final = 0.1


class TimeManager:
    """Divides the time bank of one player over its turns. Call `allocate` once for each turn, in order."""

    def __init__(self) -> None:
        self._map: Map | None = None
        self._round = 0
        self._last: int | None = None  # last round with an enemy at the border
        self._met = 0  # first round of the current contact

    def allocate(self, view: View, budget: Budget | None) -> Budget | None:
        """Set the seconds for this turn in a budget with a bank; return a budget without a bank unchanged.

        If the game is not decided, the seconds for the turn include the whole increment of the clock.
        """
        if budget is None or budget.bank is None:
            return budget
        bank, weight = budget.bank, self._weight(view)
        limit = view.params.round_limit
        part = max(PART, 1 / max(1, limit - view.round)) if limit else PART
        seconds = weight * part * bank + budget.increment
        if is_decided(view):
            seconds = ROUTINE * (part * bank + budget.increment)
        return replace(budget, seconds=min(seconds, bank - min(RESERVE, _RESERVED_PART * bank)))

    def _weight(self, view: View) -> float:
        if view.map != self._map or view.round < self._round:
            self._map, self._last = view.map, None
        self._round = view.round
        weight = QUIET
        if _meets_enemy(view):
            if self._last is None or view.round - self._last > APART:
                self._met = view.round
            self._last = view.round
            weight = MET if view.round - self._met < MEETING else AT_WAR
        return max(weight, FIRST) if view.round < OPENING else weight


def is_decided(view: View) -> bool:
    """Return whether a player's share of armies and income is so large that the result is certain.

    The game is decided if a share is at least `DECIDED`. An enemy's share is its part of the armies and income that
    this enemy and the searching player have together. The searching player's share is its part of the armies and income
    of all players; this share is computed only if the searching player sees all regions.
    """
    armies, earned = [], []
    for player in range(view.players):
        own = view.owner == player
        alive = bool(own.any())
        armies.append(float(view.army[own].sum()))
        earned.append(float(income(view.board, view.params.base_income, view.owner, player)) if alive else 0.0)
    me, enemies = view.player, [p for p in range(view.players) if p != view.player and armies[p] > 0]
    if not enemies or not armies[me]:
        return False

    def share(player: int, others: list[int]) -> float:
        both = [player, *others]
        return sum(values[player] / sum(values[p] for p in both) for values in (armies, earned)) / 2

    if not (view.owner == UNKNOWN).any() and share(me, enemies) >= DECIDED:
        return True
    return any(share(enemy, [me]) >= DECIDED for enemy in enemies)


def _meets_enemy(view: View) -> bool:
    """Return whether the player has a region adjacent to an enemy's region."""
    owner = view.owner.tolist()
    others = {p for p in range(view.players) if p != view.player}
    own = np.flatnonzero(view.owner == view.player).tolist()
    return any(owner[near] in others for region in own for near in view.map.neighbors[region])
