"""Functions that check the arguments of an `EnvCore` and of environments."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, Final, Literal, TypedDict

import numpy as np
import numpy.typing as npt

from warlight_env import maps
from warlight_env.arguments import check_choice, is_integer, short_repr
from warlight_env.engine.rules import Rules
from warlight_env.envs.actions import EncodingFactory
from warlight_env.envs.custom_functions import ObservationFunction, RewardFunction
from warlight_env.envs.rewards import Reward
from warlight_env.errors import InputError
from warlight_env.features.columns import OBSERVATIONS

#: The entries about render modes in the `metadata` of every environment.
RENDERING: Final[dict[str, Any]] = {"render_modes": ["human", "ansi", "rgb_array"], "render_fps": 4}


def check_arguments(map: Any, batch: Any, observation: Any, fog: Any, picking: Any) -> None:
    """Raise InputError if the `EnvCore` argument `map`, `batch`, `observation`, `fog` or `picking` is invalid."""
    check_choice(observation, "observation", OBSERVATIONS)
    if not isinstance(picking, str) or picking not in ("play", "random"):
        raise InputError(f"picking = {short_repr(picking)}: must be 'play' or 'random'")
    if fog is not None and not isinstance(fog, bool):
        raise InputError(f"fog = {short_repr(fog)}: must be True, False or None (use the rules' value)")
    check_batch(batch)
    if not isinstance(map, str | Path | maps.Map):
        raise maps.MapError(
            f"map = {short_repr(map)}: must be the name of a bundled map, the path of a file, or a Map; for several "
            "maps, use warlight/WarlightMaps-v0"
        )


class CoreSettings(TypedDict, total=False):
    """The arguments of `EnvCore` that environments pass through."""

    rules: str | Rules | dict[str, Any]
    players: int
    action: str | EncodingFactory
    observation: str | ObservationFunction
    fog: bool | None
    picking: Literal["play", "random"]
    max_cycles: int | None
    reward: str | Reward | RewardFunction


class UnknownArgumentError(InputError, TypeError):
    """Error: an environment has no argument with the given name."""


def check_names(
    names: Iterable[str], allowed: Collection[str], further: Iterable[str] = (), refused: Collection[str] = ()
) -> None:
    """Raise `UnknownArgumentError` if a name in `names` is neither in `allowed` nor in `refused`.

    Args:
        names: the names to check.
        allowed: the arguments that `names` may contain. The error message lists them.
        further: further arguments of the environment, which the error message also lists.
        refused: arguments for which another check raises a more specific error. The error message does not list them.
    """
    unknown = [repr(name) for name in names if name not in allowed and name not in refused]
    if unknown:
        raise UnknownArgumentError(f"unknown arguments {', '.join(unknown)}; known: {', '.join((*allowed, *further))}")


def check_batch(batch: Any, name: str = "batch") -> None:
    """Raise InputError unless `batch`, a number of games, is an integer of at least 1. name: the argument's name."""
    if isinstance(batch, bool) or not isinstance(batch, int) or not 1 <= batch < 2**31:
        raise InputError(f"{name} = {short_repr(batch)}: must be an integer from 1 up")


def check_max_cycles(count: Any) -> int:
    """Return the argument `max_cycles` as an int; raise `InputError` unless it is an integer of at least 1."""
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 0 < count < 2**31:
        raise InputError(f"max_cycles = {short_repr(count)}: must be an integer from 1 to {2**31 - 1}")
    return int(count)


def checked_mode(mode: str | None) -> str | None:
    """Return the render mode; raise InputError unless it is None or one of the modes in `RENDERING`."""
    if mode is not None:
        check_choice(mode, "render_mode", RENDERING["render_modes"])
    return mode


class LearnerSeats(tuple[int, ...]):
    """The seats of several learners in each game, in ascending order, as the argument `seat` of `Episodes`."""

    __slots__ = ()


def checked_seats(seat: Any, players: int) -> npt.NDArray[np.int8]:
    """Return int8[L], the learners' seats, from the argument `seat` of `Episodes`; -1 means a random seat."""
    if isinstance(seat, str) and seat == "random":
        return np.array([-1], np.int8)
    seats = seat if isinstance(seat, LearnerSeats) else (seat,)
    if not all(is_integer(entry) and 0 <= int(entry) < players for entry in seats):
        raise InputError(f"seat = {short_repr(seat)}: must be 'random' or 0 .. {players - 1}")
    return np.array(seats, np.int8)
