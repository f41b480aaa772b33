"""A first game on a phone: forced picks, marks at the edge, the preview of an attack, round numbers, the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gesture_helpers import HANDSET
from page_helpers import PAGE, region

from warlight_env import Game
from web_helpers import YOU, Server

pytestmark = PAGE

#: JavaScript: the distances of the preview from the edges of the visible map: left, right, top, bottom.
DISTANCES = """() => { const a = document.querySelector('.aim').getBoundingClientRect();
    const f = document.querySelector('.scroll').getBoundingClientRect();
    const low = document.querySelector('aside').getBoundingClientRect().top;
    return [a.left - f.left, f.right - a.right, a.top - f.top, low - a.bottom] }"""
#: JavaScript: whether no other element covers the middle of an element.
FRONT = """e => { const b = e.getBoundingClientRect();
    return e.contains(document.elementFromPoint(b.left + b.width / 2, b.top + b.height / 2)) }"""
TEXT_COUNT = """text => { const found = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); let n = 0;
    while (found.nextNode()) { const e = found.currentNode.parentElement;
        n += found.currentNode.data.includes(text) && e.checkVisibility() && !e.closest('.hidden-text') } return n }"""


def test_phone_shows_the_picks_and_the_final_result(server: Server, open_page: Callable[..., Any]):
    game_server = server.begin(map="generated", regions=12, seed=1)
    page = open_page(game_server.address, **HANDSET)
    status, handle = page.locator("p.status"), page.locator("aside .handle")
    status.get_by_text("You start in both regions with a ring: press them").wait_for()
    assert "a guide for new players" in handle.inner_text()
    offered = page.locator('path[aria-label$="can be picked"]')
    mark = page.locator(".mark")
    mark.wait_for()
    target = page.locator(f"path[data-region='{mark.get_attribute('data-target')}']")
    name = target.get_attribute("aria-label").partition(",")[0]
    assert mark.inner_text().strip() == name
    handle.tap()
    assert page.get_by_role("link", name="New here?").evaluate(FRONT)
    page.get_by_text("there is nothing to choose").wait_for()
    assert page.get_by_text("best first").count() == 0
    assert page.get_by_text("last turn of").count() == 0
    handle.tap()
    target.focus()
    page.keyboard.press("Enter")
    assert offered.count() == 1
    page.locator("[data-region]:focus").wait_for()
    page.evaluate("document.querySelector('.scroll').scrollTo(0, 0)")
    page.locator(f".mark[data-target='{target.get_attribute('data-region')}']").wait_for(state="detached")
    offered.first.focus()
    page.keyboard.press("Enter")
    page.locator("[data-guide=commit]").tap()
    page.locator(".phases").wait_for()

    server.client(game_server.token(0)).post(f"games/{game_server.game}/resign")
    for name in ("Rematch", "Analysis"):
        button = page.locator(".result .row").get_by_text(name)
        button.wait_for()
        page.wait_for_function(f"e => ({FRONT})(e)", arg=button.element_handle())
    assert page.evaluate(TEXT_COUNT, "You lost: ") == 1
    page.wait_for_function("""() => { const main = document.querySelector('main').getBoundingClientRect();
        return main.top - document.querySelector('header.bar').getBoundingClientRect().bottom < 2 }""")
    handle.tap()
    assert page.evaluate(TEXT_COUNT, "You lost: ") == 1


def test_complete_picks_leave_no_rings_and_no_marks_on_other_regions(server: Server, open_page: Callable[..., Any]):
    page = open_page(server.begin(map="world", seed=3).address, **HANDSET)
    offered, marks = page.locator('path[aria-label$="can be picked"]'), page.locator(".mark")
    marks.first.wait_for()
    assert marks.filter(has_text="more").count() > 0, "a mark stands for several regions"
    for mark in marks.all():
        box = mark.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= page.viewport_size["width"]
    names = [label.partition(",")[0] for label in offered.evaluate_all("all => all.map(e => e.ariaLabel)")]
    assert len(names) > 2
    for name in names[:2]:
        region(page, name).focus()
        page.keyboard.press("Enter")
    marks.first.wait_for(state="detached")
    assert offered.count() == 0
    page.keyboard.press("Enter")  # removes the last pick
    marks.first.wait_for()
    assert offered.count() == len(names) - 1


def test_the_preview_of_an_attack_stays_on_the_screen(server: Server, open_page: Callable[..., Any]):
    page = open_page(server.begin(YOU, "random", seed=8, picks="random").address, **HANDSET)
    page.locator("[data-guide=attack]").tap()
    own_regions = set(page.locator("path.own").evaluate_all("all => all.map(e => Number(e.dataset.region))"))
    game_map = Game("small").map
    pairs = [(a, b) for a in sorted(own_regions) for b in game_map.neighbors[a] if b not in own_regions]

    def check() -> None:
        page.wait_for_function(f"() => Math.min(...({DISTANCES})()) >= 0")

    lines = set()
    for zoomed_out in (False, True):
        while zoomed_out and page.get_by_role("button", name="Zoom out").is_enabled():
            page.get_by_role("button", name="Zoom out").tap()
        for source, target in pairs:
            for name in (game_map.regions[source].name, game_map.regions[target].name):
                region(page, name).focus()
                page.keyboard.press("Enter")
            page.locator(".aim input").wait_for()
            lines.add(page.locator(".aim p").inner_text().split("\n")[1].partition(" of ")[0])
            check()
            for x, y in () if zoomed_out else ((-400, 0), (400, 0), (0, -400), (0, 400)):
                page.evaluate("by => document.querySelector('.scroll').scrollBy(...by)", [x, y])
                check()
    page.locator("aside .handle").tap()
    check()
    assert lines == {"chance to take it", "Other orders send all free armies"}

    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Commit anyway").tap()
    page.locator(".round", has_text="Round 2").wait_for()
    assert page.locator(".where").inner_text() == "After round 1"
    page.get_by_role("button", name="Previous order").tap()
    assert page.locator(".where").inner_text() == "Round 1"
