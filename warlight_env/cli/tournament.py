"""``warlight tournament``: who is the best of several, from a TOML file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from warlight_env.cli.common import (
    INTERRUPTED,
    OK,
    BackendOption,
    Failure,
    JobsOption,
    JsonOption,
    RayAddressOption,
    print_json,
    read_backend,
)

QuietOption = Annotated[bool, Parameter(name=["--quiet", "-q"], negative="", help="No progress on stderr.")]


def tournament(
    file: Annotated[Path, Parameter(help="A TOML file: agents, format, games, maps, rules …")],
    *,
    out: Annotated[Path | None, Parameter(help="Run folder (default: runs/ and the file's name).")] = None,
    log: Annotated[
        bool,
        Parameter(negative="", help="Keep a log of every game, in logs/ in the run folder, a folder each pairing."),
    ] = False,
    jobs: JobsOption = None,
    backend: BackendOption = "local",
    ray_address: RayAddressOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Play a tournament: ratings with intervals, a crosstable, and a report as one HTML file.

    Every finished game is written to the run folder; the same command goes on after an interruption. At the end the
    folder holds tournament.json and report.html, too.

    ```toml
    agents = ["random", "aggressive", { name = "search", spec = "mcts:sims=100" }]
    games = 100               # of each pairing
    format = "round-robin"    # or "gauntlet", with challengers = ["search"]
    players = 2               # a game, 2 to 6
    maps = ["world"]
    rules = ["thesis", { preset = "thesis", fog = true }]
    ```
    """
    import json as json_

    from warlight_env.arena.append_only import write_atomically
    from warlight_env.arena.contests import play_contests
    from warlight_env.arena.skill import openskill_model
    from warlight_env.arena.tournament_file import load_tournament
    from warlight_env.arena.tournament_report import to_html
    from warlight_env.arena.tournament_result import TournamentResult
    from warlight_env.cli.counting import counting

    place = read_backend(backend, ray_address)
    asked = load_tournament(file)
    if asked.players > 2:
        openskill_model()  # better missed now than after the games
    folder = Path("runs", file.stem) if out is None else out
    contests = asked.contests(folder / "logs" if log else None)
    with counting(asked.name, sum(c.n_games for c in contests), "games", quiet) as advance:
        results = play_contests(
            contests, jobs=jobs, backend=place, folder=folder,
            on_games=lambda key, records: advance(len(records), key),
        )  # fmt: skip
    result = TournamentResult(asked, results)
    if not result.complete_enough:
        print(f"too few games for a result; the same command goes on from {folder}", file=sys.stderr)
        raise KeyboardInterrupt
    data = result.to_dict()
    try:
        write_atomically(folder / "tournament.json", json_.dumps(data, indent=2, ensure_ascii=False) + "\n")
        write_atomically(folder / "report.html", to_html(result))
    except OSError as error:
        raise Failure(f"cannot write to {folder}: {error.strerror or error}") from None
    if json:
        print_json(data)
    else:
        print(result)
        print(f"\nreport: {folder / 'report.html'}")
    return INTERRUPTED if result.interrupted else OK
