"""Requests to an ASGI application in this process, including requests that no client sends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Headers = Sequence[tuple[bytes, bytes]]


@dataclass
class Answer:
    """An HTTP answer; status 0: the application sent no answer."""

    status: int
    body: bytes

    def json(self) -> Any:
        """Parse the body as JSON."""
        return json.loads(self.body)


class Client:
    """Sends requests to an application. The lifespan of the application ends with `close`."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._loop = asyncio.new_event_loop()
        self._lifespan = app.router.lifespan_context(app)
        self._loop.run_until_complete(self._lifespan.__aenter__())

    def close(self) -> None:
        """End the lifespan and all running tasks."""
        self._loop.run_until_complete(self._lifespan.__aexit__(None, None, None))
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()

    def ask(self, method: str, path: str, query: bytes, headers: Headers, body: Sequence[bytes]) -> Answer:
        """Send a request; each element of `body` is one piece of the request's body."""
        scope = {**_scope("http", path, query, headers), "method": method, "http_version": "1.1", "scheme": "http"}
        left = [{"type": "http.request", "body": piece, "more_body": True} for piece in body]
        left.append({"type": "http.request", "body": b"", "more_body": False})
        answer = Answer(0, b"")

        async def receive() -> dict[str, Any]:
            return left.pop(0) if left else {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                answer.status = message["status"]
            else:
                answer.body += message.get("body", b"")

        self._loop.run_until_complete(self._app(scope, receive, send))
        return answer

    def listen(self, path: str, query: bytes, headers: Headers, messages: Sequence[str | bytes]) -> list[str]:
        """Open a WebSocket, send messages and disconnect; return the received messages."""
        scope = {**_scope("websocket", path, query, headers), "scheme": "ws", "subprotocols": []}
        left: list[dict[str, Any]] = [{"type": "websocket.connect"}]
        for message in messages:
            key = "text" if isinstance(message, str) else "bytes"
            left.append({"type": "websocket.receive", key: message})
        received: list[str] = []

        async def receive() -> dict[str, Any]:
            if not left:
                await asyncio.sleep(0)  # let the application send its messages first
            return left.pop(0) if left else {"type": "websocket.disconnect", "code": 1001}

        async def send(message: dict[str, Any]) -> None:
            received.append(message.get("text") or message["type"])

        self._loop.run_until_complete(self._app(scope, receive, send))
        return received


def _scope(kind: str, path: str, query: bytes, headers: Headers) -> dict[str, Any]:
    return {
        "type": kind, "asgi": {"version": "3.0"}, "path": path, "raw_path": path.encode("utf-8", "surrogatepass"),
        "query_string": query, "root_path": "", "headers": list(headers), "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", 8000), "state": {},
    }  # fmt: skip
