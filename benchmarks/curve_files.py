"""Curves in files: a method's from one seed, with the settings that it goes by, as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from warlight_env import bounded_io
from warlight_env.errors import InputError

#: What curves that are compared have in common: minutes and units those of a method, the opponent all.
SETTINGS: Final = ("minutes", "units", "opponent")
#: How the names of the files end.
END: Final = ".curve.json"
_AXES: Final = ("seconds", "steps", "score")
#: A curve: method, seed, `SETTINGS` and its points, each with `_AXES`.
Curve = dict[str, Any]


class CurveError(InputError):
    """A file that holds no curve, or one of other settings; the message names it."""


def write_curve(path: Path, curve: Curve) -> None:
    """Write a curve, as a whole or not at all."""
    from warlight_env.output import write_file

    write_file(path, json.dumps(curve))


def read_curve(path: Path) -> Curve:
    """What `write_curve` wrote; before minutes and units were kept, it wrote curves without them.

    Raises:
        CurveError: it is no such thing.
    """
    place = bounded_io.shown(path)
    curve = bounded_io.parse_json(
        bounded_io.read_text(path, bounded_io.RESULT_BYTES, CurveError, "curve"), place, CurveError
    )
    known = curve if isinstance(curve, dict) else {}
    if not isinstance(known.get("method"), str) or not isinstance(known.get("opponent"), str):
        raise CurveError(f"{place}: no curve: it names no method, or no opponent")
    points = known.get("points")
    if not isinstance(points, list) or not points or not all(map(_is_point, points)):
        raise CurveError(f"{place}: no curve: its points are no list of {', '.join(_AXES)}")
    return known


def _is_point(value: Any) -> bool:
    return isinstance(value, dict) and all(
        type(value.get(axis)) in (int, float) and math.isfinite(value[axis]) for axis in _AXES
    )


def curves_in(folder: Path) -> list[tuple[str, Curve]]:
    """The curves of a folder with their files' names, by these."""
    return [(bounded_io.shown(path), read_curve(path)) for path in sorted(folder.glob(f"*{END}"))]


def check_alike(curves: Iterable[tuple[str, Curve]]) -> None:
    """Refuse curves with their places that do not compare: see `SETTINGS`. What one does not tell is not compared.

    Raises:
        CurveError: it names the place of the first that differs, the difference, and the place of the other.
    """
    first: dict[tuple[str, str], tuple[str, Any]] = {}
    for place, curve in curves:
        for setting in SETTINGS:
            if setting not in curve:
                continue
            those = "" if setting == "opponent" else curve["method"]
            other, value = first.setdefault((those, setting), (place, curve[setting]))
            if curve[setting] != value:
                raise CurveError(
                    f"{place}: {setting} {curve[setting]}, but {value} in {other}; another --out keeps them apart"
                )
