"""Helpers for tests of the page: regions by their labels, games between bots, the keys of a turn."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

from warlight_env import Game, Orders, Rules
from warlight_env.agents.registry import make_agent
from warlight_env.arena.games.game_loop import ask_orders
from warlight_env.record import GameLog, MemoryRecorder
from warlight_env.web.documents.faces import displayed_names
from web_helpers import needs_browser, needs_page

#: Marks for every test of the page.
PAGE: Final = [needs_page, needs_browser]
#: Default options of a browser context.
STILL: Final = {"locale": "en-US", "reduced_motion": "reduce", "viewport": {"width": 1280, "height": 800}}
PHONE: Final = {"viewport": {"width": 360, "height": 740}}
#: JavaScript for pages of finished games: analyses stay without results. The server would compute for seconds, also
#: after the page was closed.
NO_ANALYSIS: Final = """const sends = window.fetch;
const news = { bot: 'random', seconds: 1, version: 0, done: 0, total: 9, positions: [], summary: null };
const analyses = /\\/analysis(\\/prepare)?$/;
window.fetch = (url, ...rest) => analyses.test(url) ? Promise.resolve(Response.json(news)) : sends(url, ...rest);
"""


def bot_log(map_name: str = "small", rounds: int = 30, seed: int = 12, fog: bool = False) -> GameLog:
    """Play a game between two bots, one of which searches; return its log."""
    game = Game(map_name, Rules.of("thesis", fog=fog), 2, seed, picks="random")
    bots = [make_agent("mcts:sims=50", seed), make_agent("aggressive", seed)]
    recorder = MemoryRecorder(insight=True)
    recorder.began(game, bots, 500)
    while not game.done and game.round < rounds:
        orders = ask_orders(game, bots)
        recorder.played(orders, game.play_round(orders, on_illegal="skip"), game)
    return recorder.log


#: Illegal orders on the map "small" for a player in any position: the regions do not exist, or are not neighbours.
ILLEGAL_ORDERS = Orders([(99, 1), (0, 999)], [(1, 1, 1), (2, 2, 2)])


def idle_log(rounds: int, map_name: str = "small", orders: Orders | None = None) -> GameLog:
    """Play a game of a player without legal orders against a bot that attacks; return its log.

    orders: the orders of the player in each round; illegal orders are dropped.
    """
    game, recorder = Game(map_name, "thesis", 2, 3, picks="random"), MemoryRecorder()
    bots = [make_agent("random", 1), make_agent("aggressive", 1)]
    recorder.began(game, bots, 500)
    while game.round < rounds and not game.done:
        turns = {0: orders or Orders(), 1: bots[1].act(game.view(1))}
        recorder.played(turns, game.play_round(turns, on_illegal="skip"), game)
    return recorder.log


def names_of(log: GameLog) -> list[str]:
    """Return the names that the page shows for the players of a log."""
    return displayed_names([(player.name, player.spec) for player in log.header.players])


def axe_finds(page: Any, contrast_only: bool = False) -> list[tuple[str, str, list[str]]]:
    """Return the problems that axe finds on a page: (rule, description, elements), with at most three elements each.

    The page must be opened with `bypass_csp`. `contrast_only` is for a second theme of a page that was checked, because
    the themes differ only in their colours.
    """
    from axe_playwright_python.base import AXE_SCRIPT

    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    only = {"runOnly": ["color-contrast"]} if contrast_only else {}
    # The answer contains no passed rules, because their list would be large.
    violations = page.evaluate(
        """options => axe.run(options).then(({ violations }) => violations.map(
            ({ id, help, nodes }) => [id, help, nodes.slice(0, 3).map(node => node.html.slice(0, 200))]))""",
        {**only, "resultTypes": ["violations"]},
    )
    return [tuple(violation) for violation in violations]


def show_on(page: Any, device: dict[str, Any]) -> None:
    """Show an open page as on another device. device: the options of a browser context on this device.

    The context of the page must not have touch input, because it would remain.
    """
    # The settings end with this session, which ends with the page.
    session, width = page.context.new_cdp_session(page), device["viewport"]["width"]
    metrics = {**device["viewport"], "deviceScaleFactor": 1, "mobile": device.get("is_mobile", False)}
    session.send("Emulation.setDeviceMetricsOverride", metrics)
    session.send("Emulation.setTouchEmulationEnabled", {"enabled": device.get("has_touch", False)})
    page.wait_for_function("width => innerWidth === width", arg=width)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def choose_language(page: Any, language: str) -> None:
    """Choose a language ("en" or "cs") in the settings of an open page."""
    page.get_by_role("button", name=re.compile("^(Settings|Nastavení)$")).click()
    page.locator("#settings-language").select_option(language)
    page.keyboard.press("Escape")
    page.locator("#settings-language").wait_for(state="hidden")


def open_without_analysis(open_page: Callable[..., Any], address: str, **options: Any) -> Any:
    """Open a page that shows finished games without their analyses."""
    page = open_page(**options)
    page.add_init_script(NO_ANALYSIS)
    page.goto(address)
    return page


def region(page: Any, name: str) -> Any:
    return page.locator(f'path[data-region][aria-label^="{name},"]')


def regions(page: Any) -> list[dict[str, Any]]:
    """Return the name, owner and armies of all regions, read from their labels for screen readers."""
    labels = page.locator("path[data-region]").evaluate_all("all => all.map(e => e.getAttribute('aria-label'))")
    rows = []
    for label in labels:
        name, who, *rest = label.split(", ")
        armies = next((int(w.split()[0]) for w in rest if re.match(r"\d+ arm", w)), 0)
        rows.append({"name": name, "who": who, "armies": armies, "label": label})
    return rows


def box(page: Any, name: str) -> tuple[float, float]:
    """Return a screen point inside a region that no other element covers."""
    return tuple(
        region(page, name).evaluate(
            """e => { const l = e.ownerSVGElement.createSVGPoint(); const b = e.getBBox();
            const m = e.getScreenCTM(); for (let k = 0; k < 400; k++) { const i = k % 20, j = Math.floor(k / 20);
            const at = n => (((n * 7 + 10) % 20) + .5) / 20; l.x = b.x + b.width * at(i); l.y = b.y + b.height * at(j);
            if (!e.isPointInFill(l)) continue; const p = l.matrixTransform(m);
            if (document.elementFromPoint(p.x, p.y) === e) return [p.x, p.y]; } throw new Error('covered'); }"""
        )
    )  # type: ignore[return-value]


def front(page: Any, game_map: Any, told: list[dict[str, Any]]) -> tuple[str, str]:
    """Return the own region with the weakest foreign neighbour, and that neighbour."""
    by_name = {r["name"]: r for r in told}
    pairs = []
    for r, shape in enumerate(game_map.regions):
        if by_name[shape.name]["who"] == "yours":
            for n in game_map.neighbors[r]:
                target = by_name[game_map.regions[n].name]
                if target["who"] != "yours":
                    pairs.append((target["armies"] - by_name[shape.name]["armies"], shape.name, target["name"]))
    return min(pairs)[1:]


def round_or_end(page: Any, number: int) -> None:
    """Wait until the user can enter round `number`, or the game is over."""
    page.locator(f".round:has-text('Round {number}'), .result").first.wait_for()


def letter_of(page: Any, name: str) -> str:
    """Return the letter that the map shows on a region."""
    number = region(page, name).get_attribute("data-region")
    letter = page.locator(f"[data-letter='{number}']")
    letter.wait_for()
    return letter.text_content().strip().lower()


def pick(page: Any, regions: int = 2) -> None:
    """Pick the first offered regions, and commit."""
    page.get_by_text(re.compile(f"Pick {regions} regions: {regions} left|You start in")).first.wait_for()
    for _ in range(regions):
        page.locator('path[aria-label$="can be picked"]').first.focus()
        page.keyboard.press("Enter")
    page.keyboard.press("Control+Enter")


def hand_in(page: Any) -> None:
    """Commit a turn with armies that are not deployed."""
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Commit anyway").click()


def store_turn(page: Any, game: str, orders: dict[str, Any]) -> None:
    """Store the orders of the first round in the browser, and load the page again."""
    page.evaluate(
        "([key, text]) => localStorage.setItem(key, text)", [f"warlight.draft.{game}.0.1", json.dumps(orders)]
    )
    page.reload()
