"""Games that end before a result by the rules: resignations, agreed draws, and their entries in the log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from warlight_env.record import GameLog, LoggedDraw, LoggedFailure, verify
from web_helpers import Server, needs_page, serving

pytestmark = needs_page

THREE = [{"name": "Ann"}, {"name": "Bo"}, {"name": "Cy"}]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("games")
    with serving(folder, "play", "--vs", "random", "--map", "small", errors=folder / "errors.txt") as running:
        yield running


def make(server: Server, players: list[dict[str, str]], **fields: Any) -> dict[str, Any]:
    body = {"players": players, "map": "small", "picks": "random", "seed": 5, **fields}
    answer = server.client().post("games", json=body)
    assert answer.status_code == 200, answer.text
    made: dict[str, Any] = answer.json()
    return made


def act(server: Server, game: dict[str, Any], seat: int, what: str, body: Any = None) -> Any:
    return server.client(game["tokens"][str(seat)]).post(f"games/{game['id']}/{what}", json=body or {})


def hold(server: Server, game: dict[str, Any], seats: str, number: int) -> None:
    for seat in seats:
        answer = act(server, game, int(seat), "orders", {"round": number, "deploys": [], "attacks": []})
        assert answer.status_code == 200, answer.text


def folder_of(server: Server) -> Path:
    return server.folder


def log_of(server: Server, game: dict[str, Any]) -> GameLog:
    folder = folder_of(server)
    complete = folder / f"{game['id']}.wl.jsonl"
    return GameLog.load(complete if complete.exists() else folder / f"{game['id']}.partial.wl.jsonl")


def test_a_resignation_against_a_bot_ends_the_game(server: Server):
    game = make(server, [{"name": "Ann"}, {"bot": "random"}])
    with server.feed(game["id"], game["tokens"]["0"]) as feed:
        hold(server, game, "0", 1)
        feed.event("round")
        assert act(server, game, 0, "resign").status_code == 200
        failure = feed.event("failure")
        assert (failure["player"], failure["round"], failure["reason"]) == (0, 2, "resigned")
        end = feed.event("end")
        assert (end["winner"], end["placements"], end["cut_off"]) == (1, [2, 1], False)
        assert feed.now(phase="over")["you"]["alive"] is False
    assert act(server, game, 0, "resign").status_code == 409
    assert act(server, game, 0, "orders", {"round": 2, "deploys": [], "attacks": []}).status_code == 409
    log = log_of(server, game)
    assert log.complete and verify(log) == []
    assert log.failures == (LoggedFailure(0, 2, "resigned"),)
    assert len(log.rounds) == 1
    row = next(row for row in server.client().get("home").json()["games"] if row["id"] == game["id"])
    assert row["over"] and row["winner"] == 1


def test_players_can_resign_during_the_picks(server: Server):
    game = make(server, [{"name": "Ann"}, {"name": "Bo"}], picks="choose")
    assert act(server, game, 1, "resign").status_code == 200
    with server.feed(game["id"], game["tokens"]["0"]) as feed:
        assert feed.event("end")["winner"] == 0
    log = log_of(server, game)
    assert log.failures == (LoggedFailure(1, 0, "resigned"),)
    assert verify(log) == []


def test_the_others_continue_after_one_of_three_players_resigns(server: Server):
    game = make(server, THREE)
    with server.feed(game["id"], game["tokens"]["0"]) as feed:
        hold(server, game, "012", 1)
        start = feed.event("round")
        hold(server, game, "1", 2)  # this turn does not count after the resignation
        assert act(server, game, 1, "resign").status_code == 200
        now = feed.now(resigned=[1])
        assert now["awaited"] == [0, 2] and now["out"] == []
        assert act(server, game, 1, "orders", {"round": 2, "deploys": [], "attacks": []}).status_code == 409
        hold(server, game, "02", 2)
        feed.event("round")
        assert feed.event("failure")["player"] == 1
        hold(server, game, "02", 3)
        assert feed.event("round")["round"] == 3
        assert act(server, game, 2, "resign").status_code == 200
        end = feed.event("end")
        assert (end["winner"], end["placements"], end["rounds"]) == (0, [1, 3, 2], 3)
    log = log_of(server, game)
    assert verify(log) == []
    assert log.failures == (LoggedFailure(1, 2, "resigned"), LoggedFailure(2, 4, "resigned"))
    assert log.rounds[1].orders[1] is None and log.rounds[2].orders[1] is None
    assert start["round"] == 1
    assert 1 in list(log.positions())[-1][0], "its regions stay as they are"


def test_a_resignation_and_an_agreed_draw_survive_a_killed_server(tmp_path: Path):
    line = ("play", "--vs", "random", "--map", "small")
    with serving(tmp_path, *line) as first:
        (game, later), (pair, agreed) = ([make(first, players) for _ in range(2)] for players in (THREE, THREE[:2]))
        for one in (game, later):
            hold(first, one, "012", 1)
            assert act(first, one, 1, "resign").status_code == 200
        with first.feed(later["id"], later["tokens"]["0"]) as feed:
            hold(first, later, "02", 2)
            assert feed.event("failure")["round"] == 2
        assert act(first, pair, 0, "draw", {"agree": True}).json()["over"] is False
        assert act(first, agreed, 1, "draw", {"agree": True}).json()["over"] is False
        assert act(first, agreed, 0, "draw", {"agree": True}).json()["over"] is True
        first.kill()
    with serving(tmp_path, *line) as second:
        with second.feed(game["id"], game["tokens"]["0"]) as feed:
            assert feed.now()["resigned"] == [1]
            hold(second, game, "02", 2)
            assert feed.event("failure")["round"] == 2
        assert act(second, pair, 1, "draw", {"agree": True}).json()["over"] is False  # both must agree again
        assert act(second, pair, 0, "draw", {"agree": True}).json()["over"] is True
        with second.feed(later["id"], later["tokens"]["0"]) as feed:
            feed.now(resigned=[1])
            assert [event["event"] for event in feed.events] == ["start", "round", "round", "failure"]
            hold(second, later, "02", 3)
            feed.event("round")
        with second.feed(agreed["id"], agreed["tokens"]["0"]) as feed:
            assert feed.event("end")["winner"] is None
        with second.feed(pair["id"], pair["tokens"]["0"]) as feed:
            feed.event("end")
    for made in (game, later, pair, agreed):
        name = next(tmp_path.glob(f"{made['id']}*.wl.jsonl"))
        assert verify(GameLog.load(name)) == []


def test_a_draw_needs_the_agreement_of_all_remaining_players(server: Server):
    game = make(server, THREE)
    with server.feed(game["id"], game["tokens"]["2"]) as feed:
        hold(server, game, "012", 1)
        act(server, game, 1, "resign")
        assert act(server, game, 1, "draw", {"agree": True}).status_code == 409
        act(server, game, 0, "draw", {"agree": True})
        assert feed.now(draw=[0])
        act(server, game, 0, "draw", {"agree": False})
        assert act(server, game, 2, "draw", {"agree": True}).json() == {"ok": True, "over": False}
        assert act(server, game, 0, "draw", {"agree": True}).json() == {"ok": True, "over": True}
        end = feed.event("end")
        assert (end["winner"], end["placements"], end["cut_off"]) == (None, [1, 3, 1], False)
    log = log_of(server, game)
    assert log.draw == LoggedDraw(1, (0, 2))
    assert verify(log) == []


def test_a_draw_offer_ends_with_the_round_and_bots_accept_none(server: Server):
    game = make(server, [{"name": "Ann"}, {"name": "Bo"}])
    act(server, game, 0, "draw", {"agree": True})
    hold(server, game, "01", 1)
    with server.feed(game["id"], game["tokens"]["0"]) as feed:
        assert feed.now(round=1)["draw"] == []
    assert act(server, game, 1, "draw", {"agree": True}).json()["over"] is False
    alone = make(server, [{"name": "Ann"}, {"bot": "random"}])
    assert "bots" in act(server, alone, 0, "draw", {"agree": True}).json()["error"]


def test_a_rematch_has_the_same_players_map_and_rules_and_another_seed(server: Server):
    players = [{"name": "Ann"}, {"name": "Bob the bot", "bot": "random"}]
    game = make(server, players, map="generated", regions=30, rules="challenge1", fog=True, picks="choose")
    assert act(server, game, 0, "rematch").status_code == 409
    act(server, game, 0, "resign")
    again = act(server, game, 0, "rematch").json()
    assert set(again["tokens"]) == {"0"} and again["tokens"]["0"] != game["tokens"]["0"]
    headers = []
    for made in (game, again):
        header = log_of(server, made).header
        headers.append((header.players, header.rules, header.map.digest(), header.picks))
    assert headers[0] == headers[1]
    assert log_of(server, game).header.seed != log_of(server, again).header.seed


def test_replay_reports_a_draw_and_verify_checks_it(server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    from warlight_env.cli import main

    game = make(server, [{"name": "Ann"}, {"name": "Bo"}])
    hold(server, game, "01", 1)
    for seat in (0, 1):
        act(server, game, seat, "draw", {"agree": True})
    file = folder_of(server) / f"{game['id']}.wl.jsonl"
    with server.feed(game["id"], game["tokens"]["0"]) as feed:
        feed.event("end")
    assert main(["replay", str(file), "--text"]) == 0
    assert "1 Ann, 2 Bo agreed on a draw" in capsys.readouterr().out
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    lines[-2]["players"] = [0]
    wrong = tmp_path / "wrong.wl.jsonl"
    wrong.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert "agreed on a draw" in str(verify(GameLog.load(wrong))[0])


def test_equal_names_get_numbers_and_the_last_resignation_ends_the_game(server: Server):
    players = [{"name": "Eva"}, {"name": "Eva"}, {"bot": "random"}, {"bot": "random"}]
    made = server.client().post("games", json={"players": players, "map": "small", "picks": "random"}).json()
    first, second = (server.client(made["tokens"][seat]) for seat in "01")
    names = [player["name"] for player in first.get(f"games/{made['id']}").json()["players"]]
    assert names == ["Eva", "Eva 2", "Pip", "Pip 2"]
    path = f"games/{made['id']}/resign"
    assert first.post(path, json={}).json()["over"] is False
    assert second.post(path, json={}).json()["over"] is False  # the bots play on
    alone = [{"name": "Ann"}, {"name": "Bo"}]
    made = server.client().post("games", json={"players": alone, "map": "small", "picks": "random"}).json()
    assert server.client(made["tokens"]["0"]).post(f"games/{made['id']}/resign", json={}).json()["over"] is True
