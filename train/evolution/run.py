"""Evolution of the evaluation: CMA-ES over weights of the evaluation and parameters of the search, in stages.

The first stages use players that need little time. The algorithm is CMA-ES (Hansen, "The CMA Evolution Strategy: A
Tutorial", arXiv:1604.00772); the package `cma` implements it. The fitness of a candidate is its mean score in paired
games. All candidates of a generation play against the same rivals with the same seeds. Each seed gives two games with
exchanged seats. Every generation has its own seeds. Three methods reduce the effect of chance on the result:

- Each candidate's games are split into two halves. The rank correlation between the scores in the first and in the
  second half of the games measures how reliable the ranks are. Later generations play more games if the rank
  correlation is low, and fewer games if the rank correlation is high (`next_units`).
- The run returns the mean of CMA-ES's search distribution, because a single candidate can have a high score by luck.
- The mean becomes the champion (the best weights so far) only if it beats the old champion in a review, a match with
  new seeds. To win a review, the new mean needs a score whose 95 % confidence interval is above one half.

The journal and the settings determine the rest of the run, so a killed run continues with the same result.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env import maps
from warlight_env.agents.players.compiled import COMPILED
from warlight_env.agents.registry import parse
from warlight_env.arena.backends.backend import Backend
from warlight_env.arena.contests.contest_progress import Contest
from warlight_env.arena.contests.contest_runner import play_contests
from warlight_env.arena.games.game_setup import AgentSource, MatchSetup
from warlight_env.arena.matches.match_score import score
from warlight_env.arena.ratings.statistics import unit_interval
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.rules import Rules
from warlight_env.errors import RunError
from warlight_env.train.common.conditions import Conditions
from warlight_env.train.common.journal import JournalError
from warlight_env.train.common.report import Line, Report, percent
from warlight_env.train.evolution.settings import CHAMPION, HALL, START, EvolveSettings, Stage
from warlight_env.train.weights.duel_batches import Duels, plays_compiled
from warlight_env.train.weights.genes import CandidatePlayer, ParameterVector, SearchSpace
from warlight_env.train.weights.trainer import WeightsTrainer

#: An opponent: another candidate, or the name of any agent.
Rival = ParameterVector | str

#: The number of former champions (earlier best weights) against which the candidates play.
_HALL_SIZE: Final = 2
#: Bounds of the reliability of ranks. Below the first, the next generation plays more games; above the second, fewer.
_TRUST: Final = (0.5, 0.8)
#: Numbers for `derive_seed`, so that generations, reviews and CMA-ES have their own seeds.
_GENERATION, _REVIEW, _SAMPLING = 1, 2, 3


class CompiledTable:
    """Plays games of one-ply players against their opponents (rivals) in compiled code; see `Duels`."""

    def __init__(self, conditions: Conditions, samples: int, jobs: int) -> None:
        c = conditions
        self._duels = Duels(c.map, c.rules, picks=c.picks, samples=samples, max_rounds=c.max_rounds, jobs=jobs)

    def scores(
        self, players: Sequence[ParameterVector], rivals: Sequence[Rival], units: int, seed: int, name: str
    ) -> npt.NDArray[np.float64]:
        """Return the scores of A players against R opponents (rivals), float64[A, R, 2 · units].

        A unit is a pair of games with one seed and exchanged seats. All players and rivals play with the same seeds.
        """
        opponents = [rival if isinstance(rival, str) else rival.weights for rival in rivals]
        return self._duels.scores([player.weights for player in players], opponents, units, seed)


class ArenaTable:
    """Plays games of any agents in the match engine, in processes or on a cluster.

    Each call stores its games in a folder, so that a killed run can continue. The folder with the games is removed
    after the last game, because the journal (the log of the run) then contains the scores.
    """

    def __init__(self, conditions: Conditions, spec: str, jobs: int, backend: str | Backend, folder: Path) -> None:
        self._conditions, self._spec = conditions, spec
        self._jobs, self._backend, self._folder = jobs, backend, folder

    def source(self, rival: Rival) -> AgentSource:
        """Return the source of the agent that plays as the opponent `rival`."""
        return rival if isinstance(rival, str) else CandidatePlayer.from_candidate(self._spec, rival)

    def scores(
        self, players: Sequence[ParameterVector], rivals: Sequence[Rival], units: int, seed: int, name: str
    ) -> npt.NDArray[np.float64]:
        """See `CompiledTable.scores`."""
        c = self._conditions
        map_, rules = maps.load(c.map), Rules.of(c.rules)

        def contest(i: int, j: int) -> Contest:
            agents = (self.source(players[i]), self.source(rivals[j]))
            return Contest(f"{i}-{j}", MatchSetup(agents, map_, rules, seed, True, c.picks, c.max_rounds), 2 * units)

        contests = [contest(i, j) for i in range(len(players)) for j in range(len(rivals))]
        results = play_contests(contests, jobs=self._jobs, backend=self._backend, folder=self._folder / name)
        if any(result.interrupted for result in results.values()):
            raise KeyboardInterrupt
        shutil.rmtree(self._folder / name)
        scores = [[score(record, 0) for record in results[contest.key].records] for contest in contests]
        return np.array(scores).reshape(len(players), len(rivals), 2 * units)


def make_table(
    conditions: Conditions, spec: str, rivals: Sequence[str], jobs: int, backend: str | Backend, folder: Path
) -> CompiledTable | ArenaTable:
    """Return an object of the fastest class of games that supports the player, the opponents (rivals) and the rules."""
    info, values = parse(spec)
    compiled = all(rival in COMPILED for rival in rivals)
    if info.name == "one_ply" and "weights" not in values and compiled and plays_compiled(Rules.of(conditions.rules)):
        samples: Any = values.get("samples", info.parameters["samples"].default)
        return CompiledTable(conditions, samples, jobs)
    return ArenaTable(conditions, spec, jobs, backend, folder)


def next_units(units: int, halves: npt.NDArray[np.float64], minimum: int, maximum: int) -> tuple[int, float]:
    """Return the number of seeds for the next generation, and the reliability of this generation's ranks, from -1 to 1.

    halves: float64[2, A], the score of each of A candidates in both halves of its games. The reliability is the
    expected rank correlation between two full sets of games. The Spearman-Brown formula computes the reliability from
    the rank correlation between the two halves.
    """
    first, second = (_ranks(half) for half in halves)
    spread = float(first.std() * second.std())
    correlation = float(((first - first.mean()) * (second - second.mean())).mean()) / spread if spread > 0 else 0.0
    trust = 2 * correlation / (1 + correlation) if correlation > 0 else correlation
    if trust < _TRUST[0]:
        return min(maximum, math.ceil(1.5 * units)), trust
    return max(minimum, round(units / 1.25)) if trust > _TRUST[1] else units, trust


def _ranks(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the rank of each value in ascending order; equal values get the mean of their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[inverse]


@dataclass
class Progress:
    """The state of a run of evolution."""

    champion: ParameterVector
    hall: list[ParameterVector]


@dataclass(frozen=True)
class _StartedStage:
    """A stage with the data that all its generations share."""

    number: int  #: the index of the stage, from 0
    stage: Stage
    table: CompiledTable | ArenaTable  #: plays the games
    genome: SearchSpace  #: the parameters that the stage changes
    base: ParameterVector  #: the other parameters


class Evolution(WeightsTrainer[EvolveSettings]):
    """A run of evolution; see `Trainer`."""

    command, progress_name, unit = "evolve", "evolution", "generations"
    unit_event = "generation"
    title = "Evolution of the evaluation"

    def _prepare(self) -> None:
        self.start = self.settings.start
        for stage in self.settings.stages:
            self._table(stage)

    @staticmethod
    def total(settings: EvolveSettings) -> int:
        """See `Trainer.total`."""
        return sum(stage.generations for stage in settings.stages)

    @staticmethod
    def progress(entry: dict[str, Any]) -> str:
        """See `Trainer.progress`."""
        return f"stage {entry['stage'] + 1}, best {max(entry['scores']):.2f}"

    def player(self) -> str:
        """See `WeightsTrainer.player`."""
        return self.settings.stages[-1].player

    def run(self) -> ParameterVector:
        """See `Trainer.run`; returns the last champion."""
        progress = Progress(self.start, [])
        for number, stage in enumerate(self.settings.stages):
            self._stage(number, stage, progress)
        return progress.champion

    def describe_course(self, report: Report, result: dict[str, Any]) -> None:
        """See `WeightsTrainer.describe_course`."""
        entries = self.journal.entries
        generations = [e for e in entries if e["event"] == "generation"]
        reviews = [e for e in entries if e["event"] == "review"]
        done, games = 0, []
        for entry in entries:
            done += entry["games"]
            if entry["event"] == "review":
                games.append(done)
        against = [e["against_start_interval"] for e in reviews]
        mean = Line(
            "mean of the distribution", games, [e["against_start"] for e in reviews], *zip(*against, strict=True)
        )
        report.curves([mean], "games played", "score against the start", mark=0.5)
        of_generations = range(1, len(generations) + 1)
        best = Line("best of the generation", of_generations, [max(e["scores"]) for e in generations])
        middle = Line(
            "mean of the generation", of_generations, [sum(e["scores"]) / len(e["scores"]) for e in generations]
        )
        report.curves([best, middle], "generation", "score against the rivals", mark=0.5)
        trust = Line("reliability of ranks", of_generations, [e["trust"] for e in generations])
        report.curves([trust], "generation", "rank correlation")
        report.table(
            ["stage", "generation", "score against the champion", "against the start", "champion"],
            [
                [
                    str(e["stage"] + 1), str(e["generation"] + 1), percent(e["score"], e["interval"]),
                    percent(e["against_start"], e["against_start_interval"]), "new" if e["promoted"] else "stays",
                ]
                for e in reviews
            ],
        )  # fmt: skip

    def _table(self, stage: Stage) -> CompiledTable | ArenaTable:
        rivals = [rival for rival in stage.opponents if rival not in (START, CHAMPION, HALL)]
        folder = self.journal.folder / "games"
        return make_table(self.settings.conditions, stage.player, rivals, self._jobs, self._backend, folder)

    def _rivals(self, stage: Stage, progress: Progress) -> list[Rival]:
        rivals: list[Rival] = []
        for name in stage.opponents:
            named = {START: [self.start], CHAMPION: [progress.champion], HALL: progress.hall[-_HALL_SIZE:]}
            for rival in named.get(name, [name]):
                if rival not in rivals:
                    rivals.append(rival)
        return rivals

    def _stage(self, number: int, stage: Stage, progress: Progress) -> None:
        import cma

        settings = self.settings
        genome, base = SearchSpace(stage.parameters or settings.parameters), progress.champion
        started = _StartedStage(number, stage, self._table(stage), genome, base)
        rng = np.random.default_rng(0)  # the state of the generator is set before each use

        options = {
            "bounds": list(genome.bounds), "randn": lambda *shape: rng.standard_normal(shape), "seed": np.nan,
            "verbose": -9, "verb_log": 0, "verb_disp": 0,
        }  # fmt: skip
        if stage.population:
            options["popsize"] = stage.population
        strategy = cma.CMAEvolutionStrategy(genome.encode(base), stage.sigma, options)
        units = stage.pairs
        for generation in range(stage.generations):
            rng = np.random.default_rng([settings.seed, _SAMPLING, number, generation])
            points = strategy.ask()
            entry = self.once(
                {"event": "generation", "stage": number, "generation": generation},
                lambda: self._generation(started, generation, points, units, progress),  # noqa: B023
            )
            if not _same_points(entry["points"], points):
                raise JournalError(
                    f"{self.journal.folder}: stage {number + 1}, generation {generation + 1} differs from the journal; "
                    "continue with the versions of cma and numpy that started the run"
                )
            if np.shape(entry["scores"]) != (len(points),):
                raise JournalError(
                    f"{self.journal.folder}: stage {number + 1}, generation {generation + 1}: the journal must have "
                    "one score for each candidate"
                )
            strategy.tell(points, [1.0 - x for x in entry["scores"]])
            units = entry["next_units"]
            if (generation + 1) % stage.eval_interval == 0 or generation + 1 == stage.generations:
                mean = genome.decode(strategy.result.xfavorite, base)
                self._review(started, generation, mean, float(strategy.sigma), progress)

    def _generation(
        self, started: _StartedStage, generation: int, points: Sequence[npt.NDArray[np.float64]], units: int,
        progress: Progress,
    ) -> dict[str, Any]:  # fmt: skip
        number, stage, table = started.number, started.stage, started.table
        candidates = [started.genome.decode(point, started.base) for point in points]
        rivals = self._rivals(stage, progress)
        seed = derive_seed(self.settings.seed, _GENERATION, number, generation)
        games = table.scores(candidates, rivals, units, seed, f"generation-{number + 1}-{generation + 1}")
        _finite(games, f"stage {number + 1}, generation {generation + 1}")
        by_unit = games.reshape(*games.shape[:2], units, 2).mean((1, 3))
        halves = np.stack([by_unit[:, 0::2].mean(1), by_unit[:, units > 1 :: 2].mean(1)])  # 1 seed is in both halves
        new_units, trust = next_units(units, halves, stage.pairs, stage.max_pairs)
        return {
            "points": [point.tolist() for point in points], "scores": games.mean((1, 2)).tolist(),
            "rivals": len(rivals), "units": units, "games": games.size, "trust": trust, "next_units": new_units,
        }  # fmt: skip

    def _review(
        self, started: _StartedStage, generation: int, mean: ParameterVector, sigma: float, progress: Progress
    ) -> None:  # fmt: skip
        number, stage, table = started.number, started.stage, started.table

        def compute() -> dict[str, Any]:
            rivals: list[Rival] = [progress.champion]
            if self.start != progress.champion:
                rivals.append(self.start)
            seed = derive_seed(self.settings.seed, _REVIEW, number, generation)
            games = table.scores([mean], rivals, stage.eval_pairs, seed, f"review-{number + 1}-{generation + 1}")
            _finite(games, f"review after generation {generation + 1} of stage {number + 1}")
            shares = games[0].reshape(len(rivals), -1, 2).mean(2)
            intervals = [unit_interval(row.tolist()) for row in shares]
            return {
                "candidate": mean.to_dict(), "sigma": sigma, "games": games.size,
                "score": float(shares[0].mean()), "interval": list(intervals[0]),
                "against_start": float(shares[-1].mean()), "against_start_interval": list(intervals[-1]),
                "promoted": intervals[0].low > 0.5,
            }  # fmt: skip

        entry = self.once({"event": "review", "stage": number, "generation": generation}, compute)
        if entry["promoted"]:
            progress.hall.append(progress.champion)
            try:
                progress.champion = ParameterVector.from_dict(entry["candidate"])
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                folder = self.journal.folder
                raise JournalError(
                    f"{folder}: the weights of a reviewed candidate are missing or invalid ({error})"
                ) from None
            if entry is self.journal.entries[-1]:
                self.journal.write("champion.json", progress.champion.weights.to_json())


def _same_points(stored: Any, drawn: Sequence[npt.NDArray[np.float64]]) -> bool:
    try:
        return bool(np.array_equal(stored, drawn))
    except ValueError:  # the lists have different lengths
        return False


def _finite(scores: npt.NDArray[np.float64], place: str) -> None:
    if not np.isfinite(scores).all():
        raise RunError(f"{place}: a score is not a number; the run stops, and earlier results are kept")
