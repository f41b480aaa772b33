"""The result of a match as data and as text: wins, losses, draws, confidence intervals, and lengths of games."""

from __future__ import annotations

import statistics
from collections import Counter
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple

from warlight_env.arena.contests.contest_progress import StoppingRule
from warlight_env.arena.games.game_record import GameRecord
from warlight_env.arena.games.play_options import failure_rule
from warlight_env.arena.games.seated_agent import AgentFaults, Failure, OnCrash, OnLate
from warlight_env.arena.matches.agent_result import AgentResult, SeatResult, time_result
from warlight_env.arena.matches.fault_table import AgentFaultSummary, format_illegal, summarize_faults
from warlight_env.arena.matches.match_score import MatchScore, is_draw
from warlight_env.arena.matches.sprt import RunningSprt, Sprt, Verdict
from warlight_env.arena.ratings.elo import ELO_CONVENTION, EloDifference
from warlight_env.arena.ratings.statistics import CONFIDENCE
from warlight_env.tables import align, counted, printable


class SprtResult(NamedTuple):
    """The state of a sequential probability ratio test after some games."""

    rule: Sprt
    llr: float  #: the log-likelihood ratio of H1 to H0
    verdict: Verdict | None  #: the hypothesis that the test accepts; None: the test needs more games

    def to_dict(self) -> dict[str, Any]:
        """Return the settings and the state of the test as JSON data."""
        lower, upper = self.rule.bounds
        return {**asdict(self.rule), "llr": self.llr, "lower": lower, "upper": upper, "verdict": self.verdict}


