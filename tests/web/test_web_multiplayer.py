"""Games with friends over HTTP: invitations, spectators, withdrawn turns, clocks, rematches."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from warlight_env import Rules, maps
from warlight_env.engine.orders import Orders
from warlight_env.record import GameLog, verify
from warlight_env.web.errors import RequestError
from warlight_env.web.games import turn_clock, turn_commands
from warlight_env.web.games.lobby import Lobby, SeatOptions
from warlight_env.web.games.room import Room
from warlight_env.web.games.turn_clock import TurnClock
from warlight_env.web.storage import saved_game
from warlight_env.web.storage.game_folder import GameFolder
from warlight_env.web.storage.submitted_turns import SubmittedTurns
from web_helpers import Feed, Server, needs_page, serving

pytestmark = needs_page

FRIENDS = [{"name": "Ann"}, {"name": "Bo", "friend": True}, {"name": "Cy", "friend": True}]


def make(server: Server, players: list[dict[str, Any]] = FRIENDS, **fields: Any) -> dict[str, Any]:
    body = {"players": players, "map": "small", "picks": "random", "seed": 4, **fields}
    answer = server.client().post("games", json=body)
    assert answer.status_code == 200, answer.text
    made: dict[str, Any] = answer.json()
    return made


def hold(number: int = 1) -> dict[str, Any]:
    return {"round": number, "deploys": [], "attacks": []}


def guest(server: Server, token: str) -> httpx.Client:
    """Return a client with a token of a game, but without the server's token."""
    return httpx.Client(
        base_url=f"{server.base}/api/", headers={"authorization": f"Bearer {token}"}, timeout=30, verify=False
    )


def test_only_the_creator_of_a_game_receives_its_invitations(server: Server):
    game = make(server)
    assert (set(game["tokens"]), set(game["invites"]), game["kind"]) == ({"0"}, {"1", "2"}, "together")
    secrets = [*game["tokens"].values(), *game["invites"].values(), game["spectate"]]
    assert len(set(secrets)) == 4
    lists = server.client().get("home").text + server.client().get("library").text
    assert game["id"] in lists and not any(secret in lists for secret in secrets)
    for seat, token in [*game["tokens"].items(), *game["invites"].items()]:
        document = server.client(token).get(f"games/{game['id']}")
        assert (document.json()["seat"], document.json()["friends"]) == (int(seat), [1, 2])
        assert not any(secret in document.text for secret in secrets)
    for players in ([{"name": "Ann", "friend": True}, {"bot": "random"}], [{"name": "Ann", "friend": True}] * 2):
        assert server.client().post("games", json={"players": players, "map": "small"}).status_code == 422


def test_an_invitation_gives_access_to_its_seat_only(server: Server):
    game, other = make(server), make(server)
    bo, place = guest(server, game["invites"]["1"]), f"games/{game['id']}"
    response = bo.get(place)
    assert response.status_code == 200 and response.headers["x-warlight-guest"] == "yes"
    assert response.json()["seat"] == 1 and "seed" not in response.json()
    assert "x-warlight-guest" not in server.client(game["invites"]["1"]).get(place).headers
    with connect(f"{server.base.replace('http', 'ws')}/api/{place}/feed") as socket:
        socket.send(json.dumps({"token": game["invites"]["1"], "key": ""}))
        feed = Feed(socket)
        assert feed.now()["you"]["in"] is False
        assert bo.post(f"{place}/orders", json=hold()).status_code == 200
        assert feed.now(awaited=[0, 2])["you"]["in"] is True
        assert bo.post(f"{place}/take-back").status_code == 200
        assert bo.post(f"{place}/replay").status_code == 405
        assert bo.get(f"{place}/replay").status_code == 409
    for method, path, body in (
        ("GET", "home", None), ("GET", "library", None), ("GET", "tournaments/x", None), ("POST", "replays", {}),
        ("POST", "games", {"players": FRIENDS}), ("POST", f"{place}/insight", {"bot": "random"}),
        ("POST", f"{place}/branch", {"round": 0, "players": FRIENDS}), ("POST", f"{place}/start", {}),
        ("POST", f"{place}/control", {"paused": True}), ("POST", f"{place}/name", {"name": "x"}),
        ("POST", f"{place}/delete", {}), ("GET", f"games/{other['id']}", None), ("GET", "games/nothing12345", None),
        ("POST", f"games/{other['id']}/orders", hold()), ("GET", f"{place}/nothing", None), ("GET", f"{place}/", None),
    ):  # fmt: skip
        answer = bo.request(method, path, json=body)
        assert answer.status_code == 401, (path, answer.text)
        assert "open the address that the server printed" in answer.json()["error"]
    for token in (game["tokens"]["0"], "x" * 24):  # the token of a seat without an invitation
        assert guest(server, token).get(place).status_code == 401
        with connect(f"{server.base.replace('http', 'ws')}/api/{place}/feed") as socket:
            socket.send(json.dumps({"token": token, "key": "wrong"}))
            assert json.loads(socket.recv(10))["status"] == 401
    assert httpx.get(f"{server.base}/api/{place}", verify=False).status_code == 401


