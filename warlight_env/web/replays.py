"""Replays of logs: those that somebody opens from a file, and those of tournaments; with analysis on the spot."""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from fastapi import FastAPI, Request

from warlight_env.record import GameLog
from warlight_env.record.names import COMPRESSED, PLAIN
from warlight_env.web.analysis import insight_of_log
from warlight_env.web.chances import chances_of
from warlight_env.web.document import replay_document
from warlight_env.web.errors import RequestError
from warlight_env.web.newgames import made, offered, players_of
from warlight_env.web.requests import BranchBody, InsightBody

if TYPE_CHECKING:
    from warlight_env.web.app import Settings
    from warlight_env.web.lobby import Lobby

KEPT: Final = 20  # logs


class Shelf:
    """Logs that were opened, by a key that follows from their bytes; the last ones are kept.

    Who asks for one that is gone (after a restart, say) opens it again and finds it under the same key.
    """

    def __init__(self) -> None:
        self._logs: OrderedDict[str, GameLog] = OrderedDict()

    async def put(self, data: bytes) -> tuple[str, GameLog]:
        """Key and log of a file's bytes; `LogError` says what is wrong with them."""
        key = hashlib.sha256(data).hexdigest()[:32]
        if key not in self._logs:
            self._logs[key] = await asyncio.to_thread(read_log, data)
        log = self._logs[key]
        self._logs.move_to_end(key)
        while len(self._logs) > KEPT:
            self._logs.popitem(last=False)
        return key, log

    def get(self, key: str) -> GameLog:
        """The log; `RequestError` where it is not there, or not any more."""
        if key not in self._logs:
            raise RequestError("that log is not open any more: open it again", 410)
        self._logs.move_to_end(key)
        return self._logs[key]


def read_log(data: bytes) -> GameLog:
    """A log out of the bytes of its file, compressed or not; `LogError` says what is wrong with it."""
    suffix = COMPRESSED if data[:2] == b"\x1f\x8b" else PLAIN
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"upload{suffix}"
        path.write_bytes(data)
        return GameLog.load(path)


async def opened(app: FastAPI, data: bytes) -> dict[str, Any]:
    """The document of a log's bytes, with chances, and with the key under which bots can be asked about it."""
    lobby: Lobby = app.state.lobby
    key, log = await app.state.shelf.put(data)
    return {**replay_document(log, await chances_of(lobby.thinkers, log)), "log": key}


def add_replays(app: FastAPI) -> None:
    """Adds ``/api/replays`` and what is below it."""
    settings: Settings = app.state.settings
    lobby: Lobby = app.state.lobby
    shelf: Shelf = app.state.shelf

    @app.post("/api/replays")
    async def upload(request: Request) -> dict[str, Any]:
        return await opened(app, await request.body())

    @app.post("/api/replays/{key}/insight")
    async def insight(key: str, body: InsightBody) -> dict[str, Any]:
        log = shelf.get(key)
        offered(settings, body.bot, len(log.header.players))
        return await insight_of_log(lobby.thinkers, key, log, body)

    @app.post("/api/replays/{key}/branch")
    async def branch(key: str, body: BranchBody) -> dict[str, Any]:
        return made(await lobby.branch(shelf.get(key), body.round, players_of(settings, body.players)))
