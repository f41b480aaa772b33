"""The names of log files: complete logs, plain or compressed, and partial logs of unfinished games."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from warlight_env.record.errors import LogError

PLAIN: Final = ".wl.jsonl"
COMPRESSED: Final = ".wl.jsonl.gz"
PARTIAL: Final = ".partial"
_GAME: Final = re.compile(rf"game-[0-9]{{7,}}(?:{re.escape(PARTIAL)})?(?:{re.escape(PLAIN)}|{re.escape(COMPRESSED)})")


def suffix_of(path: Path) -> str:
    """Return the suffix of the name of a log file. Raise `LogError` if `path` does not have the name of a log file."""
    name = path.name
    suffix = COMPRESSED if name.endswith(COMPRESSED) else PLAIN
    if not name.endswith(suffix) or name == suffix:
        raise LogError(f"{path}: the name of a log must end in {PLAIN} or {COMPRESSED}")
    return suffix


def is_log(name: str) -> bool:
    """Return whether a file with this name is a log, complete or partial."""
    return name.endswith((PLAIN, COMPRESSED))


def is_game(name: str) -> bool:
    """Return whether `name` is the name of a log that a match wrote (see `game_name`), complete or partial."""
    return _GAME.fullmatch(name) is not None


def is_partial(path: Path) -> bool:
    """Return whether `path` has the name of a partial log, which belongs to a game that is not finished."""
    return path.name.endswith((PARTIAL + PLAIN, PARTIAL + COMPRESSED))


def partial_of(path: Path, suffix: str = PLAIN) -> Path:
    """Return the path of the partial log that is written during a game. `suffix` is the suffix of the partial log."""
    stem = path.name.removesuffix(suffix_of(path)).removesuffix(PARTIAL)
    return path.with_name(stem + PARTIAL + suffix)


def game_name(number: int) -> str:
    """Return the name of the log file of game `number` (from 0) of a match.

    The alphabetical order of the file names is the order of the games.
    """
    return f"game-{number + 1:07d}{COMPRESSED}"
