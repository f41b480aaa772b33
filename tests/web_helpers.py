"""Servers and browsers for tests of the page: real processes, real sockets, the installed Chromium."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import httpx
import pytest
from process_helpers import ForkedCommand
from websockets.sync.client import ClientConnection, connect

from warlight_env.web.page import PAGE

#: The names of Chromium, the best first: without a window system, the headless shell needs about half of the CPU time.
BROWSERS: Final = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
needs_page = pytest.mark.skipif(not PAGE.exists(), reason="the page was not built: there is no Node.js here")

#: The default first player, as on the command line.
YOU: Final = {"name": "You"}


@dataclass
class Server:
    """A server that was started from the command line."""

    process: subprocess.Popen[str] | ForkedCommand
    address: str  #: of the page that the server opened
    folder: Path  #: of the server's games

    @property
    def base(self) -> str:
        """Scheme, host and port of the server."""
        return re.match(r"https?://[^/]+", self.address)[0].replace("localhost", "127.0.0.1")  # type: ignore[index]

    @property
    def game(self) -> str:
        """Id of the game in `address`."""
        return re.search(r"#/g/(\w+)", self.address)[1]  # type: ignore[index]

    def token(self, seat: int | None = None) -> str:
        """Return a token from `address`: of a seat, or of a spectator (None)."""
        name = "key" if seat is None else f"key{seat}"
        return re.search(rf"[?&]{name}=([\w-]+)", self.address)[1]  # type: ignore[index]

    @property
    def key(self) -> str:
        """The server's token."""
        return re.search(r"[?]token=([\w-]+)", self.address)[1]  # type: ignore[index]

    def page(self, place: str = "") -> str:
        """Return the address of a screen, with the server's token."""
        return f"{self.base}/?token={self.key}#/{place}"

    def headers(self, token: str = "") -> dict[str, str]:
        """Return the headers of calls with a seat's token."""
        return {"authorization": f"Bearer {token or None}", "x-warlight-token": self.key}

    def client(self, token: str = "") -> httpx.Client:
        """Return a client for calls with a seat's token. Certificates are not loaded, because nothing is encrypted."""
        return httpx.Client(base_url=f"{self.base}/api/", headers=self.headers(token), timeout=120, verify=False)

    def begin(self, *players: str | dict[str, Any], **fields: Any) -> Server:
        """Create a game; return a `Server` whose address opens it. Default: a person and a bot on the small map.

        Args:
            players: bots by their specifications, other players as in requests. fields: more fields of the request.
        """
        seats = [{"bot": player} if isinstance(player, str) else player for player in players or (YOU, "random")]
        answer = self.client().post("games", json={"players": seats, "map": "small", **fields})
        assert answer.status_code == 200, answer.text
        made = answer.json()
        keys = {f"key{seat}": token for seat, token in made["tokens"].items()} or {"key": made["watch"]}
        return replace(self, address=self.page(f"g/{made['id']}?{urlencode(keys)}"))

    @contextlib.contextmanager
    def feed(self, game: str, token: str, after: int = -1) -> Iterator[Feed]:
        """Open a viewer's WebSocket and send its first message."""
        with connect(f"{self.base.replace('http', 'ws')}/api/games/{game}/feed", max_size=None) as socket:
            socket.send(json.dumps({"token": token, "key": self.key, "after": after}))
            yield Feed(socket)

    def kill(self) -> None:
        """Kill the server without a warning, like a power failure."""
        self.process.kill()
        self.process.wait()


@dataclass
class Feed:
    """The messages that a viewer receives."""

    socket: ClientConnection
    events: list[dict[str, Any]] = field(default_factory=list)  #: events received so far

    def event(self, kind: str | None = None) -> dict[str, Any]:
        """Return the next event; with `kind`, the next one of this kind."""
        while True:
            message = self.message()
            if message["type"] == "event" and kind in (None, message["event"]):
                return message

    def now(self, **wanted: Any) -> dict[str, Any]:
        """Return the next state that has these values."""
        while True:
            message = self.message()
            if message["type"] == "now" and all(message[key] == value for key, value in wanted.items()):
                return message

    def message(self) -> dict[str, Any]:
        """Return the next message of any kind."""
        message = json.loads(self.socket.recv(timeout=180))
        if message["type"] == "event":
            self.events.append(message)
        return message


@contextlib.contextmanager
def serving(
    folder: Path, *command: str, port: int = 0, errors: Path | None = None, forked: bool = True
) -> Iterator[Server]:
    """Run a server by a command such as ``play --vs random``, with its games in `folder`.

    Args:
        errors: file for its standard error. forked: start it and its workers as forks; otherwise as new processes,
        which takes seconds.
    """
    line = [*command, "--no-browser", "--port", str(port)]
    if command[0] != "watch":
        line += ["--log", str(folder)]
    environment = {"XDG_DATA_HOME": str(folder)}
    process = ForkedCommand(line, environment, errors) if forked else _started(line, environment, errors)
    try:
        assert process.stdout is not None
        output = process.stdout.readline()
        match = re.search(r"http\S+", output)
        assert match is not None, f"the server said {output!r}"
        yield Server(process, match[0], folder)
    finally:
        with contextlib.suppress(ProcessLookupError):
            # including its worker processes, which may compute for another minute
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


def _started(line: list[str], environment: dict[str, str], errors: Path | None) -> subprocess.Popen[str]:
    with contextlib.nullcontext() if errors is None else errors.open("wb") as stderr:
        return subprocess.Popen(
            [sys.executable, "-m", "warlight_env", *line], stdout=subprocess.PIPE, stderr=stderr, text=True,
            env={**os.environ, **environment}, process_group=0,
        )  # fmt: skip
