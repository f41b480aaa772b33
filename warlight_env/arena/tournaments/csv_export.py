"""The games and the crosstable of a tournament as CSV files, for spreadsheets and statistics programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any, Final

from warlight_env.arena.tournaments.tournament_result import TournamentResult

#: The names of the files in the run folder.
GAMES: Final = "games.csv"
CROSSTABLE: Final = "crosstable.csv"
#: A spreadsheet would read a text that begins with one of these characters as a formula.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def games_csv(result: TournamentResult) -> str:
    """Return a CSV text with a row for each game, in the order of contests and games.

    The columns are contest, game, map, rules and seed; for each seat its agent and final rank; the winner (empty for a
    draw); rounds, cut_off (0 or 1), seconds; and the agents that lost by forfeit, with the reasons.
    """
    t = result.tournament
    seats = [f"{field}_{seat + 1}" for seat in range(t.players) for field in ("agent", "place")]
    head = ["contest", "game", "map", "rules", "seed", *seats, "winner", "rounds", "cut_off", "seconds", "failures"]
    rows: list[list[Any]] = []
    for contest, pairing, record in result.played_games:
        names = [t.names[entrant] for entrant in pairing.entrants]
        by_seat = [value for agent in record.seats for value in (names[agent], record.placements[agent])]
        failures = "; ".join(f"{names[failure.agent]}: {failure.reason}" for failure in record.failures)
        winner = "" if record.winner is None else names[record.winner]
        rows.append(
            [
                contest + 1, record.number + 1, pairing.map, pairing.rules, record.seed, *by_seat, winner,
                record.rounds, int(record.cut_off), f"{record.seconds:.3f}", failures,
            ]
        )  # fmt: skip
    return _csv([head, *rows])


def crosstable_csv(result: TournamentResult) -> str:
    """Return a CSV text with a row for each pair of agents that played, the best agents first.

    The columns are the agent, the opponent, games, wins, losses, draws, the score in 0 .. 1, and the ends of its 95 %
    interval.
    """
    names = result.tournament.names
    rows: list[list[Any]] = [["agent", "against", "games", "wins", "losses", "draws", "score", "low", "high"]]
    for i, meetings in result.crosstable:
        for j, m in zip(result.order, meetings, strict=True):
            if m is not None:
                values = [f"{value:.4f}" for value in (m.score, *m.interval)]
                rows.append([names[i], names[j], m.games, m.wins, m.losses, m.draws, *values])
    return _csv(rows)


def _csv(rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
