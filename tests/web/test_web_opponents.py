"""Opponents of the page: all agents and users' policies, the games that each supports, and the ladder."""

from __future__ import annotations

import asyncio
import io
import itertools
import json
import pickle
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from tournament_helpers import play_cup

from warlight_env import Rules, maps
from warlight_env.agents import registry
from warlight_env.agents.bot_profile import Level
from warlight_env.agents.players.random import RandomAgent
from warlight_env.agents.registry import agent_names, make_agent, parse
from warlight_env.arena.policies.policy_file import built_in_policies
from warlight_env.cli import main
from warlight_env.record import GameLog, Header, Player
from warlight_env.web.documents.faces import displayed_bot, displayed_names
from warlight_env.web.documents.replay_document import header_fields
from warlight_env.web.http.settings import BOTS
from warlight_env.web.opponents.catalog import Opponents
from warlight_env.web.opponents.leaderboard import LeaderboardError, bundled, make_leaderboard
from warlight_env.web.opponents.supported_games import games_of
from warlight_env.web.opponents.user_policies import UserPolicies
from web_helpers import Server, needs_page, serving


class Trap:
    """An object that creates a file when it is unpickled."""

    def __init__(self, place: str) -> None:
        self.place = place

    def __reduce__(self) -> Any:
        return Path.touch, (Path(self.place),)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a user's policy, and with files that are no valid policies."""
    folder = tmp_path_factory.mktemp("mine")
    (folder / "mine.npz").write_bytes(built_in_policies()["small"].read_bytes())
    (folder / "torn.npz").write_bytes(built_in_policies()["small"].read_bytes()[:5000])
    (folder / "notes.txt").write_text("no policy")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        array = io.BytesIO()
        np.lib.format.write_array(array, np.array([Trap(str(folder / "sprung"))], dtype=object), allow_pickle=True)
        archive.writestr("header.npy", array.getvalue())
        archive.writestr("data.pkl", pickle.dumps(Trap(str(folder / "sprung"))))
    (folder / "trap.npz").write_bytes(packed.getvalue())
    return folder


