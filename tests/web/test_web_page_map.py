"""The map on the page: its part of the screen, its drawing, its dragging, and orders at their targets."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

from page_helpers import PAGE, PHONE, bot_log, box, front, pick, region, regions

from warlight_env import Game, battle_odds
from warlight_env.web.export import write_html
from web_helpers import Server

pytestmark = PAGE

#: Outlines on the screen, by what they are of.
OUTLINES = """() => Object.fromEntries(Object.entries({badges: '.badge', names: 'g.name',
    chips: 'g.addition rect, g.draft rect'}).map(([kind, where]) => [kind,
    [...document.querySelectorAll(where)].map(e => { const b = e.getBoundingClientRect();
    return [b.left, b.top, b.right, b.bottom, e.closest('g').textContent] })]))"""


def shared(a: list[float], b: list[float]) -> float:
    """Square pixels that two outlines have in common, but for a pixel at each edge."""
    wide, high = (min(a[k + 2], b[k + 2]) - max(a[k], b[k]) - 1 for k in (0, 1))
    return wide * high if wide > 0 and high > 0 else 0.0


def area(page: Any, where: str) -> float:
    shape = page.locator(where).bounding_box()
    return shape["width"] * shape["height"] if shape else 0.0


def turn(server: Server, page: Any) -> tuple[str, str, dict[str, int]]:
    """To the first turn: a region with a neighbour to attack, and the armies on all regions."""
    page.goto(server.begin(map="world", seed=5).address)
    pick(page)
    page.locator(".phases").wait_for()
    told = regions(page)
    return *front(page, Game("world").map, told), {r["name"]: r["armies"] for r in told}


def test_the_map_has_two_thirds_of_the_screen_and_cards_fold(server: Server, open_page: Callable[..., Any]):
    page = open_page()
    turn(server, page)
    screen = 1280 * 800
    frame, cards = page.locator(".stage").bounding_box(), page.locator("aside").bounding_box()
    assert frame["width"] == 1280
    assert cards["x"] * frame["height"] >= screen * 2 / 3  # beside all cards
    seen = [
        r["x"] + r["width"]
        for r in page.locator("path[data-region]").evaluate_all(
            "all => all.map(e => e.getBoundingClientRect().toJSON())"
        )
    ]
    assert max(seen) <= cards["x"]  # no region is below them
    heights = "() => ['.head', '.head > div'].map((css) => document.querySelector(css).offsetHeight)"
    for width in (1280, 620, 1280):  # no empty strip below the header
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_function(f"innerWidth === {width}")
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        outer, inner = page.evaluate(heights)
        assert outer == inner, width
    page.get_by_role("button", name="Hide the side panel").click()
    page.wait_for_function("() => document.querySelector('.drawing svg').clientWidth > 1270")
    assert area(page, ".drawing svg") >= screen * 2 / 3  # the world itself
    page.reload()
    page.locator(".phases").wait_for()
    assert not page.locator("section.orders").is_visible()
    page.get_by_role("button", name="Side panel").click()
    page.locator("section.orders").wait_for()


def test_on_a_phone_cards_are_a_sheet_and_nothing_tells_of_keys(server: Server, open_page: Callable[..., Any]):
    wide = open_page()
    turn(server, wide)
    assert wide.locator("kbd:visible").count() >= 2  # "?" and the key of Commit
    state = wide.context.storage_state()
    phone = open_page(wide.url, **PHONE, has_touch=True, is_mobile=True, storage_state=state)
    phone.locator(".phases").wait_for()
    assert phone.locator("kbd:visible, .for-keys:visible").count() == 0
    assert not phone.get_by_label("Orders as text").is_visible()
    handle = phone.locator("aside .handle")
    assert handle.inner_text().startswith("Orders: 0/5 deployed")
    stage, sheet = phone.locator(".stage").bounding_box(), phone.locator("aside").bounding_box()
    assert sheet["height"] < 60
    assert (stage["height"] - sheet["height"]) > 0.6 * 740
    handle.tap()
    phone.locator("section.orders").wait_for()
    opened = phone.locator("aside").bounding_box()
    assert stage["y"] + 100 < opened["y"] < sheet["y"] - 200
    assert opened["y"] + opened["height"] <= stage["y"] + stage["height"] + 1
    phone.mouse.move(180, opened["y"] + 20)  # it is drawn down, too
    phone.mouse.down()
    phone.mouse.move(180, opened["y"] + 90, steps=3)
    phone.mouse.up()
    phone.locator("section.orders").wait_for(state="hidden")


def test_chips_names_and_badges_cover_nothing_in_the_middle_of_a_game(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    file = tmp_path / "game.wl.jsonl.gz"
    bot_log("world", 14, 5).save(file)
    page = open_page(server.page())
    page.get_by_label("Log of a game").set_input_files(file)
    page.locator("path[data-region]").first.wait_for()
    page.get_by_role("button", name="Play on from here").click()
    page.locator(".phases").wait_for()
    told, world = regions(page), Game("world").map
    code = [r.code.lower() for r in world.regions]
    own = {r for r, it in enumerate(told) if it["who"] == "yours"}
    orders = [f"a {code[r]} {code[n]} 3" for r in sorted(own) for n in world.neighbors[r] if n not in own]
    sends = sorted(own)[:2]
    assert len(orders) >= 6
    page.keyboard.press(":")
    page.keyboard.type("; ".join([f"d {code[r]} 2" for r in sends] + orders[:10]))
    page.keyboard.press("Enter")
    page.locator("g.draft rect").nth(min(len(orders), 10) - 1).wait_for(state="attached")
    for zoom in range(3):
        found = page.evaluate(OUTLINES)
        assert len(found["badges"]) == world.n_regions
        assert len(found["chips"]) == len(sends) + min(len(orders), 10)
        assert found["names"]
        everything = [(kind, *it) for kind, some in found.items() for it in some]
        covered = [
            (a[0], a[5], b[0], b[5], shared(a[1:5], b[1:5]))
            for a, b in combinations(everything, 2)
            if (a[0], b[0]) != ("badges", "badges") and shared(a[1:5], b[1:5])
        ]
        assert covered == [], zoom
        page.get_by_role("button", name="Zoom in").click()
    order = page.evaluate("() => [...document.querySelectorAll('g.draft path, .badge')].map(e => e.classList[0] ?? '')")
    assert order.index("badge") > max(i for i, name in enumerate(order) if name != "badge")  # arrows lie below


def test_names_come_with_the_zoom_and_the_sea_drags(tmp_path: Path, open_page: Callable[..., Any]):
    file = tmp_path / "replay.html"
    write_html(bot_log("world", 4), file, chances=False)
    page = open_page(f"{file.as_uri()}#/?round=2")
    page.locator("path[data-region]").first.wait_for()
    names = page.locator("g.name")
    told = names.all_text_contents()
    assert [name for name in told if name.endswith(tuple(f"+{x.bonus}" for x in Game("world").map.super_regions))]
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


def test_an_order_is_dragged_and_changed_with_its_odds_at_the_target(server: Server, open_page: Callable[..., Any]):
    page = open_page()
    source, target, armies = turn(server, page)
    region(page, source).focus()
    page.keyboard.press("Shift+Enter")
    page.get_by_text("All armies are deployed").wait_for()
    most = armies[source] + 5 - 1
    aim = page.locator(".aim")

    def says(sent: int) -> str:
        return f"{100 * battle_odds(sent, armies[target]).capture:.1f}\N{NO-BREAK SPACE}% against {armies[target]}"

    page.mouse.move(*box(page, source))
    page.mouse.down()
    page.mouse.move(*box(page, target), steps=4)
    aim.get_by_text(says(most)).wait_for()
    line = page.locator(".pull path")
    assert line.count() == 2
    assert [e.get_attribute("stroke") for e in line.all()] == ["#0b141a", "#ffe066"]  # dark around bright
    for fewer in (1, 2):  # the wheel, while it is dragged
        page.mouse.wheel(0, 100)
        aim.get_by_text(says(most - fewer)).wait_for()
    page.mouse.up()
    sent = page.get_by_label(f"Armies from {source} to {target}")
    assert sent.input_value() == str(most - 2)
    slider = page.get_by_role("slider", name=f"Send from {source} to {target}")
    near, goal = aim.bounding_box(), region(page, target).bounding_box()
    assert abs(near["x"] + near["width"] / 2 - goal["x"] - goal["width"] / 2) < 260
    for amount in (1, 3, 2):
        slider.fill(str(amount))
        aim.get_by_text(says(amount)).wait_for()
        assert sent.input_value() == str(amount)
    slider.press("ArrowRight")
    assert sent.input_value() == "3"
    page.get_by_role("button", name="Undo").click()  # of a slider that was moved: one step
    page.get_by_role("button", name=target).first.wait_for()
    assert sent.input_value() == str(most - 2)
