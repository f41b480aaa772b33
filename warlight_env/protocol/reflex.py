"""Answers that cost nothing, for when there is no time to think; imports nothing that takes time to load."""

from __future__ import annotations

from collections import Counter

from warlight_env.protocol import messages as m


class Reflex:
    """Follows what an engine says, and answers anything at once: legal, and not quite useless."""

    def __init__(self) -> None:
        self._name = "player1"
        self._near: dict[int, set[int]] = {}
        self._super: dict[int, int] = {}
        self._armies = 0
        self._rows: tuple[tuple[int, str, int], ...] = ()

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
            case m.StartingArmies(armies):
                self._armies = armies
            case m.UpdateMap(rows):
                self._rows = rows

    def answer(self, question: m.Question) -> m.Answer:
        """Picks in the smallest super regions; all armies onto one region at a border; no moves."""
        if not isinstance(question, m.Go):
            sizes = Counter(self._super.values())
            best = sorted(question.regions, key=lambda region: sizes[self._super.get(region, 0)])
            return m.PicksAnswer(tuple(best[: 6 if isinstance(question, m.PickRegions) else 1]))
        if question.kind == m.ATTACK:
            return m.Moves(())
        own = {region: armies for region, name, armies in self._rows if name == self._name}
        if not own or self._armies < 1:
            return m.Placements(())
        enemies = {region for region, name, _ in self._rows if name not in (self._name, *m.RESERVED_NAMES)}

        def need(region: int) -> tuple[bool, bool, int]:
            near = self._near.get(region, set())
            return (bool(near & enemies), bool(near - own.keys()), own[region])

        return m.Placements((m.PlaceOrder(self._name, max(own, key=need), self._armies),))
