"""The folders with the logs of a tournament: one for each contest, named after its number and its players."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

#: The maximum number of characters of a folder's name.
LONGEST: Final = 100


def log_folder(logs: Path, number: int, names: Sequence[str]) -> Path:
    """Return the folder for the logs of a contest, such as ``12-Ann-vs-Bo``.

    Characters of names other than letters, digits, "_" and "." become "-".

    Args:
        logs: the folder for all logs of the tournament.
        number: the number of the contest, from 1.
        names: the names of the players.
    """
    players = "-vs-".join(re.sub(r"[^\w.]+", "-", name).strip("-.") or "player" for name in names)
    return logs / f"{number}-{players}"[:LONGEST].rstrip("-.")


def find_log_folder(logs: Path, number: int) -> Path:
    """Return the path of the folder with the logs of a contest.

    In a tournament without logs, the returned folder does not exist.
    """
    return next((path for path in sorted(logs.glob(f"{number}-*")) if path.is_dir()), logs / str(number))
