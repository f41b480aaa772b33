"""Work outside the server's event loop: worker processes, their limits, and the inputs that determine their answers."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import gc
import gzip
import itertools
import os
import signal
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from process_helpers import serve_after_compilation

from app_helpers import log_of
from warlight_env import Game, maps
from warlight_env.agents import make_agent
from warlight_env.protocol.view_transfer import QueriedPosition, WorkerSetup
from warlight_env.record.encode import log_lines
from warlight_env.web.errors import RequestError
from warlight_env.web.workers import worker_tasks
from warlight_env.web.workers.bot_process import BotQuery, Worker, WorkerAnswer, serve
from warlight_env.web.workers.bot_workers import GRACE, BotWorkers, query_timeout
from warlight_env.web.workers.child_process import ChildProcess, ChildTimeoutError, Told
from warlight_env.web.workers.process_pool import ProcessPool, ProcessPoolError
from warlight_env.web.workers.rollout_estimate import estimate_win_probabilities
from warlight_env.web.workers.win_probability import win_probabilities_of


def asked(game: Game, spec: str | None = None, **fields: Any) -> BotQuery:
    return BotQuery(
        WorkerSetup.of(game.map, game.rules, game.players), QueriedPosition.of(game.view(0)), spec, **fields
    )


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

        async def answer(question: BotQuery, limit: Callable[[], float], told: Told) -> WorkerAnswer:
            firsts.append(bool(limit()))
            return WorkerAnswer()

        bot_workers._slots[0].child.ask = answer  # type: ignore[method-assign]
        for spec in ("belief:random", "belief:mcts:sims=5", "belief:mcts:sims=9", None, "random", None, "random"):
            await bot_workers.ask(asked(game, spec))
        assert firsts == [True, True, False, True, True, False, False]
        await bot_workers.ask(asked(Game("small", seed=1), "random"))  # picks need other kernels than orders
        assert firsts[-1]
        await bot_workers.close()

    asyncio.run(main())


def test_the_time_of_a_question_does_not_run_while_kernels_are_compiled():
    async def main() -> None:
        child, told = ChildProcess(serve_after_compilation, "a child"), []
        assert await child.ask("quick", lambda: 1.5, told.append) == "quick"
        assert told[:3] == [(True, 0, 0), None, (True, 1, 2)]  # it starts, computes, compiles
        with pytest.raises(ChildTimeoutError, match="within 2 s"):
            await child.ask("slow", lambda: 1.5)
        child.close()

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
            document = await process_pool.long(worker_tasks.replay_json, source(2_900_000, key), b"[]", {})
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
