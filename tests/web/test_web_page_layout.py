"""The layout of the game screen: the map on a phone, marks at its edge, cards at 1280 x 800, timeline, Czech labels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from analysis_page_helpers import news, open_log, show_cards
from gesture_helpers import DESKTOP, HANDSET, TABLET, Gestures
from page_helpers import PAGE, PHONE, bot_log, choose_language, show_on

from warlight_env.web.export import write_html
from web_helpers import YOU, Server

pytestmark = PAGE

SCREENS = (DESKTOP, TABLET, HANDSET)
LAPTOP = {"viewport": {"width": 1000, "height": 640}}
SIX = (YOU, "aggressive", "random", "random", "smart_random", "random")

#: JavaScript: the number of the player's regions with badges in the visible part of the map.
OWN_IN_SIGHT = """() => { const f = document.querySelector('.scroll').getBoundingClientRect();
    const low = Math.min(f.bottom, document.querySelector('aside').getBoundingClientRect().top);
    return [...document.querySelectorAll('path.own')].filter(e => {
        const p = new DOMPoint(...e.dataset.label.split(' ').map(Number)).matrixTransform(e.getScreenCTM());
        return p.x > f.left && p.x < f.right && p.y > f.top && p.y < low }).length }"""
#: JavaScript: for each visible region with a ring, whether a mark at the edge covers the middle of its armies.
RINGS_BELOW_MARKS = """() => {
    const middles = [...document.querySelectorAll('circle.ring')].map(e => e.getBoundingClientRect())
        .map(b => [b.left + b.width / 2, b.top + b.height / 2]).filter(([x]) => x > 0 && x < innerWidth);
    const marks = [...document.querySelectorAll('.mark')].map(e => e.getBoundingClientRect());
    return middles.map(([x, y]) => marks.some(b => b.left < x && x < b.right && b.top < y && y < b.bottom)) }"""
MAP_BOX = """() => { const b = document.querySelector('.drawing svg').getBoundingClientRect();
    return [b.x, b.y, b.width] }"""
#: JavaScript: texts of visible controls and labels that overlap, or that are wider than their elements.
CLASHES = """() => {
    const where = 'footer :is(button, .where, .speed), header :is(button, select, .round), th, td.num';
    const box = e => e.getBoundingClientRect();
    const all = [...document.querySelectorAll(where)].filter(e => {
        const top = document.elementFromPoint(box(e).x + box(e).width / 2, box(e).y + box(e).height / 2);
        const inCards = e.closest('aside') && e.matches('button, select');
        return e.checkVisibility() && !inCards && (!top || e.contains(top)) });
    const found = all.filter(e => e.scrollWidth > e.clientWidth + 1 && !e.matches('select, .ask'))
        .map(e => e.innerText);
    all.forEach((a, i) => all.slice(i + 1).forEach(b => {
        if (a.contains(b) || b.contains(a)) return;
        const wide = Math.min(box(a).right, box(b).right) - Math.max(box(a).left, box(b).left);
        const high = Math.min(box(a).bottom, box(b).bottom) - Math.max(box(a).top, box(b).top);
        if (wide > 1 && high > 1) found.push(a.innerText + ' / ' + b.innerText) }));
    const wide = document.documentElement.scrollWidth - innerWidth;
    return wide > 0 ? [...found, `${wide} px too wide`] : found }"""


def first_turn(server: Server, open_page: Callable[..., Any], *players: Any, **options: Any) -> Any:
    """Open the first turn of a game on the world map."""
    game_server = server.begin(*players, map="world", seed=5, picks="random")
    page = open_page(game_server.address, **options)
    page.locator("path.own").first.wait_for(state="attached")
    page.wait_for_timeout(300)  # the map scrolls to the player's regions
    return page


def tap_button(page: Any, name: str) -> None:
    page.get_by_role("button", name=name).tap()


def scroll_away(page: Any) -> Gestures:
    """Enlarge the map, and move it by touch until none of the player's regions is in sight."""
    gestures, frame = Gestures(page, "touch"), page.locator(".scroll").bounding_box()
    larger = page.locator(".zoom button").first
    while larger.is_enabled():
        larger.tap()
    y = frame["y"] + 60
    for _ in range(12):
        if page.evaluate(OWN_IN_SIGHT) == 0:
            return gestures
        gestures.drag((frame["x"] + frame["width"] - 30, y), (frame["x"] + 30, y))
        page.wait_for_timeout(250)
    raise AssertionError("a region of the player is always in sight")


def test_a_phone_returns_to_the_players_regions_after_a_round(server: Server, open_page: Callable[..., Any]):
    page = first_turn(server, open_page, **HANDSET)
    assert page.evaluate(OWN_IN_SIGHT)
    scroll_away(page)
    tap_button(page, "Commit")
    tap_button(page, "Commit anyway")
    page.locator(".round", has_text="Round 2").first.wait_for()
    page.wait_for_function(f"() => ({OWN_IN_SIGHT})() > 0", timeout=5000)


