"""The list of moves beside the map: its entries, its links, and the arrows of an entry on the map."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from page_helpers import PAGE, bot_log, front, hand_in, names_of, regions, round_or_end

from warlight_env import Game
from warlight_env.web.export import write_html
from web_helpers import Server

pytestmark = PAGE


def lines(page: Any) -> list[str]:
    return page.locator("[aria-label='Moves'] .line").evaluate_all("all => all.map(e => e.getAttribute('aria-label'))")


def test_moves_of_a_replay_are_listed_linked_drawn_and_filtered(tmp_path: Path, open_page: Callable[..., Any]):
    log = bot_log(rounds=12)
    file = tmp_path / "replay.html"
    write_html(log, file, chances=False)
    page = open_page(f"{file.as_uri()}#/?round=3")
    name = [r.name for r in log.header.map.regions]
    moves = page.get_by_role("region", name="Moves")
    moves.locator(".round").nth(11).wait_for()
    third = log.rounds[2]
    deploys = [f"{names_of(log)[d.player]} deploys {d.armies} on {name[d.region]}" for d in third.deploys]
    assert lines(page)[: len(deploys)] == deploys
    assert len(lines(page)) == len(deploys) + len(third.events)
    attack = next(k for k, event in enumerate(third.events) if event.kind != "transfer")
    event = third.events[attack]
    line_start = (
        f"{names_of(log)[event.player]} attacks {name[event.target]} from {name[event.source]} with {event.armies}: "
    )
    row = moves.locator(".line").nth(len(deploys) + attack)
    assert row.get_attribute("aria-label").startswith(line_start)
    page.locator("g.ghost").first.wait_for(state="detached")
    row.hover()
    page.locator("g.ghost").first.wait_for(state="attached")
    row.click()
    page.wait_for_url(
        re.compile(f"round=3.*order={attack + 2}") if attack + 1 < len(third.events) else re.compile("round=3")
    )
    assert page.locator("p.status").inner_text() == row.get_attribute("aria-label")
    assert row.get_attribute("aria-current") == "step"
    moves.get_by_role("button", name=re.compile("^Round 7")).click()
    page.locator(".where", has_text="After round 7 of 12").wait_for()
    page.get_by_label("Moves of").select_option(names_of(log)[1])
    assert lines(page)
    assert all(line.startswith(f"{names_of(log)[1]} ") for line in lines(page))
    page.get_by_label("Moves of").select_option("all players")
    r = log.rounds[0].events[0].target
    page.get_by_label("Moves at").select_option(log.header.map.regions[r].name)
    expected_count = sum(
        sum(d.region == r for d in round_.deploys) + sum(r in (e.source, e.target) for e in round_.events)
        for round_ in log.rounds
    )
    assert len(lines(page)) == expected_count > 0


def test_moves_of_a_running_game_list_the_last_round(server: Server, open_page: Callable[..., Any]):
    game_server = server.begin(seed=8, picks="random")
    page = open_page(game_server.address)
    page.locator(".phases").wait_for()
    assert page.get_by_role("region", name="Moves").count() == 0
    game_map = Game("small").map
    source, target = front(page, game_map, regions(page))
    codes = {r.name: r.code.lower() for r in game_map.regions}
    page.keyboard.press(":")
    page.keyboard.type(f"d {codes[source]} 2; a {codes[source]} {codes[target]} 2")
    page.keyboard.press("Enter")
    hand_in(page)
    round_or_end(page, 2)
    page.locator("[aria-label='Moves'] .line").first.wait_for()
    assert f"You deploy 2 on {source}" in lines(page)
    assert any(line.startswith(f"You attack {target} from {source} with 2: lose ") for line in lines(page))
    page.keyboard.press("Shift+ArrowLeft")
    page.locator("p.status").get_by_text("Start of the game: an earlier position. Live shows the present.").wait_for()
    commit = page.get_by_role("button", name="Commit")
    assert commit.get_attribute("title") == "The map shows an earlier round: press Live"
    page.get_by_role("button", name="● Live").click()
    page.locator("p.status").get_by_text("Deploy 5 more").wait_for()
