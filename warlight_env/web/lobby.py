"""All games of a server: made, found by their tokens, kept on disk and taken up again."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import re
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from warlight_env.engine.rules import Rules
from warlight_env.game import Game
from warlight_env.maps import Map
from warlight_env.record import LogError, Player, describe, summarize
from warlight_env.record.names import PARTIAL, PLAIN
from warlight_env.web import clerk
from warlight_env.web.book import Book
from warlight_env.web.clerk import Source, Taken, bundled_drawing
from warlight_env.web.desk import Desk
from warlight_env.web.disk import DiskError, write_private
from warlight_env.web.errors import RequestError
from warlight_env.web.folder import Folder
from warlight_env.web.guard import same
from warlight_env.web.room import PACE, Room, Seat
from warlight_env.web.thinking import Thinkers
from warlight_env.web.worker import Setup

SEATS: Final = ".seats.json"
_ID: Final = re.compile(r"[a-z0-9]{8,32}")


@dataclass(frozen=True)
class Access:
    """What a token gives access to: a seat, or (None) everything that there is to see."""

    room: Room
    seat: int | None


class Lobby:
    """The games in a folder.

    Args:
        home: for logs, and for the tokens beside them (readable by their owner alone); released by `close`.
        max_rooms: games in memory at once; those that nobody looks at make room for new ones.
        workers: processes that think.
    """

    def __init__(self, home: Folder, max_rooms: int = 100, workers: int = 2) -> None:
        self.home, self.folder, self.max_rooms = home, home.path, max_rooms
        self.thinkers = Thinkers(workers)
        self.desk = Desk()
        self._rooms: dict[str, Room] = {}
        self._resuming: dict[str, asyncio.Task[Room]] = {}
        self._made = 0

    # Making

    async def make(
        self,
        players: Sequence[tuple[str, str | None]],
        map_: Map,
        rules: Rules,
        seed: int | None = None,
        picks: Literal["play", "random"] = "play",
        pace: float = PACE,
        drawing: bytes | None = None,
    ) -> Room:
        """A new game for (name, bot's spec or None) by seat; `drawing`: of the map as JSON, where there is one."""
        chosen = secrets.randbits(53) if seed is None else seed
        new = functools.partial(Game, map_, rules, len(players), chosen, picks)
        room = await self._room(secrets.token_hex(6), self._new_seats(players), new, pace, drawing=drawing)
        await self._make_room()
        room.book.began(room.game, room.book.stands, room.limit)
        self._open(room)
        return room

    async def branch(self, source: Source, rounds: int, players: Sequence[tuple[str, str | None]]) -> Room:
        """Play on from a log's position after so many rounds, with other players if you like."""
        seats = self._new_seats(players)
        taken: Taken = await self.desk.long(clerk.branched, source, rounds, _described(seats))
        room = await self._room(secrets.token_hex(6), seats, functools.partial(Game.from_dict, taken.saved))
        await self._make_room()
        room.book.take_up(taken.header, taken.lines, taken.complete)
        self._open(room)
        return room

    def _new_seats(self, players: Sequence[tuple[str, str | None]]) -> list[Seat]:
        return [Seat(name, spec, secrets.token_urlsafe(18)) for name, spec in players]

    async def _room(
        self,
        id: str,
        seats: list[Seat],
        new: Callable[[], Game],
        pace: float = PACE,
        watch_token: str | None = None,
        drawing: bytes | None = None,
    ) -> Room:
        """`new`: makes the game, in a thread: on a large map that takes its time."""

        def made() -> tuple[Game, Setup]:
            game = new()
            return game, Setup.of(game.map, game.rules, game.players)

        game, setup = await asyncio.to_thread(made)
        book = Book(self.folder / f"{id}{PLAIN}", _described(seats))
        watched = all(seat.spec is not None for seat in seats)
        token = watch_token or (secrets.token_urlsafe(18) if watched else None)
        self._made += 1
        return Room(
            id, seats, game, book, setup, self.thinkers, token, pace, drawing=drawing, number=self._made * len(seats)
        )

    def _open(self, room: Room) -> None:
        try:
            room.book.save()
            self._write_seats(room)
        except DiskError:
            room.book.close()
            with contextlib.suppress(OSError):
                room.book.partial.unlink(missing_ok=True)
            raise
        self._rooms[room.id] = room
        room.start()

    def _write_seats(self, room: Room) -> None:
        data = {
            "seats": [[seat.name, seat.spec, seat.token] for seat in room.seats],
            "watch": room.watch_token,
            "pace": room.pace,
        }
        write_private(self.folder / f"{room.id}{SEATS}", json.dumps(data).encode())

    async def _make_room(self) -> None:
        """Let go of the games that were looked at longest ago, if there are too many."""
        while len(self._rooms) >= self.max_rooms:
            idle = [room for room in self._rooms.values() if not room.feed.viewers]
            if not idle:
                raise RequestError(f"there are {self.max_rooms} games already, and all are looked at", 429)
            room = min(idle, key=lambda room: room.touched)
            del self._rooms[room.id]
            await room.stop()

    # Finding

    async def find(self, id: str, token: str) -> Access:
        """The game, and what the token may see of it; games on disk are taken up again.

        Raises:
            RequestError: there is no such game, or the token is not one of its tokens.
        """
        wrong = RequestError("no such game, or its token is another", 404)
        if not _ID.fullmatch(id):
            raise wrong
        room = self._rooms.get(id)
        if room is None:
            tokens = self._read_seats(id)
            if tokens is None or not _knows(tokens, token):
                raise wrong
            if id not in self._resuming:  # one for all who ask meanwhile
                self._resuming[id] = asyncio.ensure_future(self._resume(id, tokens))
                self._resuming[id].add_done_callback(lambda _: self._resuming.pop(id))
            room = await asyncio.shield(self._resuming[id])
        for seat, there in enumerate(room.seats):
            if there.spec is None and same(there.token, token):
                return Access(room, seat)
        if room.watch_token is not None and same(room.watch_token, token):
            return Access(room, None)
        raise wrong

    def _read_seats(self, id: str) -> dict[str, Any] | None:
        path = self.folder / f"{id}{SEATS}"
        try:
            data: dict[str, Any] = json.loads(path.read_text())
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise RequestError(f"{path.name} cannot be read: {error}", 500) from None
        return data

    async def _resume(self, id: str, data: dict[str, Any]) -> Room:
        path = self.path(id)
        taken: Taken = await self.desk.short(clerk.resumed, await asyncio.to_thread(path.read_bytes))
        new = functools.partial(Game.from_dict, taken.saved)
        room = await self._room(id, [Seat(*row) for row in data["seats"]], new, data["pace"], data["watch"])
        await self._make_room()
        room.book.take_up(taken.header, taken.lines, taken.complete, kept=True)
        room.take_back()
        self._rooms[id] = room
        room.start()
        return room

    def path(self, id: str) -> Path:
        """The log of a game, finished or not."""
        whole = self.folder / f"{id}{PLAIN}"
        return whole if whole.exists() else self.folder / f"{id}{PARTIAL}{PLAIN}"

    # What is told of a game

    def source(self, room: Room) -> Source:
        """A room's log as it stands."""
        return Source(f"{room.id}/{room.book.events}", b"".join(line + b"\n" for line in room.book.lines))

    async def drawing(self, room: Room) -> bytes:
        """The drawing of a room's map as JSON."""
        if room.drawing is None:
            map_ = room.game.map
            if isinstance(room.setup.map, str):  # bundled: soon done, and once for all games
                room.drawing = await asyncio.to_thread(bundled_drawing, room.setup.map)
            else:
                room.drawing = await self.desk.short(clerk.drawn, map_)
        return room.drawing

    # Lists

    def recent(self, most: int = 20) -> list[dict[str, Any]]:
        """The games of the folder, the newest first: what a list shows.

        Nobody gets the token of a seat here: they are with those who made the game. ``watch``, of games between bots,
        shows nothing that is secret.
        """
        found = []
        for path in sorted(self.folder.glob(f"*{SEATS}"), key=_age)[:most]:
            id = path.name.removesuffix(SEATS)
            with contextlib.suppress(LogError, OSError, ValueError, KeyError):
                data = json.loads(path.read_text())
                summary = summarize(self.path(id))
                found.append(
                    {
                        "id": id,
                        "players": [row[0] for row in data["seats"]],
                        "watch": data["watch"],
                        "map": summary.header.map.title or summary.header.map.name,
                        "rounds": summary.rounds,
                        "fog": summary.header.rules.fog,
                        "over": summary.end is not None,
                        "winner": None if summary.end is None else summary.end.winner,
                        "when": int(path.stat().st_mtime),
                    }
                )
        return found

    async def sweep(self, idle: float = 600.0) -> None:
        """Let go of games that nobody has looked at for so many seconds; they stay on disk."""
        for room in list(self._rooms.values()):
            if not room.feed.viewers and time.monotonic() - room.touched > idle:
                del self._rooms[room.id]
                await room.stop()

    @property
    def rooms(self) -> int:
        """Games in memory."""
        return len(self._rooms)

    async def close(self) -> None:
        """Stop all games where they are."""
        for room in list(self._rooms.values()):
            await room.stop()
        self._rooms.clear()
        await self.thinkers.close()
        self.desk.close()
        self.home.release()


def _described(seats: Sequence[Seat]) -> list[Player]:
    return [Player(seat.name) if seat.spec is None else _bot(seat.name, seat.spec) for seat in seats]


def _bot(name: str, spec: str) -> Player:
    told = describe(spec)
    return Player(name, told.spec, told.parameters)


def _knows(data: dict[str, Any], token: str) -> bool:
    tokens = [row[2] for row in data["seats"] if row[1] is None] + [data["watch"] or ""]
    return any(same(known, token) for known in tokens if known)


def _age(path: Path) -> float:
    return -path.stat().st_mtime
