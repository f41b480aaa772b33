"""Reading a map file of any form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from warlight_env import bounded
from warlight_env.maps.challenge import from_challenge_data, from_setup_lines
from warlight_env.maps.errors import MapError
from warlight_env.maps.forms import CELLS, ENGINE, LINES, NATIVE, SUPPORTED, XML, Form, detect
from warlight_env.maps.model import Map
from warlight_env.maps.native import from_dict
from warlight_env.maps.xml_form import from_xml


@dataclass(frozen=True)
class MapFile:
    """A map that was read from a file.

    form: the form of the file, by its content.
    """

    map: Map
    form: Form


#: Read the text, or the JSON value, of a file with this name.
_READERS: Final[dict[Form, Callable[[str, Any, str], Map]]] = {
    NATIVE: lambda text, data, place: from_dict(data, place),
    ENGINE: lambda text, data, place: from_challenge_data(data, place),
    CELLS: lambda text, data, place: from_challenge_data(data, place),
    LINES: lambda text, data, place: from_setup_lines(text, place),
    XML: lambda text, data, place: from_xml(text, place),
}


def read_file(path: str | Path) -> MapFile:
    """The map of a file; its form is detected by its content, whatever its name.

    Raises MapError with the file's name, the place, the reason, and the form that the file appears to have.
    """
    path = Path(path)
    return read_bytes(bounded.read_bytes(path, bounded.MAP_BYTES, MapError, "map"), path.name)


def read_bytes(content: bytes, name: str) -> MapFile:
    """The map of a file's content (UTF-8, a byte order mark is fine); `name`, of the file, begins all errors."""
    place = bounded.shown(name)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MapError(f"{place}: not UTF-8 text: {error.reason} at byte {error.start}; {SUPPORTED}") from None
    form, data = detect(text, place)
    try:
        return MapFile(_READERS[form](text, data, name), form)
    except MapError as error:
        told = f" (the file appears to be {form.title})"
        first, *others = error.reasons
        raise MapError(f"{error}{told}", (f"{first}{told}", *others)) from None
