"""Variations, lessons and studies in the browser: trying turns on the map, comments, keys, files, judgements."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from analysis_page_helpers import finished, news, open_log, show_cards
from gesture_helpers import DESKTOP, HANDSET
from page_helpers import PAGE, axe_finds, idle_log, open_without_analysis, region, regions

from warlight_env.record import GameLog, Study, game_at, verify
from web_helpers import Server

pytestmark = PAGE

CARD = "Variations"


def open_start(server: Server, open_page: Callable[..., Any], **options: Any) -> Any:
    """Open the start screen with a fast bot for analyses."""
    page = open_page(**options)
    page.add_init_script("localStorage['warlight.engine'] = 'aggressive'")
    page.goto(server.page())
    return page


def replay(server: Server, open_page: Callable[..., Any], rounds: int = 3, **options: Any) -> Any:
    """Open the replay of a finished game."""
    game_server = finished(server, rounds)
    page = open_without_analysis(open_page, game_server.address, **options)
    page.locator("section.result").wait_for(state="attached")
    page.goto(server.page(f"r/{game_server.game}"))
    page.locator("path[data-region]").first.wait_for()
    page.played = game_server
    return page


def card(page: Any, name: str = CARD) -> Any:
    show_cards(page)
    return page.get_by_role("region", name=name, exact=True)


def region_of(page: Any, seat: str) -> str:
    """Return the name of a region of a player."""
    return next(r["name"] for r in regions(page) if r["who"] == seat)


def try_turn(page: Any, who: str) -> None:
    """Deploy the whole income on a region of the player, and commit the turn."""
    name = region_of(page, who)
    region(page, name).focus()
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Control+Enter")


@pytest.mark.parametrize("options", [pytest.param(DESKTOP, marks=pytest.mark.slow), HANDSET], ids=["desktop", "phone"])
def test_a_turn_tried_in_an_earlier_round_stays_in_the_tree(
    server: Server, open_page: Callable[..., Any], options: dict[str, Any]
):
    page = replay(server, open_page, **options)
    page.keyboard.press("Home")
    variations = card(page)
    variations.get_by_text("There are no variations of this game yet.").wait_for()
    variations.get_by_role("button", name="Try a turn in round 1").click()
    variations.get_by_role("combobox", name="Reply").select_option("as played")
    try_turn(page, "You")
    line = variations.get_by_role("list", name="Tree of variations").get_by_role("button")
    variations.get_by_text("round 1, You, reply as played").wait_for()
    assert line.count() == 2
    assert "on" in line.nth(1).inner_text()
    assert "%" in line.nth(1).inner_text()
    page.locator(".where", has_text="round 1 of 1").wait_for()
    variations.get_by_label("Name of the variation").fill("All on one")
    variations.get_by_label("Comment").fill("Better?")
    variations.get_by_role("button", name="Save the texts").click()
    variations.get_by_role("list").get_by_text("Better?").wait_for()
    page.reload()
    variations = card(page)
    variations.get_by_role("button", name="All on one").wait_for()
    page.locator(".where", has_text="round 1 of 1").wait_for()
    variations.get_by_role("button", name="Back to the game").click()
    page.locator(".where", has_text=re.compile("of 3|^Start of the game")).wait_for()
    client = server.client(page.played.token(0))
    tree = client.get(f"games/{page.played.game}/variations").json()["variations"]
    (node,) = tree["nodes"]
    assert (node["name"], node["comment"], node["reply"]) == ("All on one", "Better?", "known")
    assert sum(armies for _, armies in node["orders"][0]["deploys"]) > 0


def test_keys_try_a_turn_and_walk_through_the_tree(server: Server, open_page: Callable[..., Any]):
    page = replay(server, open_page)
    page.keyboard.press("Home")
    variations = card(page)
    for number in ("1", "2"):
        page.keyboard.press("y")
        variations.get_by_text("enter a turn on the map").wait_for()
        try_turn(page, "You")
        variations.get_by_role("list").get_by_role("button").nth(int(number)).wait_for()
        variations.get_by_text("enter a turn on the map").wait_for(state="detached")
        page.keyboard.press(" ")
        page.keyboard.press("End")
    rows = variations.get_by_role("list").get_by_role("button")
    assert [row.get_attribute("aria-current") for row in rows.all()] == [None, None, "true"]
    assert "round 2" in rows.nth(2).inner_text()
    page.keyboard.press("p")
    variations.locator("[aria-current]").get_by_text("round 1").wait_for()
    page.keyboard.press("p")
    variations.locator("[aria-current]").get_by_text("Round 1", exact=True).wait_for()
    page.keyboard.press("n")
    variations.locator("[aria-current]").get_by_text("round 1").wait_for()
    page.keyboard.press("x")
    variations.get_by_role("button", name="Back to the game").wait_for(state="detached")
    page.keyboard.press("y")
    variations.get_by_text("enter a turn on the map").wait_for()
    page.keyboard.press("Escape")
    variations.get_by_text("enter a turn on the map").wait_for(state="detached")
    rows.nth(1).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    variations.get_by_role("button", name="Delete the branch").click()
    variations.get_by_text("round 2, You").wait_for(state="detached")
    assert rows.count() == 2


def test_a_variation_does_not_show_the_analysis_of_the_game(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    log = idle_log(4)
    page = open_start(server, open_page)
    page.route("**/analysis", lambda route: route.fulfill(json=news(log, 1, {2: ("??", 0.4), 3: ("?", 0.11)})))
    open_log(page, log, tmp_path)
    page.get_by_role("region", name="Moves").locator("[data-round='2'] [data-mark='??']").wait_for()
    chart = page.get_by_role("region", name="Win probability")
    page.keyboard.press("Home")
    page.keyboard.press("y")
    card(page).get_by_text("Round 1, Pip: enter a turn on the map").wait_for()
    chart.locator("circle").nth(1).wait_for()
    assert chart.locator("circle").count() == 2  # the values before the variation, which are too few for lines
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    assert chart.locator("[data-mark]").count() == 2
    page.keyboard.press("y")
    try_turn(page, "Pip")
    card(page).get_by_text("round 2, Pip, reply as played").wait_for()
    assert page.locator("[data-mark]").count() == 0
    assert page.get_by_role("region", name="Analysis", exact=True).count() == 0
    page.keyboard.press("b")
    page.get_by_role("region", name="Analysis", exact=True).wait_for()
    card(page).get_by_role("button", name="Back to the game").wait_for(state="detached")


def in_view(element: Any) -> bool:
    """Whether the middle of an element is visible: no other element and no scrolling hides it."""
    visible: bool = element.evaluate(
        """e => { const b = e.getBoundingClientRect();
        return e.contains(document.elementFromPoint(b.left + b.width / 2, b.top + b.height / 2)) }"""
    )
    return visible


def test_a_lesson_asks_for_better_turns_and_judges_them(server: Server, tmp_path: Path, open_page: Callable[..., Any]):
    log = idle_log(4)
    page = open_start(server, open_page)
    page.route("**/analysis", lambda route: route.fulfill(json=news(log, 1, {2: ("??", 0.4), 3: ("?", 0.11)})))
    open_log(page, log, tmp_path)
    card(page).get_by_role("button", name="Learn from your mistakes").click()
    lesson = card(page, "Learn from your mistakes")
    lesson.get_by_text("1 of 2").wait_for()
    lesson.get_by_text("Round 2, Pip: find a better turn").wait_for()
    assert page.locator("g.best").count() == 0, "the better turn is hidden"
    assert page.get_by_role("region", name="Analysis", exact=True).count() == 0
    game = game_at(log, 1)
    assert {r["name"] for r in regions(page) if r["who"] == "Pip"} == {
        game.map.regions[r].name for r in range(game.map.n_regions) if game.owner[r] == 0
    }
    page.locator("#cards .rest").evaluate("cards => (cards.scrollTop = cards.scrollHeight)")
    assert not in_view(lesson.get_by_text("1 of 2"))
    waiting_routes: list[Any] = []
    # the request waits until the test has seen the text of the search
    page.route("**/variations/judge", lambda route: waiting_routes.append(route))
    with page.expect_response("**/variations/judge", timeout=180_000) as answer:
        try_turn(page, "Pip")
        lesson.get_by_text("The bot judges the turn").wait_for()
        assert in_view(lesson.get_by_text("The bot judges the turn")), "commit does not look dead"
        page.unroute("**/variations/judge")
        waiting_routes[0].continue_()
    judgement = answer.value.json()
    verdict = lesson.locator("[role=status]").first
    lesson.get_by_text("The analysis knows the orders that the others really gave.").wait_for()
    assert in_view(verdict)
    assert ("Good" in verdict.inner_text()) == judgement["passed"]
    assert lesson.get_by_text("The played turn", exact=True).is_visible()
    lesson.get_by_role("button", name="Show the better turn").click()
    page.locator("g.best, g.addition").first.wait_for(state="attached")
    lesson.get_by_text("Better:").wait_for()
    lesson.get_by_role("button", name="Next mistake").click()
    lesson.get_by_text("2 of 2").wait_for()
    page.keyboard.press("Control+Enter")  # a turn without orders is the played turn
    lesson.get_by_text("This turn is not better.").wait_for(timeout=180_000)
    lesson.get_by_text("points better than the played turn.").wait_for()
    assert "-" not in lesson.get_by_text("points better than").inner_text()
    lesson.get_by_role("button", name="Show the result").click()
    lesson.get_by_text("better turns found.").wait_for()
    lesson.get_by_role("button", name="End the lesson").click()
    card(page).get_by_role("button", name="Learn from your mistakes").wait_for()


def test_study_starts_at_any_position_and_is_saved_as_a_file_and_a_page(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    page = open_start(server, open_page, expects="status of 4(09|22)", bypass_csp=True, accept_downloads=True)
    page.get_by_role("link", name="Open the studies").click()
    page.get_by_label("Title", exact=True).fill("My corner")  # other studies have no title
    page.get_by_role("combobox", name="Rules").locator("option:checked", has_text="classic").wait_for(state="attached")
    page.get_by_role("combobox", name="Map").select_option("small")
    page.get_by_role("button", name="Set up a position").click()
    form = page.get_by_role("region", name="Position")
    form.get_by_role("combobox").nth(9).wait_for()
    for place in form.get_by_role("combobox").all():
        place.select_option("neutral")
    form.get_by_role("button", name="Start at this position").click()
    page.get_by_role("alert").filter(has_text="is not eliminated, but owns no region").wait_for()
    form.get_by_role("combobox").nth(0).select_option("Ann")
    form.get_by_role("combobox").nth(9).select_option("Bo")
    form.get_by_role("spinbutton", name="Armies on").nth(0).fill("9")
    form.get_by_role("button", name="Start at this position").click()
    variations = card(page)
    variations.get_by_text("There are no variations yet.").wait_for()
    assert [r["armies"] for r in regions(page) if r["who"] == "Ann"] == [9]
    variations.get_by_role("button", name="Try a turn in round 1").click()
    variations.get_by_role("combobox", name="Reply").select_option("by a bot")
    try_turn(page, "Ann")
    variations.get_by_text("reply by Attila").wait_for()
    with page.expect_download() as file:
        variations.get_by_role("button", name="Download as a study").click()
    study = Study.load(file.value.path().rename(tmp_path / "corner.study.json"))
    assert (study.title, len(study.variations.nodes)) == ("My corner", 1)
    assert axe_finds(page) == []
    page.goto(server.page("studies"))
    page.get_by_text("Small island, classic, 2 players").first.wait_for()
    assert axe_finds(page) == []
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download My corner as a page").first.click()
    path = saved.value.path().rename(tmp_path / "corner.html")
    page.get_by_label("File of a study").set_input_files(tmp_path / "corner.study.json")
    card(page).get_by_text("reply by Attila").wait_for()
    offline = open_page(path.as_uri())
    card(offline).get_by_role("list", name="Tree of variations").get_by_role("button").nth(1).click()
    offline.locator(".where", has_text="round 1 of 1").wait_for()
    offline.get_by_text("reply by Attila").wait_for()
    assert offline.get_by_role("button", name="Try a turn").count() == 0


def test_a_file_of_another_game_is_refused_and_the_tree_stays(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    page = replay(server, open_page, expects="status of 422", accept_downloads=True)
    page.keyboard.press("Home")
    page.keyboard.press("y")
    try_turn(page, "You")
    variations = card(page)
    variations.get_by_text("round 1, You").wait_for()
    with page.expect_download() as file:
        variations.get_by_role("button", name="Download as a study").click()
    path = file.value.path().rename(tmp_path / "round.study.json")
    data = json.loads(path.read_text())
    data["position"]["army"][0] += 1
    data["variations"]["nodes"] = []
    (tmp_path / "other.study.json").write_text(json.dumps(data))
    variations.get_by_label("File of a study").set_input_files(tmp_path / "other.study.json")
    variations.get_by_role("alert").get_by_text("differs from the position of the game").wait_for()
    rows = variations.get_by_role("list", name="Tree of variations").get_by_role("button")
    assert rows.count() == 2
    variations.get_by_label("File of a study").set_input_files(path)
    rows.nth(2).wait_for()
    with page.expect_download() as log_download:
        variations.get_by_role("button", name="Download the log").click()
    log = GameLog.load(log_download.value.path().rename(tmp_path / "game.wl.jsonl.gz"))
    assert len(log.variations.nodes) == 2
    assert verify(log) == []


def test_variations_are_in_czech(server: Server, open_page: Callable[..., Any]):
    page = replay(server, open_page, 1, locale="cs-CZ")
    page.keyboard.press("Home")
    variations = card(page, "Varianty")
    variations.get_by_text("K této hře zatím nejsou žádné varianty.").wait_for()
    variations.get_by_role("button", name="Vyzkoušet tah v kole 1").click()
    variations.get_by_role("button", name="Přestat").click()
    page.goto(server.page("studies"))
    page.get_by_role("heading", name="Nová studie").wait_for()
