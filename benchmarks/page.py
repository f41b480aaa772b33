"""Speed of the page in Chromium: frame rate in a fast game, seeking in a long replay, analysis of a finished game.

    python benchmarks/page.py

It needs the page (built with the package), Chromium, and playwright from the test extra. The browser renders in
software.
"""

from __future__ import annotations

import argparse
import gzip
import re
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from playwright.sync_api import Page, sync_playwright

from warlight_env import Game, Orders
from warlight_env.agents.registry import make_agent
from warlight_env.arena.games.game_loop import ask_orders
from warlight_env.record import GameLog, MemoryRecorder
from warlight_env.web.export import write_html
from warlight_env.web.page import PAGE
from web_helpers import CHROMIUM, Server, serving

SECONDS = 5
SEEDS = (6, 11, 15)  # seeds of games that are long enough
ROUNDS = 500
ANALYSED = 30  # rounds of the game that is analysed
TURN_SECONDS = 20  # seconds for the last turn of this game; in this time the server loads the bot for the analysis

FRAMES = """ms => new Promise(done => { const times = []; let last = performance.now(); const end = last + ms;
const frame = now => { times.push(now - last); last = now; now < end ? requestAnimationFrame(frame) : done(times) };
requestAnimationFrame(frame) })"""

#: JavaScript: move the slider; return the milliseconds until the page has changed, and until its second frame.
SEEK = """at => new Promise(done => { const slider = document.querySelector('input[type=range]');
const start = performance.now(); slider.value = at; slider.dispatchEvent(new Event('input', {bubbles: true}));
const changed = performance.now(); requestAnimationFrame(() => requestAnimationFrame(() =>
done([changed - start, performance.now() - start]))) })"""


def long_log() -> GameLog:
    """Play a game of 500 rounds in which bots do not attack each other; return its log."""
    game = Game("world", seed=1, picks="random")
    bots = [make_agent("random", 1), make_agent("random", 2)]
    recorder = MemoryRecorder()
    recorder.began(game, bots, ROUNDS)
    while game.round < ROUNDS:
        orders = ask_orders(game, bots)
        owner = game.owner
        for player, turn in orders.items():
            peaceful = [a for a in turn.attacks if owner[a[1]] in (player, -1)]
            orders[player] = Orders(turn.deploys, peaceful)
        recorder.played(orders, game.play_round(orders, on_illegal="skip"), game)
    return recorder.log


def shown_round(page: Page) -> int:
    """Return the number of the round that the timeline names, as in "After round 2"."""
    match = re.search(r"\d+", page.locator(".where").inner_text())
    assert match is not None
    return int(match[0])


def watch(page: Page, folder: Path) -> None:
    """Measure frames during games with ten rounds per second on 128 regions, from the second round of each game."""
    times: list[float] = []
    rounds = 0
    for seed in SEEDS:
        with serving(folder, "watch", "random", "random", "--live", "--map", "large", "--seed", str(seed)) as server:
            page.goto(server.address)
            page.get_by_role("combobox", name="Pace").select_option("0.1")
            page.locator(".where", has_text="Round 2").first.wait_for()
            before = shown_round(page)
            times += page.evaluate(FRAMES, 1000 * SECONDS)[1:]
            rounds += shown_round(page) - before
    late = sum(time > 25 for time in times)
    print(
        f"watching {rounds / SECONDS / len(SEEDS):.1f} rounds/s: {1000 / statistics.mean(times):.1f} frames/s, "
        f"{late} of {len(times)} late, longest {max(times):.0f} ms"
    )


def seek(page: Page, folder: Path) -> None:
    """Measure the time from a move of the slider to the drawn position, in a replay of 500 rounds."""
    file = folder / "long.html"
    write_html(long_log(), file, chances=False)
    page.goto(file.as_uri())
    page.locator("path[data-region]").first.wait_for()
    rows = [page.evaluate(SEEK, (k * 197) % ROUNDS) for k in range(100)]
    change_times, draw_times = (sorted(column) for column in zip(*rows, strict=True))
    print(
        f"seeking in {ROUNDS} rounds: page changed in {change_times[50]:.1f} ms (p99 {change_times[98]:.1f}), "
        f"drawn in {draw_times[50]:.0f} ms (p99 {draw_times[98]:.0f}); "
        f"the file has {file.stat().st_size / 1024:.0f} KiB"
    )


def last_round(server: Server, folder: Path) -> tuple[str, str]:
    """Play all but the last of `ANALYSED` rounds on the world map; return the id of the game and a player's key."""
    for seed in range(100):
        game = Game("world", seed=seed, picks="random")
        bots = [make_agent("smart_random", seed), make_agent("one_ply", seed)]
        recorder = MemoryRecorder()
        recorder.began(game, bots, ROUNDS)
        while not game.done and game.round < ANALYSED - 1:
            orders = ask_orders(game, bots)
            recorder.played(orders, game.play_round(orders, on_illegal="skip"), game)
        if not game.done:
            break
    recorder.log.save(folder / "game.wl.jsonl")
    with server.client() as client:
        log = client.post("replays", content=(folder / "game.wl.jsonl").read_bytes()).json()["log"]
        players = [{"name": "You"}, {"bot": "aggressive"}]
        branch = client.post(f"replays/{log}/branch", json={"round": ANALYSED - 1, "players": players}).json()
    return branch["id"], branch["tokens"]["0"]


def finish(server: Server, game: str, token: str) -> None:
    """Play the last round, and resign."""
    with server.client(token) as client, server.feed(game, token) as feed:
        client.post(f"games/{game}/orders", json={"round": ANALYSED, "deploys": [], "attacks": []})
        while feed.event("round")["round"] < ANALYSED:
            pass
        client.post(f"games/{game}/resign")
        feed.event("end")


def analyse(page: Page, folder: Path) -> None:
    """Measure the time from a finished game to the first better turn on the board, and frames during the analysis."""
    with serving(folder, "play", "--vs", "random", "--map", "small") as server:
        game, token = last_round(server, folder)
        page.goto(server.page(f"g/{game}?key0={token}"))
        page.locator("path[data-region]").first.wait_for()
        time.sleep(TURN_SECONDS)
        finish(server, game, token)
        button = page.locator("section.result").get_by_role("link", name="Analysis")
        button.wait_for()
        start = time.monotonic()
        button.click()
        page.get_by_role("button", name="Next mistake").click()
        page.locator("g.best, g.addition").first.wait_for(state="attached", timeout=120_000)
        seconds = time.monotonic() - start
        page.get_by_role("button", name="Play", exact=True).click()
        times = page.evaluate(FRAMES, 1000 * SECONDS)[1:]
        progress = page.get_by_label("Progress of the analysis")
        running = progress.evaluate("e => e.value < e.max")
    late = sum(interval > 25 for interval in times)
    print(
        f"first better turn in a game of {ANALYSED} rounds: 2 clicks, {seconds:.1f} s; then, with the analysis "
        f"{'running' if running else 'finished'}, {1000 / statistics.mean(times):.1f} frames/s, "
        f"{late} of {len(times)} late, longest {max(times):.0f} ms"
    )


def main() -> None:
    print(f"the page has {len(gzip.compress(PAGE.read_bytes())) / 1024:.0f} KiB compressed")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = shutil.which("chromium") or CHROMIUM  # as users have it, not the headless shell
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        watch(page, Path(folder))
        seek(page, Path(folder))
        analyse(page, Path(folder))
        browser.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    main()
