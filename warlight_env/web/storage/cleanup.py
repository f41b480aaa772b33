"""Finds abandoned games in a folder, and deletes the files of a game."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from warlight_env import bounded_io
from warlight_env.arena.contests.append_only import MALFORMED_DATA
from warlight_env.record.names import PARTIAL, PLAIN
from warlight_env.web.errors import RequestError
from warlight_env.web.storage.game_folder import writing
from warlight_env.web.storage.saved_game import SEATS, read_saved_game
from warlight_env.web.storage.submitted_turns import TURNS, SubmittedTurns

LEFT: Final = 600.0  # seconds after which a game that no player has opened is abandoned
BOTS: Final = 86400.0  # seconds after which an unfinished game between bots is abandoned
INVITED: Final = 86400.0  # seconds after which a game that has invited friends or was opened, but no turn, is abandoned
ORPHANED: Final = 86400.0  # seconds after which a log without seats is abandoned: its deletion was interrupted
_GAME_ID: Final = re.compile(r"[0-9a-f]{12}")  # names of the server's games; the folder may contain other logs, too


def files_of(folder: Path, id: str) -> list[Path]:
    """Return the files that a game may have. The file of seats comes first: without it there is no game."""
    return [folder / f"{id}{suffix}" for suffix in (SEATS, TURNS, f"{PARTIAL}{PLAIN}", PLAIN)]


def delete_files(folder: Path, id: str) -> None:
    """Delete all files of a game.

    Raises:
        DiskError: the system refuses to delete a file; each file is either unchanged or deleted.
    """
    for path in files_of(folder, id):
        with writing(path), contextlib.suppress(FileNotFoundError):
            path.unlink()


def abandoned_games(folder: Path, now: float) -> list[str]:
    """Return unfinished games that can be deleted, because their files have not changed for a long time.

    Three types of games can be deleted: games without a name that people made but did not play, games between bots
    without a name, and logs without a file of seats, which no client can open. Paused games are never deleted.
    """
    return [id for id, seconds in _unfinished(folder, now) if seconds > LEFT and _is_abandoned(folder, id, seconds)]


def _unfinished(folder: Path, now: float) -> Iterator[tuple[str, float]]:
    """Yield the unfinished games by name, with the seconds since the last change of their files."""
    for path in folder.glob(f"*{PARTIAL}{PLAIN}"):
        id = path.name.removesuffix(f"{PARTIAL}{PLAIN}")
        with contextlib.suppress(OSError):
            yield id, now - max(file.stat().st_mtime for file in files_of(folder, id) if file.exists())


def _is_abandoned(folder: Path, id: str, seconds: float) -> bool:
    try:
        saved = read_saved_game(folder, id)
        if saved is None:
            return _GAME_ID.fullmatch(id) is not None and seconds > ORPHANED
        if saved.name or saved.paused or ((saved.friends or saved.opened) and seconds <= INVITED):
            return False
        if not saved.people and seconds > BOTS:
            return True
        return not SubmittedTurns(folder / f"{id}{TURNS}").exists and not _has_begun(folder / f"{id}{PARTIAL}{PLAIN}")
    except (OSError, RequestError, *MALFORMED_DATA):
        return False  # another program's file, or a damaged one that can be repaired


def _has_begun(log: Path) -> bool:
    """Return whether anything happened in a game, apart from rounds that were copied from another game."""
    with bounded_io.open_file(log) as file:
        header = json.loads(file.readline(bounded_io.LOG_LINE))
        copied_rounds = header.get("continues", {}).get("rounds", 0)
        rounds = 0
        for line in file:
            if line.startswith(b'{"event":"round"'):
                rounds += 1
            elif line.startswith(b'{"event":"picks"') and "continues" not in header:
                return True
            if rounds > copied_rounds:
                return True
    return False
