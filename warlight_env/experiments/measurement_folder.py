"""Measurements that consist of units, such as games. The result of each unit is written to disk as soon as it is
known."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from warlight_env.arena.contests.append_only import AppendOnlyFolder
from warlight_env.experiments.experiment_settings import ExperimentSettings, OnProgress
from warlight_env.folder_lock import FolderLock
from warlight_env.version import __version__

DESCRIPTION, UNITS = "run.json", "units.jsonl"


class MeasurementFolder(AppendOnlyFolder):
    """The folder of a measurement: `run.json` describes it, and `units.jsonl` has a line for every unit.

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
        self.known: dict[int, dict[str, Any]] = {}  #: measured values, by unit
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
        self.known[fields["unit"]] = {**fields, "seconds": float(fields["seconds"])}


def run_measurement(
    folder: MeasurementFolder, measure: Callable[[int], dict[str, list[float]]], advance: OnProgress
) -> tuple[list[dict[str, list[float]]], bool, float]:
    """Measure the units (for example games) whose values are not in the folder yet.

    Return the values of all units of the measurement, whether Ctrl-C ended the run, and the spent seconds.

    Args:
        folder: the folder.
        measure: a function that measures a missing unit, given the number of the unit.
        advance: a function that is called for each unit.

    Raises:
        RunFolderError: the folder contains another run, or another process uses it.
        RunError: the folder cannot be written; the values of earlier units are kept in the folder.
    """
    interrupted = False
    with folder as units:
        for unit in units.known:
            advance(1, f"unit {unit + 1}")
        try:
            for unit in range(units.count):
                if unit in units.known:
                    continue
                start = time.perf_counter()
                values = measure(unit)
                units.append(unit, time.perf_counter() - start, values)
                advance(1, f"unit {unit + 1}")
        except KeyboardInterrupt:
            interrupted = True
    seconds = sum(line["seconds"] for line in units.known.values())
    return [units.known[unit]["values"] for unit in sorted(units.known)], interrupted, seconds
