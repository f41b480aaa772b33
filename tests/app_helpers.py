"""The server's application in the test process, and logs and maps for it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI

from warlight_env import Game, maps
from warlight_env.record import GameLog, MemoryRecorder, Player
from warlight_env.web.http.app import create_app
from warlight_env.web.http.settings import ServerSettings

#: The players of a game between two people.
PEOPLE = [{"name": "Ann"}, {"name": "Bo"}]


def log_of(game: Game) -> GameLog:
    """Return the log of a game that has just begun."""
    recorder = MemoryRecorder([Player("Ann"), Player("Bo")])
    recorder.began(game, [], 100)
    return recorder.log


def played_log_of(game: Game) -> GameLog:
    """Play one round without orders; return the log of the game."""
    recorder = MemoryRecorder([Player("Ann"), Player("Bo")])
    recorder.began(game, [], 100)
    recorder.played({}, game.play_round({}), game)
    return recorder.log


def strip(regions: int, across: int = 20) -> maps.Map:
    """Return a map without shapes. Its regions are the squares of a grid."""
    borders = [[f"r{n}", f"r{n + 1}"] for n in range(regions - 1) if (n + 1) % across]
    borders += [[f"r{n}", f"r{n + across}"] for n in range(regions - across)]
    rows = [{"name": f"r{n}", "code": f"R{n}", "super_region": f"s{n // 10}"} for n in range(regions)]
    supers = [{"name": f"s{n}", "bonus": 3} for n in range(regions // 10)]
    data = {"format": "warlight-map", "version": 1, "name": "strip"}
    return maps.from_dict({**data, "super_regions": supers, "regions": rows, "borders": borders}, trusted=True)


@contextlib.asynccontextmanager
async def talking(folder: Path, **settings: Any) -> AsyncIterator[tuple[FastAPI, httpx.AsyncClient]]:
    """Yield a server in this process, and its client."""
    app = create_app(ServerSettings(folder, rate=1e9, workers=1, **settings))
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1/api/", timeout=600) as client:
        yield app, client
    await app.state.lobby.close()
