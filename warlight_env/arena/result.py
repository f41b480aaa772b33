"""What a match came to: wins, losses and draws, how sure that is, seats, lengths and speed."""

from __future__ import annotations

import statistics
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from warlight_env.arena.play import GameRecord
from warlight_env.arena.player import AgentFaults
from warlight_env.arena.report import describe
from warlight_env.arena.statistics import CONFIDENCE, Interval, unit_interval, wilson_interval


@dataclass(frozen=True)
class SeatResult:
    """An agent's games on one seat (from 0)."""

    seat: int
    games: int
    wins: int
    losses: int
    draws: int


@dataclass(frozen=True)
class AgentResult:
    """An agent's games. A game without a winner is a draw for those who share the first place; all others lost."""

    name: str
    games: int
    wins: int
    losses: int
    draws: int
    win_share: float  #: wins / games, 0 without games
    interval: Interval  #: for the share of wins
    score: float  #: a draw between k counts as 1/k of a win
    seats: tuple[SeatResult, ...]
    dropped: int  #: illegal picks and orders, which were left out


@dataclass(frozen=True)
class MatchResult:
    """The outcome of `Match.run`."""

    names: tuple[str, ...]
    map: str
    rules: str
    seed: int
    games_asked: int
    paired: bool
    picks: str
    round_limit: int
    jobs: int
    records: tuple[GameRecord, ...]
    interrupted: bool
    wall_seconds: float

    @property
    def games(self) -> int:
        """Games played (with pairing, in whole units)."""
        return len(self.records)

    @property
    def labels(self) -> tuple[str, ...]:
        """The agents' names, numbered where two are the same."""
        return tuple(f"{name} #{i + 1}" if self.names.count(name) > 1 else name for i, name in enumerate(self.names))

    @cached_property
    def agents(self) -> tuple[AgentResult, ...]:
        """Each agent's result, in the order in which they were named."""
        return tuple(self._agent(a) for a in range(len(self.names)))

    def _agent(self, agent: int) -> AgentResult:
        k = len(self.names)
        seats = []
        for seat in range(k):
            there = [record for record in self.records if record.seats[seat] == agent]
            wins, draws = sum(r.winner == agent for r in there), sum(_drew(r, agent) for r in there)
            seats.append(SeatResult(seat, len(there), wins, len(there) - wins - draws, draws))
        wins, draws = sum(s.wins for s in seats), sum(s.draws for s in seats)
        return AgentResult(
            name=self.labels[agent],
            games=self.games,
            wins=wins,
            losses=self.games - wins - draws,
            draws=draws,
            win_share=wins / self.games if self.games else 0.0,
            interval=unit_interval(self._units(agent)) if self.paired else wilson_interval(wins, self.games),
            score=(wins + sum(_share(r, agent) for r in self.records)) / self.games if self.games else 0.0,
            seats=tuple(seats),
            dropped=sum(record.dropped[agent] for record in self.records),
        )

    def _units(self, agent: int) -> list[float]:
        """The agent's share of wins in each unit."""
        wins: dict[int, int] = {}
        for record in self.records:
            wins[record.unit] = wins.get(record.unit, 0) + (record.winner == agent)
        return [count / len(self.names) for count in wins.values()]

    @property
    def units(self) -> int:
        """Units played; without pairing every game is one."""
        return len({record.unit for record in self.records})

    @property
    def cut_off(self) -> int:
        """Games stopped before the rules would have, counted as draws."""
        return sum(record.cut_off for record in self.records)

    @property
    def faults(self) -> list[AgentFaults]:
        """What went wrong with the answers of agents that tell it, in all games; the first ones as text."""
        found = [faults for record in self.records for faults in record.faults]
        told = []
        for agent in range(len(self.names)):
            mine = [faults for faults in found if faults.agent == agent]
            if mine:
                count, lost = sum(f.total for f in mine), sum(f.lost for f in mine)
                told.append(AgentFaults(agent, count, lost, mine[0].first))
        return told

    @property
    def rounds(self) -> int:
        """Rounds played in all games."""
        return sum(record.rounds for record in self.records)

    @property
    def median_rounds(self) -> float:
        """Median rounds per game; 0 without games."""
        return float(statistics.median(r.rounds for r in self.records)) if self.records else 0.0

    @property
    def mean_rounds(self) -> float:
        """Mean rounds per game; 0 without games."""
        return self.rounds / self.games if self.games else 0.0

    @property
    def play_seconds(self) -> float:
        """Play time of all games, agents included, summed over processes; no start-up, no compilation of others."""
        return sum(record.seconds for record in self.records)

    @property
    def rounds_per_second(self) -> float:
        """Rounds per second of play time: the speed of one process."""
        return self.rounds / self.play_seconds if self.play_seconds else 0.0

    def __str__(self) -> str:
        return describe(self)

    def to_dict(self) -> dict[str, Any]:
        """All of it but the single games, as JSON takes it. Seats count from 1 here, as people count."""
        agents = []
        for agent in self.agents:
            data = asdict(agent)
            data["interval"] = list(agent.interval)
            data["seats"] = [{**asdict(seat), "seat": seat.seat + 1} for seat in agent.seats]
            agents.append(data)
        return {
            "agents": agents,
            "games": self.games,
            "games_asked": self.games_asked,
            "interrupted": self.interrupted,
            "map": self.map,
            "rules": self.rules,
            "seed": self.seed,
            "picks": self.picks,
            "paired": self.paired,
            "units": self.units,
            "confidence": CONFIDENCE,
            "round_limit": self.round_limit,
            "cut_off": self.cut_off,
            "faults": [faults._asdict() for faults in self.faults],
            "rounds": {"total": self.rounds, "median": self.median_rounds, "mean": self.mean_rounds},
            "rounds_per_second": self.rounds_per_second,
            "play_seconds": self.play_seconds,
            "wall_seconds": self.wall_seconds,
            "jobs": self.jobs,
        }


def _drew(record: GameRecord, agent: int) -> bool:
    return record.winner is None and record.placements[agent] == 1


def _share(record: GameRecord, agent: int) -> float:
    """What a drawn game is worth to an agent."""
    return 1 / record.placements.count(1) if _drew(record, agent) else 0.0
