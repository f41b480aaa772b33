"""Routes of the server's games that give replays, win probabilities, analyses and hints."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request

from warlight_env.web.errors import RequestError
from warlight_env.web.games.lobby import Access, Lobby
from warlight_env.web.http.dependencies import EncodedJson, GameAccess
from warlight_env.web.http.position_analysis import analyse_position, while_connected
from warlight_env.web.http.replays import ReplayCache, analyse_log
from warlight_env.web.opponents.catalog import Opponents
from warlight_env.web.requests import AnalysisBody, LogAnalysisBody, PreparationBody
from warlight_env.web.workers.engine import Engine
from warlight_env.web.workers.worker_tasks import LogSource


def add_game_analysis(app: FastAPI) -> None:
    """Add the routes for the replay and the analysis of a game below ``/api/games/ID``."""
    opponents: Opponents = app.state.opponents
    lobby: Lobby = app.state.lobby
    replay_cache: ReplayCache = app.state.replay_cache

    def whole(access: Access) -> LogSource:
        """Return the log of a game; raise `RequestError` if the token does not give access to the whole game."""
        if not access.sees_all:
            raise RequestError("the replay is available after the end of the game", 409, code="no-replay-yet")
        return lobby.source(access.room)

    async def check(bot: str, access: Access) -> None:
        game = access.room.game
        await opponents.check(bot, game.players, game.map.n_regions, game.rules)

    @app.get("/api/games/{id}/replay")
    async def replay(access: GameAccess) -> EncodedJson:
        return EncodedJson(await replay_cache.replay(whole(access), access.room.log.more))

    @app.get("/api/games/{id}/chances")
    async def chances(access: GameAccess) -> EncodedJson:
        return EncodedJson(await lobby.win_curves.get(whole(access)))

    @app.post("/api/games/{id}/analysis")
    async def analysis(body: LogAnalysisBody, access: GameAccess) -> dict[str, Any]:
        if not access.room.over:
            raise RequestError("the analysis is available after the end of the game", 409, code="no-report-yet")
        await check(body.bot, access)
        return analyse_log(lobby, lobby.source(access.room), body)

    @app.post("/api/games/{id}/analysis/prepare")
    async def prepare(body: PreparationBody, access: GameAccess) -> dict[str, Any]:
        await check(body.bot, access)
        engine = Engine(body.bot, 1.0, lobby.bot_workers.agent_spec)
        lobby.analysis_jobs.prepare(lobby.source(access.room), engine)
        return {"ok": True}

    @app.post("/api/games/{id}/insight")
    async def insight(request: Request, body: AnalysisBody, access: GameAccess) -> dict[str, Any]:
        await check(body.bot, access)
        return await while_connected(request, analyse_position(lobby, access, body))
