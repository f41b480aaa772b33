"""A viewer whose connection ends is removed at once, whatever the server is sending to it."""

from __future__ import annotations

import asyncio
import gc
import json
from types import SimpleNamespace
from typing import Any

from fastapi import WebSocketDisconnect

from warlight_env.web.http.sockets import _follow


class Socket:
    """Says hello, takes one message for ever, and hangs up meanwhile."""

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
    """A room with one message, which counts who is there."""

    def __init__(self) -> None:
        self.feed, self.there = self, 0

    async def follow(self, seat: int | None, after: int) -> Any:
        self.there += 1
        try:
            while True:
                yield "a message"
        finally:
            self.there -= 1


def test_who_hangs_up_in_the_middle_of_a_message_is_gone():
    async def watched() -> int:
        room = Room()

        async def find(id: str, token: str, guest: bool) -> Any:
            return SimpleNamespace(room=room, seat=0)

        state = SimpleNamespace(settings=SimpleNamespace(token=None), lobby=SimpleNamespace(find=find))
        await _follow(SimpleNamespace(state=state), Socket(), "g")  # type: ignore[arg-type]
        return room.there

    gc.disable()  # which would close what was forgotten, at some time
    try:
        assert asyncio.run(watched()) == 0
    finally:
        gc.enable()
