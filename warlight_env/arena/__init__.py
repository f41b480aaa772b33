"""Matches between agents, with seats that take turns and results that say how sure they are."""

from warlight_env.arena.contests import play_contests
from warlight_env.arena.course import Contest, ContestResult, Judge, StopRule
from warlight_env.arena.match import Match
from warlight_env.arena.play import SAFETY_ROUNDS, AgentCrashError, GameObserver, GameRecord, play_game
from warlight_env.arena.result import AgentResult, MatchResult, SeatResult
from warlight_env.arena.runs import RunFolderError
from warlight_env.arena.setup import MatchError, Setup
from warlight_env.arena.statistics import Interval, unit_interval, wilson_interval

__all__ = [
    "SAFETY_ROUNDS",
    "AgentCrashError",
    "AgentResult",
    "Contest",
    "ContestResult",
    "GameObserver",
    "GameRecord",
    "Interval",
    "Judge",
    "Match",
    "MatchError",
    "MatchResult",
    "RunFolderError",
    "SeatResult",
    "Setup",
    "StopRule",
    "play_contests",
    "play_game",
    "unit_interval",
    "wilson_interval",
]
