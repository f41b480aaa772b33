"""``warlight match``: play games between bots, and estimate with a confidence interval which bot is stronger."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from warlight_env.cli.common import (
    INTERRUPTED,
    OK,
    BackendOption,
    Count,
    FogOption,
    JobsOption,
    JsonOption,
    MapOption,
    PathArgument,
    PicksOption,
    QuietOption,
    RayAddressOption,
    RulesOption,
    SeedOption,
    TracebackOption,
    UsageError,
    crash_traceback,
    print_json,
    read_backend,
    read_rules,
)
from warlight_env.cli.match_stats import MatchStats, ProgressLines
from warlight_env.cli.progress import WarmUpLines

if TYPE_CHECKING:
    from warlight_env.arena import Contest, GameRecord
    from warlight_env.arena.matches.match import OnGames

#: The default number of games without --sprt, and the default maximum number of games with --sprt.
GAMES, GAMES_WITH_TEST = 200, 20_000


@Parameter(name="*")
@dataclass(frozen=True)
class MatchOptions:
    """The options of ``warlight match``."""

    games: Annotated[
        Count | None,
        Parameter(
            name=["--games", "-n"],
            help="Number of games (default: 200); with --sprt, the maximum number (default: 20000). With "
            "--paired, the number is rounded up to a multiple of the number of bots.",
        ),
    ] = None
    seed: SeedOption = 1
    jobs: JobsOption = None
    paired: Annotated[
        bool,
        Parameter(
            negative="",
            help="Play one game per seed for each rotation of the bots on the seats; the statistics count these "
            "games as one sample.",
        ),
    ] = False
    clock: Annotated[
        list[str] | None,
        Parameter(
            help="Limit of a bot per move, for example 457sims, 1s or 500ms; or a time bank for the game and "
            "the time added per move, 10s+0.5s. Give one limit for all bots, or one for each bot in "
            "order ('none': no limit). The limit replaces the bot's parameters sims and secs.",
        ),
    ] = None
    sprt: Annotated[
        str | None,
        Parameter(
            name="--sprt",
            help="elo0,elo1[,alpha,beta]: stop when a sequential test has decided whether the first bot is "
            "stronger by elo0 or by elo1 Elo points. The error rates of the test are at most alpha and "
            "beta (default: 0.05).",
        ),
    ] = None
    on_crash: Annotated[
        Literal["forfeit", "skip", "stop"],
        Parameter(
            help="If a bot raises an error, or its process ends or gives no answer twice: count the game as lost "
            "(forfeit), continue without the bot's orders (skip), or end the match (stop)."
        ),
    ] = "forfeit"
    on_late: Annotated[
        Literal["report", "forfeit"],
        Parameter(
            help="If an answer exceeds the time of --clock by more than 50 ms, only report it (report), or also "
            "count the game as lost (forfeit)."
        ),
    ] = "report"
    out: Annotated[
        PathArgument | None,
        Parameter(
            name="--out",
            help="Folder that stores finished games. After any interruption, even a killed process, the same "
            "command continues the match.",
        ),
    ] = None
    log: Annotated[
        PathArgument | None,
        Parameter(name="--log", help="Folder for a log of each game; see warlight replay and warlight log."),
    ] = None
    decision_info: Annotated[bool, Parameter(negative="", help="With --log: also log the bots' reasoning.")] = False
    backend: BackendOption = "local"
    ray_address: RayAddressOption = None
    picks: PicksOption = "random"
    max_rounds: Annotated[
        Count | None,
        Parameter(
            name="--rounds",
            help="End a game as a draw after this many rounds (default: the limit in the rules, or 500).",
        ),
    ] = None
    map: MapOption = "world"
    rules: RulesOption = "thesis"
    fog: FogOption = False
    json: JsonOption = False
    quiet: QuietOption = False
    traceback: TracebackOption = False


def match(
    *agents: Annotated[
        str, Parameter(help="Two to six bots, for example random, random:chunks=5, mcts:1s or mcts:457.")
    ],
    options: MatchOptions = MatchOptions(),
) -> int:
    """Play games between bots. Print each bot's wins, losses and draws with 95 % intervals, Elo, time and speed.

    The bots change their seats after each game. Ctrl-C ends the match and prints the result of the finished games.
    """
    from warlight_env.arena import Match, Sprt
    from warlight_env.arena.matches.fault_table import detail_lines

    if options.decision_info and options.log is None:
        raise UsageError("--decision-info needs --log FOLDER: the bots' reasoning is written to the logs")
    games = options.games
    if games is None:
        games = GAMES if options.sprt is None else GAMES_WITH_TEST
    stop = None if options.sprt is None else Sprt.parse(options.sprt)
    clock = options.clock
    match_ = Match(
        agents, games=games, seed=options.seed, map=options.map, rules=read_rules(options.rules, options.fog),
        paired=options.paired, picks=options.picks, max_rounds=options.max_rounds, jobs=options.jobs, stop=stop,
        clocks=clock[0] if clock and len(clock) == 1 else clock, on_crash=options.on_crash, on_late=options.on_late,
        log=options.log, insight=options.decision_info,
    )  # fmt: skip
    backend = read_backend(options.backend, options.ray_address)
    if not options.quiet and match_.contest().n_games > games:
        print(f"--paired: {match_.contest().n_games} games, {len(agents)} for each seed", file=sys.stderr)
    with crash_traceback(options.traceback), make_progress(agents, match_.contest(), options.quiet) as on_games:
        warm_up = WarmUpLines(options.quiet)
        result = match_.run(on_games, backend=backend, folder=options.out, on_warm_up=warm_up)
    if result.games == 0:
        if options.out is not None:
            print(f"too few games for a result; the same command continues the match in {options.out}", file=sys.stderr)
        raise KeyboardInterrupt
    if options.json:
        print_json(result.to_dict())
    else:
        print(result)
        if options.traceback:
            print("\n".join(detail_lines(result.fault_table)))
        if result.interrupted and options.out is not None:
            print(f"  the same command continues the match in {options.out}")
    return INTERRUPTED if result.interrupted else OK


@contextlib.contextmanager
def make_progress(names: Sequence[str], contest: Contest, quiet: bool) -> Iterator[OnGames]:
    """Show progress on stderr until the context ends: a table on a terminal, otherwise lines.

    The context has the function that receives finished games.
    """
    if quiet:
        yield ignore_games
    elif not sys.stderr.isatty():
        from warlight_env.engine import compile_progress

        with compile_progress.shown():
            yield ProgressLines(names, contest).add
    else:
        from warlight_env.cli.score_board import ScoreBoard

        with ScoreBoard(MatchStats(names, contest)) as board:
            yield board.add


def ignore_games(records: Sequence[GameRecord]) -> None:
    """Show no progress."""
