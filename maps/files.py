"""A reader for map files in any format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from warlight_env import bounded_io
from warlight_env.maps.challenge import from_challenge_data, read_setup_lines
from warlight_env.maps.errors import MapError
from warlight_env.maps.formats import CELLS, ENGINE, LINES, NATIVE, SUPPORTED, XML, MapFormat, detect
from warlight_env.maps.model import Map
from warlight_env.maps.native import from_dict
from warlight_env.maps.unused import unused_json
from warlight_env.maps.xml_format import decoded_xml, read_xml


@dataclass(frozen=True)
class MapFile:
    """A map that was read from a file.

    Attributes:
        map: the map.
        format: the format of the file, detected from its content.
        unused: the kinds of fields in the file that a `Map` cannot store.
    """

    map: Map
    format: MapFormat
    unused: tuple[str, ...] = ()


#: The reader of each format. A reader is called with the text of a file, its JSON value (None if the text is not JSON)
#: and the file's name. A reader returns the map and the kinds of unused fields.
_READERS: Final[dict[MapFormat, Callable[[str, Any, str], tuple[Map, tuple[str, ...]]]]] = {
    NATIVE: lambda text, data, place: (from_dict(data, place), ()),
    ENGINE: lambda text, data, place: (from_challenge_data(data, place), unused_json(data, cells=False)),
    CELLS: lambda text, data, place: (from_challenge_data(data, place), unused_json(data, cells=True)),
    LINES: lambda text, data, place: read_setup_lines(text, place),
    XML: lambda text, data, place: read_xml(text, place),
}


def read_file(path: str | Path) -> MapFile:
    """Return the map in a file. The content of the file determines its format; its name does not matter.

    Raises MapError with the name of the file, the place in it, the reason and the detected format.
    """
    path = Path(path)
    return read_bytes(bounded_io.read_bytes(path, bounded_io.MAP_BYTES, MapError, "map"), path.name)


def read_bytes(content: bytes, name: str) -> MapFile:
    """Return the map in the content of a file. All error messages begin with `name`, the name of the file.

    The content is UTF-8, with or without a byte order mark, or XML in the encoding that it declares, see `decoded_xml`.
    """
    place = bounded_io.shown(name)
    text = decoded_xml(content, place)
    if text is None:
        text = bounded_io.decode_text(content, place, MapError, f"; {SUPPORTED}")
    format_, data = detect(text, place)
    try:
        map_, unused = _READERS[format_](text, data, name)
        return MapFile(map_, format_, unused)
    except MapError as error:
        title = f" (the file appears to be {format_.title})"
        first_reason, *later_reasons = error.reasons
        raise MapError(f"{error}{title}", (f"{first_reason}{title}", *later_reasons)) from None
