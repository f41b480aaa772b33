"""``warlight tournament``: play a tournament that a TOML file describes, and rate the agents."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from warlight_env.cli.common import (
    INTERRUPTED,
    OK,
    BackendOption,
    JobsOption,
    JsonOption,
    PathArgument,
    QuietOption,
    RayAddressOption,
    TracebackOption,
    crash_traceback,
    print_json,
    read_backend,
    write_file,
)

if TYPE_CHECKING:
    from warlight_env.arena.games.game_record import GameRecord


def tournament(
    file: Annotated[
        PathArgument, Parameter(help="TOML file with agents, format, games, maps, rules and other settings.")
    ],
    *,
    out: Annotated[
        PathArgument | None, Parameter(help="Run folder (default: runs/NAME for the file NAME.toml).")
    ] = None,
    log: Annotated[
        bool,
        Parameter(
            negative="",
            help="Write a log of every game to the run folder; logs/ has a subfolder for each pairing, named after its "
            "players.",
        ),
    ] = False,
    jobs: JobsOption = None,
    backend: BackendOption = "local",
    ray_address: RayAddressOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    traceback: TracebackOption = False,
) -> int:
    """Play a tournament between agents. Compute ratings with intervals and a crosstable, and write an HTML report.

    The command writes every finished game to the run folder. After an interruption, the same command continues the
    tournament. During the games, the file tournament.json in the run folder contains the current ratings; `warlight
    play --runs` shows them. At the end the command writes report.html, games.csv and crosstable.csv.

    ```toml
    agents = ["random", "aggressive", { name = "search", spec = "mcts:sims=100" }]
    games = 100               # games of each pairing
    format = "round-robin"    # or "gauntlet", with challengers = ["search"]
    players = 2               # players in a game, 2 to 6
    maps = ["world"]
    rules = ["thesis", { preset = "thesis", fog = true }]
    ```
    """
    from warlight_env.arena.contests.append_only import RunFolderError
    from warlight_env.arena.contests.contest_runner import play_contests
    from warlight_env.arena.matches.fault_table import detail_lines
    from warlight_env.arena.ratings.skill import openskill_model
    from warlight_env.arena.tournaments.csv_export import CROSSTABLE, GAMES, crosstable_csv, games_csv
    from warlight_env.arena.tournaments.tournament_file import load_tournament
    from warlight_env.arena.tournaments.tournament_live import LiveTables
    from warlight_env.arena.tournaments.tournament_report import to_html
    from warlight_env.cli.progress import WarmUpLines, unit_progress
    from warlight_env.folder_lock import FolderLock

    game_backend = read_backend(backend, ray_address)
    tournament_ = load_tournament(file)
    if tournament_.players > 2:
        openskill_model()  # load the library now: if it is missing, the error comes before the games
    folder = Path("runs", file.stem) if out is None else out
    contests = tournament_.contests(folder / "logs" if log else None)
    total = sum(contest.n_games for contest in contests)
    with FolderLock(folder, in_use=RunFolderError) as lock:
        with (
            unit_progress(tournament_.name, total, "games", quiet) as advance,
            LiveTables(tournament_, folder) as tables,
        ):

            def on_games(key: str, records: Sequence[GameRecord]) -> None:
                advance(len(records), key)
                tables.add(key, records)

            with crash_traceback(traceback):
                results = play_contests(
                    contests,
                    jobs=jobs,
                    backend=game_backend,
                    folder=lock,
                    on_games=on_games,
                    on_warm_up=WarmUpLines(quiet),
                )
            result = tables.finish(results)
        if not result.rated:
            print(f"too few games for a result; the same command continues the tournament in {folder}", file=sys.stderr)
            raise KeyboardInterrupt
        write_file(folder / "report.html", to_html(result))
        write_file(folder / GAMES, games_csv(result))
        write_file(folder / CROSSTABLE, crosstable_csv(result))
    if json:
        print_json(result.to_dict())
    else:
        print(result)
        if traceback:
            print("\n".join(detail_lines(result.fault_table)))
        print(f"\nreport: {folder / 'report.html'}")
    return INTERRUPTED if result.interrupted else OK
