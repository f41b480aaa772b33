"""Maps that users drew on the page, stored as files in a subfolder of the folder of games."""

from __future__ import annotations

import asyncio
import contextlib
import re
import threading
from pathlib import Path
from typing import Final

from warlight_env import maps
from warlight_env.maps import Map
from warlight_env.maps.parts import NAME_PATTERN
from warlight_env.web.errors import ProcessPoolError, RequestError
from warlight_env.web.games.game_list import GameList
from warlight_env.web.maps import map_validation
from warlight_env.web.maps.map_validation import MapRow
from warlight_env.web.storage.game_folder import FileStamp, file_stamps, write_private
from warlight_env.web.workers.process_pool import ProcessPool

FOLDER: Final = "maps"  # inside the folder of games
MAX_MAPS: Final = 200  # maximum number of maps that users can save
GENERATED: Final = "generated"  # the name of generated maps in requests; no map may use it
_NAME: Final = re.compile(NAME_PATTERN)


class MapStore:
    """The maps that users drew, in a folder.

    Args:
        folder: folder of games; maps are in its subfolder ``maps``. process_pool: reads and writes maps.
        game_list: the `GameList` whose thread lists the files of the folder.
    """

    def __init__(self, folder: Path, process_pool: ProcessPool, game_list: GameList) -> None:
        self.folder, self._process_pool, self._game_list = folder / FOLDER, process_pool, game_list
        self._cached_rows: dict[str, tuple[FileStamp, MapRow | None]] = {}
        self._writing = threading.Lock()

    @staticmethod
    def may_be(name: str) -> bool:
        """Return whether a user's map may have this name."""
        return bool(_NAME.fullmatch(name))

    def path(self, name: str) -> Path:
        """Return the file of a map, which need not exist; raise `RequestError` for a name that no map may have."""
        if not self.may_be(name):
            raise RequestError(f"there is no map {name[:64]!r}", 404, code="no-map", name=name[:64])
        return self.folder / f"{name}.json"

    async def rows(self) -> list[MapRow]:
        """Return the list entries of the maps, sorted by name, without files that cannot be read."""
        stamps = await self._game_list.in_thread(self._stamps)
        for name, stamp in stamps.items():
            if self._cached_rows.get(name, (None, None))[0] != stamp:
                try:
                    row = await self._process_pool.short(map_validation.listed, self.path(name))
                except ProcessPoolError:
                    continue
                except RequestError as error:
                    if error.status != 422:  # the process pool is busy
                        continue
                    row = None
                self._cached_rows[name] = stamp, row
        self._cached_rows = {name: self._cached_rows[name] for name in stamps if name in self._cached_rows}
        return [row for _, (_, row) in sorted(self._cached_rows.items()) if row is not None]

    async def find(self, name: str) -> Map | None:
        """Return the map of that name; None: there is none."""
        path = self.path(name)
        if not await asyncio.to_thread(path.exists):
            return None
        map_: Map = await self._process_pool.short(maps.load, path)
        return map_

    async def save(self, data: bytes, replaces: str = "") -> MapRow:
        """Save a drawn map. The new map replaces a map of the same name only if `replaces` is this name.

        Raises:
            RequestError: the map has errors, its name is the name of a bundled map or of another map, or there are too
                many maps.
            DiskError: the file cannot be written; a previous file is unchanged.
        """
        row: MapRow
        row, text = await self._process_pool.long(map_validation.map_file_text, data)
        if row.name in (*maps.names(), GENERATED):
            reason = f"{row.name!r} is the name of a map of the program: choose another short name"
            raise RequestError(reason, 409, code="map-bundled", name=row.name)
        path = self.path(row.name)
        await asyncio.to_thread(self._write, path, text.encode(), replaces == row.name)
        return row

    def _write(self, path: Path, data: bytes, replacing: bool) -> None:
        with self._writing:  # of two concurrent writers, the second sees the file of the first
            self.folder.mkdir(parents=True, exist_ok=True)
            if path.exists() and not replacing:
                reason = f"there is a map {path.stem!r} already: replace it, or choose another short name"
                raise RequestError(reason, 409, code="map-there", name=path.stem)
            if not path.exists() and len(self._stamps()) >= MAX_MAPS:
                raise RequestError(
                    f"there are {MAX_MAPS} maps already: remove one", 409, code="maps-full", most=MAX_MAPS
                )
            write_private(path, data)

    def _stamps(self) -> dict[str, FileStamp]:
        return file_stamps(self.folder, ".json", _NAME, MAX_MAPS)

    async def remove(self, name: str) -> None:
        """Delete a map. Games on it continue, because their logs contain it."""
        path = self.path(name)
        with contextlib.suppress(FileNotFoundError):
            await asyncio.to_thread(path.unlink)
