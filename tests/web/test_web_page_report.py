"""The end of a game: the wheel and a finger reach the report below the map, and a button shows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from gesture_helpers import DESKTOP, HANDSET, TABLET, Gestures, Point
from page_helpers import PAGE

from web_helpers import Server

pytestmark = PAGE

SCREENS = pytest.mark.parametrize("options", [DESKTOP, TABLET, HANDSET], ids=["desktop", "tablet", "phone"])
SCROLL = "() => document.scrollingElement.scrollTop"


def finished(server: Server, open_page: Callable[..., Any], **options: Any) -> Any:
    """Open a game that ended after one round."""
    played = server.begin(seed=8, picks="random")
    client = server.client(played.token(0))
    with server.feed(played.game, played.token(0)) as feed:
        client.post(f"games/{played.game}/orders", json={"round": 1, "deploys": [], "attacks": []})
        feed.event("round")
        client.post(f"games/{played.game}/resign")
        feed.event("end")
    page = open_page(played.address, **options)
    page.locator(".report").get_by_text("Skill and luck").wait_for(state="attached")
    page.locator("section.result").wait_for(state="attached")
    return page


def middle(page: Any, where: str) -> Point:
    shape = page.locator(where).first.bounding_box()
    return shape["x"] + shape["width"] / 2, shape["y"] + shape["height"] / 2


@SCREENS
def test_the_wheel_or_a_finger_on_map_and_cards_reaches_the_report(
    server: Server, open_page: Callable[..., Any], options: dict[str, Any]
):
    page = finished(server, open_page, **options)
    touch = bool(options.get("has_touch"))
    gestures = Gestures(page, "touch" if touch else "mouse")
    if touch and page.locator("aside .handle").get_attribute("aria-expanded") == "false":
        page.locator("aside .handle").tap()
    page.locator("section.result").wait_for()
    places = [".scroll", "section.result", "section.card[aria-label=Players]", "section.card[aria-label=Moves] ol"]
    for where in places:
        page.evaluate("() => scrollTo(0, 0)")
        page.locator(where).first.scroll_into_view_if_needed()
        page.evaluate("() => scrollTo(0, 0)")
        at = middle(page, where) if where != ".scroll" else (80.0, 250.0)
        for _ in range(4):  # a part scrolls to its own end first
            if touch:
                gestures.drag(at, (at[0], at[1] - 160))
                page.wait_for_timeout(250)
            else:
                gestures.wheel(at, 400)
        page.wait_for_function(f"() => ({SCROLL})() >= 100", timeout=5000)


@SCREENS
def test_a_button_of_the_result_shows_the_report(
    server: Server, open_page: Callable[..., Any], options: dict[str, Any]
):
    page = finished(server, open_page, **options)
    if page.locator("aside .handle").get_attribute("aria-expanded") == "false":
        page.locator("aside .handle").tap() if options.get("has_touch") else page.locator("aside .handle").click()
    button = page.locator("section.result").get_by_role("button", name="Report")
    button.tap() if options.get("has_touch") else button.click()
    page.wait_for_function(
        "() => { const page = document.scrollingElement; return (page.scrollTop + innerHeight >= page.scrollHeight - 1"
        " || document.querySelector('.report').getBoundingClientRect().top < innerHeight / 4) && page.scrollTop > 0"
        " && document.activeElement === document.querySelector('.report') }"
    )
