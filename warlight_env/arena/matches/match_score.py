"""The score of a match, which can be updated after each finished game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from warlight_env.arena.games.game_record import GameRecord
from warlight_env.arena.ratings.elo import EloDifference, estimate_elo
from warlight_env.arena.ratings.statistics import Interval, unit_interval, wilson_interval


def is_draw(record: GameRecord, agent: int) -> bool:
    """Return whether a game is a draw for an agent: the game has no winner, and the agent shares the first place.

    A game that an agent has neither won nor drawn is a loss.
    """
    return record.winner is None and record.placements[agent] == 1


def score(record: GameRecord, agent: int) -> float:
    """Return an agent's score in a game: 1 for a win, 1/k for a draw between k agents, 0 for a loss."""
    if record.winner == agent:
        return 1.0
    return 1 / record.placements.count(1) if is_draw(record, agent) else 0.0


class MatchScore:
    """The numbers of wins and draws of each agent in a match, and the scores of each unit of games.

    Args:
        agents: the number of agents.
        paired: whether games with the same seed, one for each rotation of the seats, form a unit. A unit counts only
            when it is complete, because half a unit favours the agent on the better seat.
    """

    def __init__(self, agents: int, paired: bool) -> None:
        self.games = 0  #: the number of games in complete units
        self.paired = paired
        self.wins = [[0] * agents for _ in range(agents)]  #: wins[agent][seat], the number of wins
        self.played = [[0] * agents for _ in range(agents)]  #: played[agent][seat], the number of games
        self.draws = [0] * agents  #: the number of draws of each agent
        self._open: dict[int, list[GameRecord]] = {}  # the games of incomplete units, by the number of the unit
        self._size = agents if paired else 1
        #: For each agent, a Counter from a win rate in a unit to the number of units with this win rate. `scores` is
        #: the same for the mean score in a unit.
        self.shares: list[Counter[float]] = [Counter() for _ in range(agents)]
        self.scores: list[Counter[float]] = [Counter() for _ in range(agents)]

    def add(self, records: Iterable[GameRecord]) -> None:
        """Add the results of finished games in any order. Each game must be added only once."""
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
        """The number of complete units."""
        return sum(self.shares[0].values())

    def interval(self, agent: int) -> Interval:
        """Return the confidence interval of the agent's win rate.

        Without pairing, the result is Wilson's score interval. With pairing, the result is the interval of
        `unit_interval`.
        """
        if self.paired:
            return unit_interval(self.shares[agent])
        return wilson_interval(sum(self.wins[agent]), self.games)

    def score(self, agent: int) -> float:
        """Return the mean score of an agent in all complete units; 0 if no unit is complete."""
        return sum(x * n for x, n in self.scores[agent].items()) / self.units if self.units else 0.0

    def score_interval(self, agent: int) -> Interval:
        """Return the confidence interval of the agent's mean score. Without draws, score and win rate are equal."""
        return unit_interval(self.scores[agent]) if self.draws[agent] else self.interval(agent)

    def elo(self) -> EloDifference | None:
        """Return the Elo of the first agent minus the Elo of the second, see `estimate_elo`.

        The result is None unless the match has exactly two agents and at least one game.
        """
        if len(self.draws) != 2 or not self.units:
            return None
        return estimate_elo(self.scores[0], self._size)
