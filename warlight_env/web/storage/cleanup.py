"""Finds abandoned games in a folder, and deletes the files of a game."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from warlight_env import bounded
from warlight_env.arena.contests.append_only import NOT_OURS
from warlight_env.record.names import PARTIAL, PLAIN
from warlight_env.web.errors import RequestError
from warlight_env.web.storage.game_folder import writing
from warlight_env.web.storage.saved_game import SEATS, read_saved_game
from warlight_env.web.storage.submitted_turns import TURNS, SubmittedTurns

LEFT: Final = 600.0  # seconds after which a game in which nobody did anything is one that was left
BOTS: Final = 86400.0  # and an unfinished one between bots,
INVITED: Final = 86400.0  # or one to which friends were invited,
ORPHANED: Final = 86400.0  # or a log without its seats: what is left of a game whose deleting was cut off
_OURS: Final = re.compile(r"[0-9a-f]{12}")  # as the server calls its games; others may have logs in the folder, too


def files_of(folder: Path, id: str) -> list[Path]:
    """The files that a game may have; its seats come first: without them it is none."""
    return [folder / f"{id}{end}" for end in (SEATS, TURNS, f"{PARTIAL}{PLAIN}", PLAIN)]


def delete_files(folder: Path, id: str) -> None:
    """Take a game out of its folder.

    Raises:
        DiskError: the system does not let us; what was there is as it was, or gone.
    """
    for path in files_of(folder, id):
        with writing(path), contextlib.suppress(FileNotFoundError):
            path.unlink()


def abandoned_games(folder: Path, now: float) -> list[str]:
    """Unfinished games without a name that nobody has touched for long: by people who did nothing, or between bots.

    And logs of unfinished games that nobody can open any more, as their seats are gone.
    """
    return [id for id, seconds in _unfinished(folder, now) if seconds > LEFT and _missed_by_nobody(folder, id, seconds)]


def _unfinished(folder: Path, now: float) -> Iterator[tuple[str, float]]:
    """Games by their names, and for how long none of their files has changed."""
    for path in folder.glob(f"*{PARTIAL}{PLAIN}"):
        id = path.name.removesuffix(f"{PARTIAL}{PLAIN}")
        with contextlib.suppress(OSError):
            yield id, now - max(file.stat().st_mtime for file in files_of(folder, id) if file.exists())


def _missed_by_nobody(folder: Path, id: str, seconds: float) -> bool:
    try:
        saved = read_saved_game(folder, id)
        if saved is None:
            return _OURS.fullmatch(id) is not None and seconds > ORPHANED
        if saved.name or saved.paused or (saved.friends and seconds <= INVITED):  # friends take their time
            return False
        if not saved.people and seconds > BOTS:
            return True
        return not SubmittedTurns(folder / f"{id}{TURNS}").there and not _begun(folder / f"{id}{PARTIAL}{PLAIN}")
    except (OSError, RequestError, *NOT_OURS):
        return False  # not a game of ours, or one that can be mended


def _begun(log: Path) -> bool:
    """Whether anything happened in a game, beyond what it took over from another."""
    with bounded.open_file(log) as file:
        header = json.loads(file.readline(bounded.LOG_LINE))
        over = header.get("continues", {}).get("rounds", 0)
        rounds = 0
        for line in file:
            if line.startswith(b'{"event":"round"'):
                rounds += 1
            elif line.startswith(b'{"event":"picks"') and "continues" not in header:
                return True
            if rounds > over:
                return True
    return False
