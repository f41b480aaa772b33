"""Confirmed turns and rounds are on disk: they survive the server's end, and a full disk causes only delays."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from warlight_env import Rules, maps
from warlight_env.engine.orders import Orders
from warlight_env.record import GameLog, verify
from warlight_env.web.errors import RequestError
from warlight_env.web.games import game_loop, turn_clock
from warlight_env.web.games.lobby import Lobby, SeatOptions
from warlight_env.web.games.room import Room
from warlight_env.web.http.app import create_app
from warlight_env.web.http.settings import ServerSettings
from warlight_env.web.storage.game_folder import DiskError, GameFolder
from warlight_env.web.storage.saved_game import SavedGame

TWO = [("Ann", None), ("Bo", None)]


class Disk:
    """Stands in for a file system that fills up: writes take what fits, like a real one, and then fail."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.free = 10**9
        self.write = os.write
        monkeypatch.setattr(os, "write", self.take)
        monkeypatch.setattr(game_loop, "RETRY", 0.01)

    def take(self, file: int, data: Any) -> int:
        """As `os.write`."""
        if not os.path.isfile(f"/proc/self/fd/{file}"):
            return self.write(file, data)
        if self.free == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        part = bytes(data)[: self.free]
        self.free -= len(part)
        return self.write(file, part)


async def until(what: Callable[[], Any]) -> None:
    async with asyncio.timeout(30):
        while not what():
            await asyncio.sleep(0.005)


async def begun(folder: Path, picks: Any = "random") -> tuple[Lobby, Room]:
    lobby = Lobby(GameFolder(folder), workers=1)
    return lobby, await lobby.create_game(TWO, maps.load("small"), Rules.of("thesis"), seed=1, picks=picks)


def commit(room: Room, *seats: int) -> None:
    for seat in seats:
        room.submit_orders(seat, room.game.round + 1, Orders())


async def watch(room: Room, seat: int, told: list[dict[str, Any]]) -> None:
    async for text in room.feed.follow(seat, -1):
        told.append(json.loads(text))


