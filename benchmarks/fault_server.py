"""The fault bench's server: people and bots play on it while it is hurt, and every round that was seen is kept."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import httpx
from websockets.exceptions import WebSocketException

from fault_kinds import Score, can_mount, last_line, mounted, remount
from web_helpers import Server, serving

#: What a game is made of: two people who share a screen, a person against a bot, two bots who are watched.
GAMES: Final = (
    {"players": [{"name": "Ann"}, {"name": "Bo"}], "picks": "random", "map": "small"},
    {"players": [{"name": "Ann"}, {"bot": "random"}], "picks": "random", "map": "world"},
    {"players": [{"bot": "random"}, {"bot": "aggressive"}], "picks": "random", "map": "small", "pace": 0.05},
)
#: Bytes of the disk that fills up, and the least by which it can grow.
DISK, PAGE = 1 << 30, 4096
#: Rounds after which a strike comes, at most.
ROUNDS = 30
#: Seconds after which a game hangs; between two tries to hand in a turn that the server could not keep.
PATIENCE, RETRY = 20.0, 0.3
#: What a connection raises when the server is gone.
GONE: Final = (WebSocketException, httpx.HTTPError, OSError, EOFError, TimeoutError)


class Table:
    """A game on the server, and what one viewer of it was shown so far.

    Args:
        server: where it is made.
        body: of the request that makes it.
    """

    def __init__(self, server: Server, body: dict[str, Any]) -> None:
        made = server.client().post("games", json=body).raise_for_status().json()
        self.id, self.tokens, self.watch = made["id"], made["tokens"], made["watch"]
        self.shown: list[dict[str, Any]] = []
        self.over = False

    @property
    def rounds(self) -> int:
        """Of them that were shown."""
        return sum(event["event"] == "round" for event in self.shown)

    def play(self, server: Server, patience: float = 60.0) -> None:
        """Hand in turns for all of its people until the game is over or the server gone."""
        token = self.tokens.get("0") or self.watch
        with contextlib.suppress(*GONE), contextlib.ExitStack() as stack:
            feed = stack.enter_context(server.feed(self.id, token, len(self.shown) - 1))
            hands = [stack.enter_context(server.client(token)) for token in self.tokens.values()]
            while not self.over:
                message = json.loads(feed.socket.recv(timeout=patience))
                if message["type"] == "event":
                    self.shown.append(message)
                elif message["type"] == "now" and message["phase"] == "over":
                    self.over = True
                elif message["type"] == "now":
                    for seat, hand in zip(self.tokens, hands, strict=True):
                        if int(seat) in message["awaited"]:
                            orders = {"round": message["round"] + 1, "deploys": [], "attacks": []}
                            while hand.post(f"games/{self.id}/orders", json=orders).is_server_error:
                                time.sleep(RETRY)

    def lost(self, server: Server) -> str | None:
        """What the server no longer knows, or knows otherwise, of what it has shown."""
        token = self.tokens.get("0") or self.watch
        known = 0
        try:
            with server.feed(self.id, token) as feed:
                for event in self.shown:
                    message = json.loads(feed.socket.recv(timeout=PATIENCE))
                    while message["type"] == "now":
                        message = json.loads(feed.socket.recv(timeout=PATIENCE))
                    if message != event:
                        return f"event {event['n']} of game {self.id}: {str(event)[:80]} became {str(message)[:80]}"
                    known += 1
        except GONE as error:
            return f"game {self.id}: {known} of {len(self.shown)} events are there ({type(error).__name__})"
        return None


class ServerTarget:
    """A server on a folder of its own.

    Args:
        work: where folders are made.
        seed: of what is drawn.
    """

    def __init__(self, work: Path, seed: int) -> None:
        self.work, self.rng = work, random.Random(f"{seed}/server")

    @contextlib.contextmanager
    def folder(self, disk: bool = False) -> Iterator[Path]:
        """A new folder for games; `disk`: on a disk of its own."""
        with tempfile.TemporaryDirectory(prefix="server-", dir=self.work) as made, contextlib.ExitStack() as stack:
            folder = Path(made, "games")
            folder.mkdir()
            if disk:
                stack.enter_context(mounted(folder, f"size={DISK}"))
            yield folder


def running(folder: Path) -> contextlib.AbstractContextManager[Server]:
    """A server on that folder; what it says of itself is in a file beside it."""
    return serving(folder, "play", "--vs", "random", errors=said_by(folder))


def said_by(folder: Path) -> Path:
    """Where the last server on that folder has said what went wrong."""
    return folder.with_suffix(".said")


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += [int(word) for word in task.read_text().split()]
    return found


def is_alive(pid: int) -> bool:
    """Whether there is such a process, other than as a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def kills(ward: ServerTarget, times: int) -> Iterator[Score]:
    """SIGKILL to the server at random moments while people and bots play: no round that was shown is lost."""
    yield from _struck(ward, times, lambda server, *_: server.kill())


