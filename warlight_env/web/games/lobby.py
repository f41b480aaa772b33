"""The class `Lobby`, which creates, saves and loads the games of a server, and finds games by their tokens."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import re
import secrets
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal
from weakref import WeakValueDictionary

from warlight_env.engine.rules import Rules
from warlight_env.game import Game
from warlight_env.maps import Map
from warlight_env.protocol.view_transfer import WorkerSetup
from warlight_env.record import Player, describe
from warlight_env.record.names import PLAIN
from warlight_env.web.access.auth import token_error, tokens_equal
from warlight_env.web.documents.fog_filter import SPECTATOR
from warlight_env.web.errors import RequestError
from warlight_env.web.games import game_loop, turn_commands
from warlight_env.web.games.game_list import GameList, Row
from warlight_env.web.games.room import PACE, Room, Seat
from warlight_env.web.games.turn_clock import TurnClock
from warlight_env.web.storage.cleanup import abandoned_games, delete_files
from warlight_env.web.storage.game_folder import DiskError, GameFolder
from warlight_env.web.storage.game_log import GameLogWriter
from warlight_env.web.storage.saved_game import SEATS, SavedGame, read_saved_game, write_saved_game
from warlight_env.web.workers import worker_tasks
from warlight_env.web.workers.analysis_jobs import AnalysisJobs
from warlight_env.web.workers.bot_workers import BotWorkers, ConcurrencyLimit
from warlight_env.web.workers.process_pool import ProcessPool
from warlight_env.web.workers.win_curves import WinCurves
from warlight_env.web.workers.worker_tasks import LoadedGame, LogSource, bundled_drawing, log_path, row

MAX_BYTES: Final = 256 << 20  # maximum bytes of all games in memory, with their logs and their viewers' texts
DELETE_INTERVAL: Final = 3600.0  # seconds between two searches for abandoned games on disk
_ID: Final = re.compile(r"[a-z0-9]{8,32}")


@dataclass(frozen=True)
class Access:
    """The access that a token gives: to a seat's view, to a spectator's view (SPECTATOR), or to everything (None)."""

    room: Room
    seat: int | None

    @property
    def sees_all(self) -> bool:
        """Whether the token's owner may see everything in the game."""
        return self.seat is None or self.room.over

    def player(self) -> int:
        """Return the seat that the token plays; raise `RequestError` for a token that only watches."""
        if self.seat is None or self.seat == SPECTATOR:
            raise RequestError("this token is only for watching", 403, code="looking-only")
        return self.seat


@dataclass(frozen=True)
class SeatOptions:
    """Options of the seats of a new game.

    Attributes:
        friends: the seats of invited people.
        clock: the time limit of a turn in seconds, see `TurnClock`; None: there is no limit.
    """

    friends: frozenset[int] = frozenset()
    clock: int | None = None


DEFAULT_SEAT_OPTIONS: Final = SeatOptions()


