"""Files of learning curves: one JSON file per method and seed, with the settings of the run."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from warlight_env import bounded_io
from warlight_env.errors import InputError

#: Settings that must be equal in compared curves: minutes and units for each method, the opponent for all curves.
SETTINGS: Final = ("minutes", "units", "opponent")
#: Suffix of the file names.
END: Final = ".curve.json"
_AXES: Final = ("seconds", "steps", "score")
#: A curve: method, seed, `SETTINGS`, and points with the keys `_AXES`.
Curve = dict[str, Any]


class CurveError(InputError):
    """The file contains no valid curve, or a curve with other settings. The message names the file."""


def write_curve(path: Path, curve: Curve) -> None:
    """Write a curve atomically."""
    from warlight_env.output import write_file

    write_file(path, json.dumps(curve))


def read_curve(path: Path) -> Curve:
    """Read a file of `write_curve`. Older files do not contain minutes and units.

    Raises:
        CurveError: the file contains no valid curve.
    """
    place = bounded_io.shown(path)
    curve = bounded_io.parse_json(
        bounded_io.read_text(path, bounded_io.RESULT_BYTES, CurveError, "curve"), place, CurveError
    )
    record = curve if isinstance(curve, dict) else {}
    if not isinstance(record.get("method"), str) or not isinstance(record.get("opponent"), str):
        raise CurveError(f"{place}: no curve: it names no method, or no opponent")
    points = record.get("points")
    if not isinstance(points, list) or not points or not all(map(_is_point, points)):
        raise CurveError(f"{place}: no curve: its points are no list of {', '.join(_AXES)}")
    return record


def _is_point(value: Any) -> bool:
    return isinstance(value, dict) and all(
        type(value.get(axis)) in (int, float) and math.isfinite(value[axis]) for axis in _AXES
    )


def curves_in(folder: Path) -> list[tuple[str, Curve]]:
    """Return the curves in a folder with their file names, sorted by name."""
    return [(bounded_io.shown(path), read_curve(path)) for path in sorted(folder.glob(f"*{END}"))]


def check_alike(curves: Iterable[tuple[str, Curve]]) -> None:
    """Check that curves have equal `SETTINGS`. A setting that is missing in a curve is not compared.

    Args:
        curves: the place of each curve, for messages, and the curve.

    Raises:
        CurveError: two curves differ; the message contains both places and the difference.
    """
    first: dict[tuple[str, str], tuple[str, Any]] = {}
    for place, curve in curves:
        for setting in SETTINGS:
            if setting not in curve:
                continue
            method = "" if setting == "opponent" else curve["method"]
            other_place, value = first.setdefault((method, setting), (place, curve[setting]))
            if curve[setting] != value:
                raise CurveError(
                    f"{place}: {setting} {curve[setting]}, but {value} in {other_place}; another --out keeps them apart"
                )
