"""The server removes a viewer at once when its connection ends, also during a message to the viewer."""

from __future__ import annotations

import asyncio
import gc
import json
from types import SimpleNamespace
from typing import Any

from fastapi import WebSocketDisconnect

from warlight_env.web.http.sockets import _follow


class Socket:
    """A socket that sends its first message, receives one message very slowly, and disconnects meanwhile."""

    def __init__(self) -> None:
        self.sending = asyncio.Event()
        self.url = SimpleNamespace(path="/")
        self._hellos = [json.dumps({"token": "t", "key": "k", "after": -1})]

    async def receive_text(self) -> str:
        if self._hellos:
            return self._hellos.pop()
        await self.sending.wait()
        raise WebSocketDisconnect(1006)

    async def send_text(self, text: str) -> None:
        self.sending.set()
        await asyncio.sleep(60)

    async def close(self, code: int, reason: str = "") -> None:
        raise RuntimeError("it is closed already")


class Room:
    """A room that sends the same message again and again, and counts its viewers."""

    def __init__(self) -> None:
        self.feed, self.there = self, 0

    async def follow(self, seat: int | None, after: int) -> Any:
        self.there += 1
        try:
            while True:
                yield "a message"
        finally:
            self.there -= 1


def test_a_viewer_that_disconnects_during_a_message_is_removed():
    async def viewers_left() -> int:
        room = Room()

        async def find(id: str, token: str, guest: bool) -> Any:
            return SimpleNamespace(room=room, seat=0)

        state = SimpleNamespace(settings=SimpleNamespace(token=None), lobby=SimpleNamespace(find=find))
        await _follow(SimpleNamespace(state=state), Socket(), "g")  # type: ignore[arg-type]
        return room.there

    gc.disable()  # the garbage collector could close a forgotten feed
    try:
        assert asyncio.run(viewers_left()) == 0
    finally:
        gc.enable()
