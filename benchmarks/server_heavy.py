"""Usual requests during expensive ones (uploads, generated maps, replays, branches), with 2,000 games on disk.

python benchmarks/server_heavy.py

A separate process sends the expensive requests, one after the other for each kind, and never the same log twice.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gzip
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import httpx
from page import long_log

from warlight_env import Game, maps
from warlight_env.agents.registry import make_agent
from warlight_env.record import MemoryRecorder, Player
from warlight_env.record.encode import log_lines
from web_helpers import Server, serving

ALONE, BESIDE = 25, 45  # seconds without and with expensive requests
GAMES = 2000  # number of games in the folder
REGIONS = 1000
PEOPLE = [{"name": "Ann"}, {"name": "Bo"}]


def large_map() -> maps.Map:
    """Return a map of 1000 regions without outlines: a grid of squares."""
    width = 25
    borders = [[f"r{n}", f"r{n + 1}"] for n in range(REGIONS - 1) if (n + 1) % width]
    borders += [[f"r{n}", f"r{n + width}"] for n in range(REGIONS - width)]
    regions = [{"name": f"r{n}", "code": f"R{n}", "super_region": f"s{n // 10}"} for n in range(REGIONS)]
    supers = [{"name": f"s{n}", "bonus": 3} for n in range(REGIONS // 10)]
    return maps.from_dict(
        {"format": "warlight-map", "version": 1, "name": "strip", "super_regions": supers, "regions": regions,
         "borders": borders}
    )  # fmt: skip


def large_log() -> list[bytes]:
    """Return the lines of the log of a game with one round on this map."""
    game = Game(large_map(), "thesis", 2, 1, "random")
    recorder = MemoryRecorder([Player("Ann"), Player("Bo")])
    recorder.began(game, [make_agent("random", 1), make_agent("random", 2)], 500)
    recorder.played({}, game.play_round({}), game)
    return list(log_lines(recorder.log))


def another(lines: list[bytes], number: int) -> bytes:
    """Return a log file of the same game with other player names, so that the server has not cached it."""
    header = json.loads(lines[0])
    header["players"][0]["name"] = f"Ann {number}"
    return gzip.compress(b"\n".join([json.dumps(header).encode(), *lines[1:], b""]), 1)


async def trouble(server: Server) -> None:
    """Send expensive requests until SIGTERM; print the numbers of answers by kind and status."""
    large, long = large_log(), list(log_lines(long_log()))
    answers: Counter[str] = Counter()
    done = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, done.set)
    print("ready", flush=True)
    async with httpx.AsyncClient(base_url=f"{server.base}/api/", headers=server.headers(), timeout=600) as client:

        async def ask(kind: str, send: Callable[[int], Awaitable[httpx.Response]]) -> None:
            number = 0
            while not done.is_set():
                number += 1
                response = await send(number)
                answers[f"{kind}: {response.status_code}"] += 1
                await asyncio.sleep(0.1 if response.is_success else 1.0)

        async def branch(number: int) -> httpx.Response:
            log = (await client.post("replays", content=another(long, -number))).json()
            if "log" not in log:
                return httpx.Response(503)
            return await client.post(f"replays/{log['log']}/branch", json={"round": 400, "players": PEOPLE})

        generated = {"players": PEOPLE, "map": "generated", "regions": 400, "picks": "random"}
        kinds: dict[str, Callable[[int], Awaitable[httpx.Response]]] = {
            f"log of {REGIONS} regions": lambda n: client.post("replays", content=another(large, n)),
            "generated map of 400 regions": lambda n: client.post("games", json={**generated, "seed": n}),
            "replay of 500 rounds": lambda n: client.post("replays", content=another(long, n)),
            "branch at round 400": branch,
        }
        tasks = [asyncio.ensure_future(ask(kind, send)) for kind, send in kinds.items()]
        await done.wait()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    print(json.dumps(dict(answers)))


def fill(folder: Path) -> None:
    """Fill a folder with many games of 1000 regions; their logs are links to one file."""
    (folder / "log").write_bytes(b"".join(line + b"\n" for line in large_log()))
    seats = json.dumps({"seats": [["Ann", None, "a" * 24], ["Bo", None, "b" * 24]], "watch": None, "pace": 0.8})
    for number in range(GAMES):
        os.link(folder / "log", folder / f"game{number:05d}.partial.wl.jsonl")
        (folder / f"game{number:05d}.seats.json").write_text(seats)
        os.utime(folder / f"game{number:05d}.seats.json", (number, number))


async def usual(server: Server, seconds: float, times: dict[str, list[float]]) -> None:
    """Send requests like the page for `seconds` seconds; append the milliseconds by kind to `times`."""
    async with httpx.AsyncClient(base_url=f"{server.base}/api/", headers=server.headers(), timeout=600) as client:

        async def timed(kind: str, method: str, path: str, **request: Any) -> httpx.Response:
            start = time.perf_counter()
            response = await client.request(method, path, **request)
            times.setdefault(kind, []).append(1000 * (time.perf_counter() - start))
            assert response.status_code in (200, 409), response.text
            return response

        body = {"players": PEOPLE, "picks": "random"}
        game = (await client.post("games", json=body)).json()
        end, number = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            number += 1
            for seat in "01":
                turn = {"round": number, "deploys": [], "attacks": []}
                headers = {"authorization": f"Bearer {game['tokens'][seat]}"}
                await timed("orders", "POST", f"games/{game['id']}/orders", json=turn, headers=headers)
                await asyncio.sleep(0.03)
            await timed("game", "GET", f"games/{game['id']}", headers=headers)
            if number % 10 == 0:
                await timed("home", "GET", "home")
                await timed("new game", "POST", "games", json=body)


async def main() -> None:
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        fill(folder)
        server = stack.enter_context(serving(folder, "play", "--vs", "random"))
        calm: dict[str, list[float]] = {}
        busy: dict[str, list[float]] = {}
        print("load before:", *(f"{load:.2f}" for load in os.getloadavg()))
        start = time.perf_counter()
        httpx.get(f"{server.base}/api/home", headers=server.headers(), timeout=600).raise_for_status()
        print(f"first list of {GAMES} games, whose newest logs have to be read: {time.perf_counter() - start:.1f} s")
        await usual(server, ALONE, calm)
        process = subprocess.Popen(
            [sys.executable, __file__, "--trouble", server.address], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        await asyncio.to_thread(process.stdout.readline)
        await usual(server, BESIDE, busy)
        process.send_signal(signal.SIGTERM)
        for label, by_kind in (("alone", calm), ("beside heavy ones", busy)):
            for kind, times in [*by_kind.items(), ("all", [t for values in by_kind.values() for t in values])]:
                ordered = sorted(times)
                print(
                    f"{label:18} {kind:9} {len(ordered):5} requests, median {ordered[len(ordered) // 2]:.1f} ms, "
                    f"p99 {ordered[int(0.99 * len(ordered))]:.1f} ms, most {ordered[-1]:.1f} ms"
                )
        print("heavy:", process.communicate()[0].strip())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    # The program starts itself with this argument as the process of the expensive requests.
    parser.add_argument("--trouble", metavar="ADDRESS", help=argparse.SUPPRESS)
    args = parser.parse_args()
    asyncio.run(trouble(Server(None, args.trouble, Path())) if args.trouble else main())  # type: ignore[arg-type]
