"""Policies in a folder of the owner's, offered as opponents by their names; what is in them is read beside the loop."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from warlight_env.errors import clipped, readable
from warlight_env.web import clerk
from warlight_env.web.desk import Desk, DeskError
from warlight_env.web.errors import BUSY, RequestError
from warlight_env.web.listing import Stamp
from warlight_env.web.played_games import ALL_GAMES, PlayedGames

MOST: Final = 60  # files that are offered
SUFFIX: Final = ".npz"
PREFIX: Final = "policy:"
_NEVER: Final[Stamp] = (-1, -1)

#: Runs a function with its arguments in a thread.
Beside = Callable[..., Coroutine[Any, Any, Any]]


@dataclass(frozen=True)
class OwnFile:
    """A policy's file. problem: why it cannot be played; '': it can."""

    path: Path
    stamp: Stamp
    games: PlayedGames = ALL_GAMES
    problem: str = ""


class OwnFiles:
    """The policies in a folder, by the specification under which a page knows them: ``policy:NAME.npz``.

    The folder's place is told to nobody but the process that plays the policy. Nothing in a file is executed.

    Args:
        folder: None: there are none. desk: reads files. beside: looks the folder through.
    """

    def __init__(self, folder: Path | None, desk: Desk, beside: Beside) -> None:
        self._folder, self._desk, self._beside = folder, desk, beside
        self._known: dict[str, OwnFile] = {}

    async def look(self) -> dict[str, OwnFile]:
        """Those that are there now; a file is read once as long as it stays the same."""
        if self._folder is None:
            return {}
        found = {}
        for spec, file in (await self._beside(_files, self._folder)).items():
            known = self._known.get(spec)
            found[spec] = known if known is not None and known.stamp == file.stamp else await self._read(file)
        self._known = found
        return found

    async def _read(self, file: OwnFile) -> OwnFile:
        try:
            return replace(file, games=await self._desk.short(clerk.policy_games_of, str(file.path)))
        except (RequestError, DeskError) as error:
            told = clipped(readable(str(error).replace(str(file.path), file.path.name)), 200)
            asked = isinstance(error, RequestError) and error.status not in BUSY  # else it is tried again
            return replace(file, problem=f"cannot be read: {told}", stamp=file.stamp if asked else _NEVER)

    def played_as(self, spec: str | None) -> str | None:
        """What plays a bot that is known by this specification, whether or not its file is still there."""
        name = (spec or "").removeprefix(PREFIX)
        if self._folder is None or spec is None or not spec.startswith(PREFIX):
            return spec
        return f"{PREFIX}{self._folder / name}" if name.endswith(SUFFIX) and Path(name).name == name else spec


def _files(folder: Path) -> dict[str, OwnFile]:
    """The files of a folder by specification, by name; those whose names cannot be shown are left out."""
    found = {}
    try:
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.name.endswith(SUFFIX) and entry.name.isprintable() and len(entry.name) <= 100:
                    try:
                        stat = entry.stat()
                    except OSError:  # it has just gone, or leads nowhere
                        continue
                    stamp = stat.st_mtime_ns, stat.st_size
                    found[f"{PREFIX}{entry.name}"] = OwnFile(folder / entry.name, stamp)
    except OSError:
        return {}
    return dict(list(found.items())[:MOST])
