"""The command that starts the server: it opens the folder, listens on the port, and opens the browser."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import gc
import signal
import socket
import webbrowser
from collections.abc import Awaitable, Callable, Iterator, Sequence
from types import FrameType
from typing import Any, Final

import uvicorn
from fastapi import FastAPI

from warlight_env.errors import RunError
from warlight_env.web.access.connections import ConnectionLimits, Listener, protocol, room_for, tell_exhausted
from warlight_env.web.games.lobby import Lobby
from warlight_env.web.http.app import create_app
from warlight_env.web.http.settings import BOTS, Folders, Listen, ServerSettings
from warlight_env.web.page import page
from warlight_env.web.storage.game_folder import GameFolder

MESSAGE: Final = 16 * 1024  # maximum bytes of a message on a WebSocket


class ServeError(RunError):
    """The server cannot listen on an address or port."""


class _Server(uvicorn.Server):
    """A server that stops in an orderly way at the first signal, within seconds; later signals change nothing."""

    interrupted = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.interrupted = True
        self.should_exit = self.started  # not during the start: a server that stops then leaves started tasks behind

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield  # `signals_noted` handles signals, for longer than uvicorn serves

    async def serve_from(self, listener: socket.socket, begun: Callable[[], Awaitable[None]]) -> None:
        """Serve on a socket until the end. `begun` is called once the server answers; if it fails, the server stops."""
        asyncio.get_running_loop().set_exception_handler(tell_exhausted())
        serving = asyncio.create_task(self.serve(sockets=[listener]))
        try:
            while not self.started and not serving.done():
                await asyncio.sleep(0.02)
            if self.interrupted:
                self.should_exit = True
            elif self.started:
                await begun()
        except BaseException:
            self.should_exit = True
            raise
        finally:
            await serving

    @contextlib.contextmanager
    def signals_noted(self) -> Iterator[None]:
        """In the ``with`` block, the signals SIGINT and SIGTERM only stop the server."""
        handlers = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)


def run_server(
    listen: Listen,
    folders: Folders,
    first: Callable[[Lobby], Awaitable[str]] | None,
    bots: Sequence[str] = (),
    *,
    open_browser: bool = True,
    tell: Callable[[str], Any] = print,
) -> None:
    """Serve until Ctrl-C or SIGTERM; further signals change nothing.

    Args:
        listen: address and port.
        folders: folders of games, tournaments and policies.
        first: makes the first game in the browser and returns the part of the page's address after ``#``; None: the
            page begins without a game.
        bots: bots that the page offers before the usual bots.

    Raises:
        PageMissingError: the page was not built. ServeError: the port is not available. FolderInUseError: another
            server uses the folder of games. LogWriteError: the folder is not writable. KeyboardInterrupt: at the end.
    """
    page()
    with contextlib.ExitStack() as opened:
        home = GameFolder(folders.games)
        opened.callback(home.release)
        token = home.token()
        listener = opened.enter_context(_listening(listen))
        port = listener.getsockname()[1]
        shown = "localhost" if listen.host in ("127.0.0.1", "0.0.0.0", "localhost") else listen.host
        home.tell(f"http://{shown}:{port}/")
        hosts = ("127.0.0.1", "localhost", "[::1]") if listen.local and not listen.proxies else ()
        offered = tuple(dict.fromkeys((*bots, *BOTS)))
        reach = None if listen.local else f"http://{_named(listen.host)}:{port}"
        settings = ServerSettings(folders.games, offered, hosts, token, folders.runs, folders.opponents, reach)
        app = create_app(settings, home)
        server = _Server(config_of(app, listen.proxies, ConnectionLimits(room_for(), trusted=listen.proxies)))

        async def begun() -> None:
            place = "" if first is None else await first(app.state.lobby)
            gc.collect()
            gc.freeze()  # garbage collection skips these objects: a scan would block the server for 0.1 s
            address = f"http://{shown}:{port}/?token={token}#/{place}"
            tell(f"Warlight: {address}   (Ctrl-C ends the server; the games are saved in {folders.games})")
            if reach is not None:
                tell(
                    f"Other people can use {reach}/ with the links that the page makes for them; the address above is "
                    "only for the owner. There is no encryption: a person who can read the network traffic can read "
                    "tokens and games."
                )
            if open_browser:
                with contextlib.suppress(webbrowser.Error):
                    webbrowser.open(address)

        with server.signals_noted():
            asyncio.run(server.serve_from(listener, begun))
    if server.interrupted:
        raise KeyboardInterrupt


def config_of(app: FastAPI, proxies: Sequence[str], limits: ConnectionLimits) -> uvicorn.Config:
    """Return the configuration of uvicorn; `proxies`: see `Listen`."""
    return uvicorn.Config(
        app, http=protocol(limits), loop="asyncio", log_level="warning", ws=Listener, ws_max_size=MESSAGE,
        ws_max_queue=4, ws_ping_interval=20, ws_ping_timeout=20, timeout_graceful_shutdown=2, server_header=False,
        proxy_headers=bool(proxies), forwarded_allow_ips=list(proxies),
    )  # fmt: skip


def _named(host: str) -> str:
    """Return an address at which other machines reach this machine, even if the server listens on all addresses."""
    if host not in ("0.0.0.0", "::"):
        return f"[{host}]" if ":" in host else host
    family, far = (socket.AF_INET, "192.0.2.1") if host == "0.0.0.0" else (socket.AF_INET6, "2001:db8::1")
    with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as asked:
        asked.connect((far, 9))  # this sends nothing: the system only selects the local address
        found = str(asked.getsockname()[0])
        return f"[{found}]" if ":" in found else found
    return socket.gethostname()


def _listening(listen: Listen) -> socket.socket:
    family = socket.AF_INET6 if ":" in listen.host else socket.AF_INET
    # With the explicit TCP protocol, asyncio sends small answers at once (TCP_NODELAY), which saves 40 ms each.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((listen.host, listen.port))
    except OSError as error:
        listener.close()
        wrong_host = isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL
        raise ServeError(
            f"cannot listen on {listen.host}:{listen.port}: {error.strerror or error}; choose another "
            f"{'--host: an address of this machine' if wrong_host else '--port'}"
        ) from None
    return listener
