"""The score of a match, updated as games are finished."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from warlight_env.arena.games.game_loop import GameRecord
from warlight_env.arena.ratings.elo import EloDifference, elo_difference
from warlight_env.arena.ratings.statistics import Interval, unit_interval, wilson_interval


def is_draw(record: GameRecord, agent: int) -> bool:
    """Return whether the game is a draw for an agent: there is no winner, and the agent shares the first place.

    The agent has lost every other game that it did not win.
    """
    return record.winner is None and record.placements[agent] == 1


def score(record: GameRecord, agent: int) -> float:
    """Return an agent's score in a game: 1 for a win, 1/k for a draw between k agents, 0 for a loss."""
    if record.winner == agent:
        return 1.0
    return 1 / record.placements.count(1) if is_draw(record, agent) else 0.0


class MatchScore:
    """Wins, draws and units of each agent.

    Args:
        agents: number of agents.
        paired: games count in units: one seed in all rotations of the seats. A unit counts only when it is complete.
            Half a unit would favour the agent on the better seat.
    """

    def __init__(self, agents: int, paired: bool) -> None:
        self.games = 0  #: number of games that count
        self.paired = paired
        self.wins = [[0] * agents for _ in range(agents)]  #: by agent and seat
        self.played = [[0] * agents for _ in range(agents)]
        self.draws = [0] * agents
        self._open: dict[int, list[GameRecord]] = {}  # games of incomplete units
        self._size = agents if paired else 1
        #: Number of units of each agent by its share of wins, and by its score.
        self.shares: list[Counter[float]] = [Counter() for _ in range(agents)]
        self.scores: list[Counter[float]] = [Counter() for _ in range(agents)]

    def add(self, records: Iterable[GameRecord]) -> None:
        """Add finished games, each once, in any order."""
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
                self.draws[agent] += is_draw(record, agent)
        for agent, (shares, scores) in enumerate(zip(self.shares, self.scores, strict=True)):
            shares[sum(record.winner == agent for record in unit) / len(unit)] += 1
            scores[sum(score(record, agent) for record in unit) / len(unit)] += 1

    @property
    def units(self) -> int:
        """Number of units that count."""
        return sum(self.shares[0].values())

    def interval(self, agent: int) -> Interval:
        """Return the interval for the agent's share of wins: Wilson's, or with pairing the interval over units."""
        if self.paired:
            return unit_interval(self.shares[agent])
        return wilson_interval(sum(self.wins[agent]), self.games)

    def score(self, agent: int) -> float:
        """Return the agent's mean score in complete units; 0 without complete units."""
        return sum(x * n for x, n in self.scores[agent].items()) / self.units if self.units else 0.0

    def score_interval(self, agent: int) -> Interval:
        """Return the interval for the agent's expected score. Without draws it is the interval of the share of wins."""
        return unit_interval(self.scores[agent]) if self.draws[agent] else self.interval(agent)

    def elo(self) -> EloDifference | None:
        """Return the Elo difference of the first agent to the second; None unless two agents have played."""
        if len(self.draws) != 2 or not self.units:
            return None
        return elo_difference(self.score(0), self.score_interval(0))
