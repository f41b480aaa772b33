"""Settings of runs from files: a TOML file of the user, or settings.json in the folder of a run."""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from pathlib import Path
from typing import Any, TypeVar

from warlight_env import bounded_io
from warlight_env.agents.weights import THESIS, Weights, WeightsError
from warlight_env.arguments import kind_in_words
from warlight_env.errors import InputError, did_you_mean
from warlight_env.train.common.checks import SettingsError

T = TypeVar("T")


def load_plain(path: Path) -> dict[str, Any]:
    """Return the table of settings in a .toml or .json file.

    Raises:
        SettingsError: the file cannot be read.
    """
    text = bounded_io.read_text(path, bounded_io.SETTINGS_BYTES, SettingsError, "file of settings")
    parse = bounded_io.parse_json if path.suffix == ".json" else bounded_io.parse_toml
    data = parse(text, str(path), SettingsError)
    if not isinstance(data, dict):
        raise SettingsError(f"{path}: must be a table of settings")
    return data


def load_settings(kind: type[T], path: Path) -> T:
    """Return the settings in a .toml file, or in the settings.json of a run folder.

    kind: the dataclass of the settings.

    Raises:
        SettingsError: see `load_plain` and `read_settings`.
    """
    return read_settings(kind, load_plain(path), str(path))


def read_settings(kind: type[T], data: Any, place: str) -> T:
    """Return settings from plain data; missing settings get their defaults.

    kind: the dataclass of the settings.

    Raises:
        SettingsError: a key is unknown, or a value is invalid. The error message begins with `place`.
    """
    if not isinstance(data, dict):
        raise SettingsError(f"{place}: must be a table of settings")
    hints = typing.get_type_hints(kind)
    fields = {each.name: hints[each.name] for each in dataclasses.fields(kind)}  # type: ignore[arg-type]
    values = {}
    for key, value in data.items():
        if key not in fields:
            raise SettingsError(f"{place}: no setting {key!r}{did_you_mean(key, fields)}; use {', '.join(fields)}")
        values[key] = _read(fields[key], value, f"{place}: {key}")
    try:
        return kind(**values)
    except InputError as error:
        raise SettingsError(f"{place}: {error}") from None


def _read(kind: Any, value: Any, place: str) -> Any:
    if dataclasses.is_dataclass(kind):
        return read_settings(kind, value, place)  # type: ignore[arg-type]
    if kind is Weights:
        return _read_weights(value, place)
    if typing.get_origin(kind) is dict:
        if not isinstance(value, dict):
            raise SettingsError(f"{place}: must be a table, not {value!r:.60}")
        return {name: _read(typing.get_args(kind)[1], item, f"{place}: {name}") for name, item in value.items()}
    if typing.get_origin(kind) is tuple:
        if not isinstance(value, list):
            raise SettingsError(f"{place}: must be a list, not {value!r:.60}")
        return tuple(_read(typing.get_args(kind)[0], item, f"{place}[{i}]") for i, item in enumerate(value))
    if typing.get_origin(kind) is typing.Literal:
        choices = typing.get_args(kind)
        if value not in choices:
            raise SettingsError(f"{place}: must be one of {', '.join(map(str, choices))}, not {value!r:.60}")
        return value
    accepted: Any = int | float if kind is float else kind
    has_type = isinstance(accepted, type | types.UnionType) and isinstance(value, accepted)
    if kind is float and has_type and not math.isfinite(value):
        raise SettingsError(f"{place}: must be a finite number, not {value!r}")
    if has_type and isinstance(value, bool) == (kind is bool):
        return float(value) if kind is float else value
    raise SettingsError(f"{place}: must be {kind_in_words(kind)}, not {value!r:.60}")


def _read_weights(value: Any, place: str) -> Weights:
    """Return weights from the name of a preset, the name of a .json file, or a table of values.

    Weights that the file or the table lacks get the values of the preset "thesis".
    """
    try:
        if isinstance(value, str):
            return Weights.load(value)
        if not isinstance(value, dict):
            raise SettingsError(f"{place}: must be a preset, a .json file or a table of weights, not {value!r:.60}")
        for name in value:
            if name not in Weights._fields:
                raise SettingsError(f"{place}: no weight {name!r}{did_you_mean(name, Weights._fields)}")
        return Weights.from_array(
            [_read(float, value.get(name, getattr(THESIS, name)), f"{place}: {name}") for name in Weights._fields]
        )
    except WeightsError as error:
        raise SettingsError(f"{place}: {error}") from None
