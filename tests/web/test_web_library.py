"""The library of games: search by content, names, deletion, downloads; and games that are not stored."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from warlight_env import Rules, maps
from warlight_env.engine.orders import Orders
from warlight_env.record import GameLog, verify
from warlight_env.web.errors import RequestError
from warlight_env.web.games import lobby as lobby_module
from warlight_env.web.games import turn_commands
from warlight_env.web.games.lobby import Lobby
from warlight_env.web.games.room import Room
from warlight_env.web.http.library import GameQuery
from warlight_env.web.storage.cleanup import delete_files
from warlight_env.web.storage.game_folder import GameFolder
from web_helpers import Server, needs_page, serving

pytestmark = needs_page

TWO = [{"name": "Ann"}, {"name": "Bo"}]


def make(server: Server, players: list[dict[str, str]], rounds: int = 0, **fields: Any) -> dict[str, Any]:
    """Create a game, and play rounds in which no person gives orders."""
    body = {"players": players, "map": "small", "picks": "random", **fields}
    game: dict[str, Any] = server.client().post("games", json=body).json()
    for number in range(1, rounds + 1):
        for seat in game["tokens"]:
            answer = act(server, game, "orders", {"round": number, "deploys": [], "attacks": []}, seat)
            assert answer.status_code == 200, answer.text
    return game


def act(server: Server, game: dict[str, Any], what: str, body: Any = None, seat: str = "0") -> httpx.Response:
    return server.client(game["tokens"][seat]).post(f"games/{game['id']}/{what}", json=body or {})


def library(server: Server, **wanted: Any) -> dict[str, Any]:
    while True:
        answer: dict[str, Any] = server.client().get("library", params=wanted).json()
        if not answer["reading"]:
            return answer
        time.sleep(0.02)


def row(**fields: Any) -> dict[str, Any]:
    entry = {"name": "", "players": ["Ann", "Attila"], "bots": [None, "aggressive"], "map": "World", "rules": "thesis"}
    return {**entry, "over": True, "winner": 0, **fields}


@pytest.mark.parametrize(
    "wanted, fields, fits",
    [
        (GameQuery(text="att wor"), {}, True),
        (GameQuery(text="FINAL"), {"name": "The final"}, True),
        (GameQuery(text="zlutoucky KUN"), {"name": "Žluťoučký kůň"}, True),
        (GameQuery(text="kůň"), {"name": "zlutoucky kun"}, True),
        (GameQuery(text="att xyz"), {}, False),
        (GameQuery(player="Ann"), {}, True),
        (GameQuery(player="An"), {}, False),
        (GameQuery(map="Small"), {}, False),
        (GameQuery(state="open"), {}, False),
        (GameQuery(state="open"), {"over": False, "winner": None}, True),
        (GameQuery(result="won"), {}, True),
        (GameQuery(result="lost"), {"winner": 1}, True),
        (GameQuery(result="won", player="Attila"), {}, False),
        (GameQuery(result="won", player="Attila"), {"winner": 1}, True),
        (GameQuery(result="draw"), {"winner": None}, True),
        (GameQuery(result="draw"), {"over": False, "winner": None}, False),
    ],
)
def test_a_query_matches_games_by_all_its_criteria(wanted: GameQuery, fields: dict[str, Any], fits: bool):
    assert wanted.matches(row(**fields)) == fits


def test_the_library_finds_games_by_their_content(server: Server):
    alone = make(server, [{"name": "Zoe"}, {"bot": "random"}], rounds=1)
    while library(server, player="Zoe")["games"][0]["rounds"] < 1:
        time.sleep(0.02)  # the bot's turn ends the round, and the list has the last changed game first
    both = make(server, [{"name": "Zoe"}, {"name": "Yan"}], rounds=1, map="world")
    act(server, both, "resign", seat="0")
    ids = [game["id"] for game in library(server, player="Zoe")["games"]]
    assert ids == [both["id"], alone["id"]]
    assert [g["id"] for g in library(server, player="Yan", result="won")["games"]] == [both["id"]]
    assert [g["id"] for g in library(server, text="zoe small")["games"]] == [alone["id"]]
    assert [g["id"] for g in library(server, player="Zoe", state="open")["games"]] == [alone["id"]]
    part = library(server, player="Zoe", start=1, count=1)
    assert ([g["id"] for g in part["games"]], part["total"]) == ([alone["id"]], 2)
    assert {"Zoe", "Yan"} <= set(part["players"])
    assert server.client().get("library", params={"count": 101}).status_code == 422


def test_only_the_owner_of_a_token_can_rename_and_delete_a_game(server: Server):
    game, other = make(server, TWO, rounds=1), make(server, TWO, rounds=1)
    bots = make(server, [{"bot": "random"}, {"bot": "random"}], pace=0.05)
    for token in ("", "x" * 24, other["tokens"]["0"]):
        for what, body in (("name", {"name": "mine"}), ("delete", {})):
            assert server.client(token).post(f"games/{game['id']}/{what}", json=body).status_code == 404
    without = {"authorization": f"Bearer {game['tokens']['0']}"}
    for what, body in (("name", {"name": "mine"}), ("delete", {})):
        answer = httpx.post(f"{server.base}/api/games/{game['id']}/{what}", json=body, headers=without, verify=False)
        assert answer.status_code == 401
    assert httpx.get(f"{server.base}/api/library", headers=without, verify=False).status_code == 401
    assert act(server, game, "name", {"name": "  a\n good   one "}).json() == {"name": "a good one"}
    assert act(server, game, "name", {"name": "\u202eevil"}).status_code == 422
    assert act(server, game, "name", {"name": "x" * 61}).status_code == 422
    assert server.client(bots["watch"]).post(f"games/{bots['id']}/name", json={"name": "Cup"}).status_code == 200
    assert {g["name"] for g in library(server)["games"]} >= {"a good one", "Cup"}
    with server.feed(game["id"], game["tokens"]["1"]) as feed:
        feed.now()
        assert act(server, game, "delete").status_code == 200
        with pytest.raises(ConnectionClosed):
            feed.event("nothing of the kind")
    assert list(server.folder.glob(f"{game['id']}*")) == []
    assert act(server, game, "delete").status_code == 404
    assert game["id"] not in [g["id"] for g in library(server)["games"]]


def test_a_name_survives_a_kill_and_a_damaged_game_can_be_deleted(tmp_path: Path):
    line = ("play", "--vs", "random", "--map", "small")
    with serving(tmp_path, *line) as first:
        game = make(first, TWO, rounds=1)
        act(first, game, "name", {"name": "Long one"})
        first.kill()
    with serving(tmp_path, *line) as second:
        (entry,) = library(second, text="long one")["games"]
        assert entry["id"] == game["id"]
        assert act(second, game, "name", {"name": ""}).status_code == 200  # without loading the game
        assert library(second, text="long one")["total"] == 0
        (tmp_path / f"{game['id']}.partial.wl.jsonl").write_text("damaged")
        assert act(second, game, "delete").status_code == 200
        assert list(tmp_path.glob(f"{game['id']}*")) == []


def test_a_finished_game_is_downloaded_as_a_log_and_as_a_page(server: Server):
    game = make(server, TWO, rounds=2, fog=True)
    client = server.client(game["tokens"]["0"])
    for path in ("log", "file"):
        assert client.get(f"games/{game['id']}/{path}").status_code == 409  # a running game has secrets
    act(server, game, "resign", seat="1")
    with server.feed(game["id"], game["tokens"]["0"]) as feed:
        feed.event("end")
    download = client.get(f"games/{game['id']}/log")
    lines = gzip.decompress(download.content).splitlines()
    assert json.loads(lines[-1])["event"] == "end" and len(lines) == 6
    page = client.get(f"games/{game['id']}/file").text
    document = json.loads(page.partition('id="warlight-document">')[2].partition("</script>")[0])
    assert [event["event"] for event in document["events"]] == ["start", "round", "round", "failure", "end"]
    assert document["chances"] and not any(token in page for token in game["tokens"].values())
    bots = make(server, [{"bot": "random"}, {"bot": "random"}], pace=0.05)
    assert server.client(bots["watch"]).get(f"games/{bots['id']}/log").status_code == 200  # bots have no secrets


def test_games_without_any_action_are_not_stored(tmp_path: Path):
    people, bots = [("Ann", None), ("Bo", None)], [("one", "random"), ("other", "random")]

    async def main() -> None:
        lobby = Lobby(GameFolder(tmp_path), workers=1)

        async def create(players: list[tuple[str, str | None]]) -> Room:
            return await lobby.create_game(players, maps.load("small"), Rules.of("thesis"), seed=1, picks="random")

        _, named, one_in, played, _ = [await create(people) for _ in range(4)] + [await create(bots)]
        opened = await create(people)
        async with contextlib.aclosing(opened.feed.follow(0, -1)) as feed:
            await anext(feed)  # a player sees the game before the first round
        await lobby.rename(named.id, named.seats[0].token, "kept")
        turn_commands.submit_orders(one_in, 0, 1, Orders())
        for seat in (0, 1):
            turn_commands.submit_orders(played, seat, 1, Orders())
        while not played.begun or played.pending:
            await asyncio.sleep(0.01)
        assert {r["id"] for r in (await lobby.game_list.all())[0]} == {named.id, one_in.id, played.id, opened.id}
        await lobby.evict_idle(1e9)  # no game has been idle for so long
        assert lobby.rooms == 6
        await lobby.evict_idle(-1.0)
        stored = {path.name.partition(".")[0] for path in tmp_path.glob("*.seats.json")}
        assert stored == {named.id, one_in.id, played.id, opened.id}
        listing, reading = await lobby.game_list.all()
        while reading:
            await asyncio.sleep(0.01)
            listing, reading = await lobby.game_list.all()
        assert {r["id"] for r in listing} == stored  # read from the disk
        token = opened.seats[0].token
        access = await lobby.find(opened.id, token)
        await lobby.evict_idle(-1.0)  # the game was loaded, but this server has not shown it
        assert (await lobby.find(opened.id, token)).room is not access.room
        await lobby.close()

    asyncio.run(main())


def test_old_games_without_any_action_are_deleted_from_disk(tmp_path: Path):
    people, bots = [("Ann", None), ("Bo", None)], [("one", "random"), ("other", "random")]

    async def main() -> None:
        lobby = Lobby(GameFolder(tmp_path), workers=1)
        small, rules = maps.load("small"), Rules.of("thesis")
        empty = await lobby.create_game(people, small, rules, 1, "random")
        played = await lobby.create_game(people, small, rules, 1, "random")
        for seat in (0, 1):
            turn_commands.submit_orders(played, seat, 1, Orders())
        watched = await lobby.create_game(bots, small, rules, 1, "random", 0.05)
        follower = asyncio.ensure_future(anext(watched.feed.follow(None, -1)))
        while not watched.log.steps:
            await asyncio.sleep(0.01)
        lobby.control(watched, paused=True)
        await follower
        branch = await lobby.branch(lobby.source(played), 1, people)
        seen = await lobby.create_game([("Ann", None), ("one", "random")], small, rules, 1, "random")
        async with contextlib.aclosing(seen.feed.follow(0, -1)) as feed:
            await anext(feed)  # the player leaves before the first round
        halted = await lobby.create_game(bots, small, rules, 1, "random", 0.05)
        lobby.control(halted, paused=True)
        lobby.control(watched, paused=False)
        await lobby.close()
        lobby = Lobby(GameFolder(tmp_path), workers=1)

        async def games_after(seconds: float) -> set[str]:
            await lobby.delete_abandoned(time.time() + seconds)
            return {path.name.partition(".")[0] for path in tmp_path.glob("*.seats.json")}

        assert await games_after(60) == {empty.id, played.id, watched.id, branch.id, halted.id, seen.id}
        assert await games_after(3600) == {played.id, watched.id, halted.id, seen.id}
        assert await games_after(90_000) == {played.id, halted.id}, "somebody let it wait"
        (tmp_path / f"{played.id}.seats.json").write_text("damaged")
        os.utime(tmp_path / f"{played.id}.seats.json")
        assert await games_after(90_000) == {played.id, halted.id}, "what cannot be read may be mended"
        (tmp_path / f"{halted.id}.seats.json").unlink()
        log = tmp_path / f"{halted.id}.partial.wl.jsonl"
        user_file = tmp_path / "game-0000001.partial.wl.jsonl"
        user_file.write_bytes(log.read_bytes())
        await games_after(3600)
        assert log.exists()
        await games_after(90_000)
        assert not log.exists(), "nobody could open it"
        assert user_file.exists()
        await lobby.close()

    asyncio.run(main())
    log = GameLog.load(next(tmp_path.glob("*.partial.wl.jsonl")))
    assert verify(log) == []


def test_a_changed_or_evicted_game_stays_in_the_list_while_its_files_are_read(tmp_path: Path):
    async def main() -> None:
        lobby = Lobby(GameFolder(tmp_path), workers=1)
        room = await lobby.create_game(
            [("Ann", None), ("Bo", None)], maps.load("small"), Rules.of("thesis"), 1, "random"
        )
        token = room.seats[0].token
        read, go_on = lobby.process_pool.short, asyncio.Event()

        async def read_later(*work: Any) -> Any:
            await go_on.wait()
            return await read(*work)

        lobby.process_pool.short = read_later  # type: ignore[method-assign]
        await lobby.rename(room.id, token, "first")
        await lobby.evict_idle(-1.0)  # its files have not been read yet
        for name in ("first", "second"):
            await lobby.rename(room.id, token, name)
            for _ in range(2):
                listing, reading = await lobby.game_list.all()
                assert ([r["name"] for r in listing], reading) == ([name], 1)
            go_on.set()
            while reading:
                await asyncio.sleep(0.01)
                listing, reading = await lobby.game_list.all()
            assert [r["name"] for r in listing] == [name]
            go_on.clear()
        await lobby.close()

    asyncio.run(main())


@pytest.mark.parametrize("by", ["delete", "sweep"])
def test_a_game_cannot_be_found_during_its_deletion(by: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    go_on = threading.Event()

    def delete_late(folder: Path, id: str) -> None:
        go_on.wait(60)
        delete_files(folder, id)

    monkeypatch.setattr(lobby_module, "delete_files", delete_late)

    async def main() -> None:
        lobby = Lobby(GameFolder(tmp_path), workers=1)
        lobby._last_cleanup = time.monotonic()  # no search for unused games on disk
        room = await lobby.create_game(
            [("Ann", None), ("Bo", None)], maps.load("small"), Rules.of("thesis"), 1, "random"
        )
        token = room.seats[0].token
        deletion = asyncio.ensure_future(lobby.delete(room.id, token) if by == "delete" else lobby.evict_idle(-1.0))
        while lobby.rooms:
            await asyncio.sleep(0)
        try:
            for call in (lobby.find(room.id, token), lobby.rename(room.id, token, "x"), lobby.delete(room.id, token)):
                with pytest.raises(RequestError, match="no such game"):
                    await call
        finally:
            go_on.set()
        await deletion
        assert lobby.rooms == 0 and list(tmp_path.glob(f"{room.id}*")) == []
        with pytest.raises(RequestError, match="no such game"):
            await lobby.find(room.id, token)
        await lobby.close()

    asyncio.run(main())


def test_a_game_that_is_deleted_during_its_loading_does_not_come_back(tmp_path: Path):
    async def main() -> None:
        lobby, go_on = Lobby(GameFolder(tmp_path), workers=1), asyncio.Event()
        room = await lobby.create_game(
            [("Ann", None), ("Bo", None)], maps.load("small"), Rules.of("thesis"), 1, "random"
        )
        token, short = room.seats[0].token, lobby.process_pool.short
        turn_commands.submit_orders(room, 0, 1, Orders())
        await lobby.evict_idle(-1.0)
        reading = asyncio.Event()

        async def short_later(*work: Any) -> Any:
            reading.set()
            await go_on.wait()
            return await short(*work)

        lobby.process_pool.short = short_later  # type: ignore[method-assign]
        search = asyncio.ensure_future(lobby.find(room.id, token))
        await reading.wait()
        deletion = asyncio.ensure_future(lobby.delete(room.id, token))
        while room.id not in lobby._deleting:
            await asyncio.sleep(0.001)
        go_on.set()
        with pytest.raises(RequestError, match="no such game"):
            await search
        await deletion
        assert lobby.rooms == 0 and list(tmp_path.glob(f"{room.id}*")) == []
        await lobby.close()

    asyncio.run(main())
