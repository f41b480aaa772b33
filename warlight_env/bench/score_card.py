"""The score card of a policy: its score in each row of a suite, on each map, and in total."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from warlight_env.arena.contests.contest_progress import ContestResult
from warlight_env.arena.contests.provenance import collect_provenance, format_provenance
from warlight_env.arena.games.game_record import GameRecord
from warlight_env.arena.ratings.statistics import CONFIDENCE, Interval, unit_interval, wilson_interval
from warlight_env.arguments import is_number, short_repr
from warlight_env.bench.suite import BenchError, Suite

#: The version number of the data format of score cards.
FORMAT: Final = 1


@dataclass(frozen=True)
class ScoreCardRow:
    """The results of a policy against one opponent on one map. In the score, a draw counts as half a win."""

    map: str
    opponent: str
    games: int
    wins: int
    losses: int
    draws: int
    score: float
    interval: Interval
    mean_rounds: float
    illegal: int  #: the number of illegal orders of the policy; the games ignored them
    forfeits: int  #: the number of games that were lost because the policy failed
    seconds_a_move: float  #: the mean number of seconds that the policy needs for a pick or a turn


@dataclass(frozen=True)
class Score:
    """The mean of the scores in several rows, with equal weights, and the confidence interval of this mean."""

    score: float
    interval: Interval
    games: int


@dataclass(frozen=True)
class ScoreCard:
    """The results of a policy in a suite.

    Attributes:
        rows: the results against each opponent on each map.
        total: the score over all rows of the suite; None if some rows were not played.
        maps: a dict from the name of each map on which all opponents were played to the score on this map.
        reduced: None if all games of the suite were played. If fewer games were played, `reduced` is the number of
            played games per row, and the scores are not comparable with other score cards.
    """

    suite: str
    policy: str
    settings: dict[str, Any]
    rows: tuple[ScoreCardRow, ...]
    maps: dict[str, Score]
    total: Score | None
    reduced: int | None
    interrupted: bool
    facts: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the score card as JSON data."""
        data = asdict(self)
        for part in [*data["rows"], *data["maps"].values(), *([data["total"]] if data["total"] else [])]:
            part["interval"] = list(part["interval"])
        return {"format": FORMAT, "confidence": CONFIDENCE, **data, "rows": list(data["rows"])}

    def to_markdown(self) -> str:
        """Return the score card as a Markdown text."""
        lines = [f"# {self.policy} on {self.suite}", ""]
        if self.reduced is not None:
            lines += [
                f"**{self.reduced} games per row, fewer than in the suite: not comparable with other cards.**",
                "",
            ]
        if self.interrupted:
            lines += ["**Interrupted: this card contains only the results of the finished games.**", ""]
        if self.total is not None:
            total = f"{100 * self.total.score:.1f} ({_ends(self.total.interval)})"
            lines += [f"Score **{total}** over {self.total.games} games.", ""]
        lines += ["| map | opponent | score | 95 % | won : lost : drawn | rounds | illegal | forfeits | ms/move |"]
        lines += ["|---|---|---:|---:|---:|---:|---:|---:|---:|"]
        for name in dict.fromkeys(row.map for row in self.rows):
            for row in self.rows:
                if row.map == name:
                    lines.append(
                        f"| {row.map} | {row.opponent} | {100 * row.score:.1f} | {_ends(row.interval)} "
                        f"| {row.wins} : {row.losses} : {row.draws} | {row.mean_rounds:.1f} | {row.illegal} "
                        f"| {row.forfeits} | {1000 * row.seconds_a_move:.3g} |"
                    )
            if name in self.maps:
                score = self.maps[name]
                lines.append(
                    f"| **{name}** | **all** | **{100 * score.score:.1f}** | {_ends(score.interval)} | | | | | |"
                )
        settings = ", ".join(f"{key} {value}" for key, value in self.settings.items() if value is not None)
        lines += [
            "",
            "A score is the mean win rate in per cent; a draw counts as half a win, and all rows have equal weight.",
            "",
        ]
        lines += [f"*{settings + '; ' if settings else ''}{format_provenance(self.facts)}.*", ""]
        return "\n".join(lines)


