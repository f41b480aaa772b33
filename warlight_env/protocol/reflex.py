"""Answers that cost nothing, for when there is no time to think; imports nothing that takes time to load."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from warlight_env.protocol import messages as m
from warlight_env.protocol.turn_start import TurnStart, income

#: Attackers for each defender: with so many an attack hardly fails.
_ODDS: Final = 2


class Reflex:
    """Follows what an engine says, and answers anything at once: legal, and simple."""

    def __init__(self) -> None:
        self._name = "player1"
        self._near: dict[int, set[int]] = {}
        self._super: dict[int, int] = {}
        self._bonuses: dict[int, int] = {}
        self._turn = TurnStart()
        self._rows: tuple[tuple[int, str, int], ...] = ()
        self._placed: m.PlaceOrder | None = None  # of this round

    def hear(self, message: m.Message) -> None:
        """Take in a message."""
        match message:
            case m.YourBot(name):
                self._name = name
            case m.Neighbors(lists):
                for region, near in lists:
                    for other in near:
                        self._near.setdefault(region, set()).add(other)
                        self._near.setdefault(other, set()).add(region)
            case m.Regions(pairs):
                self._super = dict(pairs)
            case m.SuperRegions(pairs):
                self._bonuses = dict(pairs)
            case m.StartingArmies(armies):
                self._turn.hear_armies(armies)
                self._placed = None
            case m.UpdateMap(rows):
                self._turn.hear_map()
                self._rows, self._placed = rows, None
            case m.Go(kind):
                self._turn.hear_question(kind == m.PLACE)

    def answer(self, question: m.Question) -> m.Answer:
        """Picks in the smallest super regions; all armies onto one region at a border; moves as `_moves` has them."""
        if not isinstance(question, m.Go):
            sizes = Counter(self._super.values())
            best = sorted(question.regions, key=lambda region: sizes[self._super.get(region, 0)])
            return m.PicksAnswer(tuple(best[: 6 if isinstance(question, m.PickRegions) else 1]))
        own = {region: armies for region, name, armies in self._rows if name == self._name}
        if question.kind == m.ATTACK:
            return m.Moves(tuple(self._moves(own))[: m.MAX_ORDERS])
        armies = self._turn.armies
        if armies is None:
            armies = income(own, self._super, self._bonuses)
        if not own or armies < 1:
            return m.Placements(())
        enemies = {region for region, name, _ in self._rows if name not in (self._name, *m.RESERVED_NAMES)}

        def need(region: int) -> tuple[bool, bool, int]:
            near = self._near.get(region, set())
            return (bool(near & enemies), bool(near - own.keys()), own[region])

        self._placed = m.PlaceOrder(self._name, max(own, key=need), armies)
        return m.Placements((self._placed,))

    def _moves(self, own: dict[int, int]) -> Iterator[m.MoveOrder]:
        """From each region an attack on its weakest neighbour, if there are twice as many; inland, a step outwards."""
        if self._placed is not None:
            own[self._placed.region] += self._placed.armies
        others = {region: armies for region, name, armies in self._rows if name != self._name}
        steps = self._steps_to_border(own)
        for region, armies in own.items():
            near = self._near.get(region, set())
            targets = near & others.keys()
            if armies < 2 or not near:
                continue
            if targets:
                target = min(targets, key=lambda other: others[other])
                if armies - 1 < _ODDS * others[target]:
                    continue
            else:
                target = min(near, key=lambda other: steps.get(other, len(own)))
                if target not in own:
                    continue
            yield m.MoveOrder(self._name, region, target, armies - 1)

    def _steps_to_border(self, own: dict[int, int]) -> dict[int, int]:
        """By own region, how far those that are not our own are; without those from which none is reached."""
        steps = {region: 1 for region in own if self._near.get(region, set()) - own.keys()}
        edge = list(steps)
        for region in edge:
            for other in self._near[region] & own.keys() - steps.keys():
                steps[other] = steps[region] + 1
                edge.append(other)
        return steps
