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
from warlight_env.web.games import game_loop, turn_clock, turn_commands
from warlight_env.web.games.lobby import Lobby, SeatOptions
from warlight_env.web.games.room import Room
from warlight_env.web.http.app import create_app
from warlight_env.web.http.settings import ServerSettings
from warlight_env.web.storage.game_folder import DiskError, GameFolder

TWO = [("Ann", None), ("Bo", None)]


class Disk:
    """A mock of a file system with limited space: a write stores the bytes that fit, and the next write fails."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.free = 10**9
        self.write = os.write
        monkeypatch.setattr(os, "write", self.take)
        monkeypatch.setattr(game_loop, "RETRY", 0.01)

    def take(self, file: int, data: Any) -> int:
        """Replace `os.write`."""
        if not os.path.isfile(f"/proc/self/fd/{file}"):
            return self.write(file, data)
        if self.free == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        part = bytes(data)[: self.free]
        self.free -= len(part)
        return self.write(file, part)


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.005)


async def begin_game(folder: Path, picks: Any = "random") -> tuple[Lobby, Room]:
    lobby = Lobby(GameFolder(folder), workers=1)
    return lobby, await lobby.create_game(TWO, maps.load("small"), Rules.of("thesis"), seed=1, picks=picks)


def commit(room: Room, *seats: int) -> None:
    for seat in seats:
        turn_commands.submit_orders(room, seat, room.game.round + 1, Orders())


async def watch(room: Room, seat: int, messages: list[dict[str, Any]]) -> None:
    async for text in room.feed.follow(seat, -1):
        messages.append(json.loads(text))


@pytest.mark.parametrize("free", [0, 40])
def test_a_round_is_shown_only_once_it_is_on_disk_and_the_game_continues(
    free: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    disk = Disk(monkeypatch)

    async def run() -> None:
        lobby, room = await begin_game(tmp_path)
        messages: list[dict[str, Any]] = []
        watching = asyncio.create_task(watch(room, 0, messages))
        commit(room, 0, 1)
        await until(lambda: room.game.round == 1)
        content = room.log.partial.read_bytes()
        save = room.turns.save
        room.turns.save = lambda *_: None  # type: ignore[method-assign]
        commit(room, 0, 1)
        disk.free = free  # the round does not fit, or only its beginning fits
        await until(lambda: messages and messages[-1].get("error"))
        assert "No space left on device" in messages[-1]["error"]
        assert str(tmp_path) not in messages[-1]["error"]
        await asyncio.sleep(0.1)
        assert room.log.partial.read_bytes() == content
        assert room.game.round == len(GameLog.load(room.log.partial).rounds) == 1
        assert max(m["round"] for m in messages if m.get("event") == "round") == 1
        assert messages[-1]["round"] == 1
        room.turns.save = save  # type: ignore[method-assign]
        disk.free = 10**9
        await until(lambda: any(m.get("event") == "round" and m["round"] == 2 for m in messages))
        await until(lambda: messages[-1]["type"] == "now" and messages[-1]["error"] is None)
        assert room.error is None
        commit(room, 0, 1)
        await until(lambda: room.game.round == 3)
        watching.cancel()
        log = GameLog.load(room.log.partial)
        assert len(log.rounds) == 3
        assert verify(log) == []
        await lobby.close()

    asyncio.run(run())


def test_a_turn_that_cannot_be_stored_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    disk = Disk(monkeypatch)

    async def run() -> None:
        lobby, room = await begin_game(tmp_path)
        disk.free = 10
        with pytest.raises(DiskError, match="No space left"):
            commit(room, 0)
        assert room.awaited == [0, 1]
        disk.free = 10**9
        commit(room, 0)
        assert room.awaited == [1]
        await lobby.close()

    asyncio.run(run())


def test_a_game_that_cannot_be_stored_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    disk = Disk(monkeypatch)

    async def run() -> None:
        lobby, room = await begin_game(tmp_path)
        before, size = sorted(tmp_path.iterdir()), room.log.partial.stat().st_size
        for disk.free in (0, 50, size + 20):  # space for nothing, a part of the log, or the log without the tokens
            with pytest.raises(DiskError, match="No space left"):
                await lobby.create_game(TWO, maps.load("small"), Rules.of("thesis"))
            assert sorted(tmp_path.iterdir()) == before
        assert lobby.rooms == 1
        disk.free = 10**9
        await lobby.create_game(TWO, maps.load("small"), Rules.of("thesis"))
        await lobby.close()

    asyncio.run(run())


def test_the_end_of_a_game_waits_for_free_disk_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    disk = Disk(monkeypatch)

    async def to_the_end(folder: Path, free: int) -> tuple[bytes, str]:
        """Play the two rounds of a game; return the bytes of its log, and the error before the end."""
        lobby, room = await begin_game(folder)
        room.limit = 2
        commit(room, 0, 1)
        await until(lambda: room.game.round == 1)
        room.turns.save = lambda *_: None  # type: ignore[method-assign]
        commit(room, 0, 1)
        disk.free = free
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
        expected, error = await to_the_end(tmp_path / "one", 10**9)
        assert error == ""
        *_, last, end, _ = expected.split(b"\n")
        assert b'"end"' in end
        content, error = await to_the_end(tmp_path / "other", len(last) + 10)
        assert "No space left" in error
        assert content == expected

    asyncio.run(run())


def test_a_late_turn_counts_if_a_full_disk_delayed_the_round(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
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
        turn_commands.submit_orders(room, 1, 1, Orders(deploy))
        turn_commands.resign(room, 2)
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
        lobby, room = await begin_game(tmp_path, picks)
        home = int(room.game.owner.tolist().index(0)) if picks == "random" else -1
        preferences = list(room.game.offers(0))[:2]
        if picks == "random":
            turn_commands.submit_orders(room, 0, 1, Orders([(home, 5)], []), {"hint": "coach"})
        else:
            turn_commands.submit_picks(room, 0, preferences)
        await lobby.close()
        lobby = Lobby(GameFolder(tmp_path), workers=1)
        room = (await lobby.find(room.id, room.seats[1].token)).room
        assert room.awaited == [1]
        if picks == "random":
            commit(room, 1)
            await until(lambda: room.game.round == 1)
            played = GameLog.load(room.log.partial).rounds[0]
            assert played.orders[0].deploys == [(home, 5)]
            assert played.insights[0].data == {"hint": "coach"}
        else:
            turn_commands.submit_picks(room, 1, list(room.game.offers(1))[:2])
            await until(lambda: room.game.phase == "play")
            assert room.game.owner[preferences].tolist() == [0, 0]
        await lobby.close()
        lobby = Lobby(GameFolder(tmp_path), workers=1)
        assert (await lobby.find(room.id, room.seats[1].token)).room.awaited == [0, 1]  # an earlier step's turns
        await lobby.close()

    asyncio.run(run())


@pytest.mark.slow
def test_a_damaged_file_of_turns_is_ignored(tmp_path: Path):
    async def run() -> None:
        lobby, room = await begin_game(tmp_path)
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


#: Texts that are no files of seats, or that contain impossible seats.
DAMAGED = (
    "", "[]", "3", '{"seats": 3}', '{"seats": [], "watch": null}', '{"seats": [["a"]], "watch": null, "pace": 1}',
    '{"seats": [["a", null, 3], ["b", null, "c"]], "watch": null, "pace": 1}',
    '{"seats": [["a", null, "x"], ["b", 3, "c"]], "watch": null, "pace": 1}',
    '{"seats": [["a", null, "x"], ["b", null, "c"]], "watch": [], "pace": 1}',
    '{"seats": [["a", null, "x"], ["b", null, "c"]], "watch": null, "pace": "1"}',
    '{"seats": [["a", null, "x"], ["b", null, "c"]], "watch": null, "pace": 1, "paused": 3}', "[" * 100_000,
)  # fmt: skip


def test_errors_about_damaged_seat_files_contain_no_server_paths(tmp_path: Path):
    async def run() -> None:
        lobby, room = await begin_game(tmp_path)
        await lobby.close()
        path = tmp_path / f"{room.id}.seats.json"
        data = json.loads(path.read_text())
        lobby = Lobby(GameFolder(tmp_path), workers=1)

        async def expect_error(pattern: str, case: str) -> None:
            try:
                await lobby.find(room.id, room.seats[1].token)
            except RequestError as error:
                assert re.search(pattern, str(error)), case
                assert str(tmp_path) not in str(error), case
            else:
                pytest.fail(f"it was taken: {case}")

        for text in DAMAGED:
            path.write_text(text)
            await expect_error("cannot be read: the file is damaged", text[:100])
        path.unlink()
        path.mkdir()
        await expect_error(r"cannot be read: Is a directory$", "a folder")
        path.rmdir()
        path.write_text(json.dumps({**data, "seats": data["seats"][1:]}))
        await expect_error("does not belong to the game", "a seat too few")
        path.write_text(json.dumps(data))
        assert (await lobby.find(room.id, room.seats[1].token)).seat == 1
        await lobby.close()

    asyncio.run(run())


def test_pause_and_pace_survive_the_eviction_of_a_game_from_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async def run() -> None:
        app = create_app(ServerSettings(tmp_path, workers=1))
        lobby = app.state.lobby
        bots = [("one", "random"), ("other", "random")]
        room = await lobby.create_game(bots, maps.load("small"), Rules.of("thesis"), seed=1, picks="random")
        transport, headers = httpx.ASGITransport(app), {"authorization": f"Bearer {room.watch_token}"}

        async def control(**body: Any) -> int:
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1/api/") as client:
                return (await client.post(f"games/{room.id}/control", headers=headers, json=body)).status_code

        assert await control(paused=True, pace=2.5) == 200
        room.last_activity = 0.0
        await lobby.evict_idle(0.0)
        assert lobby.rooms == 0
        again = (await lobby.find(room.id, room.watch_token)).room
        assert (again.paused, again.pace) == (True, 2.5)
        disk = Disk(monkeypatch)
        disk.free = 0
        assert await control(paused=False, pace=0.1) == 507
        assert (again.paused, again.pace) == (True, 2.5)
        disk.free = 10**9
        await lobby.close()

    asyncio.run(run())


def test_a_concurrent_rename_and_pause_are_both_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
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
        data = json.loads((tmp_path / f"{room.id}.seats.json").read_text())
        assert (data["name"], data["paused"]) == ("League", True)
        await lobby.close()

    asyncio.run(run())