def test_marks_at_the_edge_lead_to_targets_that_are_out_of_sight(server: Server, open_page: Callable[..., Any]):
    page = first_turn(server, open_page, **HANDSET)
    gestures = scroll_away(page)
    mark = page.locator(".mark").first
    mark.wait_for()
    shape, frame = mark.bounding_box(), page.locator(".scroll").bounding_box()
    assert frame["x"] <= shape["x"] and shape["x"] + shape["width"] <= frame["x"] + frame["width"]
    assert shape["height"] >= 24 and shape["width"] >= 24
    target = mark.get_attribute("data-target")
    gestures.press((shape["x"] + shape["width"] / 2, shape["y"] + shape["height"] / 2))
    page.wait_for_function(f"() => ({OWN_IN_SIGHT})() > 0", timeout=5000)
    page.locator(f".mark[data-target='{target}']").wait_for(state="detached")
    page.locator("[data-guide=attack]").tap()  # marks also lead to targets of an attack
    source = page.locator("path.own").first
    source.focus()
    page.keyboard.press("Enter")
    own = {*page.locator("path.own").evaluate_all("all => all.map(e => e.dataset.region)")}
    scroll_away(page)
    mark.wait_for()
    assert mark.get_attribute("data-target") not in own  # a neighbour to attack
    page.set_viewport_size(PHONE["viewport"])
    page.goto(server.begin(YOU, "aggressive", "smart_random", map="world", seed=5).address)
    page.locator(".mark", has_text="more").wait_for()
    assert page.evaluate(RINGS_BELOW_MARKS) == [False] * 3


def test_map_does_not_move_when_the_footer_or_the_round_changes(server: Server, open_page: Callable[..., Any]):
    players = [YOU, {"name": "Bo", "friend": True}]
    game_request = {"players": players, "map": "world", "seed": 5, "picks": "random"}
    # The tablet continues the game of the phone. The timeline appears after the first round of each game.
    for device, number in ((HANDSET, 1), (TABLET, 2), (DESKTOP, 1)):
        if number == 1:
            game = server.client().post("games", json=game_request).json()
            page = open_page(server.page(f"g/{game['id']}?key0={game['tokens']['0']}"), **device)
        show_on(page, device)
        page.locator("path.own").first.wait_for(state="attached")
        page.wait_for_timeout(400)
        assert page.locator(".timeline").count() == number - 1
        before, footer_height = page.evaluate(MAP_BOX), page.locator("footer").bounding_box()["height"]
        page.keyboard.press("Control+Enter")
        page.get_by_role("button", name="Commit anyway").click()
        page.get_by_role("button", name="Take the turn back").wait_for()
        assert page.locator("footer").bounding_box()["height"] != footer_height  # the footer has changed
        assert all(abs(a - b) <= 1 for a, b in zip(page.evaluate(MAP_BOX), before, strict=True)), device
        turn = {"round": number, "deploys": [], "attacks": []}
        assert server.client(game["invites"]["1"]).post(f"games/{game['id']}/orders", json=turn).status_code == 200
        page.locator(".round", has_text=f"Round {number + 1}").first.wait_for()
        page.locator(".timeline").wait_for()
        assert all(abs(a - b) <= 1 for a, b in zip(page.evaluate(MAP_BOX), before, strict=True)), device


@pytest.mark.parametrize(
    ("players", "locale"),
    [
        (SIX, "cs-CZ"),
        pytest.param((YOU, "random"), "en-US", marks=pytest.mark.slow),
        pytest.param((YOU, "random"), "cs-CZ", marks=pytest.mark.slow),
        pytest.param(SIX, "en-US", marks=pytest.mark.slow),
    ],
    ids=["six-cs", "two-en", "two-cs", "six-en"],
)
def test_bonuses_stay_visible_at_1280_by_800(
    server: Server, open_page: Callable[..., Any], players: tuple[Any, ...], locale: str
):
    page = first_turn(server, open_page, *players, locale=locale, **DESKTOP)
    shown = """() => [...document.querySelectorAll('[data-super]')].map(e => { const b = e.getBoundingClientRect();
        return e.contains(document.elementFromPoint(b.x + b.width / 2, b.y + b.height / 2)) })"""
    assert page.evaluate(shown) == [True] * 6
    rows = page.locator("[data-super]")
    low = rows.first.bounding_box()["height"]
    held = rows.first.locator(".held")
    held.evaluate("e => { e.textContent = '≥ 11/12' }")  # as in fog
    assert rows.first.bounding_box()["height"] == low
    assert held.evaluate("e => e.scrollWidth <= e.clientWidth")
    page.locator("path.own").first.focus()
    page.keyboard.press("Shift+Enter")
    page.mouse.move(1130, 160)
    page.mouse.wheel(0, 900)  # the cards scroll
    page.wait_for_timeout(300)
    assert page.evaluate(shown) == [True] * 6
    page.keyboard.press("Control+Enter")
    page.locator(".round", has_text="2").first.wait_for()
    assert page.evaluate(shown) == [True] * 6


