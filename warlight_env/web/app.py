"""The server's addresses: the page, HTTP for commands, one socket for each viewer of a game."""

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
from warlight_env.engine.rules import PRESETS, Rules
from warlight_env.errors import InputError, RunError
from warlight_env.version import __version__
from warlight_env.web.analysis import insight_for
from warlight_env.web.asking import There
from warlight_env.web.atlas import Atlas, add_maps
from warlight_env.web.disk import DiskError
from warlight_env.web.document import header_facts, with_more
from warlight_env.web.errors import RequestError, later, refusal, refusal_of, unable_now
from warlight_env.web.eyes import SPECTATOR
from warlight_env.web.folder import Folder
from warlight_env.web.gate import Guard
from warlight_env.web.json_answers import Encoded
from warlight_env.web.library import add_library
from warlight_env.web.listing import Shared
from warlight_env.web.lobby import Lobby
from warlight_env.web.newgames import company_of, joined, made, map_of, map_seed
from warlight_env.web.opponents import Opponents
from warlight_env.web.own_files import OwnFiles
from warlight_env.web.page import page
from warlight_env.web.replays import Shelf, add_replays
from warlight_env.web.requests import (
    BranchBody,
    ControlBody,
    DrawBody,
    InsightBody,
    NewGame,
    OrdersBody,
    PicksBody,
)
from warlight_env.web.server_settings import ServerSettings
from warlight_env.web.sockets import add_feed
from warlight_env.web.tournament_tables import add_tournaments, tournaments

_log = logging.getLogger(__name__)

SWEEP: Final = 30.0


def create_app(settings: ServerSettings, home: Folder | None = None) -> FastAPI:
    """The server; its games run while its lifespan lasts. `home`: its folder, where that is locked already.

    Raises:
        FolderInUseError, LogWriteError: as `Folder`.
    """
    lobby = Lobby(home or Folder(settings.folder), settings.max_rooms, settings.workers)
    files = OwnFiles(settings.opponents, lobby.desk, lobby.listing.beside)
    lobby.thinkers.played_as = files.played_as

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async def sweep() -> None:
            while True:
                await asyncio.sleep(SWEEP)
                await lobby.sweep()

        # The list is made in advance: who asks for it first need not wait until the process that reads logs is there.
        beside = [asyncio.create_task(sweep()), asyncio.create_task(lobby.listing.newest())]
        try:
            yield
        finally:
            for task in beside:
                task.cancel()
            await lobby.close()

    app = FastAPI(title="warlight", version=__version__, lifespan=lifespan, openapi_url=None)
    app.state.lobby, app.state.settings, app.state.shelf = lobby, settings, Shelf(lobby.desk)
    app.state.atlas = Atlas(lobby.folder, lobby.desk, lobby.listing)
    app.state.opponents = Opponents(settings.bots, files)
    app.add_middleware(Guard, hosts=settings.hosts, token=settings.token, rate=settings.rate, at_once=settings.at_once)
    _errors(app)
    _pages(app)
    _games(app)
    _turns(app)
    _analysis(app)
    add_library(app)
    add_replays(app)
    add_tournaments(app)
    add_maps(app)
    add_feed(app)
    return app


def _errors(app: FastAPI) -> None:
    @app.exception_handler(InputError)
    async def input_error(request: Request, error: InputError) -> Response:
        status = getattr(error, "status", 422)
        return JSONResponse(refusal_of(error), status, later(status))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:])[:100]
        text = f"{place}: {first['msg']}".removeprefix(": ")
        return JSONResponse(refusal(text.encode("utf-8", "backslashreplace").decode()), 422)

    @app.exception_handler(HTTPException)  # no such address or method, a body that is no JSON
    async def refused(request: Request, error: HTTPException) -> Response:
        return JSONResponse(refusal(str(error.detail)), error.status_code, error.headers)

    @app.exception_handler(OSError)  # files exhausted, a folder that is gone
    async def unable(request: Request, error: OSError) -> Response:
        _log.error("%s: %s", request.url.path, error)
        return JSONResponse(unable_now(error), 503, later(503))

    @app.exception_handler(DiskError)
    async def no_space(request: Request, error: DiskError) -> Response:
        text = f"the server cannot write: {error.reason}; nothing was changed"
        return JSONResponse(refusal(text, code="cannot-write", values={"reason": error.reason}), error.status)

    @app.exception_handler(RunError)
    async def run_error(request: Request, error: RunError) -> Response:
        return JSONResponse(refusal(str(error)), 500)


def _pages(app: FastAPI) -> None:
    settings: ServerSettings = app.state.settings
    lobby: Lobby = app.state.lobby
    atlas: Atlas = app.state.atlas
    opponents: Opponents = app.state.opponents
    runs = Shared(lambda: lobby.listing.beside(tournaments, settings.runs))

    @app.get("/")
    async def index() -> HTMLResponse:
        return HTMLResponse(page())

    bundled = [{"name": n, "title": maps.load(n).title, "regions": maps.load(n).n_regions} for n in maps.names()]

    @app.get("/api/home")
    async def home() -> dict[str, Any]:
        return {
            "version": __version__,
            "opponents": [opponent.told() for opponent in await opponents.all()],
            "maps": [*bundled, *({**asdict(row), "own": True} for row in await atlas.rows())],
            "rules": [{"name": name, "fog": rules.fog} for name, rules in PRESETS.items()],
            "games": await lobby.listing.newest(),
            "tournaments": await runs.get(),
            "reach": settings.reach,
        }


