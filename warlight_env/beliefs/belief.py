"""A player's belief about the regions out of sight: the most likely position of the whole map, updated every round."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.agents.evaluation.determinization import distance_to, farthest
from warlight_env.arguments import index, integers_of, short_repr
from warlight_env.array_arguments import integer_array
from warlight_env.beliefs.order_observer import NO_OPPONENT_ORDERS, OpponentOrders
from warlight_env.engine.board import make_board
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import Rules
from warlight_env.engine.state import NEUTRAL, UNKNOWN
from warlight_env.errors import InputError
from warlight_env.maps import Map
from warlight_env.thread_ownership import SingleThreaded

_NO_ORDERS: Final = Orders()
#: Largest number of neutral regions that the opponent is assumed to take out of sight in a round.
MOST_CAPTURES: Final = 3


def _legal(rows: npt.NDArray[np.int64], n_regions: int) -> npt.NDArray[np.int64]:
    """Return the rows of own orders that contain only existing regions. The game skips all other rows."""
    regions = rows[:, :-1]
    return rows[((regions >= 0) & (regions < n_regions)).all(axis=1)]


@dataclass(frozen=True)
class Observation:
    """A player's new information at the start of a round.

    Attributes:
        round: number of rounds played.
        owner: int8[N], -2 for regions out of sight.
        army: int32[N], 0 for regions out of sight.
        seen: the opponent's visible orders of the last round.
        starts: the opponent's regions at the start, if the rules reveal them.
        own: the player's own orders of the last round, if they are known.
    """

    round: int
    owner: npt.NDArray[np.int8]
    army: npt.NDArray[np.int32]
    seen: OpponentOrders = NO_OPPONENT_ORDERS
    starts: Sequence[int] | None = None
    own: Orders | None = None


class Belief(SingleThreaded):
    """The most likely position of the whole map, in a game of two players under fog. The result is deterministic.

    Regions in sight have their real owner and army. For regions out of sight, these rules apply:

    - A region keeps its last visible owner and army. At first it is neutral with its starting army.
    - The opponent's starting regions are known, or follow from the picks. A region belongs to the opponent if the
      player preferred it to a region that the player received. For the remaining regions, the opponent is assumed to
      have the same preferences as the player.
    - A region belongs to the opponent if the player lost it, or if the opponent visibly moved into or out of it.
    - The opponent's income is the base income plus the bonuses of the super regions that it is believed to own. The
      opponent's visible placements are a lower bound of the income. If the placements are higher, the super regions
      that the opponent has almost completed are given to the opponent.
    - The visible part of the round is replayed, with mean losses and the player's own orders. The survivors of a failed
      attack return to their region. A lost region was captured by the last attacker.
    - Armies that come into sight were out of sight before. They are subtracted from the hidden armies.
    - The opponent's hidden placements accumulate. With them, the opponent takes neutral regions out of sight. It begins
      in the super region in which the fewest regions are missing. The remaining armies are placed in the opponent's
      hidden region that is nearest to the player.

    Args:
        map, rules, player: the map and the rules of the game, and the player.
        army: int32[N], armies at the start, including wastelands.
        offers: the regions that both players could pick, if picks are secret.
        preferences: the player's list of preferred regions, the best first, if picks are secret.

    Raises:
        InputError: an argument has a wrong type, or names a player or a region that does not exist.
    """

    exclusive_methods = ("update", "position")

    def __init__(
        self,
        map: Map,
        rules: Rules,
        player: int,
        army: npt.NDArray[np.int32],
        offers: Sequence[int] = (),
        preferences: Sequence[int] = (),
    ) -> None:
        if not isinstance(map, Map) or not isinstance(rules, Rules):
            raise InputError(f"map and rules must be a Map and Rules, not {short_repr(map)} and {short_repr(rules)}")
        player = index(player, "player", 2)
        armies = integer_array(army, (map.n_regions,), "army")
        for what, regions in (("offers", offers), ("preferences", preferences)):
            for region in integers_of(regions, what):
                index(region, what, map.n_regions)
        self.map, self.rules, self.player, self.enemy = map, rules, player, 1 - player
        self.owner = np.full(map.n_regions, NEUTRAL, dtype=np.int8)  #: int8[N], without UNKNOWN
        self.army = armies.astype(np.int32)  #: int32[N]; without the armies of `hidden_armies`
        self.hidden_armies = 0  #: the opponent's armies that were placed out of sight and are in no known region
        self._offers, self._preferences = list(offers), list(preferences)
        self._distance: Any = make_board(map).distance
        self._hidden = np.zeros(map.n_regions, dtype=np.bool_)
        self._begun = False

    def update(self, new: Observation) -> None:
        """Process the observation at the start of a round. Call it once for each round, in their order."""
        before, hidden = self._hidden, new.owner == UNKNOWN
        self._hidden = hidden
        if not self._begun:
            self._begun = True
            for region in self._starts(new) if new.round == 0 else ():
                self.owner[region] = self.enemy
        else:
            self._follow(new, before, hidden)
        self.owner[~hidden], self.army[~hidden] = new.owner[~hidden], new.army[~hidden]
        if not (self.owner == self.enemy).any() and hidden.any():
            self.owner[farthest(self._distance, self.owner, self.player, hidden)[0]] = self.enemy

    def position(self) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32]]:
        """Return owner and army of every region, int8[N] and int32[N]. The hidden armies are at the front."""
        owner, army = self.owner.copy(), self.army.copy()
        theirs = np.flatnonzero((owner == self.enemy) & self._hidden)
        if self.hidden_armies and len(theirs):
            distance = distance_to(self._distance, self.owner, self.player)
            army[theirs[np.argmin(distance[theirs])]] += self.hidden_armies
        return owner, army

    # At the start

    def _starts(self, new: Observation) -> list[int]:
        if new.starts is not None:
            return list(new.starts)
        own = new.owner == self.player
        count = int(own.sum())
        hidden = [r for r in self._offers if not own[r] and new.owner[r] == UNKNOWN]
        got = [r for r in self._preferences if own[r]]
        # A region that the player preferred to a received region went to the opponent.
        denied = self._preferences[: self._preferences.index(got[-1])] if got else []
        ranking = [*(r for r in denied if not own[r]), *self._preferences, *self._offers]
        likely = [r for r in dict.fromkeys(ranking) if r in hidden]
        seen = int((new.owner == self.enemy).sum())
        return likely[: max(0, count - seen)] if self._offers else []

    # From round to round

    def _follow(self, new: Observation, before: npt.NDArray[np.bool_], hidden: npt.NDArray[np.bool_]) -> None:
        placed = sum(armies for _, armies in new.seen.deploys)
        self._believe_income(placed, new)
        for region, armies in new.seen.deploys:
            if hidden[region]:
                self.owner[region] = self.enemy
                self.army[region] += armies
        self.hidden_armies += max(0, self.income() - placed)
        self._follow_moves(new, hidden)
        self._account_for(new, before, hidden)
        self._grow(hidden)

    def _follow_moves(self, new: Observation, hidden: npt.NDArray[np.bool_]) -> None:
        """Replay the visible part of the round, with mean losses.

        The player's own moves come last, because their order among the opponent's moves is unknown. A lost region that
        is out of sight was captured by the last attacker.
        """
        deploys, attacks = (_legal(rows, len(hidden)) for rows in (new.own or _NO_ORDERS).arrays())
        defenders = np.where(self.owner == self.player, self.army, 0)
        np.add.at(defenders, deploys[:, 0], deploys[:, 1])
        np.subtract.at(defenders, attacks[:, 0], attacks[:, 2])
        lost = hidden & (self.owner == self.player)
        for source, target, armies in new.seen.moves:
            if hidden[source]:
                self.owner[source] = self.enemy
                spare = max(0, int(self.army[source]) - 1)
                self.army[source] -= min(spare, armies)
                self.hidden_armies -= max(0, armies - spare)
            if hidden[target] and self.owner[target] == self.enemy:
                self.army[target] += armies
                continue
            if hidden[target]:
                against = max(1, int(defenders[target] if lost[target] else self.army[target]))
            elif new.owner[target] == self.enemy:
                continue
            else:  # the attack failed
                against = int(new.army[target]) + round(self.rules.attack_kill * armies)
            left, killed = max(0, armies - self._lost_to(against)), round(self.rules.attack_kill * armies)
            if hidden[target] and (killed >= against or not lost[target]):
                self.owner[target], self.army[target] = self.enemy, max(1, left)
                continue
            defenders[target] = against - killed
            if hidden[source]:
                self.army[source] += left
            if lost[target]:
                self.army[target] = max(1, left)  # if no other attacker follows, this one captured the region
        self.owner[lost] = self.enemy
        for _, target, armies in attacks.tolist():
            if hidden[target] and self.owner[target] == self.enemy and not lost[target]:
                self.army[target] = max(1, int(self.army[target]) - round(self.rules.attack_kill * armies))

    def _account_for(self, new: Observation, before: npt.NDArray[np.bool_], hidden: npt.NDArray[np.bool_]) -> None:
        """Subtract armies that came into sight from the hidden armies."""
        for region in np.flatnonzero(before & (new.owner == self.enemy)).tolist():
            came = sum(armies for _, target, armies in new.seen.moves if target == region)
            left = sum(armies for source, _, armies in new.seen.moves if source == region)
            placed = sum(armies for at, armies in new.seen.deploys if at == region)
            known = (
                int(self.army[region]) if self.owner[region] == self.enemy else -self._lost_to(int(self.army[region]))
            )
            self.hidden_armies -= int(new.army[region]) + left - known - came - placed
        if (
            self.hidden_armies < 0
        ):  # more armies came into sight: the additional armies left the opponent's hidden regions
            theirs = np.flatnonzero(hidden & (self.owner == self.enemy))
            for region in theirs[np.argsort(-self.army[theirs], kind="stable")].tolist():
                taken = min(-self.hidden_armies, max(0, int(self.army[region]) - 1))
                self.army[region] -= taken
                self.hidden_armies += taken
            self.hidden_armies = 0

    def _lost_to(self, defenders: int) -> int:
        """Return the mean loss of an attack on this number of defenders."""
        return round(self.rules.defense_kill * defenders)

    def income(self) -> int:
        """Return the opponent's believed income in a round."""
        whole = (all(self.owner[r] == self.enemy for r in members) for members in self.map.members)
        return self.rules.base_income + sum(b for b, all_ in zip(self.map.bonuses, whole, strict=True) if all_)

    def _believe_income(self, placed: int, new: Observation) -> None:
        """Give super regions out of sight to the opponent while its placements exceed its believed income."""
        while placed > self.income():
            candidates = []
            for s, members in enumerate(self.map.members):
                owned = sum(self.owner[r] == self.enemy for r in members)
                could = all(new.owner[r] in (UNKNOWN, self.enemy) for r in members)
                if could and owned < len(members) and self.map.bonuses[s]:
                    candidates.append((owned - len(members), self.map.bonuses[s], -s))
            if not candidates:
                return
            for region in self.map.members[-max(candidates)[2]]:
                if self.owner[region] != self.enemy:
                    self.owner[region], self.army[region] = self.enemy, 1

    def _grow(self, hidden: npt.NDArray[np.bool_]) -> None:
        """Let the opponent use its hidden armies to take neutral regions out of sight."""
        for _ in range(MOST_CAPTURES):
            targets = []
            for r in np.flatnonzero(hidden & (self.owner == NEUTRAL)).tolist():
                if any(self.owner[q] == self.enemy for q in self.map.neighbors[r]):
                    members = self.map.members[self.map.super_region_of[r]]
                    lacking = sum(self.owner[q] != self.enemy for q in members)
                    targets.append((self._to_conquer(int(self.army[r])), lacking, r))
            targets = [t for t in targets if t[0] <= self.hidden_armies]
            if not targets:
                return
            needed, _, region = min(targets, key=lambda t: (t[1], t[0], t[2]))
            lost = min(needed - 1, self._lost_to(int(self.army[region])))
            self.hidden_armies -= lost + 1
            self.owner[region], self.army[region] = self.enemy, 1

    def _to_conquer(self, defenders: int) -> int:
        return math.ceil(defenders / self.rules.attack_kill) if self.rules.attack_kill > 0 else 1 << 30
