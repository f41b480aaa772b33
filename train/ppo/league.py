"""The opponents of a policy in training: reference agents and policy snapshots. Stronger opponents play more often."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from warlight_env.envs.opponents import Opponent, OpponentPool, PolicyOpponent, make_opponent

#: The beginning of the names of snapshots.
SNAPSHOT: Final = "snapshot-"
#: In each iteration the weight of older games is multiplied by this factor.
_KEEP: Final = 0.9


class OpponentSampler:
    """The frequency of each opponent, by name; stronger opponents play more often.

    The weight of an opponent is (1 - p)^pfsp_exponent, but at least `min_opponent_weight`. The number p is the fraction
    of recent games against the opponent that the policy won. The method is prioritized fictitious self-play (Vinyals et
    al., "Grandmaster level in StarCraft II using multi-agent reinforcement learning", Nature 575, 2019). Older games
    count less, by a factor of 0.9 for each iteration. Each opponent starts with two assumed games, of which the policy
    won one.

    Args:
        agents: agents that are always opponents.
        max_snapshots: largest number of snapshots; the oldest are removed.
        pfsp_exponent, min_opponent_weight: the two parameters of the weight of an opponent.
    """

    def __init__(
        self, agents: Sequence[str], max_snapshots: int, pfsp_exponent: float, min_opponent_weight: float
    ) -> None:
        self._max_snapshots, self._exponent, self._min_weight = max_snapshots, pfsp_exponent, min_opponent_weight
        self._games: dict[str, list[float]] = {agent: [2.0, 1.0] for agent in agents}  # number of games and of wins
        self._snapshots: list[int] = []

    def add(self, number: int) -> int | None:
        """Add a snapshot.

        Return the number of the old snapshot that is removed to make room, or None if no snapshot is removed.
        """
        self._snapshots.append(number)
        self._games[snapshot_name(number)] = [2.0, 1.0]
        if len(self._snapshots) <= self._max_snapshots:
            return None
        removed = self._snapshots.pop(0)
        del self._games[snapshot_name(removed)]
        return removed

    def weights(self) -> dict[str, float]:
        """Return the relative frequency with which each opponent is drawn."""
        return {
            name: max(self._min_weight, (1 - wins / games) ** self._exponent)
            for name, (games, wins) in self._games.items()
        }

    def count(self, games: Iterable[tuple[str, bool]]) -> dict[str, list[int]]:
        """Count the games of an iteration. games: for each game, the name of the opponent, and whether the policy won.

        Returns for each opponent the numbers of games and wins in this iteration; removed opponents are left out.
        """
        results: dict[str, list[int]] = {}
        for name, won in games:
            if name in self._games:
                counts = results.setdefault(name, [0, 0])
                counts[0] += 1
                counts[1] += won
        for name, row in self._games.items():
            new = results.get(name, [0, 0])
            row[0], row[1] = (2 + _KEEP * (row[0] - 2) + new[0], 1 + _KEEP * (row[1] - 1) + new[1])
        return results

    def to_dict(self) -> dict[str, Any]:
        """Return the sampler's state as plain data, with the numbers of the snapshots."""
        return {
            "table": {name: list(row) for name, row in self._games.items()}, "snapshots": list(self._snapshots)
        }  # fmt: skip

    def restore(self, saved: dict[str, Any]) -> list[int]:
        """Restore the state `saved`, a result of `to_dict`, in a new sampler. Return the snapshots' numbers."""
        for number in saved["snapshots"]:
            self.add(number)
        for name, row in saved["table"].items():
            self._games[name] = list(row)
        return list(self._snapshots)


class League(OpponentSampler):
    """An `OpponentSampler` for the pool of opponents of an environment; the pool uses the sampler's weights.

    Args:
        agents, max_snapshots, pfsp_exponent, min_opponent_weight: see `OpponentSampler`.
        load: a function that takes the number of a snapshot (see `add`) and returns its policy.
    """

    def __init__(
        self,
        agents: Sequence[str],
        load: Callable[[int], Any],
        max_snapshots: int,
        pfsp_exponent: float,
        min_opponent_weight: float,
    ) -> None:
        super().__init__(agents, max_snapshots, pfsp_exponent, min_opponent_weight)
        self._load, self.pool = load, OpponentPool()
        self._names: dict[Opponent, str] = {}
        for agent in agents:
            self._join(agent, make_opponent(agent))
        self._weigh()

    def add(self, number: int) -> int | None:
        """See `OpponentSampler.add`."""
        removed = super().add(number)
        self._join(snapshot_name(number), PolicyOpponent(self._load(number)))
        if removed is not None:
            name = snapshot_name(removed)
            self.pool.remove(name)
            self._names = {key: opponent_name for key, opponent_name in self._names.items() if opponent_name != name}
        self._weigh()
        return removed

    def _join(self, name: str, opponent: Opponent) -> None:
        self.pool.add(name, opponent)
        self._names[opponent] = name

    def _weigh(self) -> None:
        for name, weight in self.weights().items():
            self.pool.set_weight(name, weight)

    def count_opponents(self, games: Iterable[tuple[Opponent, bool]]) -> dict[str, list[int]]:
        """See `OpponentSampler.count`. games: for each game, the `Opponent` of the pool, and whether the policy won."""
        results = self.count((self._names[opponent], won) for opponent, won in games if opponent in self._names)
        self._weigh()
        return results

    def restore(self, saved: dict[str, Any]) -> list[int]:
        """See `OpponentSampler.restore`."""
        snapshots = super().restore(saved)
        self._weigh()
        return snapshots


def snapshot_name(number: int) -> str:
    """Return the name of the snapshot with the given number."""
    return f"{SNAPSHOT}{number}"
