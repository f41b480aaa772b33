"""Game logs and studies: files with the orders and positions of games, and with variations.

This package writes, reads, verifies and replays these files.

The packages `arena`, `web` and `cli` import this package. The package `record` may import only `game` and modules of
lower layers (see ARCHITECTURE.md).
"""

from warlight_env.record.decision_info import decision_info
from warlight_env.record.errors import LogError, LogWriteError, ReplayError, StudyError, VariationError
from warlight_env.record.index import LogEntry, LogIndex
from warlight_env.record.model import (
    Change,
    Continuation,
    DecisionInfo,
    End,
    Header,
    LoggedDraw,
    LoggedFailure,
    Picks,
    Player,
    Round,
    Start,
)
from warlight_env.record.reader import GameLog, LogSummary, summarize
from warlight_env.record.recorder import MemoryRecorder, Recorder, describe
from warlight_env.record.replay import Difference, ReplayPosition, game_at, replay, result_of, verify
from warlight_env.record.study import Study
from warlight_env.record.variation_play import check_variations, game_from_position, play_variation
from warlight_env.record.variations import Note, Variation, Variations
from warlight_env.record.writer import LogWriter

__all__ = [
    "Change",
    "Continuation",
    "Difference",
    "End",
    "LogEntry",
    "GameLog",
    "Header",
    "DecisionInfo",
    "LogError",
    "LogIndex",
    "LogWriteError",
    "LogWriter",
    "LoggedDraw",
    "LoggedFailure",
    "MemoryRecorder",
    "ReplayPosition",
    "Picks",
    "Player",
    "Recorder",
    "ReplayError",
    "Round",
    "Start",
    "LogSummary",
    "describe",
    "game_at",
    "decision_info",
    "replay",
    "result_of",
    "Note",
    "Study",
    "StudyError",
    "Variation",
    "VariationError",
    "Variations",
    "check_variations",
    "game_from_position",
    "play_variation",
    "summarize",
    "verify",
]
