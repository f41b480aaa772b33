"""The server's limits: games at once, bytes in memory, and concurrent queries of bots."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from app_helpers import PEOPLE, talking
from warlight_env.web.workers.bot_process import BotQuery, WorkerAnswer
from warlight_env.web.workers.bot_workers import BotWorkers


def test_a_bot_that_exceeds_its_time_gives_status_503(tmp_path: Path):
    async def main() -> None:
        async with talking(tmp_path, bots=("mcts:secs=60",)) as (app, client):
            app.state.lobby.bot_workers = BotWorkers(1, limit=lambda question, first: 0.5)
            game = (await client.post("games", json={"players": PEOPLE, "map": "small", "picks": "random"})).json()
            headers = {"authorization": f"Bearer {game['tokens']['0']}"}
            answer = await client.post(f"games/{game['id']}/insight", json={"bot": "mcts:secs=60"}, headers=headers)
            assert answer.status_code == 503 and int(answer.headers["retry-after"]) > 0, answer.text
            assert "no answer within" in answer.json()["error"]

    asyncio.run(main())


def test_concurrent_requests_create_no_more_games_than_allowed(tmp_path: Path):
    async def main() -> None:
        async with talking(tmp_path, max_rooms=3) as (app, client):
            body = {"players": PEOPLE, "map": "small", "picks": "random"}
            answers = await asyncio.gather(*(client.post("games", json=body) for _ in range(12)))
            assert app.state.lobby.rooms <= 3
            assert {answer.status_code for answer in answers} <= {200, 429}
            refused = [answer for answer in answers if answer.status_code == 429]
            assert refused  # because games that are being created count
            assert all(int(answer.headers["retry-after"]) > 0 for answer in refused)
            made = [answer.json() for answer in answers if answer.status_code == 200]
            assert len(made) >= 3
            assert len(list(tmp_path.glob("*.seats.json"))) == len(made)  # rejected games leave no files
            again = await client.post("games", json=body)  # the limit allows the next game
            assert again.status_code == 200

    asyncio.run(main())


def test_games_in_memory_share_a_limit_of_bytes(tmp_path: Path):
    async def main() -> None:
        async with talking(tmp_path) as (app, client):
            lobby, body = app.state.lobby, {"players": PEOPLE, "map": "small", "picks": "random"}
            first = (await client.post("games", json=body)).json()
            lobby.max_bytes = 3 * lobby.size  # space for about three games
            for _ in range(9):
                assert (await client.post("games", json=body)).status_code == 200
            assert 2 <= lobby.rooms <= 4
            access = await lobby.find(first["id"], first["tokens"]["0"])  # the other games are on disk
            messages = access.room.feed.follow(0, -1)
            before = lobby.size
            await anext(messages)
            assert lobby.size > before  # the data for viewers counts
            lobby.max_bytes = 1
            await lobby.evict_idle()
            assert lobby.rooms == 1  # a game with a viewer stays
            assert (await client.post("games", json=body)).status_code == 429
            await messages.aclose()

    asyncio.run(main())


def test_large_answers_in_transit_share_a_limit_of_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async def main() -> None:
        async with talking(tmp_path) as (app, client):
            game = (await client.post("games", json={"players": PEOPLE, "picks": "random"})).json()
            monkeypatch.setattr("warlight_env.web.http.dependencies.PIECE", 1000)
            monkeypatch.setattr("warlight_env.web.http.dependencies.MAX_SENDING_BYTES", 100_000)
            path = f"/api/games/{game['id']}"
            headers = [(b"host", b"127.0.0.1"), (b"authorization", f"Bearer {game['tokens']['0']}".encode())]
            scope = {
                "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http",
                "path": path, "raw_path": path.encode(), "query_string": b"", "headers": headers, "root_path": "",
                "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
            }  # fmt: skip
            started, go_on = asyncio.Event(), asyncio.Event()
            sent = 0

            async def receive() -> dict[str, Any]:
                return {"type": "http.request", "body": b"", "more_body": False}

            async def send(message: Any) -> None:
                nonlocal sent
                sent += len(message.get("body", b""))
                if sent:
                    started.set()
                    await go_on.wait()

            slow = asyncio.ensure_future(app(scope, receive, send))
            await started.wait()
            refused = await client.get(path[5:], headers={"authorization": f"Bearer {game['tokens']['1']}"})
            assert refused.status_code == 503
            assert int(refused.headers["retry-after"]) > 0
            go_on.set()
            await slow
            assert sent > 50_000
            assert (await client.get(path[5:], headers=dict(headers))).status_code == 200

    asyncio.run(main())


def test_bot_queries_need_a_token_and_are_limited_per_token_and_overall(tmp_path: Path):
    async def main() -> None:
        async with talking(tmp_path) as (app, client):
            go_on, asked = asyncio.Event(), 0

            async def ask(question: BotQuery, slot: int = 0) -> Any:
                nonlocal asked
                asked += 1
                await go_on.wait()
                return WorkerAnswer()

            app.state.lobby.bot_workers.ask = ask
            body = {"players": PEOPLE, "map": "small", "picks": "random"}
            games = [(await client.post("games", json=body)).json() for _ in range(9)]

            def insight(game: dict[str, Any], token: str) -> asyncio.Task[httpx.Response]:
                headers = {"authorization": f"Bearer {token}"}
                url = f"games/{game['id']}/insight"
                return asyncio.ensure_future(client.post(url, json={"bot": "random"}, headers=headers))

            async def expect_rejection(task: asyncio.Task[httpx.Response], status: int) -> None:
                answer = await asyncio.wait_for(task, 10)
                assert answer.status_code == status, answer.text
                assert int(answer.headers["retry-after"]) > 0

            assert (await insight(games[0], "nobody's")).status_code == 404
            assert (await insight(games[0], games[1]["tokens"]["0"])).status_code == 404
            assert asked == 0
            waiting = [insight(games[0], games[0]["tokens"]["0"]) for _ in range(2)]
            await expect_rejection(insight(games[0], games[0]["tokens"]["0"]), 429)
            for game in games[1:]:  # other tokens may ask, up to the overall limit
                waiting.append(insight(game, game["tokens"]["1"]))
            done, _ = await asyncio.wait(waiting, timeout=1.0, return_when=asyncio.FIRST_COMPLETED)
            assert 0 < len(done) < len(waiting) - 4
            for task in done:
                await expect_rejection(task, 503)
            go_on.set()
            for task in set(waiting) - done:
                assert (await task).status_code == 200
            assert (await insight(games[0], games[0]["tokens"]["0"])).status_code == 200

    asyncio.run(main())