def test_only_guests_with_a_link_of_a_game_can_load_it_from_disk(tmp_path: Path):
    line = ("play", "--vs", "random", "--map", "small")
    with serving(tmp_path, *line) as first:
        game = make(first, clock=300)
        assert guest(first, game["invites"]["2"]).post(f"games/{game['id']}/orders", json=hold()).status_code == 200
        first.kill()
    with serving(tmp_path, *line) as second:
        place = f"games/{game['id']}"
        assert guest(second, game["tokens"]["0"]).get(place).status_code == 401
        assert guest(second, game["spectate"]).get(place).json()["spectator"] is True
        assert guest(second, game["invites"]["1"]).get(place).json()["clock"] == 300
        with second.feed(game["id"], game["tokens"]["0"]) as feed:
            now = feed.now(here=[0], awaited=[0, 1])
            assert now["clock"]["waits"] == [1]  # the other guest has committed a turn
            second.client(game["tokens"]["0"]).post(f"{place}/start")
            while not now["clock"]["runs"]:
                now = feed.now()
            assert now["clock"]["limit"] == 300


def test_spectators_see_only_information_that_all_players_have(server: Server):
    for fog in (False, True):
        game = make(server, fog=fog)
        place, spectator = f"games/{game['id']}", guest(server, game["spectate"])
        assert spectator.get(place).json()["seat"] is None
        assert spectator.post(f"{place}/orders", json=hold()).status_code == 403
        with server.feed(game["id"], game["spectate"]) as feed:
            start = feed.event("start")
            assert (set(start["owner"]) == {-2}) == fog
            assert "you" not in feed.now()
            for token in [*game["tokens"].values(), *game["invites"].values()]:
                server.client(token).post(f"{place}/orders", json=hold())
            round_event = feed.event("round")
            assert round_event["orders"] == [None] * 3 and "hash" not in round_event
            assert round_event["changed"] == [] or not fog
            for token in [*game["invites"].values()]:
                server.client(token).post(f"{place}/resign")
            feed.event("end")
        replay = spectator.get(f"{place}/replay").json()  # after the end, no information is hidden
        assert replay["events"][0]["owner"] != [-2] * len(replay["events"][0]["owner"])
        assert len(spectator.get(f"{place}/chances").json()) == 2  # the positions before and after the only round


def test_a_turn_can_be_withdrawn_until_all_players_have_committed(server: Server):
    game = make(server)
    seats = [server.client(token) for token in [*game["tokens"].values(), *game["invites"].values()]]
    place = f"games/{game['id']}"
    with server.feed(game["id"], game["tokens"]["0"]) as feed:
        start = feed.event("start")
        deploy = [[start["owner"].index(0), 2]]
        seats[0].post(f"{place}/orders", json={**hold(), "deploys": deploy})
        seats[1].post(f"{place}/orders", json=hold())
        assert seats[0].post(f"{place}/take-back").json() == {"deploys": deploy, "attacks": []}
        assert feed.now(awaited=[0, 2])["you"]["in"] is False
        seats[2].post(f"{place}/orders", json=hold())
        seats[0].post(f"{place}/orders", json=hold())
        feed.event("round")
        assert seats[0].post(f"{place}/take-back").status_code == 409
    both = make(server, [{"name": "Ann"}, {"name": "Bo"}])  # at one screen, the next player already enters a turn
    server.client(both["tokens"]["0"]).post(f"games/{both['id']}/orders", json=hold())
    assert server.client(both["tokens"]["0"]).post(f"games/{both['id']}/take-back").status_code == 409


