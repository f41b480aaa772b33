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
from warlight_env.web.errors import ProcessPoolError, RequestError
from warlight_env.web.workers import worker_tasks
from warlight_env.web.workers.bot_process import BotQuery, Worker, WorkerAnswer, serve
from warlight_env.web.workers.bot_workers import GRACE, BotWorkers, query_timeout
from warlight_env.web.workers.child_process import ChildProcess, ChildTimeoutError, StateCallback
from warlight_env.web.workers.process_pool import ProcessPool
from warlight_env.web.workers.rollout_estimate import estimate_win_probabilities
from warlight_env.web.workers.win_probability import win_probabilities_of


def query(game: Game, spec: str | None = None, **fields: Any) -> BotQuery:
    return BotQuery(
        WorkerSetup.for_game(game.map, game.rules, game.players),
        QueriedPosition.from_view(game.view(0)),
        spec,
        **fields,
    )


# Win probabilities and bots' answers belong to the queried position


@pytest.mark.parametrize(("map_", "rules"), [("world", "thesis"), ("small", "challenge2")])
def test_win_probabilities_depend_on_the_map_and_the_rules(map_: str, rules: str):
    worker = Worker()
    for game in (Game("small", "thesis", 2, 1, "random"), Game(map_, rules, 2, 1, "random")):
        answer, view = (
            worker.answer(query(game, win_probabilities=True, seed=5, games=50)).win_probabilities,
            game.view(0),
        )
        assert answer == estimate_win_probabilities(view, view.owner.tolist(), view.army.tolist(), 5, 50)


def test_replays_with_equal_seeds_have_separate_win_probabilities():
    one, other = (log_of(Game("small", rules, 2, 1, "random")) for rules in ("thesis", "challenge2"))
    assert win_probabilities_of(one) != win_probabilities_of(other)


def test_a_bot_with_memory_plays_the_same_on_the_page_and_in_a_match():
    """The bot gets the start and its view of each round, because its beliefs under fog depend on them."""
    spec, worker, game = "belief:mcts:sims=5", Worker(), Game("world", "challenge2", 2, 5, "random")
    twins = [make_agent(spec, p) for p in range(2)]
    setup = WorkerSetup.for_game(game.map, game.rules, game.players)
    for _ in range(12):
        turns = [twin.act(game.view(p)) for p, twin in enumerate(twins)]
        for p, turn in enumerate(turns):
            answer = worker.answer(BotQuery(setup, QueriedPosition.from_view(game.view(p)), spec, p, agent_key="game"))
            assert answer.orders.to_dict() == turn.to_dict()
        game.play_round(turns, on_illegal="skip")


def test_a_worker_reports_errors_and_continues():
    worker, game = Worker(), Game("small", seed=1, picks="random")
    valid = query(game, "random", win_probabilities=True, games=5)
    short = dataclasses.replace(valid.position, owner=valid.position.owner[:-1])
    for query_ in (
        dataclasses.replace(valid, position=short),
        dataclasses.replace(valid, setup=dataclasses.replace(valid.setup, digest="x", map=b"no map")),
        dataclasses.replace(valid, setup=dataclasses.replace(valid.setup, digest="y", rules={"no": "rules"})),
        dataclasses.replace(valid, spec="no bot"),
    ):
        answer = worker.answer(query_)
        assert answer.error
        assert answer.win_probabilities is None
        assert worker.answer(valid).error is None


# Processes that take too long, die, or get too many queries


def test_a_wrapped_bot_gets_its_own_time_and_time_to_compile():
    game = Game("small", seed=1, picks="random")
    for first in (False, True):
        alone, inside = (query_timeout(query(game, spec), first) for spec in ("nash:secs=30", "belief:nash:secs=30"))
        assert inside == alone > 90
    assert query_timeout(query(game, "mcts:sims=5000"), False) == GRACE

    async def main() -> None:
        bot_workers, firsts = BotWorkers(1, limit=lambda question, first: float(first)), []

        async def answer(question: BotQuery, limit: Callable[[], float], told: StateCallback) -> WorkerAnswer:
            firsts.append(bool(limit()))
            return WorkerAnswer()

        bot_workers._slots[0].child.ask = answer  # type: ignore[method-assign]
        for spec in ("belief:random", "belief:mcts:sims=5", "belief:mcts:sims=9", None, "random", None, "random"):
            await bot_workers.ask(query(game, spec))
        assert firsts == [True, True, False, True, True, False, False]
        await bot_workers.ask(query(Game("small", seed=1), "random"))  # picks need other kernels than orders
        assert firsts[-1]
        await bot_workers.close()

    asyncio.run(main())