@dataclass(frozen=True)
class MatchResult:
    """The result of `Match.run`."""

    names: tuple[str, ...]
    map: str
    rules: str
    seed: int
    games_asked: int
    paired: bool
    picks: str
    round_limit: int
    jobs: int | None  #: the number of games at the same time; None: the backend chose it
    records: tuple[GameRecord, ...]  #: the results of the games
    interrupted: bool  #: whether games are missing because the match was interrupted
    wall_seconds: float  #: the duration of this run, without the time of games that were already in the run folder
    clocks: tuple[str, ...] = ()  #: the clock of each agent, as text; an empty tuple: no agent has a clock
    stop: StoppingRule | None = None
    decided: bool = False  #: whether the stop rule ended the match
    resumed_games: int = 0  #: the number of games in `records` that were already in the run folder
    on_crash: OnCrash = "forfeit"  #: the reaction to a failure of an agent
    on_late: OnLate = "report"  #: the reaction to a late answer

    @property
    def games(self) -> int:
        """The number of games played; with pairing, only the games in complete units."""
        return len(self.records)

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the agents; if several agents have the same name, a number is added to it."""
        return tuple(f"{name} #{i + 1}" if self.names.count(name) > 1 else name for i, name in enumerate(self.names))

    @cached_property
    def agents(self) -> tuple[AgentResult, ...]:
        """The result of each agent, in the order of `names`."""
        return tuple(self._agent(a) for a in range(len(self.names)))

    @cached_property
    def match_score(self) -> MatchScore:
        """The numbers of wins and draws in all games."""
        match_score = MatchScore(len(self.names), self.paired)
        match_score.add(self.records)
        return match_score

    def _agent(self, agent: int) -> AgentResult:
        seats = []
        for seat in range(len(self.names)):
            seat_records = [record for record in self.records if record.seats[seat] == agent]
            wins, draws = sum(r.winner == agent for r in seat_records), sum(is_draw(r, agent) for r in seat_records)
            seats.append(SeatResult(seat, len(seat_records), wins, len(seat_records) - wins - draws, draws))
        wins, draws = sum(s.wins for s in seats), sum(s.draws for s in seats)
        failures = [failure for record in self.records for failure in record.failures if failure.agent == agent]
        return AgentResult(
            name=self.labels[agent],
            games=self.games,
            wins=wins,
            losses=self.games - wins - draws,
            draws=draws,
            win_share=wins / self.games if self.games else 0.0,
            interval=self.match_score.interval(agent),
            score=self.match_score.score(agent),
            seats=tuple(seats),
            dropped=sum(record.dropped[agent] for record in self.records),
            crashes=sum(failure.kind == "crash" for failure in failures),
            late_losses=sum(failure.kind == "late" for failure in failures),
            forfeits=sum(failure.kind == "forfeit" for failure in failures),
            time=time_result([record.use[agent] for record in self.records if record.use]),
        )

    @property
    def elo(self) -> EloDifference | None:
        """The Elo of the first agent minus the Elo of the second; None without games or with more than two agents."""
        return self.match_score.elo()

    @property
    def sprt(self) -> SprtResult | None:
        """The state of the sequential probability ratio test; None if the match has no `Sprt` as its stop rule."""
        if not isinstance(self.stop, Sprt):
            return None
        judge = RunningSprt(self.stop, 2 if self.paired else 1)
        judge.units = self.match_score.scores[0]
        return SprtResult(self.stop, judge.llr, self.stop.verdict(judge.llr))

    @property
    def failures(self) -> list[tuple[GameRecord, Failure]]:
        """All failures with which agents lost a game by forfeit, each with the result of its game."""
        return [(record, failure) for record in self.records for failure in record.failures]

    def _failure(self, record: GameRecord, failure: Failure) -> dict[str, Any]:
        agent = self.labels[failure.agent]
        return {"game": record.number + 1, "seed": record.seed, **failure._asdict(), "agent": agent}

    @cached_property
    def fault_table(self) -> tuple[AgentFaultSummary, ...]:
        """The faults of each agent, in the order of `names`."""
        return tuple(
            summarize_faults(label, ((f"game {record.number + 1}", agent, record) for record in self.records))
            for agent, label in enumerate(self.labels)
        )

    @property
    def units(self) -> int:
        """The number of units played. Without pairing, every game is a unit."""
        return len({record.unit for record in self.records})

    @property
    def cut_off(self) -> int:
        """The number of games that the round limit stopped; these games count as draws."""
        return sum(record.cut_off for record in self.records)

    @property
    def faults(self) -> list[AgentFaults]:
        """The numbers of faults that each agent reports about its own answers, summed over all games.

        For each agent, the texts of faults come only from the agent's first game with faults.
        """
        reports = [faults for record in self.records for faults in record.faults]
        summaries = []
        for agent in range(len(self.names)):
            own = [faults for faults in reports if faults.agent == agent]
            if own:
                count, lost = sum(f.total for f in own), sum(f.lost for f in own)
                kinds: Counter[str] = Counter()
                for report in own:
                    kinds.update(dict(report.kinds))
                summaries.append(AgentFaults(agent, count, lost, own[0].first, tuple(kinds.items()), own[0].detail))
        return summaries

    @property
    def rounds(self) -> int:
        """The number of rounds played in all games together."""
        return sum(record.rounds for record in self.records)

    @property
    def median_rounds(self) -> float:
        """The median number of rounds per game; 0 without games."""
        return float(statistics.median(r.rounds for r in self.records)) if self.records else 0.0

    @property
    def mean_rounds(self) -> float:
        """The mean number of rounds per game; 0 without games."""
        return self.rounds / self.games if self.games else 0.0

    @property
    def play_seconds(self) -> float:
        """The sum of the durations of all games in seconds, including the agents' computations.

        The time for the start of processes, and for compilation before the games, is not included.
        """
        return sum(record.seconds for record in self.records)

    @property
    def rounds_per_second(self) -> float:
        """The number of rounds divided by `play_seconds`: the speed of one process in rounds per second."""
        return self.rounds / self.play_seconds if self.play_seconds else 0.0

    def __str__(self) -> str:
        return _described(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON data, without the results of single games. Seats are numbered from 1."""
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
            "elo_convention": ELO_CONVENTION,
            "sprt": self.sprt and self.sprt.to_dict(),
            "clocks": list(self.clocks) or ["none"] * len(self.names),
            "on_crash": self.on_crash,
            "on_late": self.on_late,
            "failure_rule": failure_rule(self.on_crash, self.on_late),
            "fault_table": [faults.to_dict() for faults in self.fault_table],
            "failures": [self._failure(record, failure) for record, failure in self.failures],
            "round_limit": self.round_limit,
            "cut_off": self.cut_off,
            "faults": [
                {**faults._asdict(), "kinds": dict(faults.kinds), "agent": self.labels[faults.agent]}
                for faults in self.faults
            ],
            "rounds": {"total": self.rounds, "median": self.median_rounds, "mean": self.mean_rounds},
            "rounds_per_second": self.rounds_per_second,
            "play_seconds": self.play_seconds,
            "wall_seconds": self.wall_seconds,
            "games_found": self.resumed_games,
            "jobs": self.jobs,
        }


def stopped_line(count: int, moment: str) -> str:
    """Return a line of text about `count` games that were stopped early; `count` must be at least 1.

    moment: the time of the stop, for example "after 100 rounds".
    """
    verb, draws = ("was", "counts as a draw") if count == 1 else ("were", "count as draws")
    return f"  {counted(count, 'game')} {verb} stopped {moment} and {draws}"