def test_all_viewers_receive_the_list_of_connected_players(server: Server):
    game = make(server)
    with server.feed(game["id"], game["tokens"]["0"]) as feed:
        assert feed.now()["here"] == [0]
        with server.feed(game["id"], game["invites"]["2"]) as other, server.feed(game["id"], game["spectate"]):
            assert feed.now(here=[0, 2], watching=1)
            assert other.now(here=[0, 2], watching=1)
        assert feed.now(here=[0], watching=0)


def test_missing_turns_are_empty_when_the_time_is_over(server: Server):
    folder = server.folder
    game = make(server, clock=2, picks="choose")
    with server.feed(game["id"], game["tokens"]["0"]) as feed:
        assert feed.now(phase="pick")["clock"]["waits"] == [1, 2]
        server.client(game["tokens"]["0"]).post(f"games/{game['id']}/start")
        while not feed.now(phase="pick")["clock"]["runs"]:
            pass
        assert all(preferences for preferences in feed.event("picks")["wishes"] if preferences is not None)
        round_event = feed.event("round")
        assert round_event["round"] == 1 and round_event["orders"][0] == {"deploys": [], "attacks": []}
        errors = [event["data"] for event in feed.events if event["event"] == "insight"]
        assert errors and all("the time was over" in data["error"] for data in errors)
        server.client(game["tokens"]["0"]).post(f"games/{game['id']}/resign")
    log = GameLog.load(next(folder.glob(f"{game['id']}*.wl.jsonl")))
    assert {insight.player for insight in log.rounds[0].insights} == {0, 1, 2}
    assert verify(log) == []


def test_people_at_one_screen_have_no_clock(server: Server):
    players = [{"name": "Ann"}, {"name": "Bo"}, {"name": "Cy", "friend": True}]
    refused = server.client().post("games", json={"players": players, "map": "small", "clock": 60})
    assert refused.status_code == 422 and refused.json()["code"] == "shared-clock"
    for clock in (1, 0, -5, 10**9, "60", 1.5):
        assert server.client().post("games", json={"players": FRIENDS, "clock": clock}).status_code == 422


def test_the_clock_counts_only_while_it_runs(monkeypatch: pytest.MonkeyPatch):
    now = [100.0]
    monkeypatch.setattr(turn_clock, "monotonic", lambda: now[0])
    clock = TurnClock(10)
    clock.begin()
    now[0] += 50
    assert (clock.seconds_left, clock.seconds_to_check, clock.expired) == (10, None, False)
    clock.run(True)
    now[0] += 4
    assert clock.to_dict() == {"limit": 10, "left": 6.0, "runs": True}
    clock.run(False)
    now[0] += 1000
    assert (clock.seconds_left, clock.expired) == (6, False)
    clock.run(True)
    now[0] += 7
    assert clock.seconds_left == -1 and not clock.expired, "pages have a moment to hand in their drafts"
    now[0] += turn_clock.GRACE
    assert clock.expired
    clock.begin()
    assert clock.seconds_left == 10
    assert (TurnClock(None).to_dict(), TurnClock(None).expired) == (None, False)


