"""Words and colours follow the viewer's side, results appear with the animation, and bots have one name and face."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gesture_helpers import DESKTOP, HANDSET, Gestures
from page_helpers import PAGE, box, choose_language, open_without_analysis, region, regions

from warlight_env import Game, battle_odds
from warlight_env.record import GameLog
from warlight_env.web.export import write_html
from web_helpers import YOU, Server, serving

pytestmark = PAGE

MAP = Game("small").map
ANN, BO = {"name": "Ann"}, {"name": "Bo", "friend": True}


class Duel:
    """A game in which Bo can attack a region of Ann in the first round."""

    def __init__(self, server: Server, **fields: Any) -> None:
        response = server.client().post(
            "games", json={"players": [ANN, BO], "map": "small", "seed": 6, "picks": "random", **fields}
        ).json()  # fmt: skip
        self.server, self.game = server, response["id"]
        self.tokens = [response["tokens"]["0"], response["invites"]["1"]]
        self.address = server.page(f"g/{self.game}?key0={self.tokens[0]}")
        with server.feed(self.game, self.tokens[0]) as feed:
            owner = feed.event("start")["owner"]
        self.source, self.target = next(
            (a, b) for a in range(MAP.n_regions) if owner[a] == 1 for b in MAP.neighbors[a] if owner[b] == 0
        )

    def submit(self, seat: int, number: int, **orders: Any) -> None:
        body = {"round": number, "deploys": [], "attacks": [], **orders}
        answer = self.server.client(self.tokens[seat]).post(f"games/{self.game}/orders", json=body)
        assert answer.status_code == 200, answer.text

    def capture(self) -> None:
        """Submit Bo's first turn, which takes a region of Ann with high probability."""
        attack = [self.source, self.target, 6]
        self.submit(1, 1, deploys=[[self.source, 5]], attacks=[attack])


def commit(page: Any) -> None:
    page.locator("path.own").first.wait_for(state="attached")
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Commit anyway").click()


def test_lost_regions_and_lost_games_are_marked_as_bad_for_the_viewer(server: Server, open_page: Callable[..., Any]):
    duel = Duel(server)
    duel.capture()
    page = open_without_analysis(open_page, duel.address)
    commit(page)
    moves = page.get_by_role("region", name="Moves")
    line = moves.locator(".line.taken")
    line.wait_for()
    assert "bad" in line.get_attribute("class") and "⚑" in line.inner_text() and "✓" not in line.inner_text()
    place = page.get_by_role("button", name="Resign").bounding_box()
    page.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    page.get_by_role("button", name="Resign now").click()
    page.get_by_role("region", name="Result").get_by_text(re.compile("^You lost: Bo wins after")).wait_for()
    page.goto(server.page("games"))
    page.get_by_label("Search").fill("Ann")
    page.get_by_text("You lost: Bo won").first.wait_for()

    bo = open_without_analysis(
        open_page, f"{server.base}/#/g/{duel.game}?key1={duel.tokens[1]}", expects="status of 401"
    )
    bo.get_by_role("region", name="Result").get_by_text(re.compile("^You win after")).wait_for()
    assert "good" in bo.locator(".line.taken").get_attribute("class")


def test_results_appear_together_with_the_animation(server: Server, open_page: Callable[..., Any]):
    duel = Duel(server)
    duel.capture()
    page = open_page(reduced_motion="no-preference")
    page.add_init_script("localStorage.setItem('warlight.speed', '0.25')")
    page.goto(duel.address)
    shown = """() => ({ playing: document.querySelector('.status button') !== null,
        found: ['.ticks i', '.step.capture', '.marks li', '.line.taken', '.result', '.report'].map(
            where => document.querySelectorAll(where).length) })"""
    commit(page)
    skip = page.get_by_role("button", name=re.compile("^Skip"))
    skip.wait_for()
    assert page.evaluate(shown) == {"playing": True, "found": [0, 0, 0, 0, 0, 0]}
    place = skip.bounding_box()
    page.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    page.locator(".line.taken").wait_for()
    assert page.evaluate(shown)["found"][:2] == [1, 1]


