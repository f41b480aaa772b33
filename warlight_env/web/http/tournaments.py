"""Routes of tournaments in a folder of runs: results, also of running tournaments, and the games of each pair."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI

from warlight_env import bounded_io
from warlight_env.arena.contests.run_folder import DESCRIPTION, played_games
from warlight_env.arena.tournaments.tournament import find_log_folder
from warlight_env.arena.tournaments.tournament_live import RESULT
from warlight_env.errors import clipped
from warlight_env.record.names import game_name
from warlight_env.web.access.auth import UPLOAD
from warlight_env.web.errors import RequestError
from warlight_env.web.games.lobby import Lobby
from warlight_env.web.http.dependencies import EncodedJson
from warlight_env.web.http.replays import ReplayCache
from warlight_env.web.http.settings import ServerSettings
from warlight_env.web.workers.worker_tasks import read_as_json

LOGS: Final = "logs"  # the folder of logs in a run folder; ``warlight tournament --log`` makes it
MAX_RESULT_BYTES: Final = bounded_io.RESULT_BYTES
LISTED: Final = 1000  # maximum number of games of a pair of entrants in one answer
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,100}")


def tournaments(folder: Path | None) -> list[str]:
    """Return the names of the runs with a result, the newest first."""
    if folder is None or not folder.is_dir():
        return []
    paths = [path for path in folder.glob(f"*/{RESULT}") if _NAME.fullmatch(path.parent.name)]
    return [path.parent.name for path in sorted(paths, key=lambda path: -path.stat().st_mtime)][:100]


def read_tournament(folder: Path | None, name: str) -> dict[str, Any]:
    """Return the data of `TournamentResult.to_dict`, with the additional fields ``age`` and ``logged``.

    ``age`` is the time in seconds since the result was written. ``logged`` tells whether the tournament wrote logs of
    its games.

    Raises:
        RequestError: no tournament has that name, or its result cannot be read.
    """
    path = _run(folder, name) / RESULT
    stat = path.stat()
    if stat.st_size > MAX_RESULT_BYTES:
        raise RequestError(f"tournament {name!r}: the result has more than {MAX_RESULT_BYTES >> 20} MiB", 413)
    data, logged = _json(path), (path.parent / LOGS).is_dir()
    return {**data, "age": max(0.0, time.time() - stat.st_mtime), "logged": logged}


def games_between(folder: Path | None, name: str, agent: str, against: str) -> dict[str, Any]:
    """Return the games of two entrants, contest by contest: seats, places, and whether each game has a log.

    Raises:
        RequestError: the tournament does not exist, or has no games of `agent` against `against`.
    """
    run = _run(folder, name)
    rows: list[dict[str, Any]] = []
    total = 0
    for contest, key, pairing in _contests(run):
        entrants = pairing["entrants"]
        if agent == against or agent not in entrants or against not in entrants:
            continue
        logged = find_log_folder(run / LOGS, contest)
        for record in played_games(run, key):
            total += 1
            if len(rows) == LISTED:
                continue
            rows.append(
                {
                    "contest": contest,
                    "game": record.number + 1,
                    "map": pairing["map"],
                    "rules": pairing["rules"],
                    "seed": record.seed,
                    "seats": [entrants[a] for a in record.seats],
                    "places": [record.placements[a] for a in record.seats],
                    "rounds": record.rounds,
                    "cut_off": record.cut_off,
                    "failures": [
                        {"agent": entrants[f.agent], "round": f.round, "reason": f.reason} for f in record.failures
                    ],
                    "logged": (logged / game_name(record.number)).exists(),
                }
            )
    if not total:
        raise RequestError(f"tournament {name!r} has no games of {agent!r} against {against!r}", 404)
    return {"games": rows, "total": total}


def log_of(folder: Path | None, name: str, contest: int, game: int) -> bytes:
    """Return the bytes of a game's log; raise `RequestError` if it is missing.

    contest, game: the numbers of the contest and of the game, from 1.
    """
    path = find_log_folder(_run(folder, name) / LOGS, contest) / game_name(game - 1)
    try:
        with bounded_io.open_file(path) as file:
            data = file.read(UPLOAD + 1)
    except FileNotFoundError:
        raise RequestError("this game has no log: run the tournament with --log", 404, code="no-log") from None
    if len(data) > UPLOAD:
        raise RequestError(f"the log of that game has more than {UPLOAD >> 20} MiB", 413)
    return data


def add_tournaments(app: FastAPI) -> None:
    """Add ``/api/tournaments/NAME`` and the routes below it."""
    settings: ServerSettings = app.state.settings
    lobby: Lobby = app.state.lobby
    replay_cache: ReplayCache = app.state.replay_cache

    @app.get("/api/tournaments/{name}")
    async def tournament(name: str) -> EncodedJson:
        return EncodedJson(await lobby.process_pool.short(read_as_json, read_tournament, settings.runs, name))

    @app.get("/api/tournaments/{name}/games")
    async def games(name: str, agent: str, against: str) -> EncodedJson:
        return EncodedJson(
            await lobby.process_pool.short(read_as_json, games_between, settings.runs, name, agent, against)
        )

    @app.get("/api/tournaments/{name}/games/{contest}/{game}")
    async def replay(name: str, contest: int, game: int) -> EncodedJson:
        return EncodedJson(await replay_cache.open(await asyncio.to_thread(log_of, settings.runs, name, contest, game)))


def _run(folder: Path | None, name: str) -> Path:
    if folder is None or not _NAME.fullmatch(name) or not (folder / name / RESULT).is_file():
        raise RequestError(f"there is no tournament {name!r}", 404, code="no-tournament", name=name)
    return folder / name


def _contests(run: Path) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield the number, the key and the pairing of each contest of a run."""
    try:
        pairs = list(zip(_json(run / DESCRIPTION)["contests"], _json(run / RESULT)["pairings"], strict=True))
    except (KeyError, TypeError, ValueError):
        raise RequestError(f"{run.name}: {DESCRIPTION} and {RESULT} belong to different runs", 500) from None
    for number, (key, pairing) in enumerate(pairs, 1):
        yield number, key, pairing


def _json(path: Path) -> dict[str, Any]:
    place = f"{path.parent.name}/{path.name}"
    try:
        with bounded_io.open_file(path) as file:
            text = file.read(MAX_RESULT_BYTES + 1)
    except OSError as error:
        raise RequestError(f"{place}: {error.strerror or error}", 404) from None
    if len(text) > MAX_RESULT_BYTES:
        raise RequestError(f"{place}: the file has more than {MAX_RESULT_BYTES >> 20} MiB", 413)
    try:
        data = bounded_io.decode_line(text)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"{place}: not JSON: {clipped(str(error), 200)}", 500) from None
    if not isinstance(data, dict):
        raise RequestError(f"{place}: not an object", 500)
    return data