def test_the_time_limit_of_a_query_excludes_compilation():
    async def main() -> None:
        child, states = ChildProcess(serve_after_compilation, "a child"), []
        assert await child.ask("quick", lambda: 1.5, states.append) == "quick"
        assert states[:3] == [(True, 0, 0), None, (True, 1, 2)]  # it starts, computes, compiles
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
def test_workers_ignore_interrupts_from_their_start(forked_workers: pytest.MonkeyPatch):
    """Ctrl-C sends a signal to all processes of a terminal, also to workers that still import modules."""
    forked_workers.undo()

    async def main() -> None:
        child, ignored = ChildProcess(serve, "a child"), []
        question = asyncio.ensure_future(child.ask(None, lambda: 60.0))
        while not question.done():
            await asyncio.sleep(0.002)
            process = child._process
            with contextlib.suppress(OSError, AttributeError):
                status = Path(f"/proc/{process.pid}/status").read_text()
                masks = [int(line.split()[1], 16) for line in status.splitlines() if line[:6] in ("SigBlk", "SigIgn")]
                ignored.append(any(mask >> (signal.SIGINT - 1) & 1 for mask in masks))
        child.close()
        question.exception()
        assert len(ignored) > 10 and all(ignored)
        assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())

    asyncio.run(main())


def test_a_task_that_takes_too_long_is_stopped_and_the_next_task_runs():
    async def work(process_pool: ProcessPool) -> None:
        for endless in ((time.sleep, 600), (sum, itertools.count())):
            with pytest.raises(RequestError, match=r"more than 0\.5 s") as late:
                await process_pool.long(*endless)
            assert late.value.status == 503
            assert await process_pool.long(len, "abc") == 3

    run(work, long=0.5)


def test_a_dead_process_is_replaced_and_its_caller_gets_an_error():
    async def work(process_pool: ProcessPool) -> None:
        first = await process_pool.long(os.getpid)
        with pytest.raises(RequestError, match="it ended unexpectedly") as died:
            await process_pool.long(os._exit, 3)
        assert died.value.status == 503
        second = await process_pool.long(os.getpid)
        os.kill(second, signal.SIGKILL)  # while the process has no task
        await asyncio.to_thread(process_pool._long.child._process.join, 30)
        assert await process_pool.long(os.getpid) not in (first, second, os.getpid())

    run(work)


def test_invalid_input_raises_request_errors_and_bugs_raise_pool_errors():
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
def test_large_logs_are_rejected_or_read_within_1_gib_and_not_kept():
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


def test_the_queue_is_limited_and_short_tasks_do_not_wait_for_long_ones():
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


def test_the_answer_to_a_cancelled_query_goes_to_no_other_query():
    game = Game("small", seed=1, picks="random")

    async def work() -> None:
        bot_workers = BotWorkers(1)
        try:
            await bot_workers.ask(query(game, "random"))
            cancelled = asyncio.ensure_future(bot_workers.ask(query(game, None, win_probabilities=True, games=2000)))
            await asyncio.sleep(0.01)
            cancelled.cancel()
            answer = await bot_workers.ask(query(game, "random"))
            assert answer.win_probabilities is None
            assert sum(n for _, n in answer.orders.deploys) == game.view(0).income
        finally:
            await bot_workers.close()

    asyncio.run(work())


def test_closing_a_pool_raises_an_error_only_for_waiting_callers():
    unhandled: list[dict[str, Any]] = []

    async def work() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: unhandled.append(context))
        process_pool = ProcessPool()
        assert await process_pool.long(len, "abc") == 3
        cancelled = asyncio.ensure_future(process_pool.long(time.sleep, 60))
        await asyncio.sleep(0.05)
        cancelled.cancel()
        waiting = asyncio.ensure_future(process_pool.long(len, "abc"))
        await asyncio.sleep(0.05)
        process_pool.close()
        with pytest.raises(RequestError, match="it was stopped"):
            await waiting

    asyncio.run(work())
    gc.collect()
    assert not unhandled