def test_six_players_have_a_compact_table_and_no_labels_overlap(server: Server, open_page: Callable[..., Any]):
    page = first_turn(server, open_page, *SIX)
    table = page.locator("aside table").first

    def check(*, cards: bool = True) -> None:
        for device in SCREENS:
            show_on(page, device)
            if cards and page.locator("aside .handle").get_attribute("aria-expanded") == "false":
                page.locator("aside .handle").click()
            assert page.evaluate(CLASHES) == [], device
            if cards:
                assert table.bounding_box()["height"] <= 175, device
                names = table.locator(".name").evaluate_all("all => all.map(e => e.scrollWidth <= e.clientWidth)")
                assert names == [True] * 6, device
        show_on(page, LAPTOP)
        assert page.locator("header.bar").bounding_box()["height"] < 50, "the bar of a small laptop has one line"
        assert page.evaluate(CLASHES) == []

    assert table.locator("tbody tr").count() == 6
    check()
    choose_language(page, "cs")
    page.keyboard.press("Control+Enter")
    page.locator("[data-guide=back]").wait_for()
    check(cards=False)
    page.locator("[role=alertdialog] button").last.click()
    page.locator(".round", has_text="2").first.wait_for()
    check()


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the file of a replay with twelve rounds."""
    file = tmp_path_factory.mktemp("replay") / "replay.html"
    write_html(bot_log(rounds=12), file, chances=False)
    return file


def test_timeline_has_its_own_row_and_can_be_dragged(replay: Path, open_page: Callable[..., Any]):
    page = open_page(f"{replay.as_uri()}#/?round=1")
    slider = page.locator(".track input")
    slider.wait_for()
    for language in ("en", "cs"):
        choose_language(page, language)
        for device in SCREENS:
            show_on(page, device)
            page.evaluate("location.hash = '#/?round=1'")
            page.wait_for_function("() => document.querySelector('.track input').value === '1'")
            shape, wide = slider.bounding_box(), device["viewport"]["width"]
            assert shape["width"] >= wide * (0.55 if device is DESKTOP else 0.4)
            assert page.evaluate(CLASHES) == [], (language, device)
            row = page.locator("footer .timeline").bounding_box()
            beside = page.locator("footer .line > *").evaluate_all("all => all.map(e => e.getBoundingClientRect().top)")
            assert all(top >= row["y"] + row["height"] - 1 for top in beside)
            last = int(slider.get_attribute("max"))
            x = [shape["x"] + 8 + (shape["width"] - 16) * share for share in (1 / last, 0.5)]
            y = shape["y"] + shape["height"] / 2
            Gestures(page, "touch" if device.get("has_touch") else "mouse").drag((x[0], y), (x[1], y))
            page.wait_for_url(lambda url: f"round={round(last / 2)}" in url)  # noqa: B023


#: JavaScript: visible texts of the cards that are cut off, except in selection lists.
CUT = """() => [...document.querySelectorAll('aside :is(span, button, th, small, p, h2)')].filter(e => {
    const style = getComputedStyle(e), outside = e.closest('.hidden-text, select, .explained, .drawing');
    return !outside && e.checkVisibility() && style.overflowX !== 'visible' && style.display !== 'inline' &&
        (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 2) }).map(e => e.innerText)"""


def test_a_small_phone_cuts_no_text_of_the_analysis(server: Server, tmp_path: Path, open_page: Callable[..., Any]):
    log = bot_log("world", rounds=6)
    analysis = news(log, 2, dict.fromkeys(range(1, 7), ("??", 0.4)), done=9)
    analysis["summary"]["turning"] = [{"round": 5, "player": 0}]
    page = open_page(server.page(), **PHONE)
    page.route("**/analysis", lambda route: route.fulfill(json=analysis))
    open_log(page, log, tmp_path)
    page.locator("[data-mark]").first.wait_for(state="attached")
    page.keyboard.press("b")
    page.locator("g.best path").first.wait_for(state="attached")
    for language in ("en", "cs"):
        choose_language(page, language)
        handle = page.locator("aside .handle").inner_text()
        assert "60\N{NO-BREAK SPACE}%." in handle, "the handle has the whole verdict"
        assert page.evaluate(CUT) == []
        show_cards(page)
        page.locator("[data-round='6']").wait_for()
        assert page.evaluate(CUT) == []
        assert page.evaluate(CLASHES) == []
        page.locator("aside .handle").click()
        page.locator("#cards").wait_for(state="hidden")
