"""A training run's folder: what it is, and what happened so far, line by line, so that a killed run goes on exactly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from warlight_env.arena.append_only import AppendOnlyFolder, RunFolderError

#: What a run is.
SETTINGS: Final = "settings.json"
#: What happened.
JOURNAL: Final = "journal.jsonl"


class JournalError(RunFolderError):
    """A folder that belongs to another run, is damaged or in use; nothing in it has been changed."""


class Journal(AppendOnlyFolder):
    """The folder of a training run: `settings.json`, and `journal.jsonl`, where each line is on the disk before the run
    goes on.

    Args:
        folder: made if it is not there.
        settings: plain data that decides the run.

    Raises:
        JournalError: the folder holds another run, is damaged or in use.
        RunError: it cannot be written.
    """

    description_name, lines_name, item, error = SETTINGS, JOURNAL, "an event", JournalError

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        super().__init__(folder, settings)
        self.entries: list[dict[str, Any]] = []  #: so far

    def append(self, entry: dict[str, Any]) -> None:
        """Write what happened; on the disk when this returns.

        Raises:
            RunError: that failed; everything before is still there.
        """
        self.append_lines([entry])
        self.take(json.loads(json.dumps(entry)))

    def take(self, fields: Any) -> None:
        """See `AppendOnlyFolder.take`."""
        if not isinstance(fields, dict):
            raise TypeError("it is no object")
        self.entries.append(fields)
