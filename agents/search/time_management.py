"""The part of the clock's time bank that a search may spend on a turn.

The first turns and the first contact with enemies get more time. A decided game gets little time.
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

#: The part of a bank that a normal turn gets; near the round limit, the bank divided by the remaining rounds. The whole
#: increment is added.
PART: Final = 1 / 20
#: Factors of that part: in the first rounds, in the first rounds of a contact, with an enemy at the border, without an
#: enemy there.
FIRST, MET, AT_WAR, QUIET = 1.5, 2.0, 1.0, 0.5
#: OPENING and MEETING: the number of first rounds of a game and of a contact. APART: the rounds without an enemy that
#: end a contact.
OPENING: Final = 3
MEETING: Final = 2
APART: Final = 3
#: DECIDED: the share of armies and income, the mean of both, above which a game is decided. ROUTINE: the factor for
#: turns of a decided game.
DECIDED: Final = 0.8
ROUTINE: Final = 0.1
#: Seconds of a bank that are kept in reserve, and the largest part of the bank for this reserve.
RESERVE: Final = 0.02
_RESERVED_PART: Final = 0.1


class TimeManager:
    """Divides the time bank of one player over its turns; it sees the player's turns one after the other."""

    def __init__(self) -> None:
        self._map: Map | None = None
        self._round = 0
        self._last: int | None = None  # last round with an enemy at the border
        self._met = 0  # first round of the present contact

    def allocate(self, view: View, budget: Budget | None) -> Budget | None:
        """Return a budget with the seconds for this turn if it has a bank; return other budgets unchanged.

        The increment is spent at once, unless the game is decided.
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

    A share is compared with `DECIDED`. An enemy's share is computed against the player alone. The player's own share is
    computed against all enemies together, and only if the player sees all regions.
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
