"""The rules at machine speed: kernels over arrays, for one game or a batch."""

from warlight_env.engine.board import Board, MapLike, make_board
from warlight_env.engine.rules import MAX_ARMIES, MAX_PLAYERS, PRESETS, Rules, RulesError
from warlight_env.engine.state import NEUTRAL, OVER, PICK, PLAY, UNKNOWN

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