def test_page_reports_a_turn_that_was_not_in_time(server: Server, open_page: Callable[..., Any]):
    duel = Duel(server, clock=2)
    server.client(duel.tokens[0]).post(f"games/{duel.game}/start")
    with server.feed(duel.game, duel.tokens[0]) as feed, server.feed(duel.game, duel.tokens[1]):
        assert feed.event("round")["round"] == 1
        server.client(duel.tokens[1]).post(f"games/{duel.game}/resign")
        feed.event("end")
    page = open_without_analysis(open_page, duel.address)
    first = page.locator("[data-round='1']")
    place = first.locator(".round").bounding_box()
    if first.locator(".round").get_attribute("aria-expanded") == "false":
        page.mouse.click(place["x"] + 20, place["y"] + place["height"] / 2)
    for language, late, none in (
        ("en", "You gave no orders in time", "no orders"),
        ("cs", "Nestihl jsi zadat rozkazy včas", "žádné rozkazy"),
    ):
        choose_language(page, language)
        first.get_by_text(late).wait_for()
        first.get_by_text(none, exact=True).wait_for()


@pytest.mark.parametrize("options", [DESKTOP, HANDSET], ids=["desktop", "phone"])
def test_the_odds_box_fits_its_text(server: Server, open_page: Callable[..., Any], options: dict[str, Any]):
    page = open_page(server.begin(seed=8, picks="random").address, bypass_csp=True, **options)
    page.locator("path.own").first.wait_for(state="attached")
    page.add_style_tag(content=".aim p { letter-spacing: 0.12em !important; word-spacing: 0.16em !important }")
    own_regions = set(page.locator("path.own").evaluate_all("all => all.map(e => Number(e.dataset.region))"))
    neutral = "all => all.filter(e => /, neutr/.test(e.ariaLabel)).map(e => Number(e.dataset.region))"
    others = own_regions | set(page.locator("path[data-region]").evaluate_all(neutral))
    source, target = next((a, b) for a in sorted(own_regions) for b in MAP.neighbors[a] if b not in others)
    region(page, MAP.regions[source].name).focus()
    page.keyboard.press("Shift+Enter")
    page.locator("[data-guide=attack]").click()
    gestures = Gestures(page, "touch" if options.get("has_touch") else "mouse")
    for r in (source, target):
        region(page, MAP.regions[r].name).scroll_into_view_if_needed()
        gestures.press(box(page, MAP.regions[r].name))
        page.wait_for_timeout(350)
    text = page.locator(".aim p")
    text.wait_for()
    inside = """e => { const [a, b] = [e.closest('.aim').getBoundingClientRect(), document.createRange()];
        b.selectNodeContents(e); const r = b.getBoundingClientRect(); return r.left >= a.left && r.right <= a.right }"""
    # The enemy can deploy: both probabilities are shown with the same weight.
    chances = [f"{100 * battle_odds(6, armies).capture:.1f}" for armies in (2, 7)]
    for language, comma in (("en", "."), ("cs", ",")):
        choose_language(page, language)
        assert text.evaluate("e => e.scrollWidth <= e.clientWidth")
        assert text.evaluate(inside)
        if options.get("has_touch"):  # the handle of the cards counts armies, not orders
            assert re.search(r"5/5\D*6\b", page.locator("aside .handle span").first.inner_text())
        expected = [chance.replace(".", comma) for chance in chances]
        assert [line.split()[0] for line in page.locator(".aim .says").all_inner_texts()] == expected
        assert [line.split()[0] for line in page.locator(".region dl b").all_text_contents()] == expected


