"""Games in the browser: complete games by mouse alone and by keyboard alone, with a restart of the server."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from page_helpers import PAGE, box, front, hand_in, letter_of, pick, region, regions, round_or_end

from warlight_env import Game, battle_odds
from warlight_env.record import GameLog, verify
from web_helpers import YOU, Server, serving

pytestmark = PAGE


def test_a_whole_game_by_mouse(server: Server, open_page: Callable[..., Any]):
    played = server.begin(seed=6)
    page = open_page(played.address)
    game_map = Game("small").map
    commit = page.get_by_role("button", name=re.compile("Commit"))
    page.get_by_text("Pick 2 regions: 2 left").wait_for()
    for name in [r["name"] for r in regions(page) if "can be picked" in r["label"]][:2]:
        page.mouse.click(*box(page, name))
    commit.click()
    for number in range(1, 60):
        page.locator(".phases").wait_for()
        source, target = front(page, game_map, regions(page))
        page.mouse.move(*box(page, source))
        page.keyboard.down("Shift")
        page.mouse.down()
        page.mouse.up()
        page.keyboard.up("Shift")
        page.get_by_text("All armies are deployed").wait_for()
        page.mouse.move(*box(page, source))
        page.mouse.down()
        page.mouse.move(*box(page, target), steps=4)
        page.mouse.up()
        page.locator("li.attack").wait_for()
        commit.click()
        round_or_end(page, number + 1)
        if page.locator(".result").count():
            break
    assert "You win after" in page.locator(".result").inner_text()
    log = GameLog.load(played.folder / f"{played.game}.wl.jsonl")
    assert log.complete
    assert verify(log) == []
    assert any(step.orders[0] and step.orders[0].attacks for step in log.rounds)


def test_a_whole_game_by_keyboard_alone(server: Server, open_page: Callable[..., Any]):
    played = server.begin(seed=6)
    page = open_page(played.address)
    game_map = Game("small").map
    keys = page.keyboard
    page.get_by_text("Pick 2 regions: 2 left").wait_for()
    for _ in range(60):
        if page.evaluate("document.activeElement?.dataset?.region !== undefined"):
            break
        keys.press("Tab")
    picked = 0
    for turn in range(200):  # wander over the map by arrow keys until both picks are made
        if page.evaluate("document.activeElement.getAttribute('aria-label')").endswith("can be picked"):
            keys.press("Enter")
            picked += 1
            if picked == 2:
                break
        keys.press(("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp")[(turn * turn // 3) % 4])
    assert picked == 2
    keys.press("Control+Enter")
    for number in range(1, 60):
        page.locator(".phases").wait_for()
        source, target = front(page, game_map, regions(page))
        codes = {r.name: r.code.lower() for r in game_map.regions}
        if number == 1:  # by letters
            keys.press("d")
            page.get_by_text("Press the letter of the region to deploy on").wait_for()
            keys.press(letter_of(page, source))
            keys.press("a")
            keys.press(letter_of(page, source))
            page.get_by_text(f"From {source}: press the letter of the target").wait_for()
            keys.press(letter_of(page, target))
            keys.press("6")
            armies = next(r["armies"] for r in regions(page) if r["name"] == target)
            shown = page.locator(".region dl").inner_text()
            assert f"{100 * battle_odds(6, armies).capture:.1f}\N{NO-BREAK SPACE}%" in shown
            keys.press("z")
            keys.press("Shift+Z")
            assert page.locator("li.attack input").input_value() == "6"
        else:  # as text
            keys.press(":")
            income = page.locator(".phases button").first.inner_text().rpartition("/")[2]
            army = next(r["armies"] for r in regions(page) if r["name"] == source) + int(income) - 1
            keys.type(f"d {codes[source]} {income}; a {codes[source]} {codes[target]} {army}")
            keys.press("Enter")
        page.locator("li.attack").wait_for()
        keys.press("Control+Enter")
        round_or_end(page, number + 1)
        if page.locator(".result").count():
            break
    assert "You win after" in page.locator(".result").inner_text()
    assert GameLog.load(played.folder / f"{played.game}.wl.jsonl").complete


def test_the_page_goes_on_when_the_server_was_killed(tmp_path: Path, open_page: Callable[..., Any]):
    line = ("play", "--vs", "random", "--map", "world", "--seed", "8")
    with serving(tmp_path, *line) as first:
        port = int(first.base.rpartition(":")[2])
        page = open_page(first.address)
        pick(page)
        page.locator(".phases").wait_for()
        hand_in(page)
        round_or_end(page, 2)
        page.locator('path[aria-label*=", yours,"]').first.focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        page.get_by_role("button", name=re.compile("Deploy.*2.5")).wait_for()
        first.kill()
        page.get_by_text("Connection lost").wait_for()
        assert page.get_by_role("button", name=re.compile("Commit")).is_disabled()
        page.keyboard.press("Enter")
    with serving(tmp_path, *line, port=port):
        page.get_by_text("Connection lost").wait_for(state="detached")
        page.get_by_role("button", name=re.compile("Deploy.*3.5")).wait_for()
        page.route("**/api/home", lambda asked: asked.abort("connectionrefused"))  # which bots there are to give hints
        page.reload()  # the draft outlives the page, too
        page.get_by_role("button", name=re.compile("Deploy.*3.5")).wait_for()
        with page.expect_response("**/api/home"):  # it asks again
            page.unroute("**/api/home")
        hand_in(page)
        round_or_end(page, 3)
    log = GameLog.load(tmp_path / f"{first.game}.partial.wl.jsonl")
    assert [sum(n for _, n in r.orders[0].deploys) for r in log.rounds] == [0, 3]


def test_a_game_of_which_the_server_lost_rounds_goes_on_from_there(tmp_path: Path, open_page: Callable[..., Any]):
    line = ("play", "--vs", "random", "--map", "small", "--seed", "8")
    with serving(tmp_path, *line) as first:
        port = int(first.base.rpartition(":")[2])
        page = open_page(first.address)
        pick(page)
        for number in (1, 2, 3):
            page.locator(f".round:has-text('Round {number}')").wait_for()
            page.locator(".phases").wait_for()
            hand_in(page)
        page.locator(".round:has-text('Round 4')").wait_for()
        first.kill()
    log = tmp_path / f"{first.game}.partial.wl.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    last = max(i for i, text in enumerate(lines) if b'"round":3' in text)
    log.write_bytes(b"".join(lines[:last]))  # as a power cut may leave it
    (tmp_path / f"{first.game}.turns.json").unlink()  # else the round would be played again
    with serving(tmp_path, *line, port=port):
        page.locator(".round:has-text('Round 3')").wait_for()
        page.locator(".where:has-text('After round 2')").wait_for()
        page.keyboard.press("Home")  # keys move what is shown, not what was there before
        page.locator(".where:has-text('Start of the game')").wait_for()
        page.keyboard.press("End")
        page.locator(".phases").wait_for()
        hand_in(page)
        page.locator(".round:has-text('Round 4')").wait_for()
        page.locator(".where:has-text('After round 3')").wait_for()
    assert verify(GameLog.load(log)) == []


def test_an_amount_that_cannot_be_is_shown_as_what_became_of_it(server: Server, open_page: Callable[..., Any]):
    played = server.begin(seed=8)
    page = open_page(played.address)
    pick(page)
    page.locator(".phases").wait_for()
    source, target = front(page, Game("small").map, regions(page))
    region(page, source).focus()
    page.keyboard.press("Shift+Enter")
    deployed = page.get_by_label(f"Armies deployed on {source}")
    income = deployed.input_value()
    for typed, becomes in (("99", income), ("2.7", "2"), ("99", income)):
        deployed.fill(typed)
        deployed.blur()
        assert deployed.input_value() == becomes
    page.keyboard.press(":")
    codes = {r.name: r.code.lower() for r in Game("small").map.regions}
    page.keyboard.type(f"a {codes[source]} {codes[target]} 3")
    page.keyboard.press("Enter")
    sent = page.get_by_label(f"Armies from {source} to {target}")
    for typed, becomes in (("0", "3"), ("", "3"), ("4.5", "4")):
        sent.fill(typed)
        sent.blur()
        assert sent.input_value() == becomes
    page.keyboard.press("Control+Enter")
    page.locator(".round:has-text('Round 2')").wait_for()


def at_the_front(page: Any) -> tuple[str, str, dict[str, int], dict[str, str]]:
    """In the first turn on the small map: an own region, its weakest neighbour, armies by name, and codes as typed."""
    pick(page)
    page.locator(".phases").wait_for()
    told, game_map = regions(page), Game("small").map
    source, target = front(page, game_map, told)
    return source, target, {r["name"]: r["armies"] for r in told}, {r.name: r.code.lower() for r in game_map.regions}


def test_keys_of_an_amount_are_one_entry_and_no_more_than_can_be_sent(server: Server, open_page: Callable[..., Any]):
    played = server.begin(seed=8)
    page = open_page(played.address)
    source, target, armies, codes = at_the_front(page)
    card = page.locator(".region dl")
    sent = page.get_by_label(f"Armies from {source} to {target}")
    page.keyboard.press(":")
    page.keyboard.type(f"d {codes[source]} 5; a {codes[source]} {codes[target]} 1")
    page.keyboard.press("Enter")
    page.get_by_role("button", name=re.compile(f"{source}.*{target}")).first.click()
    most = armies[source] + 5 - 1
    for typed, becomes in (("3", 3), ("*", most), ("4", 4), ("=", None), ("2", 2), ("99", most)):
        page.keyboard.type(typed)
        now = int(sent.input_value())
        assert now == becomes if becomes else battle_odds(now, armies[target]).capture >= 0.95
        assert f"{100 * battle_odds(now, armies[target]).capture:.1f}\N{NO-BREAK SPACE}%" in card.inner_text()
    page.get_by_label(f"Remove the deploy on {source}").click()  # fewer can be sent than are ordered
    assert int(sent.input_value()) == most
    page.get_by_role("button", name=re.compile(f"{source}.*{target}")).first.click()
    left = armies[source] - 1
    assert f"{100 * battle_odds(left, armies[target]).capture:.1f}\N{NO-BREAK SPACE}%" in card.inner_text()
    assert battle_odds(left, armies[target]).capture < 0.95
    assert f"you can send only {left}" in card.inner_text()
    assert page.get_by_role("button", name="95 %").is_disabled()
    page.locator("h1").first.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("=")
    page.get_by_role("status").get_by_text("Too few armies for 95 %").wait_for()
    page.keyboard.press("1")
    page.get_by_role("status").get_by_text("Too few armies for 95 %").wait_for(state="detached")


def test_the_win_probability_is_of_the_position_or_not_known(server: Server, open_page: Callable[..., Any]):
    played = server.begin(YOU, "aggressive", seed=8)
    page = open_page(played.address)
    pick(page)
    page.locator(".phases").wait_for()
    page.keyboard.press("h")
    chance = page.get_by_role("region", name="Win probability")
    chance.get_by_text(re.compile(r"\d+\s% \(\d+–\d+\s%\)")).wait_for()
    chance.get_by_text("You, at the start").wait_for()
    page.keyboard.press("h")
    page.keyboard.press("h")  # off: no more is asked
    hand_in(page)
    round_or_end(page, 2)
    chance.get_by_text("unavailable for this position").wait_for()
    chance.get_by_text("You, after round 1").wait_for()
    page.keyboard.press("Home")
    chance.get_by_text(re.compile(r"\d+\s% \(\d+–\d+\s%\)")).wait_for()
    chance.get_by_text("You, at the start").wait_for()


def test_a_draft_that_is_not_ours_is_left_out(server: Server, open_page: Callable[..., Any]):
    played = server.begin(seed=8)
    page = open_page(played.address)
    pick(page)
    page.locator(".phases").wait_for()
    for draft in ('{"deploys":5}', "{}", "[]", "nonsense", '{"deploys":[[999,1]],"attacks":[]}'):
        key = f"warlight.draft.{played.game}.0.1"
        page.evaluate("([key, draft]) => localStorage.setItem(key, draft)", [key, draft])
        page.reload()
        page.get_by_role("button", name=re.compile("Deploy.*0.5")).wait_for()


def test_a_new_game_is_left_to_chance_unless_a_seed_is_there(server: Server, open_page: Callable[..., Any]):
    page = open_page(server.page())
    seen = []
    for _ in range(2):
        page.get_by_role("combobox", name="Map").select_option("generated")
        page.get_by_role("region", name="Opponents").get_by_role("button", name=re.compile("^Pip ")).click()
        page.get_by_role("spinbutton", name="Regions").fill("12")
        page.get_by_label("Seed").fill("7")
        page.get_by_label("Seed").fill("")
        page.get_by_role("button", name="Play now").click()
        page.get_by_text(re.compile("Pick 2 regions: 2 left|You start in both regions")).first.wait_for()
        seen.append(page.locator("path[data-region]").evaluate_all("all => all.map(e => e.getAttribute('d'))"))
        page.go_back()
    assert seen[0] != seen[1]


def test_an_answer_that_breaks_off_is_said_and_no_more(server: Server, open_page: Callable[..., Any]):
    page = open_page()
    page.route("**/api/home", lambda asked: asked.fulfill(content_type="application/json", body='{"version":'))
    page.goto(server.page())
    page.get_by_text("the server closed the connection before its answer was complete").wait_for()


def test_an_order_sends_what_those_before_it_leave_whatever_comes_later(server: Server, open_page: Callable[..., Any]):
    played = server.begin(seed=8)
    page = open_page(played.address)
    source, target, armies, codes = at_the_front(page)
    game_map = Game("small").map
    number = next(i for i, r in enumerate(game_map.regions) if r.name == source)
    others = [game_map.regions[n].name for n in game_map.neighbors[number] if game_map.regions[n].name != target]
    most = armies[source] + 5 - 1
    page.keyboard.press(":")
    second = f"a {codes[source]} {codes[others[0]]} 1"
    page.keyboard.type(f"d {codes[source]} 5; a {codes[source]} {codes[target]} {most}; {second}")
    page.keyboard.press("Enter")
    first, last = (page.locator(".orders .attack").nth(i) for i in (0, 1))
    assert "can be sent" not in first.inner_text() and "no armies are left to send" in last.inner_text()
    chance = f"{100 * battle_odds(most, armies[target]).capture:.1f}\N{NO-BREAK SPACE}%"
    first.locator(".what").click()
    assert chance in page.locator(".region dl").inner_text()
    assert page.locator(".aim").inner_text().split()[:1] == [f"{most}"]
    last.locator(".what").click()
    assert page.locator(".aim p").inner_text().startswith("0 of 0 armies")
    assert page.locator(".aim .says").all_inner_texts() == [f"Other orders send all free armies of {source}."]
    page.get_by_role("button", name="Review").click()
    assert page.locator(".region dd").first.inner_text().startswith(f"{chance} against {armies[target]} ")
    page.get_by_label(f"Remove the deploy on {source}").click()
    short = f"{100 * battle_odds(armies[source] - 1, armies[target]).capture:.1f}\N{NO-BREAK SPACE}%"
    assert page.locator(".region dd").first.inner_text().startswith(f"{short} against ")
