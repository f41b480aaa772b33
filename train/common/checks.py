"""Checks of settings' fields, for dataclasses that are being made."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from warlight_env import bounded
from warlight_env.agents.records.value_record import digest
from warlight_env.agents.registry import pinned
from warlight_env.errors import InputError


class SettingsError(InputError):
    """Settings that cannot be used; the message names the file, the key and the reason."""


def _check(settings: Any, names: Iterable[str], fits: Callable[[Any], bool], must: str) -> None:
    """Refuse fields of those names that do not fit with an `InputError`."""
    for name in names:
        value = getattr(settings, name)
        if not fits(value):
            raise InputError(f"{name} = {value!r}: must {must}")


def check_whole(settings: Any, least: int, *names: str) -> None:
    """Refuse integers that are less with an `InputError`."""
    _check(settings, names, lambda value: value >= least, f"be an integer from {least} up")


def check_most(settings: Any, most: float, *names: str) -> None:
    """Refuse numbers above that with an `InputError`."""
    _check(settings, names, lambda value: value <= most, f"be at most {most}")


def check_shares(settings: Any, *names: str) -> None:
    """Refuse numbers outside 0 .. 1 with an `InputError`."""
    _check(settings, names, lambda value: 0 <= value <= 1, "lie in 0 .. 1")


def check_positive(settings: Any, *names: str) -> None:
    """Refuse numbers that are not above 0 with an `InputError`."""
    _check(settings, names, lambda value: value > 0, "be a number above 0")


def check_not_negative(settings: Any, *names: str) -> None:
    """Refuse numbers below 0 with an `InputError`."""
    _check(settings, names, lambda value: value >= 0, "be a number from 0 up")


def check_agents(settings: Any, *names: str) -> None:
    """Refuse lists that name an agent twice with an `InputError`."""
    for name in names:
        if len(set(getattr(settings, name))) < len(getattr(settings, name)):
            raise InputError(f"{name}: an agent is named twice")


def pin_agents(settings: Any, *names: str, but: tuple[str, ...] = ()) -> None:
    """Add to the agents of these fields (one, or a tuple) the digests of the files that they play by.

    Args:
        but: entries that are no agents.

    Raises:
        SettingsError: there is no such agent, or no such file.
    """
    for name in names:
        value = getattr(settings, name)
        agents = (value,) if isinstance(value, str) else value
        with naming(name, *agents):
            found = tuple(agent if agent in but else pinned(agent) for agent in agents)
        object.__setattr__(settings, name, found[0] if isinstance(value, str) else found)


def pin_files(settings: Any, **load: Callable[[str], object]) -> None:
    """Load what these fields name, and add to .npz files the digests of what they hold.

    Raises:
        SettingsError: it cannot be loaded.
    """
    for name, read in load.items():
        file = getattr(settings, name)
        with naming(name, file):
            read(file)
        if file.endswith(".npz"):
            object.__setattr__(settings, name, f"{file}#{digest(Path(file).read_bytes())}")


@contextlib.contextmanager
def naming(setting: str, *files: str) -> Iterator[None]:
    """What is refused inside names that setting; where one of its files, which may have a digest behind it, is missing,
    it says that another run may be what makes it.

    Raises:
        SettingsError: in place of any `InputError`.
    """
    try:
        yield
    except InputError as error:
        paths = [file.partition("#")[0].removeprefix("policy:") for file in files]
        missing = [path for path in paths if path.endswith(".npz") and not Path(path).exists()]
        more = ""
        if missing:
            more = (
                f"; if another run makes {bounded.shown(missing[0])}, as the comment at the head of the settings says, "
                "that run comes first, in the same folder"
            )
        raise SettingsError(f"{setting}: {error}{more}") from None
