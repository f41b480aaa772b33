"""Functions for batches of actions in nested spaces: select the actions of some games, or make a batch of one."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from warlight_env.arguments import short_repr
from warlight_env.array_arguments import array_of
from warlight_env.errors import InputError


def part_of(space: spaces.Space[Any] | None, actions: Any, games: int | npt.NDArray[np.int64]) -> Any:
    """Select the action of one game, or the actions of several games, from a batch of actions.

    The action space may be any Gymnasium space, also a Dict or a Tuple. The function does not check that the actions
    are in this space; the action encoding checks the actions later.
    """
    if isinstance(space, spaces.Dict) and isinstance(actions, dict):
        return {key: part_of(space.spaces.get(key), part, games) for key, part in actions.items()}
    if isinstance(space, spaces.Tuple) and isinstance(actions, tuple) and len(actions) == len(space.spaces):
        return tuple(part_of(inner, part, games) for inner, part in zip(space.spaces, actions, strict=True))
    return _part(actions, games) if isinstance(games, int) else _part(array_of(actions, "actions"), games)


def _part(actions: Any, games: int | npt.NDArray[np.int64]) -> Any:
    try:
        return actions[games]
    except Exception:  # `actions` is not a batch, is too short, or has faulty methods
        raise InputError(f"actions = {short_repr(actions)}: must be a batch with an action for each game") from None


def check_count(space: spaces.Space[Any] | None, actions: Any, count: int) -> None:
    """Raise InputError unless a batch contains `count` actions; the action space may be any Gymnasium space."""
    if isinstance(space, spaces.Dict) and isinstance(actions, dict):
        for key, part in actions.items():
            check_count(space.spaces.get(key), part, count)
        return
    if isinstance(space, spaces.Tuple) and isinstance(actions, tuple) and len(actions) == len(space.spaces):
        for inner, part in zip(space.spaces, actions, strict=True):
            check_count(inner, part, count)
        return
    try:
        size = len(actions)
    except Exception:  # `actions` is not a batch, or has faulty methods
        raise InputError(f"actions = {short_repr(actions)}: must be a batch with an action for each game") from None
    if size != count:
        raise InputError(f"actions: the batch has {size} actions for {count} games")


def batch_of_one(space: spaces.Space[Any] | None, action: Any) -> Any:
    """Convert the action of a single game to a batch of one action.

    Raises InputError if the action has another shape than the space, or no integers for a space of integers.
    """
    if isinstance(space, spaces.Dict) and isinstance(action, dict):
        return {key: batch_of_one(space.spaces.get(key), part) for key, part in action.items()}
    if isinstance(space, spaces.Tuple) and isinstance(action, tuple) and len(action) == len(space.spaces):
        return tuple(batch_of_one(inner, part) for inner, part in zip(space.spaces, action, strict=True))
    if isinstance(space, spaces.Dict | spaces.Tuple):
        return [action]
    array = array_of(action, "action")
    if isinstance(space, spaces.Discrete | spaces.MultiDiscrete | spaces.Box) and array.shape != space.shape:
        form = f"an array of shape {space.shape}" if space.shape else "one number"
        raise InputError(f"action must be {form}, not {short_repr(action)} of shape {array.shape}")
    if isinstance(space, spaces.Discrete | spaces.MultiDiscrete) and array.dtype.kind not in "iu":
        raise InputError(f"action must contain integers, not {array.dtype} ({short_repr(action)})")
    return array[None]
