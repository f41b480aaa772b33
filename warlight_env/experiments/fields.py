"""Tables of games between any number of agents, each with a budget of its own: methods against methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from warlight_env import maps
from warlight_env.arena.contests.course import Contest, ContestResult
from warlight_env.arena.contests.resumable import play_contests
from warlight_env.arena.playing.game_setup import Setup
from warlight_env.arena.ratings.likelihood import Placing, rate
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.rules import Rules
from warlight_env.experiments.base import QUICK_GAMES, RATE, ROUNDS, ExperimentOutcome
from warlight_env.experiments.experiment_settings import Advance, ExperimentSettings
from warlight_env.experiments.players import QUICK_SIMULATIONS, By, with_parameters
from warlight_env.experiments.rows import Row, share_row
from warlight_env.folder_lock import FolderLock

#: Rounds of a game where a run is only to show that everything works.
QUICK_ROUNDS = 8

#: The tree search alone, without local search on its answer.
TREE = "mcts:refine=0"


@dataclass(frozen=True)
class Side:
    """An agent with its budget a move: simulations, seconds, or none.

    cost: seconds a move, as an estimate, where neither tells.
    """

    spec: str
    simulations: int | None = None
    seconds: float | None = None
    cost: float = 0.0

    def source(self, quick: bool) -> str:
        """Its specification; quick: with hardly any budget."""
        if quick:
            limited = self.simulations is not None or self.seconds is not None or self.cost > 0
            return with_parameters(self.spec, {"sims": str(QUICK_SIMULATIONS)} if limited else {})
        if self.simulations is not None:
            return with_parameters(self.spec, {"sims": str(self.simulations)})
        if self.seconds is not None:
            return with_parameters(self.spec, {"secs": f"{self.seconds:g}"})
        return self.spec

    @property
    def move(self) -> float:
        """Seconds a move, about."""
        if self.simulations is not None:
            return self.simulations / RATE
        return self.cost if self.seconds is None else self.seconds


@dataclass(frozen=True)
class Field:
    """Games of some sides with one another: one row, or one for each side.

    label: of the row, or what all of them begin with. team: the sides whose wins count; (): a row for each side.
    theirs: the share that the authors give, and how they put it. pool: sides are rated by the games of all fields with
    the same pool; "": not rated. rounds: of a game, as an estimate. max_rounds: after which a game is drawn; None: as
    the rules say.
    """

    label: str
    sides: tuple[Side, ...]
    games: int
    team: tuple[int, ...] = (0,)
    map: str = "world"
    theirs: float | None = None
    theirs_sample: str = ""
    pool: str = ""
    rounds: int = ROUNDS
    max_rounds: int | None = None

    def contest(self, settings: ExperimentSettings, number: int) -> Contest:
        """Its games."""
        setup = Setup(
            agents=tuple(side.source(settings.quick) for side in self.sides),
            map=maps.load(self.map),
            rules=Rules(),
            seed=derive_seed(settings.seed, number),
            paired=False,
            picks="random",
            max_rounds=QUICK_ROUNDS if settings.quick else self.max_rounds,
        )
        return Contest(self.label, setup, QUICK_GAMES if settings.quick else self.games)

    def rows(self, result: ContestResult) -> list[Row]:
        """Shares of games won, of several sides together; where each has its row, with the time of its moves."""
        winners = [record.winner for record in result.records]
        if not winners:
            return []
        teams = [self.team] if self.team else [(side,) for side in range(len(self.sides))]
        found = []
        for team in teams:
            wins = sum(winner in team for winner in winners)
            draws = winners.count(None)
            even = len(team) / len(self.sides)
            row = share_row(self.label, wins, len(winners) - wins - draws, draws, None, even)
            if not self.team:
                used = [record.use[team[0]] for record in result.records]
                move = sum(use.seconds for use in used) / sum(use.answers for use in used)
                sample = f"{row.sample}; {1000 * move:.2g} ms a move"
                row = replace(row, label=f"{self.label}: {self.sides[team[0]].spec}", sample=sample)
            found.append(replace(row, thesis=self.theirs, thesis_sample=self.theirs_sample))
        return found


@dataclass(frozen=True)
class FieldTable:
    """A table of fields. finding: what the authors of the method found, in their game."""

    name: str
    title: str
    setting: str
    finding: str
    fields: tuple[Field, ...]
    agents: tuple[str, ...] = ("",)
    budget: By | None = "simulations"

    def contests(self, settings: ExperimentSettings) -> list[Contest]:
        """The fields' games."""
        return [field.contest(settings, number) for number, field in enumerate(self.fields)]

    def units(self, settings: ExperimentSettings) -> int:
        """Games."""
        return sum(contest.n_games for contest in self.contests(settings))

    def seconds(self, settings: ExperimentSettings) -> float:
        """How long it may take, on one core."""
        if settings.quick:
            return 0.1 * self.units(settings)
        return sum(field.games * field.rounds * sum(side.move for side in field.sides) for field in self.fields)

    def run(self, settings: ExperimentSettings, folder: Path | FolderLock, advance: Advance) -> ExperimentOutcome:
        """Play it, or go on with what the folder holds."""
        results = play_contests(
            self.contests(settings), jobs=settings.jobs, backend=settings.backend, folder=folder,
            on_games=lambda key, records: advance(len(records), key),
        )  # fmt: skip
        rows = [row for field in self.fields for row in field.rows(results[field.label])]
        for pool in dict.fromkeys(field.pool for field in self.fields if field.pool):
            rows += _ratings(pool, [(f, results[f.label]) for f in self.fields if f.pool == pool])
        seconds = sum(record.seconds for result in results.values() for record in result.records)
        return ExperimentOutcome(rows, any(result.interrupted for result in results.values()), seconds)


def _ratings(pool: str, played: Sequence[tuple[Field, ContestResult]]) -> list[Row]:
    """Elo of the sides of a pool, the best first, once each of them has played; their mean is 0."""
    if not all(result.records for _, result in played):
        return []
    names = list(dict.fromkeys(side.spec for field, _ in played for side in field.sides))
    records = [(field, record) for field, result in played for record in result.records]
    games = [
        Placing(tuple(names.index(side.spec) for side in field.sides), record.placements, unit)
        for unit, (field, record) in enumerate(records)
    ]
    ratings = sorted(rate(names, games), key=lambda rating: -rating.elo)
    return [Row(f"Elo of {r.name}, {pool}", r.elo, r.low, r.high, None, f"{r.games} games", digits=0) for r in ratings]
