"""Matches between agents, with seats that take turns and results that say how sure they are."""

from warlight_env.arena.match import Match, MatchError
from warlight_env.arena.play import SAFETY_ROUNDS, AgentCrashError, GameObserver, GameRecord, play_game
from warlight_env.arena.result import AgentResult, MatchResult, SeatResult
from warlight_env.arena.statistics import Interval, unit_interval, wilson_interval

__all__ = [
    "SAFETY_ROUNDS",
    "AgentCrashError",
    "AgentResult",
    "GameObserver",
    "GameRecord",
    "Interval",
    "Match",
    "MatchError",
    "MatchResult",
    "SeatResult",
    "play_game",
    "unit_interval",
    "wilson_interval",
]
