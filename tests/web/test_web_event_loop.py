"""The server's event loop: it answers other requests while the server reads maps, logs and folders."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import httpx
import pytest

from app_helpers import PEOPLE, log_of, played_log_of, strip, talking
from warlight_env import Game
from warlight_env.record import GameLog
from warlight_env.record.encode import log_lines
from warlight_env.web.http.app import create_app
from warlight_env.web.http.settings import ServerSettings


class LoopWork:
    """Counts the calls of Python and C functions between two waits of the loop, which delay all other requests.

    Unlike seconds, the number of calls does not depend on the speed or the load of the machine.
    """

    def __enter__(self) -> LoopWork:
        self.longest = self._calls = 0
        sys.setprofile(self._count)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        self.longest = max(self.longest, self._calls)

    def _count(self, frame: FrameType, event: str, called: Any) -> None:
        if event == "c_call" and called.__name__ == "poll":
            self.longest, self._calls = max(self.longest, self._calls), 0
        else:
            self._calls += event in ("call", "c_call")


#: The maximum number of calls between two waits. They take some hundredths of a second.
SHORT = 100_000
#: The number of games in a folder. To read them on the loop takes many more calls than `SHORT`.
MANY = 500


def most_calls(folder: Path, regions: int) -> int:
    """Create maps of this size, and open logs of such maps; return the largest number of calls between two waits."""
    app = create_app(ServerSettings(folder, rate=1e9, workers=1))
    log = b"".join(line + b"\n" for line in log_lines(log_of(Game(strip(regions), "thesis", 2, 1, "random"))))

    async def use_server() -> int:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1/api/", timeout=600) as client:

            async def fetch(method: str, path: str, **request: Any) -> dict[str, Any]:
                answer = await client.request(method, path, **request)
                assert answer.status_code == 200, answer.text
                return answer.json()

            async def play(game: dict[str, Any]) -> None:
                path = f"games/{game['id']}"
                for seat in "01":
                    headers = {"authorization": f"Bearer {game['tokens'][seat]}"}
                    assert len((await fetch("GET", path, headers=headers))["map"]["regions"]) in (regions, 10)
                    turn = {"round": 1, "deploys": [], "attacks": []}
                    await fetch("POST", f"{path}/orders", headers=headers, json=turn)

            await play(await fetch("POST", "games", json={"players": PEOPLE, "map": "small", "picks": "random"}))
            with LoopWork() as work:
                body = {"players": PEOPLE, "map": "generated", "regions": regions, "picks": "random", "seed": 1}
                await play(await fetch("POST", "games", json=body))
                replay = await fetch("POST", "replays", content=log)
                assert len(await fetch("GET", f"replays/{replay['log']}/chances")) == 1
                await play(await fetch("POST", f"replays/{replay['log']}/branch", json={"round": 0, "players": PEOPLE}))
                for room in list(app.state.lobby._rooms.values()):
                    room.last_activity = 0.0
                await app.state.lobby.evict_idle(0.0)
                rows = (await fetch("GET", "home"))["games"]
                assert len(rows) == 3
            await app.state.lobby.close()
        return work.longest

    return asyncio.run(use_server())


def test_new_maps_and_opened_logs_do_not_block_the_loop(tmp_path: Path):
    assert most_calls(tmp_path, 60) < SHORT


@pytest.mark.slow
def test_the_largest_maps_do_not_block_the_loop(tmp_path: Path):
    assert most_calls(tmp_path, 400) < SHORT


def write_games(folder: Path, count: int, log: GameLog) -> None:
    """Write `count` games that differ only in their names; the game with the highest number has the latest time."""
    text = b"".join(line + b"\n" for line in log_lines(log))
    seats = {"seats": [["Ann", None, "a" * 24], ["Bo", None, "b" * 24]], "watch": None, "pace": 0.8}
    for number in range(count):
        (folder / f"game{number:05d}.partial.wl.jsonl").write_bytes(text)
        (folder / f"game{number:05d}.seats.json").write_text(json.dumps(seats))
        os.utime(folder / f"game{number:05d}.partial.wl.jsonl", (number, number))


def test_listing_many_large_games_does_not_block_the_loop(tmp_path: Path):
    write_games(tmp_path, MANY, played_log_of(Game(strip(200), "thesis", 2, 1, "random")))

    async def main() -> None:
        async with talking(tmp_path) as (_, client):
            await client.get("games/nothing1", headers={"authorization": ""})
            with LoopWork() as work:
                rows = (await client.get("home")).json()["games"]
        assert [row["id"] for row in rows] == [f"game{number:05d}" for number in range(MANY - 1, MANY - 21, -1)]
        assert rows[0] == {
            "id": "game00499", "name": "", "players": ["Ann", "Bo"], "bots": [None, None], "faces": [None, None],
            "watch": None, "map": "strip", "rules": "thesis", "rounds": 1, "fog": False, "over": False, "winner": None,
            "when": 499,
        }  # fmt: skip
        assert work.longest < SHORT

    asyncio.run(main())


def test_the_library_reads_many_games_in_parts_without_blocking_the_loop(tmp_path: Path):
    write_games(tmp_path, MANY, played_log_of(Game("small", "thesis", 2, 1, "random")))

    async def main() -> None:
        async with talking(tmp_path) as (_, client):
            await client.get("home")
            with LoopWork() as work:
                answer = (await client.get("library", params={"count": 100})).json()
                assert 20 <= answer["all"] + answer["reading"] <= MANY and answer["reading"] > 0
                assert answer["games"][0]["id"] == "game00499"
                while answer["reading"]:
                    await asyncio.sleep(0.05)
                    answer = (
                        await client.get("library", params={"text": "ann", "start": MANY - 100, "count": 100})
                    ).json()
            assert (answer["total"], answer["all"]) == (MANY, MANY)
            assert [row["id"] for row in answer["games"]] == [f"game{number:05d}" for number in range(99, -1, -1)]
            assert work.longest < SHORT

    asyncio.run(main())


def test_all_concurrent_requests_get_the_present_list_of_games(tmp_path: Path):
    write_games(tmp_path, 3, played_log_of(Game("small", "thesis", 2, 1, "random")))
    (tmp_path / "game00001.partial.wl.jsonl").write_text("no log")

    async def main() -> None:
        async with talking(tmp_path) as (app, client):

            async def list_games() -> dict[str, dict[str, Any]]:
                answer = await client.get("home")
                assert answer.status_code == 200, answer.text
                return {row["id"]: row for row in answer.json()["games"]}

            assert list(await list_games()) == ["game00002", "game00000"]
            requests = [asyncio.ensure_future(list_games()) for _ in range(40)]  # more than the pool's queue holds
            game = (await client.post("games", json={"players": PEOPLE, "map": "small", "picks": "random"})).json()
            assert list(await list_games()) == ["game00002", "game00000"]  # the new game has no turns yet
            await asyncio.gather(*requests)
            for seat in "01":
                headers = {"authorization": f"Bearer {game['tokens'][seat]}"}
                turn = {"round": 1, "deploys": [], "attacks": []}
                await client.post(f"games/{game['id']}/orders", headers=headers, json=turn)
            room = (await app.state.lobby.find(game["id"], game["tokens"]["0"])).room
            while room.game.round < 1:
                await asyncio.sleep(0.01)
            in_memory = (await list_games())[game["id"]]
            assert in_memory["rounds"] == 1
            await app.state.lobby.evict_idle(-1.0)
            assert app.state.lobby.rooms == 0
            assert (await list_games())[game["id"]] == in_memory
            (tmp_path / "game00002.seats.json").unlink()
            log = tmp_path / "game00000.partial.wl.jsonl"
            last = {"event": "end", "winner": 1, "rounds": 1, "placements": [2, 1], "cut_off": True}
            log.write_bytes(log.read_bytes() + json.dumps(last).encode() + b"\n")
            rows = await list_games()
            assert list(rows) == ["game00000", game["id"]]  # both games have changed since the first list
            assert rows["game00000"]["over"]

    asyncio.run(main())