def test_the_clock_stops_while_no_player_is_connected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    now = [100.0]
    monkeypatch.setattr(turn_clock, "monotonic", lambda: now[0])

    async def main() -> None:
        lobby = Lobby(GameFolder(tmp_path), workers=1)
        people: list[tuple[str, str | None]] = [("Ann", None), ("Bo", None)]
        seat_options = SeatOptions(frozenset([1]), 10)
        small, rules = maps.load("small"), Rules.of("thesis")
        room = await lobby.create_game(people, small, rules, 1, "random", seat_options=seat_options)
        room.start_clock()

        async def view(seat: int, seconds: float) -> Any:
            """Connect a viewer and let time pass; return its feed, which the caller closes."""
            follower = room.feed.follow(seat, -1)
            await anext(follower)
            while not room.clock.to_dict()["runs"] and seat >= 0:  # type: ignore[index]
                await asyncio.sleep(0.01)
            now[0] += seconds
            room.viewers_changed(None)
            await asyncio.sleep(0.05)
            return follower

        watcher = await view(-1, 60)
        assert room.clock.seconds_left == 10
        ann = await view(0, 4)
        assert room.clock.seconds_left == 6
        await ann.aclose()
        while room.clock.to_dict()["runs"]:  # type: ignore[index]
            await asyncio.sleep(0.01)
        now[0] += 100
        assert room.clock.seconds_left == 6 and room.game.round == 0
        turn_commands.submit_orders(room, 0, 1, Orders())
        ann = await view(0, 9)
        while not room.game.round or room.clock.seconds_left < 0:
            await asyncio.sleep(0.01)
        assert room.clock.seconds_left == 10
        for follower in (ann, watcher):
            await follower.aclose()
        await lobby.close()

    asyncio.run(main())


def test_the_remaining_time_survives_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    now = [100.0]
    monkeypatch.setattr(turn_clock, "monotonic", lambda: now[0])

    async def main() -> None:
        people: list[tuple[str, str | None]] = [("Ann", None), ("Bo", None)]
        seat_options = SeatOptions(frozenset([1]), 10)
        lobby = Lobby(GameFolder(tmp_path), workers=1)
        room = await lobby.create_game(
            people, maps.load("small"), Rules.of("thesis"), 1, "random", seat_options=seat_options
        )
        room.start_clock()

        async def view(seconds: float) -> None:
            follower = room.feed.follow(0, -1)
            await anext(follower)
            while not room.clock.to_dict()["runs"]:  # type: ignore[index]
                await asyncio.sleep(0.001)
            now[0] += seconds
            await follower.aclose()

        async def restart() -> Room:
            nonlocal lobby
            await lobby.close()
            now[0] += 1000
            lobby = Lobby(GameFolder(tmp_path), workers=1)
            return (await lobby.find(room.id, room.seats[0].token)).room

        await view(4)
        room = await restart()
        assert room.clock.seconds_left == 6
        turn_commands.submit_orders(room, 0, 1, Orders())
        await view(3)
        room = await restart()
        assert room.clock.seconds_left == 3 and room.awaited == [1]
        turn_commands.submit_orders(room, 1, 1, Orders())
        while not room.game.round:
            await asyncio.sleep(0.001)
        assert room.clock.seconds_left == 10
        room = await restart()
        assert room.clock.seconds_left == 10
        await lobby.close()

    asyncio.run(main())


@pytest.mark.parametrize("spent", ["[]", "-1", "NaN", "1e999", '"a"', "null", "9" * 400])
def test_a_damaged_file_of_turns_restores_the_full_time(spent: str, tmp_path: Path):
    file = SubmittedTurns(tmp_path / "a.turns.json")
    file.save(2, {}, {}, 3.5)
    assert (file.elapsed(2), file.elapsed(3)) == (3.5, 0.0)
    file.path.write_text(f'{{"step": 2, "spent": {spent}}}')
    assert file.elapsed(2) == 0.0