@pytest.fixture(scope="module")
def server(place: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    line = ("play", "--vs", "random", "--map", "small", "--opponents", str(place))
    with serving(tmp_path_factory.mktemp("games"), *line) as running:
        yield running


def opponents(server: Server) -> dict[str, dict[str, Any]]:
    return {row["spec"]: row for row in server.client().get("home").json()["opponents"]}


def test_all_agents_are_offered_except_those_with_required_options():
    offered = {parse(spec)[0].name for spec in BOTS}
    all_names = {name for name in agent_names() if not name.startswith("test-")}  # other tests register these
    assert all_names - offered == {"cmd", "isolated", "sb3"}  # need a program, an agent, a model
    assert all(make_agent(spec, 1) for spec in BOTS)


def bot_rows(*specs: str) -> dict[str, dict[str, Any]]:
    """Return the data of a server's bots for its page, by specification."""
    server = Opponents(specs, UserPolicies(None, None, None))  # type: ignore[arg-type]
    return {bot.spec: bot.to_dict() for bot in asyncio.run(server.all())}


def test_every_offered_bot_has_a_level_and_a_unique_name_and_face():
    rows = {spec: row for spec, row in bot_rows(*BOTS).items() if row["kind"] == "bot"}
    assert len({row["name"] for row in rows.values()}) == len(rows) == len(BOTS)
    assert len({json.dumps(row["face"]) for row in rows.values()}) == len(rows)
    assert all(row["level"] for row in rows.values())
    assert (rows["nash:secs=5"]["name"], rows["nash:secs=5"]["seconds"]) == ("Athena", 5)
    assert (rows["plan"]["name"], rows["plan"]["seconds"]) == ("Petra", 0)
    assert rows["belief:nash:secs=1"]["seconds"] == 1


def test_bots_with_equal_names_show_their_specifications():
    rows = bot_rows("nash:secs=1", "nash:secs=3", "nash:secs=5")
    assert [row["name"] for row in rows.values() if row["kind"] == "bot"] == [
        "Ada (nash:secs=1)", "Ada (nash:secs=3)", "Athena",
    ]  # fmt: skip


def test_a_bot_without_a_profile_shows_its_specification_and_no_face(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(registry, "_AGENTS", dict(registry._registered_agents()))
    registry.register("mine", lambda: RandomAgent, "Does {as} told.")
    row = bot_rows("mine")["mine"]
    assert (row["name"], row["description"], row["level"], row["face"]) == ("mine", "Does {as} told.", None, None)


def test_players_and_variations_show_the_names_of_the_offered_bots():
    rows = bot_rows("nash:secs=1", "aggressive")
    names = [rows["nash:secs=1"]["name"], rows["aggressive"]["name"]]
    assert [displayed_bot(spec) for spec in ("nash:secs=1", "aggressive")] == names
    assert displayed_names([("nash:secs=1", "nash:secs=1"), ("aggressive 2", "aggressive")]) == [
        names[0],
        f"{names[1]} 2",
    ]
    assert displayed_names([("policy:mine.npz 2", "policy:mine.npz"), ("Ann", None)]) == ["mine 2", "Ann"]
    assert displayed_names([("nash:secs=1", None), ("nash:secs=3", None)]) == ["Ada (nash:secs=1)", "Ada (nash:secs=3)"]


def test_levels_agree_with_the_ratings():
    levels, rows = get_args(Level), bot_rows(*BOTS)
    for part in bundled()["ladders"]:
        elo = {level: [] for level in levels}
        for spec, rating in part["opponents"].items():
            elo[rows[spec]["level"]].append(rating["elo"])
        for weaker, stronger in itertools.pairwise(levels):
            assert max(elo[weaker]) < min(elo[stronger]), part["map"]


def test_documents_of_games_have_the_faces_of_bots():
    players = (Player("Ann"), Player("Attila", "aggressive"), Player("x", "not-here:1"), Player("y", "belief:plan"))
    header = Header(maps.load("world"), Rules.of("thesis"), players, 1, "random", 100, "")
    faces = header_fields(header)["faces"]
    rows = bot_rows("aggressive", "belief:nash:secs=1")
    assert faces == [None, rows["aggressive"]["face"], None, rows["belief:nash:secs=1"]["face"]]
    assert faces[1]["top"] == "horns"


@needs_page
def test_bots_list_their_supported_games_and_other_games_are_rejected(server: Server):
    rows = opponents(server)
    assert (rows["policy:small"]["players"], rows["policy:small"]["regions"]) == ([2, 2], [1, 20])
    assert rows["policy:small"]["rules"] == [["thesis", False], ["thesis_draft", False]]
    assert (rows["nash:secs=1"]["players"], rows["nash:secs=1"]["rules"]) == ([2, 6], None)
    person, small = {"name": "Ann"}, {"bot": "policy:small"}
    for body, reason in (
        ({"players": [person, small]}, "maps of up to 20 regions, not of 42"),
        ({"players": [person, small, small], "map": "small"}, "games of two players, not of 3"),
        ({"players": [person, small], "map": "small", "fog": True}, "fog"),
        ({"players": [person, {"bot": "belief:nash:secs=1"}, {"bot": "plan"}]}, "games of two"),
        ({"players": [person, {"bot": "policy:../mine.npz"}]}, "no bot"),
        ({"players": [person, {"bot": "cmd:true"}]}, "no bot"),
    ):
        answer = server.client().post("games", json=body)
        assert answer.status_code == 422 and reason in answer.json()["error"], answer.text
    made = server.client().post("games", json={"players": [person, small], "map": "small", "picks": "random"})
    assert made.status_code == 200


@needs_page
def test_policies_in_the_users_folder_play_under_their_file_names(server: Server, place: Path):
    rows = opponents(server)
    assert {spec for spec, row in rows.items() if row["kind"] == "file"} == {
        "policy:mine.npz", "policy:torn.npz", "policy:trap.npz",
    }  # fmt: skip
    assert (rows["policy:mine.npz"]["name"], rows["policy:mine.npz"]["face"]) == ("mine", None)
    assert rows["policy:mine.npz"]["regions"] == [1, 20] and not rows["policy:mine.npz"]["problem"]
    assert "cannot be read" in rows["policy:torn.npz"]["problem"]
    assert "cannot be read" in rows["policy:trap.npz"]["problem"]
    assert not (place / "sprung").exists(), "what is in a file is never executed"
    players = [{"name": "Ann"}, {"bot": "policy:mine.npz"}]
    refused = server.client().post("games", json={"players": [players[0], {"bot": "policy:torn.npz"}], "map": "small"})
    assert refused.status_code == 422
    game = server.client().post("games", json={"players": players, "map": "small", "picks": "random"}).json()
    client = server.client(game["tokens"]["0"])
    with server.feed(game["id"], game["tokens"]["0"]) as feed:
        client.post(f"games/{game['id']}/orders", json={"round": 1, "deploys": [], "attacks": []})
        feed.event("round")
    folder = server.folder
    log = GameLog.load(folder / f"{game['id']}.partial.wl.jsonl")
    assert log.rounds[0].orders[1] is not None and log.rounds[0].orders[1].deploys
    assert log.header.players[1].spec == "policy:mine.npz"
    for text in (client.get("home").text, (folder / f"{game['id']}.seats.json").read_text()):
        assert str(place) not in text
    (place / "late.npz").write_bytes(built_in_policies()["small"].read_bytes())
    assert "policy:late.npz" in opponents(server)


def test_the_ladder_rates_offered_bots_and_the_command_prints_it(capsys: pytest.CaptureFixture[str]):
    for part in bundled()["ladders"]:
        assert set(part["opponents"]) <= set(BOTS)
        for spec, row in part["opponents"].items():
            assert row["low"] <= row["elo"] <= row["high"] and row["games"] > 0
            assert parse(row["as"])[0].name == parse(spec)[0].name
            assert "secs" not in row["as"], "ratings do not depend on a machine's speed"
            assert games_of(spec).refusal(part["players"]) == ""
    assert {part["map"] for part in bundled()["ladders"]} <= {"world", "small"}
    assert main(["leaderboard"]) == 0
    output = capsys.readouterr().out
    assert all(row["as"] in output for part in bundled()["ladders"] for row in part["opponents"].values())


def test_a_ladder_is_computed_from_tournaments(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    play_cup(tmp_path / "cup", log=False, maps=(maps.load("small"),))
    out = tmp_path / "ladder.json"
    assert main(["leaderboard", str(tmp_path / "cup"), "--out", str(out)]) == 0
    leaderboard = json.loads(out.read_text())
    assert leaderboard == make_leaderboard([tmp_path / "cup"])
    result = json.loads((tmp_path / "cup" / "tournament.json").read_text())
    (part,) = leaderboard["ladders"]
    assert {name: row["elo"] for name, row in part["opponents"].items()} == {
        row["name"]: round(row["elo"]) for row in result["ratings"]
    }
    capsys.readouterr()
    with pytest.raises(LeaderboardError, match="each map needs exactly one tournament"):
        make_leaderboard([tmp_path / "cup", tmp_path / "cup"])
    result["interrupted"] = True
    (tmp_path / "cup" / "tournament.json").write_text(json.dumps(result))
    assert main(["leaderboard", str(tmp_path / "cup")]) == 2
    assert "games are missing" in capsys.readouterr().err
