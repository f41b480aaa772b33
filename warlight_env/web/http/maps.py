"""Routes for maps that users draw on the page."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Any

from fastapi import FastAPI, Request

from warlight_env import maps
from warlight_env.web.errors import RequestError
from warlight_env.web.http.dependencies import EncodedJson
from warlight_env.web.maps import map_validation
from warlight_env.web.maps.map_store import GENERATED, MapStore
from warlight_env.web.workers.process_pool import ProcessPool


def add_maps(app: FastAPI) -> None:
    """Add ``/api/maps`` and the routes below it."""
    map_store: MapStore = app.state.map_store
    process_pool: ProcessPool = app.state.lobby.process_pool

    @app.post("/api/maps/check")
    async def check(request: Request) -> EncodedJson:
        return EncodedJson(await process_pool.short(map_validation.check_map, await request.body()))

    @app.post("/api/maps/file")
    async def file(request: Request) -> dict[str, Any]:
        row, text = await process_pool.long(map_validation.map_file_text, await request.body())
        return {"name": row.name, "text": text}

    @app.post("/api/maps/read")
    async def read(request: Request, name: str = "map.json") -> EncodedJson:
        return EncodedJson(await process_pool.long(map_validation.read, name[:200], await request.body()))

    @app.post("/api/maps")
    async def save(request: Request, replaces: str = "") -> dict[str, Any]:
        return asdict(await map_store.save(await request.body(), replaces))

    @app.get("/api/maps/{name}")
    async def read_map(name: str) -> EncodedJson:
        bundled = name in maps.names() or name.startswith(f"{GENERATED}:")
        if not bundled and not await asyncio.to_thread(map_store.path(name).exists):
            raise RequestError(f"there is no map {name!r}", 404, code="no-map", name=name)
        return EncodedJson(
            await process_pool.long(map_validation.load_drawn_map, name if bundled else map_store.path(name))
        )

    @app.post("/api/maps/{name}/remove")
    async def remove(name: str) -> dict[str, Any]:
        await map_store.remove(name)
        return {"ok": True}
