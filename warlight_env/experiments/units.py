"""Measurements unit by unit, each on disk as soon as it is made."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warlight_env import __version__
from warlight_env.arena.runs import RunFolderError, write_atomically
from warlight_env.errors import RunError

if TYPE_CHECKING:
    from warlight_env.experiments.base import Advance, Measurement, Settings

DESCRIPTION, UNITS = "run.json", "units.jsonl"


def measured(
    experiment: Measurement, settings: Settings, folder: Path, advance: Advance
) -> tuple[list[dict[str, list[float]]], bool, float]:
    """All that the folder holds and what was missing, by unit; whether Ctrl-C ended it; seconds spent.

    Raises:
        RunFolderError: the folder holds something else.
        RunError: it cannot be written; what was measured before is kept.
    """
    count = experiment.units(settings)
    description = {
        "version": __version__, "experiment": experiment.name, "agent": settings.agent, "by": settings.by,
        "quick": settings.quick, "seed": settings.seed, "units": count,
    }  # fmt: skip
    known, interrupted = _open(folder, description, count), False
    for unit in known:
        advance(1, f"unit {unit + 1}")
    try:
        for unit in range(count):
            if unit in known:
                continue
            start = time.perf_counter()
            values = experiment.measure(settings, unit)
            known[unit] = {"unit": unit, "seconds": time.perf_counter() - start, "values": values}
            _append(folder, known[unit])
            advance(1, f"unit {unit + 1}")
    except KeyboardInterrupt:
        interrupted = True
    seconds = sum(line["seconds"] for line in known.values())
    return [known[unit]["values"] for unit in sorted(known)], interrupted, seconds


def _open(folder: Path, description: dict[str, Any], count: int) -> dict[int, dict[str, Any]]:
    """The units that the folder holds; a new folder is made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / DESCRIPTION).exists():
            write_atomically(folder / DESCRIPTION, json.dumps(description, indent=2) + "\n")
            return {}
        try:
            there = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
        except ValueError as error:  # no JSON, or no text
            raise RunFolderError(f"{folder / DESCRIPTION}: no description of a run ({error})") from None
        for key, value in description.items():
            if not isinstance(there, dict) or there.get(key) != value:
                was = there.get(key) if isinstance(there, dict) else None
                raise RunFolderError(
                    f"{folder} holds another run: {key} = {json.dumps(was)} there, {json.dumps(value)} here; give the "
                    "same settings to go on, or another folder"
                )
        if not (folder / UNITS).exists():
            return {}
        return _read(folder / UNITS, count)
    except OSError as error:
        raise RunError(f"cannot use run folder {folder}: {error.strerror or error}") from None


def _read(path: Path, count: int) -> dict[int, dict[str, Any]]:
    """The whole lines; what a killed process left of a last one is cut off."""
    data = path.read_bytes()
    end = data.rfind(b"\n") + 1
    if end < len(data):
        os.truncate(path, end)
    known: dict[int, dict[str, Any]] = {}
    for number, line in enumerate(data[:end].splitlines(), 1):
        try:
            fields = json.loads(line)
            if not 0 <= fields["unit"] < count or not isinstance(fields["values"], dict):
                raise ValueError("no such unit")
            known[fields["unit"]] = {"seconds": float(fields["seconds"]), **fields}
        except (ValueError, TypeError, KeyError) as error:
            raise RunFolderError(f"{path}, line {number}: not a unit of this run ({error})") from None
    return known


def _append(folder: Path, line: dict[str, Any]) -> None:
    try:
        with open(folder / UNITS, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise RunError(
            f"cannot write run folder {folder}: {error.strerror or error}; what it holds is kept, and the same run "
            "goes on from there"
        ) from None
