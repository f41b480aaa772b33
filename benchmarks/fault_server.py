"""Fault injection for the server: people and bots play while it is killed; no round that viewers saw may be lost."""

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

#: Requests for games: two people at one screen, a person against a bot, two bots with viewers.
GAMES: Final = (
    {"players": [{"name": "Ann"}, {"name": "Bo"}], "picks": "random", "map": "small"},
    {"players": [{"name": "Ann"}, {"bot": "random"}], "picks": "random", "map": "world"},
    {"players": [{"bot": "random"}, {"bot": "aggressive"}], "picks": "random", "map": "small", "pace": 0.05},
)
#: Size of the disk in bytes, and the smallest amount by which its limit can grow.
DISK, PAGE = 1 << 30, 4096
#: Largest number of rounds before a strike.
ROUNDS = 30
#: Seconds after which a game counts as hanging; seconds between two attempts to commit a turn after a server error.
PATIENCE, RETRY = 20.0, 0.3
#: Errors of a connection whose server has ended.
GONE: Final = (WebSocketException, httpx.HTTPError, OSError, EOFError, TimeoutError)


class Table:
    """A game on the server, and the events that one viewer has received so far.

    Args:
        server: the server of the game.
        body: the request that creates the game.
    """

    def __init__(self, server: Server, body: dict[str, Any]) -> None:
        game = server.client().post("games", json=body).raise_for_status().json()
        self.id, self.tokens, self.watch = game["id"], game["tokens"], game["watch"]
        self.events: list[dict[str, Any]] = []
        self.is_over = False

    @property
    def rounds(self) -> int:
        """Number of received rounds."""
        return sum(event["event"] == "round" for event in self.events)

    def play(self, server: Server, patience: float = 60.0) -> None:
        """Commit turns for all people of the game until the game or the server ends."""
        token = self.tokens.get("0") or self.watch
        with contextlib.suppress(*GONE), contextlib.ExitStack() as stack:
            feed = stack.enter_context(server.feed(self.id, token, len(self.events) - 1))
            clients = [stack.enter_context(server.client(token)) for token in self.tokens.values()]
            while not self.is_over:
                message = json.loads(feed.socket.recv(timeout=patience))
                if message["type"] == "event":
                    self.events.append(message)
                elif message["type"] == "now" and message["phase"] == "over":
                    self.is_over = True
                elif message["type"] == "now":
                    for seat, client in zip(self.tokens, clients, strict=True):
                        if int(seat) in message["awaited"]:
                            orders = {"round": message["round"] + 1, "deploys": [], "attacks": []}
                            while client.post(f"games/{self.id}/orders", json=orders).is_server_error:
                                time.sleep(RETRY)

    def lost(self, server: Server) -> str | None:
        """Return the first received event that the server has lost or changed, or None."""
        token = self.tokens.get("0") or self.watch
        received = 0
        try:
            with server.feed(self.id, token) as feed:
                for event in self.events:
                    message = json.loads(feed.socket.recv(timeout=PATIENCE))
                    while message["type"] == "now":
                        message = json.loads(feed.socket.recv(timeout=PATIENCE))
                    if message != event:
                        return f"event {event['n']} of game {self.id}: {str(event)[:80]} became {str(message)[:80]}"
                    received += 1
        except GONE as error:
            return f"game {self.id}: {received} of {len(self.events)} events are there ({type(error).__name__})"
        return None


class ServerTarget:
    """A server with a separate folder.

    Args:
        work: folder in which folders are created.
        seed: seed of the random faults.
    """

    def __init__(self, work: Path, seed: int) -> None:
        self.work, self.rng = work, random.Random(f"{seed}/server")

    @contextlib.contextmanager
    def folder(self, disk: bool = False) -> Iterator[Path]:
        """Create a folder for games; `disk`: on a separate disk."""
        with tempfile.TemporaryDirectory(prefix="server-", dir=self.work) as parent, contextlib.ExitStack() as stack:
            folder = Path(parent, "games")
            folder.mkdir()
            if disk:
                stack.enter_context(mounted(folder, f"size={DISK}"))
            yield folder


def running(folder: Path) -> contextlib.AbstractContextManager[Server]:
    """Run a server with this folder; its standard error is a file next to the folder."""
    return serving(folder, "play", "--vs", "random", errors=output_path(folder))


def output_path(folder: Path) -> Path:
    """Return the file with the standard error of the last server on this folder."""
    return folder.with_suffix(".said")


def children(pid: int) -> list[int]:
    """Return the child processes of a process."""
    pids = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            pids += [int(word) for word in task.read_text().split()]
    return pids


