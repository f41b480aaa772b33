"""Replays on the server: uploaded files and games of tournaments, and bots' answers about their positions."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tournament_helpers import play_cup

from warlight_env.arena.contests.append_only import RunFolderError
from warlight_env.arena.tournaments.tournament import find_log_folder
from warlight_env.arena.tournaments.tournament_result import TournamentResult
from warlight_env.record import GameLog
from warlight_env.record.names import game_name
from warlight_env.web.errors import RequestError
from warlight_env.web.http import replays
from warlight_env.web.http.tournaments import games_between, read_tournament
from warlight_env.web.workers import win_curves, worker_tasks
from warlight_env.web.workers.process_pool import ProcessPool
from warlight_env.web.workers.worker_tasks import LogSource
from web_helpers import Server, needs_page, serving

pytestmark = needs_page


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def result(runs: Path) -> TournamentResult:
    play_cup(runs / "bare", log=False, games=2)
    return play_cup(runs / "cup")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, runs: Path, result: TournamentResult) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("games")
    with serving(folder, "play", "--vs", "aggressive", "--map", "small", "--runs", str(runs)) as running:
        yield running


def test_a_tournament_equals_the_data_in_its_folder(server: Server, result: TournamentResult):
    client = server.client()
    assert client.get("home").json()["tournaments"] == ["cup", "bare"]
    data = client.get("tournaments/cup").json()
    assert data.pop("age") >= 0
    assert data.pop("logged")
    assert not client.get("tournaments/bare").json()["logged"]
    assert data == json.loads(json.dumps(result.to_dict()))
    for name in ("none", "..", "cup%2f..", ".cup"):
        assert client.get(f"tournaments/{name}").status_code == 404


def test_each_table_cell_lists_exactly_its_games(server: Server, result: TournamentResult):
    client = server.client()
    data = client.get("tournaments/cup").json()
    for meeting in data["meetings"]:
        pair = {"agent": meeting["agent"], "against": meeting["against"]}
        listing = client.get("tournaments/cup/games", params=pair).json()
        assert listing["total"] == len(listing["games"]) == meeting["games"]
        for tally in meeting["seats"]:
            seated = [g for g in listing["games"] if g["seats"][tally["seat"] - 1] == meeting["agent"]]
            places = [g["places"] if tally["seat"] == 1 else g["places"][::-1] for g in seated]
            assert sum(mine < its for mine, its in places) == tally["wins"]
            assert len(seated) == tally["games"]
        assert all(game["logged"] for game in listing["games"])
    for pair in ({"agent": "Attila", "against": "Attila"}, {"agent": "Attila", "against": "nobody"}):
        assert client.get("tournaments/cup/games", params=pair).status_code == 404
    bare = client.get("tournaments/bare/games", params={"agent": "Attila", "against": "army"}).json()
    assert not any(game["logged"] for game in bare["games"])


def test_a_damaged_run_folder_raises_an_error(tmp_path: Path):
    play_cup(tmp_path / "cup", games=2, log=False)
    result, run = tmp_path / "cup" / "tournament.json", tmp_path / "cup" / "run.json"
    data = json.loads(result.read_text())
    result.write_text('{"pairings": [')
    with pytest.raises(RequestError, match="not JSON"):
        read_tournament(tmp_path, "cup")
    for text, reason in (
        ('{"times": 1, "times": 2}', "key 'times' occurs twice"),
        ('{"times": 1e999}', "too large for a number"),
    ):
        result.write_text(text)
        with pytest.raises(RequestError, match=reason):
            read_tournament(tmp_path, "cup")
    result.write_text(json.dumps({**data, "pairings": data["pairings"][1:]}))
    with pytest.raises(RequestError, match="belong to different runs"):
        games_between(tmp_path, "cup", "Attila", "army")
    result.write_text(json.dumps(data))
    games = tmp_path / "cup" / "games.jsonl"
    games.write_bytes(games.read_bytes()[:-9])  # as during a write
    assert games_between(tmp_path, "cup", "army", "chance & co")["total"] == 3
    games.write_bytes(games.read_bytes().replace(b'"winner"', b'"winer"', 1))
    with pytest.raises(RunFolderError, match=r"games\.jsonl, line 1: not a game"):
        games_between(tmp_path, "cup", "Attila", "army")
    run.unlink()
    with pytest.raises(RequestError, match=r"run\.json"):
        games_between(tmp_path, "cup", "Attila", "army")


def test_a_game_of_a_tournament_is_replayed_and_analysed(server: Server, runs: Path):
    client = server.client()
    doc = client.get("tournaments/cup/games/4/2").json()
    path = find_log_folder(runs / "cup" / "logs", 4) / game_name(1)
    log = GameLog.load(path)
    assert [player["name"] for player in doc["players"]] == list(log.names)
    assert len([event for event in doc["events"] if event["event"] == "round"]) == len(log.rounds)
    body = {"bot": "mcts:sims=457", "focus": 2}
    answer = client.post(f"replays/{doc['log']}/analysis", json=body).json()
    while not answer["positions"]:
        time.sleep(0.05)
        answer = client.post(f"replays/{doc['log']}/analysis", json=body).json()
    assert answer["positions"][0]["played"] == 2
    decision = answer["positions"][0]["decisions"][1]
    assert sum(c["visits"] for c in decision["candidates"] if not c.get("refined")) == 228
    # An upload of the same file has the same id.
    assert client.post("replays", content=path.read_bytes()).json()["log"] == doc["log"]
    for missing in ("tournaments/bare/games/1/1", "tournaments/cup/games/99/1", "tournaments/cup/games/1/-3"):
        assert client.get(missing).status_code == 404


def test_a_log_continues_as_a_new_game(server: Server):
    client = server.client()
    log = client.get("tournaments/cup/games/1/1").json()["log"]
    players = [{"name": "Ann"}, {"bot": "aggressive"}]
    made = client.post(f"replays/{log}/branch", json={"round": 2, "players": players}).json()
    with server.feed(made["id"], made["tokens"]["0"]) as feed:
        assert feed.now(phase="play")["round"] == 2


def test_the_replay_cache_keeps_the_most_recently_used_logs(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(replays, "LOG_BYTES", 40)

    class Pool(ProcessPool):
        """A pool that answers without a process."""

        async def long(self, work: Any, source: LogSource, chances: bytes, more: Any) -> Any:
            return b"{}"

    async def main() -> None:
        cache = replays.ReplayCache(pool := Pool())
        keys = {}
        for data in (b"a" * 10, b"b" * 10, b"c" * 10):
            await cache.open(data)
            keys[data[:1]] = hashlib.sha256(data).hexdigest()[:32]
        assert cache.get(keys[b"a"]).data == b"a" * 10  # now the most recently used log
        await cache.open(b"d" * 20)
        with pytest.raises(RequestError, match="open it again"):
            cache.get(keys[b"b"])
        assert cache.get(keys[b"a"]).data == b"a" * 10 and cache.get(keys[b"c"]).data == b"c" * 10
        pool.close()

    asyncio.run(main())


class CurvePool(ProcessPool):
    """Estimates one position in each task; the log ``bad`` has an error."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[int] = []  # the number of estimated positions before each task

    async def long(self, work: Any, source: LogSource, estimates: dict[int, Any], *seconds: float) -> Any:
        await asyncio.sleep(0)
        if source.data == b"bad":
            raise RequestError("a damaged log")
        if work is worker_tasks.win_curve:
            return [estimates[number] for number in sorted(estimates)]
        self.parts.append(len(estimates))
        number = len(estimates)
        return {number: [[1 - 0.2 * number, 0, 1], [0.2 * number, 0, 1]]}, number == 2


