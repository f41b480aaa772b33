"""Who may talk to the server: its own page only, with its token where it listens to others, and not too often."""

from __future__ import annotations

import hmac
import json
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, Final
from urllib.parse import urlsplit

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

BODY: Final = 64 * 1024  # bytes of a request
UPLOAD: Final = 8 * 1024 * 1024  # of a log
RATE: Final = 100.0  # requests a second from one address, lasting
BURST: Final = 4.0  # seconds' worth of requests at once

HEADERS: Final = (
    (b"content-security-policy", b"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
     b"img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)  # fmt: skip


class Guard:
    """Middleware, in front of everything.

    Refuses requests for another host (a page that has its name point at this machine), with an Origin that is not the
    server's own, without the server's token where one is set, with too long a body, and too many at once.

    Args:
        hosts: names under which the server is reached, with and without port; empty: any.
        token: wanted as the header ``X-Warlight-Token`` of every call under /api/; sockets bring it in their first
            message. None: none is needed.
        rate: requests a second from one address, lasting; four times as many at once.
    """

    def __init__(self, app: Any, hosts: Iterable[str], token: str | None, rate: float = RATE) -> None:
        self.app, self.hosts, self.token, self.rate = app, frozenset(hosts), token, rate
        self._spent: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        refused = self._refuse(scope, headers)
        if refused is not None:
            await _answer(scope, send, *refused)
        elif scope["type"] == "websocket":
            await self.app(scope, receive, send)
        else:
            await self.app(scope, _bounded(receive, _most(scope["path"])), _with_headers(send))

    def _refuse(self, scope: Scope, headers: dict[bytes, str]) -> tuple[int, str] | None:
        host = headers.get(b"host", "")
        if self.hosts and host not in self.hosts and host.rpartition(":")[0] not in self.hosts:
            return 421, "this server is not reached under that name"
        origin = headers.get(b"origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return 403, "requests from other pages are not answered"
        if scope["type"] == "http":
            length = headers.get(b"content-length", "0")
            if not length.isdecimal() or int(length) > _most(scope["path"]):
                return 413, f"at most {_most(scope['path'])} bytes"
            needs = self.token is not None and scope["path"].startswith("/api/")
            given = headers.get(b"x-warlight-token", "")
            if needs and not hmac.compare_digest(given.encode(), (self.token or "").encode()):
                return 401, "the server's token is missing or wrong: open the address that it printed"
        if not self._afford((scope.get("client") or ("",))[0]):
            return 429, "too many requests: wait a moment"
        return None

    def _afford(self, client: str) -> bool:
        """A token bucket for each address."""
        now = time.monotonic()
        left, since = self._spent.pop(client, (BURST * self.rate, now))
        left = min(BURST * self.rate, left + self.rate * (now - since))
        self._spent[client] = (left - 1 if left >= 1 else left), now
        if len(self._spent) > 1000:
            self._spent.popitem(last=False)
        return left >= 1


def _most(path: str) -> int:
    return UPLOAD if path == "/api/replays" else BODY


def _bounded(receive: Receive, most: int) -> Receive:
    """A body that was announced shorter than it is, or not at all, ends at the bound."""
    taken = 0

    async def bounded() -> MutableMapping[str, Any]:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        return {"type": "http.disconnect"} if taken > most else message

    return bounded


def _with_headers(send: Send) -> Send:
    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *HEADERS]
        await send(message)

    return sending


async def _answer(scope: Scope, send: Send, status: int, reason: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": reason})
        return
    body = json.dumps({"error": reason}).encode()
    headers = [(b"content-type", b"application/json"), *HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