def make_card(
    suite: Suite, policy: str, results: Mapping[str, ContestResult], settings: dict[str, Any], games: int | None = None
) -> ScoreCard:
    """Make the score card of a policy from the results of its games.

    Args:
        suite: the suite.
        policy: the name of the policy.
        results: a dict from the key of each `SuiteRow` that was played to the result of its contest.
        settings: the settings of the run that the score card shows.
        games: the number of games per row, if the run played fewer games than the suite has. An odd number of games is
            rounded up to an even number.

    Raises:
        BenchError: the suite or the results have a wrong type.
    """
    if not isinstance(suite, Suite):
        raise BenchError(f"suite = {short_repr(suite)}: must be a Suite")
    if not isinstance(results, Mapping) or not all(isinstance(result, ContestResult) for result in results.values()):
        raise BenchError(f"results = {short_repr(results)}: must be a dict from `SuiteRow.key` to `ContestResult`")
    rows, shares = [], []
    is_complete = {row.map: True for row in suite.rows}
    for row in suite.rows:
        result = results.get(row.key)
        if result is None or not result.records:
            is_complete[row.map] = False
            continue
        is_complete[row.map] &= not result.interrupted
        units = _units(result.records)
        rows.append(_row(row.map, row.opponent, result.records, units))
        shares.append((row.map, units))
    scores = {
        name: score_of([u for map_, u in shares if map_ == name]) for name, is_full in is_complete.items() if is_full
    }
    return ScoreCard(
        suite=suite.name,
        policy=policy,
        settings=settings,
        rows=tuple(rows),
        maps=scores,
        total=score_of([units for _, units in shares]) if all(is_complete.values()) else None,
        reduced=None if games is None or all(games >= row.games for row in suite.rows) else games + games % 2,
        interrupted=any(result.interrupted for result in results.values()),
        facts=collect_provenance(),
    )


def score_of(rows: Sequence[Sequence[float]]) -> Score:
    """Return the mean of the mean scores of several rows, and a confidence interval of this mean.

    rows: for each row of the score card, a list with the score in each unit of games. A unit is two games with the same
    seed and swapped seats.

    The result contains Wilson's interval (as in `unit_interval`) for an effective number of games. This number of
    independent games gives a mean score with the same variance as the mean of the rows. The variance in a row is
    estimated from the played units and one additional unit whose score differs by 1/2 from the mean, so that the
    estimate is never 0.

    Raises:
        BenchError: there is no row, a row is empty, or a score is not a number in 0 .. 1.
    """
    is_valid = isinstance(rows, list | tuple) and all(isinstance(units, list | tuple) and units for units in rows)
    if not is_valid or not rows or not all(is_number(x) and 0 <= x <= 1 for units in rows for x in units):
        raise BenchError(f"rows = {short_repr(rows)}: must be nonempty lists of scores in 0 .. 1")
    means = [math.fsum(units) / len(units) for units in rows]
    score = math.fsum(means) / len(rows)
    games = 2 * sum(len(units) for units in rows)
    if score in (0.0, 1.0):
        return Score(score, wilson_interval(score * games / 2, games / 2), games)
    variance = (
        math.fsum(
            (math.fsum((x - mean) ** 2 for x in units) + 0.25) / len(units) ** 2
            for units, mean in zip(rows, means, strict=True)
        )
        / len(rows) ** 2
    )
    effective = score * (1 - score) / variance
    return Score(score, wilson_interval(score * effective, effective), games)


def _units(records: Sequence[GameRecord]) -> list[float]:
    """Return the score of agent 0 in each unit of two games."""
    units: dict[int, list[float]] = {}
    for record in records:
        place, other = record.placements
        units.setdefault(record.unit, []).append(0.5 + 0.5 * (place < other) - 0.5 * (place > other))
    return [sum(scores) / len(scores) for scores in units.values()]


def _row(map_: str, opponent: str, records: Sequence[GameRecord], units: Sequence[float]) -> ScoreCardRow:
    wins = sum(record.placements[0] < record.placements[1] for record in records)
    losses = sum(record.placements[0] > record.placements[1] for record in records)
    answers = sum(record.use[0].answers for record in records if record.use)
    seconds = sum(record.use[0].seconds for record in records if record.use)
    return ScoreCardRow(
        map=map_,
        opponent=opponent,
        games=len(records),
        wins=wins,
        losses=losses,
        draws=len(records) - wins - losses,
        score=sum(units) / len(units),
        interval=unit_interval(units),
        mean_rounds=sum(record.rounds for record in records) / len(records),
        illegal=sum(record.dropped[0] for record in records),
        forfeits=sum(failure.agent == 0 for record in records for failure in record.failures),
        seconds_a_move=seconds / max(1, answers),
    )


def _ends(interval: Interval) -> str:
    return f"{100 * interval.low:.1f} – {100 * interval.high:.1f}"
