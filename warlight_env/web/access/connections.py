"""Limits on connections: their number, the number from one address, and slow clients."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import logging
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

try:
    import resource
except ImportError:  # systems without such limits
    resource = None  # type: ignore[assignment]

_log = logging.getLogger(__name__)

MAX_CONNECTIONS: Final = 2000  # maximum number of open connections
ADDRESS: Final = 300  # maximum number of open connections from one address
SPARE: Final = 200  # open files reserved for other uses than connections: logs of games, pipes to workers
FILES: Final = 4096  # the limit of open files that the server requests from the system
HEAD_TIMEOUT: Final = 10.0  # maximum seconds until the head (first line and headers) of a request has arrived
READ_TIMEOUT: Final = 30.0  # seconds within which a client must accept a part of the answer
BYTES: Final = 2048  # bytes of a socket's messages that are processed together
FRAMES: Final = 60  # frames that a viewer may send at once: its hello, and keep-alive frames
FRAMES_PER_SECOND: Final = 1.0  # number of additional frames per second that a viewer may send


def address_of(client: tuple[str, int] | None) -> str:
    """Return the address under which a connection is counted: the IPv4 address, or an IPv6 address's /64 network."""
    host = client[0] if client else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((int(address) >> 64 << 64, 64)))
    return host


def _normalized(host: str) -> str:
    """Return an IP address in its standard form (an IPv4 address if it is mapped to IPv6); a name stays unchanged."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    return str(getattr(address, "ipv4_mapped", None) or address)


@dataclass
class ConnectionLimits:
    """The limits on connections. trusted: addresses of proxies, which forward the connections of all clients."""

    max_connections: int = MAX_CONNECTIONS
    address: int = ADDRESS
    trusted: Collection[str] = ()
    head_timeout: float = HEAD_TIMEOUT
    read_timeout: float = READ_TIMEOUT
    _open: dict[asyncio.BaseTransport, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._trusted = frozenset(map(_normalized, self.trusted))

    def admit(self, transport: asyncio.BaseTransport, client: tuple[str, int] | None) -> str | None:
        """Count a new connection; return the HTTP status line if the limits refuse it."""
        self._open = {
            connection: client_address
            for connection, client_address in self._open.items()
            if not connection.is_closing()
        }
        client_address = address_of(client)
        if len(self._open) >= self.max_connections:
            return "503 Service Unavailable"
        trusted = client is not None and _normalized(client[0]) in self._trusted
        if not trusted and sum(open_address == client_address for open_address in self._open.values()) >= self.address:
            return "429 Too Many Requests"
        self._open[transport] = client_address
        return None


def protocol(limits: ConnectionLimits) -> type[H11Protocol]:
    """Return the protocol class of HTTP connections, which enforces the limits `limits`."""

    class Connection(H11Protocol):
        """An HTTP connection that limits the time for the head of a request, and for reading the response."""

        _refused = False
        _spoken = False  # whether the client sent anything
        _head_timer: asyncio.TimerHandle | None = None
        _read_timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            reason = limits.admit(transport, self.client)
            if reason is None:
                self._expect_head()
            else:
                self._refuse(reason)

        def data_received(self, data: bytes) -> None:
            if self._refused:
                return
            self._spoken = True
            super().data_received(data)
            if self._refused:  # the connection has become a WebSocket
                return
            if self.cycle is None or self.cycle.response_complete:
                self._expect_head()
            else:
                self._stop()

        def handle_websocket_upgrade(self, event: Any) -> None:
            self._stop()
            self._refused = True  # from now on the WebSocket protocol receives the data
            super().handle_websocket_upgrade(event)

        def pause_writing(self) -> None:
            super().pause_writing()
            self._read_timer = self.loop.call_later(limits.read_timeout, self.transport.abort)

        def resume_writing(self) -> None:
            super().resume_writing()
            if self._read_timer is not None:
                self._read_timer.cancel()
                self._read_timer = None

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop()
            super().connection_lost(exc)
            if self._read_timer is not None:
                self._read_timer.cancel()

        def _expect_head(self) -> None:
            if self._head_timer is None and not self.transport.is_closing():
                self._head_timer = self.loop.call_later(limits.head_timeout, self._too_slow)

        def _too_slow(self) -> None:
            """Close the connection of a slow client, without an answer if the client has sent nothing."""
            if self._spoken:
                self._refuse("408 Request Timeout")
            else:
                self.transport.close()

        def _stop(self) -> None:
            if self._head_timer is not None:
                self._head_timer.cancel()
                self._head_timer = None

        def _refuse(self, status: str) -> None:
            self._stop()
            self._refused = True
            if not self.transport.is_closing():
                self.transport.write(f"HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n".encode())
                self.transport.close()

    return Connection


class Listener(WebSocketsSansIOProtocol):
    """The protocol of WebSockets. Viewers only listen: a viewer that sends too many frames is disconnected.

    A WebSocket frame from a client costs the server much more time than the client. The server answers pings even if
    the client never reads.
    """

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.Protocol`."""
        self._frames_left, self._last_time = float(FRAMES), time.monotonic()
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        for start in range(0, len(data), BYTES):
            if self.transport.is_closing():
                return
            super().data_received(data[start : start + BYTES])

    def handle_events(self) -> None:
        """Process the received frames, unless there are too many; see `WebSocketsSansIOProtocol`."""
        now = time.monotonic()
        self._frames_left = min(FRAMES, self._frames_left + FRAMES_PER_SECOND * (now - self._last_time)) - len(
            self.conn.events
        )
        self._last_time = now
        if self._frames_left < 0:
            self.transport.abort()
        else:
            super().handle_events()


def room_for() -> int:
    """Raise the system's limit of open files if possible, and return how many connections it permits."""
    if resource is None:
        return MAX_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < FILES:
        new_limit = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (new_limit, hard))
        soft = new_limit
    return min(MAX_CONNECTIONS, max(soft - SPARE, soft // 2))


def report_exhausted() -> Callable[[asyncio.AbstractEventLoop, Any], None]:
    """Return an exception handler for event loops.

    The handler reports the error "too many open files" in at most one line per minute.
    """
    last_report = float("-inf")

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        nonlocal last_report
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in (errno.EMFILE, errno.ENFILE, errno.ENOBUFS):
            loop.default_exception_handler(context)
        elif time.monotonic() - last_report > 60:
            last_report = time.monotonic()
            _log.error(f"{error.strerror}: new connections must wait; the server still answers on open connections")

    return handle
