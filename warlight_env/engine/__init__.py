"""The rules of the game as kernels (compiled functions) on arrays, for one game or a batch of games.

Each name is imported from its module at its first use, so the import of a constant does not load Numba. Every other
part of the package may import the engine. The engine imports only NumPy, Numba, platformdirs and small shared modules.
To add a rule, add a field to `rules.Rules` and use it in `round` or `setup`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from warlight_env.lazy import lazy_attributes

if TYPE_CHECKING:
    from warlight_env.engine.board import Board, MapLike, make_board
    from warlight_env.engine.rules import MAX_ARMIES, MAX_PLAYERS, PRESETS, Rules, RulesError
    from warlight_env.engine.state import NEUTRAL, OVER, PICK, PLAY, UNKNOWN

_HOMES: Final = {
    "Board": "board",
    "MapLike": "board",
    "make_board": "board",
    "MAX_ARMIES": "rules",
    "MAX_PLAYERS": "rules",
    "PRESETS": "rules",
    "Rules": "rules",
    "RulesError": "rules",
    "NEUTRAL": "state",
    "OVER": "state",
    "PICK": "state",
    "PLAY": "state",
    "UNKNOWN": "state",
}

__all__ = [
    "MAX_ARMIES",
    "MAX_PLAYERS",
    "NEUTRAL",
    "OVER",
    "PICK",
    "PLAY",
    "PRESETS",
    "UNKNOWN",
    "Board",
    "MapLike",
    "Rules",
    "RulesError",
    "make_board",
]


__getattr__, __dir__ = lazy_attributes(__name__, _HOMES)
