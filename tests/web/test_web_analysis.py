"""The analysis of logs over HTTP: passes, the order of positions, limits, and errors."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from page_helpers import idle_log

from warlight_env.agents.registry import with_seconds
from warlight_env.record import GameLog
from warlight_env.web.errors import RequestError
from warlight_env.web.workers.analysed_position import PositionResult
from warlight_env.web.workers.analysis_jobs import EACH, LEVELS, PASSES, POLL_TIMEOUT, QUEUE, AnalysisJobs
from warlight_env.web.workers.analysis_process import AnalysedGame, PositionQuery
from warlight_env.web.workers.bot_workers import Engine
from warlight_env.web.workers.worker_tasks import LogSource
from web_helpers import Server

FAST = {"bot": "nash:secs=1", "seconds": 0.05}


def open_log(server: Server, tmp_path: Path, log: GameLog) -> str:
    """Open a log on the server; return the path of its analysis."""
    log.save(tmp_path / "game.wl.jsonl")
    document = server.client().post("replays", content=(tmp_path / "game.wl.jsonl").read_bytes()).json()
    return f"replays/{document['log']}/analysis"


def poll_until(
    server: Server, address: str, enough: Callable[[dict[str, Any]], bool], **body: Any
) -> list[dict[str, Any]]:
    """Poll an analysis until an answer is enough; return all answers."""
    answers: list[dict[str, Any]] = []
    with server.client() as client:
        while not answers or not enough(answers[-1]):
            since = answers[-1]["version"] if answers else 0
            answer = client.post(address, json={**FAST, "since": since, **body})
            assert answer.status_code == 200, answer.text
            answers.append(answer.json())
            time.sleep(0.05)
    return answers


def is_complete(answer: dict[str, Any]) -> bool:
    return answer["total"] is not None and answer["done"] == answer["total"]


def has_last_pass(answer: dict[str, Any]) -> bool:
    """Whether an answer contains the last pass of the displayed position."""
    return any(position["level"] == len(LEVELS) for position in answer["positions"])


def test_all_positions_are_analysed_and_the_displayed_one_first_and_deepest(server: Server, tmp_path: Path):
    address = open_log(server, tmp_path, idle_log(3))
    answers = poll_until(server, address, lambda answer: is_complete(answer) and has_last_pass(answer), focus=2)
    versions = [answer["version"] for answer in answers]
    assert versions == sorted(versions)
    seen: dict[int, list[dict[str, Any]]] = {}
    for answer in answers:
        for position in answer["positions"]:
            seen.setdefault(position["played"], []).append(position)
    assert 2 in [position["played"] for position in next(a["positions"] for a in answers if a["positions"])]
    assert sorted(seen) == [0, 1, 2, 3], "also the position after the last round, in which a turn is possible"
    for played, positions in seen.items():
        assert [p["level"] for p in positions] == sorted({p["level"] for p in positions})
        assert [p["games"] for p in positions] == sorted({p["games"] for p in positions})
        assert [p["preliminary"] for p in positions] == [p["level"] < PASSES for p in positions]
        assert positions[-1]["level"] == (len(LEVELS) if played == 2 else PASSES)
    open_end = seen[3][-1]
    assert open_end["turns"] == [None, None] and all(open_end["best"])
    marked = [turn for at in range(3) for turn in seen[at][-1]["turns"] if turn["mark"] in ("?!", "?", "??")]
    assert marked
    for turn in marked:
        assert turn["better"]["gain"] > turn["better"]["error"] and turn["reason"]["code"].startswith("turn-")
    idle, other = next(a["summary"] for a in reversed(answers) if a["summary"])["players"]
    assert idle["accuracy"] < other["accuracy"] and idle["lost"] > other["lost"] and sum(idle["marks"].values()) > 0
    again = poll_until(server, address, is_complete)
    assert len(again) == 1 and len(again[0]["positions"]) == 4, "the results are kept"
    with server.client() as client:
        assert client.post(address, json={**FAST, "since": again[0]["version"] + 9}).json()["positions"] == []


def test_requests_choose_a_bot_and_a_time_and_invalid_ones_are_rejected(server: Server, tmp_path: Path):
    address = open_log(server, tmp_path, idle_log(1))
    answers = poll_until(server, address, is_complete, bot="one_ply", seconds=2)
    assert (answers[-1]["bot"], answers[-1]["seconds"]) == ("one_ply", 2)
    with server.client() as client:
        for body in ({"bot": "nobody"}, {**FAST, "seconds": 60}, {**FAST, "seconds": 0}, {**FAST, "focus": -1}, {}):
            assert client.post(address, json=body).status_code == 422, body
        assert client.post(f"replays/{'0' * 32}/analysis", json=FAST).status_code == 410


def test_only_finished_games_have_an_analysis_and_their_file_contains_it(server: Server):
    played = server.begin(seed=8, picks="random")
    client, address = server.client(played.token(0)), f"games/{played.game}/analysis"
    assert client.post(address, json=FAST).status_code == 409
    assert client.get(f"games/{played.game}/chances").status_code == 409
    assert client.post(f"{address}/prepare", json={"bot": "nobody"}).status_code == 422
    assert client.post(f"{address}/prepare", json={"bot": FAST["bot"]}).json() == {"ok": True}
    with server.feed(played.game, played.token(0)) as feed:
        client.post(f"games/{played.game}/orders", json={"round": 1, "deploys": [], "attacks": []})
        feed.event("round")
        client.post(f"games/{played.game}/resign")
        feed.event("end")
    assert '"report":' not in client.get(f"games/{played.game}/file").text
    answer = client.post(address, json=FAST).json()
    while not is_complete(answer):
        time.sleep(0.05)
        answer = client.post(address, json={**FAST, "since": answer["version"]}).json()
    assert answer["total"] == PASSES, "the game is over after one round: no turn is possible in its last position"
    assert re.search(r'"report":\{"judge":"nash:secs=0.05"', client.get(f"games/{played.game}/file").text)


def test_a_time_replaces_the_time_of_a_specification():
    assert with_seconds("nash:secs=5", 0.2) == "nash:secs=0.2"
    assert with_seconds("mcts:1s,threads=2", 3) == "mcts:threads=2,secs=3"
    assert with_seconds("belief:nash:secs=1", 0.5) == "belief:nash:secs=0.5"


def engine(bot: str = "random", seconds: float = 1.0) -> Engine:
    return Engine(bot, seconds, lambda spec: spec)


EMPTY = PositionResult((None, None), (None, None), (None, None), ([0.5, 0.4, 0.6], [0.5, 0.4, 0.6]))


def mock_answers(monkeypatch: pytest.MonkeyPatch, jobs: AnalysisJobs, rounds: int) -> list[PositionQuery]:
    """Answer the queries of jobs without a process; return the list of these queries."""
    queries: list[PositionQuery] = []

    async def answer(query: PositionQuery) -> Any:
        queries.append(query)
        await asyncio.sleep(0)
        return AnalysedGame(("Ann", "Bo"), rounds, rounds) if query.rounds is None else EMPTY

    monkeypatch.setattr(jobs, "_ask", answer)
    return queries


@pytest.mark.parametrize(
    ("focus", "order"),
    [(9, [2, 3, 0, 1] * PASSES), (1, [*[1, 2, 3, 0] * PASSES, *[1] * (len(LEVELS) - PASSES)])],
    ids=["none is displayed", "round 1 is displayed"],
)
def test_the_displayed_position_and_rounds_with_large_losses_come_first(
    monkeypatch: pytest.MonkeyPatch, focus: int, order: list[int]
):
    async def main() -> None:
        jobs = AnalysisJobs()
        queries = mock_answers(monkeypatch, jobs, 4)
        jobs.poll(LogSource("log", b""), engine(), focus=focus, largest_losses=[0.1, 0.0, 0.5, 0.2])
        await asyncio.gather(*(job.task for job in jobs._jobs.values() if job.task))
        assert [query.rounds for query in queries] == [None, *order]
        await jobs.close()

    asyncio.run(main())


def test_positions_displayed_one_after_another_get_all_passes(monkeypatch: pytest.MonkeyPatch):
    async def main() -> None:
        jobs = AnalysisJobs()
        queries, source = mock_answers(monkeypatch, jobs, 2), LogSource("log", b"")
        for focus in (0, 1, 0):
            answer = jobs.poll(source, engine(), focus=focus)
            await asyncio.gather(*(job.task for job in jobs._jobs.values() if job.task))
        played = [query.rounds for query in queries]
        assert [played.count(at) for at in (0, 1)] == [len(LEVELS), len(LEVELS)]
        answer = jobs.poll(source, engine(), focus=1)
        assert [position["complete"] for position in answer["positions"]] == [True, True]
        await jobs.close()

    asyncio.run(main())


def test_bots_are_prepared_once_and_one_after_another(monkeypatch: pytest.MonkeyPatch):
    async def main() -> None:
        jobs = AnalysisJobs()
        queries = mock_answers(monkeypatch, jobs, 4)
        for bots in (("nash:secs=1", "nash:secs=1", "random"), ("nash:secs=1", "random")):
            for bot in bots:  # in the first loop, `random` has no effect, because the other preparation runs
                jobs.prepare(LogSource("log", b""), engine(bot))
            await asyncio.sleep(0.01)
        assert [(query.rounds, query.bot) for query in queries] == [(0, "nash:secs=0.01"), (0, "random")]
        await jobs.close()

    asyncio.run(main())


def test_a_failed_preparation_is_repeated(monkeypatch: pytest.MonkeyPatch):
    async def main() -> None:
        jobs, asked = AnalysisJobs(), 0

        async def fail(query: PositionQuery) -> Any:
            nonlocal asked
            asked += 1
            raise RequestError("no round was played", 422)

        monkeypatch.setattr(jobs, "_ask", fail)
        for _ in range(2):
            jobs.prepare(LogSource("log", b""), engine())
            await asyncio.sleep(0.01)
        assert asked == 2
        await jobs.close()

    asyncio.run(main())


def test_too_many_analyses_are_rejected_until_others_pause(monkeypatch: pytest.MonkeyPatch):
    now = [100.0]
    monkeypatch.setattr("warlight_env.web.workers.analysis_jobs.time", SimpleNamespace(monotonic=lambda: now[0]))

    async def main() -> None:
        jobs = AnalysisJobs()
        mock_answers(monkeypatch, jobs, 3)
        for number in range(QUEUE - 1):
            jobs.poll(LogSource(f"log{number}", b""), engine())
        for seconds in range(1, EACH):
            jobs.poll(LogSource("log0", b""), engine("nash:secs=1", seconds))
        for source in ("log0", "other"):
            with pytest.raises(RequestError, match="try again in a moment"):
                jobs.poll(LogSource(source, b""), engine("nash:secs=1", 9))
        now[0] += POLL_TIMEOUT + 1
        await asyncio.gather(*(job.task for job in jobs._jobs.values() if job.task))
        first = jobs.poll(LogSource("log0", b""), engine())
        assert first["done"] < first["total"], "the job paused, because no client polled it"
        await asyncio.gather(*(job.task for job in jobs._jobs.values() if job.task))
        assert is_complete(jobs.poll(LogSource("log0", b""), engine())), "and it continued at the next poll"
        await jobs.close()

    asyncio.run(main())


def test_a_failed_analysis_is_reported_once_and_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    async def main() -> None:
        jobs, source = AnalysisJobs(), LogSource("log", b"")

        async def fail(query: PositionQuery) -> Any:
            raise ValueError("secret")

        monkeypatch.setattr(jobs, "_ask", fail)
        jobs.poll(source, engine())
        await asyncio.wait([job.task for job in jobs._jobs.values() if job.task])
        with pytest.raises(RequestError, match=r"the analysis failed \(ValueError\)") as raised:
            jobs.poll(source, engine())
        assert (raised.value.status, raised.value.code) == (500, "report-failed")
        assert "secret" in caplog.text and "secret" not in str(raised.value)
        assert jobs.poll(source, engine())["done"] == 0, "it starts again"
        await jobs.close()
        long = AnalysisJobs()
        mock_answers(monkeypatch, long, 0)
        long.poll(source, engine())
        await asyncio.wait([job.task for job in long._jobs.values() if job.task])
        with pytest.raises(RequestError, match="1 to 300 rounds"):
            long.poll(source, engine())
        await long.close()

    asyncio.run(main())
