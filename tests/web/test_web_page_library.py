"""The library on the page: search, names, sharing, deletion, and lists that are longer than the screen."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from game_folder_helpers import add_game, game_log
from page_helpers import PAGE, axe_finds, open_without_analysis

from warlight_env.record import GameLog
from web_helpers import Server, serving

pytestmark = PAGE

SIZES = [*(pytest.param(size, marks=pytest.mark.slow) for size in ((1280, 800), (820, 1180))), (360, 740)]
MANY = 130  # the number of similar games: more than a screen shows


@cache
def plain_game() -> GameLog:
    log = game_log([("Ann", None), ("Attila", "aggressive")], 60)
    assert log.complete
    return log


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with many games that differ only in names and times, and with two other games."""
    place = tmp_path_factory.mktemp("games")
    plain = plain_game()
    for number in range(MANY):
        add_game(place, f"plain{number:05d}", plain, 1_700_000_000 + number)
    three = game_log([("Zoe", None), ("Bo", None), ("Pip", "random")], 3)
    add_game(place, "threeplay", three, 1_600_000_000)
    bots = game_log([("Momo", "smart_random"), ("Pip", "random")], 40, "world")
    add_game(place, "botsplay0", bots, 1_600_000_100, "The cup")
    return place


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    with serving(folder, "play", "--vs", "random", "--map", "small") as running:
        yield running


def open_library(server: Server, open_page: Callable[..., Any], place: str = "games", **options: Any) -> Any:
    """Open the library in a browser that has the keys of all games with people."""
    page = open_without_analysis(open_page, server.page(), **options)
    ids = [f"plain{number:05d}" for number in range(MANY)]
    keys = {id: {"0": f"token-of-{id}-0"} for id in (*ids, "threeplay")}
    keep = "([id, keys]) => { localStorage[`warlight.keys.${id}`] = JSON.stringify(keys) }"
    page.evaluate(f"all => Object.entries(all).forEach({keep})", keys)
    page.goto(server.page(place))
    page.locator("main li").first.wait_for()
    return page


def card(page: Any, name: str) -> Any:
    return page.get_by_role("listitem", name=name)


def wait_for_total(page: Any, text: str) -> None:
    page.get_by_role("status").get_by_text(text, exact=True).wait_for()


@pytest.mark.parametrize("size", SIZES)
def test_user_finds_and_opens_games(size: tuple[int, int], server: Server, open_page: Callable[..., Any]):
    page = open_library(server, open_page, viewport={"width": size[0], "height": size[1]})
    wait_for_total(page, f"{MANY + 2} games")
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    page.get_by_label("Search").fill("zoe sma")
    wait_for_total(page, f"1 of {MANY + 2} games")
    assert "not finished" in card(page, "Zoe – Bo – Pip").inner_text()
    assert "text=zoe+sma" in page.url
    page.reload()
    wait_for_total(page, f"1 of {MANY + 2} games")
    page.get_by_label("Search").fill("")
    page.get_by_role("combobox", name="Player").select_option("Pip")
    page.get_by_role("combobox", name="State").select_option("over")
    wait_for_total(page, f"1 of {MANY + 2} games")
    assert "Momo won" in card(page, "The cup").inner_text()
    page.get_by_role("combobox", name="Result").select_option("won")
    page.get_by_text("No game matches.").wait_for()
    page.get_by_role("combobox", name="Result").select_option("lost")
    page.get_by_role("button", name="Replay The cup").click()
    page.locator("path[data-region]").first.wait_for()


def test_long_list_loads_in_parts(server: Server, open_page: Callable[..., Any]):
    page = open_library(server, open_page)
    wait_for_total(page, f"{MANY + 2} games")
    assert page.locator("main li").count() < MANY
    for _ in range(40):
        page.mouse.wheel(0, 4000)
        page.wait_for_timeout(50)
        if page.locator("main li").count() == MANY + 2:
            break
    labels = page.locator("main li").evaluate_all("all => all.map(e => e.getAttribute('aria-label'))")
    assert labels == ["Ann – Attila"] * MANY + ["The cup", "Zoe – Bo – Pip"]
    assert page.get_by_role("button", name="Show more").count() == 0


