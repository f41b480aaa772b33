"""Reading a saved position back into arrays, every number checked."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from warlight_env.engine.rules import ARMY_CAP
from warlight_env.engine.state import OVER, PICK, PLAY, State
from warlight_env.outcome import GameError

#: Version of the form of saved games.
FORMAT: Final = 1


def fill_state(state: State, saved: Any, players: int) -> None:
    """Fill a batch of one from `Game.to_dict`'s "state"; `GameError` names the field that does not fit."""
    bounds: dict[str, tuple[int, int]] = {
        "owner": (-1, players - 1),
        "army": (1, ARMY_CAP),
        "offers": (0, (1 << players) - 1),
        "phase": (PICK, OVER),
        "winner": (-1, players - 1),
        "rng": (0, 2**64 - 1),
        "round": (0, 10**9),
    }
    for name, array in state._asdict().items():
        if not isinstance(saved, dict) or name not in saved:
            raise GameError(f"saved game: state {name!r} is missing")
        low, high = bounds.get(name, (0, 2**31 - 1))
        try:
            values = np.array(saved[name], dtype=object)
            fits = values.shape == array[0].shape and all(
                type(value) is int and low <= value <= high for value in values.reshape(-1)
            )
        except ValueError:
            fits = False
        if not fits:
            raise GameError(f"saved game: state {name!r} must hold {array[0].size} integers in {low} .. {high}")
        array[0] = values.astype(array.dtype)
    if not state.rng[0].any():
        raise GameError("saved game: state 'rng' must not be all 0")
    if state.phase[0] == PLAY:
        for player in range(players):
            owns, out = bool((state.owner[0] == player).any()), bool(state.eliminated_at[0, player])
            if owns == out:
                raise GameError(
                    f"saved game: player {player} {'is out, but owns regions' if out else 'is in, but owns nothing'}"
                )
