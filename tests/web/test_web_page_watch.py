"""Live games between bots in the browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from page_helpers import PAGE, PHONE, bot_log, open_without_analysis, region

from warlight_env.web.export import write_html
from web_helpers import Server, serving

pytestmark = PAGE


def test_viewer_can_leave_and_rejoin_the_live_position(tmp_path: Path, open_page: Callable[..., Any]):
    with serving(tmp_path, "watch", "aggressive", "random", "--live", "--map", "small") as server:
        page = open_without_analysis(open_page, server.address)
        page.get_by_role("combobox", name="Pace").select_option("0.1")
        page.locator(".where", has_text=re.compile(r"[Rr]ound ([2-9]|\d\d)")).wait_for()
        page.keyboard.press("Home")
        assert page.get_by_role("button", name="● Live").get_attribute("aria-pressed") == "false"
        page.wait_for_timeout(300)
        assert "Start of the game" in page.locator(".where").inner_text()
        page.keyboard.press("l")
        page.locator(".result").wait_for()
        page.get_by_role("link", name="Analysis").click()
        page.get_by_role("button", name="Play on from here").wait_for()


def test_phone_enlarges_the_map_by_buttons_and_by_two_fingers(tmp_path: Path, open_page: Callable[..., Any]):
    file = tmp_path / "replay.html"
    write_html(bot_log("world", rounds=6), file, chances=False)
    page = open_page(f"{file.as_uri()}#/?round=1", **PHONE, has_touch=True, is_mobile=True)
    map_svg, frame = page.locator("[aria-label^='Map of'] svg"), page.locator("[aria-label^='Map of']")
    page.locator("path[data-region]").first.wait_for()

    def width() -> float:
        return map_svg.bounding_box()["width"]

    frame_width = frame.bounding_box()["width"]
    page.wait_for_function("([e, w]) => e.clientWidth > w", arg=[map_svg.element_handle(), 1.9 * frame_width])
    page.get_by_role("button", name="Zoom out").click()
    page.get_by_role("button", name="Zoom out").click()
    assert abs(width() - frame_width) < 2
    assert page.get_by_role("button", name="Zoom out").is_disabled()
    page.get_by_role("button", name="Zoom in").click()
    assert abs(width() - 1.5 * frame_width) < 2

    # Two fingers from 60 to 150 pixels apart, about a region that stays between them.
    page.get_by_role("button", name="Zoom out").click()
    at = region(page, "Congo").bounding_box() or region(page, "Nigeria").bounding_box()
    x, y = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
    touch = page.context.new_cdp_session(page)

    def fingers(kind: str, apart: float = 0) -> None:
        points = [{"x": x - apart / 2, "y": y}, {"x": x + apart / 2, "y": y}] if apart else []
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    fingers("touchStart", 60)
    for apart in (90, 120, 150):
        fingers("touchMove", apart)
    fingers("touchEnd")
    page.wait_for_function("([e, w]) => e.clientWidth > w", arg=[map_svg.element_handle(), 2.4 * frame_width])
    assert abs(width() - 2.5 * frame_width) < 4
    now = region(page, "Congo").bounding_box() or region(page, "Nigeria").bounding_box()
    assert abs(now["x"] + now["width"] / 2 - x) < 4
    assert page.evaluate("document.documentElement.scrollWidth") <= 360

    # The page scrolls to each order that is executed.
    for _ in range(15):
        page.keyboard.press("ArrowRight")
        target = page.locator("g.now rect").first
        if target.count():
            chip, box = target.bounding_box(), frame.bounding_box()
            assert box["x"] < chip["x"] + chip["width"] / 2 < box["x"] + box["width"]


def test_fast_rounds_are_not_animated(server: Server, open_page: Callable[..., Any]):
    game_server = server.begin("random", "random", map="world", picks="random", seed=6)
    page = open_page(game_server.address)
    page.locator("path.grows").first.wait_for(state="attached")  # at first, the page animates each order
    page.get_by_role("combobox", name="Pace").select_option("0.1")
    page.wait_for_function("() => Number(/\\d+|$/.exec(document.querySelector('.where').textContent)[0]) >= 8")
    most_arrows = page.evaluate("""() => new Promise(done => { let most = 0; const end = performance.now() + 1000;
        const frame = now => { most = Math.max(most, document.querySelectorAll('path.grows').length);
        now < end ? requestAnimationFrame(frame) : done(most) }; requestAnimationFrame(frame) })""")
    assert most_arrows == 0 and page.locator("g.past path").count() > 0
    page.keyboard.press("ArrowLeft")  # the page animates manual steps again
    for _ in range(60):
        if page.locator("path.grows").count():
            break
        page.keyboard.press("ArrowLeft")
    assert page.locator("path.grows").count() == 1


#: JavaScript: store the page's sockets in a list; while `hang` is true, new sockets never open.
SOCKETS = """const Real = window.WebSocket; window.sockets = []; window.hang = false;
window.WebSocket = class extends Real { constructor(address) { if (hang) return { close() {} }; super(address);
    sockets.push(this); this.addEventListener('message', message => { this.said = message.data }) } }"""

#: JavaScript: deliver a state, and end the connection in the same task.
STATE_THEN_CLOSE = """() => { const socket = sockets.at(-1); hang = true; socket.onmessage({data: socket.said});
    socket.onclose(); socket.onclose = null; socket.close() }"""


def test_page_detects_a_connection_that_ends_right_after_a_state(server: Server, open_page: Callable[..., Any]):
    game_server = server.begin("random", "random", picks="random")
    page = open_page("about:blank")
    page.add_init_script(SOCKETS)
    page.goto(game_server.address)
    page.get_by_role("button", name="Pause the bots").click()
    page.get_by_role("button", name="Continue").wait_for()
    page.evaluate(STATE_THEN_CLOSE)
    page.wait_for_timeout(300)  # longer than a page waits before it draws
    assert page.get_by_text("Connection lost").is_visible()
