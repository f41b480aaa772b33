"""What files of logs are called: whole games, compressed or not, and partial ones."""

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
    """The ending of a log's name; `LogError` where it is no log's."""
    name = path.name
    suffix = COMPRESSED if name.endswith(COMPRESSED) else PLAIN
    if not name.endswith(suffix) or name == suffix:
        raise LogError(f"{path}: a game's log ends in {PLAIN} or {COMPRESSED}")
    return suffix


def is_log(name: str) -> bool:
    """Whether a file of that name is a log, whole or partial."""
    return name.endswith((PLAIN, COMPRESSED))


def is_game(name: str) -> bool:
    """Whether a file of that name is the log of a match's game, whole or partial; see `game_name`."""
    return _GAME.fullmatch(name) is not None


def is_partial(path: Path) -> bool:
    """Whether the name says that the game was not finished."""
    return path.name.endswith((PARTIAL + PLAIN, PARTIAL + COMPRESSED))


def partial_of(path: Path, suffix: str = PLAIN) -> Path:
    """Where the game is while it is played; `suffix` of that file."""
    stem = path.name.removesuffix(suffix_of(path)).removesuffix(PARTIAL)
    return path.with_name(stem + PARTIAL + suffix)


def game_name(number: int) -> str:
    """The file of a match's game of that number, from 0; names in alphabetical order are games in order."""
    return f"game-{number + 1:07d}{COMPRESSED}"
