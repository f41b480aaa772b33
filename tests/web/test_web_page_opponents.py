"""Selecting opponents from the ladder, games against several opponents, leaving games, and rematches."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from page_helpers import PAGE, hand_in, open_without_analysis

from web_helpers import Server

pytestmark = PAGE

SIZES = [*(pytest.param(size, marks=pytest.mark.slow) for size in ((1280, 800), (820, 1180))), (360, 740)]


def ladder(page: Any) -> Any:
    return page.get_by_role("region", name="Opponents")


def seats(page: Any) -> Any:
    return page.get_by_role("region", name="Who plays")


def select_bot(page: Any, name: str) -> None:
    ladder(page).get_by_role("button", name=re.compile(f"^{name} ")).click()


@pytest.mark.parametrize("size", SIZES)
def test_user_selects_up_to_five_opponents_and_the_page_remembers_them(
    size: tuple[int, int], server: Server, open_page: Callable[..., Any]
):
    page = open_page(server.page(), viewport={"width": size[0], "height": size[1]})
    select_bot(page, "Attila")
    seats(page).get_by_label("Your name").fill("Ann")
    for name in ("Pip", "Momo", "Bruno", "Pip"):
        seats(page).get_by_role("button", name="+ Opponent").click()
        select_bot(page, name)
    assert seats(page).get_by_role("button", name="+ Opponent").count() == 0, "six play at most"
    disabled_button = ladder(page).get_by_role("button", name=re.compile("^Nano"))
    assert disabled_button.is_disabled()
    assert "plays two-player games only" in disabled_button.inner_text()
    seats(page).get_by_role("button", name="Remove Bruno").click()
    page.get_by_role("combobox", name="Map").select_option("large")
    page.get_by_role("combobox", name="Starting regions").select_option("random")
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    page.get_by_role("button", name="Play now").click()
    page.locator(".phases").wait_for()
    game = re.search(r"#/g/(\w+)", page.url)[1]  # type: ignore[index]
    token = page.evaluate(f"JSON.parse(localStorage['warlight.keys.{game}'])['0']")
    document = server.client(token).get(f"games/{game}").json()
    assert document["players"] == [
        {"name": "Ann", "spec": None}, {"name": "Attila", "spec": "aggressive"}, {"name": "Pip 1", "spec": "random"},
        {"name": "Momo", "spec": "smart_random"}, {"name": "Pip 2", "spec": "random"},
    ]  # fmt: skip
    assert document["map"]["name"] == "large"
    page.goto(server.page())
    seats(page).locator("li b").nth(3).wait_for()
    assert seats(page).locator("li b").all_inner_texts() == ["Attila", "Pip", "Momo", "Pip"]
    assert seats(page).get_by_label("Your name").input_value() == "Ann"
    assert page.get_by_role("combobox", name="Starting regions").input_value() == "random"


def test_remembered_clock_does_not_apply_to_lessons_and_shared_screens(server: Server, open_page: Callable[..., Any]):
    page = open_page(server.page())
    select_bot(page, "Pip")
    page.get_by_role("combobox", name="Map").select_option("small")
    page.get_by_role("combobox", name="Time for a turn").select_option("1 day")
    page.get_by_role("button", name="Play now").click()
    page.locator(".clock").wait_for()
    page.goto(server.page())
    page.get_by_role("button", name="Start").click()
    page.get_by_role("heading", name="Pass to Ann").wait_for()
    page.goto(server.page())
    assert page.get_by_role("combobox", name="Time for a turn").input_value() == "86400"
    page.get_by_role("button", name="Learn in 90 seconds").click()
    page.locator(".phases").wait_for()
    assert page.locator(".clock").count() == 0


def test_start_screen_lists_all_agents_and_refuses_an_invalid_seed(server: Server, open_page: Callable[..., Any]):
    page = open_page(server.page())
    ladder(page).get_by_role("button").first.wait_for()
    opponents = {row["spec"]: row for row in server.client().get("home").json()["opponents"]}
    texts = ladder(page).get_by_role("button").all_inner_texts()
    assert len(texts) == len(opponents)
    rated = [spec for spec, row in opponents.items() if row["ratings"]]
    assert sum("not rated" in text for text in texts) == len(opponents) - len(rated)
    seed, play = page.get_by_label("Seed"), page.get_by_role("button", name="Play now")
    for wrong in ("-1", "1.5"):
        seed.fill(wrong)
        page.get_by_role("alert").get_by_text("a whole number from 0").wait_for()
        assert play.is_disabled()
    seed.fill("7")
    page.get_by_role("alert").wait_for(state="detached")
    assert play.is_enabled()


def test_resigning_needs_confirmation_and_a_rematch_keeps_the_seats(server: Server, open_page: Callable[..., Any]):
    page = open_without_analysis(open_page, server.page())
    select_bot(page, "Pip")
    page.get_by_role("combobox", name="Map").select_option("small")
    page.get_by_role("combobox", name="Starting regions").select_option("random")
    page.get_by_role("button", name="Play now").click()
    page.locator(".phases").wait_for()
    hand_in(page)
    page.locator(".round", has_text="Round 2").wait_for()
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Play on").click()
    page.locator(".phases").wait_for()
    page.keyboard.press("Home")  # the result appears at any displayed position
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Resign now").click()
    result = page.get_by_role("region", name="Result")
    result.get_by_text("Resigned: You").wait_for()
    page.get_by_role("region", name="Players").get_by_text("resigned").wait_for()
    name = page.get_by_role("region", name="Players").locator(".name", has_text="You")
    assert name.evaluate("e => e.scrollWidth <= e.clientWidth"), "the word beside the name does not cut it"
    assert "Pip wins" in result.inner_text()
    before = page.url
    result.get_by_role("button", name="Rematch").click()
    page.wait_for_url(lambda url: url.split("?")[0] != before.split("?")[0])
    page.locator(".round", has_text="Round 1").wait_for()
    heading = page.get_by_role("heading", level=1).inner_text()
    assert "You" in heading and "Pip" in heading


@pytest.mark.parametrize("size", [SIZES[0], SIZES[2]])
def test_draw_at_a_shared_screen_needs_all_remaining_players(
    size: tuple[int, int], server: Server, open_page: Callable[..., Any]
):
    players = [{"name": "Ann"}, {"name": "Bo"}, {"name": "Cy"}]
    game = server.client().post("games", json={"players": players, "map": "small", "picks": "random"}).json()
    keys = "&".join(f"key{seat}={token}" for seat, token in game["tokens"].items())
    page = open_without_analysis(
        open_page, server.page(f"g/{game['id']}?{keys}"), viewport={"width": size[0], "height": size[1]}
    )
    handle = page.locator(".handle")
    page.get_by_role("button", name=re.compile("I am Ann")).click()
    handle.wait_for()
    if handle.get_attribute("aria-expanded") == "false":
        handle.click()
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Resign now").click()
    page.get_by_role("button", name=re.compile("I am Bo")).click()
    page.get_by_role("button", name="½ Draw").click()
    page.get_by_role("heading", name="A draw?").wait_for()
    assert page.locator("path[data-region]").count() == 0
    assert page.get_by_role("button", name="agrees").all_inner_texts() == ["Bo agrees", "Cy agrees"]
    page.get_by_role("button", name="Bo agrees").click()
    page.get_by_role("button", name="✓ Bo agrees").wait_for()
    page.reload()  # the page keeps and shows the agreement
    page.get_by_role("button", name=re.compile("I am Bo")).click()
    page.get_by_role("button", name="½ Draw").click()
    page.get_by_role("button", name="✓ Bo agrees").wait_for()
    page.get_by_role("button", name="Play on").click()
    page.get_by_role("button", name=re.compile("I am Bo")).click()
    page.get_by_role("button", name="½ Draw").click()
    page.get_by_role("button", name="Cy agrees").click()
    page.get_by_role("button", name="✓ Cy agrees").wait_for()
    page.get_by_role("button", name="Bo agrees").click()  # the result is public, so the page covers nothing
    page.get_by_role("region", name="Result").get_by_text("All players agreed on a draw.").wait_for()
