"""Work outside the server's event loop: worker processes, their limits, and the inputs that determine their answers."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import gc
import gzip
import itertools
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from types import FrameType
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from warlight_env import Game, maps
from warlight_env.agents import make_agent
from warlight_env.protocol.view_transfer import QueriedPosition, WorkerSetup
from warlight_env.record import GameLog, MemoryRecorder, Player
from warlight_env.record.encode import log_lines
from warlight_env.web.errors import RequestError
from warlight_env.web.http.app import create_app
from warlight_env.web.http.settings import ServerSettings
from warlight_env.web.workers import worker_tasks
from warlight_env.web.workers.bot_process import BotQuery, Worker, WorkerAnswer, serve
from warlight_env.web.workers.bot_workers import GRACE, BotWorkers, query_timeout
from warlight_env.web.workers.child_process import ChildProcess
from warlight_env.web.workers.process_pool import ProcessPool, ProcessPoolError
from warlight_env.web.workers.rollout_estimate import estimate_win_probabilities
from warlight_env.web.workers.win_probability import win_probabilities_of


def asked(game: Game, spec: str | None = None, **fields: Any) -> BotQuery:
    return BotQuery(
        WorkerSetup.of(game.map, game.rules, game.players), QueriedPosition.of(game.view(0)), spec, **fields
    )


def log_of(game: Game) -> GameLog:
    """The log of a game that has just begun."""
    recorder = MemoryRecorder([Player("Ann"), Player("Bo")])
    recorder.began(game, [], 100)
    return recorder.log


def played_log_of(game: Game) -> GameLog:
    """The log of a game in whose only round nobody did anything."""
    recorder = MemoryRecorder([Player("Ann"), Player("Bo")])
    recorder.began(game, [], 100)
    recorder.played({}, game.play_round({}), game)
    return recorder.log


# Chances and bots answer about the position that they are asked about


@pytest.mark.parametrize(("map_", "rules"), [("world", "thesis"), ("small", "challenge2")])
def test_chances_are_those_of_the_map_and_the_rules_whatever_the_seed(map_: str, rules: str):
    worker = Worker()
    for game in (Game("small", "thesis", 2, 1, "random"), Game(map_, rules, 2, 1, "random")):
        given, view = (
            worker.answer(asked(game, win_probabilities=True, seed=5, games=50)).win_probabilities,
            game.view(0),
        )
        assert given == estimate_win_probabilities(view, view.owner.tolist(), view.army.tolist(), 5, 50)


def test_two_replays_of_one_seed_get_chances_of_their_own():
    one, other = (log_of(Game("small", rules, 2, 1, "random")) for rules in ("thesis", "challenge2"))
    assert win_probabilities_of(one) != win_probabilities_of(other)


def test_a_bot_that_remembers_plays_on_the_page_as_in_a_match():
    """It is told who started where and what it saw of each round, of which beliefs under fog are made."""
    spec, worker, game = "belief:mcts:sims=5", Worker(), Game("world", "challenge2", 2, 5, "random")
    twins = [make_agent(spec, p) for p in range(2)]
    setup = WorkerSetup.of(game.map, game.rules, game.players)
    for _ in range(12):
        turns = [twin.act(game.view(p)) for p, twin in enumerate(twins)]
        for p, turn in enumerate(turns):
            answer = worker.answer(BotQuery(setup, QueriedPosition.of(game.view(p)), spec, p, agent_key="game"))
            assert [answer.deploys, answer.attacks] == [rows.tolist() for rows in turn.arrays()]
        game.play_round(turns, on_illegal="skip")


def test_whatever_goes_wrong_in_a_worker_is_told():
    worker, game = Worker(), Game("small", seed=1, picks="random")
    good = asked(game, "random", win_probabilities=True, games=5)
    short = dataclasses.replace(good.position, owner=good.position.owner[:-1])
    for bad in (
        dataclasses.replace(good, position=short),
        dataclasses.replace(good, setup=dataclasses.replace(good.setup, digest="x", map=b"no map")),
        dataclasses.replace(good, setup=dataclasses.replace(good.setup, digest="y", rules={"no": "rules"})),
        dataclasses.replace(good, spec="no bot"),
    ):
        answer = worker.answer(bad)
        assert answer.error
        assert answer.win_probabilities is None
        assert worker.answer(good).error is None


# Processes that take too long, die, or are asked too much


def test_a_bot_in_another_one_has_its_own_clock_and_time_to_compile():
    game = Game("small", seed=1, picks="random")
    for first in (False, True):
        alone, inside = (query_timeout(asked(game, spec), first) for spec in ("nash:secs=30", "belief:nash:secs=30"))
        assert inside == alone > 90
    assert query_timeout(asked(game, "mcts:sims=5000"), False) == GRACE

    async def main() -> None:
        bot_workers, firsts = BotWorkers(1, limit=lambda question, first: float(first)), []

        async def answer(question: BotQuery, limit: Callable[[], float]) -> WorkerAnswer:
            firsts.append(bool(limit()))
            return WorkerAnswer()

        bot_workers._slots[0].child.ask = answer  # type: ignore[method-assign]
        for spec in ("belief:random", "belief:mcts:sims=5", "belief:mcts:sims=9", None, "random", None, "random"):
            await bot_workers.ask(asked(game, spec))
        assert firsts == [True, True, False, True, True, False, False]
        await bot_workers.close()

    asyncio.run(main())


def run(work: Callable[[ProcessPool], Coroutine[Any, Any, None]], **limits: Any) -> None:
    async def main() -> None:
        process_pool = ProcessPool(**limits)
        try:
            await work(process_pool)
        finally:
            process_pool.close()

    asyncio.run(main())


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="tells of signals on Linux")
def test_processes_are_deaf_to_interrupts_from_the_first_on(forked_workers: pytest.MonkeyPatch):
    """Ctrl-C goes to all processes of a terminal, also to those that are still importing what they need."""
    forked_workers.undo()

    async def main() -> None:
        child, deaf = ChildProcess(serve, "a child"), []
        question = asyncio.ensure_future(child.ask(None, lambda: 60.0))
        while not question.done():
            await asyncio.sleep(0.002)
            process = child._process
            with contextlib.suppress(OSError, AttributeError):
                told = Path(f"/proc/{process.pid}/status").read_text()
                masks = [int(line.split()[1], 16) for line in told.splitlines() if line[:6] in ("SigBlk", "SigIgn")]
                deaf.append(any(mask >> (signal.SIGINT - 1) & 1 for mask in masks))
        child.close()
        question.exception()
        assert len(deaf) > 10 and all(deaf)
        assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())

    asyncio.run(main())


def test_work_that_takes_too_long_is_ended_and_the_next_is_done():
    async def work(process_pool: ProcessPool) -> None:
        for endless in ((time.sleep, 600), (sum, itertools.count())):
            with pytest.raises(RequestError, match=r"more than 0\.5 s") as late:
                await process_pool.long(*endless)
            assert late.value.status == 503
            assert await process_pool.long(len, "abc") == 3

    run(work, long=0.5)


def test_a_process_that_dies_is_replaced_and_who_asked_is_told():
    async def work(process_pool: ProcessPool) -> None:
        first = await process_pool.long(os.getpid)
        with pytest.raises(RequestError, match="it ended unexpectedly") as died:
            await process_pool.long(os._exit, 3)
        assert died.value.status == 503
        second = await process_pool.long(os.getpid)
        os.kill(second, signal.SIGKILL)  # while nobody asks
        await asyncio.to_thread(process_pool._long.child._process.join, 30)
        assert await process_pool.long(os.getpid) not in (first, second, os.getpid())

    run(work)


def test_what_is_wrong_with_the_request_is_the_requests_error_and_the_rest_is_ours():
    async def work(process_pool: ProcessPool) -> None:
        with pytest.raises(RequestError, match="line 1: not JSON") as wrong:
            await process_pool.long(worker_tasks.load_game, b"no log\n")
        assert wrong.value.status == 422
        with pytest.raises(ProcessPoolError, match="TypeError"):
            await process_pool.long(len, 3)
        with pytest.raises(ProcessPoolError, match="pickle"):
            await process_pool.long(eval, "(n for n in ())")

    run(work)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads what a process holds from /proc")
def test_logs_of_many_values_are_refused_or_read_within_a_gibibyte_and_not_kept():
    header, *rest = log_lines(log_of(Game(maps.load("small"), "thesis", 2, 1, "random")))
    insight = b'{"event":"insight","player":0,"round":0,"data":{"a":[%s0]}}'
    failure = b'{"event":"failure","player":0,"round":0,"reason":"none"}\n'

    def source(values: int, key: str) -> worker_tasks.LogSource:
        lines = [header, *rest, *[insight % (b'"ab",' * (values // 3 - 100))] * 3, failure]
        return worker_tasks.LogSource(key, gzip.compress(b"\n".join(lines), 1))

    async def work(process_pool: ProcessPool) -> None:
        async def mebibytes(name: str) -> int:
            status = await process_pool.long(Path.read_text, Path("/proc/self/status"))
            return int(status.split(f"{name}:")[1].split()[0]) >> 10

        with pytest.raises(RequestError, match="more than 3,000,000 values"):
            await process_pool.long(worker_tasks.game_in, source(4_900_000, "many"))
        assert (await process_pool.long(worker_tasks.game_in, source(300_000, "few")))[0] == 2
        small = await mebibytes("VmRSS")
        for key in "ab":
            document, _ = await process_pool.long(worker_tasks.replay_json, source(2_900_000, key), b"[]", {})
            assert len(document) > 10_000_000
        assert await mebibytes("VmHWM") < 1000
        assert await mebibytes("VmRSS") < small + 150
        with pytest.raises(RequestError, match="more memory than the server allows"):
            await process_pool.long(bytes, 3 << 30)

    run(work)


def test_no_more_waits_than_there_is_room_for_and_what_is_short_waits_for_nothing_long():
    async def work(process_pool: ProcessPool) -> None:
        long = [asyncio.ensure_future(process_pool.long(time.sleep, 1.0)) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(RequestError, match="the server is busy") as full:
            await process_pool.long(len, "abc")
        assert full.value.status == 503
        assert await process_pool.short(len, "abc") == 3
        assert not any(task.done() for task in long[1:])
        await asyncio.gather(*long)
        assert await process_pool.long(len, "abc") == 3

    run(work, queue=3)


def test_an_answer_that_nobody_waits_for_any_more_is_nobody_elses():
    game = Game("small", seed=1, picks="random")

    async def work() -> None:
        bot_workers = BotWorkers(1)
        try:
            await bot_workers.ask(asked(game, "random"))
            gone = asyncio.ensure_future(bot_workers.ask(asked(game, None, win_probabilities=True, games=2000)))
            await asyncio.sleep(0.01)
            gone.cancel()
            answer = await bot_workers.ask(asked(game, "random"))
            assert answer.win_probabilities is None
            assert sum(n for _, n in answer.deploys) == game.view(0).income
        finally:
            await bot_workers.close()

    asyncio.run(work())


def test_an_end_in_the_middle_of_work_is_told_to_who_waits_and_to_nobody_else():
    unheard: list[dict[str, Any]] = []

    async def work() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: unheard.append(context))
        process_pool = ProcessPool()
        assert await process_pool.long(len, "abc") == 3
        gone = asyncio.ensure_future(process_pool.long(time.sleep, 60))
        await asyncio.sleep(0.05)
        gone.cancel()
        waiting = asyncio.ensure_future(process_pool.long(len, "abc"))
        await asyncio.sleep(0.05)
        process_pool.close()
        with pytest.raises(RequestError, match="it was stopped"):
            await waiting

    asyncio.run(work())
    gc.collect()
    assert not unheard


# The loop


class LoopWork:
    """Counts the calls of functions, of Python and of C, between two waits of the loop: what holds up all others.

    Calls do not depend on how busy or fast the machine is, as seconds do.
    """

    def __enter__(self) -> LoopWork:
        self.longest = self._calls = 0
        sys.setprofile(self._count)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        self.longest = max(self.longest, self._calls)

    def _count(self, frame: FrameType, event: str, called: Any) -> None:
        if event == "c_call" and called.__name__ == "poll":
            self.longest, self._calls = max(self.longest, self._calls), 0
        else:
            self._calls += event in ("call", "c_call")


#: The most calls between two waits: some hundredths of a second.
SHORT = 100_000
#: Games of a folder, to read which on the loop takes many more.
MANY = 500


def strip(regions: int, across: int = 20) -> maps.Map:
    """A graph without a drawing: squares in rows."""
    borders = [[f"r{n}", f"r{n + 1}"] for n in range(regions - 1) if (n + 1) % across]
    borders += [[f"r{n}", f"r{n + across}"] for n in range(regions - across)]
    rows = [{"name": f"r{n}", "code": f"R{n}", "super_region": f"s{n // 10}"} for n in range(regions)]
    supers = [{"name": f"s{n}", "bonus": 3} for n in range(regions // 10)]
    data = {"format": "warlight-map", "version": 1, "name": "strip"}
    return maps.from_dict({**data, "super_regions": supers, "regions": rows, "borders": borders}, trusted=True)


PEOPLE = [{"name": "Ann"}, {"name": "Bo"}]


def held_up(folder: Path, regions: int) -> int:
    """The calls for which the loop did nothing else while such maps were made, and logs of such maps opened."""
    app = create_app(ServerSettings(folder, rate=1e9, workers=1))
    log = b"".join(line + b"\n" for line in log_lines(log_of(Game(strip(regions), "thesis", 2, 1, "random"))))

    async def everything() -> int:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1/api/", timeout=600) as client:

            async def got(method: str, path: str, **request: Any) -> dict[str, Any]:
                answer = await client.request(method, path, **request)
                assert answer.status_code == 200, answer.text
                return answer.json()

            async def play(made: dict[str, Any]) -> None:
                path = f"games/{made['id']}"
                for seat in "01":
                    headers = {"authorization": f"Bearer {made['tokens'][seat]}"}
                    assert len((await got("GET", path, headers=headers))["map"]["regions"]) in (regions, 10)
                    turn = {"round": 1, "deploys": [], "attacks": []}
                    await got("POST", f"{path}/orders", headers=headers, json=turn)

            await play(await got("POST", "games", json={"players": PEOPLE, "map": "small", "picks": "random"}))
            with LoopWork() as work:
                new = {"players": PEOPLE, "map": "generated", "regions": regions, "picks": "random", "seed": 1}
                await play(await got("POST", "games", json=new))
                opened = await got("POST", "replays", content=log)
                assert len(opened["chances"]) == 1
                await play(await got("POST", f"replays/{opened['log']}/branch", json={"round": 0, "players": PEOPLE}))
                for room in list(app.state.lobby._rooms.values()):
                    room.touched = 0.0
                await app.state.lobby.evict_idle(0.0)
                listed = (await got("GET", "home"))["games"]
                assert len(listed) == 3
            await app.state.lobby.close()
        return work.longest

    return asyncio.run(everything())


def test_the_loop_goes_on_while_maps_are_made_and_logs_opened(tmp_path: Path):
    assert held_up(tmp_path, 60) < SHORT


@pytest.mark.slow
def test_the_loop_goes_on_at_the_largest_maps(tmp_path: Path):
    assert held_up(tmp_path, 400) < SHORT


# Lists, bounds, and who may ask how much at once


@contextlib.asynccontextmanager
async def talking(folder: Path, **settings: Any) -> AsyncIterator[tuple[FastAPI, httpx.AsyncClient]]:
    """A server in this process, and a client of it."""
    app = create_app(ServerSettings(folder, rate=1e9, workers=1, **settings))
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1/api/", timeout=600) as client:
        yield app, client
    await app.state.lobby.close()


def test_a_bot_that_thinks_too_long_is_answered_by_try_again(tmp_path: Path):
    async def main() -> None:
        async with talking(tmp_path, bots=("mcts:secs=60",)) as (app, client):
            app.state.lobby.bot_workers = BotWorkers(1, limit=lambda question, first: 0.5)
            game = (await client.post("games", json={"players": PEOPLE, "map": "small", "picks": "random"})).json()
            headers = {"authorization": f"Bearer {game['tokens']['0']}"}
            answer = await client.post(f"games/{game['id']}/insight", json={"bot": "mcts:secs=60"}, headers=headers)
            assert answer.status_code == 503 and int(answer.headers["retry-after"]) > 0, answer.text
            assert "no answer within" in answer.json()["error"]

    asyncio.run(main())


def with_games(folder: Path, count: int, log: GameLog) -> None:
    """A folder of as many games, of which nothing but their names differs; the highest number was played last."""
    text = b"".join(line + b"\n" for line in log_lines(log))
    seats = {"seats": [["Ann", None, "a" * 24], ["Bo", None, "b" * 24]], "watch": None, "pace": 0.8}
    for number in range(count):
        (folder / f"game{number:05d}.partial.wl.jsonl").write_bytes(text)
        (folder / f"game{number:05d}.seats.json").write_text(json.dumps(seats))
        os.utime(folder / f"game{number:05d}.partial.wl.jsonl", (number, number))


def test_a_folder_of_many_large_games_is_listed_beside_the_loop(tmp_path: Path):
    with_games(tmp_path, MANY, played_log_of(Game(strip(200), "thesis", 2, 1, "random")))

    async def main() -> None:
        async with talking(tmp_path) as (_, client):
            await client.get("games/nothing1", headers={"authorization": ""})
            with LoopWork() as work:
                listed = (await client.get("home")).json()["games"]
        assert [row["id"] for row in listed] == [f"game{number:05d}" for number in range(MANY - 1, MANY - 21, -1)]
        assert listed[0] == {
            "id": "game00499", "name": "", "players": ["Ann", "Bo"], "bots": [None, None], "faces": [None, None],
            "watch": None, "map": "strip", "rules": "thesis", "rounds": 1, "fog": False, "over": False, "winner": None,
            "when": 499,
        }  # fmt: skip
        assert work.longest < SHORT

    asyncio.run(main())


def test_the_library_of_many_games_is_read_part_by_part_beside_the_loop(tmp_path: Path):
    with_games(tmp_path, MANY, played_log_of(Game("small", "thesis", 2, 1, "random")))

    async def main() -> None:
        async with talking(tmp_path) as (_, client):
            await client.get("home")
            with LoopWork() as work:
                answer = (await client.get("library", params={"count": 100})).json()
                assert 20 <= answer["all"] + answer["reading"] <= MANY and answer["reading"] > 0
                assert answer["games"][0]["id"] == "game00499"
                while answer["reading"]:
                    await asyncio.sleep(0.05)
                    answer = (
                        await client.get("library", params={"text": "ann", "start": MANY - 100, "count": 100})
                    ).json()
            assert (answer["total"], answer["all"]) == (MANY, MANY)
            assert [row["id"] for row in answer["games"]] == [f"game{number:05d}" for number in range(99, -1, -1)]
            assert work.longest < SHORT

    asyncio.run(main())


def test_the_list_is_the_one_of_the_moment_and_all_who_ask_get_it(tmp_path: Path):
    with_games(tmp_path, 3, played_log_of(Game("small", "thesis", 2, 1, "random")))
    (tmp_path / "game00001.partial.wl.jsonl").write_text("no log")

    async def main() -> None:
        async with talking(tmp_path) as (app, client):

            async def listed() -> dict[str, dict[str, Any]]:
                answer = await client.get("home")
                assert answer.status_code == 200, answer.text
                return {row["id"]: row for row in answer.json()["games"]}

            assert list(await listed()) == ["game00002", "game00000"]
            asked = [asyncio.ensure_future(listed()) for _ in range(40)]  # more than the process pool has room for
            made = (await client.post("games", json={"players": PEOPLE, "map": "small", "picks": "random"})).json()
            assert list(await listed()) == ["game00002", "game00000"]  # nobody did anything in it yet
            await asyncio.gather(*asked)
            for seat in "01":
                headers = {"authorization": f"Bearer {made['tokens'][seat]}"}
                turn = {"round": 1, "deploys": [], "attacks": []}
                await client.post(f"games/{made['id']}/orders", headers=headers, json=turn)
            room = (await app.state.lobby.find(made["id"], made["tokens"]["0"])).room
            while room.game.round < 1:
                await asyncio.sleep(0.01)
            in_memory = (await listed())[made["id"]]
            assert in_memory["rounds"] == 1
            await app.state.lobby.evict_idle(-1.0)
            assert app.state.lobby.rooms == 0
            assert (await listed())[made["id"]] == in_memory
            (tmp_path / "game00002.seats.json").unlink()
            ends = tmp_path / "game00000.partial.wl.jsonl"
            last = {"event": "end", "winner": 1, "rounds": 1, "placements": [2, 1], "cut_off": True}
            ends.write_bytes(ends.read_bytes() + json.dumps(last).encode() + b"\n")
            rows = await listed()
            assert list(rows) == ["game00000", made["id"]]  # in which something has happened since
            assert rows["game00000"]["over"]

    asyncio.run(main())


def test_games_made_at_once_are_no_more_than_there_is_room_for(tmp_path: Path):
    async def main() -> None:
        async with talking(tmp_path, max_rooms=3) as (app, client):
            body = {"players": PEOPLE, "map": "small", "picks": "random"}
            answers = await asyncio.gather(*(client.post("games", json=body) for _ in range(12)))
            assert app.state.lobby.rooms <= 3
            assert {answer.status_code for answer in answers} <= {200, 429}
            refused = [answer for answer in answers if answer.status_code == 429]
            assert refused  # as those that are being made count
            assert all(int(answer.headers["retry-after"]) > 0 for answer in refused)
            made = [answer.json() for answer in answers if answer.status_code == 200]
            assert len(made) >= 3
            assert len(list(tmp_path.glob("*.seats.json"))) == len(made)  # nothing is left of those that were refused
            again = await client.post("games", json=body)  # and there is room for the next
            assert again.status_code == 200

    asyncio.run(main())


def test_games_in_memory_have_so_many_bytes_together(tmp_path: Path):
    async def main() -> None:
        async with talking(tmp_path) as (app, client):
            lobby, body = app.state.lobby, {"players": PEOPLE, "map": "small", "picks": "random"}
            first = (await client.post("games", json=body)).json()
            lobby.max_bytes = 3 * lobby.size  # of which there is room for about as many
            for _ in range(9):
                assert (await client.post("games", json=body)).status_code == 200
            assert 2 <= lobby.rooms <= 4
            found = await lobby.find(first["id"], first["tokens"]["0"])  # the others wait on disk
            followed = found.room.feed.follow(0, -1)
            before = lobby.size
            await anext(followed)
            assert lobby.size > before  # what was made for viewers counts
            lobby.max_bytes = 1
            await lobby.evict_idle()
            assert lobby.rooms == 1  # one that is looked at stays
            assert (await client.post("games", json=body)).status_code == 429
            await followed.aclose()

    asyncio.run(main())


def test_large_answers_on_their_way_have_so_many_bytes_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async def main() -> None:
        async with talking(tmp_path) as (app, client):
            made = (await client.post("games", json={"players": PEOPLE, "picks": "random"})).json()
            monkeypatch.setattr("warlight_env.web.http.dependencies.PIECE", 1000)
            monkeypatch.setattr("warlight_env.web.http.dependencies.MAX_SENDING_BYTES", 100_000)
            path = f"/api/games/{made['id']}"
            headers = [(b"host", b"127.0.0.1"), (b"authorization", f"Bearer {made['tokens']['0']}".encode())]
            scope = {
                "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http",
                "path": path, "raw_path": path.encode(), "query_string": b"", "headers": headers, "root_path": "",
                "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
            }  # fmt: skip
            stuck, taken = asyncio.Event(), asyncio.Event()
            sent = 0

            async def receive() -> dict[str, Any]:
                return {"type": "http.request", "body": b"", "more_body": False}

            async def send(message: Any) -> None:
                nonlocal sent
                sent += len(message.get("body", b""))
                if sent:
                    stuck.set()
                    await taken.wait()

            slow = asyncio.ensure_future(app(scope, receive, send))
            await stuck.wait()
            refused = await client.get(path[5:], headers={"authorization": f"Bearer {made['tokens']['1']}"})
            assert refused.status_code == 503
            assert int(refused.headers["retry-after"]) > 0
            taken.set()
            await slow
            assert sent > 50_000
            assert (await client.get(path[5:], headers=dict(headers))).status_code == 200

    asyncio.run(main())


def test_bots_are_asked_by_holders_of_tokens_and_by_each_so_much_at_once(tmp_path: Path):
    async def main() -> None:
        async with talking(tmp_path) as (app, client):
            answered, asked = asyncio.Event(), 0

            async def ask(question: BotQuery, slot: int = 0) -> Any:
                nonlocal asked
                asked += 1
                await answered.wait()
                return WorkerAnswer(deploys=[], attacks=[])

            app.state.lobby.bot_workers.ask = ask
            body = {"players": PEOPLE, "map": "small", "picks": "random"}
            games = [(await client.post("games", json=body)).json() for _ in range(9)]

            def insight(game: dict[str, Any], token: str) -> asyncio.Task[httpx.Response]:
                headers = {"authorization": f"Bearer {token}"}
                url = f"games/{game['id']}/insight"
                return asyncio.ensure_future(client.post(url, json={"bot": "random"}, headers=headers))

            async def turned_away(task: asyncio.Task[httpx.Response], status: int) -> None:
                answer = await asyncio.wait_for(task, 10)
                assert answer.status_code == status, answer.text
                assert int(answer.headers["retry-after"]) > 0

            assert (await insight(games[0], "nobody's")).status_code == 404
            assert (await insight(games[0], games[1]["tokens"]["0"])).status_code == 404
            assert asked == 0
            waiting = [insight(games[0], games[0]["tokens"]["0"]) for _ in range(2)]
            await turned_away(insight(games[0], games[0]["tokens"]["0"]), 429)
            for game in games[1:]:  # others may, until there are too many of all together
                waiting.append(insight(game, game["tokens"]["1"]))
            done, _ = await asyncio.wait(waiting, timeout=1.0, return_when=asyncio.FIRST_COMPLETED)
            assert 0 < len(done) < len(waiting) - 4
            for task in done:
                await turned_away(task, 503)
            answered.set()
            for task in set(waiting) - done:
                assert (await task).status_code == 200
            assert (await insight(games[0], games[0]["tokens"]["0"])).status_code == 200

    asyncio.run(main())
