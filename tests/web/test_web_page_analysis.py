"""The analysis of a finished game on the page: marks, mistakes by key, better turns as arrows, deeper results."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from analysis_page_helpers import BETTER, finished, news, open_log, show_cards, turn
from gesture_helpers import DESKTOP, HANDSET, TABLET
from page_helpers import PAGE, axe_finds, bot_log, idle_log, names_of

from warlight_env import Game, Orders, battle_odds
from warlight_env.agents.registry import make_agent
from warlight_env.arena.games.game_loop import ask_orders
from warlight_env.record import GameLog, MemoryRecorder, game_at
from warlight_env.web.workers.turning_points import describe_turning_points, sentence_of
from web_helpers import Server

pytestmark = PAGE

SCREENS = pytest.mark.parametrize("options", [DESKTOP, TABLET, HANDSET], ids=["desktop", "tablet", "phone"])


@pytest.fixture(scope="module")
def ended(server: Server) -> Server:
    """A finished game. The server keeps its analysis, so that only the first test of the module waits for it."""
    return finished(server)


@SCREENS
def test_two_clicks_lead_from_a_finished_game_to_its_first_better_turn(
    ended: Server, open_page: Callable[..., Any], options: dict[str, Any]
):
    page = open_page(ended.address, **options, bypass_csp=True)
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
    page.route("**/analysis", lambda route: route.fulfill(json=news(log, 1, marks)))
    open_log(page, log, tmp_path)
    moves = page.get_by_role("region", name="Moves")
    moves.locator("[data-round='4'] [data-mark='??']").wait_for()
    found = {n: moves.locator(f"[data-round='{n}'] [data-mark]").all_text_contents() for n in range(1, 7)}
    assert {n: text for n, text in found.items() if text} == {
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
    for k, number in enumerate((2, 4)):  # after the round, where the curve has fallen
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
    page = open_page(ended.page(), **HANDSET)
    page.evaluate(f"localStorage['warlight.guide.{ended.game}'] = JSON.stringify({{stage: 'free', told: ['goal']}})")
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


def test_the_timeline_has_other_marks_for_mistakes_than_for_events(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    log = idle_log(6)
    page = open_page(server.page())
    page.route("**/analysis", lambda route: route.fulfill(json=news(log, 2, {2: ("??", 0.4), 4: ("?", 0.12)}, done=9)))
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


def test_the_buttons_for_mistakes_are_disabled_where_there_is_none(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    log = idle_log(4)
    page = open_page(server.page())
    page.route("**/analysis", lambda route: route.fulfill(json=news(log, 2, {2: ("??", 0.4)}, done=9)))
    open_log(page, log, tmp_path)
    before, after = (page.get_by_role("button", name=f"{way} mistake") for way in ("Previous", "Next"))
    after.and_(page.locator(":enabled")).click()
    page.locator(".where", has_text="Round 2 of").wait_for()
    for button in (before, after):
        button.and_(page.locator(":disabled")).wait_for()
    page.keyboard.press("End")
    before.and_(page.locator(":enabled")).click()
    page.locator(".where", has_text="Round 2 of").wait_for()


def called_you(log: GameLog) -> GameLog:
    """Return a log whose first player is the viewer."""
    first, *others = log.header.players
    return replace(log, header=replace(log.header, players=(replace(first, name="You", spec=None), *others)))


def test_the_card_explains_the_turn_of_the_viewer_who_made_no_mistake(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    log = called_you(idle_log(4))
    told = news(log, 1, {1: (None, 0.0), 2: ("??", 0.4)})
    for position in told["positions"]:  # the opponent makes the blunder
        position["turns"].reverse()
        position["turns"][0] = turn(log, 1, None, 0.0)
        position["best"][0] = turn(log, 1, None, 0.4)["better"]["orders"]
    page = open_page(server.page())
    page.route("**/analysis", lambda route: route.fulfill(json=told))
    open_log(page, log, tmp_path)
    after = page.get_by_role("button", name="Next mistake")
    after.get_by_text("Searching").wait_for()
    assert after.is_disabled(), "no mistake is known"
    page.get_by_role("region", name="Moves").locator("[data-round='2'] button.round").click()
    card = page.get_by_role("region", name="Analysis")
    card.get_by_text("You made no clear mistake: no other known turn is clearly better.").wait_for()
    card.locator("button.on").click()
    page.locator(".where", has_text="Round 2 of").wait_for()
    card.locator("button.on[aria-pressed=true]").wait_for()
    assert page.locator(BETTER).count() == page.locator(".legend").count() == 0, "the map has no better turn either"
    told.update(version=2, done=9)
    page.get_by_role("status").get_by_text("You made no clear mistake.", exact=True).wait_for()
    card.get_by_role("button", name="Attila").click()
    card.get_by_text("Attila’s blunder: win probability").wait_for()
    card.get_by_text("against the orders that you really gave.").wait_for()


def test_the_search_for_the_first_mistake_says_when_there_is_none(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    log = called_you(idle_log(4))
    told = news(log, 1, {1: (None, 0.0), 2: (None, 0.0)})
    page = open_page(server.page(), **HANDSET)
    page.route("**/analysis", lambda route: route.fulfill(json=told))
    open_log(page, log, tmp_path)
    show_cards(page)
    card, handle = page.get_by_role("region", name="Analysis"), page.locator("aside .handle")
    card.locator(".verdict").wait_for()
    page.evaluate("location.hash = location.hash.split('?')[0] + '?mistake=1'")  # the address in the guide
    card.get_by_text("Looking for your mistakes …").wait_for()
    assert "Looking for your mistakes" in handle.inner_text()
    assert card.locator(".verdict").count() == 0, "nothing is said about round 1 yet"
    told.update(version=2, done=9, positions=[])
    card.get_by_text("You made no clear mistake in this game.").wait_for()
    assert "no clear mistake in this game" in handle.inner_text()
    page.get_by_role("button", name="Next mistake").get_by_text("Next mistake").wait_for()


def test_deeper_results_replace_earlier_ones(server: Server, tmp_path: Path, open_page: Callable[..., Any]):
    log = bot_log(rounds=5)  # player 0 attacks in round 5
    page = open_page(server.page())
    answers = [news(log, 1, {5: ("??", 0.4)}), news(log, 2, {5: ("?", 0.12)})]
    asked: list[dict[str, Any]] = []

    def answer(route: Any) -> None:
        asked.append(route.request.post_data_json)
        route.fulfill(json=answers[min(asked[-1]["since"], 1)])

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
    assert asked[0]["since"] == 0
    while asked[-1]["since"] < 2:
        page.wait_for_timeout(50)
    assert asked[-1]["focus"] == 4, "the server learns which position is displayed"


def test_an_opened_card_keeps_its_result_and_offers_results_that_are_not_preliminary(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    log = idle_log(4)
    told = news(log, 1, {2: ("??", 0.4), 3: ("?", 0.12)})
    page = open_page(server.page())
    page.route("**/analysis", lambda route: route.fulfill(json=told))
    open_log(page, log, tmp_path)
    card, moves = (page.get_by_role("region", name=name) for name in ("Analysis", "Moves"))
    verdict, newest = card.locator(".verdict"), card.get_by_role("button", name="Show the newest result")
    first = "First estimate; the bot is still calculating."

    def refine(mark: str, lost: float, preliminary: bool) -> None:
        told.update(news(log, told["version"] + 1, {2: (mark, lost)}))
        told["positions"][0]["preliminary"] = preliminary
        told["positions"][0]["turns"][0]["better"]["orders"] = told["positions"][0]["best"][0] = ""
        moves.locator(f"[data-round='2'] [data-mark='{mark}']").wait_for()

    def drawn() -> list[str]:
        return page.locator("g.best path").evaluate_all("paths => paths.map(path => path.outerHTML)")

    page.keyboard.press("b")
    verdict.get_by_text("Pip’s blunder: win probability 20 % instead of 60 %.").wait_for()
    card.get_by_text(first).wait_for()
    page.locator("g.best path").first.wait_for(state="attached")
    card.get_by_text("Played:").click()  # the user reads the card
    read, paths = card.inner_text(), drawn()
    places = [card.get_by_text(words).bounding_box() for words in ("Played:", "Better:")]
    refine("?", 0.12, preliminary=True)
    assert (card.inner_text(), drawn()) == (read, paths), "a better estimate neither changes nor interrupts the text"
    refine("?!", 0.07, preliminary=False)
    newest.wait_for()
    assert card.inner_text().replace("Show the newest result", first).split() == read.split()
    assert drawn() == paths
    assert [card.get_by_text(words).bounding_box() for words in ("Played:", "Better:")] == places
    newest.click()
    verdict.get_by_text("Pip’s inaccuracy: win probability 53 % instead of 60 %.").wait_for()
    card.get_by_text("Better: hold.").wait_for()
    read = card.inner_text()
    assert newest.count() == card.get_by_text(first).count() == 0
    refine("??", 0.3, preliminary=False)
    newest.wait_for()
    assert card.inner_text().replace("Show the newest result", "").split() == read.split()
    page.keyboard.press("b")
    page.locator(".where", has_text="Round 3 of").wait_for()
    page.keyboard.press("Shift+B")
    verdict.get_by_text("Pip’s blunder: win probability 30 % instead of 60 %.").wait_for()
    assert newest.count() == 0, "a card that opens shows the newest result"


def test_a_card_that_has_just_opened_shows_a_newer_result_by_itself(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    log = idle_log(3)
    told = news(log, 1, {2: ("??", 0.4)})
    page = open_page(server.page())
    page.route("**/analysis", lambda route: route.fulfill(json=told))
    open_log(page, log, tmp_path)
    page.get_by_role("region", name="Moves").locator("[data-mark='??']").wait_for()
    card = page.get_by_role("region", name="Analysis")
    page.keyboard.press("b")
    card.get_by_text("win probability 20 % instead of 60 %.").wait_for()
    told.update(news(log, 2, {2: ("?", 0.12)}))
    card.get_by_text("win probability 48 % instead of 60 %.").wait_for(timeout=20_000)
    assert card.get_by_role("button", name="Show the newest result").count() == 0


def test_the_next_mistake_starts_at_the_top_of_the_card_on_a_phone(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    log = idle_log(4)
    told = news(log, 2, {2: ("??", 0.4), 3: ("?", 0.12)}, done=9)
    page = open_page(server.page(), **HANDSET)
    page.route("**/analysis", lambda route: route.fulfill(json=told))
    open_log(page, log, tmp_path)
    show_cards(page)
    card, following = page.get_by_role("region", name="Analysis"), page.get_by_role("button", name="Next mistake")
    following.and_(page.locator(":enabled")).tap()
    card.get_by_role("heading", name="Round 2").wait_for()
    sheet = page.locator("#cards")
    sheet.evaluate("e => (e.scrollTop = 300)")
    assert sheet.evaluate("e => e.scrollTop") > 200
    following.tap()
    card.get_by_role("heading", name="Round 3").wait_for()
    page.wait_for_function("() => document.querySelector('#cards').scrollTop < 12")
    assert card.bounding_box()["y"] >= sheet.bounding_box()["y"] - 1


def test_a_better_turn_with_a_reserve_and_its_reason_are_told(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    log = idle_log(4)
    game = game_at(log, 1)
    codes, names = ([getattr(region, of) for region in game.map.regions] for of in ("code", "name"))
    own = next(r for r in range(10) if game.owner[r] == 0 and len(game.map.neighbors[r]) > 1)
    first, second = game.map.neighbors[own][:2]
    armies = int(game.army[own]) + 4
    told = news(log, 1, {2: ("??", 0.4)})
    judged = told["positions"][0]["turns"][0]
    judged["better"]["orders"] = "; ".join(
        [f"d {codes[own]} 5", *(f"a {codes[own]} {codes[to]} {armies}" for to in (first, second))]
    )
    only = {"kind": "attack", "source": names[own], "target": names[first], "armies": 1, "was": 0}
    asia = {"bonus": "Asia", "income": 5, "better": 0.1, "played": 0.6}
    later = [
        {"rounds": 1, "code": "turn-holds", "values": {"region": names[first], "better": 0.8, "played": 0.3}},
        {"rounds": 3, "code": "turn-saves", "values": {"armies": 4.25}},
        {"rounds": 3, "code": "turn-breaks", "values": {"player": 1, **asia}},
    ]
    values = {"region": names[own], "better": 0.9, "played": 0.2, "only": only, "later": later}
    judged["reason"] = {"code": "turn-holds", "values": values}
    page = open_page(server.page())
    page.route("**/analysis", lambda route: route.fulfill(json=told))
    open_log(page, log, tmp_path)
    page.keyboard.press("b")
    card = page.get_by_role("region", name="Analysis")
    better = card.get_by_text("Better:")
    better.wait_for()
    says = f"{names[own]} → {names[first]} with {armies}; if armies are left: {names[own]} → {names[second]}."
    assert says in better.inner_text()
    page.locator("g.best path").first.wait_for(state="attached")
    drawn = page.locator("g.best path").evaluate_all("paths => paths.map(path => path.outerHTML)")
    judged["better"]["orders"] = judged["better"]["orders"].rpartition(";")[0]
    card.get_by_text("Played:").click()  # the user reads the card
    told["positions"][0]["preliminary"] = False
    told["version"] = 3
    card.get_by_role("button", name="Show the newest result").click()
    better.get_by_text("if armies are left").wait_for(state="detached")
    page.locator("g.best").first.wait_for(state="attached")
    assert page.locator("g.best path").evaluate_all("paths => paths.map(path => path.outerHTML)") == drawn
    reason = f"The better turn is the same with one more attack: from {names[own]} to {names[first]} with 1 army."
    keeps = f"The better turn keeps {names[own]} in 90 % of cases, the played turn in 20 %."
    card.get_by_text(f"{reason} {keeps}").wait_for()
    holds = (
        f"Pip holds {names[first]} in 80 % of the simulated games with the better turn, in 30 % with the played turn."
    )
    card.get_by_text(f"One round later, {holds}").wait_for()
    card.get_by_text("3 rounds later, Pip has 4.3 more armies on average with the better turn.").wait_for()
    card.get_by_text("3 rounds later, Attila holds all of Asia (+5) in 10 % of the simulated games").wait_for()


_ASIA = {"bonus": "Asia", "income": 7, "better": 0.9, "played": 0.2}
_BATTLE = {"source": "Peru", "target": "Brazil", "armies": 2.5}
#: The forms of the reasons: the code, and the values of the result of an analysis.
REASONS: Final = [
    ("turn-bonus", _ASIA),
    ("turn-breaks", {**_ASIA, "player": 1}),
    ("turn-holds", {"region": "Peru", "better": 0.9, "played": 0.2}),
    ("turn-takes", {"region": "Peru", "better": 0.9, "played": 0.2}),
    ("turn-saves", {"armies": 2.5}),
    ("turn-kills", {"armies": 2.5}),
    ("turn-guards", {"armies": 2.5, "region": "Peru", "player": 1}),
    ("turn-even", {}),
    ("dice-battle", _BATTLE),
    ("dice-battle", {**_BATTLE, "chance": 0.25, "captured": True}),
    ("dice-battle", {**_BATTLE, "chance": 0.75, "captured": False}),
    ("dice-order", {}),
    ("others-took", {"regions": ["Peru", "Brazil"], "bonuses": ["Asia"], "players": [1]}),
    ("others-took", {"regions": ["Peru"], "bonuses": [], "players": [1]}),
    ("others-better", {"player": 1, "taken": 2, "bonuses": ["Asia"], "gain": 0.2}),
    ("others-better", {"player": 1, "taken": 1, "bonuses": [], "gain": 0.2}),
    ("others-better", {"player": 1, "taken": 0, "bonuses": [], "gain": 0.2}),
]


def test_the_report_gives_the_same_reasons_as_the_command(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    log, rounds = idle_log(len(REASONS), "world"), range(1, len(REASONS) + 1)
    told = news(log, 2, dict.fromkeys(rounds, ("??", 0.4)))
    for position, (code, values) in zip(told["positions"], REASONS, strict=True):
        position["turns"][0]["reason"] = {"code": code, "values": values}
    told["summary"]["turning"] = [{"round": number, "player": 0} for number in rounds]
    page = open_page(server.page())
    page.route("**/analysis", lambda route: route.fulfill(json=told))
    open_log(page, log, tmp_path)
    page.keyboard.press("b")
    points = page.locator("ol.turning > li")
    points.nth(len(REASONS) - 1).wait_for()
    for shown, (code, values) in zip(points.all_inner_texts(), REASONS, strict=True):
        says = sentence_of({"code": code, "values": values}, names_of(log), 0)
        assert shown.replace("\N{NO-BREAK SPACE}", " ").endswith(f". {says}"), says


def test_the_parts_of_a_change_have_its_sum_and_are_those_of_the_command(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    values = [  # before, worth, after, gain of the better turn
        (0.59, 0.33, 0.35, 0.50), (0.125, 0.1349, 0.045, 0.0), (0.6049, 0.4951, 0.5049, 0.1051),
        (0.26, 0.74, 0.801, 0.15), (0.305, 0.295, 0.0, 0.0249),
    ]  # fmt: skip
    log, rounds = called_you(idle_log(len(values))), range(1, len(values) + 1)
    told = news(log, 2, {number: ("??", gain) for number, (*_, gain) in zip(rounds, values, strict=True)}, done=9)
    for position, (before, worth, after, gain) in zip(told["positions"], values, strict=True):
        position["turns"][0].update(
            before=before, worth=worth, after=after, gain=gain, reason={"code": "turn-even", "values": {}}
        )
    told["summary"]["turning"] = [{"round": number, "player": 0} for number in rounds]
    lines = describe_turning_points(
        {"turning": told["summary"]["turning"], "rounds": [position["turns"] for position in told["positions"]]}, log
    )
    of_command = [line for line in lines if line.startswith("round ")]
    page = open_page(server.page())
    page.route("**/analysis", lambda route: route.fulfill(json=told))
    open_log(page, log, tmp_path)
    points = page.locator("ol.turning > li")
    points.nth(len(values) - 1).wait_for()
    card = page.get_by_role("region", name="Analysis")

    def numbers(text: str) -> list[int]:
        return [int(found) for found in re.findall(r"[+-]?\d+", text.replace("\N{MINUS SIGN}", "-"))]

    for number, shown, line in zip(rounds, points.all_inner_texts(), of_command, strict=True):
        assert numbers(shown)[1:] == numbers(line)[1:], "round, sum, own turn, others, dice"
        _, fall, own, others, dice = numbers(shown)
        assert own + others + dice == fall
        assert shown.index(" by your own turn") < shown.index(" by Attila’s orders") < shown.index(" by the dice")
        points.nth(number - 1).get_by_role("button").click()
        path = card.get_by_text("before the round;").inner_text()
        before, *parts, after = numbers(path)
        assert parts == [others, own, dice] and before + sum(parts) == after
        assert re.search("by Attila’s orders, .* by your turn, .* by the dice: .* after it", path)
        if own:
            played, better = numbers(card.locator(".verdict > b").inner_text())
            assert played - better == own
            assert f"The difference is {-own} ± 2 points" in card.locator("details").text_content()


def attack_log(leaves: bool) -> tuple[GameLog, str, int, int, int]:
    """A log whose last turn of player 0 attacks a region on which player 1 deploys its whole income.

    leaves: player 1 also sends an army away from there.

    Return the log, the name of the region, its armies before the round, the attacking armies, and the deployed armies.
    """
    game, recorder = Game("small", "thesis", 2, 3, picks="random"), MemoryRecorder()
    bots = [make_agent("aggressive", player) for player in range(2)]
    recorder.began(game, bots, 500)
    while True:
        owner, army = game.owner.tolist(), game.army.tolist()
        pairs = [(r, q) for r in range(10) for q in game.map.neighbors[r] if (owner[r], owner[q]) == (0, 1)]
        if pairs:
            break
        orders = ask_orders(game, bots)
        recorder.played(orders, game.play_round(orders), game)
    source, target = pairs[0]
    armies, more = army[source] + 4, game.view(1).income
    reserve = next(q for q in game.map.neighbors[source] if q != target)
    last = {
        0: Orders([(source, 5)], [(source, target, armies), (source, reserve, 1)]),
        1: Orders([(target, more)], [(target, source, 1)] * leaves),
    }
    recorder.played(last, game.play_round(last), game)
    return recorder.log, game.map.regions[target].name, army[target], armies, more


@pytest.mark.parametrize("leaves", [False, True])
def test_a_hopeless_attack_is_told_with_the_armies_that_the_defender_deployed(
    server: Server, tmp_path: Path, open_page: Callable[..., Any], leaves: bool
):
    log, name, there, armies, more = attack_log(leaves)
    told = news(log, 2, {len(log.rounds): ("??", 0.4)})
    page = open_page(server.page())
    page.route("**/analysis", lambda route: route.fulfill(json=told))
    open_log(page, log, tmp_path)
    page.keyboard.press("b")
    chance, defended = (f"{100 * battle_odds(armies, n).capture:.0f} %" for n in (there, there + more))
    assert battle_odds(armies, there + more).capture < 0.5
    unit = "army" if there == 1 else "armies"
    card = page.get_by_role("region", name="Analysis")
    card.get_by_text(f"{name} with {armies}; if armies are left:").wait_for()
    assert page.locator("g.past g.past").count() == 1, "the reserve has no arrow"
    if leaves:
        assert card.get_by_text("the chance was").count() == 0, "the attack may have met fewer armies"
        return
    card.get_by_text(
        f"The attack on {name} with {armies} armies had a chance of {chance} against the {there} {unit} there. "
        f"{names_of(log)[1]} deployed {more} more: the chance was {defended}."
    ).wait_for()


@pytest.mark.parametrize("joined", [False, True])
def test_no_chance_is_told_for_an_attack_on_a_region_that_another_player_attacked_too(
    server: Server, tmp_path: Path, open_page: Callable[..., Any], joined: bool
):
    game, recorder = Game("small", "thesis", 2, 0, picks="random"), MemoryRecorder()
    owner = game.owner.tolist()
    target = next(r for r in range(10) if owner[r] < 0 and {owner[q] for q in game.map.neighbors[r]} >= {0, 1})
    sources = [next(q for q in game.map.neighbors[target] if owner[q] == player) for player in (0, 1)]
    orders = {
        0: Orders([(sources[0], 5)], [(sources[0], target, 1)]),
        1: Orders([], [(sources[1], target, 1)] * joined),
    }
    recorder.began(game, [make_agent("aggressive", player) for player in range(2)], 500)
    recorder.played(orders, game.play_round(orders), game)
    log = recorder.log
    page = open_page(server.page())
    page.route("**/analysis", lambda route: route.fulfill(json=news(log, 2, {1: ("??", 0.4)})))
    open_log(page, log, tmp_path)
    page.get_by_role("region", name="Moves").locator("[data-mark='??']").wait_for()
    page.keyboard.press("b")
    card = page.get_by_role("region", name="Analysis")
    card.get_by_text("Better:").wait_for()
    chance = card.get_by_text(f"The attack on {game.map.regions[target].name} with 1 army had only a chance of")
    assert chance.count() == (not joined)


#: Whether the armies of regions are in the part of the map that neither the cards nor the legend cover.
UNCOVERED = """regions => regions.every(region => {
    const path = document.querySelector(`path[data-region='${region}']`);
    const { x, y } = new DOMPoint(...path.dataset.label.split(' ')).matrixTransform(path.getScreenCTM());
    const { left, right } = document.querySelector('.scroll').getBoundingClientRect();
    const top = document.querySelector('.legend').getBoundingClientRect().bottom;
    return x > left && x < right && y > top && y < document.querySelector('aside').getBoundingClientRect().top
})"""


def test_a_phone_shows_all_regions_of_the_better_turn_also_without_an_attack(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    log = idle_log(2, "world")
    told = news(log, 2, {1: ("??", 0.4), 2: ("??", 0.4)})
    page = open_page(server.page(), **HANDSET)
    page.route("**/analysis", lambda route: route.fulfill(json=told))
    codes = [region.code for region in log.header.map.regions]

    def deploys(regions: list[str]) -> None:
        for position in told["positions"]:
            position["turns"][0]["better"]["orders"] = "; ".join(f"d {codes[int(region)]} 2" for region in regions)

    deploys(["0"])
    open_log(page, log, tmp_path)
    show_cards(page)
    page.keyboard.press("b")
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
        told["version"] += 1
        with page.expect_response(lambda answer: answer.url.endswith("/analysis")):
            pass
        with page.expect_response(lambda answer: answer.url.endswith("/analysis")):
            pass
        page.keyboard.press(key)
        page.wait_for_function(UNCOVERED, arg=regions)
