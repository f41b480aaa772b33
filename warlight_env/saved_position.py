"""Saved games: digests of positions, and checks of every field of a saved game."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

import numpy as np

from warlight_env import maps
from warlight_env.arguments import is_integer, short_repr
from warlight_env.engine.rules import RuleParams, Rules
from warlight_env.engine.state import State, copy_state, state_bytes
from warlight_env.engine.validity import StateError, check_state
from warlight_env.maps.loader import is_bundled
from warlight_env.step_results import GameError

#: The version number of the format of saved games, which `Game.to_dict` writes.
FORMAT: Final = 1


def position_hash(map_: maps.Map, rules: Rules, players: int, state: State) -> str:
    """Return the result of `Game.hash`. state: the position, a batch of one game."""
    digest = hashlib.sha256()
    digest.update(json.dumps([FORMAT, map_.digest(), rules.to_dict(), players]).encode())
    digest.update(state_bytes(state))
    return digest.hexdigest()


def position_fingerprint(state: State) -> str:
    """Return the result of `Game.fingerprint`. state: the position, a batch of one game."""
    arrays: Any = state  # each array is contiguous
    return hashlib.blake2b(b"".join(arrays), digest_size=8).hexdigest()


def saved_map(map_: maps.Map) -> str | dict[str, Any]:
    """Return the value of "map" in a saved game or a log: the name of a bundled map, or the map as data for JSON."""
    return map_.name if is_bundled(map_) else map_.to_dict()


def loaded_map(saved: Any) -> maps.Map:
    """Return the map of a saved game: a `Map`, the name of a map, or a map as data for JSON."""
    if isinstance(saved, maps.Map):
        return saved
    return maps.load(saved) if isinstance(saved, str) else maps.from_dict(saved)


def check_saved_game(data: Any) -> None:
    """Raise GameError if a saved game has another format, if a field is missing, or if "reseeded" is invalid."""
    if not isinstance(data, dict) or not is_integer(data.get("format")) or data["format"] != FORMAT:
        raise GameError(f"not a saved game of format {FORMAT}")
    for key in ("map", "rules", "players", "seed", "reseeded", "state"):
        if key not in data:
            raise GameError(f"saved game: {key!r} is missing")
    if not isinstance(data["reseeded"], bool):
        raise GameError(f"saved game: 'reseeded' must be true or false, not {short_repr(data['reseeded'])}")


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