def test_complete_picks_lead_to_the_commit(server: Server, open_page: Callable[..., Any]):
    players = [{"name": "You"}, {"name": "Bo"}]
    game = server.client().post("games", json={"players": players, "map": "small", "seed": 8}).json()
    page = open_page(server.page(f"g/{game['id']}?key0={game['tokens']['0']}"))
    status = page.locator("p.status")
    status.get_by_text("Pick 2 regions: 2 left").wait_for()
    offered, not_offered = (
        {r["name"] for r in regions(page) if end == r["label"].endswith("can be picked")} for end in (1, 0)
    )
    for left in (2, 1):
        status.get_by_text(f"Pick 2 regions: {left} left").wait_for()
        name = page.locator('path[aria-label$="can be picked"]').first.get_attribute("aria-label").split(",")[0]
        page.mouse.click(*box(page, name))
    status.get_by_text("Commit when you are ready").wait_for()
    picked = {r["name"] for r in regions(page) if ", your pick " in r["label"]}
    page.mouse.click(*box(page, min(not_offered)))
    status.get_by_text(f"{min(not_offered)} is not offered to you").wait_for()
    page.mouse.click(*box(page, min(offered - picked)))
    status.get_by_text("You have already picked 2 regions").wait_for()
    page.get_by_text("Each player is offered other regions").wait_for()
    page.keyboard.press("Control+Enter")
    status.get_by_text("Waiting for Bo").wait_for()
    ranks = page.locator("g.rank")  # beside the armies, even while the player waits
    assert [text.strip() for text in ranks.all_text_contents()] == ["#1", "#2"]


def test_each_preset_is_explained_in_a_line(server: Server, open_page: Callable[..., Any]):
    page = open_page(server.page())
    rules = page.locator("select[aria-describedby=preset]")
    rules.wait_for()
    presets = [row["name"] for row in server.client().get("home").json()["rules"]]
    lines = []
    for language in ("en", "cs"):
        choose_language(page, language)
        rules.focus()
        page.keyboard.press("Home")
        for name in presets:
            assert rules.input_value() == name
            lines.append(page.locator("#preset").inner_text())
            page.keyboard.press("ArrowDown")
    assert all(20 < len(line) < 130 for line in lines)
    assert len(set(lines)) == 2 * len(presets)


def test_changed_rules_have_the_words_of_their_preset(tmp_path: Path, open_page: Callable[..., Any]):
    options = ["--rules", "thesis:luck=0.5", "--fog"]
    with serving(tmp_path, "play", "--vs", "random", "--map", "small", *options) as fog_server:
        page = open_page(fog_server.address)
        page.get_by_text("classic (luck=0.5), fog", exact=True).wait_for()
        game = fog_server.client(fog_server.token(0)).get(f"games/{fog_server.game}").json()
    assert (game["rules"]["name"], game["rules"]["fog"]) == ("thesis:luck=0.5", True)


def test_a_bot_has_one_name_and_one_face(server: Server, tmp_path: Path, open_page: Callable[..., Any]):
    face = "e => e.querySelector('svg').innerHTML.replace(/<!--.*?-->/g, '')"
    page = open_without_analysis(open_page, server.page())
    card = page.get_by_role("region", name="Opponents").get_by_role("button", name=re.compile("^Attila "))
    lines = {"Attila\N{NO-BREAK SPACE}easy", "Attacks every weaker neighbour in every round."}
    assert lines <= set(card.inner_text().split("\n"))
    opponents = page.get_by_role("region", name="Opponents").get_by_role("button")
    assert "One second per turn." in opponents.filter(has_text="Ada").first.inner_text()
    card.click()
    home = card.evaluate(face)
    assert home != opponents.first.evaluate(face)
    options = page.get_by_role("combobox", name="First bot").locator("option").all_inner_texts()
    assert "Attila" in options and not any("aggressive" in text for text in options)
    game_server = server.begin(YOU, "aggressive", seed=8, picks="random")
    page.goto(game_server.address)
    page.locator("path.own").first.wait_for(state="attached")
    assert "Attila" in page.locator("section[aria-label=Players]").inner_text()
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Resign now").click()
    result = page.get_by_role("region", name="Result")
    result.get_by_text("You lost: Attila wins").wait_for()
    assert result.evaluate(face) == home
    assert "aggressive" not in page.locator("header").first.inner_text() + result.inner_text()
    page.goto(server.page("games"))
    row = page.get_by_role("listitem").filter(has_text="You – Attila").first
    row.wait_for()
    assert home in row.locator("svg").evaluate_all("all => all.map(e => e.innerHTML.replace(/<!--.*?-->/g, ''))")
    log = GameLog.load(server.folder / f"{game_server.game}.wl.jsonl")
    write_html(log, tmp_path / "replay.html", chances=False)
    page.goto((tmp_path / "replay.html").as_uri())
    page.keyboard.press("End")
    assert result.evaluate(face) == home
    assert "Attila wins" in result.inner_text()
