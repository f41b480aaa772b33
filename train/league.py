"""Whom a policy meets in training: reference agents and copies of itself, the more often the better they do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from warlight_env.envs.opponents import Opponent, OpponentPool, PolicyOpponent, make_opponent

#: How the names of snapshots begin.
SNAPSHOT: Final = "snapshot-"
#: What a game is still worth in the table an iteration later.
_KEEP: Final = 0.9


class League:
    """A pool of opponents whose weights follow from how often they are beaten.

    An opponent's weight is (1 - p)^priority, where p is the share of recent games won against it, but no less than
    `least`: prioritised fictitious self-play (Vinyals et al., "Grandmaster level in StarCraft II using multi-agent
    reinforcement learning", Nature 575, 2019). Older games count less, by a factor of 0.9 an iteration, and everybody
    begins with two games of which one was won.

    Args:
        agents: that always stay.
        load: the policy of the snapshot of a number, see `add`.
        most: snapshots that stay, the newest.
        priority, least: see above.
    """

    def __init__(
        self, agents: Sequence[str], load: Callable[[int], Any], most: int, priority: float, least: float
    ) -> None:
        self._load, self._most, self._priority, self._least = load, most, priority, least
        self._table: dict[str, list[float]] = {}  # games and wins, by name
        self._snapshots: list[int] = []
        self.pool = OpponentPool()
        self._names: dict[Opponent, str] = {}
        for agent in agents:
            self._join(agent, make_opponent(agent))

    def add(self, number: int) -> None:
        """Let a snapshot join, and the oldest one go if there are too many."""
        self._snapshots.append(number)
        self._join(f"{SNAPSHOT}{number}", PolicyOpponent(self._load(number)))
        if len(self._snapshots) > self._most:
            name = f"{SNAPSHOT}{self._snapshots.pop(0)}"
            self.pool.remove(name)
            del self._table[name]
            self._names = {key: known for key, known in self._names.items() if known != name}

    def _join(self, name: str, opponent: Opponent) -> None:
        self.pool.add(name, opponent)
        self._names[opponent] = name
        self._table[name] = [2.0, 1.0]
        self._weigh()

    def _weigh(self) -> None:
        for name, (games, wins) in self._table.items():
            self.pool.set_weight(name, max(self._least, (1 - wins / games) ** self._priority))

    def count(self, games: Iterable[tuple[Opponent, bool]]) -> dict[str, list[int]]:
        """Take games of an iteration into account: who was met, and whether the policy won.

        Returns games and wins by name; of opponents that have gone there is nothing.
        """
        told: dict[str, list[int]] = {}
        for opponent, won in games:
            name = self._names.get(opponent)
            if name is not None:
                counts = told.setdefault(name, [0, 0])
                counts[0] += 1
                counts[1] += won
        for name, row in self._table.items():
            new = told.get(name, [0, 0])
            row[0], row[1] = (2 + _KEEP * (row[0] - 2) + new[0], 1 + _KEEP * (row[1] - 1) + new[1])
        self._weigh()
        return told

    def to_dict(self) -> dict[str, Any]:
        """The league as plain data; snapshots by their numbers."""
        return {"table": {name: list(row) for name, row in self._table.items()}, "snapshots": list(self._snapshots)}

    def restore(self, saved: dict[str, Any]) -> None:
        """Become the league that `to_dict` told of, in one that has just been made."""
        for number in saved["snapshots"]:
            self.add(number)
        for name, row in saved["table"].items():
            self._table[name] = list(row)
        self._weigh()


__all__ = ["SNAPSHOT", "League"]
