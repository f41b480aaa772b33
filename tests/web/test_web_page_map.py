"""The map on the page: its part of the screen, its drawing, its dragging, and orders at their targets."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

from page_helpers import PAGE, PHONE, bot_log, box, front, open_without_analysis, region, regions, show_on

from warlight_env import Game, battle_odds
from warlight_env.web.export import write_html
from web_helpers import Server

pytestmark = PAGE

#: JavaScript: bounding boxes on the screen with their texts, by kind of element.
BOXES = """() => Object.fromEntries(Object.entries({badges: '.badge', names: 'g.name',
    chips: 'g.addition rect, g.draft rect'}).map(([kind, where]) => [kind,
    [...document.querySelectorAll(where)].map(e => { const b = e.getBoundingClientRect();
    return [b.left, b.top, b.right, b.bottom, e.closest('g').textContent] })]))"""


def overlap(a: list[float], b: list[float]) -> float:
    """Return the overlap of two boxes in square pixels; an overlap of one pixel at an edge does not count."""
    wide, high = (min(a[k + 2], b[k + 2]) - max(a[k], b[k]) - 1 for k in (0, 1))
    return wide * high if wide > 0 and high > 0 else 0.0


def area(page: Any, where: str) -> float:
    shape = page.locator(where).bounding_box()
    return shape["width"] * shape["height"] if shape else 0.0


def open_first_turn(server: Server, page: Any) -> tuple[str, str, dict[str, int]]:
    """Open the first turn; return a region, a neighbour to attack, and the armies on all regions."""
    page.goto(server.begin(map="world", seed=3, picks="random").address)
    page.locator(".phases").wait_for()
    page_regions = regions(page)
    return *front(page, Game("world").map, page_regions), {r["name"]: r["armies"] for r in page_regions}


def test_map_covers_two_thirds_of_the_screen_and_cards_fold(server: Server, open_page: Callable[..., Any]):
    page = open_page()
    open_first_turn(server, page)
    screen = 1280 * 800
    frame, cards = page.locator(".stage").bounding_box(), page.locator("aside").bounding_box()
    assert frame["width"] == 1280
    assert cards["x"] * frame["height"] >= screen * 2 / 3  # the area beside the cards
    right_edges = [
        r["x"] + r["width"]
        for r in page.locator("path[data-region]").evaluate_all(
            "all => all.map(e => e.getBoundingClientRect().toJSON())"
        )
    ]
    assert max(right_edges) <= cards["x"]  # the cards cover no region
    heights = "() => ['.head', '.head > div'].map((css) => document.querySelector(css).offsetHeight)"
    for width in (1280, 620, 1280):  # no empty strip below the header
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_function(f"innerWidth === {width}")
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        outer, inner = page.evaluate(heights)
        assert outer == inner, width
    page.get_by_role("button", name="Hide the side panel").click()
    page.wait_for_function("() => document.querySelector('.drawing svg').clientWidth > 1270")
    assert area(page, ".drawing svg") >= screen * 2 / 3  # the drawing of the map alone
    page.reload()
    page.locator(".phases").wait_for()
    assert not page.locator("section.orders").is_visible()
    page.get_by_role("button", name="Side panel").click()
    page.locator("section.orders").wait_for()


def test_phone_shows_the_cards_as_a_sheet_and_no_keyboard_hints(server: Server, open_page: Callable[..., Any]):
    phone = open_page()
    open_first_turn(server, phone)
    assert phone.locator("kbd:visible").count() >= 2  # "?" and the key of Commit
    show_on(phone, {**PHONE, "has_touch": True, "is_mobile": True})
    phone.locator("aside .handle").wait_for()
    assert phone.locator("kbd:visible, .for-keys:visible").count() == 0
    assert not phone.get_by_label("Orders as text").is_visible()
    handle = phone.locator("aside .handle")
    assert handle.inner_text().startswith("Orders: 0/5 deployed")
    stage, sheet = phone.locator(".stage").bounding_box(), phone.locator("aside").bounding_box()
    assert sheet["height"] < 60
    assert (stage["height"] - sheet["height"]) > 0.6 * 740
    handle.click()
    phone.locator("section.orders").wait_for()
    open_sheet = phone.locator("aside").bounding_box()
    assert stage["y"] + 100 < open_sheet["y"] < sheet["y"] - 200
    assert open_sheet["y"] + open_sheet["height"] <= stage["y"] + stage["height"] + 1
    phone.mouse.move(180, open_sheet["y"] + 20)  # a drag also closes the sheet
    phone.mouse.down()
    phone.mouse.move(180, open_sheet["y"] + 90, steps=3)
    phone.mouse.up()
    phone.locator("section.orders").wait_for(state="hidden")


def test_chips_names_and_badges_do_not_overlap_during_a_game(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    file = tmp_path / "game.wl.jsonl.gz"
    bot_log("world", 14, 5).save(file)
    page = open_without_analysis(open_page, server.page())
    page.get_by_label("Log of a game").set_input_files(file)
    page.locator("path[data-region]").first.wait_for()
    page.get_by_role("button", name="Play on from here").click()
    page.locator(".phases").wait_for()
    page_regions, world = regions(page), Game("world").map
    code = [r.code.lower() for r in world.regions]
    own_regions = {r for r, it in enumerate(page_regions) if it["who"] == "yours"}
    orders = [
        f"a {code[r]} {code[n]} 3" for r in sorted(own_regions) for n in world.neighbors[r] if n not in own_regions
    ]
    deploy_regions = sorted(own_regions)[:2]
    assert len(orders) >= 6
    page.keyboard.press(":")
    page.keyboard.insert_text("; ".join([f"d {code[r]} 2" for r in deploy_regions] + orders[:10]))
    page.keyboard.press("Enter")
    page.locator("g.draft rect").nth(min(len(orders), 10) - 1).wait_for(state="attached")
    for zoom in range(3):
        boxes = page.evaluate(BOXES)
        assert len(boxes["badges"]) == world.n_regions
        assert len(boxes["chips"]) == len(deploy_regions) + min(len(orders), 10)
        assert boxes["names"]
        everything = [(kind, *it) for kind, some in boxes.items() for it in some]
        overlaps = [
            (a[0], a[5], b[0], b[5], overlap(a[1:5], b[1:5]))
            for a, b in combinations(everything, 2)
            if (a[0], b[0]) != ("badges", "badges") and overlap(a[1:5], b[1:5])
        ]
        assert overlaps == [], zoom
        page.get_by_role("button", name="Zoom in").click()
    order = page.evaluate("() => [...document.querySelectorAll('g.draft path, .badge')].map(e => e.classList[0] ?? '')")
    assert order.index("badge") > max(i for i, name in enumerate(order) if name != "badge")  # arrows are below badges


def test_zoom_adds_names_and_a_drag_on_the_sea_moves_the_map(tmp_path: Path, open_page: Callable[..., Any]):
    file = tmp_path / "replay.html"
    write_html(bot_log("world", 4), file, chances=False)
    page = open_page(f"{file.as_uri()}#/?round=2")
    page.locator("path[data-region]").first.wait_for()
    names = page.locator("g.name")
    name_texts = names.all_text_contents()
    assert [name for name in name_texts if name.endswith(tuple(f"+{x.bonus}" for x in Game("world").map.super_regions))]
    before = names.count()
    for _ in range(2):
        page.get_by_role("button", name="Zoom in").click()
    page.wait_for_function("n => document.querySelectorAll('g.name').length > n + 5", arg=before)
    at = page.evaluate(
        """() => { const f = document.querySelector('.scroll').getBoundingClientRect();
        for (let x = f.left + 200; x < f.left + 900; x += 20) for (let y = f.top + 100; y < f.bottom - 150; y += 20) {
            const e = document.elementFromPoint(x, y);
            if (e.closest('.scroll') && !e.closest('[data-region]')) return [x, y] } }"""
    )
    place = "() => { const s = document.querySelector('.scroll'); return [s.scrollLeft, s.scrollTop] }"
    left, top = page.evaluate(place)
    page.mouse.move(*at)
    page.mouse.down()
    page.mouse.move(at[0] - 70, at[1] - 40, steps=4)
    page.mouse.up()
    now = page.evaluate(place)
    assert abs(now[0] - left - 70) <= 1 and abs(now[1] - top - 40) <= 1


def test_dragged_order_shows_its_odds_and_can_be_changed_at_the_target(server: Server, open_page: Callable[..., Any]):
    page = open_page()
    source, target, armies = open_first_turn(server, page)
    region(page, source).focus()
    page.keyboard.press("Shift+Enter")
    page.get_by_text("All armies are deployed").wait_for()
    most = armies[source] + 5 - 1
    aim = page.locator(".aim")

    def odds_text(sent: int) -> str:
        return f"{100 * battle_odds(sent, armies[target]).capture:.1f}\N{NO-BREAK SPACE}% against {armies[target]}"

    page.mouse.move(*box(page, source))
    page.mouse.down()
    page.mouse.move(*box(page, target), steps=4)
    aim.get_by_text(odds_text(most)).wait_for()
    line = page.locator(".pull path")
    assert line.count() == 2
    # a dark outline around a bright line
    assert [e.get_attribute("stroke") for e in line.all()] == ["#0b141a", "#ffe066"]
    for fewer in (1, 2):  # the wheel changes the armies during the drag
        page.mouse.wheel(0, 100)
        aim.get_by_text(odds_text(most - fewer)).wait_for()
    page.mouse.up()
    sent = page.get_by_label(f"Armies from {source} to {target}")
    assert sent.input_value() == str(most - 2)
    slider = page.get_by_role("slider", name=f"Send from {source} to {target}")
    near, goal = aim.bounding_box(), region(page, target).bounding_box()
    assert abs(near["x"] + near["width"] / 2 - goal["x"] - goal["width"] / 2) < 260
    for amount in (1, 3, 2):
        slider.fill(str(amount))
        aim.get_by_text(odds_text(amount)).wait_for()
        assert sent.input_value() == str(amount)
    slider.press("ArrowRight")
    assert sent.input_value() == "3"
    page.get_by_role("button", name="Undo").click()  # all moves of the slider are one undo step
    page.get_by_role("button", name=target).first.wait_for()
    assert sent.input_value() == str(most - 2)