def test_the_clock_stops_for_bots_and_late_turns_cannot_be_withdrawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    now = [100.0]
    monkeypatch.setattr(turn_clock, "monotonic", lambda: now[0])

    async def main() -> None:
        lobby = Lobby(GameFolder(tmp_path), workers=1)
        players = [("Ann", None), ("Bo", "mcts:secs=60")]
        seat_options = SeatOptions(frozenset(), 10)
        room = await lobby.create_game(
            players, maps.load("small"), Rules.of("thesis"), 1, "random", seat_options=seat_options
        )
        follower = room.feed.follow(0, -1)
        await anext(follower)

        async def until(runs: bool) -> None:
            while room.clock.to_dict()["runs"] != runs:  # type: ignore[index]
                await asyncio.sleep(0.01)

        await until(True)
        turn_commands.submit_orders(room, 0, 1, Orders())
        await until(False)
        now[0] += 100
        assert turn_commands.take_back(room, 0) == Orders()
        await until(True)
        assert room.clock.seconds_left == 10 and room.awaited == [0, 1]
        now[0] += 11
        turn_commands.submit_orders(room, 0, 1, Orders())
        with pytest.raises(RequestError, match="cannot take a turn back now"):
            turn_commands.take_back(room, 0)
        assert room.pending == {0: Orders()}
        await follower.aclose()
        await lobby.close()

    asyncio.run(main())


def test_the_clock_of_the_first_turn_waits_for_all_people(server: Server):
    game = make(server, clock=300)
    host, place = server.client(game["tokens"]["0"]), f"games/{game['id']}"
    with server.feed(game["id"], game["tokens"]["0"]) as feed:
        assert feed.now()["clock"] == {"limit": 300, "left": 300.0, "runs": False, "waits": [1, 2]}
        with server.feed(game["id"], game["invites"]["1"]) as other:
            while other.now()["clock"]["waits"] != [2]:
                pass
        host.post(f"{place}/orders", json=hold())  # a turn that is already committed starts no clock
        assert feed.now(awaited=[1, 2])["clock"]["runs"] is False
        with server.feed(game["id"], game["invites"]["2"]) as third:
            while not (clock := third.now()["clock"])["runs"]:
                pass
            assert clock["waits"] == [] and clock["left"] > 299
    forced = make(server, clock=300)
    assert guest(server, forced["invites"]["1"]).post(f"games/{forced['id']}/start").status_code == 401
    assert server.client(forced["spectate"]).post(f"games/{forced['id']}/start").status_code == 403
    with server.feed(forced["id"], forced["tokens"]["0"]) as feed:
        assert not feed.now()["clock"]["runs"]
        assert server.client(forced["tokens"]["0"]).post(f"games/{forced['id']}/start").status_code == 200
        while not (clock := feed.now()["clock"])["runs"]:
            pass
        assert clock["waits"] == []


def test_a_guest_starts_a_rematch_and_the_host_joins_with_its_links(server: Server):
    game = make(server)
    bo = guest(server, game["invites"]["1"])
    assert bo.post(f"games/{game['id']}/rematch").status_code == 409
    for token in game["invites"].values():
        server.client(token).post(f"games/{game['id']}/resign")
    made = bo.post(f"games/{game['id']}/rematch").json()
    assert set(made["tokens"]) == {"1"} and made["invites"] == {}
    host = server.client(game["tokens"]["0"]).post(f"games/{game['id']}/rematch").json()
    assert host["id"] == made["id"] and host["invites"]["1"] == made["tokens"]["1"]


def test_each_viewer_receives_a_rematch_with_the_token_of_its_seat(server: Server):
    game = make(server, clock=300)
    for token in game["invites"].values():
        server.client(token).post(f"games/{game['id']}/resign")
    place = f"games/{game['id']}/rematch"
    assert server.client(game["spectate"]).post(place).status_code == 403
    with server.feed(game["id"], game["invites"]["1"]) as feed, server.feed(game["id"], game["spectate"]) as watcher:
        assert feed.now(phase="over")["rematch"] is None
        again = server.client(game["tokens"]["0"]).post(place).json()
        while (invitation := feed.now()["rematch"]) is None:
            pass
        assert invitation == {"id": again["id"], "seat": 1, "token": again["invites"]["1"]}
        while (link := watcher.now()["rematch"]) is None:
            pass
        assert link == {"id": again["id"], "seat": None, "token": again["spectate"]}
    second = server.client(game["invites"]["1"]).post(place).json()
    assert (second["id"], second["tokens"], second["invites"]) == (again["id"], {"1": again["invites"]["1"]}, {})
    third = server.client(game["tokens"]["0"]).post(place).json()
    assert (third["id"], third["tokens"], third["invites"]) == (again["id"], again["tokens"], again["invites"])
    assert guest(server, again["invites"]["2"]).get(f"games/{again['id']}").json()["clock"] == 300


