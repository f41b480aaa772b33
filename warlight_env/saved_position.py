"""A function that reads a saved position into arrays and checks every number."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from warlight_env.engine.rules import RuleParams
from warlight_env.engine.state import State, copy_state
from warlight_env.engine.validity import StateError, check_state
from warlight_env.step_results import GameError

#: Version of the format of saved games.
FORMAT: Final = 1


def fill_state(params: RuleParams, state: State, saved: Any) -> None:
    """Fill a batch of one game from the "state" of `Game.to_dict`; a `GameError` names an invalid field."""
    filled = copy_state(state)
    for name, array in filled._asdict().items():
        if not isinstance(saved, dict) or name not in saved:
            raise GameError(f"saved game: state {name!r} is missing")
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