def test_requests_share_win_probabilities_that_are_computed_in_parts():
    async def main() -> None:
        curves = win_curves.WinCurves(pool := CurvePool())
        source = LogSource("key", b"log")
        assert curves.largest_losses(source) == []
        curves.begin(source)
        both = await asyncio.gather(curves.get(source), curves.get(source))
        assert both[0] == both[1] and len(json.loads(both[0])) == 3
        assert pool.parts == [0, 1, 2]
        assert curves.largest_losses(source) == pytest.approx([0.2, 0.2])
        assert await curves.get(source) == both[0] and pool.parts == [0, 1, 2]
        for _ in range(2):
            with pytest.raises(RequestError, match="damaged"):
                await curves.get(LogSource("bad", b"bad"))
        curves.begin(LogSource("other", b"log"))
        await curves.close()
        pool.close()

    asyncio.run(main())


def test_a_result_that_fills_the_cache_is_cached_alone(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(win_curves, "CURVE_BYTES", 250)

    async def main() -> None:
        curves = win_curves.WinCurves(pool := CurvePool())
        for key in ("one", "two"):
            for _ in range(2):
                await curves.get(LogSource(key, b"log"))
        assert len(pool.parts) == 6
        await curves.get(LogSource("one", b"log"))
        assert len(pool.parts) == 9
        pool.close()

    asyncio.run(main())
