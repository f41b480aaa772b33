"""Checks of the fields of settings, for the ``__post_init__`` methods of settings classes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from warlight_env import bounded_io, maps
from warlight_env.agents.records.value_record import digest
from warlight_env.agents.registry import pinned
from warlight_env.errors import InputError

#: The largest number of games, steps or other things in a setting.
MOST: Final = 10**9


class SettingsError(InputError):
    """The settings cannot be used; the error message names the file, the setting and the reason."""


def _check(settings: Any, names: Iterable[str], is_valid: Callable[[Any], bool], must: str) -> None:
    """Raise InputError if `is_valid` returns False for one of the fields `names`. must: the end of the message."""
    for name in names:
        value = getattr(settings, name)
        if not is_valid(value):
            raise InputError(f"{name} = {value!r}: must {must}")


def check_integers(settings: Any, minimum: int, *names: str, maximum: float = MOST) -> None:
    """Raise InputError if one of the fields `names` of the settings is outside `minimum` .. `maximum`."""
    _check(settings, names, lambda value: value >= minimum, f"be an integer from {minimum} up")
    check_most(settings, maximum, *names)


def check_most(settings: Any, maximum: float, *names: str) -> None:
    """Raise InputError if one of the fields `names` of the settings is above `maximum`."""
    _check(settings, names, lambda value: value <= maximum, f"be at most {maximum}")


def check_shares(settings: Any, *names: str) -> None:
    """Raise InputError if one of the fields `names` of the settings is outside 0 .. 1."""
    _check(settings, names, lambda value: 0 <= value <= 1, "lie in 0 .. 1")


def check_positive(settings: Any, *names: str) -> None:
    """Raise InputError if one of the fields `names` of the settings is not above 0."""
    _check(settings, names, lambda value: value > 0, "be a number above 0")


def check_not_negative(settings: Any, *names: str) -> None:
    """Raise InputError if one of the fields `names` of the settings is below 0."""
    _check(settings, names, lambda value: value >= 0, "be a number from 0 up")


def check_different_agents(settings: Any, *names: str) -> None:
    """Raise InputError if one of the fields `names` of the settings contains an agent twice."""
    for name in names:
        if len(set(getattr(settings, name))) < len(getattr(settings, name)):
            raise InputError(f"{name}: an agent is in the list twice")


def pin_agents(settings: Any, *names: str, allowed: tuple[str, ...] = ()) -> None:
    """Add digests of agents' files to the agents' names in some fields, so that the settings name exact files.

    Args:
        settings: settings under construction.
        names: names of the fields; each contains one agent or a tuple of agents.
        allowed: entries that may be in the fields although they are not names of agents.

    Raises:
        SettingsError: an agent or one of its files does not exist.
    """
    for name in names:
        value = getattr(settings, name)
        agents = (value,) if isinstance(value, str) else value
        with naming(name, *agents):
            pinned_agents = tuple(agent if agent in allowed else pinned(agent) for agent in agents)
        object.__setattr__(settings, name, pinned_agents[0] if isinstance(value, str) else pinned_agents)


def pin_files(settings: Any, **load: Callable[[str], object]) -> None:
    """Load the files that some fields of the settings name, and add a digest of the content to each .npz file's name.

    Args:
        settings: settings under construction.
        load: for each field, the function that loads its file.

    Raises:
        SettingsError: a file cannot be loaded.
    """
    for name, loader in load.items():
        file = getattr(settings, name)
        with naming(name, file):
            loader(file)
        if file.endswith(".npz"):
            object.__setattr__(settings, name, f"{file}#{digest(Path(file).read_bytes())}")


def pin_maps(settings: Any, *names: str) -> None:
    """Add the digests of the map files among `names` to the field `map_digests`.

    Raises:
        SettingsError: a map file is missing, cannot be read or has another digest than in `map_digests`, or
            `map_digests` has a name that is not among `names`.
    """
    digests = {}
    for name in names:
        if name in settings.map_digests or (name not in maps.names() and os.path.isfile(name)):
            with naming("map_digests", name):
                digests[name] = maps.load(name).digest()
            if settings.map_digests.get(name, digests[name]) != digests[name]:
                raise SettingsError(f"map_digests: the map {name} has changed since these settings were written")
    if unknown := settings.map_digests.keys() - digests.keys():
        raise SettingsError(f"map_digests: {min(unknown)} is no map of these settings")
    object.__setattr__(settings, "map_digests", digests)


@contextlib.contextmanager
def naming(setting: str, *files: str) -> Iterator[None]:
    """Add the name of a setting to the errors that the ``with`` block raises.

    If an .npz file of the setting is missing, the message adds that another training run may have to make the file
    first. A file's name may end with a digest (a hash of the file's content).

    Raises:
        SettingsError: the block raised an `InputError`.
    """
    try:
        yield
    except InputError as error:
        paths = [file.partition("#")[0].removeprefix("policy:") for file in files]
        missing = [path for path in paths if path.endswith(".npz") and not Path(path).exists()]
        hint = ""
        if missing:
            hint = (
                f"; another run may make {bounded_io.shown(missing[0])}: see the comment at the top of the settings. "
                "If so, start that run first, in the same folder"
            )
        raise SettingsError(f"{setting}: {error}{hint}") from None
