"""The folder of a training run, with its settings and its journal (log).

The settings and the journal are enough to continue a killed run with the same result.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from warlight_env.arena.contests.append_only import AppendOnlyFolder, RunFolderError

#: The name of the file with the run's settings.
SETTINGS: Final = "settings.json"
#: The name of the file with one line for each step of the run.
JOURNAL: Final = "journal.jsonl"


class JournalError(RunFolderError):
    """The folder belongs to another run, is damaged, or is in use. The error leaves the folder unchanged."""


#: For each event of the journal, the types of its fields. float: any number; object: a number or null; list: a list of
#: numbers or of lists of numbers.
_FORMS: Final[dict[str, dict[str, type]]] = {
    "generation": {
        "stage": int, "generation": int, "points": list, "scores": list, "units": int, "games": int, "trust": float,
        "next_units": int, "seconds": float,
    },
    "review": {
        "stage": int, "generation": int, "candidate": dict, "sigma": float, "games": int, "score": float,
        "interval": list, "against_start": float, "against_start_interval": list, "promoted": bool, "seconds": float,
    },
    "batch": {
        "batch": int, "games": int, "positions": int, "loss": float, "theta": list, "sharpness": float,
        "moments": list, "steps": int, "seconds": float,
    },
    "iteration": {
        "iteration": int, "steps": int, "games": int, "won": int, "opponents": dict, "seconds": float,
        "loss": object, "value_loss": object, "policy_gradient_loss": object, "entropy_loss": object,
        "approx_kl": object, "clip_fraction": object, "explained_variance": object,
    },
    "games": {
        "iteration": int, "part": int, "digest": str, "games": int, "won": int, "positions": int, "seconds": float,
    },
    "labels": {"iteration": int, "part": int, "digest": str, "labels": int, "seconds": float},
    "fit": {
        "iteration": int, "digest": str, "labels": int, "trained": float, "held_out": object, "seconds": float,
    },
    "gate": {
        "iteration": int, "games": int, "score": float, "interval": list, "accepted": bool, "seconds": float,
    },
}  # fmt: skip


def _check(entry: dict[str, Any]) -> None:
    """Raise ValueError if the journal entry lacks a field that `_FORMS` requires, or the field has a wrong type."""
    kind = entry.get("event")
    for key, form in _FORMS.get(kind if isinstance(kind, str) else "", {}).items():
        value = entry.get(key)
        if form is list:
            is_valid = _numbers(value)
        elif form is float or form is object:
            is_valid = _number(value) or (form is object and key in entry and value is None)
        else:
            is_valid = type(value) is form
        if not is_valid:
            raise ValueError(f"{key} = {value!r:.60}")
    if kind == "iteration" and not all(_numbers(row) and len(row) == 2 for row in entry["opponents"].values()):
        raise ValueError(f"opponents = {entry['opponents']!r:.60}")
    for row in entry.get("evaluation", {}).values():
        if not (isinstance(row, dict) and _number(row.get("score")) and _numbers(row.get("interval"))):
            raise ValueError(f"evaluation = {entry['evaluation']!r:.60}")


def _number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 1e300


def _numbers(value: Any) -> bool:
    return isinstance(value, list) and all(_number(item) or _numbers(item) for item in value)


class Journal(AppendOnlyFolder):
    """The folder of a training run, with the files `settings.json` and `journal.jsonl` (one line for each step).

    Each line is written to the disk before the run continues.

    Args:
        folder: the folder; it is created if it does not exist.
        settings: the run's settings as plain data.

    Raises:
        JournalError: the folder contains another run, is damaged or in use.
        RunError: the folder cannot be written.
    """

    description_name, lines_name, item, error = SETTINGS, JOURNAL, "an event", JournalError

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        super().__init__(folder, settings)
        self.entries: list[dict[str, Any]] = []  #: the lines of the journal so far, as dicts

    def append(self, entry: dict[str, Any]) -> None:
        """Append an event to the journal and write it to the disk.

        Raises:
            RunError: the line cannot be written; all earlier lines are unchanged.
        """
        self.append_lines([entry])
        self.load_line(json.loads(json.dumps(entry)))

    def load_line(self, fields: Any) -> None:
        """See `AppendOnlyFolder.load_line`."""
        if not isinstance(fields, dict):
            raise TypeError("the line is not an object")
        self.entries.append(fields)

    def check(self) -> None:
        """Check all events of the journal before a run continues with them.

        Raises:
            JournalError: a field of an event is missing or has a wrong type; the error message names the line.
        """
        for number, entry in enumerate(self.entries, 1):
            try:
                _check(entry)
            except (ValueError, TypeError, AttributeError) as error:
                place = f"{self.folder / JOURNAL}, line {number}"
                raise JournalError(f"{place}: not {self.item} of this run ({error})") from None