@pytest.mark.parametrize("free", [0, 40])
def test_no_round_is_shown_that_is_not_on_disk_and_the_game_goes_on(
    free: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    disk = Disk(monkeypatch)

    async def run() -> None:
        lobby, room = await begun(tmp_path)
        told: list[dict[str, Any]] = []
        watching = asyncio.create_task(watch(room, 0, told))
        commit(room, 0, 1)
        await until(lambda: room.game.round == 1)
        whole = room.log.partial.read_bytes()
        keep = room.turns.save
        room.turns.save = lambda *_: None  # type: ignore[method-assign]
        commit(room, 0, 1)
        disk.free = free  # the round no longer fits, or only its beginning
        await until(lambda: told and told[-1].get("error"))
        assert "No space left on device" in told[-1]["error"]
        assert str(tmp_path) not in told[-1]["error"]
        await asyncio.sleep(0.1)
        assert room.log.partial.read_bytes() == whole
        assert room.game.round == len(GameLog.load(room.log.partial).rounds) == 1
        assert max(m["round"] for m in told if m.get("event") == "round") == 1
        assert told[-1]["round"] == 1
        room.turns.save = keep  # type: ignore[method-assign]
        disk.free = 10**9
        await until(lambda: any(m.get("event") == "round" and m["round"] == 2 for m in told))
        await until(lambda: told[-1]["type"] == "now" and told[-1]["error"] is None)
        assert room.error is None
        commit(room, 0, 1)
        await until(lambda: room.game.round == 3)
        watching.cancel()
        log = GameLog.load(room.log.partial)
        assert len(log.rounds) == 3
        assert verify(log) == []
        await lobby.close()

    asyncio.run(run())


def test_a_turn_that_cannot_be_kept_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    disk = Disk(monkeypatch)

    async def run() -> None:
        lobby, room = await begun(tmp_path)
        disk.free = 10
        with pytest.raises(DiskError, match="No space left"):
            commit(room, 0)
        assert room.awaited == [0, 1]
        disk.free = 10**9
        commit(room, 0)
        assert room.awaited == [1]
        await lobby.close()

    asyncio.run(run())


def test_a_game_that_cannot_be_written_is_not_made_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    disk = Disk(monkeypatch)

    async def run() -> None:
        lobby, room = await begun(tmp_path)
        before, size = sorted(tmp_path.iterdir()), room.log.partial.stat().st_size
        for disk.free in (0, 50, size + 20):  # nothing, a part of the log, the log but not its tokens
            with pytest.raises(DiskError, match="No space left"):
                await lobby.create_game(TWO, maps.load("small"), Rules.of("thesis"))
            assert sorted(tmp_path.iterdir()) == before
        assert lobby.rooms == 1
        disk.free = 10**9
        await lobby.create_game(TWO, maps.load("small"), Rules.of("thesis"))
        await lobby.close()

    asyncio.run(run())


def test_the_end_of_a_game_waits_for_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    disk = Disk(monkeypatch)

    async def to_the_end(folder: Path, room_for: int) -> tuple[bytes, str]:
        """The log's bytes after two rounds, the last ones, and what was told meanwhile."""
        lobby, room = await begun(folder)
        room.limit = 2
        commit(room, 0, 1)
        await until(lambda: room.game.round == 1)
        room.turns.save = lambda *_: None  # type: ignore[method-assign]
        commit(room, 0, 1)
        disk.free = room_for
        await until(lambda: room.error or room.log.path.exists())
        error = room.error or ""
        if error:
            assert (room.game.round, room.over) == (2, True)
            assert room.log.event(room.log.events - 1)["event"] == "round"
            assert not room.log.path.exists()
        disk.free = 10**9
        await until(lambda: room.log.path.exists() and room.error is None)
        await lobby.close()
        assert not room.turns.path.exists()
        return room.log.path.read_bytes(), error

    async def run() -> None:
        whole, error = await to_the_end(tmp_path / "one", 10**9)
        assert error == ""
        *_, last, end, _ = whole.split(b"\n")
        assert b'"end"' in end
        again, error = await to_the_end(tmp_path / "other", len(last) + 10)
        assert "No space left" in error
        assert again == whole

    asyncio.run(run())


def test_a_turn_handed_in_while_the_time_is_up_and_the_disk_full_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    disk, now = Disk(monkeypatch), [100.0]
    monkeypatch.setattr(turn_clock, "monotonic", lambda: now[0])

    async def run() -> None:
        lobby, people = Lobby(GameFolder(tmp_path), workers=1), [("Ann", None), ("Bo", None), ("Cy", None)]
        seat_options = SeatOptions(frozenset([1, 2]), 10)
        room = await lobby.create_game(
            people, maps.load("small"), Rules.of("thesis"), 1, "random", seat_options=seat_options
        )
        commit(room, 0)
        follower = room.feed.follow(1, -1)
        await anext(follower)
        room.start_clock()  # Cy has not opened the game
        await until(lambda: room.clock.seconds_to_check is not None)
        disk.free = 0
        now[0] += 60
        room.viewers_changed(None)
        await until(lambda: room.error)
        disk.free = 10**9
        deploy = [(room.game.owner.tolist().index(1), 2)]
        room.submit_orders(1, 1, Orders(deploy))
        room.resign(2)
        await until(lambda: room.game.round == 1)
        played = GameLog.load(room.log.partial).rounds[0]
        assert played.orders[1] is not None and played.orders[1].deploys == deploy
        assert played.orders[2] is None
        assert [insight.data for insight in played.insights] == []
        await follower.aclose()
        await lobby.close()

    asyncio.run(run())


@pytest.mark.parametrize("picks", ["play", "random"])
def test_a_committed_turn_survives_a_restart(picks: str, tmp_path: Path):
    async def run() -> None:
        lobby, room = await begun(tmp_path, picks)
        mine = int(room.game.owner.tolist().index(0)) if picks == "random" else -1
        preferences = list(room.game.offers(0))[:2]
        if picks == "random":
            room.submit_orders(0, 1, Orders([(mine, 5)], []), {"hint": "coach"})
        else:
            room.submit_picks(0, preferences)
        await lobby.close()
        lobby = Lobby(GameFolder(tmp_path), workers=1)
        room = (await lobby.find(room.id, room.seats[1].token)).room
        assert room.awaited == [1]
        if picks == "random":
            commit(room, 1)
            await until(lambda: room.game.round == 1)
            played = GameLog.load(room.log.partial).rounds[0]
            assert played.orders[0].deploys == [(mine, 5)]
            assert played.insights[0].data == {"hint": "coach"}
        else:
            room.submit_picks(1, list(room.game.offers(1))[:2])
            await until(lambda: room.game.phase == "play")
            assert room.game.owner[preferences].tolist() == [0, 0]
        await lobby.close()
        lobby = Lobby(GameFolder(tmp_path), workers=1)
        assert (await lobby.find(room.id, room.seats[1].token)).room.awaited == [0, 1]  # those were of another step
        await lobby.close()

    asyncio.run(run())


@pytest.mark.slow
def test_a_damaged_file_of_turns_is_no_turn(tmp_path: Path):
    async def run() -> None:
        lobby, room = await begun(tmp_path)
        commit(room, 0)
        await lobby.close()
        good = room.turns.path.read_text()
        for text in (
            "",
            "[]",
            good[:-9],
            good.replace('"deploys": []', '"deploys": [[0, 99]]'),
            good.replace('"deploys": []', '"deploys": [["a", 1]]'),
            good.replace('"deploys": []', '"deploys": [[0, 1.5]]'),
            good.replace('"deploys": []', f'"deploys": [[0, {10**30}]]'),
            good.replace("null", '"no help"'),
            '{"step": 0, "turns": {"0": [["a"], null]}}',
            f'{{"step": 0, "turns": {{"0": [[{10**30}], null]}}}}',
            '{"step": 0, "turns": {"0": 3}}',
            '{"step": 0, "turns": 3}',
            "[" * 100_000,
        ):
            room.turns.path.write_text(text)
            lobby = Lobby(GameFolder(tmp_path), workers=1)
            assert (await lobby.find(room.id, room.seats[1].token)).room.awaited == [0, 1]
            await lobby.close()

    asyncio.run(run())


#: What is no file of seats, or one of other seats than a game can have.
DAMAGED = (
    "", "[]", "3", '{"seats": 3}', '{"seats": [], "watch": null}', '{"seats": [["a"]], "watch": null, "pace": 1}',
    '{"seats": [["a", null, 3], ["b", null, "c"]], "watch": null, "pace": 1}',
    '{"seats": [["a", null, "x"], ["b", 3, "c"]], "watch": null, "pace": 1}',
    '{"seats": [["a", null, "x"], ["b", null, "c"]], "watch": [], "pace": 1}',
    '{"seats": [["a", null, "x"], ["b", null, "c"]], "watch": null, "pace": "1"}',
    '{"seats": [["a", null, "x"], ["b", null, "c"]], "watch": null, "pace": 1, "paused": 3}', "[" * 100_000,
)  # fmt: skip


def test_a_damaged_file_of_seats_is_told_without_the_servers_paths(tmp_path: Path):
    async def run() -> None:
        lobby, room = await begun(tmp_path)
        await lobby.close()
        path = tmp_path / f"{room.id}.seats.json"
        whole = json.loads(path.read_text())
        lobby = Lobby(GameFolder(tmp_path), workers=1)

        async def refused(says: str, of: str) -> None:
            try:
                await lobby.find(room.id, room.seats[1].token)
            except RequestError as error:
                assert re.search(says, str(error)), of
                assert str(tmp_path) not in str(error), of
            else:
                pytest.fail(f"it was taken: {of}")

        for text in DAMAGED:
            path.write_text(text)
            await refused("cannot be read: the file is damaged", text[:100])
        path.unlink()
        path.mkdir()
        await refused(r"cannot be read: Is a directory$", "a folder")
        path.rmdir()
        path.write_text(json.dumps({**whole, "seats": whole["seats"][1:]}))
        await refused("does not belong to the game", "a seat too few")
        path.write_text(json.dumps(whole))
        assert (await lobby.find(room.id, room.seats[1].token)).seat == 1
        await lobby.close()

    asyncio.run(run())


def test_a_pause_and_a_pace_survive_that_a_game_is_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async def run() -> None:
        app = create_app(ServerSettings(tmp_path, workers=1))
        lobby = app.state.lobby
        bots = [("one", "random"), ("other", "random")]
        room = await lobby.create_game(bots, maps.load("small"), Rules.of("thesis"), seed=1, picks="random")
        transport, headers = httpx.ASGITransport(app), {"authorization": f"Bearer {room.watch_token}"}

        async def controlled(**body: Any) -> int:
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1/api/") as client:
                return (await client.post(f"games/{room.id}/control", headers=headers, json=body)).status_code

        assert await controlled(paused=True, pace=2.5) == 200
        room.touched = 0.0
        await lobby.evict_idle(0.0)
        assert lobby.rooms == 0
        again = (await lobby.find(room.id, room.watch_token)).room
        assert (again.paused, again.pace) == (True, 2.5)
        disk = Disk(monkeypatch)
        disk.free = 0
        assert await controlled(paused=False, pace=0.1) == 507
        assert (again.paused, again.pace) == (True, 2.5)
        disk.free = 10**9
        await lobby.close()

    asyncio.run(run())


def test_a_name_and_a_pause_that_come_together_are_both_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async def run() -> None:
        lobby = Lobby(GameFolder(tmp_path), workers=1)
        bots = [("one", "random"), ("other", "random")]
        room = await lobby.create_game(bots, maps.load("small"), Rules.of("thesis"), seed=1, picks="random")
        assert room.watch_token is not None
        naming = asyncio.ensure_future(lobby.rename(room.id, room.watch_token, "Cup"))
        await asyncio.sleep(0)
        lobby.control(room, paused=True)
        await naming
        disk = Disk(monkeypatch)
        disk.free = 0
        with pytest.raises(DiskError):
            await lobby.rename(room.id, room.watch_token, "other")
        assert room.name == "Cup"
        disk.free = 10**9
        await lobby.evict_idle(-1.0)
        assert lobby.rooms == 0
        again, _ = await asyncio.gather(
            lobby.find(room.id, room.watch_token), lobby.rename(room.id, room.watch_token, "League")
        )
        assert (again.room.name, again.room.paused) == ("League", True)
        kept = json.loads((tmp_path / f"{room.id}.seats.json").read_text())
        assert (kept["name"], kept["paused"]) == ("League", True)
        await lobby.close()

    asyncio.run(run())


def test_a_game_that_an_older_version_kept_names_its_bots_parameters_as_now():
    seats = [["Bot", "mcts:replies=blind,selection=root", "a"], ["Bo", None, "b"]]
    kept = SavedGame.of({"seats": seats, "watch": None, "pace": 1.0})
    assert [spec for _, spec, _ in kept.seats] == ["mcts:selection=duct,exploration_visits=root", None]
