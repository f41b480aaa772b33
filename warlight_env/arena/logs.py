"""The logs of a match's games: one file each, in a folder that belongs to the match."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warlight_env.engine.rng import derive_seed
from warlight_env.record.errors import LogError, LogWriteError
from warlight_env.record.model import Header, Player
from warlight_env.record.names import game_name, is_game, is_partial
from warlight_env.record.reader import summarize
from warlight_env.record.recorder import describe
from warlight_env.record.writer import LogWriter

if TYPE_CHECKING:
    from warlight_env.arena.setup import Seating, Setup

#: What a header's "match" says of the game; the rest is the match's.
_OF_THE_GAME = ("game", "unit", "seats")


def log_writer(setup: Setup, folder: Path, number: int, seating: Seating) -> LogWriter:
    """The observer that logs the game of that number."""
    players = []
    for seat, agent in enumerate(seating.agents):
        seed = derive_seed(setup.seed, seating.unit, seat)
        known = isinstance(setup.agents[seating.seats[seat]], str)
        players.append(describe(agent.name, seed) if known else Player(agent.name, seed=seed))
    match = {"game": number, "unit": seating.unit, "seats": seating.seats, **setup.match_data}
    return LogWriter(folder / game_name(number), players, match, insight=setup.insight)


def open_folder(setup: Setup, folder: Path) -> None:
    """Make a folder for a match's logs, or take one that holds logs of just this match.

    What an earlier run left of games that it did not finish is removed: they are played again.

    Raises:
        LogError: the folder holds logs of another match; nothing has been changed.
        LogWriteError: it cannot be made, or nothing can be written there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        games = sorted(name for name in os.listdir(folder) if is_game(name))
        _check_same(setup, folder, games)
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
        raise LogWriteError(f"cannot write logs to {folder}: {error.strerror or error}") from None


def check_logged(folder: Path, numbers: Iterable[int]) -> None:
    """Refuse a run that goes on after games without a log: they are not played again, and the logs would have gaps.

    Raises:
        LogError: naming the first such game.
    """
    without = [number for number in sorted(numbers) if not (folder / game_name(number)).exists()]
    if without:
        raise LogError(
            f"{folder}: no log of game {without[0] + 1}{_and_more(len(without) - 1)}, which the run folder says was "
            "played; go on without logs, or begin a run in another folder"
        )


def _and_more(others: int) -> str:
    return f" and of {others} more" if others else ""


def _check_same(setup: Setup, folder: Path, games: list[str]) -> None:
    """Refuse a folder with another match's logs; the first one that can be read tells."""
    for name in games:
        try:
            header = summarize(folder / name).header
        except LogError:
            continue
        difference = _difference(setup, header)
        if difference is not None:
            raise LogError(f"{folder} holds logs of another match ({name}: {difference}); give another folder")
        return


def _difference(setup: Setup, header: Header) -> str | None:
    match = {key: value for key, value in (header.match or {}).items() if key not in _OF_THE_GAME}
    pairs: dict[str, tuple[Any, Any]] = {
        "map": (header.map.digest(), setup.map.digest()),
        "rules": (header.rules, setup.rules),
        **{key: (match.get(key), value) for key, value in setup.match_data.items()},
    }
    for key, (there, here) in pairs.items():
        if there != here:
            named = key in ("map", "rules")
            return f"another {'map' if key == 'map' else 'rules'}" if named else f"{key} = {there!r}, not {here!r}"
    return None
