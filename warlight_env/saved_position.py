"""A function that copies the position of a saved game into arrays and checks every number."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from warlight_env.engine.rules import RuleParams
from warlight_env.engine.state import State, copy_state
from warlight_env.engine.validity import StateError, check_state
from warlight_env.step_results import GameError

#: The version number of the format of saved games, which `Game.to_dict` writes.
FORMAT: Final = 1


def fill_state(params: RuleParams, state: State, saved: Any) -> None:
    """Copy a saved position into the arrays of `state`, a batch of one game.

    Args:
        params: the rules of the game.
        state: the arrays to fill; they are unchanged after an error.
        saved: the value of "state" in the result of `Game.to_dict`.

    Raises:
        GameError: a field is missing or invalid; the message names it.
    """
    filled = copy_state(state)
    for name, array in filled._asdict().items():
        if not isinstance(saved, dict) or name not in saved:
            raise GameError(f"saved game: the entry {name!r} of 'state' is missing")
        low, high = np.iinfo(array.dtype).min, np.iinfo(array.dtype).max
        try:
            values = np.array(saved[name], dtype=object)
            fits = values.shape == array[0].shape and all(
                type(value) is int and low <= value <= high for value in values.reshape(-1)
            )
        except ValueError:
            fits = False
        if not fits:
            raise GameError(f"saved game: state {name!r} must be {array[0].size} integers in {low} .. {high}")
        array[0] = values.astype(array.dtype)
    try:
        check_state(params, filled)
    except StateError as error:
        raise GameError(f"saved game: {error}") from None
    for name, array in filled._asdict().items():
        getattr(state, name)[...] = array
