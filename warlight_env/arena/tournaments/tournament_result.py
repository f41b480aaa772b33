"""The result of a tournament: ratings, skills, the result of each agent against each other, and each pairing."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from warlight_env.arena.contests.contest_progress import ContestResult
from warlight_env.arena.contests.provenance import collect_provenance
from warlight_env.arena.games.game_record import GameRecord
from warlight_env.arena.games.play_options import failure_rule
from warlight_env.arena.games.seated_agent import Failure, TimeUse
from warlight_env.arena.matches.agent_result import TimeResult, time_result
from warlight_env.arena.matches.fault_table import AgentFaultSummary, fault_lines, summarize_faults
from warlight_env.arena.matches.result import stopped_line
from warlight_env.arena.ratings.bradley_terry import GameRanking, Rating, RatingError, rate
from warlight_env.arena.ratings.elo import ELO_CONVENTION
from warlight_env.arena.ratings.skill import Skill, skills
from warlight_env.arena.ratings.statistics import CONFIDENCE
from warlight_env.arena.tournaments.head_to_head import GameShare, HeadToHead, head_to_head
from warlight_env.arena.tournaments.tournament import Tournament
from warlight_env.tables import align, counted

#: The maximum number of failures that `TournamentResult.to_dict` describes.
QUOTED_FAILURES: Final = 100


SKILL_HEAD: Final = ("Skill", "μ", "σ")


class Cell(NamedTuple):
    """A cell of a table: its text, and the number by which the column is sorted.

    If the number is None, the column is sorted by the text.
    """

    text: str
    value: float | None = None


def signed(value: float) -> str:
    """Return a number as text: rounded to an integer, with a plus or a typographic minus sign."""
    return f"{round(value):+d}".replace("-", "−") if round(value) else "0"


def percent(share: float) -> str:
    """Return a fraction in 0 .. 1 as a percentage with one decimal place, without the sign %."""
    return f"{100 * share:.1f}"


@dataclass(frozen=True)
class Pairing:
    """The results of the games between one set of agents on one map with one set of rules."""

    map: str
    rules: str
    entrants: tuple[int, ...]
    games: int
    games_asked: int
    wins: tuple[int, ...]  #: the number of wins of each agent, in the order of `entrants`
    draws: int
    cut_off: int
    mean_rounds: float
    seconds: float


@dataclass(frozen=True)
class TournamentResult:
    """The result of a finished or interrupted tournament. Agents are identified by indices of `Tournament.entrants`.

    Args:
        tournament: the settings of the tournament.
        results: a dict from the key of each contest in `Tournament.contests` to its result.
    """

    tournament: Tournament
    results: Mapping[str, ContestResult]

    @cached_property
    def _contest_games(self) -> list[tuple[int, tuple[int, ...], tuple[GameRecord, ...]]]:
        """For each contest: its number, the indices of its agents, and its finished games."""
        seated = zip(self.tournament.contests(), self.tournament.seated(), strict=True)
        return [(i, table, self.results[contest.key].records) for i, (contest, table) in enumerate(seated)]

    @property
    def interrupted(self) -> bool:
        """Whether games are missing because the tournament was interrupted."""
        return any(result.interrupted for result in self.results.values())

    @property
    def games(self) -> int:
        """The number of games played."""
        return sum(len(records) for _, _, records in self._contest_games)

    @cached_property
    def rankings(self) -> list[GameRanking]:
        """The final ranks in all games: first game 0 of all pairings, then game 1 of all pairings, and so on."""
        numbered = [
            (record.number, stratum, GameRanking(table, record.placements, record.unit, stratum))
            for stratum, table, records in self._contest_games
            for record in records
        ]
        return [placing for _, _, placing in sorted(numbered, key=lambda row: row[:2])]

    @cached_property
    def ratings(self) -> list[Rating]:
        """The rating of each agent. Raises `RatingError` if an agent has no games because of an interruption."""
        t = self.tournament
        return rate(t.names, self.rankings, anchor=t.anchor, anchor_elo=t.anchor_elo, seed=t.seed % 2**32)

    @cached_property
    def skills(self) -> list[Skill] | None:
        """The openskill rating of each agent, for games with more than two players; otherwise None."""
        return skills(self.tournament.names, self.rankings) if self.tournament.players > 2 else None

    @cached_property
    def rated(self) -> bool:
        """Whether ratings can be computed: every agent has played, and chains of games connect all agents."""
        try:
            return bool(self.ratings)
        except RatingError:
            return False

    @cached_property
    def order(self) -> list[int]:
        """The agents in the order of their ratings, the best first."""
        return sorted(range(len(self.ratings)), key=lambda i: -self.ratings[i].elo)

    @cached_property
    def head_to_heads(self) -> dict[tuple[int, int], HeadToHead]:
        """A dict from each pair of agents (i, j) that played to the results of i against j."""
        units: dict[tuple[int, int], dict[tuple[int, int], list[GameShare]]] = {}
        for stratum, table, records in self._contest_games:
            for record in records:
                for (a, i), (b, j) in itertools.permutations(enumerate(table), 2):
                    better = record.placements[a] < record.placements[b]
                    worse = record.placements[a] > record.placements[b]
                    shares = units.setdefault((i, j), {}).setdefault((stratum, record.unit), [])
                    shares.append(GameShare(record.seats.index(a), 0.5 + 0.5 * better - 0.5 * worse))
        return {pair: head_to_head(list(of_pair.values()), self.tournament.players) for pair, of_pair in units.items()}

    @cached_property
    def times(self) -> list[TimeResult]:
        """The time and the simulations that each agent used."""
        uses: list[list[TimeUse]] = [[] for _ in self.tournament.entrants]
        for _, table, records in self._contest_games:
            for record in records:
                for entrant, use in zip(table, record.use, strict=True):
                    uses[entrant].append(use)
        return [time_result(of_one) for of_one in uses]

    @cached_property
    def failures(self) -> list[tuple[int, int, GameRecord, Failure]]:
        """All games that were lost by forfeit: the number of the contest, the agent, the game, and the reason."""
        return [
            (stratum, table[failure.agent], record, failure)
            for stratum, table, records in self._contest_games
            for record in records
            for failure in record.failures
        ]

    @cached_property
    def fault_table(self) -> tuple[AgentFaultSummary, ...]:
        """The faults of each agent, in the order of `Tournament.entrants`."""
        return tuple(
            summarize_faults(
                name,
                (
                    (f"game {stratum + 1}.{record.number + 1}", table.index(entrant), record)
                    for stratum, table, records in self._contest_games
                    if entrant in table
                    for record in records
                ),
            )
            for entrant, name in enumerate(self.tournament.names)
        )

    @cached_property
    def pairings(self) -> list[Pairing]:
        """The results of each contest, as `Pairing` objects."""
        rows = []
        for contest, (_, table, records) in zip(self.tournament.contests(), self._contest_games, strict=True):
            wins = tuple(sum(record.winner == a for record in records) for a in range(len(table)))
            rows.append(
                Pairing(
                    map=contest.setup.map.name,
                    rules=contest.setup.rules.name,
                    entrants=table,
                    games=len(records),
                    games_asked=contest.n_games,
                    wins=wins,
                    draws=len(records) - sum(wins),
                    cut_off=sum(record.cut_off for record in records),
                    mean_rounds=sum(record.rounds for record in records) / max(1, len(records)),
                    seconds=sum(record.seconds for record in records),
                )
            )
        return rows

    @property
    def played_games(self) -> list[tuple[int, Pairing, GameRecord]]:
        """All games, in the order of contests and games: the number of the contest, its pairing, and the game."""
        return [
            (stratum, pairing, record)
            for pairing, (stratum, _, records) in zip(self.pairings, self._contest_games, strict=True)
            for record in records
        ]

    @property
    def ratings_table(self) -> list[list[Cell]]:
        """The table of ratings for all reports: a row of column titles, then a row for each agent, the best first."""
        head = ["Agent", "Elo", "95 % from", "to", "Score %", "Games", *([] if self.skills is None else SKILL_HEAD)]
        rows = [[Cell(title) for title in head]]
        for i in self.order:
            r = self.ratings[i]
            row = [Cell(r.name), *(Cell(signed(value), value) for value in (r.elo, r.low, r.high))]
            row += [Cell(percent(r.score), r.score), Cell(f"{r.games:,}", r.games)]
            if self.skills is not None:
                s = self.skills[i]
                row += [Cell(f"{value:.2f}", value) for value in (s.ordinal, s.mu, s.sigma)]
            rows.append(row)
        return rows

    @property
    def crosstable(self) -> list[tuple[int, list[HeadToHead | None]]]:
        """A row for each agent, the best first: the agent, and its results against all agents in the same order.

        A result is None if the two agents never played against each other.
        """
        return [(i, [self.head_to_heads.get((i, j)) for j in self.order]) for i in self.order]

    def to_dict(self, *, running: bool = False) -> dict[str, Any]:
        """Return the result as JSON data, without the results of single games.

        The returned data contain the names of agents instead of indices. Contests and games are numbered from 1.
        Ratings and skills are included only if they can be computed from the games so far.

        Args:
            running: whether the tournament is still running; the data contain this value.
        """
        names = self.tournament.names
        rated = self.rated
        return {
            "tournament": self.tournament.to_dict(),
            "games": self.games,
            "running": running,
            "interrupted": self.interrupted,
            "confidence": CONFIDENCE,
            "elo_convention": ELO_CONVENTION,
            "ratings": [asdict(self.ratings[i]) for i in self.order] if rated else [],
            "skills": None if self.skills is None or not rated else [
                {**asdict(skill), "ordinal": skill.ordinal} for skill in self.skills
            ],
            "meetings": [
                {"agent": names[i], "against": names[j], **meeting.to_dict()}
                for (i, j), meeting in sorted(self.head_to_heads.items())
            ],
            "pairings": [{**asdict(p), "entrants": [names[i] for i in p.entrants]} for p in self.pairings],
            "times": [{"name": name, **asdict(time)} for name, time in zip(names, self.times, strict=True)],
            "failures": [
                {"contest": contest + 1, "game": record.number + 1, **failure._asdict(), "agent": names[entrant]}
                for contest, entrant, record, failure in self.failures[:QUOTED_FAILURES]
            ],
            "failed": len(self.failures),
            "failure_rule": failure_rule(self.tournament.on_crash, self.tournament.on_late),
            "fault_table": [faults.to_dict() for faults in self.fault_table],
            "facts": collect_provenance(),
        }  # fmt: skip

    def __str__(self) -> str:
        t, names = self.tournament, self.tournament.names
        planned = sum(pairing.games_asked for pairing in self.pairings)
        games_text = (
            f"{self.games} of {counted(planned, 'game')} (interrupted)"
            if self.interrupted
            else counted(self.games, "game")
        )
        lines = [f"{t.name}: {t.format} of {len(names)} agents, {t.players} players per game, {games_text}"]
        lines += align([[cell.text for cell in row] for row in self.ratings_table])
        lines.append(f"  {ELO_CONVENTION}")
        if any(self.ratings[i].perfect for i in self.order):
            lines.append("  an agent won or lost all games: the prior decides the outer end of its interval")
        if stopped := sum(pairing.cut_off for pairing in self.pairings):
            lines.append(stopped_line(stopped, "at the round limit"))
        lines.append("")
        rows = [["score % of the row", *(names[j] for j in self.order)]]
        for i, meetings in self.crosstable:
            rows.append([names[i], *("" if m is None else percent(m.score) for m in meetings)])
        lines += align(rows)
        if any(faults.any for faults in self.fault_table):
            lines += ["", *fault_lines(self.fault_table), f"  {failure_rule(t.on_crash, t.on_late)}"]
        return "\n".join(lines)
