"""What tests of the page share: regions as their labels tell of them, games between bots, the keys of a turn."""

from __future__ import annotations

import re
from typing import Any, Final

from warlight_env import Game, Rules
from warlight_env.agents.registry import make_agent
from warlight_env.arena.games.game_loop import ask_orders
from warlight_env.record import GameLog, MemoryRecorder
from web_helpers import needs_browser, needs_page

#: Marks of every test of the page.
PAGE: Final = [needs_page, needs_browser]
#: How pages are opened where nothing else is said.
STILL: Final = {"locale": "en-US", "reduced_motion": "reduce", "viewport": {"width": 1280, "height": 800}}
PHONE: Final = {"viewport": {"width": 360, "height": 740}}


def bot_log(map_name: str = "small", rounds: int = 30, seed: int = 12, fog: bool = False) -> GameLog:
    """A game between bots, one of them a search."""
    game = Game(map_name, Rules.of("thesis", fog=fog), 2, seed, picks="random")
    bots = [make_agent("mcts:sims=50", seed), make_agent("aggressive", seed)]
    recorder = MemoryRecorder(insight=True)
    recorder.began(game, bots, 500)
    while not game.done and game.round < rounds:
        orders = ask_orders(game, bots)
        recorder.played(orders, game.play_round(orders, on_illegal="skip"), game)
    return recorder.log


def axe_finds(page: Any, contrast_only: bool = False) -> list[tuple[str, str, list[str]]]:
    """What axe finds wrong on a page that was opened with `bypass_csp`: the rules' names and texts, and some elements.

    `contrast_only`: for another theme of a page that was checked, as all else is the same in both.
    """
    from axe_playwright_python.sync_playwright import Axe

    only = {"runOnly": ["color-contrast"]} if contrast_only else {}
    # What passes would take long to tell.
    found = Axe().run(page, options={**only, "resultTypes": ["violations"]}).response["violations"]
    return [(v["id"], v["help"], [node["html"][:200] for node in v["nodes"][:3]]) for v in found]


def region(page: Any, name: str) -> Any:
    return page.locator(f'path[data-region][aria-label^="{name},"]')


def regions(page: Any) -> list[dict[str, Any]]:
    """All regions as their labels tell: what somebody who does not see the map knows."""
    labels = page.locator("path[data-region]").evaluate_all("all => all.map(e => e.getAttribute('aria-label'))")
    told = []
    for label in labels:
        name, who, *rest = label.split(", ")
        armies = next((int(w.split()[0]) for w in rest if re.match(r"\d+ arm", w)), 0)
        told.append({"name": name, "who": who, "armies": armies, "label": label})
    return told


def box(page: Any, name: str) -> tuple[float, float]:
    """A point of the screen that lies on a region: where its label is."""
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
    """The own region with the weakest foreign neighbour, and that neighbour."""
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
    """Wait until that round is to be entered, or the game is over."""
    page.locator(f".round:has-text('Round {number}'), .result").first.wait_for()


def letter_of(page: Any, name: str) -> str:
    """The letter that the map shows on a region."""
    number = region(page, name).get_attribute("data-region")
    letter = page.locator(f"[data-letter='{number}']")
    letter.wait_for()
    return letter.text_content().strip().lower()


def pick(page: Any, regions: int = 2) -> None:
    """Pick the first regions that are offered, and commit."""
    page.get_by_text(f"Pick {regions} regions: {regions} left").wait_for()
    for _ in range(regions):
        page.locator('path[aria-label$="can be picked"]').first.focus()
        page.keyboard.press("Enter")
    page.keyboard.press("Control+Enter")


def hand_in(page: Any) -> None:
    """Commit a turn in which armies are left."""
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Commit anyway").click()
