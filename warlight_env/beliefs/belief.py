"""`Belief`: an estimate of the position of the whole map under fog of war, from the views of a player in each round."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.agents.evaluation.determinization import distance_to, farthest, proportional_determinization
from warlight_env.arguments import index, integers_of, short_repr
from warlight_env.array_arguments import integer_array
from warlight_env.beliefs.order_observer import NO_OPPONENT_ORDERS, OpponentOrders, OrderObserver, known_wastelands
from warlight_env.engine.board import make_board
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import Rules
from warlight_env.engine.state import NEUTRAL, UNKNOWN
from warlight_env.engine.view import View
from warlight_env.errors import InputError
from warlight_env.maps import Map
from warlight_env.thread_ownership import SingleThreaded

_NO_ORDERS: Final = Orders()
#: The maximum number of unseen neutral regions that the opponent captures in a round, as the estimate assumes.
MOST_CAPTURES: Final = 3


def _legal(rows: npt.NDArray[np.int64], n_regions: int) -> npt.NDArray[np.int64]:
    """Return the rows of the player's orders that contain only existing regions; the game ignores all other rows.

    The last column of a row is a number of armies; all other columns are regions.
    """
    regions = rows[:, :-1]
    return rows[((regions >= 0) & (regions < n_regions)).all(axis=1)]


@dataclass(frozen=True)
class Observation:
    """The new information that a player receives at the start of a round.

    Attributes:
        round: the number of rounds played.
        owner: int8[N], the owner of each region; -2 for a region that the player does not see.
        army: int32[N], the armies on each region; 0 for a region that the player does not see.
        seen_orders: the opponent's orders of the last round that the player saw.
        starts: the opponent's start regions; None if the rules do not show them.
        own_orders: the player's own orders of the last round; None if they are unknown.
    """

    round: int
    owner: npt.NDArray[np.int8]
    army: npt.NDArray[np.int32]
    seen_orders: OpponentOrders = NO_OPPONENT_ORDERS
    starts: Sequence[int] | None = None
    own_orders: Orders | None = None


class Belief(SingleThreaded):
    """An estimate of the position of the whole map, in a game of two players under fog of war.

    Visible regions have their real owner and army. For the unseen regions, a deterministic set of rules computes a
    likely owner and army:

    - A region keeps the owner and the number of armies that the player saw last. A region that was never visible is
      neutral, with its starting army.
    - The opponent's start regions are known, or they are derived from the picks. If the player did not get a region,
      but preferred it to a region that it got, then the opponent has this region. For the opponent's other start
      regions, the rule assumes that the opponent has the same preferences as the player.
    - A region belongs to the opponent if the player lost the region, or saw armies of the opponent enter or leave it.
    - The opponent's income is the base income plus the bonuses of the super regions that belong to it in the estimate.
      The armies that the player sees the opponent deploy are a lower bound of the opponent's income. If the visible
      deploys exceed the estimated income, the estimate also gives the opponent the super regions that the opponent has
      almost completed.
    - The visible orders of the round are played again, with mean losses and with the player's own orders. The surviving
      armies of a failed attack return to their region. If the player lost a region that it does not see any more, the
      last visible attack on this region has captured the region.
    - Armies of the opponent that become visible were unseen before, so they are subtracted from `hidden_armies`.
    - The armies that the opponent deploys unseen are added to `hidden_armies`. With its hidden armies the opponent
      captures unseen neutral regions, first in the super region where it lacks the fewest regions. The hidden armies
      that are left after these captures are in the opponent's unseen region that is nearest to the player.

    Args:
        map, rules, player: the map and the rules of the game, and the player whose view is used.
        army: int32[N], the armies at the start, including wastelands.
        offers: the regions that both players could pick, if picks are secret.
        preferences: the player's list of preferred regions, best first, if picks are secret.

    Raises:
        InputError: an argument has a wrong type, or contains a player or a region that does not exist.
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
        for name, regions in (("offers", offers), ("preferences", preferences)):
            for region in integers_of(regions, name):
                index(region, name, map.n_regions)
        self.map, self.rules, self.player, self.enemy = map, rules, player, 1 - player
        self.owner = np.full(map.n_regions, NEUTRAL, dtype=np.int8)  #: int8[N], the estimated owners; never UNKNOWN
        self.army = armies.astype(np.int32)  #: int32[N], the estimated armies, without those in `hidden_armies`
        self.hidden_armies = 0  #: the number of armies that the opponent deployed unseen, in unknown regions
        self._offers, self._preferences = list(offers), list(preferences)
        self._distance: Any = make_board(map).distance
        self._hidden = np.zeros(map.n_regions, dtype=np.bool_)
        self._has_begun = False

    def update(self, new: Observation) -> None:
        """Update the estimate with the observation at the start of a round. Call `update` once in each round."""
        before, hidden = self._hidden, new.owner == UNKNOWN
        self._hidden = hidden
        if not self._has_begun:
            self._has_begun = True
            for region in self._starts(new) if new.round == 0 else ():
                self.owner[region] = self.enemy
        else:
            self._follow(new, before, hidden)
        self.owner[~hidden], self.army[~hidden] = new.owner[~hidden], new.army[~hidden]
        if not (self.owner == self.enemy).any() and hidden.any():
            self.owner[farthest(self._distance, self.owner, self.player, hidden)[0]] = self.enemy

    def position(self) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32]]:
        """Return the estimated owner and army of every region, int8[N] and int32[N].

        The `hidden_armies` are in the opponent's unseen region that is nearest to the player.
        """
        owner, army = self.owner.copy(), self.army.copy()
        enemy_regions = np.flatnonzero((owner == self.enemy) & self._hidden)
        if self.hidden_armies and len(enemy_regions):
            distance = distance_to(self._distance, self.owner, self.player)
            army[enemy_regions[np.argmin(distance[enemy_regions])]] += self.hidden_armies
        return owner, army

    # Methods for the start of the game

    def _starts(self, new: Observation) -> list[int]:
        if new.starts is not None:
            return list(new.starts)
        owned = new.owner == self.player
        count = int(owned.sum())
        hidden = [r for r in self._offers if not owned[r] and new.owner[r] == UNKNOWN]
        received = [r for r in self._preferences if owned[r]]
        # The opponent has each region that the player preferred to its last received region, but did not get.
        denied = self._preferences[: self._preferences.index(received[-1])] if received else []
        ranking = [*(r for r in denied if not owned[r]), *self._preferences, *self._offers]
        likely = [r for r in dict.fromkeys(ranking) if r in hidden]
        n_visible = int((new.owner == self.enemy).sum())
        return likely[: max(0, count - n_visible)] if self._offers else []

    # Methods for each round

    def _follow(self, new: Observation, before: npt.NDArray[np.bool_], hidden: npt.NDArray[np.bool_]) -> None:
        placed = sum(armies for _, armies in new.seen_orders.deploys)
        self._believe_income(placed, new)
        for region, armies in new.seen_orders.deploys:
            if hidden[region]:
                self.owner[region] = self.enemy
                self.army[region] += armies
        self.hidden_armies += max(0, self.income() - placed)
        self._follow_moves(new, hidden)
        self._account_for(new, before, hidden)
        self._grow(hidden)

    def _follow_moves(self, new: Observation, hidden: npt.NDArray[np.bool_]) -> None:
        """Play the visible orders of the round again, with mean losses.

        The player's own attacks are played last, because the real order of all attacks is unknown. If the player lost a
        region that it does not see any more, the last visible attack on this region has captured the region.
        """
        deploys, attacks = (_legal(rows, len(hidden)) for rows in (new.own_orders or _NO_ORDERS).arrays())
        defenders = np.where(self.owner == self.player, self.army, 0)
        np.add.at(defenders, deploys[:, 0], deploys[:, 1])
        np.subtract.at(defenders, attacks[:, 0], attacks[:, 2])
        lost = hidden & (self.owner == self.player)
        for source, target, armies in new.seen_orders.moves:
            if hidden[source]:
                self.owner[source] = self.enemy
                spare = max(0, int(self.army[source]) - 1)
                self.army[source] -= min(spare, armies)
                self.hidden_armies -= max(0, armies - spare)
            if hidden[target] and self.owner[target] == self.enemy:
                self.army[target] += armies
                continue
            if hidden[target]:
                opposing_armies = max(1, int(defenders[target] if lost[target] else self.army[target]))
            elif new.owner[target] == self.enemy:
                continue
            else:  # the target is visible and is not the opponent's, so the attack failed
                opposing_armies = int(new.army[target]) + round(self.rules.attack_kill * armies)
            survivors, killed = max(0, armies - self._lost_to(opposing_armies)), round(self.rules.attack_kill * armies)
            if hidden[target] and (killed >= opposing_armies or not lost[target]):
                self.owner[target], self.army[target] = self.enemy, max(1, survivors)
                continue
            defenders[target] = opposing_armies - killed
            if hidden[source]:
                self.army[source] += survivors
            if lost[target]:
                self.army[target] = max(1, survivors)  # this is the army in the region if no other attack follows
        self.owner[lost] = self.enemy
        for _, target, armies in attacks.tolist():
            if hidden[target] and self.owner[target] == self.enemy and not lost[target]:
                self.army[target] = max(1, int(self.army[target]) - round(self.rules.attack_kill * armies))

    def _account_for(self, new: Observation, before: npt.NDArray[np.bool_], hidden: npt.NDArray[np.bool_]) -> None:
        """Subtract the opponent's armies that have become visible in this round from `hidden_armies`."""
        for region in np.flatnonzero(before & (new.owner == self.enemy)).tolist():
            arrived = sum(armies for _, target, armies in new.seen_orders.moves if target == region)
            departed = sum(armies for source, _, armies in new.seen_orders.moves if source == region)
            deployed = sum(armies for target, armies in new.seen_orders.deploys if target == region)
            expected = (
                int(self.army[region]) if self.owner[region] == self.enemy else -self._lost_to(int(self.army[region]))
            )
            self.hidden_armies -= int(new.army[region]) + departed - expected - arrived - deployed
        if self.hidden_armies < 0:  # more armies became visible than were hidden; the others came from unseen regions
            enemy_regions = np.flatnonzero(hidden & (self.owner == self.enemy))
            for region in enemy_regions[np.argsort(-self.army[enemy_regions], kind="stable")].tolist():
                removed = min(-self.hidden_armies, max(0, int(self.army[region]) - 1))
                self.army[region] -= removed
                self.hidden_armies += removed
            self.hidden_armies = 0

    def _lost_to(self, defenders: int) -> int:
        """Return the mean number of attacking armies that a number of defending armies kills."""
        return round(self.rules.defense_kill * defenders)

    def income(self) -> int:
        """Return the opponent's income in a round, according to the estimated owners."""
        complete = (all(self.owner[r] == self.enemy for r in members) for members in self.map.members)
        return self.rules.base_income + sum(
            b for b, is_complete in zip(self.map.bonuses, complete, strict=True) if is_complete
        )

    def _believe_income(self, placed: int, new: Observation) -> None:
        """Add unseen super regions to the opponent's estimated regions until its income covers its visible deploys."""
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
        """Let the opponent capture unseen neutral regions with its `hidden_armies`."""
        for _ in range(MOST_CAPTURES):
            targets = []
            for r in np.flatnonzero(hidden & (self.owner == NEUTRAL)).tolist():
                if any(self.owner[q] == self.enemy for q in self.map.neighbors[r]):
                    members = self.map.members[self.map.super_region_of[r]]
                    missing = sum(self.owner[q] != self.enemy for q in members)
                    targets.append((self._to_conquer(int(self.army[r])), missing, r))
            targets = [t for t in targets if t[0] <= self.hidden_armies]
            if not targets:
                return
            required, _, region = min(targets, key=lambda t: (t[1], t[0], t[2]))
            lost = min(required - 1, self._lost_to(int(self.army[region])))
            self.hidden_armies -= lost + 1
            self.owner[region], self.army[region] = self.enemy, 1

    def _to_conquer(self, defenders: int) -> int:
        return math.ceil(defenders / self.rules.attack_kill) if self.rules.attack_kill > 0 else 1 << 30


