"""Several people at one screen: each sees only permitted information, and the page names the next player."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from page_helpers import PAGE, hand_in, region, regions

from warlight_env.record import GameLog
from web_helpers import Server

pytestmark = PAGE


def test_page_and_messages_leak_no_hidden_information_at_a_shared_screen(server: Server, open_page: Callable[..., Any]):
    game_server = server.begin({"name": "Ann"}, {"name": "Bo"}, map="world", fog=True, seed=11)
    page = open_page()
    received: list[str] = []
    page.on("websocket", lambda ws: ws.on("framereceived", lambda frame: received.append(str(frame))))
    page.on("response", lambda r: received.append(r.text()) if "/api/games/" in r.url else None)
    page.goto(game_server.address)

    def take_seat(name: str) -> None:
        page.get_by_role("heading", name=f"Pass to {name}").wait_for()
        assert page.locator("path[data-region]").count() == 0
        received.clear()
        page.get_by_role("button", name=re.compile(f"I am {name}")).click()
        page.locator("path[data-region]").first.wait_for()

    for name, place in (("Ann", 0), ("Bo", -1)):  # far from each other
        take_seat(name)
        page.get_by_text("Pick 2 regions: 2 left").wait_for()
        assert page.get_by_role("button", name="Cover").count() == 1
        for _ in range(2):
            page.locator('path[aria-label$="can be picked"]').nth(place).focus()
            page.keyboard.press("Enter")
        page.get_by_role("button", name=re.compile("Commit")).click()
    for number in (1, 2):
        for seat, name in enumerate(("Ann", "Bo")):
            take_seat(name)
            page.locator(".phases").wait_for()
            own_regions = [r for r in regions(page) if r["who"] == "yours"]
            region(page, own_regions[0]["name"]).focus()
            page.keyboard.press("Shift+Enter")
            page.get_by_text("All armies are deployed").wait_for()
            # Compare the page and the received messages with the information that the engine permits this player.
            log = GameLog.load(game_server.folder / f"{game_server.game}.partial.wl.jsonl")
            owner, _ = list(log.positions())[-1]
            assert len(log.rounds) == number - 1
            near = log.header.map.neighbors
            sight = {r for r, o in enumerate(owner) if o == seat}
            sight |= {n for r in list(sight) for n in near[r]}
            hidden = set(range(len(owner))) - sight
            assert len(hidden) > 15
            page_regions = regions(page)
            for r in hidden:
                assert page_regions[r]["who"] == "unseen"
                assert page_regions[r]["armies"] == 0
            assert not any(owner[r] == 1 - seat for r in sight)
            numbers = page.get_by_role("row", name=("Bo", "Ann")[seat]).locator("td")
            assert numbers.all_text_contents() == ["?unseen"] * 3  # no number, as if a limit were known
            assert page.get_by_text("?: The fog hides all regions of this player.").count() == 1
            seen_owner, seen_army = [-1] * len(owner), [0] * len(owner)
            for text in received:
                message = json.loads(text) if text.startswith("{") else {}
                if message.get("event") == "start":
                    seen_owner, seen_army = message["owner"], message["army"]
                for region_, by, armies in message.get("changed", ()):
                    seen_owner[region_], seen_army[region_] = by, armies
                assert "hash" not in message
                assert all(seat_orders is None for p, seat_orders in enumerate(message.get("orders", ())) if p != seat)
                for player, where, _ in message.get("deploys", ()):
                    assert player == seat or where in sight or number > 1
            assert all(seen_owner[r] == -2 and seen_army[r] == 0 for r in hidden)
            assert [seen_owner[r] for r in sight] == [owner[r] for r in sight]
            storage = page.evaluate("JSON.stringify(Object.entries(localStorage))")
            assert "draft" not in storage or f".{1 - seat}." not in re.sub(r"keys\.\w+", "", storage)
            page.get_by_role("button", name=re.compile("Commit")).click()
    page.get_by_role("heading", name="Pass to Ann").wait_for()  # wait until all requests have an answer


def test_page_passes_to_an_awaited_player_after_a_reload_or_cover(server: Server, open_page: Callable[..., Any]):
    game_server = server.begin({"name": "Ann"}, {"name": "Bo"}, {"name": "Cy"}, seed=3, picks="random")
    page = open_page(game_server.address)

    def take_seat(name: str) -> None:
        page.get_by_role("button", name=re.compile(f"I am {name}")).click()

    take_seat("Ann")
    page.locator(".phases").wait_for()
    hand_in(page)
    page.get_by_role("heading", name="Pass to Bo").wait_for()
    page.reload()
    page.get_by_role("heading", name="Pass to Bo").wait_for()
    take_seat("Bo")
    page.get_by_role("button", name="Cover").click()  # during Bo's turn; Ann has committed hers
    take_seat("Cy")
    page.locator(".phases").wait_for()
    hand_in(page)
    take_seat("Bo")
    page.get_by_role("button", name="Cover").click()  # the server awaits no other player
    page.get_by_role("heading", name="Pass to Bo").wait_for()
    page.go_back()
    page.go_forward()
    take_seat("Bo")
    page.locator(".phases").wait_for()
    hand_in(page)
    page.get_by_role("heading", name="Pass to Ann").wait_for()
    take_seat("Ann")
    page.locator(".round", has_text="Round 2").wait_for()


def test_each_player_sees_the_round_after_the_cover(server: Server, open_page: Callable[..., Any]):
    game_server = server.begin({"name": "Ann"}, {"name": "Bo"}, seed=3, picks="random")
    page = open_page(game_server.address, reduced_motion="no-preference")

    def take_seat(name: str) -> None:
        page.get_by_role("button", name=re.compile(f"I am {name}")).click()

    for number, name in ((1, "Ann"), (1, "Bo"), (2, "Ann"), (2, "Bo"), (3, "Ann")):
        take_seat(name)
        if (number, name) == (3, "Ann"):  # a reload clears the record of displayed rounds
            page.reload()
            take_seat(name)
        if number > 1:
            page.locator(".status", has_text=re.compile("deploys|No player deploys|attacks|moves")).wait_for()
            page.locator(".where", has_text=f"round {number - 1}").wait_for()
            assert page.get_by_role("button", name=re.compile("Commit")).is_disabled()
            page.get_by_role("button", name="Skip").click()
        page.get_by_text("Deploy 5 more").wait_for()
        hand_in(page)


def test_player_who_has_committed_can_pass_the_screen_on(server: Server, open_page: Callable[..., Any]):
    game_server = server.begin({"name": "Ann"}, {"name": "Bo"}, seed=3, picks="random")
    page, other = open_page(game_server.address), open_page(game_server.address)
    for tab in (page, other):  # Ann's seat in two tabs
        tab.get_by_role("button", name=re.compile("I am Ann")).click()
        tab.locator(".phases").wait_for()
    hand_in(page)
    page.get_by_role("heading", name="Pass to Bo").wait_for()
    other.get_by_text("Waiting for Bo").wait_for()
    other.get_by_role("button", name="Pass to the next player").click()
    other.get_by_role("heading", name="Pass to Bo").wait_for()


def test_cover_before_the_next_frame_leaves_no_pending_work(server: Server, open_page: Callable[..., Any]):
    game_server = server.begin({"name": "Ann"}, {"name": "Bo"}, seed=3, picks="random")
    page = open_page()
    page.add_init_script(
        "window.requestAnimationFrame = draw => setTimeout(() => draw(performance.now()), 2000);"
        "window.cancelAnimationFrame = clearTimeout"
    )
    page.goto(game_server.address)
    for name in ("Ann", "Bo"):
        page.get_by_role("button", name=re.compile(f"I am {name}")).evaluate("button => button.click()")
        page.locator(".phases").wait_for()
        page.get_by_role("button", name="Cover").evaluate("button => button.click()")
    page.get_by_role("heading", name="Pass to Ann").wait_for()
    page.wait_for_timeout(2100)  # the fixture fails on console warnings