class Lobby:
    """The games in the folder of a server. Games that have viewers or that were used recently are in memory.

    Args:
        home: the folder with the logs of games and with private files of tokens; `close` releases the folder.
        max_rooms: the maximum number of games in memory; new games replace games without viewers.
        workers: the number of processes that run bots.

    Attributes:
        max_bytes: the maximum size in bytes of all games in memory. Above this size, games without viewers are removed
            from memory, but not from disk.
        concurrency_limit: the limit of concurrent bot queries.
        analysis_jobs: the jobs that analyse games.
        win_curves: computes the win probabilities of the positions of finished games.
    """

    def __init__(self, home: GameFolder, max_rooms: int = 100, workers: int = 2) -> None:
        self.home, self.folder, self.max_rooms, self.max_bytes = home, home.path, max_rooms, MAX_BYTES
        self.bot_workers = BotWorkers(workers)
        self.concurrency_limit = ConcurrencyLimit()
        self.process_pool = ProcessPool()
        self.analysis_jobs = AnalysisJobs()
        self.win_curves = WinCurves(self.process_pool)
        self.game_list = GameList(home.path, self.process_pool, self._rows)
        self._change_locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._rooms: dict[str, Room] = {}
        self._resuming: dict[str, asyncio.Task[Room]] = {}
        self._deleting: set[str] = set()  # requests for these games get the answer that they do not exist
        self._rematch_lock = asyncio.Lock()
        self._rooms_made = 0
        self._last_cleanup = -DELETE_INTERVAL
        self._reserved = 0  # games that are being made or read, and will soon be in memory

    # Creating games

    async def create_game(
        self,
        players: Sequence[tuple[str, str | None]],
        map_: Map,
        rules: Rules,
        seed: int | None = None,
        picks: Literal["play", "random"] = "play",
        pace: float = PACE,
        drawing: bytes | None = None,
        seat_options: SeatOptions = DEFAULT_SEAT_OPTIONS,
    ) -> Room:
        """Make a new game, and start it.

        Args:
            players: for each seat, the player's name, and the specification of its bot (None for a person).
            drawing: the drawing of the map as JSON; None: the drawing is made from the map.
        """
        game_seed = secrets.randbits(53) if seed is None else seed
        make_game = functools.partial(Game, map_, rules, len(players), game_seed, picks)
        async with self._reserve_place():
            seats = self._new_seats(players, seat_options.friends)
            room = await self._room(secrets.token_hex(6), seats, make_game, pace, drawing=drawing)
            room.clock = TurnClock(seat_options.clock)
            return await self._open(room, lambda: room.log.began(room.game, room.log.seat_states, room.limit))

    async def create_rematch(self, room: Room) -> tuple[Room, bool]:
        """Make a rematch of a game: the same players, seats, map and rules, with other dice.

        All players receive the rematch's address, each with the token of its seat. If the rematch exists already,
        return the existing game. The second returned value is whether the rematch is new.
        """
        async with self._rematch_lock:  # two requests at once get the same game
            if room.rematch is not None and (existing := await self._find_room(room.rematch)) is not None:
                room.rematch_saved = existing.saved_game
                return existing, False
            players = [(seat.name, seat.spec) for seat in room.seats]
            seat_options = SeatOptions(frozenset(room.friends), room.clock.seconds)
            game, picks, drawing = room.game, room.header.game_picks, await self.drawing(room)
            rematch = await self.create_game(
                players, game.map, game.rules, None, picks, room.pace, drawing, seat_options
            )
            room.rematch, room.rematch_saved = rematch.id, rematch.saved_game
        if await self._saved_game_of(room.id) is not None and room.id not in self._deleting:  # not deleted meanwhile
            with contextlib.suppress(DiskError):  # on an error, the rematch is only known until the server ends
                room.save()
        room.wake()
        return rematch, True

    async def _find_room(self, id: str) -> Room | None:
        """Return a game of the folder, and load the game if it is not in memory; None if the game has been deleted."""
        if id in self._rooms:
            return self._rooms[id]
        saved = await asyncio.to_thread(read_saved_game, self.folder, id)
        return None if saved is None or id in self._deleting else await self._resume_once(id)

    async def _saved_game_of(self, id: str) -> SavedGame | None:
        """Return the saved data of a game without loading the game; None if it is missing or damaged."""
        if id in self._rooms:
            return self._rooms[id].saved_game
        with contextlib.suppress(RequestError):
            return await asyncio.to_thread(read_saved_game, self.folder, id)
        return None

    async def branch(self, source: LogSource, rounds: int, players: Sequence[tuple[str, str | None]]) -> Room:
        """Make a new game from a log's position after `rounds` rounds; the players may differ from those of the log."""
        seats = self._new_seats(players)
        async with self._reserve_place():
            loaded: LoadedGame = await self.process_pool.long(
                worker_tasks.branch_game, source, rounds, _logged_players(seats)
            )
            room = await self._room(secrets.token_hex(6), seats, functools.partial(Game.from_dict, loaded.saved))
            return await self._open(room, lambda: room.log.load(loaded.header, loaded.lines, loaded.complete))

    def _new_seats(
        self, players: Sequence[tuple[str, str | None]], friends: frozenset[int] = frozenset()
    ) -> list[Seat]:
        return [
            Seat(name, spec, secrets.token_urlsafe(18), friend=spec is None and seat in friends)
            for seat, (name, spec) in enumerate(players)
        ]

    async def _room(
        self,
        id: str,
        seats: list[Seat],
        make_game: Callable[[], Game],
        pace: float = PACE,
        watch_token: str | None = None,
        drawing: bytes | None = None,
    ) -> Room:
        """Make a room. `make_game`: makes the game, in a thread, because a large map takes long."""

        def make() -> tuple[Game, WorkerSetup]:
            game = make_game()
            return game, WorkerSetup.for_game(game.map, game.rules, game.players)

        game, setup = await asyncio.to_thread(make)
        log = GameLogWriter(self.folder / f"{id}{PLAIN}", _logged_players(seats))
        is_watched = all(seat.spec is not None for seat in seats)
        token = watch_token or (secrets.token_urlsafe(18) if is_watched else None)
        self._rooms_made += 1
        room = Room(
            id,
            seats,
            game,
            log,
            setup,
            self.bot_workers,
            token,
            pace,
            drawing=drawing,
            number=self._rooms_made * len(seats),
        )
        room.spectate_token = None if is_watched else secrets.token_urlsafe(18)
        return room

    async def _open(self, room: Room, begin: Callable[[], None]) -> Room:
        """Start a room. `begin` records the first lines of the log. A thread saves these lines."""

        def write() -> None:
            try:
                begin()
                room.log.save()
                room.save()
            except DiskError:
                room.log.close()
                with contextlib.suppress(OSError):
                    room.log.partial.unlink(missing_ok=True)
                raise

        await asyncio.to_thread(write)
        self._rooms[room.id] = room
        game_loop.start(room)
        return room

    @contextlib.asynccontextmanager
    async def _reserve_place(self) -> AsyncIterator[None]:
        """Reserve a place in memory for a game that is being made or read.

        Raises:
            RequestError: no place is free, because all games have viewers or are being made.
        """
        while (has_max_rooms := len(self._rooms) + self._reserved >= self.max_rooms) or self.size >= self.max_bytes:
            if not await self._evict_one():
                usage = f"{self.max_rooms} games" if has_max_rooms else f"games of {self.max_bytes >> 20} MiB"
                text = f"the server has {usage}, and all are in use: try again later"
                if has_max_rooms:
                    raise RequestError(text, 429, code="games-full", n=self.max_rooms)
                raise RequestError(text, 429, code="memory-full", size=self.max_bytes >> 20)
        self._reserved += 1
        try:
            yield
        finally:
            self._reserved -= 1

    async def _evict_one(self) -> bool:
        """Remove from memory (not from disk) the least recently used game without viewers. False: there is none."""
        idle = [room for room in self._rooms.values() if not room.feed.viewers]
        if not idle:
            return False
        await self._evict(min(idle, key=lambda room: room.last_activity))
        return True

    async def _evict(self, room: Room) -> None:
        if room.id not in self._deleting:
            self.game_list.keep(room.id, _row_of(room))
        del self._rooms[room.id]
        await game_loop.stop(room)

    def control(self, room: Room, paused: bool | None = None, pace: float | None = None) -> None:
        """Pause or continue a game between bots, or change its pace. The new state and pace are saved with the game.

        Raises:
            DiskError: the change could not be saved; nothing has changed.
        """
        settings = {"paused": paused, "pace": None if pace is None else max(0.05, pace)}
        self._change(room, {name: value for name, value in settings.items() if value is not None})
        room.wake()

    def _change(self, room: Room, values: dict[str, Any]) -> None:
        """Change attributes of a room, and save them with the game. After a `DiskError`, nothing has changed."""
        before = {name: getattr(room, name) for name in values}
        vars(room).update(values)
        try:
            room.save()
        except DiskError:
            vars(room).update(before)
            raise

    # Finding games

    async def find(self, id: str, token: str, *, guest: bool = False) -> Access:
        """Return the game and the access that the token gives; load the game if it is not in memory.

        guest: the client does not have the server's token, so only tokens of invitations give access.

        Raises:
            RequestError: there is no such game, or the token is not one of its tokens.
        """
        error = token_error() if guest else _no_such_game()
        if not _ID.fullmatch(id):
            raise error
        room = self._rooms.get(id)
        if room is None:
            saved = await asyncio.to_thread(read_saved_game, self.folder, id)
            if saved is None or not (saved.invites(token) or (not guest and saved.accepts_token(token))):
                raise error
            room = self._rooms.get(id) or await self._resume_once(id)
        if guest and not room.saved_game.invites(token):
            raise error
        if room.spectate_token is not None and tokens_equal(room.spectate_token, token):
            return Access(room, SPECTATOR)
        for seat, player in enumerate(room.seats):
            if player.spec is None and tokens_equal(player.token, token):
                return Access(room, seat)
        if room.watch_token is not None and tokens_equal(room.watch_token, token):
            return Access(room, None)
        raise error

    async def _resume_once(self, id: str) -> Room:
        """Return a game from disk, loaded once for all concurrent requests; `RequestError` if it is being deleted."""
        if id in self._deleting:
            raise _no_such_game()
        if id not in self._resuming:
            self._resuming[id] = asyncio.ensure_future(self._resume(id))
            self._resuming[id].add_done_callback(lambda _: self._resuming.pop(id))
        return await asyncio.shield(self._resuming[id])

    async def _resume(self, id: str) -> Room:
        async with self._reserve_place():
            # Read the file again, because the game may have been deleted in the meantime.
            saved = await asyncio.to_thread(read_saved_game, self.folder, id)
            if saved is None:
                raise _no_such_game()
            data = await asyncio.to_thread(lambda: log_path(self.folder, id).read_bytes())
            loaded: LoadedGame = await self.process_pool.short(worker_tasks.load_game, data)
            make_game = functools.partial(Game.from_dict, loaded.saved)
            if len(saved.seats) != len(loaded.header.players):
                raise RequestError(f"the file {id}{SEATS} does not belong to the game in the log", 500)
            seats = [Seat(*row, friend=seat in saved.friends) for seat, row in enumerate(saved.seats)]
            room = await self._room(id, seats, make_game, saved.pace, saved.watch)
            room.paused, room.name, room.rematch = saved.paused, saved.name, saved.rematch
            room.opened_before = saved.opened
            room.spectate_token, room.clock = saved.spectate, TurnClock(saved.clock)
            room.resignations.from_log(loaded.failures, loaded.draw)
            await asyncio.to_thread(room.log.load, loaded.header, loaded.lines, loaded.complete, on_disk=True)
            room.log.variations = loaded.variations
            turn_commands.load(room)
            if saved.rematch is not None:
                room.rematch_saved = await self._saved_game_of(saved.rematch)
            if id in self._deleting:
                await game_loop.stop(room)
                raise _no_such_game()
            self._rooms[id] = room
            game_loop.start(room)
            return room

    # Changing saved games

    async def rename(self, id: str, token: str, name: str) -> None:
        """Give a game a name, or none ('').

        Raises:
            RequestError: see `_authorized_game`. DiskError: the name could not be saved; nothing has changed.
        """
        saved = await self._authorized_game(id, token)
        if id in self._resuming:
            await asyncio.wait([self._resuming[id]])
        room = self._rooms.get(id)
        if room is None and id in self._deleting:
            raise _no_such_game()
        if room is None:  # in the event loop: no other task changes the file meanwhile
            write_saved_game(self.folder, id, replace(saved, name=name))
            self.game_list.set_name(id, name)
        else:
            self._change(room, {"name": name})

    async def delete(self, id: str, token: str) -> None:
        """Delete a game from the folder for good, and disconnect its viewers.

        Raises:
            RequestError: see `_authorized_game`. DiskError: the system refuses the deletion.
        """
        await self._authorized_game(id, token)
        await self._delete_game(id)

    async def _delete_game(self, id: str) -> None:
        """Remove a game from memory and from the folder. Requests during the deletion do not find the game."""
        self._deleting.add(id)
        try:
            if id in self._resuming:
                await asyncio.wait([self._resuming[id]])
            if id in self._rooms:
                await self._evict(self._rooms[id])
            async with self.change_lock(id):  # a change of the variations that has begun would write the log again
                await asyncio.to_thread(delete_files, self.folder, id)
            for room in self._rooms.values():
                if room.rematch == id:
                    room.rematch_saved = None
                    room.feed.notify()
        finally:
            self._deleting.discard(id)

    async def _authorized_game(self, id: str, token: str) -> SavedGame:
        """Return the saved data of a game, without loading the game.

        The token must belong to a seat of a person, or give the right to watch a game between bots.

        Raises:
            RequestError: the game does not exist, or the token gives neither right.
        """
        saved = None
        if _ID.fullmatch(id):
            room = self._rooms.get(id)
            saved = await asyncio.to_thread(read_saved_game, self.folder, id) if room is None else room.saved_game
        if saved is None or not saved.accepts_token(token) or id in self._deleting:
            raise _no_such_game()
        return saved

    async def current(self, id: str) -> Room:
        """Return the game's room in memory. A room that a request found earlier may have left the memory since then.

        Raises:
            RequestError: the game was deleted.
        """
        room = await self._find_room(id)
        if room is None:
            raise _no_such_game()
        return room

    # Data of a game

    def change_lock(self, id: str) -> asyncio.Lock:
        """Return the lock for changes of the variations of a game, or of a study.

        The lock exists as long as a task holds it or waits for it, so use it only as ``async with change_lock(id)``.
        """
        return self._change_locks.setdefault(id, asyncio.Lock())

    def source(self, room: Room) -> LogSource:
        """Return the current log of a room without its variations, and the log's key."""
        return LogSource(f"{room.id}/{room.log.events}", b"".join(line + b"\n" for line in room.log.lines))

    async def drawing(self, room: Room) -> bytes:
        """Return the drawing of a room's map as JSON."""
        if room.drawing is None:
            map_ = room.game.map
            if isinstance(room.setup.map, str):  # bundled: fast, and cached for all games
                room.drawing = await asyncio.to_thread(bundled_drawing, room.setup.map)
            else:
                room.drawing = await self.process_pool.short(worker_tasks.map_drawing_json, map_)
        return room.drawing

    # Lists of games

    def _rows(self) -> dict[str, Row]:
        """Return the list entries of the games in memory."""
        return {room.id: _row_of(room) for room in self._rooms.values()}

    async def evict_idle(self, idle: float = 600.0) -> None:
        """Remove games from memory that had no viewer for `idle` seconds, and the oldest games above the byte limit.

        Games that no person has opened or named are also deleted from disk. From time to time, the disk is searched for
        further games in which no person did anything.
        """
        for room in list(self._rooms.values()):
            if not room.feed.viewers and time.monotonic() - room.last_activity > idle and room.id in self._rooms:
                if room.begun or room.name or room.paused or room.friends or room.was_opened:
                    await self._evict(room)
                else:
                    await self._delete_game(room.id)
        if time.monotonic() - self._last_cleanup > DELETE_INTERVAL:
            self._last_cleanup = time.monotonic()
            await self.delete_abandoned(time.time())
        while self.size > self.max_bytes and await self._evict_one():
            pass

    async def delete_abandoned(self, now: float) -> None:
        """Delete abandoned games on disk, see `abandoned_games`."""
        for id in await self.game_list.in_thread(abandoned_games, self.folder, now):
            if id not in self._rooms and id not in self._resuming:
                await self._delete_game(id)

    @property
    def rooms(self) -> int:
        """The number of games in memory."""
        return len(self._rooms)

    @property
    def size(self) -> int:
        """The size in bytes of all games in memory."""
        return sum(room.log.size + room.feed.size for room in self._rooms.values())

    async def close(self) -> None:
        """Stop all games at their current positions."""
        for room in list(self._rooms.values()):
            await game_loop.stop(room)
        self._rooms.clear()
        self.game_list.close()
        await self.bot_workers.close()
        await self.analysis_jobs.close()
        await self.win_curves.close()
        self.process_pool.close()
        self.home.release()


def _no_such_game() -> RequestError:
    return RequestError("there is no such game, or the link has a wrong token", 404, code="no-game")


def _row_of(room: Room) -> Row:
    """Return the list entry of a game in memory."""
    return row(
        room.saved_game,
        room.header,
        room.game.round,
        room.resignations.end(room.game).winner if room.log.complete else None,
        over=room.log.complete,
        begun=room.begun or bool(room.friends) or room.was_opened,
    )


def _logged_players(seats: Sequence[Seat]) -> list[Player]:
    return [Player(seat.name) if seat.spec is None else replace(describe(seat.spec), name=seat.name) for seat in seats]
