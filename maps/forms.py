"""The forms of map files, and the form that a text appears to have."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from warlight_env.errors import clipped
from warlight_env.maps.errors import MapError
from warlight_env.maps.text import parse_json


@dataclass(frozen=True)
class Form:
    """A form of map files.

    name: on the command line. title: in messages. suffix: of files that are written.
    """

    name: str
    title: str
    suffix: str


NATIVE: Final = Form("native", "warlight-env's JSON", ".json")
ENGINE: Final = Form("challenge-json", "the JSON of the challenge's engine", ".json")
CELLS: Final = Form("challenge-cells", "the JSON of the challenge's site", ".json")
LINES: Final = Form("setup-lines", "the challenge's setup_map lines", ".txt")
XML: Final = Form("xml", "the thesis's XML", ".xml")

FORMS: Final = (NATIVE, ENGINE, CELLS, LINES, XML)
#: For errors about files of other forms.
SUPPORTED: Final = "supported forms: " + ", ".join(form.title for form in FORMS)

#: First words of lines that the challenge's engine sends to bots.
_LINE_WORDS: Final = frozenset(("setup_map", "settings", "pick_starting_regions", "pick_starting_region", "update_map"))
_TAG: Final = re.compile(r"<([A-Za-z_][\w.:-]*)")
#: The head of a table, with which TOML may begin.
_TABLE: Final = re.compile(r"""\s*\[\[?[\w."' -]+\]\]?[ \t]*(?:#.*)?\n""", re.ASCII)
_DELIMITERS: Final = (";", "\t", ",")


def detect(text: str, place: str) -> tuple[Form, Any]:
    """The form of a text by its content, with its value where it is JSON, else None.

    Raises MapError, which names what the text appears to be, where that is no form of maps.
    """
    begin = text.lstrip()[:1]
    if begin in ("{", "["):
        return _json_form(text, place)
    if begin == "<":
        root = _root(text)
        if root is not None and root.lower().rpartition(":")[2] != "map":
            _refuse(place, _xml_title(root))
        return XML, None
    if any(line.split(None, 1)[0] in _LINE_WORDS for line in text.splitlines() if line.strip()):
        return LINES, None
    if not begin:
        raise MapError(f"{place}: the file is empty; {SUPPORTED}")
    return _refuse(place, _table_title(text) or "text of an unknown form")


def _refuse(place: str, title: str) -> NoReturn:
    raise MapError(f"{place}: the file appears to be {title}, which is no form of maps; {SUPPORTED}")


def _json_form(text: str, place: str) -> tuple[Form, Any]:
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
    return _refuse(place, f"JSON that is not an object but a {type(data).__name__}")


def is_cells(data: dict[str, Any]) -> bool:
    """Whether JSON of the challenge is in the form of its site: super regions list regions, or regions have cells."""

    def any_has(key: str, entry: str) -> bool:
        listed = data.get(key)
        return isinstance(listed, list) and any(isinstance(item, dict) and entry in item for item in listed)

    return any_has("SuperRegions", "regions") or any_has("Regions", "cells")


def _root(text: str) -> str | None:
    """The name of the root element of an XML text; None where no element begins."""
    at = text.find("<")
    for opening, end in (("<?", "?>"), ("<!--", "-->")) * 8:
        while text.startswith(opening, at):
            close = text.find(end, at)
            if close < 0:
                return None
            at = text.find("<", close)
    found = _TAG.search(text, max(at, 0))
    return found[1] if found else None


def _xml_title(root: str) -> str:
    name = root.lower().rpartition(":")[2]
    known = {"svg": "an SVG drawing", "html": "an HTML page"}
    return known.get(name, f"XML with the root element <{clipped(root, 40)}>")


def _table_title(text: str) -> str | None:
    """What a text with the same delimiters in its first lines is; None where it has none."""
    lines = [line for line in text[:10_000].splitlines() if line.strip()][:3]
    for delimiter in _DELIMITERS:
        counts = {line.count(delimiter) for line in lines}
        if len(counts) == 1 and counts != {0}:
            return f"a table (CSV) that begins with {clipped(lines[0], 60)!r}"
    return None
