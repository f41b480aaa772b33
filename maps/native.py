"""This project's own map format: JSON with a published schema (``schema.json``)."""

from __future__ import annotations

import json
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Final

from warlight_env.errors import clipped, did_you_mean
from warlight_env.maps.build import Heading, RawRegion, RawSetup, build
from warlight_env.maps.errors import MOST_REASONS, MapError
from warlight_env.maps.model import Map
from warlight_env.maps.parts import (
    DEFAULT_ARMY,
    FORMAT,
    MAX_BORDERS,
    MAX_REGIONS,
    VERSION,
    Point,
    Shape,
    SuperRegion,
)
from warlight_env.maps.text import parse_json, plain_data
from warlight_env.maps.types import checked

SCHEMA_FILE = Path(__file__).with_name("schema.json")
#: The maximum number of unknown keys that an error message names.
_UNKNOWN_KEYS: Final = 4


@checked
def to_dict(m: Map) -> dict[str, Any]:
    """Return a map as plain data that matches the schema. ``from_dict`` converts the data back to an equal map."""
    return m.to_dict()


@checked
def dumps(m: Map) -> str:
    """Return a map as the text of a JSON file.

    The text is deterministic and has one region, super region or link per line.
    """
    lines = []
    for key, value in to_dict(m).items():
        if key in ("super_regions", "regions"):
            text = "[\n" + ",\n".join(f"    {_compact(x)}" for x in value) + "\n  ]"
        elif key == "borders":
            text = "[\n" + ",\n".join(_border_lines(value)) + "\n  ]"
        elif key == "drawing":
            links = ",\n".join(f"      {_compact(x)}" for x in value["sea_links"])
            text = f'{{\n    "view_box": {_compact(value["view_box"])},\n    "sea_links": ['
            text += f"\n{links}\n    ]\n  }}" if links else "]\n  }"
        else:
            text = _compact(value)
        lines.append(f"  {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _border_lines(borders: list[list[str]]) -> list[str]:
    by_first: dict[str, list[str]] = {}
    for pair in borders:
        by_first.setdefault(pair[0], []).append(_compact(pair))
    return ["    " + ", ".join(group) for group in by_first.values()]


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of the project's own map format."""
    loaded: dict[str, Any] = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    return loaded


@cache
def _validator() -> Any:
    import jsonschema  # type: ignore[import-untyped,unused-ignore]

    return jsonschema.Draft202012Validator(schema())


@checked
def from_dict(d: Any, place: str = "map", *, trusted: bool = False) -> Map:
    """Return the map in plain data. Each error message begins with ``place``, for example the name of a file.

    With ``trusted`` the data are not checked against the schema. Use ``trusted`` only for files that the tests have
    checked.
    """
    if not isinstance(d, dict):
        raise MapError(f"{place}: a map must be a JSON object, not {type(d).__name__}")
    if not trusted:
        d = plain_data(d, place)
    if d.get("format") != FORMAT:
        raise MapError(f'{place}: format {d.get("format")!r:.60}: expected "{FORMAT}"')
    if type(d.get("version")) is not int or d["version"] != VERSION:
        raise MapError(f"{place}: version {d.get('version')!r:.60}: this program reads version {VERSION}")
    if not trusted:
        _check_schema(d, place)
    try:
        return _build_map(d, place)
    except OverflowError:
        raise MapError(f"{place}: a number has too many digits") from None


def _build_map(d: Any, place: str) -> Map:
    drawing = d.get("drawing")
    return build(
        place,
        Heading(d["name"], d.get("title", ""), d.get("description", ""), d.get("source", "")),
        [SuperRegion(s["name"], int(s["bonus"])) for s in d["super_regions"]],
        [
            RawRegion(r["name"], r["super_region"], r["code"], int(r.get("army", DEFAULT_ARMY)), _shape(r))
            for r in d["regions"]
        ],
        [(a, b) for a, b in d["borders"]],
        view_box=None if drawing is None else _box(drawing["view_box"]),
        sea_links=[] if drawing is None else [(*s["regions"], _line(s["line"])) for s in drawing.get("sea_links", ())],
        setup=None if "setup" not in d else _setup(d["setup"]),
    )


def _setup(d: Any) -> RawSetup:
    def optional_integer(key: str) -> int | None:
        return int(d[key]) if key in d else None

    return RawSetup(
        d.get("wastelands"), optional_integer("wasteland_army"), d.get("offered"), optional_integer("picks")
    )


@checked
def from_json(text: str, place: str = "map") -> Map:
    """Return the map in a JSON text in this project's own format."""
    return from_dict(parse_json(text, place), place)


def _shape(region: Any) -> Shape | None:
    d = region.get("shape")
    return None if d is None else Shape(d["path"], _point(d["label"]), float(d["radius"]))


def _point(d: Any) -> Point:
    return float(d[0]), float(d[1])


def _line(d: Any) -> tuple[Point, Point] | None:
    return None if d is None else (_point(d[0]), _point(d[1]))


def _box(d: Any) -> tuple[float, float, float, float]:
    return float(d[0]), float(d[1]), float(d[2]), float(d[3])


def _check_schema(d: dict[str, Any], place: str) -> None:
    for key, limit in (("super_regions", MAX_REGIONS), ("regions", MAX_REGIONS), ("borders", MAX_BORDERS)):
        if isinstance(d.get(key), list) and len(d[key]) > limit:  # the validator would check each item
            raise MapError(f"{place}: {len(d[key])} {key.replace('_', ' ')}: at most {limit} are supported")
    try:
        schema_errors = islice(_validator().iter_errors(d), MOST_REASONS)
        errors = sorted(schema_errors, key=lambda e: [str(p) for p in e.absolute_path])
    except RecursionError:
        raise MapError(f"{place}: nested too deeply") from None
    if not errors:
        return
    reasons = [_location(d, list(error.absolute_path)) + clipped(_reason(error), 200) for error in errors]
    qualifier = "at least " if len(errors) == MOST_REASONS else ""
    suffix = f" (and {qualifier}{len(errors) - 1} more)" if len(errors) > 1 else ""
    raise MapError(f"{place}: {reasons[0]}{suffix}", reasons)


def _reason(error: Any) -> str:
    """Return the message of a schema error, with the allowed form of a text, or with keys similar to an unknown key."""
    if error.validator == "pattern":
        return f"{clipped(error.instance, 60)!r}: must be {error.schema['description']}"
    if error.validator != "additionalProperties":
        return str(error.message)
    known_keys = error.schema["properties"]
    unknown = list(islice((key for key in error.instance if key not in known_keys), _UNKNOWN_KEYS + 1))
    reasons = [f"no key {clipped(key, 60)!r}{did_you_mean(key, known_keys)}" for key in unknown[:_UNKNOWN_KEYS]]
    return ", ".join(reasons) + (", …" if len(unknown) > _UNKNOWN_KEYS else "")


def _location(d: dict[str, Any], path: list[Any]) -> str:
    """Return the place of a schema error in the data as text, such as ``region 'Alaska': army: ``."""
    words: list[str] = []
    if len(path) > 1 and path[0] in ("regions", "super_regions"):
        item = d[path[0]][path[1]]
        kind = path[0][:-1].replace("_", " ")
        has_name = isinstance(item, dict) and isinstance(item.get("name"), str)
        words, path = [f"{kind} {clipped(item['name'], 60)!r}" if has_name else f"{kind} {path[1] + 1}"], path[2:]
    words += [f"[{p}]" if isinstance(p, int) else clipped(str(p), 60) for p in path]
    return "".join(f"{w}: " for w in words)
