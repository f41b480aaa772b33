"""Servers and browsers for the tests of the page: real processes, real sockets, Debian's Chromium."""

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

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
needs_page = pytest.mark.skipif(not PAGE.exists(), reason="the page was not built: there is no Node.js here")

#: Who sits at the screen where nothing else is said, as on the command line.
YOU: Final = {"name": "You"}


@dataclass
class Server:
    """A server that was started from the command line."""

    process: subprocess.Popen[str] | ForkedCommand
    address: str  #: of the page that it opened on
    folder: Path  #: of its games

    @property
    def base(self) -> str:
        """Without path, query and fragment."""
        return re.match(r"https?://[^/]+", self.address)[0].replace("localhost", "127.0.0.1")  # type: ignore[index]

    @property
    def game(self) -> str:
        """The game that it opened on."""
        return re.search(r"#/g/(\w+)", self.address)[1]  # type: ignore[index]

    def token(self, seat: int | None = None) -> str:
        """Of the game that it opened on."""
        name = "key" if seat is None else f"key{seat}"
        return re.search(rf"[?&]{name}=([\w-]+)", self.address)[1]  # type: ignore[index]

    @property
    def key(self) -> str:
        """The server's own token."""
        return re.search(r"[?]token=([\w-]+)", self.address)[1]  # type: ignore[index]

    def page(self, place: str = "") -> str:
        """The address of a screen, with the server's token."""
        return f"{self.base}/?token={self.key}#/{place}"

    def headers(self, token: str = "") -> dict[str, str]:
        """Of calls with a seat's token."""
        return {"authorization": f"Bearer {token or None}", "x-warlight-token": self.key}

    def client(self, token: str = "") -> httpx.Client:
        """For calls with a seat's token. There are no certificates to be read: nothing is encrypted."""
        return httpx.Client(base_url=f"{self.base}/api/", headers=self.headers(token), timeout=120, verify=False)

    def begin(self, *players: str | dict[str, Any], **fields: Any) -> Server:
        """A game of its own for a test, as if the server had opened on it: a person's against a bot, on the small map.

        Args:
            players: instead of these: bots by name, others as requests have them. fields: of the request.
        """
        asked = [{"bot": player} if isinstance(player, str) else player for player in players or (YOU, "random")]
        answer = self.client().post("games", json={"players": asked, "map": "small", **fields})
        assert answer.status_code == 200, answer.text
        made = answer.json()
        keys = {f"key{seat}": token for seat, token in made["tokens"].items()} or {"key": made["watch"]}
        return replace(self, address=self.page(f"g/{made['id']}?{urlencode(keys)}"))

    @contextlib.contextmanager
    def feed(self, game: str, token: str, after: int = -1) -> Iterator[Feed]:
        """A viewer's socket, introduced."""
        with connect(f"{self.base.replace('http', 'ws')}/api/games/{game}/feed", max_size=None) as socket:
            socket.send(json.dumps({"token": token, "key": self.key, "after": after}))
            yield Feed(socket)

    def kill(self) -> None:
        """As a power cut would."""
        self.process.kill()
        self.process.wait()


@dataclass
class Feed:
    """What a viewer is sent."""

    socket: ClientConnection
    events: list[dict[str, Any]] = field(default_factory=list)  #: so far

    def event(self, kind: str | None = None) -> dict[str, Any]:
        """The next event, of a kind."""
        while True:
            message = self.message()
            if message["type"] == "event" and kind in (None, message["event"]):
                return message

    def now(self, **wanted: Any) -> dict[str, Any]:
        """The next state with these values."""
        while True:
            message = self.message()
            if message["type"] == "now" and all(message[key] == value for key, value in wanted.items()):
                return message

    def message(self) -> dict[str, Any]:
        """The next message of any kind."""
        message = json.loads(self.socket.recv(timeout=60))
        if message["type"] == "event":
            self.events.append(message)
        return message


@contextlib.contextmanager
def serving(
    folder: Path, *command: str, port: int = 0, errors: Path | None = None, forked: bool = True
) -> Iterator[Server]:
    """A server by a command line, as ``play --vs random``, with its games in a folder.

    Args:
        errors: what it says there. forked: it and its workers start as forks; else as usual, which takes seconds.
    """
    line = [*command, "--no-browser", "--port", str(port)]
    if command[0] != "watch":
        line += ["--games", str(folder)]
    environment = {"XDG_DATA_HOME": str(folder)}
    process = ForkedCommand(line, environment, errors) if forked else _started(line, environment, errors)
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        found = re.search(r"http\S+", said)
        assert found is not None, f"the server said {said!r}"
        yield Server(process, found[0], folder)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # with those that think for it: they may be busy for a minute yet
        process.wait()
        process.stdout.close()


def _started(line: list[str], environment: dict[str, str], errors: Path | None) -> subprocess.Popen[str]:
    with contextlib.nullcontext() if errors is None else errors.open("wb") as said_there:
        return subprocess.Popen(
            [sys.executable, "-m", "warlight_env", *line], stdout=subprocess.PIPE, stderr=said_there, text=True,
            env={**os.environ, **environment}, process_group=0,
        )  # fmt: skip
