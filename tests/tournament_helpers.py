"""A small tournament between bots, for tests of tournament results."""

from __future__ import annotations

from pathlib import Path

from warlight_env import maps
from warlight_env.arena.contests.contest_runner import play_contests
from warlight_env.arena.tournaments.tournament import Entrant, Tournament
from warlight_env.arena.tournaments.tournament_live import LiveTables
from warlight_env.arena.tournaments.tournament_result import TournamentResult


def cup(**kwargs: object) -> Tournament:
    """Return a tournament of three bots on two maps, in which each bot plays against each other one."""
    entrants = (
        Entrant("Attila", "aggressive"), Entrant("army", "one_big_army"), Entrant("chance & co", "random"),
    )  # fmt: skip
    played_on = (maps.load("small"), maps.load("world"))
    settings = {"name": "Cup", "entrants": entrants, "maps": played_on, "games": 4, "max_rounds": 40, **kwargs}
    return Tournament(**settings)  # type: ignore[arg-type]


def play_cup(folder: Path, *, log: bool = True, **kwargs: object) -> TournamentResult:
    """Play the tournament and write its run folder, as ``warlight tournament`` does."""
    tournament = cup(**kwargs)
    with LiveTables(tournament, folder) as tables:
        results = play_contests(
            tournament.contests(folder / "logs" if log else None), folder=folder, on_games=tables.add
        )
        return tables.finish(results)
