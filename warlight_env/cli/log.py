"""``warlight log``: verify, continue and list logs of games."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter

from warlight_env.cli.common import (
    FAILURE,
    OK,
    Count,
    Integer,
    JsonOption,
    PathArgument,
    QuietOption,
    SeedOption,
    UsageError,
    load_log,
    print_json,
)
from warlight_env.cli.progress import task_progress
from warlight_env.tables import align, counted, printable

if TYPE_CHECKING:
    from warlight_env.record import LogEntry

app = App(
    name="log",
    help="Verify, continue and list logs of games. See also: warlight match … --log FOLDER, warlight replay.",
)


@app.command
def verify(
    *files: Annotated[PathArgument, Parameter(help="Logs and studies, or folders that contain them.")],
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Play logged games again with the same dice, and compare every position and every event with the log.

    For each log, the command reports that the replay equals the log, or it reports the round and the field of the first
    difference. The exit code is 1 if a log differs or cannot be read. The log of an interrupted game is checked up to
    its last round. The turns in variations and studies (NAME.study.json) are also played again.
    """
    if not files:
        raise UsageError("log verify: give at least one file or folder")
    reports: list[dict[str, Any]] = []
    paths = list(_logs(files))
    with task_progress("verifying", quiet) as on_step:
        for done, path in enumerate(paths, 1):
            reports.append(_report(path))
            on_step(done, len(paths))
    if json:
        print_json(reports)
    else:
        for report in reports:
            problem = report.get("error") or report.get("difference")
            print(printable(f"{report['file']}: {problem or _ok_text(report)}"))
    return OK if all(report["ok"] for report in reports) else FAILURE


def _report(path: Path) -> dict[str, Any]:
    """Return the result of the verification of a log or a study, as data for JSON."""
    from warlight_env.record import GameLog, LogError, Study, StudyError
    from warlight_env.record import verify as find_differences
    from warlight_env.record.study import is_study

    report: dict[str, Any] = {"file": str(path), "ok": False}
    try:
        if is_study(path.name):
            return report | {"variations": len(Study.load(path).variations.nodes), "ok": True}
        log = GameLog.load(path)
        report |= {"rounds": len(log.rounds), "status": log.status}
        differences = find_differences(log)
        return report | {"ok": not differences} | ({"difference": str(differences[0])} if differences else {})
    except (LogError, StudyError) as error:
        return report | {"error": str(error).removeprefix(f"{path}: ")}


def _ok_text(report: dict[str, Any]) -> str:
    if "variations" in report:
        return f"ok, {counted(report['variations'], 'variation')}"
    kind = "" if report["status"] == "complete" else f" ({report['status']})"
    return f"ok, {counted(report['rounds'], 'round')}{kind}"


def _logs(files: Sequence[Path]) -> list[Path]:
    """Return the paths of the given files, and of all logs and studies in the given folders and their subfolders."""
    from warlight_env.record.names import is_log
    from warlight_env.record.study import is_study

    paths = []
    for path in files:
        if os.path.isdir(path):
            logs = sorted(p for p in path.rglob("*") if (is_log(p.name) or is_study(p.name)) and p.is_file())
            if not logs:
                raise UsageError(f"{path}: there are no logs in this folder")
            paths += logs
        elif os.path.exists(path):
            paths.append(path)
        else:
            # The message is the same as for a file that cannot be read.
            raise UsageError(f"{path}: cannot be read: {os.strerror(errno.ENOENT)}")
    return paths


