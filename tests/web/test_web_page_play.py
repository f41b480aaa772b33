"""Games in the browser: complete games by mouse alone and by keyboard alone, restarts of the server, amounts."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from page_helpers import (
    PAGE,
    box,
    front,
    hand_in,
    letter_of,
    open_without_analysis,
    pick,
    region,
    regions,
    round_or_end,
)

from warlight_env import Game, battle_odds
from warlight_env.record import GameLog, verify
from web_helpers import YOU, Server, serving

pytestmark = PAGE


def test_user_plays_a_complete_game_by_mouse(server: Server, open_page: Callable[..., Any]):
    game_server = server.begin(seed=14)  # eight rounds
    page = open_without_analysis(open_page, game_server.address)
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
    log = GameLog.load(game_server.folder / f"{game_server.game}.wl.jsonl")
    assert log.complete
    assert verify(log) == []
    assert any(step.orders[0] and step.orders[0].attacks for step in log.rounds)


def test_user_plays_a_complete_game_by_keyboard_alone(server: Server, open_page: Callable[..., Any]):
    game_server = server.begin(YOU, {"name": "Bo"}, seed=6)
    bo, place = server.client(game_server.token(1)), f"games/{game_server.game}"
    with server.feed(game_server.game, game_server.token(1)) as feed:
        assert bo.post(f"{place}/picks", json={"wishes": feed.now(phase="pick")["you"]["offers"][:2]}).is_success
    page = open_without_analysis(open_page, server.page(f"g/{game_server.game}?key0={game_server.token(0)}"))
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
    for number in (1, 2, 3):
        page.locator(f".round:has-text('Round {number}')").wait_for()
        page.locator(".phases").wait_for()
        assert bo.post(f"{place}/orders", json={"round": number, "deploys": [], "attacks": []}).is_success
        source, target = front(page, game_map, regions(page))
        codes = {r.name: r.code.lower() for r in game_map.regions}
        if number == 1:  # orders by letters
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
        else:  # orders as text
            keys.press(":")
            income = page.locator(".phases button").first.inner_text().rpartition("/")[2]
            army = next(r["armies"] for r in regions(page) if r["name"] == source) + int(income) - 1
            keys.type(f"d {codes[source]} {income}; a {codes[source]} {codes[target]} {army}")
            keys.press("Enter")
        page.locator("li.attack").wait_for()
        keys.press("Control+Enter")
    page.locator(".round:has-text('Round 4')").wait_for()
    assert bo.post(f"{place}/resign").is_success
    page.locator(".result", has_text="You win after").wait_for()
    log = GameLog.load(game_server.folder / f"{game_server.game}.wl.jsonl")
    assert log.complete and all(step.orders[0].attacks for step in log.rounds)


def test_page_continues_after_the_server_is_killed_and_restarted(tmp_path: Path, open_page: Callable[..., Any]):
    line = ("play", "--vs", "random", "--map", "small", "--seed", "8")
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
        # the page gets no list of bots for hints
        page.route("**/api/home", lambda route: route.abort("connectionrefused"))
        page.reload()  # the draft also survives a reload
        page.get_by_role("button", name=re.compile("Deploy.*3.5")).wait_for()
        with page.expect_response("**/api/home"):  # the page repeats the request
            page.unroute("**/api/home")
        hand_in(page)
        round_or_end(page, 3)
    log = GameLog.load(tmp_path / f"{first.game}.partial.wl.jsonl")
    assert [sum(n for _, n in r.orders[0].deploys) for r in log.rounds] == [0, 3]


def test_page_continues_from_the_restored_round_after_the_server_lost_one(
    tmp_path: Path, open_page: Callable[..., Any]
):
    line = ("play", "--vs", "random", "--map", "small", "--seed", "8")
    with serving(tmp_path, *line) as first:
        port = int(first.base.rpartition(":")[2])
        page = open_page(first.address)
        pick(page)
        for number in (1, 2):
            page.locator(f".round:has-text('Round {number}')").wait_for()
            page.locator(".phases").wait_for()
            hand_in(page)
        page.locator(".round:has-text('Round 3')").wait_for()
        first.kill()
    log = tmp_path / f"{first.game}.partial.wl.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    last = max(i for i, text in enumerate(lines) if b'"round":2' in text)
    log.write_bytes(b"".join(lines[:last]))  # a power failure can leave such a log
    (tmp_path / f"{first.game}.turns.json").unlink()  # with this file, the server would play the round again
    with serving(tmp_path, *line, port=port):
        page.locator(".round:has-text('Round 2')").wait_for()
        page.locator(".where:has-text('After round 1')").wait_for()
        page.keyboard.press("Home")  # keys apply to the current game, not to the lost rounds
        page.locator(".where:has-text('Start of the game')").wait_for()
        page.keyboard.press("End")
        page.locator(".phases").wait_for()
        hand_in(page)
        page.locator(".round:has-text('Round 3')").wait_for()
        page.locator(".where:has-text('After round 2')").wait_for()
    assert verify(GameLog.load(log)) == []


def test_page_corrects_impossible_amounts_and_shows_the_result(server: Server, open_page: Callable[..., Any]):
    game_server = server.begin(seed=8, picks="random")
    page = open_page(game_server.address)
    page.locator(".phases").wait_for()
    source, target = front(page, Game("small").map, regions(page))
    region(page, source).focus()
    page.keyboard.press("Shift+Enter")
    deploy_field = page.get_by_label(f"Armies deployed on {source}")
    income = deploy_field.input_value()
    for text, corrected in (("99", income), ("2.7", "2"), ("99", income)):
        deploy_field.fill(text)
        deploy_field.blur()
        assert deploy_field.input_value() == corrected
    page.keyboard.press(":")
    codes = {r.name: r.code.lower() for r in Game("small").map.regions}
    page.keyboard.type(f"a {codes[source]} {codes[target]} 3")
    page.keyboard.press("Enter")
    attack_field = page.get_by_label(f"Armies from {source} to {target}")
    for text, corrected in (("0", "3"), ("", "3"), ("4.5", "4")):
        attack_field.fill(text)
        attack_field.blur()
        assert attack_field.input_value() == corrected
    page.keyboard.press("Control+Enter")
    page.locator(".round:has-text('Round 2')").wait_for()


def start_first_turn(page: Any) -> tuple[str, str, dict[str, int], dict[str, str]]:
    """Return a region, its weakest neighbour, armies by name, and lower-case codes by name, at the first turn."""
    page.locator(".phases").wait_for()
    page_regions, game_map = regions(page), Game("small").map
    source, target = front(page, game_map, page_regions)
    return (
        source,
        target,
        {r["name"]: r["armies"] for r in page_regions},
        {r.name: r.code.lower() for r in game_map.regions},
    )


def test_amount_keys_set_an_amount_up_to_the_available_armies(server: Server, open_page: Callable[..., Any]):
    game_server = server.begin(seed=8, picks="random")
    page = open_page(game_server.address)
    source, target, armies, codes = start_first_turn(page)
    card = page.locator(".region dl")
    attack_field = page.get_by_label(f"Armies from {source} to {target}")
    page.keyboard.press(":")
    page.keyboard.type(f"d {codes[source]} 5; a {codes[source]} {codes[target]} 1")
    page.keyboard.press("Enter")
    page.get_by_role("button", name=re.compile(f"{source}.*{target}")).first.click()
    most = armies[source] + 5 - 1
    for text, expected in (("3", 3), ("*", most), ("4", 4), ("=", None), ("2", 2), ("99", most)):
        page.keyboard.type(text)
        now = int(attack_field.input_value())
        assert now == expected if expected else battle_odds(now, armies[target]).capture >= 0.95
        assert f"{100 * battle_odds(now, armies[target]).capture:.1f}\N{NO-BREAK SPACE}%" in card.inner_text()
    page.get_by_label(f"Remove the deploy on {source}").click()  # now fewer armies are available than ordered
    assert int(attack_field.input_value()) == most
    page.get_by_role("button", name=re.compile(f"{source}.*{target}")).first.click()
    available = armies[source] - 1
    assert f"{100 * battle_odds(available, armies[target]).capture:.1f}\N{NO-BREAK SPACE}%" in card.inner_text()
    assert battle_odds(available, armies[target]).capture < 0.95
    assert f"you can send only {available}" in card.inner_text()
    assert page.get_by_role("button", name="95 %").is_disabled()
    page.locator("h1").first.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("=")
    page.get_by_role("status").get_by_text("Too few armies for 95 %").wait_for()
    page.keyboard.press("1")
    page.get_by_role("status").get_by_text("Too few armies for 95 %").wait_for(state="detached")


def test_win_probability_belongs_to_the_shown_position_or_is_unavailable(server: Server, open_page: Callable[..., Any]):
    game_server = server.begin(YOU, "aggressive", seed=8, picks="random")
    page = open_page()
    page.add_init_script("localStorage['warlight.engine'] = 'aggressive'")  # a fast bot for the hint
    page.goto(game_server.address)
    page.get_by_role("button", name="Hint: off").wait_for()  # before, the page ignores the key
    page.keyboard.press("h")
    chance = page.get_by_role("region", name="Win probability")
    chance.get_by_text(re.compile(r"\d+\s% \(\d+–\d+\s%\)")).wait_for()
    chance.get_by_text("You, at the start").wait_for()
    page.keyboard.press("h")
    page.keyboard.press("h")  # hints are off: the page requests no further estimates
    hand_in(page)
    round_or_end(page, 2)
    chance.get_by_text("unavailable for this position").wait_for()
    chance.get_by_text("You, after round 1").wait_for()
    page.keyboard.press("Home")
    chance.get_by_text(re.compile(r"\d+\s% \(\d+–\d+\s%\)")).wait_for()
    chance.get_by_text("You, at the start").wait_for()


def test_page_ignores_invalid_stored_drafts(server: Server, open_page: Callable[..., Any]):
    game_server = server.begin(seed=8, picks="random")
    page = open_page(game_server.address)
    page.locator(".phases").wait_for()
    key = f"warlight.draft.{game_server.game}.0.1"
    home = page.locator("path.own").first.get_attribute("data-region")
    invalid = ('{"deploys":5}', "{}", "[]", "nonsense", '{"deploys":[[999,1]],"attacks":[]}')
    for draft in (*invalid, f'{{"deploys":[[{home},1]],"attacks":[]}}'):
        page.evaluate("location.hash = '#/'")  # leaves the game without loading the page again
        page.get_by_role("button", name="Play now").wait_for()
        page.evaluate("([key, draft]) => localStorage.setItem(key, draft)", [key, draft])
        page.go_back()
        page.get_by_role("button", name=re.compile(f"Deploy.*{0 if draft in invalid else 1}.5")).wait_for()


def test_new_games_without_a_seed_are_random(server: Server, open_page: Callable[..., Any]):
    page = open_page(server.page())
    map_shapes = []
    for _ in range(2):
        page.get_by_role("combobox", name="Map").select_option("generated")
        page.get_by_role("region", name="Opponents").get_by_role("button", name=re.compile("^Pip ")).click()
        page.get_by_role("spinbutton", name="Regions").fill("12")
        page.get_by_label("Seed").fill("7")
        page.get_by_label("Seed").fill("")
        page.get_by_role("button", name="Play now").click()
        page.get_by_text(re.compile("Pick 2 regions: 2 left|You start in both regions")).first.wait_for()
        map_shapes.append(page.locator("path[data-region]").evaluate_all("all => all.map(e => e.getAttribute('d'))"))
        page.go_back()
    assert map_shapes[0] != map_shapes[1]


def test_page_reports_an_incomplete_answer(server: Server, open_page: Callable[..., Any]):
    page = open_page()
    page.route("**/api/home", lambda route: route.fulfill(content_type="application/json", body='{"version":'))
    page.goto(server.page())
    page.get_by_text("the server closed the connection before its answer was complete").wait_for()


def test_order_sends_the_armies_that_earlier_orders_leave(server: Server, open_page: Callable[..., Any]):
    game_server = server.begin(seed=8, picks="random")
    page = open_page(game_server.address)
    source, target, armies, codes = start_first_turn(page)
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
