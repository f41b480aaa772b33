"""A turn by keyboard and mouse: refused texts, merged orders, the committed turn, and presses during the animation."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from page_helpers import PAGE, box, open_without_analysis, region, regions

from warlight_env import Game, battle_odds
from web_helpers import Server

pytestmark = PAGE

MAP = Game("small").map


def first_turn(server: Server, open_page: Callable[..., Any], *players: Any, **options: Any) -> tuple[Any, int, int]:
    """Open the first turn on the small map; return the page, a region of the player and a neighbour to attack."""
    game_server = server.begin(*players, seed=8, picks="random")
    page = open_page(game_server.address, **options)
    page.locator("path[data-region].own").first.wait_for(state="attached")
    own = set(page.locator("path[data-region].own").evaluate_all("all => all.map(e => Number(e.dataset.region))"))
    return page, *next((a, b) for a in sorted(own) for b in MAP.neighbors[a] if b not in own)


def type_orders(page: Any, text: str) -> None:
    page.keyboard.press(":")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)
    page.keyboard.press("Enter")


def test_impossible_orders_are_refused_and_equal_ones_are_merged(server: Server, open_page: Callable[..., Any]):
    page, a, b = first_turn(server, open_page)
    source, target = (MAP.regions[r].code.lower() for r in (a, b))
    distant = next(r for r in range(MAP.n_regions) if r != a and r not in MAP.neighbors[a])
    message = page.locator("#command-says")
    foreign_message = f"{MAP.regions[b].name}: not your region"
    for text, reason in (
        (f"d {source} 15", f"{MAP.regions[a].name}: only 5 of the income left"),
        (f"d {source} 3; d {source} 3", f"{MAP.regions[a].name}: only 5 of the income left"),
        (f"d {target} 1", foreign_message),
        (f": d {source}", "the number of armies is missing: d REGION ARMIES"),
        (f"d {MAP.regions[a].name[:3]} 1", f"similar: {MAP.regions[a].name} ({MAP.regions[a].code})"),
        (f"a {source} {MAP.regions[distant].code.lower()} 1", "not adjacent"),
    ):
        type_orders(page, text)
        message.get_by_text(reason).wait_for()
        assert page.get_by_label("Orders as text").input_value() == text
        assert page.locator(".orders li").count() == 0
    other_tab = page.context.new_page()  # another tab with the same seat
    other_tab.goto(page.url)
    other_tab.locator(".phases").wait_for()
    type_orders(page, f"d {source} 2; d {source} 3" + f"; a {source} {target} 1" * 40)
    page.locator(".orders .attack").wait_for()
    assert page.locator(".orders li").count() == 2
    other_tab.locator(".orders .attack").wait_for()
    other_tab.close()
    attack_field = page.locator(".orders .attack input")
    assert attack_field.input_value() == attack_field.get_attribute("max")  # the sum, limited by the available armies
    place = page.get_by_role("button", name="Clear all").bounding_box()
    page.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    page.locator(".orders li").first.wait_for(state="detached")
    page.keyboard.press("z")
    page.locator(".orders .attack").wait_for()
    assert page.locator(".orders li").count() == 2


def test_a_committed_turn_stays_visible_and_cannot_be_changed(server: Server, open_page: Callable[..., Any]):
    page, a, b = first_turn(server, open_page, {"name": "Ann"}, {"name": "Bo", "friend": True})
    source, target = (MAP.regions[r] for r in (a, b))
    type_orders(page, f"d {source.code} 5; a {source.code} {target.code} 4")
    page.keyboard.press("Control+Enter")
    card = page.get_by_role("region", name="Orders")
    for reloads in range(2):
        if reloads:
            page.reload()
        card.get_by_text("Committed orders").wait_for()
        assert [int(n) for n in card.locator("input").evaluate_all("all => all.map(e => e.value)")] == [5, 4]
        assert card.locator("input:enabled, .drop:visible").count() == 0
        page.locator("g.draft").first.wait_for(state="attached")  # the arrow on the map
    page.keyboard.press("z")  # take the turn back
    card.get_by_text("Committed orders").wait_for(state="detached")
    assert card.locator("input:enabled").count() == 2


def test_committed_picks_stay_visible_after_a_reload_and_cannot_be_changed(
    server: Server, open_page: Callable[..., Any]
):
    game_server = server.begin({"name": "Ann"}, {"name": "Bo", "friend": True}, seed=8)
    page = open_page(game_server.address)
    card = page.get_by_role("region", name="Picks")
    page.get_by_text("Pick 2 regions: 2 left").wait_for()
    names = [r["name"] for r in regions(page) if r["label"].endswith("can be picked")][1::-1]
    for name in names:
        page.mouse.click(*box(page, name))
    page.reload()  # the browser stores picks before the commit, too
    page.get_by_text("Commit when you are ready").wait_for()
    page.keyboard.press("Control+Enter")
    page.get_by_text("Waiting for Bo").wait_for()
    for reloads in range(2):
        if reloads:
            page.reload()
            page.get_by_text("Waiting for Bo").wait_for()
            card.locator("li").nth(1).wait_for()
        assert [row.split(" ")[0] for row in card.locator("li").all_inner_texts()] == [n.split(" ")[0] for n in names]
        page.mouse.click(*box(page, names[0]))
        assert "your pick 1" in region(page, names[0]).get_attribute("aria-label")
    page.keyboard.press("z")  # take the picks back
    page.get_by_text("Commit when you are ready").wait_for()
    page.mouse.click(*box(page, names[0]))
    page.get_by_text("Pick 2 regions: 1 left").wait_for()


def test_alternating_picks_keep_no_region_that_is_no_longer_offered(server: Server, open_page: Callable[..., Any]):
    page = open_page(server.begin(seed=8, rules="challenge2").address)
    status = page.locator(".status")
    for _ in range(4):  # the server asks again after each region
        page.wait_for_function("() => /left|Deploy/.test(document.querySelector('.status')?.innerText)")
        if "Deploy" in status.inner_text():
            break
        for name in [r["name"] for r in regions(page) if r["label"].endswith("can be picked")]:
            if "left" in status.inner_text():
                page.mouse.click(*box(page, name))
        status.get_by_text("Commit when you are ready").wait_for()
        page.keyboard.press("Control+Enter")
        status.get_by_text("Commit when you are ready").wait_for(state="detached")
    assert "Deploy" in status.inner_text()


def test_text_entry_shows_both_chances_of_an_attack(server: Server, open_page: Callable[..., Any]):
    page, a, b = first_turn(server, open_page)
    before = regions(page)
    enemy = {r["name"] for r in before if r["who"] not in ("yours", "neutral")}
    source, target = (MAP.regions[r] for r in (a, b))
    page.keyboard.press(":")
    page.keyboard.insert_text(f"a {source.code.lower()} {target.code.lower()} 3")
    message = page.locator("#command-says").inner_text()
    defenders = next(r["armies"] for r in before if r["name"] == target.name)
    now = 100 * battle_odds(3, defenders).capture
    assert f"{now:.3g}\N{NO-BREAK SPACE}% against {defenders} armies" in message
    assert ("if the defender deploys" in message) == (target.name in enemy)


def test_press_during_the_animation_skips_it_and_takes_effect(server: Server, open_page: Callable[..., Any]):
    page, a, _ = first_turn(server, open_page, reduced_motion="no-preference")
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Commit anyway").click()
    page.get_by_role("button", name=re.compile("^Skip")).wait_for()
    page.mouse.click(*box(page, MAP.regions[a].name))
    page.get_by_role("button", name=re.compile("Deploy.*1.5")).wait_for()
    assert "1 more deployed" in region(page, MAP.regions[a].name).get_attribute("aria-label")


def test_space_keeps_the_result_and_the_owner_can_open_the_game_elsewhere(
    server: Server, open_page: Callable[..., Any]
):
    game_server = server.begin({"name": "Quentin"}, {"name": "Bo"}, seed=8, picks="random")
    clients = [server.client(game_server.token(seat)) for seat in (0, 1)]
    with server.feed(game_server.game, game_server.token(0)) as feed:
        for number in range(1, 31):
            for client in clients:
                client.post(f"games/{game_server.game}/orders", json={"round": number, "deploys": [], "attacks": []})
            feed.now(round=number)
        clients[1].post(f"games/{game_server.game}/resign")
        feed.event("end")
    page = open_without_analysis(open_page, server.page(f"g/{game_server.game}?key0={game_server.token(0)}"))
    result = page.get_by_role("region", name="Result")
    result.wait_for()
    page.wait_for_function(  # the list shows the last round after the page was opened
        """() => { const box = where => document.querySelector(where)?.getBoundingClientRect();
        const [list, last] = [box('.rounds'), box('[data-round="30"]')];
        return last && last.top >= list.top - 1 && last.top < list.bottom }"""
    )
    page.locator("body").press(" ")
    page.wait_for_timeout(1200)
    assert result.is_visible()
    page.locator(".where", has_text="After round 30").wait_for()
    other = open_without_analysis(open_page, server.page("games"))
    other.get_by_label("Search").fill("Quentin")
    game = other.get_by_role("listitem").filter(has_text="Quentin").first
    game.get_by_role("button", name=re.compile("^Replay")).click()
    other.get_by_role("button", name="To the end").click()
    other.locator(".where", has_text="After round 30 of 30").wait_for()
