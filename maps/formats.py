"""The formats of map files, and a function that detects the format of a file from its content."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from warlight_env.errors import clipped
from warlight_env.maps.errors import MapError
from warlight_env.maps.text import parse_json


@dataclass(frozen=True)
class MapFormat:
    """A format of map files.

    Attributes:
        name: the name of the format on the command line.
        title: the name of the format in messages.
        suffix: the file suffix of this format.
    """

    name: str
    title: str
    suffix: str


NATIVE: Final = MapFormat("native", "warlight-env's JSON", ".json")
ENGINE: Final = MapFormat("challenge-json", "the JSON of the challenge's engine", ".json")
CELLS: Final = MapFormat("challenge-cells", "the JSON of the challenge's site", ".json")
LINES: Final = MapFormat("setup-lines", "the challenge's setup_map lines", ".txt")
XML: Final = MapFormat("xml", "the thesis's XML", ".xml")

FORMATS: Final = (NATIVE, ENGINE, CELLS, LINES, XML)
#: The end of error messages about files that are in no map format.
SUPPORTED: Final = "supported formats: " + ", ".join(each.title for each in FORMATS)

#: The first words of lines that the challenge's game server sends to bots.
_LINE_WORDS: Final = frozenset(("setup_map", "settings", "pick_starting_regions", "pick_starting_region", "update_map"))
_TAG: Final = re.compile(r"<([A-Za-z_][\w.:-]*)")
#: The header of a TOML table, for example at the beginning of a TOML file.
_TABLE: Final = re.compile(r"""\s*\[\[?[\w."' -]+\]\]?[ \t]*(?:#.*)?\n""", re.ASCII)
_DELIMITERS: Final = (";", "\t", ",")


def detect(text: str, place: str) -> tuple[MapFormat, Any]:
    """Detect the format of a text from its content.

    Args:
        text: the content of a file.
        place: the file's name, for errors.

    Returns:
        The format, and the parsed value if the text is JSON, else None.

    Raises:
        MapError: the text is in no map format; the error message names the format that it appears to have.
    """
    begin = text.lstrip()[:1]
    if begin in ("{", "["):
        return _json_format(text, place)
    if begin == "<":
        root = _root(text)
        if root is not None and root.lower().rpartition(":")[2] != "map":
            _refuse(place, _xml_title(root))
        return XML, None
    if any(line.split(None, 1)[0] in _LINE_WORDS for line in text.splitlines() if line.strip()):
        return LINES, None
    if not begin:
        raise MapError(f"{place}: the file is empty; {SUPPORTED}")
    return _refuse(place, _table_title(text) or "text in an unknown format")


def _refuse(place: str, title: str) -> NoReturn:
    raise MapError(f"{place}: the file appears to be {title}, which is not a map format; {SUPPORTED}")


def _json_format(text: str, place: str) -> tuple[MapFormat, Any]:
    try:
        data = parse_json(text, place)
    except MapError as error:
        if _TABLE.match(text):
            _refuse(place, "TOML or an INI file")
        raise MapError(f"{error} (the file appears to be JSON)") from None
    if isinstance(data, dict):
        if "format" in data:
            return NATIVE, data
        if "Regions" in data or "SuperRegions" in data:
            return (CELLS if is_cells(data) else ENGINE), data
        return _refuse(place, 'JSON with neither "format" nor "Regions"')
    return _refuse(place, f"JSON with a {type(data).__name__} instead of an object")


def is_cells(data: dict[str, Any]) -> bool:
    """Whether the challenge's JSON has the web site's format: super regions list regions, or regions have cells."""

    def any_item_has(key: str, entry: str) -> bool:
        items = data.get(key)
        return isinstance(items, list) and any(isinstance(item, dict) and entry in item for item in items)

    return any_item_has("SuperRegions", "regions") or any_item_has("Regions", "cells")


def _root(text: str) -> str | None:
    """Return the name of the root element of an XML text; None if no element begins."""
    offset = text.find("<")
    for opening, end in (("<?", "?>"), ("<!--", "-->")) * 8:
        while text.startswith(opening, offset):
            close = text.find(end, offset)
            if close < 0:
                return None
            offset = text.find("<", close)
    match = _TAG.search(text, max(offset, 0))
    return match[1] if match else None


def _xml_title(root: str) -> str:
    name = root.lower().rpartition(":")[2]
    titles = {"svg": "an SVG drawing", "html": "an HTML page"}
    return titles.get(name, f"XML with the root element <{clipped(root, 40)}>")


def _table_title(text: str) -> str | None:
    """Return a description of a text that is a table, such as CSV; None for other texts.

    A text is a table if its first lines have the same number of delimiters.
    """
    lines = [line for line in text[:10_000].splitlines() if line.strip()][:3]
    for delimiter in _DELIMITERS:
        counts = {line.count(delimiter) for line in lines}
        if len(counts) == 1 and counts != {0}:
            return f"a table (CSV) that begins with {clipped(lines[0], 60)!r}"
    return None
