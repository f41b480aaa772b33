"""Tables of games between any number of sides, each with its own budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from warlight_env import maps
from warlight_env.arena.contests.contest_progress import Contest, ContestResult
from warlight_env.arena.contests.contest_runner import play_contests
from warlight_env.arena.games.game_loop import Picks
from warlight_env.arena.games.game_setup import MatchSetup
from warlight_env.arena.ratings.bradley_terry import GameRanking, rate
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.rules import Rules
from warlight_env.experiments.base import BudgetType, Experiment, ExperimentOutcome, ExperimentSettings, OnProgress
from warlight_env.experiments.players import Side
from warlight_env.experiments.rows import Row, WinLoss, number_row, win_rate_row
from warlight_env.folder_lock import FolderLock

#: Number of games for each row of a table in a quick run, which only tests that everything works.
QUICK_GAMES = 2

#: Rounds of a game in a quick run of a table with `GameTable.short_when_quick`.
QUICK_ROUNDS = 8

#: For estimates of a run's duration: rounds of a game.
ROUNDS = 30

#: The tree search without the local search that usually follows it.
TREE = "mcts:local_search=0"


@dataclass(frozen=True)
class Comparison:
    """Games between some sides, as one row of a table or as one row for each side.

    Attributes:
        label: label of the row, or the beginning of the labels of all rows.
        team: the sides whose wins count together; (): a row for each side.
        thesis: the result of the first side in the thesis.
        published: the share of wins that the authors of another method published, and the number and kind of these
            authors' games, in their own words.
        pool: a name. The sides of all comparisons with the same pool are rated together; "": no ratings.
        rounds: estimated rounds of a game.
        max_rounds: a game without a winner after this number of rounds is a draw; None: as in the rules.
    """

    label: str
    sides: tuple[Side, ...]
    games: int
    team: tuple[int, ...] = (0,)
    map: str = "world"
    thesis: WinLoss | None = None
    published: tuple[float, str] | None = None
    pool: str = ""
    rounds: int = ROUNDS
    max_rounds: int | None = None

    def rows(self, result: ContestResult) -> list[Row]:
        """Return the row of the team; without a team, return a row for each side, with its time per move."""
        winners = [record.winner for record in result.records]
        if not winners:
            return []
        teams = [self.team] if self.team else [(side,) for side in range(len(self.sides))]
        row_list = []
        for team in teams:
            wins = sum(winner in team for winner in winners)
            draws = winners.count(None)
            even = len(team) / len(self.sides)
            row = win_rate_row(self.label, wins, len(winners) - wins - draws, draws, self.thesis, even)
            if not self.team:
                usage = [record.use[team[0]] for record in result.records]
                move = sum(use.seconds for use in usage) / sum(use.answers for use in usage)
                sample = f"{row.sample}; {1000 * move:.2g} ms a move"
                row = replace(row, label=f"{self.label}: {self.sides[team[0]].spec}", sample=sample)
            if self.published is not None:
                share, games = self.published
                row = replace(row, thesis=share, thesis_sample=games)
            row_list.append(row)
        return row_list


@dataclass(frozen=True, kw_only=True)
class GameTable(Experiment):
    """A table of games: shares of games that a team won, or numbers of rounds.

    Attributes:
        thesis_rounds: mean rounds of a game in the thesis; if given, each row has the mean rounds of its games.
        short_when_quick: whether the games of a quick run end after `QUICK_ROUNDS` rounds.
    """

    comparisons: tuple[Comparison, ...]
    rules: Rules = Rules()  # noqa: RUF009 -- frozen
    picks: Picks = "random"
    thesis_rounds: float | None = None
    short_when_quick: bool = False

    def contests(self, settings: ExperimentSettings) -> list[Contest]:
        """Return the games of each comparison as a `Contest`."""
        contest_list = []
        for number, comparison in enumerate(self.comparisons):
            setup = MatchSetup(
                agents=tuple(side.source(settings) for side in comparison.sides),
                map=maps.load(comparison.map),
                rules=self.rules,
                seed=derive_seed(settings.seed, number),
                paired=False,
                picks=self.picks,
                max_rounds=QUICK_ROUNDS if settings.quick and self.short_when_quick else comparison.max_rounds,
            )
            contest_list.append(Contest(comparison.label, setup, settings.count(comparison.games, QUICK_GAMES)))
        return contest_list

    def units(self, settings: ExperimentSettings) -> int:
        return sum(contest.n_games for contest in self.contests(settings))

    def seconds(self, settings: ExperimentSettings) -> float:
        if settings.quick:
            return 0.1 * self.units(settings)
        total = 0.0
        for comparison in self.comparisons:
            rounds = settings.count(comparison.games, QUICK_GAMES) * comparison.rounds
            total += rounds * sum(side.seconds_per_move(settings.budget_type) for side in comparison.sides)
        return total

    def run(self, settings: ExperimentSettings, folder: Path | FolderLock, advance: OnProgress) -> ExperimentOutcome:
        results = play_contests(
            self.contests(settings), jobs=settings.jobs, backend=settings.backend, folder=folder,
            on_games=lambda key, records: advance(len(records), key),
        )  # fmt: skip
        seconds = sum(record.seconds for result in results.values() for record in result.records)
        return ExperimentOutcome(self.rows(results), any(result.interrupted for result in results.values()), seconds)

    def rows(self, results: Mapping[str, ContestResult]) -> list[Row]:
        """Return the rows of the table. results: the results of the contests, by the labels of the comparisons."""
        if self.thesis_rounds is not None:
            lengths = {label: [[float(record.rounds)] for record in results[label].records] for label in results}
            return [
                number_row(label, rounds, "mean", self.thesis_rounds, "games")
                for label, rounds in lengths.items()
                if rounds
            ]
        rows = [row for comparison in self.comparisons for row in comparison.rows(results[comparison.label])]
        for pool in dict.fromkeys(comparison.pool for comparison in self.comparisons if comparison.pool):
            rows += _ratings(pool, [(c, results[c.label]) for c in self.comparisons if c.pool == pool])
        return rows


@dataclass(frozen=True, kw_only=True)
class ComparisonTable(GameTable):
    """A table that compares methods: the bots and their budgets do not depend on the settings of a run."""

    agents: tuple[str, ...] = ("",)
    budget: BudgetType | None = "simulations"
    short_when_quick: bool = True


def _ratings(pool: str, results: Sequence[tuple[Comparison, ContestResult]]) -> list[Row]:
    """Return the Elo ratings of a pool's sides, best first, if all its comparisons have games; the mean rating is 0."""
    if not all(result.records for _, result in results):
        return []
    names = list(dict.fromkeys(side.spec for field, _ in results for side in field.sides))
    records = [(field, record) for field, result in results for record in result.records]
    games = [
        GameRanking(tuple(names.index(side.spec) for side in field.sides), record.placements, unit)
        for unit, (field, record) in enumerate(records)
    ]
    ratings = sorted(rate(names, games), key=lambda rating: -rating.elo)
    return [Row(f"Elo of {r.name}, {pool}", r.elo, r.low, r.high, None, f"{r.games} games", digits=0) for r in ratings]
