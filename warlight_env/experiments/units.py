"""Measurements unit by unit, each on disk as soon as it is made."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from warlight_env.arena.contests.append_only import AppendOnlyFolder
from warlight_env.experiments.experiment_settings import Advance, ExperimentSettings
from warlight_env.folder_lock import FolderLock
from warlight_env.version import __version__

DESCRIPTION, UNITS = "run.json", "units.jsonl"


class UnitFolder(AppendOnlyFolder):
    """The folder of a measurement: `run.json` says what is measured, `units.jsonl` holds a line for every unit.

    Args:
        folder: see `AppendOnlyFolder`.
        experiment, count, settings: what is measured: its name, and how many units.

    Raises:
        RunFolderError, RunError: see `AppendOnlyFolder`.
    """

    description_name, lines_name, item = DESCRIPTION, UNITS, "a unit"

    def __init__(self, folder: Path | FolderLock, experiment: str, count: int, settings: ExperimentSettings) -> None:
        self.count = count
        self.known: dict[int, dict[str, Any]] = {}  #: what was measured, by unit
        description = {
            "version": __version__, "experiment": experiment, "agent": settings.agent, "by": settings.by,
            "quick": settings.quick, "seed": settings.seed, "units": count,
        }  # fmt: skip
        super().__init__(folder, description)

    def append(self, unit: int, seconds: float, values: dict[str, list[float]]) -> None:
        """Write what was measured; on the disk when this returns.

        Raises:
            RunError: that failed; everything before is still there.
        """
        self.append_lines([line := {"unit": unit, "seconds": seconds, "values": values}])
        self.take(line)

    def take(self, fields: Any) -> None:
        """See `AppendOnlyFolder.take`."""
        if not 0 <= fields["unit"] < self.count or not isinstance(fields["values"], dict):
            raise ValueError("no such unit")
        self.known[fields["unit"]] = {**fields, "seconds": float(fields["seconds"])}


def measured(
    folder: UnitFolder, measure: Callable[[int], dict[str, list[float]]], advance: Advance
) -> tuple[list[dict[str, list[float]]], bool, float]:
    """All that the folder holds and what was missing, by unit; whether Ctrl-C ended it; seconds spent.

    Args:
        measure: makes what is missing, from a unit's number.
        advance: told of each.

    Raises:
        RunFolderError: the folder holds something else, or another process is at it.
        RunError: it cannot be written; what was measured before is kept.
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
