"""``warlight analyse``: a report that explains why a logged game was won, as text, JSON or an HTML page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from warlight_env.bounded_io import shown
from warlight_env.cli.common import (
    OK,
    Integer,
    JsonOption,
    PathArgument,
    QuietOption,
    UsageError,
    check_output_file,
    load_log,
    print_json,
)
from warlight_env.cli.progress import task_progress
from warlight_env.tables import align, counted, printable

if TYPE_CHECKING:
    from warlight_env.record import GameLog


def analyse(
    file: Annotated[PathArgument, Parameter(help="Log of a game: NAME.wl.jsonl or NAME.wl.jsonl.gz.")],
    *,
    html: Annotated[
        PathArgument | None, Parameter(help="HTML file to write: a page with the game and the report.")
    ] = None,
    json: JsonOption = False,
    bot: Annotated[
        str | None,
        Parameter(help="Bot, with its time limit, that finds the turns to compare with (default: nash:secs=1)."),
    ] = None,
    rolls: Annotated[Integer, Parameter(help="Number of times to play each turn with different dice, 8 to 1000.")] = 48,
    quiet: QuietOption = False,
) -> int:
    """Show why a logged game was won: the quality of each player's turns, the effect of the dice, the turning points.

    The value of a turn is the estimated probability that the player wins after the turn, as an average over many dice
    rolls. The report compares the value of each turn with the value of the turn that a search bot finds in the same
    position, and gives 95 % intervals. The analysis takes about three seconds per round, mostly for the search, and a
    minute or two for a game. `--bot nash:secs=0.2` is faster.
    """
    if not 8 <= rolls <= 1000:
        raise UsageError(f"--rolls {rolls}: must be 8 to 1000")
    if html is not None:
        check_output_file("--html", html, ".html")
    from warlight_env.agents.registry import parse
    from warlight_env.record.errors import ReplayError
    from warlight_env.web.workers.game_report import JUDGE, GameReportError, report_of
    from warlight_env.web.workers.turning_points import describe_turning_points, sentence_of

    judge = bot or JUDGE
    parse(judge)
    log = load_log(file)
    with task_progress("rounds", quiet) as on_step:
        try:
            report = report_of(log, judge, rolls, on_progress=on_step).to_dict()
        except (GameReportError, ReplayError) as error:
            raise UsageError(f"{shown(file)}: {error}") from None
    for point in report["turning"]:
        turn = report["rounds"][point["round"] - 1][point["player"]]
        point["reason"] = sentence_of(turn["reason"], log.names, point["player"])
    if html is not None:
        from warlight_env.web.export import write_html

        write_html(log, html, report=report)
    if json:
        print_json(report)
    else:
        rows = [["player", "accuracy", "?!", "?", "??", "lost", "luck of the dice", "in armies"]]
        for name, player in zip(log.names, report["players"], strict=True):
            mean = player["accuracy"]
            accuracy = "–" if mean is None else f"{100 * mean:.1f} ± {100 * player['error']:.1f} %"
            lost, luck = f"{100 * player['lost']:.0f} points", f"{100 * player['luck']:+z.0f} points"
            rows.append(
                [
                    name,
                    accuracy,
                    *(str(player["marks"][mark]) for mark in ("?!", "?", "??")),
                    lost,
                    luck,
                    f"{player['armies']:+z.1f}",
                ]
            )
        print(printable(f"{file}: {counted(len(log.rounds), 'round')}, compared with {judge}"))
        turning = describe_turning_points(report, log)
        for line in (*align(rows), *(["", "turning points"] if turning else []), *turning, "", *_by_round(report, log)):
            print(printable(line))
        if html is not None:
            print(printable(f"{html}: the game and its report"))
    return OK


def _by_round(report: Mapping[str, Any], log: GameLog) -> list[str]:
    """Return a table of the win probability after each round, and of the win probability that each player has lost.

    The lost win probability of a player is the sum of the losses by the player's own turns in all rounds so far, in
    percentage points. A round in which no sum changes (after rounding) is left out, except the last round.
    """
    from warlight_env.web.workers.turning_points import rounded_percent

    rows = [["round", *(f"{title} {name}" for name in log.names for title in ("win % of", "lost by"))]]
    previous: list[str] = []
    for number, (turns, sums) in enumerate(zip(report["rounds"], report["cumulative"], strict=True), 1):
        lost = [f"{100 * total:.0f}" for total in sums]
        if lost == previous and number < len(report["rounds"]):
            continue
        previous = lost
        cells = ["–" if turn is None else str(rounded_percent(turn["after"])) for turn in turns]
        rows.append([str(number), *(cell for pair in zip(cells, lost, strict=True) for cell in pair)])
    return [
        "win probability after a round in percent, and its cumulative loss by own turns in percentage points",
        "(without rounds in which the loss stays the same)",
        *align(rows),
    ]
