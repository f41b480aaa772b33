"""The server under load: time of commands during 50 games, with 200 viewers of one game and a client that never reads.

python benchmarks/server.py
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import httpx
from websockets.asyncio.client import connect

from web_helpers import Server, serving

GAMES, VIEWERS, COMMANDS = 50, 200, 400


def memory(server: Server) -> float:
    """Return the memory of the server's process in MiB."""
    pages = int(Path(f"/proc/{server.process.pid}/statm").read_text().split()[1])
    return pages * 4096 / 2**20


async def follow(server: Server, game: dict, counts: list[int], number: int) -> None:
    """Receive all events of a game as a viewer."""
    url = f"{server.base.replace('http', 'ws')}/api/games/{game['id']}/feed"
    async with connect(url, max_size=None, open_timeout=60) as socket:
        await socket.send(json.dumps({"token": game["watch"], "key": server.key}))
        async for text in socket:
            counts[number] += json.loads(text)["type"] == "event"


async def never_read(server: Server, game: dict) -> None:
    """Connect as a viewer, and read no messages."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(server.base.rpartition(":")[2]))
    writer.write(
        f"GET /api/games/{game['id']}/feed HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    await reader.readuntil(b"\r\n\r\n")
    hello = json.dumps({"token": game["watch"], "key": server.key}).encode()
    mask = b"\1\2\3\4"
    masked = bytes(b ^ mask[i % 4] for i, b in enumerate(hello))
    writer.write(bytes([0x81, 0x80 | len(hello)]) + mask + masked)
    await writer.drain()
    reader._transport.pause_reading()  # type: ignore[attr-defined]
    await asyncio.sleep(3600)


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), "play", "--vs", "random") as server:
        async with httpx.AsyncClient(base_url=f"{server.base}/api/", headers=server.headers(), timeout=60) as client:
            bots = {"players": [{"bot": "random"}, {"bot": "random"}], "picks": "random", "pace": 1.0}
            games = [(await client.post("games", json=bots)).json() for _ in range(GAMES)]
            options = {"players": [{"name": "Ann"}, {"bot": "random"}], "picks": "random", "map": "large"}
            own_game = (await client.post("games", json=options)).json()
            before = memory(server)
            audience = subprocess.Popen(
                [sys.executable, __file__, "--attend", server.address, json.dumps(games)],
                stdout=subprocess.PIPE,
                text=True,
            )
            await asyncio.sleep(8)
            headers = server.headers(own_game["tokens"]["0"])
            times = []
            for number in range(1, COMMANDS + 1):
                body = {"round": number, "deploys": [], "attacks": []}
                start = time.perf_counter()
                response = await client.post(f"games/{own_game['id']}/orders", json=body, headers=headers)
                times.append(1000 * (time.perf_counter() - start))
                if response.status_code == 409:  # the bot has not answered yet, or the game is over
                    response = await client.get(f"games/{own_game['id']}", headers=headers)
                await asyncio.sleep(0.03)
            times.sort()
            audience.send_signal(signal.SIGTERM)
            counts = json.loads(audience.communicate()[0])
            print(
                f"{GAMES} games, {VIEWERS + GAMES} viewers, one that never reads: {len(times)} commands, "
                f"median {times[len(times) // 2]:.1f} ms, p99 {times[int(0.99 * len(times))]:.1f} ms; "
                f"viewers of one game heard {min(counts[:VIEWERS])}–{max(counts[:VIEWERS])} events; "
                f"memory {before:.0f} → {memory(server):.0f} MiB"
            )


async def attend(server: Server, games: list[dict]) -> None:
    """Run the viewers in a separate process; print how many events each received."""
    counts = [0] * (VIEWERS + GAMES)
    tasks = [asyncio.create_task(never_read(server, games[0]))]
    for number in range(VIEWERS + GAMES):
        game = games[0] if number < VIEWERS else games[number - VIEWERS]
        tasks.append(asyncio.create_task(follow(server, game, counts, number)))
    done = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, done.set)
    await done.wait()
    print(json.dumps(counts))
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    # The program starts itself with this argument as the process of the viewers.
    parser.add_argument("--attend", nargs=2, metavar=("ADDRESS", "GAMES"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.attend is None:
        asyncio.run(main())
    else:
        address, games = args.attend
        asyncio.run(attend(Server(None, address, Path()), json.loads(games)))  # type: ignore[arg-type]
