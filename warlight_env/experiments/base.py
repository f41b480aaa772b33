"""The base class of experiments, the settings of a run, and the experiments that consist of measurements."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from warlight_env.arena.backends.backend import Backend
from warlight_env.arena.contests.append_only import AppendOnlyFolder
from warlight_env.experiments.rows import Row
from warlight_env.folder_lock import FolderLock
from warlight_env.version import __version__

#: The files in the folder of a measurement.
DESCRIPTION, UNITS = "run.json", "units.jsonl"

#: Budgets in simulations, or in the thesis's seconds.
BudgetType = Literal["simulations", "seconds"]
#: Receives the number of newly finished units (games or measurements), and their name.
OnProgress = Callable[[int, str], None]


@dataclass(frozen=True)
class ExperimentSettings:
    """The settings of a run. As in `play_contests`, `jobs` and `backend` change only the duration of the run.

    games: the number of games for each row of a table, or the number of measurements; None: the number in the thesis.
    """

    agent: str = "mcts_thesis"
    budget_type: BudgetType = "simulations"
    quick: bool = False
    seed: int = 1
    jobs: int | None = None
    backend: str | Backend = "local"
    games: int | None = None

    def count(self, full: int, quick: int) -> int:
        """Return the number of games or measurements. full: the number if `games` is None; quick: in a quick run."""
        if self.games is not None:
            return self.games
        return quick if self.quick else full


@dataclass(frozen=True)
class ExperimentOutcome:
    """The outcome of a run of an experiment."""

    rows: list[Row]
    interrupted: bool
    seconds: float  #: playing time, summed over processes


@dataclass(frozen=True, kw_only=True)
class Experiment(ABC):
    """A table or another numerical result of the thesis, which can be measured again.

    Attributes:
        name: the name of the experiment on the command line.
        title: the title of the experiment, one line.
        setting: the paragraph of the report that describes the rules, the measurements and the budgets.
        agents: the agents of the experiment; each has its own lines in the table. ("",): the experiment uses no agent.
        budget: the only budget type ("simulations" or "seconds") that the experiment supports; None: both types.
        finding: the published result of the method's authors for their own game; "" for an experiment of the thesis.
        minutes: the measured minutes on one core of a full run with the default agent, from
            docs/results/thesis-tables.md or docs/results/methods.md; None: not measured.
    """

    name: str
    title: str
    setting: str
    agents: tuple[str, ...] = ("mcts_thesis",)  #: by default the thesis's bot; our own bot is `mcts`
    budget: BudgetType | None = None
    finding: str = ""
    minutes: int | None = None

    @abstractmethod
    def units(self, settings: ExperimentSettings) -> int:
        """Return the number of games or measurements in a run of the experiment."""

    @abstractmethod
    def seconds(self, settings: ExperimentSettings) -> float:
        """Return the time of a run on one core in seconds, estimated from the budgets of the agents."""

    def estimated_seconds(self, settings: ExperimentSettings) -> float:
        """Return the estimated time of a run on one core, in seconds.

        For the default agent with budgets in simulations, the estimate is the measured time, in proportion to the
        number of games. For another agent, or for budgets in seconds, the estimate is computed from the budgets of the
        agents.
        """
        is_default = settings.agent in self.agents and settings.budget_type == (self.budget or "simulations")
        if self.minutes is None or settings.quick or not is_default:
            return self.seconds(settings)
        return 60 * self.minutes * self.units(settings) / self.units(replace(settings, games=None))

    @abstractmethod
    def run(self, settings: ExperimentSettings, folder: Path | FolderLock, advance: OnProgress) -> ExperimentOutcome:
        """Run the experiment, or continue the run whose results are in `folder`."""


class MeasurementFolder(AppendOnlyFolder):
    """The folder of a measurement: `run.json` describes it, and `units.jsonl` has a line for every unit.

    The result of each unit is written to disk as soon as it is known.

    Args:
        folder: see `AppendOnlyFolder`.
        experiment: name of the experiment.
        count: number of units (for example games) in the measurement.
        settings: settings of the run.

    Raises:
        RunFolderError, RunError: see `AppendOnlyFolder`.
    """

    description_name, lines_name, item = DESCRIPTION, UNITS, "a unit"

    def __init__(self, folder: Path | FolderLock, experiment: str, count: int, settings: ExperimentSettings) -> None:
        self.count = count
        self.measured: dict[int, dict[str, Any]] = {}  #: measured values, by unit
        description = {
            "version": __version__, "experiment": experiment, "agent": settings.agent, "by": settings.budget_type,
            "quick": settings.quick, "seed": settings.seed, "units": count,
        }  # fmt: skip
        super().__init__(folder, description)

    def append(self, unit: int, seconds: float, values: dict[str, list[float]]) -> None:
        """Append a unit's values; they are on the disk when this method returns.

        Raises:
            RunError: writing failed; all earlier units remain in the folder.
        """
        self.append_lines([line := {"unit": unit, "seconds": seconds, "values": values}])
        self.load_line(line)

    def load_line(self, fields: Any) -> None:
        """See `AppendOnlyFolder.load_line`."""
        if not 0 <= fields["unit"] < self.count or not isinstance(fields["values"], dict):
            raise ValueError("the measurement has no such unit")
        self.measured[fields["unit"]] = {**fields, "seconds": float(fields["seconds"])}


@dataclass(frozen=True, kw_only=True)
class Measurement(Experiment):
    """A measurement that consists of units, such as games. This process measures the units one after the other.

    Attributes:
        measure: a function that returns data for JSON and depends only on its arguments, the settings and a unit's
            number.
        summary: computes the rows of the table from the measured values of all units.
        count: number of units.
        cost: estimated time of a unit on one core, in seconds.
    """

    measure: Callable[[ExperimentSettings, int], dict[str, list[float]]]
    summary: Callable[[Sequence[dict[str, list[float]]]], list[Row]]
    count: int
    cost: float
    quick_count: int = 2

    def units(self, settings: ExperimentSettings) -> int:
        return settings.count(self.count, self.quick_count)

    def seconds(self, settings: ExperimentSettings) -> float:
        return self.units(settings) * self.cost

    def run(self, settings: ExperimentSettings, folder: Path | FolderLock, advance: OnProgress) -> ExperimentOutcome:
        interrupted = False
        with MeasurementFolder(folder, self.name, self.units(settings), settings) as units:
            for unit in units.measured:
                advance(1, f"unit {unit + 1}")
            try:
                for unit in range(units.count):
                    if unit in units.measured:
                        continue
                    start = time.perf_counter()
                    unit_values = self.measure(settings, unit)
                    units.append(unit, time.perf_counter() - start, unit_values)
                    advance(1, f"unit {unit + 1}")
            except KeyboardInterrupt:
                interrupted = True
        seconds = sum(line["seconds"] for line in units.measured.values())
        values = [units.measured[unit]["values"] for unit in sorted(units.measured)]
        return ExperimentOutcome(self.summary(values) if values else [], interrupted, seconds)