def _described(result: MatchResult) -> str:
    """Return the result of a match as a few lines of text: wins, losses, draws, intervals, and lengths of games."""
    prefix = f"{result.games} of " if result.interrupted else ""
    games_text = prefix + counted(result.games_asked if prefix else result.games, "game")
    units = f" in {counted(result.units, 'unit')}" if result.paired else ""
    lines = [
        f"{' vs '.join(result.labels)}: {games_text}{units} on {result.map}, rules {result.rules}, seed {result.seed}"
    ]
    if result.interrupted:
        lines.append("  interrupted: the results of the finished games follow")
    seats = [f"win % seat {seat + 1}" if seat == 0 else f"seat {seat + 1}" for seat in range(len(result.labels))]
    rows = [["", "wins", "losses", "draws", "win %", "95 % CI", *seats]]
    for agent in result.agents:
        low, high = agent.interval
        rows.append(
            [
                agent.name, str(agent.wins), str(agent.losses), str(agent.draws), f"{100 * agent.win_share:.1f}",
                f"{100 * low:.1f}–{100 * high:.1f}",
                *(f"{100 * s.wins / s.games:.1f}" if s.games else "–" for s in agent.seats),
            ]
        )  # fmt: skip
    lines += align(rows)
    if any(agent.draws for agent in result.agents):
        scores = ", ".join(f"{agent.name} {100 * agent.score:.1f} %" for agent in result.agents)
        lines.append(f"  score, with a draw between k agents as 1/k of a win: {scores}")
    lines += _strength(result)
    if result.cut_off:
        lines.append(stopped_line(result.cut_off, f"after {counted(result.round_limit, 'round')}"))
    for faults in result.fault_table:
        if faults.illegal:
            lines.append(f"  illegal orders of {faults.name}, left out: {format_illegal(faults.illegal)}")
    for reported in result.faults:
        name, first = result.labels[reported.agent], reported.first[0]
        lines.append(f"  faults of {name}: {reported.total}, answers lost {reported.lost}; the first: {first}")
    failures = _failures(result)
    if failures:
        lines += [*failures, f"  {failure_rule(result.on_crash, result.on_late)}"]
    lines += _time_use(result)
    lines.append(f"  rounds per game: median {result.median_rounds:g}, mean {result.mean_rounds:.1f}")
    each = " per process" if result.jobs != 1 else ""
    in_all = (
        f"; {result.resumed_games} of the games were found in the run folder, and this run took "
        f"{result.wall_seconds:.1f} s"
        if result.resumed_games
        else f", {result.wall_seconds:.1f} s in all"
    )
    lines.append(f"  {result.rounds_per_second:,.0f} rounds/s{each} in {result.play_seconds:.1f} s of play{in_all}")
    return "\n".join(map(printable, lines))  # error messages of agents may contain control characters


def _strength(result: MatchResult) -> list[str]:
    """Return the lines of text about the Elo difference and the sequential test, if the match has them."""
    lines = []
    first = result.labels[0]
    if result.elo is not None:
        elo, low, high = result.elo
        lines.append(f"  Elo of {first}: {elo:+z.0f} (95 % CI {low:+z.0f} to {high:+z.0f}; with one virtual draw)")
    if result.sprt is not None:
        rule, llr, verdict = result.sprt
        lines.append(f"  {rule.format_llr(llr)}")
        lines.append(f"  {rule.format_verdict(verdict)}")
    return lines


def _failures(result: MatchResult) -> list[str]:
    """Return a line of text for each agent that lost games by forfeit: the numbers of games, and the first reason."""
    lines = []
    for a, agent in enumerate(result.agents):
        counts = {"by failing": agent.crashes, "by a late answer": agent.late_losses, "by giving up": agent.forfeits}
        if any(counts.values()):
            record, failure = next((r, f) for r, f in result.failures if f.agent == a)
            moment = f"round {failure.round}" if failure.round else "the picks"
            lost = ", ".join(f"{counted(games, 'game')} {cause}" for cause, games in counts.items() if games)
            lines.append(
                f"  {agent.name} lost {lost}; first in {moment} of game {record.number + 1} (seed {record.seed}): "
                f"{failure.reason}"
            )
    return lines


def _time_use(result: MatchResult) -> list[str]:
    """Return a table of the agents' times as lines of text.

    The list is empty if there is no clock and every agent needs less than a millisecond per answer.
    """
    if not result.clocks and all(agent.time.mean < 0.001 for agent in result.agents):
        return []
    rows = [["", "ms per answer", "slowest", "simulations", *(["clock", "late"] if result.clocks else [])]]
    for i, agent in enumerate(result.agents):
        time = agent.time
        simulations = "–" if time.simulations is None else f"{time.simulations:.0f}"
        clock = [result.clocks[i], str(time.late)] if result.clocks else []
        rows.append([agent.name, f"{1000 * time.mean:.1f}", f"{1000 * time.slowest:.1f}", simulations, *clock])
    return align(rows)
