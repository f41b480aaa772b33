"""What a tournament came to: ratings, skills, who beat whom, and every pairing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from warlight_env.arena.course import ContestResult
from warlight_env.arena.facts import facts
from warlight_env.arena.play import GameRecord
from warlight_env.arena.ratings import Placing, Rating, rate
from warlight_env.arena.skill import Skill, skills
from warlight_env.arena.statistics import CONFIDENCE, Interval, unit_interval, wilson_interval
from warlight_env.arena.tournament import Tournament
from warlight_env.tables import align


@dataclass(frozen=True)
class Meeting:
    """One entrant against another, in all their games: wins by place, draws where they share one."""

    games: int
    wins: int
    losses: int
    draws: int
    score: float  #: (wins + draws / 2) / games
    interval: Interval  #: for the score


@dataclass(frozen=True)
class Pairing:
    """One set of entrants on one map by one set of rules."""

    map: str
    rules: str
    entrants: tuple[int, ...]
    games: int
    games_asked: int
    wins: tuple[int, ...]  #: by entrant, in the order of `entrants`
    draws: int
    cut_off: int
    mean_rounds: float
    seconds: float


@dataclass(frozen=True)
class TournamentResult:
    """A tournament that was played, or as much of it as was. Entrants are named by their index.

    results: of `Tournament.contests`, by key.
    """

    tournament: Tournament
    results: Mapping[str, ContestResult]

    @cached_property
    def _played(self) -> list[tuple[int, tuple[int, ...], tuple[GameRecord, ...]]]:
        """Number, entrants and games of each contest."""
        seated = zip(self.tournament.contests(), self.tournament.seated(), strict=True)
        return [(i, table, self.results[contest.key].records) for i, (contest, table) in enumerate(seated)]

    @property
    def interrupted(self) -> bool:
        """Whether games are missing."""
        return any(result.interrupted for result in self.results.values())

    @property
    def complete_enough(self) -> bool:
        """Whether everybody has played, so that there are ratings."""
        return all(result.records for result in self.results.values())

    @property
    def games(self) -> int:
        """Games played."""
        return sum(len(records) for _, _, records in self._played)

    @cached_property
    def placings(self) -> list[Placing]:
        """All games, a round of all pairings after the other."""
        numbered = [
            (record.number, stratum, Placing(table, record.placements, record.unit, stratum))
            for stratum, table, records in self._played
            for record in records
        ]
        return [placing for _, _, placing in sorted(numbered, key=lambda row: row[:2])]

    @cached_property
    def ratings(self) -> list[Rating]:
        """By entrant. `RatingError` where an interruption left entrants without games."""
        t = self.tournament
        return rate(t.names, self.placings, anchor=t.anchor, anchor_elo=t.anchor_elo, seed=t.seed % 2**32)

    @cached_property
    def skills(self) -> list[Skill] | None:
        """By entrant, for games of more than two; else None."""
        return skills(self.tournament.names, self.placings) if self.tournament.players > 2 else None

    @cached_property
    def order(self) -> list[int]:
        """The entrants, the best first."""
        return sorted(range(len(self.ratings)), key=lambda i: -self.ratings[i].elo)

    @cached_property
    def meetings(self) -> dict[tuple[int, int], Meeting]:
        """Who beat whom, for all that met."""
        units: dict[tuple[int, int], dict[tuple[int, int], list[float]]] = {}
        for placing in self.placings:
            for a, i in enumerate(placing.players):
                for b, j in enumerate(placing.players):
                    if i != j:
                        better, worse = placing.places[a] < placing.places[b], placing.places[a] > placing.places[b]
                        shares = units.setdefault((i, j), {}).setdefault((placing.stratum, placing.unit), [])
                        shares.append(0.5 + 0.5 * better - 0.5 * worse)
        return {pair: _meeting(list(of_pair.values())) for pair, of_pair in units.items()}

    @cached_property
    def pairings(self) -> list[Pairing]:
        """Every contest in figures."""
        rows = []
        for contest, (_, table, records) in zip(self.tournament.contests(), self._played, strict=True):
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

    def to_dict(self) -> dict[str, Any]:
        """All of it but the single games, as JSON takes it; entrants by name."""
        names = self.tournament.names
        return {
            "tournament": self.tournament.to_dict(),
            "games": self.games,
            "interrupted": self.interrupted,
            "confidence": CONFIDENCE,
            "ratings": [asdict(self.ratings[i]) for i in self.order],
            "skills": None if self.skills is None else [
                {**asdict(skill), "ordinal": skill.ordinal} for skill in self.skills
            ],
            "meetings": [
                {"agent": names[i], "against": names[j], **asdict(meeting), "interval": list(meeting.interval)}
                for (i, j), meeting in sorted(self.meetings.items())
            ],
            "pairings": [{**asdict(p), "entrants": [names[i] for i in p.entrants]} for p in self.pairings],
            "facts": facts(),
        }  # fmt: skip

    def __str__(self) -> str:
        t, names = self.tournament, self.tournament.names
        asked = sum(pairing.games_asked for pairing in self.pairings)
        played = f"{self.games} of {asked} games (interrupted)" if self.interrupted else f"{self.games} games"
        lines = [f"{t.name}: {t.format} of {len(names)} agents, {t.players} a game, {played}"]
        head = ["", "Elo", "95 % CI", "score %", "games"]
        rows = [[*head, "skill"] if self.skills else head]
        for i in self.order:
            row = self.ratings[i]
            cells = [row.name, f"{round(row.elo):+d}", f"{row.low:+.0f} … {row.high:+.0f}", f"{100 * row.score:.1f}"]
            rows.append([*cells, str(row.games), *([] if self.skills is None else [f"{self.skills[i].ordinal:.1f}"])])
        lines += align(rows)
        if any(self.ratings[i].perfect for i in self.order):
            lines.append("  an agent won or lost everything: how far its interval reaches is the prior's choice")
        lines.append("")
        table = [["score % of the row", *(names[j] for j in self.order)]]
        for i in self.order:
            cells = []
            for j in self.order:
                meeting = self.meetings.get((i, j))
                cells.append("" if meeting is None else f"{100 * meeting.score:.1f}")
            table.append([names[i], *cells])
        return "\n".join(lines + align(table))


def _meeting(units: list[list[float]]) -> Meeting:
    shares = [share for unit in units for share in unit]
    games, total = len(shares), sum(shares)
    single = all(len(unit) == 1 for unit in units)
    interval = wilson_interval(total, games) if single else unit_interval([sum(unit) / len(unit) for unit in units])
    wins, draws = sum(share == 1 for share in shares), sum(share == 0.5 for share in shares)
    return Meeting(games, wins, games - wins - draws, draws, total / games, interval)
