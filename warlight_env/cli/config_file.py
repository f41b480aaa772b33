"""The user's configuration file: defaults of options, in a table for each command."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

from cyclopts import App, ArgumentCollection
from cyclopts.config import Toml
from platformdirs import user_config_path

from warlight_env import bounded_io
from warlight_env.arguments import kind_in_words
from warlight_env.bounded_io import shown
from warlight_env.cli.common import UsageError, count, wrong_count
from warlight_env.errors import clipped, did_you_mean

#: The environment variable with the path of the file; an empty value: no file.
VARIABLE: Final = "WARLIGHT_CONFIG"
_LARGEST: Final = 1 << 20  # bytes


def config_path() -> Path | None:
    """Return the path of the configuration file, which may not exist; None if the user wants no file."""
    named = os.environ.get(VARIABLE)
    if named is None:
        return user_config_path("warlight") / "config.toml"
    return Path(named) if named else None


class ConfigFile:
    """A source of option values for cyclopts: the values in the configuration file.

    The options of `warlight match` are in the table ``[match]``, and those of `warlight map generate` in the table
    ``[map.generate]``. An option on the command line overrides the file.

    Args:
        program: the program with all commands.
    """

    def __init__(self, program: App) -> None:
        self._program = program

    def __call__(self, app: App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
        """Set the options that the command line does not give; cyclopts calls this method for each command.

        Raises:
            UsageError: the file cannot be read, is not valid TOML, or has an unknown command, an unknown option or a
                wrong value.
        """
        path = config_path()
        if path is None or (VARIABLE not in os.environ and not path.exists()):
            return
        text = bounded_io.read_text(path, _LARGEST, UsageError, "configuration file")
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise UsageError(f"{shown(path)}: {error}") from None
        _check_tables(path, data, self._program, ())
        Toml(path)(app, commands, arguments)


def _check_tables(path: Path, data: Mapping[str, Any], app: App, parents: tuple[str, ...]) -> None:
    """Raise `UsageError` for a table of no command, for an unknown option, and for a wrong value."""
    names = sorted(name for name in app if not name.startswith("-"))
    for key, value in data.items():
        table_name = ".".join((*parents, key))
        if key not in names:
            raise UsageError(f"{shown(path)}: no command {table_name!r}{did_you_mean(key, names)}; see warlight --help")
        if not isinstance(value, Mapping):
            raise UsageError(f"{shown(path)}: {table_name} must be a table: [{table_name}]")
        command = app[key]
        if command.default_command is None:
            _check_tables(path, value, command, (*parents, key))
        else:
            _check_options(f"{shown(path)}: [{table_name}]", value, command)


def _check_options(table: str, values: Mapping[str, Any], command: App) -> None:
    """Raise `UsageError` if a command does not have one of the options in its table, or for a wrong value."""
    arguments = command.assemble_argument_collection()
    for key, value in values.items():
        try:
            argument, _, implicit = arguments.match(f"--{key}")
        except ValueError:
            names = [name[2:] for argument in arguments for name in argument.names if name.startswith("--")]
            raise UsageError(f"{table} has no option {key!r}{did_you_mean(key, names)}") from None
        if f"--{key}" in argument.negatives:
            switch = f"; use {argument.name[2:]} = false" if implicit is False else ""
            raise UsageError(f"{table} has no option {key!r}{switch}")
        if reason := _mismatch(value, argument.hint, argument.parameter.converter is count):
            raise UsageError(f"{table} {key} = {clipped(json.dumps(value, default=str), 60)}: {reason}")


def _mismatch(value: Any, hint: Any, positive: bool) -> str:
    """Return the reason why a value of TOML does not fit an option's type; an empty text if it fits.

    positive: whether numbers must be at least 1.
    """
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    (kind,) = [kind for kind in kinds if kind is not NoneType]
    if get_origin(kind) is Literal:
        return "" if str(value) in get_args(kind) else f"must be one of {', '.join(get_args(kind))}"
    if get_origin(kind) in (list, tuple):
        return next(filter(None, (_mismatch(each, get_args(kind)[0], positive) for each in _listed(value))), "")
    expected = str if kind is Path else kind
    if type(value) is not expected and not (expected is float and type(value) is int):
        return f"must be {kind_in_words(expected)}"
    return wrong_count(int(value)) if positive else ""


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
