"""Middleware that checks the host, the origin, the token, the rate and the size of requests."""

from __future__ import annotations

import asyncio
import hmac
import json
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, MutableMapping, Sequence
from typing import Any, Final

from cachetools import LRUCache

from warlight_env.web.access.connections import ADDRESS, address_of
from warlight_env.web.errors import RequestError, error_body_of, retry_headers

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

BODY: Final = 64 * 1024  # maximum bytes of a request's body
UPLOAD: Final = 8 * 1024 * 1024  # maximum bytes of a log, a map or a study that a client uploads
UPLOADS: Final = 4  # the maximum number of logs, maps and studies that the server receives at the same time
#: Paths that accept logs, maps and studies.
LARGE: Final = re.compile(
    r"/api/(?:replays|maps|maps/(?:check|file|read)|studies/import|(?:games|replays|studies)/[a-z0-9]{8,32}/variations/import)"
)
SLOWEST: Final = 30.0  # maximum seconds until the whole body of a request has arrived
RATE: Final = 100.0  # maximum requests per second from one address, as an average over a long time
BURST: Final = 4.0  # one address may send the requests of this many seconds of `RATE` at once
ADDRESSES: Final = 1000  # the maximum number of addresses whose requests are counted

HEADERS: Final = (
    (b"content-security-policy", b"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
     b"img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)  # fmt: skip


#: Key in the scope of a request without the server's token. The request may still come from an invited guest.
GUEST: Final = "warlight.guest"
#: Paths that guests may use: one game, its turns, and once the game is over, its replay and rematch.
_INVITED: Final = re.compile(
    r"/api/games/[a-z0-9]{8,32}(?:/(?:picks|orders|take-back|resign|draw|replay|chances|analysis|rematch|log|file"
    r"|variations(?:/(?:note|delete|file|judge))?))?"
)


#: The page's address scheme (http, https) for each scheme of a request. Behind a proxy, X-Forwarded-Proto decides it.
_PAGE_SCHEME: Final = {"http": "http", "ws": "http", "https": "https", "wss": "https"}

#: A header that marks the answer to a guest's request.
_GUEST_HEADER: Final = ((b"x-warlight-guest", b"yes"),)


class AuthMiddleware:
    """ASGI middleware in front of the application.

    The middleware refuses these requests: requests for another host (for example a page with a domain that points to
    this machine), with an Origin of another site, without the server's token if there is one, with a body that is too
    long, and too many requests at once.

    Args:
        hosts: names that requests may use for the server, with or without port; empty: any.
        token: the server's token, which is required in the header ``X-Warlight-Token`` of every request under /api/,
            and in the first message of every socket. If `token` is None, requests need no token. Guests may make some
            requests about one game without the server's token. A request of a guest gets the mark GUEST, and the lobby
            checks the guest's invitation.
        rate: maximum requests per second from one address, as an average; four times as many are allowed at once.
        at_once: the maximum number of open requests and sockets of one address.
    """

    def __init__(
        self, app: Any, hosts: Iterable[str], token: str | None, rate: float = RATE, at_once: int = ADDRESS
    ) -> None:
        self.app, self.hosts, self.token, self.rate, self.at_once = app, frozenset(hosts), token, rate, at_once
        self._buckets: LRUCache[str, tuple[float, float]] = LRUCache(ADDRESSES)
        self._open: Counter[str] = Counter()
        self._uploads = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        client = address_of(scope.get("client"))
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        try:
            self._check_request(scope, headers, client)
        except RequestError as error:
            await _send_error(scope, send, error)
            return
        self._open[client] += 1
        try:
            if scope["type"] == "websocket":
                await self.app(scope, receive, send)
            else:
                await self._serve(scope, headers, receive, send)
        finally:
            self._open[client] -= 1
            if not self._open[client]:
                del self._open[client]

    async def _serve(self, scope: Scope, headers: dict[bytes, str], receive: Receive, send: Send) -> None:
        """Receive the whole body of a request, then pass the request on."""
        max_bytes = _max_body_bytes(scope["path"])
        upload = max_bytes != BODY and (b"content-length" in headers or b"transfer-encoding" in headers)
        try:
            if upload and self._uploads >= UPLOADS:
                text = "other users are sending logs or maps: try again in a moment"
                raise RequestError(text, 429, code="files-wait")
            self._uploads += upload
            try:
                body = await _receive_body(receive, max_bytes)
            finally:
                self._uploads -= upload
        except RequestError as error:
            await _send_error(scope, send, error)
            return
        if body is not None:
            await self.app(
                scope, _replay_body(body, receive), _with_headers(send, _GUEST_HEADER if GUEST in scope else ())
            )

    def _check_request(self, scope: Scope, headers: dict[bytes, str], client: str) -> None:
        """Raise `RequestError` for a request that the server refuses. Refused requests count, too."""
        if not self._take_request(client) or self._open[client] >= self.at_once:
            raise RequestError("too many requests: try again in a moment", 429, code="too-many")
        host = headers.get(b"host", "")
        if self.hosts and host not in self.hosts and host.rpartition(":")[0] not in self.hosts:
            raise RequestError("this server does not have the requested host name", 421)
        origin = headers.get(b"origin")
        if origin is not None and origin != f"{_PAGE_SCHEME[scope['scheme']]}://{host}":
            raise RequestError("the server does not answer requests from pages of other servers", 403)
        if not scope["query_string"].isascii():
            raise RequestError("the address has characters that are not ASCII: write them as %XX", 400)
        if scope["type"] == "http":
            length = headers.get(b"content-length", "0")
            if not length.isdecimal() or len(length) > 12 or int(length) > _max_body_bytes(scope["path"]):
                raise _too_long(_max_body_bytes(scope["path"]))
            needs_token = self.token is not None and scope["path"].startswith("/api/")
            token = headers.get(b"x-warlight-token", "")
            if needs_token and not tokens_equal(self.token or "", token):
                invited = _INVITED.fullmatch(scope["path"]) and headers.get(b"authorization", "").startswith("Bearer ")
                if not invited:
                    raise token_error()
                scope[GUEST] = True

    def _take_request(self, client: str) -> bool:
        """Take one request from the address's token bucket; return whether the bucket permits it."""
        now = time.monotonic()
        requests_left, last_time = self._buckets.get(client, (BURST * self.rate, now))
        requests_left = min(BURST * self.rate, requests_left + self.rate * (now - last_time))
        self._buckets[client] = (requests_left - 1 if requests_left >= 1 else requests_left), now
        return requests_left >= 1


def token_error() -> RequestError:
    """Return the error for a request without the server's token; it does not reveal whether a game exists."""
    text = "the server's token is missing or wrong: open the address that the server printed"
    return RequestError(text, 401, code="token")


def tokens_equal(expected: str, received: str) -> bool:
    """Return whether two tokens are equal.

    The time of the comparison does not depend on the place where the tokens differ.
    """
    return hmac.compare_digest(expected.encode(), received.encode("utf-8", "surrogatepass"))


def _max_body_bytes(path: str) -> int:
    return UPLOAD if LARGE.fullmatch(path) else BODY


def _too_long(max_bytes: int) -> RequestError:
    text = f"the request is too large: at most {max_bytes} bytes are allowed"
    return RequestError(text, 413, code="too-long", bytes=max_bytes)


async def _receive_body(receive: Receive, max_bytes: int) -> bytes | None:
    """Return a request's body; None if the client disconnected. `RequestError`: it is too long or too slow."""
    data = bytearray()
    try:
        async with asyncio.timeout(SLOWEST):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return None
                data += message.get("body", b"")
                if len(data) > max_bytes:
                    raise _too_long(max_bytes)
                if not message.get("more_body"):
                    return bytes(data)
    except TimeoutError:
        text = f"the request did not arrive within {SLOWEST:.0f} s: try again"
        raise RequestError(text, 408, code="too-slow", seconds=SLOWEST) from None


def _replay_body(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` function that first gives `body` as a message, and afterwards the client's later messages."""
    is_sent = False

    async def receive_body() -> MutableMapping[str, Any]:
        nonlocal is_sent
        if is_sent:
            return await receive()
        is_sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_body


def _with_headers(send: Send, extra_headers: Sequence[tuple[bytes, bytes]]) -> Send:
    async def send_with_headers(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *HEADERS, *extra_headers]
        await send(message)

    return send_with_headers


async def _send_error(scope: Scope, send: Send, error: RequestError) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": str(error)})
        return
    body, status = json.dumps(error_body_of(error)).encode(), error.status
    headers = [(b"content-type", b"application/json"), *HEADERS]
    headers += [(name.encode(), value.encode()) for name, value in retry_headers(status).items()]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
