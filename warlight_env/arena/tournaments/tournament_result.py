"""The result of a tournament: ratings, skills, a crosstable, and every pairing."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from warlight_env.arena.contests.contest_progress import ContestResult
from warlight_env.arena.contests.provenance import collect_provenance
from warlight_env.arena.games.game_loop import GameRecord
from warlight_env.arena.games.seated_agent import Failure, TimeUse
from warlight_env.arena.matches.agent_result import TimeResult, time_result
from warlight_env.arena.matches.result import stopped_line
from warlight_env.arena.ratings.bradley_terry import GameRanking, Rating, RatingError, rate
from warlight_env.arena.ratings.skill import Skill, skills
from warlight_env.arena.ratings.statistics import CONFIDENCE, Interval, unit_interval, wilson_interval
from warlight_env.arena.tournaments.tournament import Tournament
from warlight_env.tables import align, counted

#: Number of failures that `to_dict` quotes.
QUOTED_FAILURES: Final = 100


SKILL_HEAD: Final = ("Skill", "μ", "σ")


class Cell(NamedTuple):
    """A cell of a table: its text, and the number by which a column is sorted (None: by the text)."""

    text: str
    value: float | None = None


def signed(value: float) -> str:
    """Return a number as text: rounded, with its sign, and with a typographic minus."""
    return f"{round(value):+d}".replace("-", "−") if round(value) else "0"


def percent(share: float) -> str:
    """Return a share of 0 to 1 in per cent, without the per cent sign."""
    return f"{100 * share:.1f}"


class HeadToHeadScore(NamedTuple):
    """Results of one entrant against another in some games. The better place wins; equal places are a draw."""

    games: int
    wins: int
    losses: int
    draws: int


@dataclass(frozen=True)
class HeadToHead:
    """One entrant against another, in all their games. The better place wins; equal places are a draw."""

    games: int
    wins: int
    losses: int
    draws: int
    score: float  #: (wins + draws / 2) / games
    interval: Interval  #: for the score
    seats: tuple[HeadToHeadScore, ...]  #: the same numbers by the entrant's own seat


@dataclass(frozen=True)
class Pairing:
    """One set of entrants on one map with one set of rules."""

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
    """The result of a tournament, or of its part that was played. Entrants are named by their index.

    Args:
        tournament: the tournament.
        results: results of `Tournament.contests`, by key.
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
    def games(self) -> int:
        """Number of games played."""
        return sum(len(records) for _, _, records in self._played)

    @cached_property
    def rankings(self) -> list[GameRanking]:
        """All games by number: first game 0 of all pairings, then game 1 of all pairings, and so on."""
        numbered = [
            (record.number, stratum, GameRanking(table, record.placements, record.unit, stratum))
            for stratum, table, records in self._played
            for record in records
        ]
        return [placing for _, _, placing in sorted(numbered, key=lambda row: row[:2])]

    @cached_property
    def ratings(self) -> list[Rating]:
        """Ratings by entrant. Raises `RatingError` if entrants have no games after an interruption."""
        t = self.tournament
        return rate(t.names, self.rankings, anchor=t.anchor, anchor_elo=t.anchor_elo, seed=t.seed % 2**32)

    @cached_property
    def skills(self) -> list[Skill] | None:
        """Skills by entrant, for games with more than two players; else None."""
        return skills(self.tournament.names, self.rankings) if self.tournament.players > 2 else None

    @cached_property
    def rated(self) -> bool:
        """Whether the games so far determine ratings: every entrant has played, and a chain of games connects all."""
        try:
            return bool(self.ratings)
        except RatingError:
            return False

    @cached_property
    def order(self) -> list[int]:
        """The entrants, the best first."""
        return sorted(range(len(self.ratings)), key=lambda i: -self.ratings[i].elo)

    @cached_property
    def head_to_heads(self) -> dict[tuple[int, int], HeadToHead]:
        """Results of each pair of entrants that met."""
        units: dict[tuple[int, int], dict[tuple[int, int], list[_Share]]] = {}
        for stratum, table, records in self._played:
            for record in records:
                for (a, i), (b, j) in itertools.permutations(enumerate(table), 2):
                    better = record.placements[a] < record.placements[b]
                    worse = record.placements[a] > record.placements[b]
                    shares = units.setdefault((i, j), {}).setdefault((stratum, record.unit), [])
                    shares.append(_Share(record.seats.index(a), 0.5 + 0.5 * better - 0.5 * worse))
        return {pair: _meeting(list(of_pair.values()), self.tournament.players) for pair, of_pair in units.items()}

    @cached_property
    def times(self) -> list[TimeResult]:
        """Time and simulations of the answers, by entrant."""
        uses: list[list[TimeUse]] = [[] for _ in self.tournament.entrants]
        for _, table, records in self._played:
            for record in records:
                for entrant, use in zip(table, record.use, strict=False):  # records of older versions lack the time use
                    uses[entrant].append(use)
        return [time_result(of_one) for of_one in uses]

    @cached_property
    def failures(self) -> list[tuple[int, int, GameRecord, Failure]]:
        """Every game that was lost by forfeit: the contest's number, the entrant, the game, and the reason."""
        return [
            (stratum, table[failure.agent], record, failure)
            for stratum, table, records in self._played
            for record in records
            for failure in record.failures
        ]

    @cached_property
    def pairings(self) -> list[Pairing]:
        """The results of every contest."""
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

    @property
    def ratings_table(self) -> list[list[Cell]]:
        """The ratings, the best first; row 0 is the head. All reports of the tournament show these cells."""
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
        """Each entrant, the best first, with its meetings with all entrants in that order; None: they never met."""
        return [(i, [self.head_to_heads.get((i, j)) for j in self.order]) for i in self.order]

    def to_dict(self, *, running: bool = False) -> dict[str, Any]:
        """Return the result in a form for JSON, without the single games.

        The data name the entrants. Contests and games are numbered from 1.

        Args:
            running: whether games are being played now. Ratings and skills are included as soon as the games determine
                them.
        """
        names = self.tournament.names
        rated = self.rated
        return {
            "tournament": self.tournament.to_dict(),
            "games": self.games,
            "running": running,
            "interrupted": self.interrupted,
            "confidence": CONFIDENCE,
            "ratings": [asdict(self.ratings[i]) for i in self.order] if rated else [],
            "skills": None if self.skills is None or not rated else [
                {**asdict(skill), "ordinal": skill.ordinal} for skill in self.skills
            ],
            "meetings": [
                {"agent": names[i], "against": names[j], **_meeting_data(meeting)}
                for (i, j), meeting in sorted(self.head_to_heads.items())
            ],
            "pairings": [{**asdict(p), "entrants": [names[i] for i in p.entrants]} for p in self.pairings],
            "times": [{"name": name, **asdict(time)} for name, time in zip(names, self.times, strict=True)],
            "failures": [
                {"contest": contest + 1, "game": record.number + 1, "agent": names[entrant], "round": failure.round,
                 "kind": failure.kind, "reason": failure.reason}
                for contest, entrant, record, failure in self.failures[:QUOTED_FAILURES]
            ],
            "failed": len(self.failures),
            "facts": collect_provenance(),
        }  # fmt: skip

    def __str__(self) -> str:
        t, names = self.tournament, self.tournament.names
        asked = sum(pairing.games_asked for pairing in self.pairings)
        played = (
            f"{self.games} of {counted(asked, 'game')} (interrupted)"
            if self.interrupted
            else counted(self.games, "game")
        )
        lines = [f"{t.name}: {t.format} of {len(names)} agents, {t.players} players per game, {played}"]
        lines += align([[cell.text for cell in row] for row in self.ratings_table])
        if any(self.ratings[i].perfect for i in self.order):
            lines.append("  an agent won or lost all games: the prior decides the outer end of its interval")
        if stopped := sum(pairing.cut_off for pairing in self.pairings):
            lines.append(stopped_line(stopped, "at the round limit"))
        lines.append("")
        rows = [["score % of the row", *(names[j] for j in self.order)]]
        for i, meetings in self.crosstable:
            rows.append([names[i], *("" if m is None else percent(m.score) for m in meetings)])
        return "\n".join(lines + align(rows))


class _Share(NamedTuple):
    """A game of one entrant against another: its seat, and 1 for a win, 1/2 for a draw, 0 for a loss."""

    seat: int
    share: float


def _meeting(units: list[list[_Share]], players: int) -> HeadToHead:
    games = [game for unit in units for game in unit]
    total = sum(game.share for game in games)
    single = all(len(unit) == 1 for unit in units)
    interval = (
        wilson_interval(total, len(games))
        if single
        else unit_interval([sum(game.share for game in unit) / len(unit) for unit in units])
    )
    seats = tuple(_tally([game for game in games if game.seat == seat]) for seat in range(players))
    return HeadToHead(*_tally(games), total / len(games), interval, seats)


def _tally(games: list[_Share]) -> HeadToHeadScore:
    wins, draws = sum(game.share == 1 for game in games), sum(game.share == 0.5 for game in games)
    return HeadToHeadScore(len(games), wins, len(games) - wins - draws, draws)


def _meeting_data(meeting: HeadToHead) -> dict[str, Any]:
    return {
        **asdict(meeting),
        "interval": list(meeting.interval),
        "seats": [{"seat": seat + 1, **tally._asdict()} for seat, tally in enumerate(meeting.seats)],
    }
