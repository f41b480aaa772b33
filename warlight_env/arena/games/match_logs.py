"""The folder with the logs of a match: one file for each game."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from warlight_env.engine.rules import Rules
from warlight_env.folder_lock import folder_reason
from warlight_env.maps import Map
from warlight_env.record.errors import LogError, LogWriteError
from warlight_env.record.model import Header
from warlight_env.record.names import game_name, is_game, is_partial
from warlight_env.record.reader import summarize

Data = dict[str, Any]


def unwritable(folder: Path, error: OSError) -> LogWriteError:
    """Return the exception for a folder of logs that cannot be made or written."""
    return LogWriteError(f"cannot write logs to {folder}: {folder_reason(folder, error)}")


def open_folder(folder: Path, map_: Map, rules: Rules, match: Data) -> None:
    """Make the folder for the logs of a match. An existing folder may contain logs of the same match.

    The incomplete logs of unfinished games are removed, because these games are played again.

    Raises:
        LogError: the folder contains logs of another match. The folder is unchanged.
        LogWriteError: the folder cannot be made or written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        games = sorted(name for name in os.listdir(folder) if is_game(name))
        _check_same(folder, games, map_, rules, match)
        for name in games:
            if is_partial(folder / name):
                os.unlink(folder / name)
        probe = folder / f".probe-{os.getpid()}"
        try:
            probe.write_bytes(b"\n")
        finally:
            with contextlib.suppress(OSError):
                probe.unlink()
    except OSError as error:
        raise unwritable(folder, error) from None


def check_logged(folder: Path, numbers: Iterable[int]) -> None:
    """Check that each finished game has a log.

    A continued run does not repeat a finished game, so the run cannot write a missing log.

    numbers: the numbers of the finished games.

    Raises:
        LogError: a log is missing; the error message names the first game without a log.
    """
    without = [number for number in sorted(numbers) if not (folder / game_name(number)).exists()]
    if without:
        and_more = f" and of {len(without) - 1} more" if len(without) > 1 else ""
        raise LogError(
            f"{folder}: the log of game {without[0] + 1}{and_more} is missing, but the "
            "run folder contains the result; continue without logs, or start a run in another folder"
        )


def _check_same(folder: Path, games: list[str], map_: Map, rules: Rules, match: Data) -> None:
    """Raise `LogError` if the first readable log in the folder belongs to another match."""
    for name in games:
        try:
            header = summarize(folder / name).header
        except LogError:
            continue
        difference = _difference(header, map_, rules, match)
        if difference is not None:
            raise LogError(f"{folder} contains logs of another match ({name}: {difference}); give another folder")
        return


def _difference(header: Header, map_: Map, rules: Rules, match: Data) -> str | None:
    if header.map.digest() != map_.digest():
        return "another map"
    if header.rules != rules:
        return "another rules"
    stored_match = header.match or {}
    for key, current in match.items():
        if (stored := stored_match.get(key)) != current:
            return f"{key} = {stored!r}, not {current!r}"
    return None
