"""Replays of logs: those that somebody opens from a file, and those of tournaments; with analysis on the spot."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any, Final

from fastapi import FastAPI, Request

from warlight_env.web import clerk
from warlight_env.web.analysis import insight_of_log
from warlight_env.web.clerk import Source
from warlight_env.web.desk import Desk
from warlight_env.web.errors import RequestError
from warlight_env.web.json_answers import Encoded
from warlight_env.web.kept import Kept
from warlight_env.web.lobby import Lobby
from warlight_env.web.newgames import made
from warlight_env.web.opponents import Opponents
from warlight_env.web.requests import BranchBody, InsightBody

KEPT: Final = 20  # logs
ROOM: Final = 64 << 20  # bytes of all together
KNOWN: Final = 16 << 20  # bytes of chances


class Shelf:
    """Logs that were opened, by a key that follows from their bytes; the last ones are kept.

    Who asks for one that is gone (after a restart, say) opens it again and finds it under the same key.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._logs = Kept(KEPT, ROOM)
        self._chances = Kept(1000, KNOWN)

    async def open(self, data: bytes) -> bytes:
        """The document of a log's file, with chances, and with the key under which bots can be asked about it."""
        key = await asyncio.to_thread(lambda: hashlib.sha256(data).hexdigest()[:32])
        source = Source(key, data)
        document = await self.replay(source, {"log": key})
        self._logs.put(key, data)
        return document

    async def replay(self, source: Source, more: dict[str, Any]) -> bytes:
        """The document of a log, with chances and more fields; `RequestError` says what is wrong with the log."""
        known = self._chances.get(source.key)
        document, chances = await self._desk.long(clerk.replayed, source, known, more)
        self._chances.put(source.key, chances)
        assert isinstance(document, bytes)
        return document

    def get(self, key: str) -> Source:
        """The log; `RequestError` where it is not there, or not any more."""
        data = self._logs.get(key)
        if data is None:
            raise RequestError("that log is not open any more: open it again", 410, code="log-gone")
        return Source(key, data)


def add_replays(app: FastAPI) -> None:
    """Adds ``/api/replays`` and what is below it."""
    opponents: Opponents = app.state.opponents
    lobby: Lobby = app.state.lobby
    shelf: Shelf = app.state.shelf

    @app.post("/api/replays")
    async def upload(request: Request) -> Encoded:
        return Encoded(await shelf.open(await request.body()))

    @app.post("/api/replays/{key}/insight")
    async def insight(key: str, body: InsightBody) -> dict[str, Any]:
        return await insight_of_log(lobby, opponents, shelf.get(key), body)

    @app.post("/api/replays/{key}/report")
    async def report(key: str) -> dict[str, Any]:
        return lobby.judges.look(shelf.get(key))

    @app.post("/api/replays/{key}/branch")
    async def branch(key: str, body: BranchBody) -> dict[str, Any]:
        source = shelf.get(key)
        _, regions, rules = await lobby.desk.long(clerk.game_in, source)
        return made(await lobby.branch(source, body.round, await opponents.seated(body.players, regions, rules)))
