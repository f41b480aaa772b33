"""Routes of the server's games that give replays, win probabilities, analyses and hints."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Final

from fastapi import FastAPI, Request

from warlight_env.web.errors import RequestError
from warlight_env.web.games.lobby import Access, Lobby
from warlight_env.web.http.dependencies import EncodedJson, GameAccess
from warlight_env.web.http.replays import ReplayCache, analyse_log
from warlight_env.web.opponents.catalog import Opponents
from warlight_env.web.requests import AnalysisBody, LogAnalysisBody, PreparationBody
from warlight_env.web.workers.bot_process import BotQuery
from warlight_env.web.workers.worker_tasks import LogSource, bot_seed, visible_position

CONNECTION_CHECK: Final = 0.5  # seconds between two checks whether a client still waits


async def while_connected(request: Request, work: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
    """Return the result of `work`; cancel the work if the client closes the connection before the result.

    Raises:
        RequestError: the client has closed the connection.
    """
    task = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait({task}, timeout=CONNECTION_CHECK))[0]:
            if await request.is_disconnected():
                raise RequestError("the client has cancelled the request", 499, code="cancelled")
        return task.result()
    finally:
        task.cancel()


async def analyse_position(lobby: Lobby, access: Access, body: AnalysisBody) -> dict[str, Any]:
    """Return a hint: a bot's turn and insight, and the win probabilities, as the player of the seat sees the position.

    Raises:
        RequestError: the token does not permit an analysis of the position, or not at this time; see
            `ConcurrencyLimit`.
    """
    room, seat = access.room, access.player()
    if not room.over and room.kind == "together":
        raise RequestError("in a game with friends you cannot ask a bot for help", 409, code="no-help")
    with lobby.concurrency_limit.slot(f"{room.id}/{seat}"):  # one token for each seat
        position = visible_position(room.game, seat)
        engine = lobby.bot_workers.engine(body.bot, body.seconds)
        question = BotQuery(
            room.setup, position, engine.name, bot_seed(room.game), win_probabilities=True,
            absent=tuple(room.resignations.resigned),
        )  # fmt: skip
        answer = await lobby.bot_workers.ask_for_user(question, body.bot, room.number + seat + 1)
    return {
        "player": position.player,
        "round": position.round + 1,
        "orders": answer.orders.to_dict(),
        "data": answer.insight,
        "chances": answer.win_probabilities,
        "seconds": answer.seconds,
    }


def add_game_analysis(app: FastAPI) -> None:
    """Add the routes for the replay and the analysis of a game below ``/api/games/ID``."""
    opponents: Opponents = app.state.opponents
    lobby: Lobby = app.state.lobby
    replay_cache: ReplayCache = app.state.replay_cache

    def log_source(access: Access) -> LogSource:
        """Return the log of a game; raise `RequestError` if the token does not give access to the whole game."""
        if not access.sees_all:
            raise RequestError("the replay is available after the end of the game", 409, code="no-replay-yet")
        return lobby.source(access.room)

    async def check(bot: str, access: Access) -> None:
        game = access.room.game
        await opponents.check(bot, game.players, game.map.n_regions, game.rules)

    @app.get("/api/games/{id}/replay")
    async def replay(access: GameAccess) -> EncodedJson:
        return EncodedJson(await replay_cache.replay(log_source(access), access.room.log.replay_fields))

    @app.get("/api/games/{id}/chances")
    async def chances(access: GameAccess) -> EncodedJson:
        return EncodedJson(await lobby.win_curves.get(log_source(access)))

    @app.post("/api/games/{id}/analysis")
    async def analysis(body: LogAnalysisBody, access: GameAccess) -> dict[str, Any]:
        if not access.room.over:
            raise RequestError("the analysis is available after the end of the game", 409, code="no-report-yet")
        await check(body.bot, access)
        return analyse_log(lobby, lobby.source(access.room), body)

    @app.post("/api/games/{id}/analysis/prepare")
    async def prepare(body: PreparationBody, access: GameAccess) -> dict[str, Any]:
        await check(body.bot, access)
        engine = lobby.bot_workers.engine(body.bot, 1.0)
        lobby.analysis_jobs.prepare(lobby.source(access.room), engine)
        return {"ok": True}

    @app.post("/api/games/{id}/insight")
    async def insight(request: Request, body: AnalysisBody, access: GameAccess) -> dict[str, Any]:
        await check(body.bot, access)
        return await while_connected(request, analyse_position(lobby, access, body))
