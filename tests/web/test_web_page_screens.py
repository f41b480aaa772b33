"""Every screen in both colour themes: axe finds no problem, and no element is wider than the screen."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from page_helpers import (
    PAGE,
    PHONE,
    STILL,
    axe_finds,
    bot_log,
    front,
    idle_log,
    letter_of,
    pick,
    region,
    regions,
    round_or_end,
)

from warlight_env import Game
from warlight_env.agents.registry import make_agent
from warlight_env.arena.games.game_loop import ask_orders
from warlight_env.record import MemoryRecorder
from warlight_env.web.export import write_html
from warlight_env.web.workers.game_report import report_of
from web_helpers import YOU, Server

pytestmark = PAGE


def screens(server: Server, cup: str, page: Any, tmp_path: Path) -> Iterator[str]:
    """Show the screens in turn; yield their names."""
    page.goto(server.page())
    page.get_by_role("button", name="Play now").wait_for()
    page.wait_for_timeout(100)
    yield "home"
    page.goto(server.begin(YOU, "aggressive", seed=5).address)
    page.get_by_text("Pick 2 regions: 2 left").wait_for()
    yield "picks"
    pick(page)
    page.locator(".phases").wait_for()
    for number in (1, 2):
        source, target = front(page, Game("small").map, regions(page))
        region(page, source).focus()
        page.keyboard.press("Shift+Enter")
        page.get_by_text("All armies are deployed").wait_for()
        page.keyboard.press("a")
        page.keyboard.press(letter_of(page, source))
        page.get_by_text(f"From {source}: press the letter of the target").wait_for()
        page.keyboard.press(letter_of(page, target))
        page.locator("li.attack").wait_for(state="attached")  # on a narrow screen it is in a folded sheet
        if number == 2:
            page.keyboard.press("h")
            page.keyboard.press("h")
            page.locator("[aria-label='Candidates of Hint']").wait_for(state="attached")
            yield "play"
            page.keyboard.press("t")
            page.get_by_role("region", name="Table of regions").wait_for()
            yield "table"
            page.keyboard.press("t")
            page.keyboard.press("?")
            page.get_by_role("heading", name="Keys").wait_for()
            yield "keys"
            page.keyboard.press("Escape")
        page.keyboard.press("Control+Enter")
        round_or_end(page, number + 1)
    with server.client() as client:
        game_request = {"players": [{"name": "Ann"}, {"name": "Bo"}], "fog": True}
        game = client.post("games", json=game_request).json()
        tokens = "&".join(f"key{seat}={token}" for seat, token in game["tokens"].items())
        page.goto(server.page(f"g/{game['id']}?{tokens}"))
        page.get_by_role("heading", name="Pass to Ann").wait_for()
        yield "hotseat"
        page.goto(server.page())
        page.get_by_role("button", name="+ Friend").click()
        page.get_by_label("Name of the friend on seat 3").fill("Bo")
        page.get_by_role("combobox", name="Time for a turn").select_option("5 minutes")
        page.get_by_role("button", name="Play now").click()
        page.get_by_text("1 friend is not here yet").first.wait_for(state="attached")
        yield "together"
        watch_request = {
            "players": [{"bot": "mcts:sims=457"}, {"bot": "aggressive"}],
            "picks": "random",
            "pace": 0.3,
            "seed": 3,
        }
        game = client.post("games", json=watch_request).json()
        page.goto(server.page(f"g/{game['id']}?key={game['watch']}"))
        page.locator(".where", has_text=re.compile(r"[Rr]ound ([3-9]|\d\d)")).wait_for()
        page.get_by_role("button", name="Pause the bots").click()
        page.get_by_role("button", name="Continue").wait_for()
        yield "watch"
    file = tmp_path / "replay.html"
    write_html(bot_log("world", 12, 5, fog=True), file)
    page.goto(f"{file.as_uri()}?#/?round=9&order=4")
    page.locator("path[data-region]").first.wait_for()
    yield "replay"
    log, file = idle_log(4), tmp_path / "analysed.html"
    write_html(log, file, report=report_of(log, "aggressive", rolls=8).to_dict())
    page.goto(f"{file.as_uri()}?#/?round=0")
    page.locator("path[data-region]").first.wait_for()
    page.keyboard.press("b")
    page.locator("g.best, g.addition").first.wait_for(state="attached")
    yield "analysis"
    page.goto(server.page(f"t/{cup}?agent=Attila&against=army"))
    page.get_by_role("link", name="Replay of game").first.wait_for()
    yield "tournament"


@contextmanager
def on_a_phone(page: Any) -> Iterator[None]:
    """Show the page as on a phone: narrow, and with touch input only."""
    fingers = page.context.new_cdp_session(page)
    for enabled, size in ((True, PHONE["viewport"]), (False, STILL["viewport"])):
        fingers.send("Emulation.setTouchEmulationEnabled", {"enabled": enabled})
        page.set_viewport_size(size)
        page.wait_for_timeout(150)
        if enabled:
            yield


def test_axe_finds_nothing_on_any_screen_in_both_themes(
    server: Server, cup: str, tmp_path: Path, open_page: Callable[..., Any]
):
    """If WARLIGHT_PICTURES names a folder, the test writes screenshots of all screens to it."""
    pictures = os.environ.get("WARLIGHT_PICTURES")
    page = open_page(color_scheme="dark", bypass_csp=True)
    page.add_init_script("localStorage['warlight.engine'] = 'mcts:sims=457'")  # a fast bot for the hint
    problems, screen_names = [], []
    for name in screens(server, cup, page, tmp_path):
        screen_names.append(name)
        for theme in ("dark", "light"):
            page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
            if pictures:
                page.evaluate("scrollTo(0, 0)")
                page.screenshot(path=Path(pictures) / f"{name}-{theme}.png")
                with on_a_phone(page):
                    page.screenshot(path=Path(pictures) / f"{name}-{theme}-phone.png", full_page=name != "keys")
            problems += [(name, theme, *problem) for problem in axe_finds(page, theme == "light")]
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert len(screen_names) == 11
    assert problems == []


def test_axe_finds_nothing_in_long_lists_with_equal_names(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    game, recorder = Game("world", seed=4, picks="random"), MemoryRecorder(insight=True)
    bots = [make_agent("mcts:sims=10", seed) for seed in (1, 2)]
    recorder.began(game, bots, 500)
    while game.round < 4:
        orders = ask_orders(game, bots)
        recorder.played(orders, game.play_round(orders, on_illegal="skip"), game)
    file = tmp_path / "replay.html"
    write_html(recorder.log, file, chances=False)
    page = open_page(file.as_uri(), viewport={"width": 768, "height": 1024}, bypass_csp=True)
    page.locator("path[data-region]").first.wait_for()
    assert axe_finds(page) == []
    game_request = {"players": [{"name": "You"}, {"bot": "random"}], "map": "small", "picks": "random", "seed": 4}
    created = server.client().post("games", json=game_request).json()
    place = f"g/{created['id']}?key0={created['tokens']['0']}"
    page.goto(server.page(place))
    page.locator(".phases").wait_for()
    small = Game("small").map
    codes = {r.name: r.code.lower() for r in small.regions}
    own_region = next(r["name"] for r in regions(page) if r["who"] == "yours")
    own = next(number for number, r in enumerate(small.regions) if r.name == own_region)
    neighbour = small.regions[small.neighbors[own][0]].name
    page.keyboard.press(":")
    page.keyboard.insert_text("; ".join([f"a {codes[own_region]} {codes[neighbour]} 1"] * 12))
    page.keyboard.press("Enter")
    page.get_by_role("button", name="3 Review").click()
    assert axe_finds(page) == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_nothing_is_wider_than_the_screen(
    width: int, server: Server, cup: str, tmp_path: Path, open_page: Callable[..., Any]
):
    page = open_page(viewport={"width": width, "height": 740})
    for name in screens(server, cup, page, tmp_path):
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
