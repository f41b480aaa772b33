"""Tables that compare methods: games between any number of agents, each with its own budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from warlight_env import maps
from warlight_env.arena.contests.contest_progress import Contest, ContestResult
from warlight_env.arena.games.game_setup import MatchSetup
from warlight_env.arena.ratings.bradley_terry import GameRanking, rate
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.rules import Rules
from warlight_env.experiments.base import QUICK_GAMES, ROUNDS, SIMULATIONS_PER_SECOND, GameTable
from warlight_env.experiments.experiment_settings import ExperimentSettings
from warlight_env.experiments.players import QUICK_SIMULATIONS, BudgetType, with_parameters
from warlight_env.experiments.rows import Row, win_rate_row

#: Rounds of a game in a quick run, which only tests that everything works.
QUICK_ROUNDS = 8

#: The tree search without the local search that usually follows it.
TREE = "mcts:local_search=0"


@dataclass(frozen=True)
class Side:
    """An agent with its budget per move: simulations, seconds, or none.

    Attributes:
        cost: estimated seconds per move, for an agent without a budget.
    """

    spec: str
    simulations: int | None = None
    seconds: float | None = None
    cost: float = 0.0

    def source(self, quick: bool) -> str:
        """Return the agent's specification, a text; with `quick`, the agent has a tiny budget."""
        if quick:
            limited = self.simulations is not None or self.seconds is not None or self.cost > 0
            return with_parameters(self.spec, {"sims": str(QUICK_SIMULATIONS)} if limited else {})
        if self.simulations is not None:
            return with_parameters(self.spec, {"sims": str(self.simulations)})
        if self.seconds is not None:
            return with_parameters(self.spec, {"secs": f"{self.seconds:g}"})
        return self.spec

    @property
    def seconds_per_move(self) -> float:
        """Estimated seconds per move."""
        if self.simulations is not None:
            return self.simulations / SIMULATIONS_PER_SECOND
        return self.cost if self.seconds is None else self.seconds


@dataclass(frozen=True)
class Comparison:
    """Games between some sides, as one row of a table or as one row for each side.

    Attributes:
        label: label of the row, or the beginning of the labels of all rows.
        team: the sides whose wins count together; (): a row for each side.
        published: the share of wins that the authors of the method published.
        published_sample: the number and kind of the authors' games, in their own words.
        pool: a name. The sides of all comparisons with the same pool are rated together; "": no ratings.
        rounds: estimated rounds of a game.
        max_rounds: a game without a winner after this number of rounds is a draw; None: as in the rules.
    """

    label: str
    sides: tuple[Side, ...]
    games: int
    team: tuple[int, ...] = (0,)
    map: str = "world"
    published: float | None = None
    published_sample: str = ""
    pool: str = ""
    rounds: int = ROUNDS
    max_rounds: int | None = None

    def contest(self, settings: ExperimentSettings, number: int) -> Contest:
        """Return the games of the comparison."""
        setup = MatchSetup(
            agents=tuple(side.source(settings.quick) for side in self.sides),
            map=maps.load(self.map),
            rules=Rules(),
            seed=derive_seed(settings.seed, number),
            paired=False,
            picks="random",
            max_rounds=QUICK_ROUNDS if settings.quick else self.max_rounds,
        )
        return Contest(self.label, setup, settings.count(self.games, QUICK_GAMES))

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
            row = win_rate_row(self.label, wins, len(winners) - wins - draws, draws, None, even)
            if not self.team:
                usage = [record.use[team[0]] for record in result.records]
                move = sum(use.seconds for use in usage) / sum(use.answers for use in usage)
                sample = f"{row.sample}; {1000 * move:.2g} ms a move"
                row = replace(row, label=f"{self.label}: {self.sides[team[0]].spec}", sample=sample)
            row_list.append(replace(row, thesis=self.published, thesis_sample=self.published_sample))
        return row_list


@dataclass(frozen=True, kw_only=True)
class ComparisonTable(GameTable):
    """A table of comparisons."""

    comparisons: tuple[Comparison, ...]
    agents: tuple[str, ...] = ("",)
    budget: BudgetType | None = "simulations"

    def contests(self, settings: ExperimentSettings) -> list[Contest]:
        return [field.contest(settings, number) for number, field in enumerate(self.comparisons)]

    def seconds(self, settings: ExperimentSettings) -> float:
        if settings.quick:
            return 0.1 * self.units(settings)
        return sum(
            settings.count(field.games, QUICK_GAMES) * field.rounds * sum(side.seconds_per_move for side in field.sides)
            for field in self.comparisons
        )

    def rows(self, results: Mapping[str, ContestResult]) -> list[Row]:
        rows = [row for field in self.comparisons for row in field.rows(results[field.label])]
        for pool in dict.fromkeys(field.pool for field in self.comparisons if field.pool):
            rows += _ratings(pool, [(f, results[f.label]) for f in self.comparisons if f.pool == pool])
        return rows


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