@app.command(name="continue")
def continue_(
    file: Annotated[PathArgument, Parameter(help="Log of a game.")],
    *agents: Annotated[str, Parameter(help="Bots by seat (default: new copies of the bots in the log).")],
    round: Annotated[
        Integer | None,
        Parameter(
            name="--round", help="Continue from the position after this many rounds (default: the last position)."
        ),
    ] = None,
    output: Annotated[
        PathArgument | None,
        Parameter(
            name=["--out", "-o"], help="Log file to write. It contains the whole game, with the original rounds."
        ),
    ] = None,
    seed: SeedOption = 1,
    max_rounds: Annotated[
        Count | None,
        Parameter(
            name="--rounds",
            help="Stop after this many rounds, counted from the start of the game (default: as in the log).",
        ),
    ] = None,
    decision_info: Annotated[bool, Parameter(negative="", help="With --out: also log the bots' reasoning.")] = False,
    json: JsonOption = False,
) -> int:
    """Continue a logged game from any of its rounds, with the same or other bots.

    The game continues with the dice of the logged game. The seed affects only the random choices of the bots.
    """
    if decision_info and output is None:
        raise UsageError("--decision-info needs --out FILE: the bots' reasoning is written to that log")
    from warlight_env.arena import continue_game
    from warlight_env.record import ReplayError

    log = load_log(file)
    try:
        continued = continue_game(
            log, round, agents or None, seed=seed, max_rounds=max_rounds, path=output, insight=decision_info
        )
    except ReplayError as error:
        raise UsageError(f"{file}: {error}") from None
    end, start = continued.end, continued.header.continues
    assert end is not None and start is not None  # `continue_game` plays the game to its end
    if json:
        print_json(
            {
                "file": str(file), "from_round": start.rounds, "agents": list(continued.names), "rounds": end.rounds,
                "winner": None if end.winner is None else end.winner + 1, "placements": list(end.placements),
                "cut_off": end.cut_off, "output": None if output is None else str(output),
            }
        )  # fmt: skip
    else:
        names = [f"{seat + 1} {name}" for seat, name in enumerate(continued.names)]
        result = f"{names[end.winner]} wins" if end.winner is not None else "stopped" if end.cut_off else "draw"
        summary = f"from round {start.rounds}, {' against '.join(names)}: {result} after {counted(end.rounds, 'round')}"
        print(printable(summary))
        if output is not None:
            print(f"  logged in {output}")
    return OK


@app.command(name="list")
def list_(
    folder: Annotated[PathArgument, Parameter(help="Folder of logs; its subfolders are included.")] = Path("."),
    *,
    agent: Annotated[
        str | None, Parameter(help="List only games of this bot; for example mcts also matches mcts:sims=100.")
    ] = None,
    player: Annotated[
        str | None, Parameter(help="List only games of the player with this name, for example in a tournament.")
    ] = None,
    status: Annotated[
        Literal["complete", "incomplete", "failed", "unreadable"] | None,
        Parameter(help="List only logs with this status."),
    ] = None,
    last: Annotated[Count | None, Parameter(help="List only this number of logs, from the end of the list.")] = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """List the logged games in a folder, with their players, winner and number of rounds.

    The command stores the list in a hidden file in the folder. The next call of the command reads only new and changed
    logs.
    """
    from warlight_env.record import LogIndex

    with LogIndex(folder) as index:
        with task_progress("reading logs", quiet) as on_step:
            index.refresh(on_step)
        entries = index.entries(agent, status, player)
        notices = index.notices
    for notice in notices:
        print(printable(f"notice: {notice}"), file=sys.stderr)
    if last is not None:
        entries = entries[-last:]
    if json:
        print_json([_data(entry) for entry in entries])
    elif entries:
        rows = [("log", "players", "winner", "rounds", "map", "rules", "status")]
        for line in align([*rows, *map(_cells, entries)], left=3):
            print(line)
    else:
        print(f"{folder}: no logs match" if agent or status or player else f"{folder}: the folder has no logs")
    return OK


def _data(entry: LogEntry) -> dict[str, Any]:
    """Return an entry of the log list as data for JSON, with seats and games numbered from 1."""
    data: dict[str, Any] = {
        "log": entry.path, "status": entry.status, "players": list(entry.players),
        "winner": None if entry.winner is None else entry.winner + 1, "rounds": entry.rounds, "map": entry.map,
        "rules": entry.rules, "seed": entry.seed, "game": None if entry.number is None else entry.number + 1,
    }  # fmt: skip
    return {**data, "reason": entry.reason} if entry.status == "unreadable" else data


def _cells(entry: LogEntry) -> tuple[str, ...]:
    if entry.status == "unreadable":
        return entry.path, "", "", "", "", "", f"unreadable: {entry.reason}"
    winner = "draw" if entry.status == "complete" else ""
    if entry.winner is not None:
        winner = f"{entry.winner + 1} {entry.players[entry.winner]}"
    players = " – ".join(entry.players)
    return entry.path, players, winner, str(entry.rounds), entry.map, entry.rules, entry.status
