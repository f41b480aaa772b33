"""Game logs: written during a game, read, verified, replayed, continued and listed.

Imported by `arena`, `web` and `cli`. Imports `game` and the layers below.
"""

from warlight_env.record.decision_info import insight_of
from warlight_env.record.errors import LogError, LogWriteError, ReplayError
from warlight_env.record.index import Entry, LogIndex
from warlight_env.record.log import GameLog
from warlight_env.record.model import (
    Change,
    Continuation,
    End,
    Header,
    Insight,
    LoggedDraw,
    LoggedFailure,
    Picks,
    Player,
    Round,
    Start,
)
from warlight_env.record.reader import Summary, summarize
from warlight_env.record.recorder import MemoryRecorder, Recorder, describe
from warlight_env.record.replay import Difference, Moment, game_at, replay, result_of, verify
from warlight_env.record.writer import LogWriter

__all__ = [
    "Change",
    "Continuation",
    "Difference",
    "End",
    "Entry",
    "GameLog",
    "Header",
    "Insight",
    "LogError",
    "LogIndex",
    "LogWriteError",
    "LogWriter",
    "LoggedDraw",
    "LoggedFailure",
    "MemoryRecorder",
    "Moment",
    "Picks",
    "Player",
    "Recorder",
    "ReplayError",
    "Round",
    "Start",
    "Summary",
    "describe",
    "game_at",
    "insight_of",
    "replay",
    "result_of",
    "summarize",
    "verify",
]
