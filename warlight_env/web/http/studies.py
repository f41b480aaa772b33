"""Routes of studies: create, list, open, import, export and delete them."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import Response

from warlight_env.web.documents.replay_document import embed
from warlight_env.web.errors import BUSY, ProcessPoolError, RequestError
from warlight_env.web.games.lobby import Lobby
from warlight_env.web.http.dependencies import EncodedJson
from warlight_env.web.http.new_game import map_of, rules_of
from warlight_env.web.page import page
from warlight_env.web.requests import NameBody, NewStudyBody
from warlight_env.web.storage.game_folder import FileStamp
from warlight_env.web.storage.study_store import StudyStore
from warlight_env.web.workers import variation_tasks
from warlight_env.web.workers.variation_tasks import NewStudy


def add_studies(app: FastAPI) -> None:
    """Add ``/api/studies`` and the routes below it, without those of variations."""
    lobby: Lobby = app.state.lobby
    store: StudyStore = app.state.study_store
    pool = lobby.process_pool
    cached: dict[str, tuple[FileStamp, dict[str, Any] | None]] = {}  # list entries by study; None: it cannot be read

    @app.get("/api/studies")
    async def studies() -> dict[str, Any]:
        stamps = await asyncio.to_thread(store.stamps)
        for id, stamp in stamps.items():
            if cached.get(id, (None, None))[0] != stamp:
                try:
                    entry = await pool.short(variation_tasks.study_title, await asyncio.to_thread(store.read, id))
                except (RequestError, ProcessPoolError) as error:
                    if isinstance(error, RequestError) and error.status in BUSY:  # the next request reads it again
                        continue
                    entry = None
                cached[id] = stamp, entry
        for id in set(cached) - set(stamps):
            del cached[id]
        newest = sorted(stamps, key=lambda id: stamps[id], reverse=True)
        return {
            "studies": [{"id": id, **entry} for id in newest if (entry := cached.get(id, (None, None))[1]) is not None]
        }

    @app.post("/api/studies")
    async def make(body: NewStudyBody) -> dict[str, Any]:
        rules = rules_of(body)
        seed = secrets.randbits(53) if body.seed is None else body.seed
        map_, _ = await map_of(pool, app.state.map_store, body, seed)
        position = None if body.owner is None else tuple(body.owner), None if body.army is None else tuple(body.army)
        study = NewStudy(body.title, map_, rules, tuple(body.players), seed, *position, body.round)
        return {"id": await asyncio.to_thread(store.create, await pool.long(variation_tasks.new_study, study))}

    @app.post("/api/studies/import")
    async def upload(request: Request) -> dict[str, Any]:
        data = await pool.long(variation_tasks.checked_study, await request.body())
        return {"id": await asyncio.to_thread(store.create, data)}

    @app.get("/api/studies/{id}")
    async def read_study(id: str) -> EncodedJson:
        data = await asyncio.to_thread(store.read, id)
        return EncodedJson(await pool.long(variation_tasks.study_json, data))

    @app.get("/api/studies/{id}/page")
    async def file(id: str) -> Response:
        document = await pool.long(variation_tasks.study_json, await asyncio.to_thread(store.read, id))
        return Response(await asyncio.to_thread(embed, page(), document), media_type="text/html; charset=utf-8")

    @app.post("/api/studies/{id}/name")
    async def rename(id: str, body: NameBody) -> dict[str, Any]:
        title = " ".join(body.name.split())
        async with lobby.change_lock(id):
            data = await pool.short(variation_tasks.retitled, await asyncio.to_thread(store.read, id), title)
            await asyncio.to_thread(store.write, id, data)
        return {"name": title}

    @app.post("/api/studies/{id}/delete")
    async def delete(id: str) -> dict[str, Any]:
        async with lobby.change_lock(id):  # a change that has begun would write the file again
            await asyncio.to_thread(store.delete, id)
        return {"ok": True}
