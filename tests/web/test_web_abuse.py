"""The server under attack: invalid input, floods of requests, clients that never read, too many games."""

from __future__ import annotations

import asyncio
import json
import random
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from warlight_env.web.http.app import create_app
from warlight_env.web.http.settings import ServerSettings
from web_helpers import Server, needs_page, serving

pytestmark = [needs_page, pytest.mark.slow]


def memory_of(server: Server) -> float:
    """Return the memory of the server's process in MiB."""
    return int(Path(f"/proc/{server.process.pid}/statm").read_text().split()[1]) * 4096 / 2**20


def random_json(rng: random.Random, depth: int = 0) -> Any:
    """Return a random JSON value, which is mostly invalid for the server."""
    kind = rng.randrange(9 if depth < 3 else 7)
    if kind == 0:
        return rng.choice([None, True, False])
    if kind in (1, 2):
        return rng.choice([0, 1, -1, 2**31, 2**63, 2**64, 10**30, rng.randrange(50)])
    if kind == 3:
        return rng.choice([0.5, -1e308, 1e-300, 5.0])
    if kind in (4, 5, 6):
        return rng.choice(
            ["", "x" * 50, "random", "mcts:secs=5", "../..", "\u202e", "\x00", "𝔘", "world", "thesis", "off"]
        )
    if kind == 7:
        return [random_json(rng, depth + 1) for _ in range(rng.randrange(4))]
    names = ["players", "map", "seed", "round", "deploys", "attacks", "wishes", "bot", "paused", "pace", "x", "seat"]
    return {rng.choice(names): random_json(rng, depth + 1) for _ in range(rng.randrange(5))}


def mutate(rng: random.Random, body: dict[str, Any]) -> bytes:
    """Return a valid body with random errors, or a random JSON value instead."""
    how = rng.randrange(4)
    if how == 0:
        return json.dumps(random_json(rng)).encode()
    if how == 1:
        changed = {**body, rng.choice([*body, "y"]): random_json(rng)}
        return json.dumps(changed).encode()
    text = bytearray(json.dumps(body).encode())
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(text))
        if how == 2:
            text[at] = rng.randrange(256)
        else:
            del text[at : at + rng.randrange(8)]
        if not text:
            break
    return bytes(text)


def test_ten_thousand_malformed_requests_change_no_game_state(tmp_path: Path):
    app = create_app(ServerSettings(tmp_path, rate=1e9, workers=1, max_rooms=20))
    good = {
        "games": {"players": [{"name": "Ann"}, {"name": "Bo"}], "map": "small", "seed": 3, "picks": "random"},
        "games/{id}/orders": {"round": 1, "deploys": [[0, 1]], "attacks": [[0, 1, 2]], "hint": "off"},
        "games/{id}/picks": {"wishes": [1, 2]},
        "games/{id}/control": {"paused": True, "pace": 1.0},
        "games/{id}/branch": {"round": 0, "players": [{"name": "Ann"}, {"bot": "random"}]},
        "replays": {"format": "warlight-log", "version": 1},
        "replays/{id}/analysis": {"bot": "random", "seconds": 1, "focus": 1, "since": 0},
        "games/{id}/insight": {"bot": "random", "seconds": 0.1},
        "replays/{id}/branch": {"round": 0, "players": [{"name": "Ann"}, {"bot": "random"}]},
    }

    async def run() -> None:
        rng = random.Random(1)
        transport = httpx.ASGITransport(app)  # raises all exceptions that the server does not catch
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1/api/") as client:
            made = (await client.post("games", json=good["games"])).json()
            headers = {"authorization": f"Bearer {made['tokens']['0']}"}
            state = (await app.state.lobby.find(made["id"], made["tokens"]["0"])).room.game
            before = state.hash()
            for _ in range(10_000):
                path, body = rng.choice(list(good.items()))
                use = headers if rng.random() < 0.9 else {"authorization": rng.choice(["", "Bearer", "x" * 200])}
                url = path.format(id=made["id"] if rng.random() < 0.95 else rng.choice(["x", "%00", "a" * 500]))
                answer = await client.post(url, content=mutate(rng, body), headers=use)
                assert answer.status_code < 500, (url, answer.text)
                assert answer.status_code == 200 or answer.json(), url
            assert state.hash() == before  # a turn that is valid by chance waits for the other player
            assert (await client.get("home")).status_code == 200
        assert app.state.lobby.rooms <= 20
        await app.state.lobby.close()

    asyncio.run(run())


