"""How a match stands, kept up to date as games are finished."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from warlight_env.arena.playing.play import GameRecord
from warlight_env.arena.ratings.elo import EloDifference, elo_difference
from warlight_env.arena.ratings.statistics import Interval, unit_interval, wilson_interval


def drew(record: GameRecord, agent: int) -> bool:
    """Whether the game is a draw for an agent: nobody won, and it was among the first. All other games are lost."""
    return record.winner is None and record.placements[agent] == 1


def score(record: GameRecord, agent: int) -> float:
    """What a game is worth to an agent: 1 for a win, 1/k for a draw between k, 0 for a loss."""
    if record.winner == agent:
        return 1.0
    return 1 / record.placements.count(1) if drew(record, agent) else 0.0


class Standing:
    """Wins, draws and units of each agent.

    Args:
        agents: how many.
        paired: games count in units of one seed in all seats, and only once a unit is whole: half of one would favour
            who had the better seat.
    """

    def __init__(self, agents: int, paired: bool) -> None:
        self.games = 0  #: that count
        self.paired = paired
        self.wins = [[0] * agents for _ in range(agents)]  #: by agent and seat
        self.played = [[0] * agents for _ in range(agents)]
        self.draws = [0] * agents
        self._open: dict[int, list[GameRecord]] = {}  # of units of which games are missing
        self._size = agents if paired else 1
        #: Units of each agent by its share of wins, and by its score.
        self.shares: list[Counter[float]] = [Counter() for _ in range(agents)]
        self.scores: list[Counter[float]] = [Counter() for _ in range(agents)]

    def add(self, records: Iterable[GameRecord]) -> None:
        """Take in finished games, each once, in any order."""
        for record in records:
            unit = self._open.setdefault(record.unit, [])
            unit.append(record)
            if len(unit) == self._size:
                self._count(self._open.pop(record.unit))

    def _count(self, unit: Sequence[GameRecord]) -> None:
        for record in unit:
            self.games += 1
            for seat, agent in enumerate(record.seats):
                self.played[agent][seat] += 1
                self.wins[agent][seat] += record.winner == agent
                self.draws[agent] += drew(record, agent)
        for agent, (shares, scores) in enumerate(zip(self.shares, self.scores, strict=True)):
            shares[sum(record.winner == agent for record in unit) / len(unit)] += 1
            scores[sum(score(record, agent) for record in unit) / len(unit)] += 1

    @property
    def units(self) -> int:
        """Units that count."""
        return sum(self.shares[0].values())

    def interval(self, agent: int) -> Interval:
        """For the agent's share of wins: Wilson's, or with pairing that of units."""
        if self.paired:
            return unit_interval(self.shares[agent])
        return wilson_interval(sum(self.wins[agent]), self.games)

    def score(self, agent: int) -> float:
        """The agent's mean score in whole units, 0 without any."""
        return sum(x * n for x, n in self.scores[agent].items()) / self.units if self.units else 0.0

    def score_interval(self, agent: int) -> Interval:
        """For the agent's expected score; without draws that of its share of wins."""
        return unit_interval(self.scores[agent]) if self.draws[agent] else self.interval(agent)

    def elo(self) -> EloDifference | None:
        """By how much the first agent is stronger than the second; None unless two agents have played."""
        if len(self.draws) != 2 or not self.units:
            return None
        return elo_difference(self.score(0), self.score_interval(0))
