"""Variations and studies over the HTTP API: trying turns, comments, files, access and refused input."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from page_helpers import bot_log

from app_helpers import talking
from warlight_env import Game, bounded_io
from warlight_env.record import GameLog, Study, check_variations, game_at, verify
from warlight_env.web.errors import RequestError
from warlight_env.web.storage import study_store
from warlight_env.web.storage.game_folder import FileStamp
from warlight_env.web.storage.study_store import StudyStore
from web_helpers import Server, needs_page, serving

pytestmark = needs_page


def play_to_end(server: Server, **fields: Any) -> tuple[Server, httpx.Client]:
    """Play a game of two rounds on the server; return it, and a client with the token of the player."""
    played = server.begin(**{"seed": 12, "picks": "random", **fields})
    client = server.client(played.token(0))
    with server.feed(played.game, played.token(0)) as feed:
        for number in (1, 2):
            client.post(f"games/{played.game}/orders", json={"round": number, "deploys": [], "attacks": []})
            feed.event("round")
        client.post(f"games/{played.game}/resign")
        feed.event("end")
    return played, client


def download_log(client: httpx.Client, game: str) -> GameLog:
    """Return the downloaded log of a game."""
    return read_log(client.get(f"games/{game}/log").content)


def read_log(data: bytes) -> GameLog:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.wl.jsonl"
        path.write_bytes(gzip.decompress(data))
        return GameLog.load(path)


def first_turn(log: GameLog, round_: int = 0, seat: int = 0) -> dict[str, Any]:
    """Return a request that deploys the whole income on one region."""
    game = game_at(log, round_)
    home = next(r for r in range(game.map.n_regions) if game.owner[r] == seat)
    return {"round": round_, "seat": seat, "deploys": [[home, game.income(seat)]], "attacks": []}


def test_a_tried_turn_becomes_a_part_of_the_log(server: Server):
    played, client = play_to_end(server)
    place = f"games/{played.game}/variations"
    log = download_log(client, played.game)
    assert client.get(place).json()["variations"]["nodes"] == []
    answer = client.post(place, json={**first_turn(log), "reply": "known", "seed": 5}).json()
    assert answer["node"] == 1
    (node,) = answer["variations"]["nodes"]
    assert [node["orders"][1]["deploys"], node["seed"], node["reply"]] == [
        [list(row) for row in log.rounds[0].orders[1].deploys], 5, "known",
    ]  # fmt: skip
    assert sum(share for share, _, _ in node["chances"]) == pytest.approx(1, abs=1e-3)
    deeper = {"parent": 1, "round": 1, "seat": 0, "deploys": [], "attacks": [], "reply": "known"}
    assert client.post(place, json=deeper).json()["node"] == 2
    bot = {**deeper, "parent": 2, "round": 2, "reply": "believed", "bot": "aggressive"}
    made = client.post(place, json=bot).json()
    assert made["variations"]["nodes"][2]["bot"] == "aggressive"
    assert made["variations"]["nodes"][2]["orders"][1]["deploys"]
    client.post(f"{place}/note", json={"node": 2, "name": "Quiet", "comment": "Two\nlines"})
    client.post(f"{place}/note", json={"round": 1, "comment": "The first mistake"})
    again = download_log(client, played.game)
    assert verify(again) == []
    assert again.steps == log.steps
    assert [n.name for n in again.variations.nodes] == ["", "Quiet", ""]
    assert again.variations.note(1).comment == "The first mistake"
    remaining = client.post(f"{place}/delete", json={"node": 2}).json()["variations"]["nodes"]
    assert [n["id"] for n in remaining] == [1]
    replay = client.get(f"games/{played.game}/replay").json()
    assert [n["id"] for n in replay["variations"]["nodes"]] == [1]
    assert all(event["event"] != "variations" for event in replay["events"])
    page = client.get(f"games/{played.game}/file").text
    assert '"comment":"The first mistake"' in page


def test_variations_survive_a_restart_of_the_server(tmp_path: Path):
    line = ("play", "--vs", "random", "--map", "small")
    with serving(tmp_path, *line) as server:
        played, client = play_to_end(server)
        place = f"games/{played.game}/variations"
        client.post(place, json={**first_turn(download_log(client, played.game)), "reply": "known"})
        tree = client.get(place).json()
        server.kill()
    with serving(tmp_path, *line) as server:
        client = server.client(played.token(0))
        assert client.get(place).json() == tree
        with server.feed(played.game, played.token(0)) as feed:
            feed.event("end")  # viewers receive no event of the tree
            assert all(event["event"] != "variations" for event in feed.events)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"seat": 2}, "seat 2: the game has seats 0 to 1"),
        ({"seat": 9}, "seat: "),
        ({"deploys": [[0, 900]]}, "illegal order: player 0, deploy 1"),
        ({"attacks": [[0, 0, 1]]}, "illegal order: player 0, attack 1"),
        ({"parent": 77}, "the tree has no variation 77"),
        ({"round": 9}, "round 9: the log has rounds 0 to 2"),
        ({"round": 2}, "reply 'known': the game has no turns after 2 rounds"),
        ({"reply": "believed"}, "bot is missing"),
        ({"reply": "believed", "bot": "nobody"}, "this server has no bot 'nobody'"),
        ({"reply": "given", "others": [None]}, "others: 1 turns are given for 2 players"),
        ({"reply": "given", "others": [None, {"deploys": [[0, 900]]}]}, "player 1, deploy 1"),
        ({"reply": "guess"}, "reply: "),
        ({"seed": -1}, "seed: "),
        ({"more": 1}, "more: "),
    ],
)
def test_an_impossible_turn_is_rejected_and_changes_nothing(
    ended: tuple[str, httpx.Client], change: dict[str, Any], reason: str
):
    game, client = ended
    place = f"games/{game}/variations"
    before = client.get(place).content
    body = {"round": 0, "seat": 0, "deploys": [], "attacks": [], "reply": "known", **change}
    answer = client.post(place, json=body)
    assert answer.status_code == 422, answer.text
    assert reason in answer.json()["error"]
    assert client.get(place).content == before


@pytest.fixture(scope="module")
def ended(shared_server: Server) -> tuple[str, httpx.Client]:
    """A finished game, and the client of its player."""
    played, client = play_to_end(shared_server)
    return played.game, client


def test_invalid_notes_and_deletions_are_rejected(ended: tuple[str, httpx.Client]):
    game, client = ended
    for path, body, reason in (
        ("note", {"node": 99, "name": "x"}, "variation 99"),
        ("note", {"round": 3, "name": "x"}, "round 3: the log has rounds 0 to 2"),
        ("note", {"round": 0, "name": "a\u0007"}, "cannot be printed"),
        ("note", {"round": 0, "name": "x" * 61}, "name: "),
        ("note", {"round": 0, "comment": "x" * 2001}, "comment: "),
        ("delete", {"node": 99}, "variation 99"),
        ("delete", {}, "node: "),
    ):
        answer = client.post(f"games/{game}/variations/{path}", json=body)
        assert answer.status_code == 422
        assert reason in answer.json()["error"]


def test_only_players_of_a_finished_game_can_change_its_variations(server: Server):
    running = server.begin(seed=8, picks="random")
    turn = {"round": 0, "seat": 0, "deploys": [], "attacks": [], "reply": "given"}
    client = server.client(running.token(0))
    assert client.get(f"games/{running.game}/variations").status_code == 409
    assert client.post(f"games/{running.game}/variations", json=turn).json()["code"] == "no-variations-yet"
    made = server.client().post("games", json={"players": [{"name": "A"}, {"bot": "random"}], "map": "small"}).json()
    client = server.client(made["tokens"]["0"])
    with server.feed(made["id"], made["tokens"]["0"]) as feed:
        client.post(f"games/{made['id']}/resign")
        feed.event("end")
    watching = server.client(made["spectate"])
    assert watching.get(f"games/{made['id']}/variations").status_code == 200
    assert watching.post(f"games/{made['id']}/variations/note", json={"comment": "x"}).status_code == 403
    assert server.client("wrong").get(f"games/{made['id']}/variations").status_code == 404
    stranger = httpx.Client(base_url=f"{server.base}/api/", headers={"authorization": "Bearer x"}, verify=False)
    assert stranger.get(f"games/{made['id']}/variations").status_code == 401
    assert stranger.get("studies").status_code == 401


def test_under_fog_the_bot_replies_in_the_position_that_the_viewer_believes(server: Server):
    played, client = play_to_end(server, fog=True)
    log = download_log(client, played.game)
    turn = {**first_turn(log, 1), "reply": "believed", "bot": "aggressive"}
    place = f"games/{played.game}/variations"
    answer = client.post(place, json=turn)
    assert answer.status_code == 200, answer.text
    (node,) = answer.json()["variations"]["nodes"]
    game, seen = game_at(log, 1), game_at(log, 1).view(0)
    hidden = {r for r in range(game.map.n_regions) if seen.owner[r] == -2}
    changed = {row[0] for row in node.get("believed", [])}
    assert hidden
    assert changed <= hidden
    believed = {r: o for r, o, _ in node.get("believed", [])}
    for region, _ in node["orders"][1]["deploys"]:
        assert believed.get(region, int(game.owner[region])) == 1
    again = download_log(client, played.game)
    check_variations(again.variations, lambda number: game_at(again, number))


def test_a_part_of_a_game_is_exported_as_a_study_and_imported_again(server: Server):
    played, client = play_to_end(server)
    place = f"games/{played.game}/variations"
    client.post(place, json={**first_turn(download_log(client, played.game), 1), "reply": "known"})
    file = client.get(f"{place}/file", params={"round": 1, "title": "Round 2"})
    study = Study.parse(file.content)
    assert (study.title, study.round, len(study.variations.nodes)) == ("Round 2", 1, 1)
    other = client.post(f"{place}/import", content=file.content).json()["variations"]
    assert [node["id"] for node in other["nodes"]] == [1, 2]
    for content, reason in (
        (b"{}", "not a study"),
        (_changed(file.content, "map", "world"), "differs from the map of the file"),
        (_changed(file.content, "position", {**json.loads(file.content)["position"], "round": 2}), "round"),
        (other_study(), "it differs from the map of the game"),
    ):
        answer = client.post(f"{place}/import", content=content)
        assert answer.status_code == 422
        assert reason in answer.json()["error"]
        assert answer.json()["code"] == "study"
    assert client.post(f"{place}/import", content=b" " * (8 << 20) + b"{}").status_code == 413
    assert client.get(place).json()["variations"] == other


def other_study() -> bytes:
    """Return the file of a study of another map."""
    game = Game("world", seed=1, picks="random")
    owner, army = tuple(game.owner.tolist()), tuple(game.army.tolist())
    return Study(game.map, game.rules, ("A", "B"), owner, army, 1).encoded()


def _changed(file: bytes, key: str, value: Any) -> bytes:
    return json.dumps({**json.loads(file), key: value}).encode()


def test_studies_are_created_edited_exported_and_deleted(server: Server):
    client = server.client()
    body = {"title": "Corner", "players": ["Ann", "Bo"], "map": "small", "seed": 4}
    id = client.post("studies", json=body).json()["id"]
    document = client.get(f"studies/{id}").json()
    start = document["events"][0]
    assert (document["study"], len(document["events"])) == ({"title": "Corner", "round": 0}, 1)
    home = start["owner"].index(0)
    turn = {"round": 0, "seat": 0, "deploys": [[home, 3]], "attacks": [], "reply": "believed", "bot": "random"}
    node = client.post(f"studies/{id}/variations", json=turn).json()["node"]
    client.post(f"studies/{id}/variations/note", json={"node": node, "name": "Main line"})
    assert client.post(f"studies/{id}/variations", json={**turn, "reply": "known"}).status_code == 422
    assert client.post(f"studies/{id}/name", json={"name": " The  corner "}).json() == {"name": "The corner"}
    file = client.get(f"studies/{id}/variations/file").content
    study = Study.parse(file)
    assert (study.title, study.variations.nodes[0].name) == ("The corner", "Main line")
    again = client.post("studies/import", content=file).json()["id"]
    assert again != id
    assert client.get(f"studies/{again}/variations/file").content == file
    entries = {entry["id"]: entry for entry in client.get("studies").json()["studies"]}
    assert entries[id] == {
        "id": id, "title": "The corner", "map": "Small", "rules": "thesis", "players": 2, "variations": 1,
    } or entries[id]["variations"] == 1  # fmt: skip
    page = client.get(f"studies/{id}/page")
    assert page.headers["content-type"].startswith("text/html")
    assert '"title":"The corner"' in page.text
    assert client.post(f"studies/{id}/delete").json() == {"ok": True}
    for request in (client.get(f"studies/{id}"), client.post(f"studies/{id}/delete"), client.get("studies/../x")):
        assert request.status_code == 404


def test_a_study_of_an_impossible_position_is_rejected(server: Server):
    client = server.client()
    before = len(client.get("studies").json()["studies"])
    good = {"players": ["Ann", "Bo"], "map": "small", "owner": [0, 1, *[-1] * 8], "army": [2] * 10}
    for change, reason in (
        ({"owner": [0] * 10}, "player 1 is not eliminated, but owns no region"),
        ({"owner": [0] * 10, "round": 1}, "the game is over"),
        ({"owner": [0, 1]}, "2 owners and 10 armies for 10 regions"),
        ({"owner": [0, 1, 2, *[-1] * 7]}, "position: 'owner'"),
        ({"army": [0] * 10}, "army"),
        ({"map": "atlantis"}, "map 'atlantis'"),
        ({"rules": "chess"}, "rules 'chess'"),
        ({"players": ["Ann"]}, "players"),
    ):
        answer = client.post("studies", json={**good, **change})
        assert answer.status_code == 422
        assert reason in answer.json()["error"]
    answer = client.post("studies/import", content=b'{"format":"warlight-study","version":2}')
    assert answer.json()["code"] == "study"
    assert len(client.get("studies").json()["studies"]) == before
    assert client.post("studies", json=good).status_code == 200


def test_variations_of_an_opened_log_are_in_its_downloaded_file(server: Server, tmp_path: Path):
    log = bot_log(rounds=3)
    log.save(tmp_path / "game.wl.jsonl")
    client = server.client()
    data = (tmp_path / "game.wl.jsonl").read_bytes()
    document = client.post("replays", content=data).json()
    place = f"replays/{document['log']}"
    assert document["variations"]["nodes"] == []
    client.post(f"{place}/variations", json={**first_turn(log, 2), "reply": "known"})
    again = read_log(client.get(f"{place}/log").content)
    assert len(again.variations.nodes) == 1
    assert again.steps == log.steps
    assert len(client.post("replays", content=data).json()["variations"]["nodes"]) == 1
    again.save(tmp_path / "again.wl.jsonl")
    text = (tmp_path / "again.wl.jsonl").read_bytes()
    assert len(client.post("replays", content=text).json()["variations"]["nodes"]) == 1
    wrong = text.replace(b'"deploys":[[', b'"deploys":[[0,900],[', 1)
    assert wrong != text
    lines = text.splitlines(keepends=True)
    lines[-1] = lines[-1].replace(b'"deploys":[[', b'"deploys":[[0,900],[', 1)
    answer = client.post("replays", content=b"".join(lines))
    assert answer.status_code == 422
    assert "variation 1: player 0, deploy 1" in answer.json()["error"]


def test_an_entered_turn_is_judged_by_its_win_probability(server: Server):
    log = bot_log(rounds=6)
    data = gzip.compress(b"".join(line + b"\n" for line in _lines(log)))
    client = server.client()
    key = client.post("replays", content=data).json()["log"]
    place = f"replays/{key}/variations/judge"
    played = log.rounds[3].orders[1]
    body = {
        "round": 4,
        "seat": 1,
        "bot": "aggressive",
        "deploys": list(played.deploys),
        "attacks": list(played.attacks),
    }
    same = client.post(place, json=body).json()
    assert (same["gain"], same["passed"]) == (0, False)
    assert same["worth"] == same["played"]
    idle = client.post(place, json={**body, "deploys": [], "attacks": []}).json()
    assert idle["worth"] < same["worth"]
    assert idle["lost"] == pytest.approx(idle["best"] - idle["worth"])
    for change, reason in (
        ({"round": 99}, "round 99"),
        ({"seat": 5}, "seat 5"),
        ({"deploys": [[0, 900]]}, "illegal order"),
        ({"bot": "nobody"}, "no bot"),
    ):
        answer = client.post(place, json={**body, **change})
        assert answer.status_code == 422
        assert reason in answer.json()["error"]


def _lines(log: GameLog) -> list[bytes]:
    from warlight_env.record.encode import log_lines

    return list(log_lines(log))


#: Repetitions of a pair of requests. Without a lock, about half of the pairs fail.
PAIRS = 10
#: A request that tries a round without orders in a study.
IDLE_TURN = {"round": 0, "seat": 0, "deploys": [], "attacks": [], "reply": "given", "others": [None, None]}


def at_once(first: Callable[[], httpx.Response], second: Callable[[], httpx.Response], pause: float = 0.0) -> list[int]:
    """Send two requests, the second one `pause` seconds after the first one; return the status codes."""
    with ThreadPoolExecutor(2) as threads:
        one = threads.submit(first)
        time.sleep(pause)
        two = threads.submit(second)
        return [one.result().status_code, two.result().status_code]


def new_study(client: httpx.Client) -> str:
    answer = client.post("studies", json={"title": "Corner", "players": ["Ann", "Bo"], "map": "small", "seed": 4})
    return str(answer.json()["id"])


def test_concurrent_changes_of_a_study_are_all_saved(server: Server):
    client = server.client()
    for _ in range(PAIRS):
        id = new_study(client)
        codes = at_once(
            lambda id=id: client.post(f"studies/{id}/variations", json=IDLE_TURN),
            lambda id=id: client.post(f"studies/{id}/name", json={"name": "Renamed"}),
        )
        assert codes == [200, 200]
        study = Study.parse(client.get(f"studies/{id}/variations/file").content)
        assert (study.title, len(study.variations.nodes)) == ("Renamed", 1)


def test_a_deleted_study_stays_deleted_during_a_change(server: Server):
    client = server.client()
    for number in range(PAIRS):
        id = new_study(client)
        codes = at_once(
            lambda id=id: client.post(f"studies/{id}/variations", json=IDLE_TURN),
            lambda id=id: client.post(f"studies/{id}/delete"),
            0.002 * number,
        )
        assert codes[0] in (200, 404) and codes[1] == 200
        assert client.get(f"studies/{id}").status_code == 404
        assert not list(server.folder.glob(f"studies/{id}*"))


def test_a_study_that_is_deleted_before_it_is_read_does_not_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    store = StudyStore(tmp_path)
    id, read = store.create(b"text"), bounded_io.read_bytes

    def read_after_deletion(path: Path, *args: Any) -> bytes:
        path.unlink()
        return read(path, *args)

    monkeypatch.setattr(bounded_io, "read_bytes", read_after_deletion)
    with pytest.raises(RequestError, match="there is no such study") as error:
        store.read(id)
    assert error.value.status == 404


def test_a_deleted_game_stays_deleted_during_a_change_of_its_variations(server: Server):
    for number in range(PAIRS):
        played, client = play_to_end(server)
        turn = {**first_turn(download_log(client, played.game)), "reply": "known"}
        place = f"games/{played.game}"
        codes = at_once(
            lambda client=client, place=place, turn=turn: client.post(f"{place}/variations", json=turn),
            lambda client=client, place=place: client.post(f"{place}/delete"),
            0.002 * number,
        )
        assert codes[0] in (200, 404) and codes[1] == 200
        assert not list(server.folder.glob(f"{played.game}*"))


def test_a_study_that_a_busy_server_could_not_read_is_listed_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async def titles() -> list[list[str]]:
        async with talking(tmp_path) as (app, client):
            app.state.study_store.create(other_study())
            pool, answers = app.state.lobby.process_pool, []
            with monkeypatch.context() as patch:
                patch.setattr(pool._short, "_queue", 0)
                answers.append((await client.get("studies")).json())
            answers.append((await client.get("studies")).json())
        return [[entry["map"] for entry in answer["studies"]] for answer in answers]

    assert asyncio.run(titles()) == [[], ["World"]]


def test_concurrent_new_studies_do_not_exceed_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(study_store, "MAX_STUDIES", 3)
    count = StudyStore.stamps

    def slow_count(store: StudyStore) -> dict[str, FileStamp]:
        found = count(store)
        time.sleep(0.02)
        return found

    monkeypatch.setattr(StudyStore, "stamps", slow_count)
    store = StudyStore(tmp_path)
    with ThreadPoolExecutor(8) as threads:
        answers = [threads.submit(store.create, b"{}") for _ in range(8)]
    refused = [answer.exception() for answer in answers if answer.exception() is not None]
    assert len(count(store)) == 3 and all(isinstance(error, RequestError) for error in refused)