def test_state_messages_contain_the_rematch_without_reading_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async def main() -> None:
        people: list[tuple[str, str | None]] = [("Ann", None), ("Bo", None)]
        lobby = Lobby(GameFolder(tmp_path), workers=1)
        room = await lobby.create_game(people, maps.load("small"), Rules.of("thesis"), 1, "random")
        token = room.seats[0].token
        turn_commands.resign(room, 1)
        again, new = await lobby.create_rematch(room)
        invitation = {"id": again.id, "seat": 0, "token": again.seats[0].token}
        assert new and room.live_state(0)["rematch"] == invitation
        await lobby.close()
        lobby = Lobby(GameFolder(tmp_path), workers=1)
        room = (await lobby.find(room.id, token)).room
        with monkeypatch.context() as patch:
            patch.setattr(saved_game, "bounded_io", None)  # a state message must not read files
            assert room.live_state(0)["rematch"] == invitation and room.live_state(1)["rematch"]["seat"] == 1
            assert room.live_state(-1)["rematch"]["token"] == again.spectate_token
        await lobby.delete(again.id, invitation["token"])
        assert room.live_state(0)["rematch"] is None
        other, new = await lobby.create_rematch(room)
        assert new and room.live_state(0)["rematch"]["id"] == other.id != again.id
        await lobby.close()

    asyncio.run(main())


def test_a_rematch_survives_eviction_and_does_not_restore_deleted_games(tmp_path: Path):
    async def main() -> None:
        people: list[tuple[str, str | None]] = [("Ann", None), ("Bo", None)]
        lobby = Lobby(GameFolder(tmp_path), max_rooms=1, workers=1)
        room = await lobby.create_game(people, maps.load("small"), Rules.of("thesis"), 1, "random")
        token = room.seats[0].token
        turn_commands.resign(room, 1)
        again, _ = await lobby.create_rematch(room)  # evicts the first game, because the limit is one game
        reloaded = (await lobby.find(room.id, token)).room
        assert reloaded is not room and reloaded.live_state(0)["rematch"]["id"] == again.id
        await lobby.delete(room.id, token)
        await lobby.delete(again.id, again.seats[0].token)
        await lobby.create_rematch(room)  # a request that still has the deleted room
        assert list(tmp_path.glob(f"{room.id}*")) == []
        await lobby.close()

    asyncio.run(main())


def test_variations_are_saved_in_the_room_that_is_in_memory(tmp_path: Path):
    """A request can wait for a bot while its room leaves the memory and another request loads the game again."""

    async def main() -> None:
        people: list[tuple[str, str | None]] = [("Ann", None), ("Bo", None)]
        lobby = Lobby(GameFolder(tmp_path), max_rooms=1, workers=1)
        room = await lobby.create_game(people, maps.load("small"), Rules.of("thesis"), 1, "random")
        token = room.seats[0].token
        turn_commands.resign(room, 1)
        while not room.log.complete:
            await asyncio.sleep(0.01)
        assert await lobby.current(room.id) is room
        await lobby.create_rematch(room)  # evicts the first game, because the limit is one game
        loaded = await lobby.current(room.id)
        assert loaded is not room and loaded.log.complete
        assert (await lobby.find(room.id, token)).room is loaded
        await lobby.delete(room.id, token)
        with pytest.raises(RequestError, match="no such game"):
            await lobby.current(room.id)
        await lobby.close()

    asyncio.run(main())


def test_a_friend_who_starts_a_rematch_receives_only_its_own_token(server: Server):
    game = make(server)
    for token in game["invites"].values():
        server.client(token).post(f"games/{game['id']}/resign")
    place = f"games/{game['id']}/rematch"
    again = server.client(game["invites"]["1"]).post(place).json()
    assert list(again["tokens"]) == ["1"] and again["invites"] == {}
    assert list(server.client(game["tokens"]["0"]).post(place).json()["tokens"]) == ["0"]
