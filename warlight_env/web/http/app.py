"""The FastAPI application and the routes of games."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.exceptions import HTTPException

from warlight_env import maps
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import PRESETS
from warlight_env.errors import InputError, RunError
from warlight_env.version import __version__
from warlight_env.web.access.auth import AuthMiddleware
from warlight_env.web.documents.fog_filter import SPECTATOR
from warlight_env.web.documents.replay_document import header_fields, with_more
from warlight_env.web.errors import (
    RequestError,
    error_body_of,
    make_error_body,
    os_error_body_of,
    retry_headers,
    status_of,
)
from warlight_env.web.games import turn_commands
from warlight_env.web.games.game_list import SharedTask
from warlight_env.web.games.lobby import Lobby
from warlight_env.web.http.dependencies import EncodedJson, GameAccess
from warlight_env.web.http.game_analysis import add_game_analysis
from warlight_env.web.http.library import add_library
from warlight_env.web.http.maps import add_maps
from warlight_env.web.http.new_game import creation_response, join_response, map_of, map_seed, rules_of, seat_options_of
from warlight_env.web.http.replays import ReplayCache, add_replays
from warlight_env.web.http.settings import ServerSettings
from warlight_env.web.http.sockets import add_feed
from warlight_env.web.http.studies import add_studies
from warlight_env.web.http.tournaments import add_tournaments, tournaments
from warlight_env.web.http.variations import add_variations
from warlight_env.web.maps.map_store import MapStore
from warlight_env.web.opponents.catalog import Opponents
from warlight_env.web.opponents.user_policies import UserPolicies
from warlight_env.web.page import page
from warlight_env.web.requests import (
    BranchBody,
    ControlBody,
    DrawBody,
    NewGame,
    OrdersBody,
    PicksBody,
)
from warlight_env.web.storage.game_folder import DiskError, GameFolder
from warlight_env.web.storage.study_store import StudyStore

_log = logging.getLogger(__name__)

SWEEP: Final = 30.0


def create_app(settings: ServerSettings, home: GameFolder | None = None) -> FastAPI:
    """Return the server's application; its games run during its lifespan.

    Args:
        settings: the settings of the server.
        home: the folder of games, if the caller has locked it already.

    Raises:
        FolderInUseError, LogWriteError: see `GameFolder`.
    """
    lobby = Lobby(home or GameFolder(settings.folder), settings.max_rooms, settings.workers)
    files = UserPolicies(settings.opponents, lobby.process_pool, lobby.game_list.in_thread)
    lobby.bot_workers.agent_spec = files.agent_spec

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async def sweep() -> None:
            while True:
                await asyncio.sleep(SWEEP)
                await lobby.evict_idle()

        # Make the list in advance: the first request must not wait for the start of the process that reads logs.
        tasks = [asyncio.create_task(sweep()), asyncio.create_task(lobby.game_list.newest())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await lobby.close()

    app = FastAPI(title="warlight", version=__version__, lifespan=lifespan, openapi_url=None)
    app.state.lobby, app.state.settings, app.state.replay_cache = lobby, settings, ReplayCache(lobby.process_pool)
    app.state.map_store = MapStore(lobby.folder, lobby.process_pool, lobby.game_list)
    app.state.study_store = StudyStore(lobby.folder)
    app.state.opponents = Opponents(settings.bots, files)
    app.add_middleware(
        AuthMiddleware, hosts=settings.hosts, token=settings.token, rate=settings.rate, at_once=settings.at_once
    )
    _errors(app)
    _pages(app)
    _games(app)
    _turns(app)
    add_game_analysis(app)
    add_library(app)
    add_replays(app)
    add_tournaments(app)
    add_maps(app)
    add_studies(app)
    add_variations(app)
    add_feed(app)
    return app


def _errors(app: FastAPI) -> None:
    @app.exception_handler(InputError)
    @app.exception_handler(RunError)
    async def failed(request: Request, error: InputError | RunError) -> Response:
        status = status_of(error)
        return JSONResponse(error_body_of(error), status, retry_headers(status))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:])[:100]
        text = f"{place}: {first['msg']}".removeprefix(": ")
        return JSONResponse(make_error_body(text.encode("utf-8", "backslashreplace").decode()), 422)

    @app.exception_handler(HTTPException)  # unknown address or method, or a body that is not JSON
    async def refused(request: Request, error: HTTPException) -> Response:
        return JSONResponse(make_error_body(str(error.detail)), error.status_code, error.headers)

    @app.exception_handler(OSError)  # such as too many open files, or a deleted folder
    async def unable(request: Request, error: OSError) -> Response:
        _log.error("%s: %s", request.url.path, error)
        return JSONResponse(os_error_body_of(error), 503, retry_headers(503))

    @app.exception_handler(DiskError)
    async def no_space(request: Request, error: DiskError) -> Response:
        text = f"the server cannot write: {error.reason}; nothing was changed"
        return JSONResponse(make_error_body(text, code="cannot-write", values={"reason": error.reason}), error.status)


def _pages(app: FastAPI) -> None:
    settings: ServerSettings = app.state.settings
    lobby: Lobby = app.state.lobby
    map_store: MapStore = app.state.map_store
    opponents: Opponents = app.state.opponents
    runs = SharedTask(lambda: lobby.game_list.in_thread(tournaments, settings.runs))

    @app.get("/")
    async def index() -> HTMLResponse:
        return HTMLResponse(page())

    bundled = [{"name": n, "title": maps.load(n).title, "regions": maps.load(n).n_regions} for n in maps.names()]

    @app.get("/api/home")
    async def home() -> dict[str, Any]:
        return {
            "version": __version__,
            "opponents": [opponent.to_dict() for opponent in await opponents.all()],
            "maps": [*bundled, *({**asdict(row), "own": True} for row in await map_store.rows())],
            "rules": [{"name": name, "fog": rules.fog} for name, rules in PRESETS.items()],
            "games": await lobby.game_list.newest(),
            "tournaments": await runs.get(),
            "reach": settings.lan_address,
        }


def _games(app: FastAPI) -> None:
    opponents: Opponents = app.state.opponents
    lobby: Lobby = app.state.lobby

    @app.post("/api/games")
    async def make(body: NewGame) -> dict[str, Any]:
        seat_options = seat_options_of(body)
        rules = rules_of(body)
        picks: Any = "random" if body.picks == "random" else "play"
        seed = secrets.randbits(53) if body.seed is None else body.seed
        map_, drawing = await map_of(lobby.process_pool, app.state.map_store, body, map_seed(body.seed))
        players = await opponents.seated(body.players, map_.n_regions, rules)
        room = await lobby.create_game(players, map_, rules, seed, picks, max(0.1, body.pace), drawing, seat_options)
        return creation_response(room)

    @app.get("/api/games/{id}")
    async def read_game(access: GameAccess) -> EncodedJson:
        room = access.room
        facts = header_fields(room.header, secret=bool(room.humans) and not room.over)
        watching = access.seat == SPECTATOR
        chances = room.win_probabilities if access.seat is None else []
        facts |= {
            "id": room.id, "kind": room.kind, "seat": None if watching else access.seat, "people": room.humans,
            "chances": chances, "awaited": room.awaited, "spectator": watching, "clock": room.clock.seconds,
            "friends": room.friends,
        }  # fmt: skip
        return EncodedJson(with_more(facts, {"map": await lobby.drawing(room)}))

    @app.post("/api/games/{id}/rematch")
    async def rematch(access: GameAccess) -> dict[str, Any]:
        if not access.room.over:
            raise RequestError("you can start a rematch after the end of the game", 409, code="no-rematch-yet")
        if access.seat == SPECTATOR:
            raise RequestError("this token is only for watching", 403, code="looking-only")
        await opponents.check_still_offered([seat.spec for seat in access.room.seats], access.room.game)
        room, _ = await lobby.create_rematch(access.room)
        if access.seat is None or not room.seats[access.seat].friend:
            return creation_response(room)
        return join_response(room, access.seat)

    @app.post("/api/games/{id}/branch")
    async def branch(body: BranchBody, access: GameAccess) -> dict[str, Any]:
        if not access.sees_all:
            text = "you can play on from an earlier round after the end of the game"
            raise RequestError(text, 409, code="no-branch-yet")
        game = access.room.game
        players = await opponents.seated(body.players, game.map.n_regions, game.rules)
        return creation_response(await lobby.branch(lobby.source(access.room), body.round, players))


def _turns(app: FastAPI) -> None:
    lobby: Lobby = app.state.lobby

    @app.post("/api/games/{id}/picks")
    async def submit_picks(body: PicksBody, access: GameAccess) -> dict[str, Any]:
        turn_commands.submit_picks(access.room, access.player(), body.wishes)
        return {"ok": True, "awaited": access.room.awaited}

    @app.post("/api/games/{id}/orders")
    async def submit_orders(body: OrdersBody, access: GameAccess) -> dict[str, Any]:
        hint = None if body.hint == "off" else {"hint": body.hint}
        orders = Orders(list(body.deploys), list(body.attacks))
        turn_commands.submit_orders(access.room, access.player(), body.round, orders, hint)
        return {"ok": True, "awaited": access.room.awaited}

    @app.post("/api/games/{id}/start")
    async def start_clock(access: GameAccess) -> dict[str, Any]:
        access.player()
        access.room.start_clock()
        return {"ok": True}

    @app.post("/api/games/{id}/take-back")
    async def take_back(access: GameAccess) -> dict[str, Any]:
        turn = turn_commands.take_back(access.room, access.player())
        return turn.to_dict() if isinstance(turn, Orders) else {"wishes": turn}

    @app.post("/api/games/{id}/resign")
    async def resign(access: GameAccess) -> dict[str, Any]:
        turn_commands.resign(access.room, access.player())
        return {"ok": True, "awaited": access.room.awaited, "over": access.room.over}

    @app.post("/api/games/{id}/draw")
    async def draw(body: DrawBody, access: GameAccess) -> dict[str, Any]:
        turn_commands.agree(access.room, access.player(), body.agree)
        return {"ok": True, "over": access.room.over}

    @app.post("/api/games/{id}/control")
    async def control(body: ControlBody, access: GameAccess) -> dict[str, Any]:
        if access.room.humans:
            raise RequestError("only games between bots can be paused", 409, code="bots-only")
        lobby.control(access.room, body.paused, body.pace)
        return {"ok": True}
