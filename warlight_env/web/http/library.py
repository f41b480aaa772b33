"""Routes of the library: search, rename, delete and download games."""

from __future__ import annotations

import asyncio
import gzip
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from fastapi import FastAPI, Header, Query
from fastapi.responses import Response

from warlight_env.web.documents.replay_document import embed
from warlight_env.web.errors import RequestError
from warlight_env.web.games.game_list import Row
from warlight_env.web.games.lobby import Access, Lobby
from warlight_env.web.http.dependencies import GameAccess
from warlight_env.web.http.replays import ReplayCache
from warlight_env.web.page import page
from warlight_env.web.requests import NameBody
from warlight_env.web.workers.worker_tasks import LogSource

PART: Final = 100  # maximum number of games in one answer
NAMES: Final = 200  # maximum number of players, and of maps, in the lists of choices

Token = Annotated[str, Header(alias="authorization", max_length=128)]
Text = Annotated[str, Query(max_length=100)]


@dataclass(frozen=True)
class GameQuery:
    """The conditions of a search for games.

    Attributes:
        text: words that must occur in a game's name, or in the names of its players, its map or its rules.
        player, map: the whole name of a player, and of a map.
        result: the result for the player `player`, or for the people in the game if no player is given. An empty string
            means any result.
        state: the state of the game; an empty string means any state.
    """

    text: str = ""
    player: str = ""
    map: str = ""
    result: Literal["", "won", "lost", "draw"] = ""
    state: Literal["", "over", "open"] = ""

    def matches(self, row: Row) -> bool:
        """Return whether a game meets all conditions of the search."""
        if self.map and row["map"] != self.map:
            return False
        if self.player and self.player not in row["players"]:
            return False
        if self.state and row["over"] != (self.state == "over"):
            return False
        if self.result and self.result != self._result(row):
            return False
        words = _plain(" ".join([row["name"], *row["players"], row["map"], row["rules"]]))
        return all(word in words for word in _plain(self.text).split())

    def _result(self, row: Row) -> str:
        if not row["over"]:
            return "open"
        if row["winner"] is None:
            return "draw"
        if self.player:
            seats = [seat for seat, name in enumerate(row["players"]) if name == self.player]
        else:
            seats = [seat for seat, bot in enumerate(row["bots"]) if bot is None]
        return "won" if row["winner"] in seats else "lost"


def _plain(text: str) -> str:
    """Return a text in the form that the search compares: without accents, and in lower case."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).casefold()


def search_games(rows: Sequence[Row], query: GameQuery, start: int, count: int) -> dict[str, Any]:
    """Return a part of the matching games, their total number, and the lists of players and maps to choose from."""
    matches = [row for row in rows if query.matches(row)]
    players = Counter(name for row in rows for name in set(row["players"]))
    maps = Counter(row["map"] for row in rows)
    return {
        "games": matches[start : start + count],
        "total": len(matches),
        "all": len(rows),
        "players": [name for name, _ in players.most_common(NAMES)],
        "maps": [name for name, _ in maps.most_common(NAMES)],
    }


def add_library(app: FastAPI) -> None:
    """Add ``/api/library`` and the routes that rename, delete and download a game."""
    lobby: Lobby = app.state.lobby
    replay_cache: ReplayCache = app.state.replay_cache

    def log_source(access: Access) -> LogSource:
        """Return the log of a game; raise `RequestError` if the token does not give access to the whole game."""
        if not access.sees_all:
            raise RequestError("you can download the game after its end", 409, code="no-file-yet")
        return lobby.source(access.room)

    @app.get("/api/library")
    async def library(
        text: Text = "",
        player: Text = "",
        map: Text = "",
        result: Literal["", "won", "lost", "draw"] = "",
        state: Literal["", "over", "open"] = "",
        start: Annotated[int, Query(ge=0, le=10**6)] = 0,
        count: Annotated[int, Query(ge=1, le=PART)] = 50,
    ) -> dict[str, Any]:
        rows, reading = await lobby.game_list.all()
        return {**search_games(rows, GameQuery(text, player, map, result, state), start, count), "reading": reading}

    @app.post("/api/games/{id}/name")
    async def rename(id: str, body: NameBody, authorization: Token) -> dict[str, Any]:
        name = " ".join(body.name.split())
        if not name.isprintable():
            raise RequestError("the name has characters that cannot be printed", code="unprintable-name")
        await lobby.rename(id, authorization.removeprefix("Bearer "), name)
        return {"name": name}

    @app.post("/api/games/{id}/delete")
    async def delete(id: str, authorization: Token) -> dict[str, Any]:
        await lobby.delete(id, authorization.removeprefix("Bearer "))
        return {"ok": True}

    @app.get("/api/games/{id}/log")
    async def log(access: GameAccess) -> Response:
        log_source(access)
        data = access.room.log.text(access.room.log.variations)
        return Response(await asyncio.to_thread(gzip.compress, data, 6), media_type="application/gzip")

    @app.get("/api/games/{id}/file")
    async def file(access: GameAccess) -> Response:
        source = log_source(access)
        report = lobby.analysis_jobs.finished_report(source)
        extra_fields = access.room.log.replay_fields
        chances = await lobby.win_curves.get(source)
        document = await replay_cache.replay(
            source, extra_fields if report is None else {**extra_fields, "report": report}, chances
        )
        return Response(await asyncio.to_thread(embed, page(), document), media_type="text/html; charset=utf-8")