def _games(app: FastAPI) -> None:
    opponents: Opponents = app.state.opponents
    lobby: Lobby = app.state.lobby
    shelf: Shelf = app.state.shelf

    @app.post("/api/games")
    async def make(body: NewGame) -> dict[str, Any]:
        company = company_of(body)
        if body.rules not in PRESETS:
            raise RequestError(f"rules {body.rules!r}: there are {', '.join(PRESETS)}")
        rules = Rules.of(body.rules, fog=body.fog) if body.fog != PRESETS[body.rules].fog else Rules.of(body.rules)
        picks: Any = "random" if body.picks == "random" else "play"
        seed = secrets.randbits(53) if body.seed is None else body.seed
        map_, drawing = await map_of(lobby.desk, app.state.atlas, body, map_seed(body.seed))
        players = await opponents.seated(body.players, map_.n_regions, rules)
        room = await lobby.make(players, map_, rules, seed, picks, max(0.1, body.pace), drawing, company)
        return made(room)

    @app.get("/api/games/{id}")
    async def look(there: There) -> Encoded:
        room = there.room
        facts = header_facts(room.header, secret=bool(room.humans) and not room.over)
        watching = there.seat == SPECTATOR
        chances = room.chances if there.seat is None else []
        facts |= {
            "id": room.id, "kind": room.kind, "seat": None if watching else there.seat, "people": room.humans,
            "chances": chances, "awaited": room.awaited, "spectator": watching, "clock": room.clock.seconds,
            "friends": room.friends,
        }  # fmt: skip
        return Encoded(with_more(facts, {"map": await lobby.drawing(room)}))

    @app.get("/api/games/{id}/replay")
    async def replay(there: There) -> Encoded:
        if not there.whole:
            raise RequestError("the replay is there once the game is over", 409, code="no-replay-yet")
        return Encoded(await shelf.replay(lobby.source(there.room), {}))

    @app.post("/api/games/{id}/report")
    async def report(there: There) -> dict[str, Any]:
        if not there.room.over:
            raise RequestError("the report is made once the game is over", 409, code="no-report-yet")
        return lobby.judges.look(lobby.source(there.room))

    @app.post("/api/games/{id}/rematch")
    async def rematch(there: There) -> dict[str, Any]:
        if not there.room.over:
            raise RequestError("a rematch is played once the game is over", 409, code="no-rematch-yet")
        if there.seat == SPECTATOR:
            raise RequestError("this token is for looking only", 403, code="looking-only")
        await opponents.still([seat.spec for seat in there.room.seats], there.room.game)
        room, new = await lobby.again(there.room)
        host = there.seat is None or not room.seats[there.seat].friend
        return made(room) if new and host else joined(room, there.seat)

    @app.post("/api/games/{id}/branch")
    async def branch(body: BranchBody, there: There) -> dict[str, Any]:
        if not there.whole:
            raise RequestError("a game can be played on in another way once it is over", 409, code="no-branch-yet")
        game = there.room.game
        players = await opponents.seated(body.players, game.map.n_regions, game.rules)
        return made(await lobby.branch(lobby.source(there.room), body.round, players))


def _turns(app: FastAPI) -> None:
    lobby: Lobby = app.state.lobby

    @app.post("/api/games/{id}/picks")
    async def hand_in_picks(body: PicksBody, there: There) -> dict[str, Any]:
        there.room.hand_in_picks(there.player(), body.wishes)
        return {"ok": True, "awaited": there.room.awaited}

    @app.post("/api/games/{id}/orders")
    async def hand_in_orders(body: OrdersBody, there: There) -> dict[str, Any]:
        hint = None if body.hint == "off" else {"hint": body.hint}
        orders = Orders(list(body.deploys), list(body.attacks))
        there.room.hand_in_orders(there.player(), body.round, orders, hint)
        return {"ok": True, "awaited": there.room.awaited}

    @app.post("/api/games/{id}/take-back")
    async def take_back(there: There) -> dict[str, Any]:
        turn = there.room.take_back(there.player())
        if not isinstance(turn, Orders):
            return {"wishes": turn}
        deploys, attacks = (rows.tolist() for rows in turn.arrays())
        return {"deploys": deploys, "attacks": attacks}

    @app.post("/api/games/{id}/resign")
    async def resign(there: There) -> dict[str, Any]:
        there.room.resign(there.player())
        return {"ok": True, "awaited": there.room.awaited, "over": there.room.over}

    @app.post("/api/games/{id}/draw")
    async def draw(body: DrawBody, there: There) -> dict[str, Any]:
        there.room.agree(there.player(), body.agree)
        return {"ok": True, "over": there.room.over}

    @app.post("/api/games/{id}/control")
    async def control(body: ControlBody, there: There) -> dict[str, Any]:
        if there.room.humans:
            raise RequestError("only games between bots can be paused", 409, code="bots-only")
        lobby.control(there.room, body.paused, body.pace)
        return {"ok": True}


def _analysis(app: FastAPI) -> None:
    opponents: Opponents = app.state.opponents
    lobby: Lobby = app.state.lobby

    @app.post("/api/games/{id}/insight")
    async def insight(body: InsightBody, there: There) -> dict[str, Any]:
        game = there.room.game
        await opponents.check(body.bot, game.players, game.map.n_regions, game.rules)
        return await insight_for(lobby, there, body)
