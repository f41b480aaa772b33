"""The server over HTTP and WebSockets: turns, tokens, origins, limits, restarts, and bots that do not answer."""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from warlight_env import Game, Rules, maps
from warlight_env.cli import main
from warlight_env.protocol.view_transfer import QueriedPosition, WorkerSetup
from warlight_env.record import GameLog, verify
from warlight_env.web.games import game_loop
from warlight_env.web.games.lobby import Lobby
from warlight_env.web.storage.game_folder import GameFolder
from warlight_env.web.workers.bot_process import BotQuery
from warlight_env.web.workers.bot_workers import BotWorkers
from web_helpers import YOU, Server, needs_page, serving

pytestmark = needs_page


def make(server: Server, **fields: object) -> dict:
    body = {"players": [{"name": "Ann"}, {"bot": "aggressive"}], "map": "small", "picks": "random", **fields}
    answer = server.client().post("games", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def hold(round: int) -> dict:
    return {"round": round, "deploys": [], "attacks": []}


def test_a_complete_game_is_played_and_its_log_verifies(server: Server):
    played = server.begin(YOU, "aggressive", seed=3)
    client = played.client(played.token(0))
    with played.feed(played.game, played.token(0)) as feed:
        offers = feed.now(phase="pick")["you"]["offers"]
        assert client.post(f"games/{played.game}/picks", json={"wishes": offers[:2]}).status_code == 200
        feed.event("picks")
        number = 0
        while True:
            number += 1
            answer = client.post(f"games/{played.game}/orders", json=hold(number))
            assert answer.status_code == 200, answer.text
            assert feed.event("round")["round"] == number
            if feed.now(round=number)["phase"] == "over":
                break
        end = feed.events[-1]
    assert end["event"] == "end"
    assert end["winner"] == 1
    log = GameLog.load(server.folder / f"{played.game}.wl.jsonl")
    assert log.complete
    assert verify(log) == []
    assert log.names == ("You", "aggressive")
    assert end["rounds"] == number == len(log.rounds)


def test_illegal_orders_are_rejected_with_reasons(server: Server):
    game = make(server, seed=5)
    client, url = server.client(game["tokens"]["0"]), f"games/{game['id']}/orders"
    with server.feed(game["id"], game["tokens"]["0"]) as feed:
        start = feed.event("start")
        home = start["owner"].index(0)
        other = start["owner"].index(1)
        bad = {"round": 1, "deploys": [[home, 99], [other, 1]], "attacks": [[home, home, 1]]}
        answer = client.post(url, json=bad)
        assert answer.status_code == 422
        reasons = {(d["kind"], d["index"]) for d in answer.json()["details"]}
        assert reasons == {("deploy", 0), ("deploy", 1), ("attack", 0)}
        assert client.post(url, json=hold(2)).status_code == 409
        assert client.post(url, json=hold(1)).status_code == 200
        assert feed.event("round")["round"] == 1
        assert client.post(url, json=hold(1)).status_code == 409  # round 1 is over
        assert client.post(f"games/{game['id']}/take-back").status_code == 409


def test_a_hotseat_turn_is_final_and_waits_for_the_other_player(server: Server):
    game = make(server, players=[{"name": "Ann"}, {"name": "Bo"}])
    ann, bo = (server.client(game["tokens"][seat]) for seat in "01")
    url = f"games/{game['id']}/orders"
    assert ann.post(url, json=hold(1)).json()["awaited"] == [1]
    assert ann.post(url, json=hold(1)).status_code == 409
    assert ann.post(f"games/{game['id']}/take-back").status_code == 409
    with server.feed(game["id"], game["tokens"]["1"]) as feed:
        assert feed.now()["awaited"] == [1]
        assert bo.post(url, json=hold(1)).status_code == 200
        assert feed.event("round")["round"] == 1


def test_a_token_gives_access_to_its_seat_only(server: Server):
    one, other = make(server, seed=1), make(server, seed=1)
    url = f"games/{one['id']}"
    assert server.client(one["tokens"]["0"]).get(url).json()["seat"] == 0
    for token in ("", "x" * 24, other["tokens"]["0"]):
        assert server.client(token).get(url).status_code == 404
        with server.feed(one["id"], token) as feed:
            assert feed.message()["type"] == "error"
            with pytest.raises(ConnectionClosed):
                feed.message()
    assert server.client(one["tokens"]["0"]).get("games/../../etc").status_code == 404
    assert "seed" not in server.client(one["tokens"]["0"]).get(url).json()
    watched = make(server, players=[{"bot": "random"}, {"bot": "random"}])
    assert watched["tokens"] == {}
    spectator = server.client(watched["watch"])
    assert spectator.get(f"games/{watched['id']}").json()["seat"] is None
    assert spectator.post(f"games/{watched['id']}/orders", json=hold(1)).status_code == 403


def test_requests_from_other_origins_and_hosts_are_rejected(server: Server):
    body = {"players": [{"name": "Ann"}, {"bot": "random"}]}
    with server.client() as client:
        assert client.post("games", json=body, headers={"origin": "http://evil.example"}).status_code == 403
        assert client.get("home", headers={"host": "evil.example"}).status_code == 421
        assert client.post("games", json=body, headers={"origin": server.base}).status_code == 200
        other_scheme = server.base.replace("http:", "https:")
        assert client.post("games", json=body, headers={"origin": other_scheme}).status_code == 403
        assert client.post("games", json=body, headers={"origin": "null"}).status_code == 403
    game = make(server)
    url = f"{server.base.replace('http', 'ws')}/api/games/{game['id']}/feed"
    with pytest.raises(InvalidStatus):
        connect(url, origin="http://evil.example")  # type: ignore[arg-type]
    with pytest.raises(InvalidStatus):
        connect(url, origin=server.base.replace("http:", "https:"))  # type: ignore[arg-type]
    with connect(url, origin=server.base):  # type: ignore[arg-type]
        pass


def test_invalid_and_too_large_requests_are_rejected(server: Server):
    client = server.client()
    two = [{"name": "Ann"}, {"bot": "random"}]
    for bad in (
        {"players": two[:1]},
        {"players": two * 4},
        {"players": [{"name": "x" * 33}, two[1]]},
        {"players": [{"name": "a\u202eb"}, two[1]]},
        {"players": [two[0], {"bot": "mcts:weights=/etc/passwd"}]},
        {"players": two, "map": "../../etc/passwd"},
        {"players": two, "map": "/etc/passwd.json"},
        {"players": two, "rules": "nonsense"},
        {"players": two, "seed": -1},
        {"players": two, "pace": "NaN"},
        {"players": two, "unknown": 1},
    ):
        answer = client.post("games", json=bad)
        assert answer.status_code == 422, bad
        assert answer.json()["error"]
    assert client.post("games", content=b"x" * 70_000).status_code == 413
    assert client.post("games", content=b"{not json").status_code == 422
    assert client.post("replays", content=b"no log").status_code == 422
    game = make(server)
    player = server.client(game["tokens"]["0"])
    for row in ([0, 1.5], [0, True], [-1, 1], [0, 10**9], [0], "x"):
        answer = player.post(f"games/{game['id']}/orders", json={"round": 1, "deploys": [row], "attacks": []})
        assert answer.status_code == 422, row


def test_a_websocket_must_send_one_message_with_a_token(server: Server):
    game = make(server)
    url = f"{server.base.replace('http', 'ws')}/api/games/{game['id']}/feed"
    for hello in ("", "[]", "{}", '{"token": 3}', '{"token":"x","after":"y"}', "x" * 5000):
        with connect(url) as socket:
            socket.send(hello)
            assert json.loads(socket.recv(10))["type"] == "error"
    with server.feed(game["id"], game["tokens"]["0"]) as feed:
        feed.now()
        feed.socket.send("anything")
        with pytest.raises(ConnectionClosed):
            feed.event("nothing of the kind")


def test_requests_need_the_servers_token(server: Server, tmp_path: Path):
    with serving(tmp_path, "play", "--vs", "random", "--map", "small", "--host", "0.0.0.0") as for_others:
        assert for_others.process.stdout is not None
        output = for_others.process.stdout.readline()
        reach = for_others.client().get("home").json()["reach"]
        assert reach.startswith("http://") and reach.endswith(for_others.base.rpartition(":")[2])
        assert f"{reach}/" in output and "There is no encryption" in output and for_others.key not in output
        assert server.client().get("home").json()["reach"] is None, "it is for this machine alone"
        for each in (server.begin(), for_others):
            assert len(each.key) >= 20
            assert httpx.get(f"{each.base}/", verify=False).status_code == 200  # the page contains no data
            seat = {"authorization": f"Bearer {each.token(0)}"}
            for wrong in ({}, {"x-warlight-token": "wrong"}, {"x-warlight-token": ""}, {"x-warlight-token": b"\xe9"}):
                for path in ("home", f"games/{each.game}", f"games/{each.game}/replay", "tournaments/x", "nothing"):
                    answer = httpx.get(f"{each.base}/api/{path}", headers={**seat, **wrong}, verify=False)
                    assert answer.status_code == 401, (path, wrong)
                    assert "open the address that the server printed" in answer.json()["error"]
            assert each.client().get("home").status_code == 200
            for key in ("", "wrong", "\xe9"):
                url = f"{each.base.replace('http', 'ws')}/api/games/{each.game}/feed"
                with connect(url) as socket:
                    socket.send(json.dumps({"token": each.token(0), "key": key}))
                    assert json.loads(socket.recv(10))["status"] == 401


def test_the_list_of_games_contains_no_tokens_of_seats(server: Server):
    game = make(server, players=[{"name": "Ann"}, {"name": "Bo"}])
    bots = make(server, players=[{"bot": "random"}, {"bot": "random"}], pace=0.05)
    server.client(game["tokens"]["0"]).post(f"games/{game['id']}/orders", json=hold(1))
    with server.feed(bots["id"], bots["watch"]) as feed:
        feed.event("round")
    home = server.client(game["tokens"]["0"]).get("home")
    assert game["id"] in home.text
    assert not any(token in home.text for token in game["tokens"].values())
    watched = next(row for row in home.json()["games"] if row["id"] == bots["id"])
    assert watched["watch"] == bots["watch"]  # all users may watch bots
    assert all(row["watch"] is None for row in home.json()["games"] if row["id"] == game["id"])


def test_a_folder_of_games_has_one_server_at_a_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with serving(tmp_path, "play", "--vs", "random", "--map", "small") as first:
        before = sorted(path.name for path in tmp_path.iterdir())
        assert main(["play", "--no-browser", "--port", "0", "--log", str(tmp_path)]) == 2
        streams = capsys.readouterr()
        assert streams.out == ""
        (error,) = streams.err.splitlines()
        assert str(tmp_path) in error
        assert f"process {first.process.pid}" in error
        assert first.base.rpartition(":")[2] in error  # the address
        assert re.search(r"since \d{4}-\d\d-\d\d \d\d:\d\d", error)
        assert sorted(path.name for path in tmp_path.iterdir()) == before  # for killed servers see below


def test_a_restarted_server_continues_the_games_of_a_killed_server(tmp_path: Path):
    """One game has completed rounds. In the other one, a player has committed and the other has not."""
    with serving(tmp_path, "play", "--vs", "random", "--seed", "9") as first:
        two = make(first, players=[{"name": "Ann"}, {"name": "Bo"}], picks="choose", seed=3)
        for seat in "01":
            with first.feed(two["id"], two["tokens"][seat]) as feed:
                preferences = feed.now(phase="pick")["you"]["offers"][:2]
            answer = first.client(two["tokens"][seat]).post(f"games/{two['id']}/picks", json={"wishes": preferences})
            assert answer.status_code == 200
        with first.feed(two["id"], two["tokens"]["0"]) as feed:
            feed.now(phase="play")
        assert first.client(two["tokens"]["0"]).post(f"games/{two['id']}/orders", json=hold(1)).status_code == 200
        game, token, port = first.game, first.token(0), int(first.base.rpartition(":")[2])
        client = first.client(token)
        with first.feed(game, token) as feed:
            offers = feed.now(phase="pick")["you"]["offers"]
            client.post(f"games/{game}/picks", json={"wishes": offers[:2]})
            events = [feed.event("picks")]
            for number in (1, 2, 3):
                client.post(f"games/{game}/orders", json=hold(number))
                events.append(feed.event("round"))
        first.kill()
    log = tmp_path / f"{game}.partial.wl.jsonl"
    with open(log, "ab") as file:
        file.write(b'{"event":"round","round":4,"ord')  # as if the server was killed during a write
    with serving(tmp_path, "play", "--vs", "random", port=port) as second:
        assert second.key == first.key  # open pages still have access
        assert os.stat(tmp_path / "server.token").st_mode & 0o077 == 0
        assert second.client(two["tokens"]["1"]).get(f"games/{two['id']}").json()["awaited"] == [1]
        client = second.client(token)
        with second.feed(game, token, after=events[1]["n"]) as feed:
            assert [feed.event() for _ in range(2)] == events[2:]
            assert feed.now(phase="play")["round"] == 3
            assert client.post(f"games/{game}/orders", json=hold(4)).status_code == 200
            assert feed.event("round")["round"] == 4
        assert game in [g["id"] for g in client.get("home").json()["games"]]
    assert verify(GameLog.load(log)) == []
    assert os.stat(tmp_path / f"{game}.seats.json").st_mode & 0o077 == 0


def test_state_messages_contain_the_latest_known_win_probabilities(tmp_path: Path):
    async def state_chances() -> list[object]:
        lobby = Lobby(GameFolder(tmp_path), workers=1)
        bots = [("one", "random"), ("other", "random")]
        room = await lobby.create_game(bots, maps.load("small"), Rules.of("thesis"), seed=1, picks="random")
        await game_loop.stop(room)
        answers = []
        for room.win_probabilities in ([], [None], [[[0.5, 0.4, 0.6]]], [[[0.5, 0.4, 0.6]], None, None]):
            answers.append(room.live_state(None)["chances"])
        await lobby.close()
        return answers

    latest = (0, [[0.5, 0.4, 0.6]])
    assert asyncio.run(state_chances()) == [None, None, latest, latest]


def test_a_game_between_bots_runs_while_it_has_a_viewer(server: Server):
    game = make(server, players=[{"bot": "aggressive"}, {"bot": "random"}], pace=0.1)
    client = server.client(game["watch"])
    with server.feed(game["id"], game["watch"]) as feed:
        assert feed.event("round")["round"] == 1
        assert client.post(f"games/{game['id']}/control", json={"paused": True}).status_code == 200
        feed.now(paused=True)
        client.post(f"games/{game['id']}/control", json={"paused": False, "pace": 0.05})
        feed.event("end")
        assert feed.now(phase="over")["chances"][1][0][0] >= 0
    replay = client.get(f"games/{game['id']}/replay").json()
    rounds = [event for event in replay["events"] if event["event"] == "round"]
    assert replay["chances"] is None  # they are computed after the answer
    chances = client.get(f"games/{game['id']}/chances").json()
    assert len(chances) == len(rounds) + 1
    assert all(sum(share for share, _, _ in shares) == pytest.approx(1, abs=1e-3) for shares in chances)
    branched = client.post(
        f"games/{game['id']}/branch", json={"round": 2, "players": [{"name": "Ann"}, {"bot": "random"}]}
    ).json()
    with server.feed(branched["id"], branched["tokens"]["0"]) as feed:
        assert feed.now(phase="play")["round"] == 2


def test_rounds_missed_during_a_pause_are_not_played_afterwards(server: Server):
    game = make(server, players=[{"bot": "random"}, {"bot": "random"}], pace=1.0)
    client = server.client(game["watch"])
    with server.feed(game["id"], game["watch"]) as feed:
        feed.event("round")
        client.post(f"games/{game['id']}/control", json={"paused": True})
        feed.now(paused=True)
        time.sleep(2.2)  # two rounds would have been due
        client.post(f"games/{game['id']}/control", json={"paused": False})
        played = feed.event("round")["round"]
        time.sleep(0.5)
        client.post(f"games/{game['id']}/control", json={"paused": True})
        assert feed.now(paused=True)["round"] == played, "one at once, and the next a second later"


def test_insight_uses_only_the_players_view(server: Server):
    game = make(server, fog=True, seed=3)
    client = server.client(game["tokens"]["0"])
    answer = client.post(f"games/{game['id']}/insight", json={"bot": "mcts:sims=457"}).json()
    assert answer["data"]["simulations"] == [228] and answer["data"]["trials"] == 229
    assert sum(c["visits"] for c in answer["data"]["candidates"] if not c.get("refined")) == 228
    assert all(low <= p <= high for p, low, high in answer["chances"])
    refused = client.post(f"games/{game['id']}/insight", json={"bot": "mcts:sims=457", "seat": 1})
    assert refused.status_code == 422
    assert client.get(f"games/{game['id']}/replay").status_code == 409
    with server.feed(game["id"], game["tokens"]["0"]) as feed:
        client.post(f"games/{game['id']}/orders", json={**hold(1), "hint": "full"})
        assert feed.event("insight")["data"] == {"hint": "full"}  # the log contains the used hints


def test_a_bot_process_without_an_answer_is_replaced():
    game = Game("small", seed=1, picks="random")
    setup = WorkerSetup.for_game(game.map, game.rules, 2)
    position = QueriedPosition.from_view(game.view(0))

    async def ask() -> None:
        bot_workers = BotWorkers(1, limit=lambda question, first: 0.5 if question.spec == "mcts:secs=600" else 120.0)
        try:
            assert (await bot_workers.ask(BotQuery(setup, position, "aggressive"))).error is None
            began = time.monotonic()
            late = await bot_workers.ask(BotQuery(setup, position, "mcts:secs=600"))
            assert "no answer" in (late.error or "")
            assert time.monotonic() - began < 300
            again = await bot_workers.ask(BotQuery(setup, position, "aggressive"))
            assert again.error is None
            assert sum(n for _, n in again.orders.deploys) == position.income
            broken = await bot_workers.ask(BotQuery(setup, position, "mcts:weights=/nowhere.json"))
            assert "WeightsError" in (broken.error or "")
        finally:
            await bot_workers.close()

    asyncio.run(ask())