def test_invalid_messages_and_clients_that_never_read_use_little_memory(tmp_path: Path):
    with serving(tmp_path, "play", "--vs", "random", "--map", "large") as server:
        bots = {"players": [{"bot": "random"}, {"bot": "random"}], "picks": "random", "map": "large", "pace": 0.1}
        game = server.client().post("games", json=bots).json()
        path = f"/api/games/{game['id']}/feed"
        rng = random.Random(2)
        clients = []
        before = memory_of(server)
        for number in range(150):
            with connect(f"{server.base.replace('http', 'ws')}{path}") as sender:
                try:
                    sender.send(mutate(rng, {"token": game["watch"], "key": server.key, "after": -1}))
                    sender.recv(timeout=5)
                except (WebSocketException, EOFError, TimeoutError):
                    pass
            if number % 10 == 0:  # sends a valid first message, and never reads
                client = socket.create_connection(("127.0.0.1", int(server.base.rpartition(":")[2])))
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                lines = (f"GET {path} HTTP/1.1", "Host: 127.0.0.1", "Upgrade: websocket", "Connection: Upgrade")
                key_lines = ("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13")
                client.sendall("\r\n".join((*lines, *key_lines, "", "")).encode())
                hello = json.dumps({"token": game["watch"], "key": server.key}).encode()
                client.sendall(bytes([0x81, 0x80 | len(hello), 0, 0, 0, 0]) + hello)
                clients.append(client)
        with server.feed(game["id"], game["watch"]) as feed:
            feed.event("end")
        assert memory_of(server) - before < 100
        for client in clients:
            client.close()


def test_two_hundred_viewers_receive_the_same_events(tmp_path: Path):
    with serving(tmp_path, "play", "--vs", "random", "--map", "small") as server:
        bots = {"players": [{"bot": "aggressive"}, {"bot": "random"}], "picks": "random", "map": "small", "pace": 0.2}
        game = server.client().post("games", json=bots).json()
        url = f"{server.base.replace('http', 'ws')}/api/games/{game['id']}/feed"

        async def view() -> list[str]:
            from websockets.asyncio.client import connect as connect_async

            events = []
            async with connect_async(url, open_timeout=60) as viewer:
                await viewer.send(json.dumps({"token": game["watch"], "key": server.key}))
                async for text in viewer:
                    if json.loads(text)["type"] == "event":
                        events.append(str(text))
                        if json.loads(text)["event"] == "end":
                            return events
            return events

        async def view_all() -> list[list[str]]:
            return await asyncio.gather(*(view() for _ in range(200)))

        events = asyncio.run(view_all())
        assert len(events) == 200
        assert all(other == events[0] for other in events)
        assert [json.loads(text)["n"] for text in events[0]] == list(range(len(events[0])))


def test_games_that_exceed_the_memory_limit_stay_on_disk(tmp_path: Path):
    with serving(tmp_path, "play", "--vs", "random", "--map", "small") as server:
        client = server.client()
        body = {"players": [{"name": "Ann"}, {"bot": "random"}], "map": "small", "picks": "random"}
        games = [client.post("games", json=body).json() for _ in range(130)]
        for game in (games[0], games[-1]):
            player = server.client(game["tokens"]["0"])
            answer = player.post(f"games/{game['id']}/orders", json={"round": 1, "deploys": [], "attacks": []})
            assert answer.status_code == 200, answer.text


def test_a_flood_of_requests_gets_status_429(tmp_path: Path):
    with serving(tmp_path, "play", "--vs", "random", "--map", "small") as server, server.client() as client:
        statuses = [client.get("games/none").status_code for _ in range(1500)]
        assert 429 in statuses
        assert 500 not in statuses
