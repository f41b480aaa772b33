"""What a match came to: wins, losses and draws, how sure that is, seats, lengths and speed."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from warlight_env.arena.course import StopRule
from warlight_env.arena.elo import EloDifference
from warlight_env.arena.play import GameRecord
from warlight_env.arena.player import AgentFaults, Failure, TimeUse
from warlight_env.arena.report import describe
from warlight_env.arena.sprt import Sprt, SprtJudge, Verdict
from warlight_env.arena.standing import Standing, drew
from warlight_env.arena.statistics import CONFIDENCE, Interval


@dataclass(frozen=True)
class SeatResult:
    """An agent's games on one seat (from 0)."""

    seat: int
    games: int
    wins: int
    losses: int
    draws: int


@dataclass(frozen=True)
class TimeResult:
    """What an agent spent. Times are wall time in seconds."""

    answers: int  #: picks and turns
    mean: float  #: of an answer
    slowest: float
    late: int  #: answers that took longer than the clock allowed
    simulations: float | None  #: mean of a turn; None: the agent does not say


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
    crashes: int  #: games lost because the agent failed
    late_losses: int  #: games lost because an answer was late
    forfeits: int  #: games that the agent gave up itself
    time: TimeResult = field(compare=False)


class SprtResult(NamedTuple):
    """How a sequential test stands."""

    rule: Sprt
    llr: float  #: log-likelihood ratio of H1 to H0
    verdict: Verdict | None  #: None: more games are needed

    def to_dict(self) -> dict[str, Any]:
        """As JSON takes it."""
        lower, upper = self.rule.bounds
        return {**asdict(self.rule), "llr": self.llr, "lower": lower, "upper": upper, "verdict": self.verdict}


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
    jobs: int | None  #: games side by side; None: as many as the backend saw fit
    records: tuple[GameRecord, ...]
    interrupted: bool
    wall_seconds: float  #: of this run; games found in the run folder took theirs before
    clocks: tuple[str, ...] = ()  #: by agent, as text; empty: none has one
    stop: StopRule | None = None
    decided: bool = False  #: the stop rule ended the match
    found: int = 0  #: games, of those that count, which an earlier run had left in the run folder

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

    @cached_property
    def standing(self) -> Standing:
        """All games added up."""
        standing = Standing(len(self.names), self.paired)
        standing.add(self.records)
        return standing

    def _agent(self, agent: int) -> AgentResult:
        seats = []
        for seat in range(len(self.names)):
            there = [record for record in self.records if record.seats[seat] == agent]
            wins, draws = sum(r.winner == agent for r in there), sum(drew(r, agent) for r in there)
            seats.append(SeatResult(seat, len(there), wins, len(there) - wins - draws, draws))
        wins, draws = sum(s.wins for s in seats), sum(s.draws for s in seats)
        failures = [failure for record in self.records for failure in record.failures if failure.agent == agent]
        return AgentResult(
            name=self.labels[agent],
            games=self.games,
            wins=wins,
            losses=self.games - wins - draws,
            draws=draws,
            win_share=wins / self.games if self.games else 0.0,
            interval=self.standing.interval(agent),
            score=self.standing.score(agent),
            seats=tuple(seats),
            dropped=sum(record.dropped[agent] for record in self.records),
            crashes=sum(failure.kind == "crash" for failure in failures),
            late_losses=sum(failure.kind == "late" for failure in failures),
            forfeits=sum(failure.kind == "forfeit" for failure in failures),
            time=time_result([record.use[agent] for record in self.records if record.use]),
        )

    @property
    def elo(self) -> EloDifference | None:
        """By how much the first agent is stronger than the second; None unless two agents have played."""
        return self.standing.elo()

    @property
    def sprt(self) -> SprtResult | None:
        """How the test stands, where there is one."""
        if not isinstance(self.stop, Sprt):
            return None
        judge = SprtJudge(self.stop, 2 if self.paired else 1)
        judge.units = self.standing.scores[0]
        return SprtResult(self.stop, judge.llr, self.stop.verdict(judge.llr))

    @property
    def failures(self) -> list[tuple[GameRecord, Failure]]:
        """All forfeits, with their games."""
        return [(record, failure) for record in self.records for failure in record.failures]

    def _failure(self, record: GameRecord, failure: Failure) -> dict[str, Any]:
        place = {"game": record.number + 1, "seed": record.seed, "agent": self.labels[failure.agent]}
        return {**place, "round": failure.round, "kind": failure.kind, "reason": failure.reason}

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
            "elo": self.elo and self.elo.to_dict(),
            "sprt": self.sprt and self.sprt.to_dict(),
            "clocks": list(self.clocks) or ["none"] * len(self.names),
            "failures": [self._failure(record, failure) for record, failure in self.failures],
            "round_limit": self.round_limit,
            "cut_off": self.cut_off,
            "faults": [{**faults._asdict(), "agent": self.labels[faults.agent]} for faults in self.faults],
            "rounds": {"total": self.rounds, "median": self.median_rounds, "mean": self.mean_rounds},
            "rounds_per_second": self.rounds_per_second,
            "play_seconds": self.play_seconds,
            "wall_seconds": self.wall_seconds,
            "games_found": self.found,
            "jobs": self.jobs,
        }


def time_result(uses: Sequence[TimeUse]) -> TimeResult:
    """What an agent spent in several games, added up."""
    answers, seconds = sum(use.answers for use in uses), sum(use.seconds for use in uses)
    counted = [use for use in uses if use.simulations is not None]
    simulations, turns = sum(use.simulations or 0 for use in counted), sum(use.turns for use in counted)
    return TimeResult(
        answers=answers,
        mean=seconds / answers if answers else 0.0,
        slowest=max((use.slowest for use in uses), default=0.0),
        late=sum(use.late for use in uses),
        simulations=simulations / turns if turns else None,
    )
