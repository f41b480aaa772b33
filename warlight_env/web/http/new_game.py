"""Validation of the request for a new game, and descriptions of the game for its creator and its other players."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

from warlight_env import maps
from warlight_env.engine.rules import PRESETS, Rules
from warlight_env.maps import Map
from warlight_env.web.errors import RequestError
from warlight_env.web.games.lobby import SeatOptions
from warlight_env.web.games.room import Room
from warlight_env.web.maps.map_store import MapStore
from warlight_env.web.requests import NewGame, NewStudyBody
from warlight_env.web.workers import worker_tasks
from warlight_env.web.workers.process_pool import ProcessPool


def map_seed(seed: int | None) -> int:
    """Return a seed for a generated map, derived from the game's seed; random if the game's seed is None.

    All players see the map's seed, because the map's name contains it. The map's seed must not reveal the game's own
    seed, which determines the dice.
    """
    if seed is None:
        return secrets.randbits(53)
    return int.from_bytes(hashlib.sha256(f"map of {seed}".encode()).digest()[:6])


def rules_of(body: NewGame | NewStudyBody) -> Rules:
    """Return the preset of rules that a request names, with or without fog."""
    if body.rules not in PRESETS:
        raise RequestError(f"no rules {body.rules!r}; there are {', '.join(PRESETS)}")
    return Rules.of(body.rules, fog=body.fog) if body.fog != PRESETS[body.rules].fog else Rules.of(body.rules)


async def map_of(
    process_pool: ProcessPool, map_store: MapStore, body: NewGame | NewStudyBody, seed: int
) -> tuple[Map, bytes | None]:
    """Return the requested map, generated from a seed, bundled or drawn by a user; a generated map has its drawing."""
    if body.map == "generated":
        generated: tuple[Map, bytes] = await process_pool.long(worker_tasks.generate_map, body.regions, seed)
        return generated
    if body.map in maps.names():
        return maps.load(body.map), None
    drawn_map = await map_store.find(body.map) if map_store.may_be(body.map) else None
    if drawn_map is None:
        choices = f"{', '.join(maps.names())}, generated, and the maps that users drew on this server"
        raise RequestError(f"no map {body.map!r}; there are {choices}", code="no-map", name=body.map)
    return drawn_map, None


def creation_response(room: Room) -> dict[str, Any]:
    """Return a new game's description for its creator, with the tokens of seats, of invited players and of viewers."""
    people = {seat: player for seat, player in enumerate(room.seats) if player.spec is None}
    return {
        "id": room.id,
        "kind": room.kind,
        "tokens": {seat: player.token for seat, player in people.items() if not player.friend},
        "invites": {seat: player.token for seat, player in people.items() if player.friend},
        "spectate": room.spectate_token,
        "watch": room.watch_token,
    }


def join_response(room: Room, seat: int) -> dict[str, Any]:
    """Return a game's description for an invited player: only the token of this player's seat."""
    return {**creation_response(room), "tokens": {seat: room.seats[seat].token}, "invites": {}}


def seat_options_of(body: NewGame) -> SeatOptions:
    """Return the seats of invited players, and the time limit of people's turns.

    Raises:
        RequestError: all people of the game are invited, or people who share a screen would share a clock.
    """
    friends = frozenset(seat for seat, player in enumerate(body.players) if player.friend and player.bot is None)
    local_seats = [seat for seat, player in enumerate(body.players) if player.bot is None and seat not in friends]
    if friends and not local_seats:
        raise RequestError("to invite friends, you must play in the game", code="no-host")
    if body.clock is not None and len(local_seats) > 1:
        raise RequestError("a hotseat game cannot have a clock: its players would share the time", code="shared-clock")
    return SeatOptions(friends, body.clock)
