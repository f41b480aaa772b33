"""Committing a turn on the page: for the visible position, once, on purpose; and withdrawing it while bots search."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from page_helpers import PAGE, hand_in, pick, round_or_end

from warlight_env.record import GameLog
from web_helpers import Server, serving

pytestmark = PAGE


def rounds(played: Server) -> list[Any]:
    return GameLog.load(played.folder / f"{played.game}.partial.wl.jsonl").rounds


def test_a_round_is_seen_before_the_next_turn_can_be_committed(server: Server, open_page: Callable[..., Any]):
    played = server.begin(seed=8)
    page = open_page(played.address, reduced_motion="no-preference")
    commit = page.get_by_role("button", name=re.compile("Commit"))
    pick(page)
    page.locator(".phases").wait_for()
    hand_in(page)
    page.get_by_role("button", name="Skip").wait_for()
    assert commit.is_disabled()
    for _ in range(3):
        page.keyboard.press("Control+Enter")
    assert page.get_by_role("alertdialog").count() == 0
    page.keyboard.press("Space")
    page.get_by_text("Deploy 5 more").wait_for()
    assert commit.is_enabled()
    assert len(rounds(played)) == 1


def test_armies_that_are_not_deployed_are_asked_about_and_a_key_held_down_is_one_press(
    server: Server, open_page: Callable[..., Any]
):
    played = server.begin(seed=8)
    page = open_page(played.address)
    pick(page)
    page.locator(".phases").wait_for()
    page.keyboard.down("Control")
    for _ in range(8):  # all but the first are repeats
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    page.keyboard.up("Control")
    asked = page.get_by_role("alertdialog")
    asked.get_by_text("5 armies are not deployed").wait_for()
    page.keyboard.press("Control+Enter")  # nor does a second press say yes
    assert asked.is_visible()
    page.keyboard.press("Enter")
    asked.wait_for(state="detached")
    assert len(rounds(played)) == 0
    page.locator('path[aria-label*=", yours,"]').first.focus()
    page.keyboard.press("Shift+Enter")
    page.keyboard.down("Control")
    for _ in range(8):
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    page.keyboard.up("Control")
    round_or_end(page, 2)
    page.get_by_text("Deploy 5 more").wait_for()
    assert [sum(n for _, n in r.orders[0].deploys) for r in rounds(played)] == [5]


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of its own for a bot that thinks for a minute: others would wait for it."""
    with serving(tmp_path_factory.mktemp("slow"), "play", "--vs", "mcts:secs=60", "--map", "small") as running:
        yield running


def against_a_thinker(server: Server, open_page: Callable[..., Any]) -> tuple[dict[str, Any], Any]:
    """A game against a bot that thinks for a minute, and its page, in the first turn."""
    two = {"players": [{"name": "You"}, {"bot": "mcts:secs=60"}], "map": "small", "picks": "random", "seed": 3}
    made = server.client().post("games", json=two).json()
    page = open_page(server.page(f"g/{made['id']}?key0={made['tokens']['0']}"))
    page.locator(".phases").wait_for()
    return made, page


def test_a_turn_is_taken_back_while_the_bot_thinks(slow: Server, open_page: Callable[..., Any]):
    made, page = against_a_thinker(slow, open_page)
    mine = page.locator('path[aria-label*=", yours,"]').first
    mine.focus()
    page.keyboard.press("Shift+Enter")
    page.get_by_text("All armies are deployed").wait_for()
    page.keyboard.press("Control+Enter")
    page.get_by_text("Waiting for Linden").wait_for()
    page.get_by_role("button", name="Take the turn back").click()
    page.get_by_role("button", name=re.compile("Deploy.*5.5")).wait_for()  # as it was committed
    page.keyboard.press("z")
    page.get_by_role("button", name=re.compile("Deploy.*0.5")).wait_for()
    hand_in(page)
    page.get_by_text("Waiting for Linden").wait_for()
    page.reload()
    page.get_by_text("Waiting for Linden").wait_for()
    page.keyboard.press("z")
    page.get_by_role("button", name=re.compile("Commit")).wait_for()
    assert slow.client(made["tokens"]["0"]).get(f"games/{made['id']}").json()["awaited"] == [0, 1]


def double_click(page: Any, name: str) -> None:
    """Two presses at one place, as fast as the browser takes them."""
    box = page.get_by_role("button", name=re.compile(f"^{name}")).bounding_box()
    for _ in range(2):
        page.mouse.click(box["x"] + 0.7 * box["width"], box["y"] + 0.5 * box["height"])


def test_the_second_press_of_a_double_click_neither_says_yes_nor_takes_the_turn_back(
    slow: Server, open_page: Callable[..., Any]
):
    made, page = against_a_thinker(slow, open_page)
    double_click(page, "Commit")
    yes = page.get_by_role("button", name="Commit anyway")
    page.locator("button:enabled", has_text="Commit anyway").wait_for()
    assert slow.client(made["tokens"]["0"]).get(f"games/{made['id']}").json()["awaited"] == [0, 1]
    yes.evaluate("button => button.previousElementSibling.click()")  # deploy them
    page.locator('path[aria-label*=", yours,"]').first.focus()
    page.keyboard.press("Shift+Enter")
    page.get_by_text("All armies are deployed").wait_for()
    double_click(page, "Commit")
    page.locator("button:enabled", has_text="Take the turn back").wait_for()
    page.get_by_text("Waiting for Linden").wait_for()