def test_user_renames_shares_and_deletes_a_game(
    server: Server, folder: Path, tmp_path: Path, open_page: Callable[..., Any]
):
    newest = f"plain{MANY - 1:05d}"
    add_game(folder, newest, plain_game(), 1_700_000_000 + MANY - 1)  # an interrupted attempt may have renamed the game
    page = open_library(server, open_page)
    first = page.locator("main li").first
    first.get_by_role("button", name="More with").click()
    rename, focused = first.get_by_role("button", name="Rename"), first.locator("input:focus")
    rename.click()
    focused.wait_for()
    page.keyboard.type("A far one")
    page.keyboard.press("Escape")
    rename.click()
    focused.wait_for()
    page.keyboard.type("A close one")
    page.keyboard.press("Enter")
    card(page, "A close one").wait_for()
    rename.click()
    focused.wait_for()
    page.keyboard.type("The close one")  # the old name is selected
    page.keyboard.press("Enter")
    card(page, "The close one").wait_for()
    assert json.loads((folder / f"{newest}.seats.json").read_text())["name"] == "The close one"
    with page.expect_download() as download:
        card(page, "The close one").get_by_role("button", name="Download the log").click()
    assert download.value.suggested_filename == "The-close-one.wl.jsonl.gz"
    download.value.save_as(tmp_path / "log.wl.jsonl.gz")
    assert GameLog.load(tmp_path / "log.wl.jsonl.gz").complete
    assert gzip.decompress((tmp_path / "log.wl.jsonl.gz").read_bytes()) == (folder / f"{newest}.wl.jsonl").read_bytes()
    with page.expect_download() as download:
        card(page, "The close one").get_by_role("button", name="Share as one file").click()
    assert download.value.suggested_filename == "The-close-one.html"
    download.value.save_as(tmp_path / "shared.html")
    shared = open_page()
    shared.context.set_offline(True)
    shared.goto((tmp_path / "shared.html").as_uri())
    shared.locator("path[data-region]").first.wait_for()
    shared.get_by_text("An offline file without a report has no analysis").wait_for()
    card(page, "The close one").get_by_role("button", name="Delete …").click()
    card(page, "The close one").get_by_role("button", name="Keep").click()
    assert (folder / f"{newest}.wl.jsonl").exists()
    card(page, "The close one").get_by_role("button", name="Delete …").click()
    card(page, "The close one").get_by_role("button", name="Delete", exact=True).click()
    card(page, "The close one").wait_for(state="detached")
    assert list(folder.glob(f"{newest}*")) == []
    assert page.evaluate(f"localStorage['warlight.keys.{newest}'] ?? null") is None


def test_unfinished_games_are_not_shared_and_foreign_games_have_no_buttons(
    server: Server, open_page: Callable[..., Any]
):
    page = open_library(server, open_page, "games?text=zoe")
    card(page, "Zoe – Bo – Pip").get_by_role("button", name="More with").click()
    assert card(page, "Zoe – Bo – Pip").get_by_role("button", name="Share as one file").is_disabled()
    page.evaluate("localStorage.removeItem('warlight.keys.threeplay')")
    page.reload()
    card(page, "Zoe – Bo – Pip").get_by_text("played in another browser").wait_for()
    assert card(page, "Zoe – Bo – Pip").get_by_role("button").count() == 0


def test_axe_finds_nothing_in_the_library(server: Server, open_page: Callable[..., Any]):
    page = open_library(server, open_page, "games?text=pip", bypass_csp=True)
    card(page, "The cup").wait_for()
    assert page.locator("main li").count() == 2  # a finished and an unfinished game
    game = card(page, "Zoe – Bo – Pip")
    game.get_by_role("button", name="More with").click()
    game.get_by_role("button", name="Delete …").click()
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme)
        page.wait_for_function("theme => document.documentElement.dataset.theme === theme", arg=theme)
        assert axe_finds(page, theme == "light") == [], theme
