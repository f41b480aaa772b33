"""The analysis of a finished game on the page: marks, mistakes by key, better turns as arrows, deeper results."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from analysis_page_helpers import BETTER, QUICK, called_you, finished, mock_analysis, news, open_log, show_cards, turn
from gesture_helpers import DESKTOP, HANDSET, TABLET
from page_helpers import PAGE, axe_finds, bot_log, idle_log, names_of

from web_helpers import Server

pytestmark = PAGE

#: A phone has the same narrow layout and the same pointer as a tablet.
SCREENS = pytest.mark.parametrize(
    "options",
    [
        pytest.param(DESKTOP, id="desktop"),
        pytest.param(TABLET, id="tablet", marks=pytest.mark.slow),
        pytest.param(HANDSET, id="phone"),
    ],
)


@pytest.fixture(scope="module")
def ended(shared_server: Server) -> Server:
    """A finished game. The server keeps its analysis, so that only the first test of the module waits for it."""
    return finished(shared_server)


@SCREENS
def test_two_clicks_show_the_first_better_turn_of_a_finished_game(
    ended: Server, open_page: Callable[..., Any], options: dict[str, Any]
):
    page = open_page(**options, bypass_csp=True)
    page.add_init_script(QUICK)
    page.goto(ended.address)
    press = (lambda at: at.tap()) if options.get("has_touch") else (lambda at: at.click())
    page.locator("section.result").wait_for(state="attached")
    if page.locator("aside .handle").get_attribute("aria-expanded") == "false":
        press(page.locator("aside .handle"))
    press(page.locator("section.result").get_by_role("link", name="Analysis"))
    press(page.get_by_role("button", name="Next mistake"))
    page.locator(BETTER).first.wait_for(state="attached", timeout=120_000)
    assert page.locator("p.status", has_text="begins").is_visible(), "the position before the turn"
    show_cards(page)
    card = page.get_by_role("region", name="Analysis")
    card.locator(".verdict").get_by_text(
        re.compile(r"^Your (inaccuracy|mistake|blunder): win probability \d+\s% instead of \d+\s%\.")
    ).wait_for()
    assert card.locator("button.on .name").inner_text() == "You", "the mistakes of the viewer come first"
    assert card.get_by_text("Better:").is_visible()
    assert card.locator(".why li").count() > 0
    page.get_by_role("region", name="Report").locator("tbody tr").nth(1).wait_for()
    for name in ("Win probability", "Moves", "Report"):
        assert page.get_by_role("region", name=name).count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert axe_finds(page) == []


def test_keys_step_through_the_mistakes_and_the_list_of_moves_marks_them(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    log = idle_log(6)
    page = open_page(server.page())
    marks = {2: ("?!", 0.06), 3: (None, 0.0), 4: ("??", 0.4), 5: ("!", 0.0)}
    mock_analysis(page, log, news(log, 1, marks))
    open_log(page, log, tmp_path)
    moves = page.get_by_role("region", name="Moves")
    moves.locator("[data-round='4'] [data-mark='??']").wait_for()
    mark_texts = {n: moves.locator(f"[data-round='{n}'] [data-mark]").all_text_contents() for n in range(1, 7)}
    assert {n: text for n, text in mark_texts.items() if text} == {
        2: ["?!Inaccuracy: Pip (preliminary)"], 4: ["??Blunder: Pip (preliminary)"],
        5: ["!Good turn: Pip (preliminary)"],
    }  # fmt: skip
    where = page.locator(".where")
    for key, number in (("b", 2), ("b", 4), ("b", 4), ("Shift+B", 2)):
        page.keyboard.press(key)
        where.filter(has_text=f"Round {number} of").wait_for()
        page.locator("g.best").first.wait_for(state="attached")
        card = page.get_by_role("region", name="Analysis")
        card.get_by_role("heading", name=f"Round {number}").wait_for()
        assert (
            card.locator(".verdict")
            .inner_text()
            .startswith(
                {
                    2: "Pip’s inaccuracy: win probability 54\N{NO-BREAK SPACE}% instead of 60\N{NO-BREAK SPACE}%.",
                    4: "Pip’s blunder: win probability 20\N{NO-BREAK SPACE}% instead of 60\N{NO-BREAK SPACE}%.",
                }[number]
            )
        )
        card.get_by_text("First estimate; the bot is still calculating.").wait_for()
        card.locator(".verdict").get_by_text("against the orders that Attila really gave.").wait_for()
    points = page.get_by_role("region", name="Win probability").locator("g[data-mark]")
    assert points.count() == 2, "mistakes are marked on the curve"
    for k, number in enumerate((2, 4)):  # the mark is at the lower value after the round
        tick = page.get_by_role("region", name="Win probability").locator(
            "text.middle", has_text=re.compile(f"^{number}$")
        )
        assert points.nth(k).locator("circle").get_attribute("cx") == tick.get_attribute("x")
        points.nth(k).click()
        where.filter(has_text=f"Round {number} of").wait_for()
    legend = page.locator(".legend").inner_text().split("\n")
    assert [line for line in legend if len(line) > 1] == ["better turn", "deploys of the better turn"]
    page.keyboard.press("End")
    page.locator("g.best").first.wait_for(state="detached")


def test_the_end_of_the_guide_leads_to_the_first_mistake(ended: Server, open_page: Callable[..., Any]):
    page = open_page(**HANDSET)
    page.add_init_script(QUICK)
    stage = "JSON.stringify({stage: 'free', told: ['goal']})"
    page.add_init_script(f"localStorage['warlight.guide.{ended.game}'] ??= {stage}")
    page.goto(ended.address)
    note = page.get_by_role("region", name="Guide")
    note.get_by_text("Press Open the analysis here, or the marked button.").wait_for()
    page.locator(".beckon").wait_for()
    ring, link = (at.bounding_box() for at in (page.locator(".beckon"), page.locator(".result [href^='#/r/']")))
    assert ring["x"] <= link["x"] and ring["y"] <= link["y"]
    assert ring["x"] + ring["width"] >= link["x"] + link["width"]
    assert ring["y"] + ring["height"] >= link["y"] + link["height"]
    note.get_by_role("link", name="Open the analysis").tap()
    card = page.get_by_role("region", name="Analysis")
    card.locator(".verdict").get_by_text(re.compile("^Your (inaccuracy|mistake|blunder)")).wait_for(timeout=120_000)
    assert card.locator(".verdict").is_visible(), "the cards are open"
    page.locator(BETTER).first.wait_for(state="attached")
    assert "mistake" not in page.url, "a reload does not leave the displayed position"


def test_timeline_marks_and_buttons_lead_to_the_mistakes(server: Server, tmp_path: Path, open_page: Callable[..., Any]):
    log = idle_log(6)
    page = open_page(server.page())
    mock_analysis(page, log, news(log, 2, {2: ("??", 0.4), 4: ("?", 0.12)}, done=9))
    open_log(page, log, tmp_path)
    mistakes, events = (page.locator(f".ticks .{kind}") for kind in ("mistake", "event"))
    mistakes.nth(1).wait_for()
    assert mistakes.evaluate_all("all => all.map(e => e.dataset.at)") == ["2", "4"]
    outlines = [at.evaluate_all("all => all.map(e => getComputedStyle(e).clipPath)") for at in (mistakes, events)]
    assert outlines[1] and not {*outlines[0]} & {*outlines[1]}, "mistakes have another shape"
    lowest = max(at.bounding_box()["y"] + at.bounding_box()["height"] for at in events.all())
    assert all(at.bounding_box()["y"] >= lowest for at in mistakes.all()), "mistakes are below the line"
    slider = page.locator(".track input")
    for at, words in ((mistakes.first, "Round 2: .*Blunder: Pip$"), (mistakes.nth(1), "Round 4: .*Mistake: Pip$")):
        tick, line = at.bounding_box(), slider.bounding_box()
        page.mouse.move(tick["x"] + tick["width"] / 2, line["y"] + line["height"] / 2)
        assert re.search(words, slider.get_attribute("title"))
    page.get_by_role("button", name="What does “Marks of the timeline” mean?").click()
    page.get_by_text("Below the line are mistakes of the analysis: each triangle is one").wait_for()
    page.keyboard.press("Escape")

    buttons = [page.get_by_role("button", name=f"{way} mistake") for way in ("Previous", "Next")]
    where, enabled, disabled = page.locator(".where"), page.locator(":enabled"), page.locator(":disabled")
    for press, number in ((1, 2), (1, 4), (0, 2)):
        buttons[press].and_(enabled).click()
        where.filter(has_text=f"Round {number} of").wait_for()
        for button, further in zip(buttons, (number == 4, number == 2), strict=True):
            button.and_(enabled if further else disabled).wait_for()
    page.keyboard.press("End")
    buttons[1].and_(disabled).wait_for()
    buttons[0].and_(enabled).click()
    where.filter(has_text="Round 4 of").wait_for()


def test_card_explains_the_turn_of_a_viewer_without_mistakes(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    log = called_you(idle_log(4))
    analysis = news(log, 1, {1: (None, 0.0), 2: ("??", 0.4)})
    for position in analysis["positions"]:  # the opponent makes the blunder
        position["turns"].reverse()
        position["turns"][0] = turn(log, 1, None, 0.0)
        position["best"][0] = turn(log, 1, None, 0.4)["better"]["orders"]
    page = open_page(server.page())
    mock_analysis(page, log, analysis)
    open_log(page, log, tmp_path)
    next_button = page.get_by_role("button", name="Next mistake")
    next_button.get_by_text("Searching").wait_for()
    assert next_button.is_disabled(), "no mistake is known"
    page.get_by_role("region", name="Moves").locator("[data-round='2'] button.round").click()
    card = page.get_by_role("region", name="Analysis")
    card.get_by_text("You made no clear mistake: no other known turn is clearly better.").wait_for()
    card.locator("button.on").click()
    page.locator(".where", has_text="Round 2 of").wait_for()
    card.locator("button.on[aria-pressed=true]").wait_for()
    assert page.locator(BETTER).count() == page.locator(".legend").count() == 0, "the map has no better turn either"

    page.set_viewport_size(HANDSET["viewport"])
    page.evaluate("location.hash = location.hash.split('?')[0] + '?mistake=1'")  # the address in the guide
    show_cards(page)
    handle = page.locator("aside .handle")
    card.get_by_text("Looking for your mistakes …").wait_for()
    assert "Looking for your mistakes" in handle.inner_text()
    assert card.locator(".verdict").count() == 0, "nothing is said about the displayed round yet"
    analysis.update(version=2, done=9)
    page.get_by_role("status").get_by_text("You made no clear mistake.", exact=True).wait_for()
    card.get_by_text("You made no clear mistake in this game.").wait_for()
    assert "no clear mistake in this game" in handle.inner_text()
    next_button.get_by_text("Next mistake").wait_for()

    page.set_viewport_size(DESKTOP["viewport"])
    page.get_by_role("region", name="Moves").locator("[data-round='2'] button.round").click()
    card.get_by_role("button", name="Attila").click()
    card.get_by_text("Attila’s blunder: win probability").wait_for()
    card.get_by_text("against the orders that you really gave.").wait_for()


def test_deeper_results_replace_earlier_ones(server: Server, tmp_path: Path, open_page: Callable[..., Any]):
    log = bot_log(rounds=5)  # player 0 attacks in round 5
    page = open_page(server.page())
    answers = [news(log, 1, {5: ("??", 0.4)}), news(log, 2, {5: ("?", 0.12)})]
    request_bodies: list[dict[str, Any]] = []

    def answer(route: Any) -> None:
        request_bodies.append(route.request.post_data_json)
        route.fulfill(json=answers[min(request_bodies[-1]["since"], 1)])

    mock_analysis(page, log, {})
    page.route("**/analysis", answer)
    open_log(page, log, tmp_path)
    card = page.get_by_role("region", name="Analysis")
    page.get_by_role("region", name="Moves").locator("[data-round='5'] [data-mark='?']").wait_for()
    page.keyboard.press("b")
    card.get_by_text(f"{names_of(log)[0]}’s mistake: win probability 48 % instead of 60 %.").wait_for()
    assert card.get_by_text("First estimate").count() == 0
    assert not card.get_by_text("480 simulated games").is_visible(), "one pair of numbers leads"
    card.get_by_text("Numbers").click()
    card.get_by_text("The difference is 12 ± 2 points").wait_for()
    card.get_by_text("480 simulated games").wait_for()
    assert page.locator("[data-mark='??']").count() == 0
    assert page.locator("g.past g.past").count() > 0
    assert page.locator(".legend").inner_text().split("\n")[:2] == ["better turn", "played turn"]
    assert request_bodies[0]["since"] == 0
    for _ in range(400):  # the request before the key `b` may be the last one for some time
        if (request_bodies[-1]["since"], request_bodies[-1]["focus"]) == (2, 4):
            break
        page.wait_for_timeout(50)
    assert request_bodies[-1]["focus"] == 4, "the server learns which position is displayed"


def test_card_in_use_keeps_its_result_and_a_newly_opened_card_shows_the_newest_result(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    log = idle_log(4)
    analysis = news(log, 1, {2: ("??", 0.4), 3: ("?", 0.12)})
    page = open_page(server.page())
    mock_analysis(page, log, analysis)
    open_log(page, log, tmp_path)
    card, moves = (page.get_by_role("region", name=name) for name in ("Analysis", "Moves"))
    verdict, newest = card.locator(".verdict"), card.get_by_role("button", name="Show the newest result")
    first = "First estimate; the bot is still calculating."

    def refine(mark: str, lost: float, preliminary: bool) -> None:
        analysis.update(news(log, analysis["version"] + 1, {2: (mark, lost)}))
        analysis["positions"][0]["preliminary"] = preliminary
        analysis["positions"][0]["turns"][0]["better"]["orders"] = analysis["positions"][0]["best"][0] = ""
        moves.locator(f"[data-round='2'] [data-mark='{mark}']").wait_for()

    def better_turn_paths() -> list[str]:
        return page.locator("g.best path").evaluate_all("paths => paths.map(path => path.outerHTML)")

    page.keyboard.press("b")
    verdict.get_by_text("Pip’s blunder: win probability 20 % instead of 60 %.").wait_for()
    card.get_by_text(first).wait_for()
    page.locator("g.best path").first.wait_for(state="attached")
    card.get_by_text("Played:").click()  # the user reads the card
    card_text, paths = card.inner_text(), better_turn_paths()
    places = [card.get_by_text(words).bounding_box() for words in ("Played:", "Better:")]
    refine("?", 0.12, preliminary=True)
    assert (card.inner_text(), better_turn_paths()) == (card_text, paths), (
        "a better estimate neither changes nor interrupts the text"
    )
    refine("?!", 0.07, preliminary=False)
    newest.wait_for()
    assert card.inner_text().replace("Show the newest result", first).split() == card_text.split()
    assert better_turn_paths() == paths
    assert [card.get_by_text(words).bounding_box() for words in ("Played:", "Better:")] == places
    newest.click()
    verdict.get_by_text("Pip’s inaccuracy: win probability 53 % instead of 60 %.").wait_for()
    card.get_by_text("Better: hold.").wait_for()
    card_text = card.inner_text()
    assert newest.count() == card.get_by_text(first).count() == 0
    refine("??", 0.3, preliminary=False)
    newest.wait_for()
    assert card.inner_text().replace("Show the newest result", "").split() == card_text.split()
    page.keyboard.press("b")
    page.locator(".where", has_text="Round 3 of").wait_for()
    page.keyboard.press("Shift+B")
    verdict.get_by_text("Pip’s blunder: win probability 30 % instead of 60 %.").wait_for()
    assert newest.count() == 0, "a card that opens shows the newest result"
    refine("?", 0.13, preliminary=False)
    verdict.get_by_text("win probability 47 % instead of 60 %.").wait_for()
    assert newest.count() == 0, "a newly opened card shows a newer result automatically"


#: JavaScript: whether the armies of regions are in the part of the map that neither the cards nor the legend cover.
UNCOVERED = """regions => regions.every(region => {
    const path = document.querySelector(`path[data-region='${region}']`);
    const { x, y } = new DOMPoint(...path.dataset.label.split(' ')).matrixTransform(path.getScreenCTM());
    const { left, right } = document.querySelector('.scroll').getBoundingClientRect();
    const top = document.querySelector('.legend').getBoundingClientRect().bottom;
    const cards = document.querySelector('aside').getBoundingClientRect();
    return x > left && x < right && y > top && (y < cards.top || x < cards.left)
})"""

#: JavaScript: whether the deploys of a better turn are below the legend.
BELOW_LEGEND = """() => [...document.querySelectorAll('g.addition')].every(deploy =>
    deploy.getBoundingClientRect().top > document.querySelector('.legend').getBoundingClientRect().bottom)"""


def check_scroll_to_the_top_of_the_card(page: Any) -> None:
    """Step to the mistakes of rounds 1 and 2, and check that the second step shows the top of the card."""
    card, next_button = page.get_by_role("region", name="Analysis"), page.get_by_role("button", name="Next mistake")
    next_button.and_(page.locator(":enabled")).tap()
    card.get_by_role("heading", name="Round 1").wait_for()
    sheet = page.locator("#cards")
    sheet.evaluate("e => (e.scrollTop = 300)")
    assert sheet.evaluate("e => e.scrollTop") > 200
    next_button.tap()
    card.get_by_role("heading", name="Round 2").wait_for()
    page.wait_for_function("() => document.querySelector('#cards').scrollTop < 12")
    assert card.bounding_box()["y"] >= sheet.bounding_box()["y"] - 1


def test_screens_show_all_regions_of_a_better_turn_and_a_phone_the_top_of_the_card(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    log = idle_log(2, "world")
    analysis = news(log, 2, {1: ("??", 0.4), 2: ("??", 0.4)})
    page = open_page(server.page(), **HANDSET)
    mock_analysis(page, log, analysis)
    codes = [region.code for region in log.header.map.regions]

    def deploys(regions: list[str]) -> None:
        for position in analysis["positions"]:
            position["turns"][0]["better"]["orders"] = "; ".join(f"d {codes[int(region)]} 2" for region in regions)

    deploys(["0"])
    open_log(page, log, tmp_path)
    show_cards(page)
    check_scroll_to_the_top_of_the_card(page)
    page.keyboard.press("Shift+B")
    page.locator(".legend", has_text="deploys of the better turn").wait_for()
    plus, words = page.locator(".legend .plus"), page.locator(".legend").get_by_text("deploys of the better turn")
    assert abs(plus.bounding_box()["y"] - words.bounding_box()["y"]) < 8, "one line"
    status = page.get_by_role("status").filter(has_text="begins")
    assert status.evaluate("e => getComputedStyle(e).clipPath") == "inset(50%)", "it would cover the map"
    ends = page.locator("path[data-region]").evaluate_all(
        """all => all.sort((a, b) => parseFloat(a.dataset.label) - parseFloat(b.dataset.label))
        .map(e => e.dataset.region)"""
    )
    for key, regions in (("b", ends[-1:]), ("Shift+B", ends[:1]), ("b", ends[-2:-1]), ("Shift+B", [ends[0], ends[-1]])):
        deploys(regions)
        analysis["version"] += 1
        with page.expect_response(lambda answer: answer.url.endswith("/analysis")):
            pass
        with page.expect_response(lambda answer: answer.url.endswith("/analysis")):
            pass
        page.keyboard.press(key)
        page.wait_for_function(UNCOVERED, arg=regions)
    for width, height in ((820, 1180), (1000, 640), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(UNCOVERED, arg=ends[:1])
        page.wait_for_function(BELOW_LEGEND)
