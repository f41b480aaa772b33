"""Logged games for tests, and an independent reader of the log format, written from ``docs/reference/game-log.md``."""

from __future__ import annotations

import gzip
import json
import struct
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

from warlight_env.agents import make_agent
from warlight_env.arena import play_game
from warlight_env.game import Game
from warlight_env.record import GameLog, LogWriter, describe


class RecordingObserver:
    """An observer that saves the game after every event."""

    def __init__(self) -> None:
        self.games: list[dict[str, Any]] = []

    def began(self, game, agents, limit):
        self.games.append(game.to_dict())

    def picked(self, preferences, dropped, game):
        self.games.append(game.to_dict())

    def played(self, orders, result, game):
        self.games.append(game.to_dict())
        self.last = result

    def failed(self, error): ...

    def skipped(self, error): ...

    def ended(self, record):
        self.record = record


class Both:
    """An observer that passes all calls on to several observers."""

    def __init__(self, *observers) -> None:
        self.observers = observers

    def __getattr__(self, name):
        def tell(*arguments):
            for observer in self.observers:
                getattr(observer, name)(*arguments)

        return tell


def play_logged(path: Path, specs=("random", "aggressive"), seed: int = 1, **options) -> GameLog:
    """Play a game between bots and load its log."""
    agents = [make_agent(spec, seed + seat) for seat, spec in enumerate(specs)]
    players = [describe(spec, seed + seat) for seat, spec in enumerate(specs)]
    with LogWriter(path, players, insight=options.pop("insight", False)) as writer:
        play_game(agents, seed=seed, observer=writer, **options)
    return GameLog.load(path)


def read_text(path: Path) -> str:
    """Return the uncompressed text of a log."""
    data = path.read_bytes()
    return (gzip.decompress(data) if path.name.endswith(".gz") else data).decode()


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the parsed lines of a log."""
    return [json.loads(line) for line in read_text(path).split("\n")[:-1]]


def read_positions(path: Path) -> Iterator[tuple[list[int], list[int], str]]:
    """Yield the owners, armies and hash at the start and after each pick and round."""
    for event in read_lines(path)[1:]:
        if event["event"] == "start":
            owner, army = event["owner"], event["army"]
        elif event["event"] in ("picks", "round"):
            for region, by, armies in event["changed"]:
                owner[region], army[region] = by, armies
        else:
            continue
        yield list(owner), list(army), event["hash"]


def follow_moves(event: dict[str, Any], owner: list[int], army: list[int]) -> None:
    """Execute a round's deploys and moves on a position, by the same rules as the page."""
    dropped = {(player, index) for player, kind, index, *_ in event.get("dropped", ()) if kind == "deploy"}
    for player, orders in enumerate(event["orders"]):
        for index, (region, armies) in enumerate(orders["deploys"] if orders else ()):
            if (player, index) not in dropped:
                army[region] += armies
    for player, source, target, armies, *battle in event["moves"]:
        army[source] -= armies
        if not battle:
            army[target] += armies
            continue
        lost, killed, captured = battle
        if captured:
            owner[target], army[target] = player, armies - lost
        else:
            army[source] += armies - lost
            army[target] -= killed


def hash_of(game: Game) -> str:
    """Compute the hash of a position from the saved form of the game."""
    s = game.to_dict()["state"]
    n, players = len(s["owner"]), len(s["eliminated_at"])
    numbers = (
        struct.pack(f"<{n}b", *s["owner"]),
        struct.pack(f"<{n}i", *s["army"]),
        struct.pack(f"<{n}B", *s["offers"]),
        struct.pack("<ibi", s["round"], s["phase"], s["turn"]),
        struct.pack(f"<{players}i", *s["eliminated_at"]),
        struct.pack("<b", s["winner"]),
        struct.pack("<2Q", *s["rng"]),
    )
    return blake2b(b"".join(numbers), digest_size=8).hexdigest()


def put(*place: Any) -> Callable[[Any], None]:
    """Return a function that sets a value in JSON data. place: the keys and indices of the value, then the value."""
    *path, key, value = place

    def change(data: Any) -> None:
        for step in path:
            data = data[step]
        data[key] = value

    return change
