"""Finding and reading a map: a bundled one by name, a generated one, or a file in any of the known forms."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from warlight_env.errors import did_you_mean
from warlight_env.maps.challenge import from_challenge_data, from_setup_lines
from warlight_env.maps.errors import MapError
from warlight_env.maps.generator import FEWEST, MOST
from warlight_env.maps.model import Map
from warlight_env.maps.native import dumps, from_dict
from warlight_env.maps.parts import FORMAT
from warlight_env.maps.text import parse_json, read_text
from warlight_env.maps.xml_form import from_xml

DATA = Path(__file__).with_name("data")
_SUFFIXES = (".json", ".xml", ".txt")
_GENERATED: Final = re.compile(r"generated:(\d{1,9}):(\d{1,9})")


def names() -> list[str]:
    """The names of the bundled maps, sorted."""
    return sorted(p.stem for p in DATA.glob("*.json"))


def load(name_or_path: str | Path) -> Map:
    """The bundled map of this name, ``generated:REGIONS:SEED`` as `generate` makes it, or the map in this file.

    Files: ``.json`` (the project's own format, or either of the AI Challenge's), ``.xml`` (the thesis's form), ``.txt``
    (the challenge's ``setup_map`` lines). Raises ``MapError`` with the file, the place in it and the reason.
    """
    if not isinstance(name_or_path, str | Path):
        raise MapError(f"map = {name_or_path!r:.80}: must be a bundled map's name or a file")
    if isinstance(name_or_path, str) and name_or_path in names():
        return _bundled(name_or_path)
    if isinstance(name_or_path, str) and (found := _GENERATED.fullmatch(name_or_path)):
        return _generated(int(found[1]), int(found[2]))
    path = Path(name_or_path)
    if path.suffix.lower() in _SUFFIXES:
        return _from_file(path)
    if isinstance(name_or_path, str) and not path.suffix and "/" not in name_or_path:
        hint = did_you_mean(name_or_path, names())
        files = ", ".join(_SUFFIXES)
        raise MapError(
            f"no map {name_or_path!r}{hint}; bundled: {', '.join(names())}; or give a file ({files}), or "
            f"generated:REGIONS:SEED"
        )
    raise MapError(f"{path}: a map file ends in {', '.join(_SUFFIXES)}")


def check(name_or_path: str | Path) -> None:
    """Raises as `load` does, but generates nothing: that takes seconds where a map is large."""
    found = _GENERATED.fullmatch(name_or_path) if isinstance(name_or_path, str) else None
    if found is None or not FEWEST <= int(found[1]) <= MOST:
        load(name_or_path)


def save(m: Map, path: str | Path) -> None:
    """Writes the map to a ``.json`` file in the project's own format."""
    Path(path).write_text(dumps(m), encoding="utf-8")


@cache
def _bundled(name: str) -> Map:
    path = DATA / f"{name}.json"
    return from_dict(parse_json(read_text(path), path.name), path.name, trusted=True)


@lru_cache(1024)  # to make one of 40 regions takes half a second, to keep it 0.3 MB
def _generated(regions: int, seed: int) -> Map:
    from warlight_env.maps.generator import generate  # takes Shapely, which nothing else here does

    return generate(regions, seed=seed)


def _from_file(path: Path) -> Map:
    text, suffix = read_text(path), path.suffix.lower()
    if suffix == ".xml":
        return from_xml(text, path.name)
    if suffix == ".txt":
        return from_setup_lines(text, path.name)
    data: Any = parse_json(text, path.name)
    if isinstance(data, dict) and "format" not in data and ("Regions" in data or "SuperRegions" in data):
        return from_challenge_data(data, path.name)
    if isinstance(data, dict) and "format" not in data:
        raise MapError(f'{path.name}: neither "format": "{FORMAT}" nor the challenge\'s "Regions"')
    return from_dict(data, path.name)