def believed_position(
    views: Sequence[View],
    turns: Sequence[Orders | None],
    eliminated: Sequence[int] = (),
    offers: Sequence[int] = (),
    preferences: Sequence[int] = (),
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32]]:
    """Return the believed owner and army of every region, int8[N] and int32[N].

    With two players, the result is the estimate of a `Belief` that was updated in each round. With more players, the
    estimate uses only the last view: players without a visible region have some of the regions farthest away.

    Args:
        views: the player's view at the start of each round so far; the last view is that of the position.
        turns: the player's own orders in the rounds between the views; None: unknown.
        eliminated: players without regions. All players know them.
        offers, preferences: see `Belief`.

    Raises:
        InputError: there are no views, or not exactly one turn between two views.
    """
    if not views or len(turns) != len(views) - 1:
        raise InputError(f"{len(turns)} turns for {len(views)} views: there must be one turn between two views")
    last = views[-1]
    if not last.rules.fog:
        return last.owner.copy(), last.army.copy()
    if last.players == 2:
        return _tracked(views, turns, offers, preferences)
    position = proportional_determinization(last)
    owner = position.owner
    owner[np.isin(owner, list(eliminated))] = NEUTRAL
    return owner, position.army


def _tracked(
    views: Sequence[View], turns: Sequence[Orders | None], offers: Sequence[int], preferences: Sequence[int]
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32]]:
    first, observer = views[0], OrderObserver()
    army = np.array(first.map.starting_armies, dtype=np.int32)
    army[known_wastelands(first)] = first.params.wasteland_army
    belief = Belief(first.map, first.rules, first.player, army, offers, preferences)
    for view, own_orders in zip(views, [None, *turns], strict=True):
        starts = None if view.starts is None else view.starts[1 - view.player]
        opponent_orders = observer.observe(view)
        belief.update(Observation(view.round, view.owner, view.army, opponent_orders, starts, own_orders))
    return belief.position()