def is_alive(pid: int) -> bool:
    """Whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def kills(target: ServerTarget, times: int) -> Iterator[Score]:
    """Send SIGKILL to the server at random times during games: no round that viewers saw may be lost."""
    yield from _run_strikes(target, times, lambda server, *_: server.kill())


def interrupts(target: ServerTarget, times: int) -> Iterator[Score]:
    """Send SIGINT or SIGTERM during games: the server must end within seconds, without a traceback."""

    def strike(server: Server, *_: Any) -> None:
        server.process.send_signal(target.rng.choice([signal.SIGINT, signal.SIGTERM]))
        try:
            server.process.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            raise LossError("it does not end") from None

    yield from _run_strikes(target, times, strike)


def slow_workers(target: ServerTarget, times: int) -> Iterator[Score]:
    """Send SIGSTOP to a worker, and SIGKILL after up to two seconds: the games must continue with another worker."""

    def strike(server: Server, tables: list[Table], _: Path) -> None:
        workers = [pid for pid in children(server.process.pid) if is_alive(pid)]
        for number in (signal.SIGSTOP, signal.SIGKILL):
            if workers:
                os.kill(workers[-1], number)
            time.sleep(target.rng.uniform(0.1, 2.0))
        if server.process.poll() is not None:
            raise LossError("the server ended with its worker")
        stuck = _stuck_games(tables)
        server.kill()
        if stuck:
            raise LossError(f"{len(stuck)} games do not go on with another worker")

    yield from _run_strikes(target, times, strike)


def peers(target: ServerTarget, times: int) -> Iterator[Score]:
    """Open 50 connections with incomplete headers, and 10 viewers that never read: others must get answers."""

    def strike(server: Server, *_: Any) -> None:
        with contextlib.ExitStack() as stack:
            address = ("127.0.0.1", int(server.base.rpartition(":")[2]))
            for _ in range(50):
                connection = stack.enter_context(socket.create_connection(address))
                connection.sendall(b"GET /api/home HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
            game = Table(server, GAMES[2])
            for _ in range(10):
                viewer = stack.enter_context(server.feed(game.id, game.watch))
                viewer.socket.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            busy = Table(server, GAMES[1])
            thread = threading.Thread(target=busy.play, args=(server,), daemon=True)
            thread.start()
            _wait_for_rounds([busy], 3, PATIENCE)
            start = time.monotonic()
            with server.client() as client:
                client.get("home")
            wait_seconds = time.monotonic() - start
            if wait_seconds > 5 or busy.rounds < 3:
                raise LossError(f"others wait: {busy.rounds} rounds in {PATIENCE:g} s, {wait_seconds:.1f} s for a page")
            server.kill()
            thread.join()

    yield from _run_strikes(target, times, strike)


def full_disk(target: ServerTarget, times: int) -> Iterator[Score]:
    """The disk becomes full during games and gets space again: all games must continue, and no event may be lost."""
    if not can_mount():
        yield Score(skipped="mounting a disk takes root")
        return

    def strike(server: Server, tables: list[Table], disk: Path) -> None:
        used_bytes = sum(path.stat().st_blocks * 512 for path in disk.rglob("*"))
        remount(disk, f"size={used_bytes + PAGE * target.rng.randrange(1, 6)}")
        time.sleep(target.rng.uniform(0.5, 2.0))
        remount(disk, f"size={DISK}")
        stuck = _stuck_games(tables)
        ended = server.process.poll() is not None
        server.kill()
        if stuck or ended:
            raise LossError("the server ended" if ended else f"{len(stuck)} games do not go on where there is space")

    yield from _run_strikes(target, times, strike, disk=True)


class LossError(Exception):
    """A loss other than a lost round."""


def _run_strikes(
    target: ServerTarget, times: int, strike: Callable[[Server, list[Table], Path], None], disk: bool = False
) -> Iterator[Score]:
    """Play, strike, restart the server and check the events, `times` times.

    `strike` ends the server. `disk`: see `ServerTarget.folder`.
    """
    score = Score()
    with target.folder(disk) as folder:
        tables: list[Table] = []
        while score.tried < times:
            with running(folder) as server:
                if score.tried:
                    _check_events(score, server, tables)
                    yield score
                tables = [table for table in tables if not table.is_over]
                while len(tables) < 2 * len(GAMES):
                    tables.append(Table(server, GAMES[len(tables) % len(GAMES)]))
                before = sum(table.rounds for table in tables)
                with playing(server, tables):
                    _wait_for_rounds(tables, before + target.rng.randrange(ROUNDS), target.rng.uniform(0.5, 3.0))
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
            if "Traceback" in (output := output_path(folder).read_text(errors="replace")):
                score.lost.append(f"a traceback: {last_line(output)}")
        with running(folder) as server:
            _check_events(score, server, tables)
        _verify_logs(score, folder)
    yield score


@contextlib.contextmanager
def playing(server: Server, tables: list[Table]) -> Iterator[None]:
    """Play all games at once; the body of the context must end the server."""
    threads = [threading.Thread(target=table.play, args=(server,), daemon=True) for table in tables]
    for thread in threads:
        thread.start()
    yield
    for thread in threads:
        thread.join()


def _wait_for_rounds(tables: list[Table], rounds: int, seconds: float) -> None:
    """Wait until viewers have received `rounds` rounds, or `seconds` seconds have passed."""
    deadline = time.monotonic() + seconds
    while sum(table.rounds for table in tables) < rounds and time.monotonic() < deadline:
        time.sleep(0.002)


def _stuck_games(tables: list[Table]) -> list[str]:
    """Return the ids of games without a new round for `PATIENCE` seconds."""
    before = {table.id: table.rounds for table in tables}
    deadline = time.monotonic() + PATIENCE
    while (
        stuck := [t.id for t in tables if not t.is_over and t.rounds == before[t.id]]
    ) and time.monotonic() < deadline:
        time.sleep(0.05)
    return stuck


def _ended(workers: list[int], seconds: float = 30.0) -> bool:
    """Wait until all processes have ended; return False if one remains after `seconds` seconds."""
    deadline = time.monotonic() + seconds
    while any(map(is_alive, workers)):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def _check_events(score: Score, server: Server, tables: list[Table]) -> None:
    """Check after a strike that the server has all events that viewers received."""
    losses = [loss for table in tables if (loss := table.lost(server)) is not None]
    score.lost += losses
    score.survived += not losses


def _verify_logs(score: Score, folder: Path) -> None:
    """Check with ``warlight log verify`` that every log in the folder can be replayed."""
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
