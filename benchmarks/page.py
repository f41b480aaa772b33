"""Speed of the page in Chromium: frame rate during a fast game, and seeking in a long replay.

    python benchmarks/page.py

It needs the page (built with the package), Chromium, and playwright from the test extra. The browser renders in
software.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from playwright.sync_api import Page, sync_playwright

from warlight_env import Game, Orders
from warlight_env.agents.registry import make_agent
from warlight_env.arena.games.game_loop import ask_orders
from warlight_env.record import GameLog, MemoryRecorder
from warlight_env.web.export import write_html
from web_helpers import CHROMIUM, serving

SECONDS = 5
SEEDS = (6, 11, 15)  # seeds of games that are long enough
ROUNDS = 500

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


def watch(page: Page, folder: Path) -> None:
    """Measure frames during games with ten rounds per second on 128 regions, from the second round of each game."""
    times: list[float] = []
    rounds = 0
    for seed in SEEDS:
        with serving(folder, "watch", "random", "random", "--live", "--map", "large", "--seed", str(seed)) as server:
            page.goto(server.address)
            page.get_by_role("combobox", name="Pace").select_option("0.1")
            page.locator(".where", has_text="Round 2").first.wait_for()
            before = int(page.locator(".where b").inner_text())
            times += page.evaluate(FRAMES, 1000 * SECONDS)[1:]
            rounds += int(page.locator(".where b").inner_text()) - before
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
    changed, drawn = (sorted(column) for column in zip(*rows, strict=True))
    print(
        f"seeking in {ROUNDS} rounds: page changed in {changed[50]:.1f} ms (p99 {changed[98]:.1f}), "
        f"drawn in {drawn[50]:.0f} ms (p99 {drawn[98]:.0f}); the file has {file.stat().st_size / 1024:.0f} KiB"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        watch(page, Path(folder))
        seek(page, Path(folder))
        browser.close()


if __name__ == "__main__":
    main()
