"""The user's configuration file: defaults of options, in a table for each command."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from cyclopts import App, ArgumentCollection
from cyclopts.config import Toml
from platformdirs import user_config_path

from warlight_env import bounded_io
from warlight_env.bounded_io import shown
from warlight_env.cli.common import UsageError
from warlight_env.errors import did_you_mean

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
            UsageError: the file cannot be read, is not valid TOML, or has an unknown command or option.
            CycloptsError: the table of the command has a wrong value.
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


def _check_tables(path: Path, data: Mapping[str, Any], app: App, above: tuple[str, ...]) -> None:
    """Raise `UsageError` for a table of no command, and for an option that its command does not have."""
    known = sorted(name for name in app if not name.startswith("-"))
    for key, value in data.items():
        place = ".".join((*above, key))
        if key not in known:
            raise UsageError(f"{shown(path)}: no command {place!r}{did_you_mean(key, known)}; see warlight --help")
        if not isinstance(value, Mapping):
            raise UsageError(f"{shown(path)}: {place} must be a table: [{place}]")
        command = app[key]
        if command.default_command is None:
            _check_tables(path, value, command, (*above, key))
        else:
            _check_options(f"{shown(path)}: [{place}]", value, command)


def _check_options(table: str, values: Mapping[str, Any], command: App) -> None:
    """Raise `UsageError` if a command does not have one of the options in its table."""
    arguments = command.assemble_argument_collection()
    for key in values:
        try:
            arguments.match(f"--{key}")
        except ValueError:
            names = [name[2:] for argument in arguments for name in argument.names if name.startswith("--")]
            raise UsageError(f"{table} has no option {key!r}{did_you_mean(key, names)}") from None
