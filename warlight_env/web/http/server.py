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
from dataclasses import replace
from types import FrameType
from typing import Any, Final

import uvicorn
from fastapi import FastAPI

from warlight_env.errors import RunError
from warlight_env.web.access.connections import ConnectionLimits, Listener, protocol, report_exhausted, room_for
from warlight_env.web.games.lobby import Lobby
from warlight_env.web.http.app import create_app
from warlight_env.web.http.settings import Listen, ServerSettings
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

    async def serve_from(self, listener: socket.socket, on_started: Callable[[], Awaitable[None]]) -> None:
        """Serve on a socket until the end.

        `on_started` is called once the server answers; if it fails, the server stops.
        """
        asyncio.get_running_loop().set_exception_handler(report_exhausted())
        server_task = asyncio.create_task(self.serve(sockets=[listener]))
        try:
            while not self.started and not server_task.done():
                await asyncio.sleep(0.02)
            if self.interrupted:
                self.should_exit = True
            elif self.started:
                await on_started()
        except BaseException:
            self.should_exit = True
            raise
        finally:
            await server_task

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
    settings: ServerSettings,
    first: Callable[[Lobby], Awaitable[str]],
    *,
    open_browser: bool = True,
    print_line: Callable[[str], Any] = print,
) -> None:
    """Serve until Ctrl-C or SIGTERM; further signals change nothing.

    Args:
        listen: address and port.
        settings: settings of the server; this function sets `hosts`, `token` and `lan_address`.
        first: makes the first game in the browser and returns the part of the page's address after ``#``.
        open_browser: whether to open the page in a browser.
        print_line: prints a line with an address of the server, for the user.

    Raises:
        PageMissingError: the page was not built. ServeError: the port is not available. FolderInUseError: another
            server uses the folder of games. LogWriteError: the folder is not writable. KeyboardInterrupt: at the end.
    """
    page()
    with contextlib.ExitStack() as stack:
        home = GameFolder(settings.folder)
        stack.callback(home.release)
        token = home.token()
        listener = stack.enter_context(_listen_socket(listen))
        port = listener.getsockname()[1]
        is_localhost = listen.host in ("127.0.0.1", "0.0.0.0", "::", "localhost")
        host_name = "localhost" if is_localhost else _url_host(listen.host)
        home.write_address(f"http://{host_name}:{port}/")
        hosts = ("127.0.0.1", "localhost", "[::1]") if listen.local and not listen.proxies else ()
        lan_address = None if listen.local else f"http://{_lan_host(listen.host)}:{port}"
        app = create_app(replace(settings, hosts=hosts, token=token, lan_address=lan_address), home)
        server = _Server(config_of(app, listen.proxies, ConnectionLimits(room_for(), trusted=listen.proxies)))

        async def on_started() -> None:
            fragment = await first(app.state.lobby)
            gc.collect()
            gc.freeze()  # garbage collection skips these objects: a scan would block the server for 0.1 s
            address = f"http://{host_name}:{port}/?token={token}#/{fragment}"
            print_line(f"Warlight: {address}   (Ctrl-C ends the server; the games are saved in {settings.folder})")
            if lan_address is not None:
                print_line(
                    f"Other people can use {lan_address}/ with the links that the page makes for them; the address "
                    "above is only for the owner. There is no encryption: a person who can read the network traffic "
                    "can read tokens and games."
                )
            if open_browser:
                with contextlib.suppress(webbrowser.Error):
                    webbrowser.open(address)

        with server.signals_noted():
            asyncio.run(server.serve_from(listener, on_started))
    if server.interrupted:
        raise KeyboardInterrupt


def config_of(app: FastAPI, proxies: Sequence[str], limits: ConnectionLimits) -> uvicorn.Config:
    """Return the configuration of uvicorn; `proxies`: see `Listen`."""
    return uvicorn.Config(
        app, http=protocol(limits), loop="asyncio", log_level="warning", ws=Listener, ws_max_size=MESSAGE,
        ws_max_queue=4, ws_ping_interval=20, ws_ping_timeout=20, timeout_graceful_shutdown=2, server_header=False,
        proxy_headers=bool(proxies), forwarded_allow_ips=list(proxies),
    )  # fmt: skip


def _url_host(host: str) -> str:
    """Return a host in the form that an address needs: with brackets around an IPv6 host."""
    return f"[{host}]" if ":" in host else host


def _lan_host(host: str) -> str:
    """Return an address at which other machines reach this machine, even if the server listens on all addresses."""
    if host not in ("0.0.0.0", "::"):
        return _url_host(host)
    family, remote_address = (socket.AF_INET, "192.0.2.1") if host == "0.0.0.0" else (socket.AF_INET6, "2001:db8::1")
    with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe_socket:
        probe_socket.connect((remote_address, 9))  # this sends nothing: the system only selects the local address
        return _url_host(str(probe_socket.getsockname()[0]))
    return socket.gethostname()


def _listen_socket(listen: Listen) -> socket.socket:
    family = socket.AF_INET6 if ":" in listen.host else socket.AF_INET
    # With the explicit TCP protocol, asyncio sends small answers at once (TCP_NODELAY), which saves 40 ms each.
    try:
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except OSError as error:
        raise _listen_error(listen, error) from None
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if listen.host == "::":  # all addresses, also those of IPv4, which some systems exclude by default
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    try:
        listener.bind((listen.host, listen.port))
    except OSError as error:
        listener.close()
        raise _listen_error(listen, error) from None
    return listener


def _listen_error(listen: Listen, error: OSError) -> ServeError:
    # EINVAL: an address such as fe80::1 that also needs the name of a network interface
    wrong_host = isinstance(error, socket.gaierror) or error.errno in (
        errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EINVAL,
    )  # fmt: skip
    advice = "--host: an address of this machine" if wrong_host else "--port"
    return ServeError(
        f"cannot listen on {_url_host(listen.host)}:{listen.port}: {error.strerror or error}; choose another {advice}"
    )
