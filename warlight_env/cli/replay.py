"""``warlight replay``: show a logged game as text, pictures or a video."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from warlight_env.cli.common import OK, Integer, PathArgument, QuietOption, UsageError, check_output_file, load_log
from warlight_env.cli.progress import task_progress
from warlight_env.cli.round_text import describe_round, show_position
from warlight_env.tables import counted, printable

if TYPE_CHECKING:
    from warlight_env.record import GameLog
    from warlight_env.record.model import DecisionInfo
    from warlight_env.record.pictures import ReplayFrame

#: The maximum number of candidate moves of a search that the text shows for each turn.
_CANDIDATES = 3


@Parameter(name="*")
@dataclass(frozen=True)
class ReplayOptions:
    """The options of ``warlight replay``."""

    text: Annotated[
        bool,
        Parameter(
            negative="",
            help="Show the game in the terminal, round by round (the default without an output file or folder).",
        ),
    ] = False
    svg: Annotated[PathArgument | None, Parameter(help="Folder for an SVG picture of each position.")] = None
    gif: Annotated[PathArgument | None, Parameter(help="File for an animated GIF.")] = None
    html: Annotated[
        PathArgument | None, Parameter(help="HTML file to write: a page with the game, which works without a network.")
    ] = None
    mp4: Annotated[PathArgument | None, Parameter(help="File for an MP4 video; requires the extra 'export'.")] = None
    round: Annotated[
        Integer | None, Parameter(name="--round", help="Show only the position after this many rounds.")
    ] = None
    seat: Annotated[
        Integer | None,
        Parameter(help="Under fog: show only what the player on this seat sees. Seats are numbered from 1."),
    ] = None
    decision_info: Annotated[
        bool,
        Parameter(
            negative="", help="Show the bots' reasoning, if the log contains it (match … --log … --decision-info)."
        ),
    ] = False
    orders: Annotated[bool, Parameter(help="In pictures, draw the orders of the next round as arrows.")] = True
    width: Annotated[Integer, Parameter(help="Width of pictures in pixels, 200 to 4000.")] = 960
    delay: Annotated[float, Parameter(help="Time to show each position, in seconds.")] = 0.7
    quiet: QuietOption = False


def replay(
    file: Annotated[
        PathArgument,
        Parameter(
            help="Log of a game, NAME.wl.jsonl or NAME.wl.jsonl.gz; or a study, NAME.study.json (only with --html)."
        ),
    ],
    *,
    options: ReplayOptions = ReplayOptions(),
) -> int:
    """Show a logged game in one or several forms: text, a page, SVG pictures, a GIF or a video.

    The command shows the positions in the log, and does not check them: see warlight log verify. If the game was
    interrupted, the command shows the rounds before the interruption.
    """
    if not 0.02 <= options.delay <= 3600:
        raise UsageError(f"--delay {options.delay}: must be 0.02 to 3600 seconds")
    if not 200 <= options.width <= 4000:
        raise UsageError(f"--width {options.width}: must be 200 to 4000 pixels")
    files = (("--html", options.html, ".html"), ("--gif", options.gif, ".gif"), ("--mp4", options.mp4, ".mp4"))
    for option, path, suffix in files:
        if path is not None:
            check_output_file(option, path, suffix)
    from warlight_env.record.study import is_study

    if is_study(file.name):
        return _export_study(file, options)
    from warlight_env.record.pictures import frames, write_gif, write_mp4, write_svgs

    log = load_log(file)
    if log.start is None:
        raise UsageError(f"{file}: the log is cut off before the first position of the game")
    seat = None if options.seat is None else options.seat - 1
    replay_frames = frames(log, options.round, seat, orders=options.orders)
    if options.text or not (options.html or options.svg or options.gif or options.mp4):
        _print_rounds(log, replay_frames, seat, options.decision_info, options.delay)
    if options.svg is not None:
        with task_progress("pictures", options.quiet) as on_step:
            write_svgs(replay_frames, options.svg, options.width, lambda done: on_step(done, len(replay_frames)))
        print(f"{options.svg}: {counted(len(replay_frames), 'picture')}", file=sys.stderr)
    for path, write in ((options.gif, write_gif), (options.mp4, write_mp4)):
        if path is not None:
            with task_progress(path.name, options.quiet) as on_step:
                write(replay_frames, path, options.width, options.delay, lambda done: on_step(done, len(replay_frames)))
            print(f"{path}: {counted(len(replay_frames), 'position')}", file=sys.stderr)
    if options.html is not None:
        from warlight_env.web.export import write_html

        write_html(log, options.html, seat=seat)
        print(f"{options.html}: {counted(len(log.rounds), 'round')}", file=sys.stderr)
    return OK


def _export_study(file: Path, options: ReplayOptions) -> int:
    """Write the page of a study."""
    if options.html is None or replace(options, html=None, quiet=False) != ReplayOptions():
        raise UsageError(f"{file}: a study can only be written as a page: give --html FILE.html and no other option")
    from warlight_env.record import Study
    from warlight_env.web.export import write_study_html

    study = Study.load(file)
    write_study_html(study, options.html)
    print(f"{options.html}: {counted(len(study.variations.nodes), 'variation')}", file=sys.stderr)
    return OK


def _print_rounds(
    log: GameLog, frames: list[ReplayFrame], player: int | None, decision_info: bool, delay: float
) -> None:
    """Print the positions in the terminal, each with the orders and events of the round before it."""
    from warlight_env.record import result_of

    names = [f"{seat + 1} {name}" for seat, name in enumerate(log.names)]
    viewer = player if log.header.rules.fog else None
    live = sys.stdout.isatty() and len(frames) > 1
    for index, frame in enumerate(frames):
        number = frame.position.round or 0
        lines: list[str] = []
        if number > 0:
            result = result_of(log, number)
            turns = {p: o for p, o in enumerate(log.rounds[number - 1].orders) if o is not None}
            if viewer is not None:
                result, turns = result.seen_by(viewer), {p: o for p, o in turns.items() if p == viewer}
            lines += describe_round(log.header.map, names, turns, result)
        lines += _missing_answers(log, number, names, viewer)
        if decision_info:
            lines += _candidate_lines(log, number, names, viewer)
        lines += (f.describe(names[f.player]) for f in log.failures if f.round == number)
        if live and index:
            time.sleep(delay)
        base = log.header.rules.base_income
        alive = [p for p in range(len(names)) if frame.position.count(p)[0]]
        incomes = {names[p]: base + frame.position.bonus(p) for p in alive}
        position = replace(frame.position, names=tuple(names))
        show_position(position, {} if position.foggy else incomes, lines, live)
    if frames[-1].position.round == len(log.rounds):
        for failure in log.failures:
            if failure.round > len(log.rounds):  # a failure that ended the game: the log does not contain its round
                print(printable(failure.describe(names[failure.player])))
        if log.draw is not None:
            print(printable(f"{', '.join(names[p] for p in log.draw.players)} agreed on a draw"))
        print(printable(_outcome(log, names)))


def _missing_answers(log: GameLog, number: int, names: list[str], viewer: int | None) -> Iterator[str]:
    """Yield a line for each player that gave no answer in a round, with the reason; for the arguments see
    `_candidate_lines`."""
    for insight in _insights(log, number, viewer):
        reason = insight.data.get("error")
        if isinstance(reason, str):
            yield f"{names[insight.player]} gave no {'orders' if number else 'picks'}: {reason}"


def _insights(log: GameLog, number: int, viewer: int | None) -> Iterator[DecisionInfo]:
    """Yield the data about the decisions in a round; for the arguments see `_candidate_lines`."""
    from warlight_env.record import Round

    insights = [
        insight
        for step in log.steps
        if (step.round if isinstance(step, Round) else 0) == number
        for insight in step.insights
    ]
    if number == len(log.rounds):
        insights += log.insights
    yield from (insight for insight in insights if viewer is None or insight.player == viewer)


def _candidate_lines(log: GameLog, number: int, names: list[str], viewer: int | None) -> Iterator[str]:
    """Yield lines with the candidate moves that the agents considered, with the best candidate first.

    Args:
        number: the number of rounds before the moves; 0: the picks before the first round.
        viewer: the player whose candidates are shown; None: the candidates of all players are shown.
    """
    for insight in _insights(log, number, viewer):
        data = {key: value for key, value in insight.data.items() if key != "error"}
        if not data:
            continue
        candidates = data.get("candidates")
        if not isinstance(candidates, list):
            yield f"{names[insight.player]} thought: {data}"
            continue
        total = sum(c.get("visits", 0) for c in candidates if not c.get("refined"))
        for candidate in candidates[:_CANDIDATES]:
            picks = " ".join(log.header.map.regions[region].code.lower() for region in candidate.get("picks", ()))
            answer = candidate.get("orders") or picks or "nothing"
            kind = "scenarios" if candidate.get("refined") else f"of {total} visits"
            share = f"{candidate.get('visits', 0)} {kind}, value {candidate.get('value', 0):.2f}"
            yield f"{names[insight.player]} considered ({share}): {answer}"


def _outcome(log: GameLog, names: list[str]) -> str:
    rounds = counted(len(log.rounds), "round")
    if log.end is None:
        return f"the log ends after {rounds} ({log.status})"
    if log.end.winner is not None:
        return f"{names[log.end.winner]} wins after {rounds}"
    return f"{'stopped' if log.end.cut_off else 'draw'} after {rounds}"