def interrupts(ward: ServerTarget, times: int) -> Iterator[Score]:
    """Ctrl-C and SIGTERM while people and bots play: it ends within seconds, without a traceback."""

    def strike(server: Server, *_: Any) -> None:
        server.process.send_signal(ward.rng.choice([signal.SIGINT, signal.SIGTERM]))
        try:
            server.process.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            raise LossError("it does not end") from None

    yield from _struck(ward, times, strike)


def slow_workers(ward: ServerTarget, times: int) -> Iterator[Score]:
    """SIGSTOP to a process that thinks, for up to two seconds, then SIGKILL to it: the games go on with another."""

    def strike(server: Server, tables: list[Table], _: Path) -> None:
        workers = [pid for pid in children(server.process.pid) if is_alive(pid)]
        for number in (signal.SIGSTOP, signal.SIGKILL):
            if workers:
                os.kill(workers[-1], number)
            time.sleep(ward.rng.uniform(0.1, 2.0))
        if server.process.poll() is not None:
            raise LossError("the server ended with its worker")
        stuck = _stuck(tables)
        server.kill()
        if stuck:
            raise LossError(f"{len(stuck)} games do not go on with another worker")

    yield from _struck(ward, times, strike)


def peers(ward: ServerTarget, times: int) -> Iterator[Score]:
    """Fifty connections that never end their headers, ten viewers who never read: others play and are answered."""

    def strike(server: Server, *_: Any) -> None:
        with contextlib.ExitStack() as stack:
            address = ("127.0.0.1", int(server.base.rpartition(":")[2]))
            for _ in range(50):
                slow = stack.enter_context(socket.create_connection(address))
                slow.sendall(b"GET /api/home HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
            game = Table(server, GAMES[2])
            for _ in range(10):
                deaf = stack.enter_context(server.feed(game.id, game.watch))
                deaf.socket.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            busy = Table(server, GAMES[1])
            thread = threading.Thread(target=busy.play, args=(server,), daemon=True)
            thread.start()
            _wait_for_rounds([busy], 3, PATIENCE)
            began = time.monotonic()
            with server.client() as client:
                client.get("home")
            waited = time.monotonic() - began
            if waited > 5 or busy.rounds < 3:
                raise LossError(f"others wait: {busy.rounds} rounds in {PATIENCE:g} s, {waited:.1f} s for a page")
            server.kill()
            thread.join()

    yield from _struck(ward, times, strike)


def full_disk(ward: ServerTarget, times: int) -> Iterator[Score]:
    """A disk that fills up while people and bots play, and has space again: all games go on, and nothing is lost."""
    if not can_mount():
        yield Score(skipped="mounting a disk takes root")
        return

    def strike(server: Server, tables: list[Table], disk: Path) -> None:
        used = sum(path.stat().st_blocks * 512 for path in disk.rglob("*"))
        remount(disk, f"size={used + PAGE * ward.rng.randrange(1, 6)}")
        time.sleep(ward.rng.uniform(0.5, 2.0))
        remount(disk, f"size={DISK}")
        stuck = _stuck(tables)
        ended = server.process.poll() is not None
        server.kill()
        if stuck or ended:
            raise LossError("the server ended" if ended else f"{len(stuck)} games do not go on where there is space")

    yield from _struck(ward, times, strike, disk=True)


class LossError(Exception):
    """What a strike cost, other than rounds."""


def _struck(
    ward: ServerTarget, times: int, strike: Callable[[Server, list[Table], Path], None], disk: bool = False
) -> Iterator[Score]:
    """Play, strike, start again and look, so many times; `strike` ends the server; `disk`: `ServerTarget.folder`."""
    score = Score()
    with ward.folder(disk) as folder:
        tables: list[Table] = []
        while score.tried < times:
            with running(folder) as server:
                if score.tried:
                    _look(score, server, tables)
                    yield score
                tables = [table for table in tables if not table.over]
                while len(tables) < 2 * len(GAMES):
                    tables.append(Table(server, GAMES[len(tables) % len(GAMES)]))
                before = sum(table.rounds for table in tables)
                with playing(server, tables):
                    _wait_for_rounds(tables, before + ward.rng.randrange(ROUNDS), ward.rng.uniform(0.5, 3.0))
                    workers = children(server.process.pid)
                    try:
                        strike(server, tables, folder)
                    except LossError as error:
                        score.lost.append(str(error))
                        server.kill()
                score.note("rounds", sum(table.rounds for table in tables) - before)
            score.tried += 1
            if not _ended(workers):
                score.lost.append("its workers did not end with it")
            if "Traceback" in (said := said_by(folder).read_text(errors="replace")):
                score.lost.append(f"a traceback: {last_line(said)}")
        with running(folder) as server:
            _look(score, server, tables)
        _verify(score, folder)
    yield score


@contextlib.contextmanager
def playing(server: Server, tables: list[Table]) -> Iterator[None]:
    """Play on all tables at once; whoever leaves has ended the server."""
    threads = [threading.Thread(target=table.play, args=(server,), daemon=True) for table in tables]
    for thread in threads:
        thread.start()
    yield
    for thread in threads:
        thread.join()


def _wait_for_rounds(tables: list[Table], rounds: int, seconds: float) -> None:
    """Until so many were shown, or so many seconds are over."""
    until = time.monotonic() + seconds
    while sum(table.rounds for table in tables) < rounds and time.monotonic() < until:
        time.sleep(0.002)


def _stuck(tables: list[Table]) -> list[str]:
    """The games of which no further round is shown for long."""
    then = {table.id: table.rounds for table in tables}
    until = time.monotonic() + PATIENCE
    while (stuck := [t.id for t in tables if not t.over and t.rounds == then[t.id]]) and time.monotonic() < until:
        time.sleep(0.05)
    return stuck


def _ended(workers: list[int], seconds: float = 30.0) -> bool:
    """Wait until none of the processes lives; whether that came to be."""
    until = time.monotonic() + seconds
    while any(map(is_alive, workers)):
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def _look(score: Score, server: Server, tables: list[Table]) -> None:
    """After a strike: is all there that was shown?"""
    losses = [loss for table in tables if (loss := table.lost(server)) is not None]
    score.lost += losses
    score.survived += not losses


def _verify(score: Score, folder: Path) -> None:
    """Every log in the folder plays again to what it says."""
    command = [sys.executable, "-m", "warlight_env", "log", "verify", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        score.lost.append(f"log verify: {last_line(done.stderr or done.stdout)}")
    score.note("logs verified", len(list(folder.glob("*.wl.jsonl*"))))


SERVER_FAULTS: Final[dict[str, Callable[[ServerTarget, int], Iterator[Score]]]] = {
    "kills": kills,
    "interrupts": interrupts,
    "slow workers": slow_workers,
    "full disk": full_disk,
    "peers": peers,
}
