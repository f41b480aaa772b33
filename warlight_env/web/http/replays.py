"""Routes of replays: logs that users open and logs of tournaments, with analysis; the cache of opened logs."""

from __future__ import annotations

import asyncio
import hashlib
import json
from typing import Any, Final

from cachetools import LRUCache
from fastapi import FastAPI, Request

from warlight_env.web.documents.replay_document import tree_document
from warlight_env.web.errors import RequestError
from warlight_env.web.games.lobby import Lobby
from warlight_env.web.http.dependencies import EncodedJson
from warlight_env.web.http.new_game import creation_response
from warlight_env.web.opponents.catalog import Opponents
from warlight_env.web.requests import BranchBody, LogAnalysisBody
from warlight_env.web.workers import worker_tasks
from warlight_env.web.workers.process_pool import ProcessPool
from warlight_env.web.workers.worker_tasks import LogSource

LOG_BYTES: Final = 64 << 20  # bytes of cached logs
TREE_BYTES: Final = 32 << 20  # bytes of cached trees of variations


class ReplayCache:
    """A cache of opened logs; the keys are digests of the logs.

    If a log is no longer in the cache, for example after a restart, the client opens it again and gets the same key.
    """

    def __init__(self, process_pool: ProcessPool) -> None:
        self._process_pool = process_pool
        self._logs: LRUCache[str, bytes] = LRUCache(LOG_BYTES, getsizeof=len)
        #: The JSON of the trees of variations that users changed, by the key of the log.
        self.trees: LRUCache[str, bytes] = LRUCache(TREE_BYTES, getsizeof=len)

    async def open(self, data: bytes) -> bytes:
        """Return the document of a log's file, with the log's key for other requests about it."""
        key = await asyncio.to_thread(lambda: hashlib.sha256(data).hexdigest()[:32])
        source = LogSource(key, data)
        tree = self.trees.get(key)
        tree_fields = {} if tree is None else tree_document(json.loads(tree))
        document = await self.replay(source, {"log": key, **tree_fields})
        self._logs[key] = data
        return document

    async def replay(self, source: LogSource, extra_fields: dict[str, Any], chances: bytes = b"null") -> bytes:
        """Return a log's document with the fields `extra_fields`; raise `RequestError` for a log with errors.

        chances: the JSON of the win probabilities; see `WinCurves`.
        """
        document = await self._process_pool.long(worker_tasks.replay_json, source, chances, extra_fields)
        assert isinstance(document, bytes)
        return document

    def get(self, key: str) -> LogSource:
        """Return an opened log; raise `RequestError` if the cache does not contain the log."""
        data = self._logs.get(key)
        if data is None:
            raise RequestError("this log is no longer open: open it again", 410, code="log-gone")
        return LogSource(key, data)


def analyse_log(lobby: Lobby, source: LogSource, body: LogAnalysisBody) -> dict[str, Any]:
    """Continue the analysis of a log, and return the new results; see `AnalysisJobs.poll`."""
    if not body.since:  # the first request of a client
        lobby.win_curves.begin(source)
    engine = lobby.bot_workers.engine(body.bot, body.seconds)
    return lobby.analysis_jobs.poll(source, engine, body.focus, body.since, lobby.win_curves.largest_losses(source))


def add_replays(app: FastAPI) -> None:
    """Add ``/api/replays`` and the routes below it."""
    opponents: Opponents = app.state.opponents
    lobby: Lobby = app.state.lobby
    replay_cache: ReplayCache = app.state.replay_cache

    @app.post("/api/replays")
    async def upload(request: Request) -> EncodedJson:
        return EncodedJson(await replay_cache.open(await request.body()))

    @app.get("/api/replays/{key}/chances")
    async def chances(key: str) -> EncodedJson:
        return EncodedJson(await lobby.win_curves.get(replay_cache.get(key)))

    @app.post("/api/replays/{key}/analysis")
    async def analysis(key: str, body: LogAnalysisBody) -> dict[str, Any]:
        source = replay_cache.get(key)
        await opponents.check(body.bot, *await lobby.process_pool.long(worker_tasks.game_in, source))
        return analyse_log(lobby, source, body)

    @app.post("/api/replays/{key}/branch")
    async def branch(key: str, body: BranchBody) -> dict[str, Any]:
        source = replay_cache.get(key)
        _, regions, rules = await lobby.process_pool.long(worker_tasks.game_in, source)
        return creation_response(
            await lobby.branch(source, body.round, await opponents.seated(body.players, regions, rules))
        )
