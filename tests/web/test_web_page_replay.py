"""Replays in the browser: as files without a network, step by step, in notebooks, and with the analysis of a bot."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from page_helpers import PAGE, bot_log, names_of, regions

from warlight_env import Game
from warlight_env.agents.registry import make_agent
from warlight_env.arena.games.game_loop import play_game
from warlight_env.cli import main
from warlight_env.record import MemoryRecorder
from warlight_env.web.export import framed, write_html
from web_helpers import serving

pytestmark = PAGE


def test_an_exported_replay_opens_offline_and_steps_by_arrow_key(tmp_path: Path, open_page: Callable[..., Any]):
    log = bot_log(rounds=8)
    log.save(tmp_path / "game.wl.jsonl")
    file = tmp_path / "replay.html"
    assert main(["replay", str(tmp_path / "game.wl.jsonl"), "--html", str(file), "-q"]) == 0
    page = open_page(offline=True)
    requested_urls: list[str] = []
    page.on("request", lambda r: requested_urls.append(r.url))
    page.goto(f"{file.as_uri()}?#/?round=0")
    page.locator("path[data-region]").first.wait_for()

    def shown_armies() -> list[int]:
        return [r["armies"] for r in regions(page)]

    positions = list(log.positions())
    assert shown_armies() == list(positions[0][1])
    page.keyboard.press("ArrowRight")
    assert shown_armies() != list(positions[0][1])
    page.keyboard.press("Home")
    for number in range(1, len(log.rounds) + 1):
        page.keyboard.press("Shift+ArrowRight")
        assert shown_armies() == list(positions[number][1])
        assert f"round={number}" in page.url
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    assert shown_armies() == list(positions[-1][1])
    assert page.locator("[aria-label='Win probability'] svg").count() == 1
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("round=3"))
    candidates = page.locator("[aria-label^='Candidates of'] tbody tr").count()
    insight = log.rounds[2].insights[0].data
    assert candidates == min(12, len(insight["candidates"]))
    assert [url for url in requested_urls if not url.startswith(("file:", "data:"))] == []


def test_orders_of_a_round_lead_from_one_position_to_the_next(tmp_path: Path, open_page: Callable[..., Any]):
    log = bot_log(rounds=6)
    file = tmp_path / "replay.html"
    write_html(log, file, chances=False)
    page = open_page(file.as_uri())
    page.keyboard.press("Home")
    owner, army = map(list, next(iter(log.positions())))
    for number, round_ in enumerate(log.rounds, 1):
        page.keyboard.press("ArrowRight")
        for deploy in round_.deploys:
            army[deploy.region] += deploy.armies
        for event in round_.events:
            assert [r["armies"] for r in regions(page)] == army, (number, event)
            page.keyboard.press("ArrowRight")
            army[event.source] -= event.armies if event.kind == "transfer" or event.captured else event.attackers_lost
            if event.kind == "transfer":
                army[event.target] += event.armies
            elif event.captured:
                owner[event.target], army[event.target] = event.player, event.armies - event.attackers_lost
            else:
                army[event.target] = max(1, army[event.target] - event.defenders_lost)
        assert [r["armies"] for r in regions(page)] == army == list(list(log.positions())[number][1])


def test_notebook_displays_a_game(tmp_path: Path, open_page: Callable[..., Any]):
    game = Game("small", seed=1, picks="random")
    game.play_round([None, None])
    text = game._repr_html_()
    assert text == framed(game)
    (tmp_path / "notebook.html").write_text(f"<!doctype html><title>n</title>{text}")
    page = open_page((tmp_path / "notebook.html").as_uri())
    frame = page.frame_locator("iframe")
    frame.locator("path[data-region]").first.wait_for()
    assert frame.locator("path[data-region]").count() == game.map.n_regions


def test_file_can_be_analysed_after_a_restart_of_the_server(tmp_path: Path, open_page: Callable[..., Any]):
    log = bot_log(rounds=8)
    file = tmp_path / "game.wl.jsonl.gz"
    log.save(file)
    with serving(tmp_path / "games", "play", "--vs", "random", "--map", "small") as first:
        port = int(first.base.rpartition(":")[2])
        page = open_page()
        page.add_init_script("localStorage['warlight.engine'] = 'aggressive'")  # a fast bot for the analysis
        page.goto(first.page())
        page.get_by_label("Log of a game").set_input_files(file)
        page.wait_for_url(re.compile("#/file"))
        page.locator("path[data-region]").first.wait_for()
        page.keyboard.press("2")
        page.keyboard.press("Enter")
        page.locator(".where", has_text="Round 2 of").wait_for()
        analysis = page.get_by_role("region", name="Analysis")
        analysis.get_by_role("heading", name="Round 2").wait_for()
        analysis.get_by_text("simulated games for the value of each turn").wait_for(state="attached", timeout=120_000)
        page.go_back()  # to the start page, which had no separate address
        page.get_by_role("button", name="Play now").wait_for()
        # the server stops before it sends the list of bots
        page.route("**/api/home", lambda route: route.abort("connectionrefused"))
        page.go_forward()
        page.locator("path[data-region]").first.wait_for()
    with serving(tmp_path / "games", "play", "--vs", "random", "--map", "small", port=port):
        page.unroute("**/api/home")
        page.get_by_role("combobox", name="Perspective").select_option("2")
        page.keyboard.press("5")
        page.keyboard.press("Enter")
        page.locator(".where", has_text="Round 5 of").wait_for()
        analysis.get_by_role("heading", name="Round 5").wait_for()
        analysis.get_by_text("simulated games for the value of each turn").wait_for(state="attached", timeout=120_000)
        page.get_by_role("button", name="Play on from here").click()
        page.locator(".phases").wait_for()
        page.locator(".round", has_text="Round 6").wait_for()
        page.locator(".player", has_text="You").wait_for()
        page.reload()
        page.goto(f"{first.base.rpartition(':')[0]}:{port}/#/file")
        page.get_by_text("This file is no longer open").wait_for()


def test_status_describes_each_order_and_the_result_at_the_end(tmp_path: Path, open_page: Callable[..., Any]):
    recorder = MemoryRecorder()
    play_game([make_agent("aggressive", 1), make_agent("random", 1)], "small", seed=3, observer=recorder)
    log = recorder.log
    file = tmp_path / "replay.html"
    write_html(log, file, chances=False)
    page = open_page(f"{file.as_uri()}#/?round=2&order=2")
    status = page.locator("p.status")
    event, regions_ = log.rounds[1].events[0], log.header.map.regions
    assert status.inner_text().startswith(f"{names_of(log)[event.player]} ")
    assert regions_[event.target].name in status.inner_text()
    assert page.locator(".result").count() == 0
    page.keyboard.press("End")
    result = f"{names_of(log)[log.end.winner]} wins after {log.end.rounds} rounds"
    assert status.inner_text() == page.locator(".result b").inner_text() == result


def test_invalid_address_opens_the_nearest_valid_position(tmp_path: Path, open_page: Callable[..., Any]):
    file = tmp_path / "replay.html"
    log = bot_log(rounds=6)
    write_html(log, file, chances=False)
    page = open_page(f"{file.as_uri()}#/?round=99")
    for query, number in (
        ("round=99", 6),
        ("round=abc", 0),
        ("round=2.9", 2),
        ("round=-3", 0),
        ("round=1e9&view=x", 6),
    ):
        page.evaluate("hash => { location.hash = hash }", f"#/?{query}")
        page.locator(".where", has_text=f"After round {number} of 6" if number else "Start of the game").wait_for()
    page.evaluate("location.hash = '#/?round=4&order=1'")
    page.locator(".where", has_text="Round 4 of 6").wait_for()
    assert page.locator(".step[aria-current='step']").get_attribute("aria-label") == "Deploys"
    page.evaluate("location.hash = '#/%E0%A4%A'")
    assert page.locator("path[data-region]").count() == log.header.map.n_regions


def test_timeline_in_fog_reports_only_real_eliminations_and_losses(tmp_path: Path, open_page: Callable[..., Any]):
    log = bot_log("world", rounds=40, seed=2, fog=True)
    file = tmp_path / "replay.html"
    write_html(log, file, seat=0)
    page = open_page(file.as_uri())
    page.locator("path[data-region]").first.wait_for()
    slider, titles = page.locator(".track input"), []
    line = slider.bounding_box()
    for tick in page.locator(".ticks .event").all():
        box = tick.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, line["y"] + line["height"] / 2)
        titles.append(slider.get_attribute("title").removeprefix("Round "))
    positions = list(log.positions())
    members, names = log.header.map.members, names_of(log)
    eliminated = {
        number: {names[p] for p in range(2) if p in before[0] and p not in after[0]}
        for number, (before, after) in enumerate(itertools.pairwise(positions), 1)
    }
    assert len(titles) > 5
    for text in titles:
        number, _, marks = text.partition(": ")
        owner_before, owner_after = positions[int(number) - 1][0], positions[int(number)][0]
        for mark in marks.split(", "):
            if mark.endswith(" is out"):
                assert mark.removesuffix(" is out") in eliminated[int(number)]
            elif " loses " in mark:
                name, _, bonus_name = mark.partition(" loses ")
                s = next(i for i, x in enumerate(log.header.map.super_regions) if x.name == bonus_name)
                p = names.index(name)
                assert all(owner_before[r] == p for r in members[s])
                assert any(owner_after[r] != p for r in members[s])
