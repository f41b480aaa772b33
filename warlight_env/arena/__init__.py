"""Matches and tournaments between agents; the results contain confidence intervals.

The packages `protocol`, `train`, `experiments`, `bench`, `web` and `cli` import this package; this package imports
`record`, `envs` and the packages below them.
"""

from warlight_env.arena.backends.backend import Backend, LocalBackend
from warlight_env.arena.contests.append_only import RunFolderError
from warlight_env.arena.contests.contest_progress import Contest, ContestResult, SequentialTest, StoppingRule
from warlight_env.arena.contests.contest_runner import play_contests
from warlight_env.arena.games.agent_errors import InvalidAgentError
from warlight_env.arena.games.clocks import Clock, ClockError
from warlight_env.arena.games.continuation import continue_game
from warlight_env.arena.games.game_loop import SAFETY_ROUNDS, AgentCrashError, GameObserver, play_game
from warlight_env.arena.games.game_record import GameRecord
from warlight_env.arena.games.game_setup import MatchError, MatchSetup
from warlight_env.arena.games.play_options import PlayOptions
from warlight_env.arena.games.seated_agent import Failure, TimeUse
from warlight_env.arena.matches.agent_result import AgentResult, SeatResult, TimeResult
from warlight_env.arena.matches.match import Match
from warlight_env.arena.matches.match_score import MatchScore
from warlight_env.arena.matches.result import MatchResult, SprtResult
from warlight_env.arena.matches.sprt import Sprt, SprtError
from warlight_env.arena.ratings.bradley_terry import GameRanking, Rating, RatingError, rate
from warlight_env.arena.ratings.elo import EloDifference, elo_of, expected_score
from warlight_env.arena.ratings.statistics import Interval, unit_interval, wilson_interval
from warlight_env.arena.tournaments.tournament import Entrant, Tournament, TournamentError
from warlight_env.arena.tournaments.tournament_file import load_tournament
from warlight_env.arena.tournaments.tournament_result import TournamentResult

__all__ = [
    "SAFETY_ROUNDS",
    "AgentCrashError",
    "AgentResult",
    "Backend",
    "Clock",
    "ClockError",
    "Contest",
    "ContestResult",
    "EloDifference",
    "Entrant",
    "Failure",
    "GameObserver",
    "GameRecord",
    "Interval",
    "InvalidAgentError",
    "SequentialTest",
    "LocalBackend",
    "Match",
    "MatchError",
    "MatchResult",
    "GameRanking",
    "Rating",
    "RatingError",
    "RunFolderError",
    "SeatResult",
    "MatchSetup",
    "PlayOptions",
    "Sprt",
    "SprtError",
    "SprtResult",
    "MatchScore",
    "StoppingRule",
    "TimeResult",
    "TimeUse",
    "Tournament",
    "TournamentError",
    "TournamentResult",
    "elo_of",
    "expected_score",
    "load_tournament",
    "play_contests",
    "play_game",
    "continue_game",
    "rate",
    "unit_interval",
    "wilson_interval",
]
