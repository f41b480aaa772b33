"""Running the server from the command line: a port, a token where others can reach it, a browser that opens."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
import webbrowser
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import uvicorn

from warlight_env.errors import RunError
from warlight_env.web.app import BOTS, Settings, create_app
from warlight_env.web.lobby import Lobby
from warlight_env.web.page import page

PORT: Final = 8040
MESSAGE: Final = 16 * 1024  # bytes of a socket's message


class ServeError(RunError):
    """The server cannot listen there."""


@dataclass(frozen=True)
class Listen:
    """Where a server listens; beyond this machine everybody needs a token."""

    host: str = "127.0.0.1"
    port: int = PORT
    token: str | None = None

    @property
    def local(self) -> bool:
        """Whether nobody but this machine can connect."""
        return self.host in ("127.0.0.1", "::1", "localhost")


def run_server(
    listen: Listen,
    folder: Path,
    runs: Path | None,
    first: Callable[[Lobby], Awaitable[str]] | None,
    bots: Sequence[str] = (),
    *,
    open_browser: bool = True,
    tell: Callable[[str], Any] = print,
) -> None:
    """Serve until it is interrupted.

    Args:
        listen: where; beyond this machine with a token, drawn if none is given.
        folder, runs: see `Settings`.
        first: makes the game that the browser opens on and returns the page's address after ``#``; None: home.
        bots: offered in front of the usual ones.

    Raises:
        PageMissingError: the page was not built. ServeError: the port cannot be had.
    """
    page()
    token = None if listen.local else listen.token or secrets.token_urlsafe(18)
    taken = _listening(listen)
    port = taken.getsockname()[1]
    hosts = ("127.0.0.1", "localhost", "[::1]") if listen.local else ()
    offered = tuple(dict.fromkeys((*bots, *BOTS)))
    app = create_app(Settings(folder, offered, hosts, token, runs))
    config = uvicorn.Config(
        app, log_level="warning", ws="websockets-sansio", ws_max_size=MESSAGE, ws_max_queue=4, ws_ping_interval=20,
        ws_ping_timeout=20, limit_concurrency=2000, timeout_graceful_shutdown=2, server_header=False,
    )  # fmt: skip
    server = uvicorn.Server(config)

    async def main() -> None:
        serving = asyncio.create_task(server.serve(sockets=[taken]))
        while not server.started and not serving.done():
            await asyncio.sleep(0.02)
        if server.started:
            place = "" if first is None else await first(app.state.lobby)
            shown = "localhost" if listen.host in ("127.0.0.1", "0.0.0.0", "localhost") else listen.host
            query = f"?token={token}" if token else ""
            address = f"http://{shown}:{port}/{query}#/{place}"
            tell(f"Warlight: {address}   (Ctrl-C ends; games are kept in {folder})")
            if open_browser:
                with contextlib.suppress(webbrowser.Error):
                    webbrowser.open(address)
        await serving

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main())


def _listening(listen: Listen) -> socket.socket:
    family = socket.AF_INET6 if ":" in listen.host else socket.AF_INET
    # Said to be TCP: asyncio then sends small answers at once (TCP_NODELAY), which spares 40 ms each.
    taken = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((listen.host, listen.port))
    except OSError as error:
        taken.close()
        reason = error.strerror or error
        raise ServeError(f"cannot listen on {listen.host}:{listen.port}: {reason}; choose another --port") from None
    return taken
