"""Functions that load a map: a bundled map by name, a generated map, or a file in any known format."""

from __future__ import annotations

import os
import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from warlight_env.arguments import path_of, short_repr
from warlight_env.errors import did_you_mean
from warlight_env.maps.errors import MapError
from warlight_env.maps.files import MapFile, read_file
from warlight_env.maps.formats import NATIVE
from warlight_env.maps.generator import FEWEST, MOST
from warlight_env.maps.model import Map
from warlight_env.maps.native import dumps, from_dict
from warlight_env.maps.text import parse_json, read_text
from warlight_env.maps.types import checked
from warlight_env.output import save_file

DATA = Path(__file__).with_name("data")
_GENERATED: Final = re.compile(r"generated:(\d{1,9}):(\d{1,9})")


def names() -> list[str]:
    """Return the names of the bundled maps, sorted."""
    return sorted(p.stem for p in DATA.glob("*.json"))


def is_bundled(map_: Map) -> bool:
    """Return whether a map is equal to the bundled map with its name."""
    return map_.name in names() and load(map_.name) == map_


def load(name_or_path: str | Path) -> Map:
    """Return a bundled map, a random map (``generated:REGIONS:SEED``, see `generate`), or the map in a file.

    A file may have any name, because its content determines its format (`warlight_env.maps.formats`). For a file with
    the name of a bundled map, give the path ``./NAME``. Raises ``MapError`` with the file, the place in it, the reason
    and the detected format.
    """
    return read(name_or_path).map


def read(name_or_path: str | Path) -> MapFile:
    """Return the same map as `load`, with the format of its file and the kinds of fields that a `Map` cannot store."""
    if not isinstance(name_or_path, str | Path):
        raise MapError(f"map = {short_repr(name_or_path)}: must be the name of a bundled map or the path of a file")
    if isinstance(name_or_path, str) and name_or_path in names():
        return MapFile(_bundled(name_or_path), NATIVE)
    if isinstance(name_or_path, str) and (match := _GENERATED.fullmatch(name_or_path)):
        return MapFile(_generated(int(match[1]), int(match[2])), NATIVE)
    path = Path(name_or_path)
    if isinstance(name_or_path, str) and not path.suffix and "/" not in name_or_path and not os.path.isfile(path):
        hint = did_you_mean(name_or_path, names())
        raise MapError(
            f"no map {name_or_path!r}{hint}; use a bundled map ({', '.join(names())}), a file's path or "
            "generated:REGIONS:SEED"
        )
    return read_file(path)


def check(name_or_path: str | Path) -> None:
    """Raise the errors that `load` would raise, but generate no map, because a large map takes seconds."""
    match = _GENERATED.fullmatch(name_or_path) if isinstance(name_or_path, str) else None
    if match is None or not FEWEST <= int(match[1]) <= MOST:
        load(name_or_path)


@checked
def save(m: Map, path: str | Path) -> None:
    """Write a map to a ``.json`` file in this project's own format. If the write fails, an existing file is unchanged.

    Raises:
        MapError: `m` is not a map, or `path` is not the path of a file.
        OutputError, WriteError: see `output.save_file`.
    """
    save_file(path_of(path, "path", MapError), dumps(m))


@cache
def _bundled(name: str) -> Map:
    path = DATA / f"{name}.json"
    return from_dict(parse_json(read_text(path), path.name), path.name, trusted=True)


@lru_cache(1024)  # the generation of 40 regions takes half a second; a map takes 0.3 MB of memory
def _generated(regions: int, seed: int) -> Map:
    from warlight_env.maps.generator import generate  # imported here, because it imports Shapely

    return generate(regions, seed=seed)
