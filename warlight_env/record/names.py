"""Names of log files: whole games, compressed or not, and partial ones."""

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
    """Return the suffix of a log's name. Raise `LogError` for other names."""
    name = path.name
    suffix = COMPRESSED if name.endswith(COMPRESSED) else PLAIN
    if not name.endswith(suffix) or name == suffix:
        raise LogError(f"{path}: the name of a log must end in {PLAIN} or {COMPRESSED}")
    return suffix


def is_log(name: str) -> bool:
    """Return whether this is the name of a log, whole or partial."""
    return name.endswith((PLAIN, COMPRESSED))


def is_game(name: str) -> bool:
    """Return whether this is the name of a log of a match's game, whole or partial; see `game_name`."""
    return _GAME.fullmatch(name) is not None


def is_partial(path: Path) -> bool:
    """Return whether the name marks an unfinished game."""
    return path.name.endswith((PARTIAL + PLAIN, PARTIAL + COMPRESSED))


def partial_of(path: Path, suffix: str = PLAIN) -> Path:
    """Return the file of a game during play. `suffix` is the suffix of that file."""
    stem = path.name.removesuffix(suffix_of(path)).removesuffix(PARTIAL)
    return path.with_name(stem + PARTIAL + suffix)


def game_name(number: int) -> str:
    """Return the file name of a match's game; `number` is from 0. The alphabetical order is the order of the games."""
    return f"game-{number + 1:07d}{COMPRESSED}"
