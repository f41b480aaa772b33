"""A policy that answers at once with simple orders, if an agent does not answer in time.

This module imports only modules that load fast, so that the policy is ready soon after the start of the process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from warlight_env.protocol import messages as m
from warlight_env.protocol.turn_start import TurnStart, income

#: The policy attacks only with at least this number of attackers per defender, because such attacks rarely fail.
_ODDS: Final = 2


class FallbackPolicy:
    """A policy that receives a game engine's messages, and answers each question at once with legal, simple orders."""

    def __init__(self) -> None:
        self._name = "player1"
        self._neighbors: dict[int, set[int]] = {}
        self._super_regions: dict[int, int] = {}
        self._bonuses: dict[int, int] = {}
        self._turn = TurnStart()
        self._rows: tuple[tuple[int, str, int], ...] = ()
        self._placed: m.PlaceOrder | None = None  # this round's placement

    def receive(self, message: m.Message) -> None:
        """Store the content of a message that the answers need."""
        match message:
            case m.YourBot(name):
                self._name, self._placed = name, None
            case m.Neighbors(lists):
                for region, neighbors in lists:
                    for neighbor in neighbors:
                        self._neighbors.setdefault(region, set()).add(neighbor)
                        self._neighbors.setdefault(neighbor, set()).add(region)
            case m.Regions(pairs):
                self._super_regions = dict(pairs)
            case m.SuperRegions(pairs):
                self._bonuses = dict(pairs)
            case m.StartingArmies(armies):
                self._turn.receive_armies(armies)
                self._placed = None
            case m.UpdateMap(rows):
                self._turn.receive_map()
                self._rows, self._placed = rows, None
            case m.Go(kind):
                self._turn.receive_question(kind == m.PLACE)

    def answer(self, question: m.Question) -> m.Answer:
        """Return an answer to a question.

        The policy picks regions in the smallest super regions. The policy places all armies on one border region, if
        possible next to an enemy. `_moves` returns the policy's attacks and transfers.
        """
        if not isinstance(question, m.Go):
            sizes = Counter(self._super_regions.values())
            best = sorted(question.regions, key=lambda region: sizes[self._super_regions.get(region, 0)])
            return m.PicksAnswer(tuple(best[: 6 if isinstance(question, m.PickRegions) else 1]))
        own_armies = {region: armies for region, name, armies in self._rows if name == self._name}
        if question.kind == m.ATTACK:
            return m.MoveOrders(tuple(self._moves(own_armies))[: m.MAX_ORDERS])
        armies = self._turn.armies
        if armies is None:
            armies = income(own_armies, self._super_regions, self._bonuses)
        if not own_armies or armies < 1:
            return m.PlaceOrders(())
        enemies = {region for region, name, _ in self._rows if name not in (self._name, *m.RESERVED_NAMES)}

        def border_priority(region: int) -> tuple[bool, bool, int]:
            neighbors = self._neighbors.get(region, set())
            return (bool(neighbors & enemies), bool(neighbors - own_armies.keys()), own_armies[region])

        self._placed = m.PlaceOrder(self._name, max(own_armies, key=border_priority), armies)
        return m.PlaceOrders((self._placed,))

    def _moves(self, own_armies: dict[int, int]) -> Iterator[m.MoveOrder]:
        """Yield attacks and transfers.

        A region next to regions of other owners attacks the weakest of these neighbours, if it has twice as many armies
        as this neighbour. A region that has only own neighbours moves its armies one step towards the border.
        """
        if self._placed is not None:
            own_armies[self._placed.region] += self._placed.armies
        foreign_armies = {region: armies for region, name, armies in self._rows if name != self._name}
        steps = self._steps_to_border(own_armies)
        for region, armies in own_armies.items():
            neighbors = self._neighbors.get(region, set())
            targets = neighbors & foreign_armies.keys()
            if armies < 2 or not neighbors:
                continue
            if targets:
                target = min(targets, key=lambda neighbor: foreign_armies[neighbor])
                if armies - 1 < _ODDS * foreign_armies[target]:
                    continue
            else:
                target = min(neighbors, key=lambda neighbor: steps.get(neighbor, len(own_armies)))
                if target not in own_armies:
                    continue
            yield m.MoveOrder(self._name, region, target, armies - 1)

    def _steps_to_border(self, own_armies: dict[int, int]) -> dict[int, int]:
        """Return the number of steps from each own region to the nearest region of another owner.

        The result does not contain own regions without a path to a region of another owner.
        """
        steps = {region: 1 for region in own_armies if self._neighbors.get(region, set()) - own_armies.keys()}
        edge = list(steps)
        for region in edge:
            for neighbor in self._neighbors[region] & own_armies.keys() - steps.keys():
                steps[neighbor] = steps[region] + 1
                edge.append(neighbor)
        return steps
