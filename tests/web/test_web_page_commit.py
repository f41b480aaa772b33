"""Commit of a turn on the page: for the visible position, once, deliberately; and its withdrawal while bots search."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from page_helpers import PAGE, hand_in, round_or_end

from warlight_env.record import GameLog
from web_helpers import Server, serving

pytestmark = PAGE

#: The page gets the answer about a turn that was taken back after the message that the game awaits the player again.
LATE_TAKE_BACK = """
    const send = window.fetch;
    window.fetch = async (url, options) => {
      const answer = await send(url, options);
      if (String(url).endsWith('/take-back')) await new Promise((done) => setTimeout(done, 300));
      return answer;
    };
"""


def rounds(game_server: Server) -> list[Any]:
    return GameLog.load(game_server.folder / f"{game_server.game}.partial.wl.jsonl").rounds


def test_commit_is_disabled_until_the_round_has_been_shown(server: Server, open_page: Callable[..., Any]):
    game_server = server.begin(seed=8, picks="random")
    page = open_page(game_server.address, reduced_motion="no-preference")
    commit = page.get_by_role("button", name=re.compile("Commit"))
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
    assert len(rounds(game_server)) == 1


def test_undeployed_armies_need_confirmation_and_a_held_key_counts_once(server: Server, open_page: Callable[..., Any]):
    game_server = server.begin(seed=8, picks="random")
    page = open_page(game_server.address)
    page.locator(".phases").wait_for()
    page.keyboard.down("Control")
    for _ in range(8):  # all but the first are repeats
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    page.keyboard.up("Control")
    dialog = page.get_by_role("alertdialog")
    dialog.get_by_text("5 armies are not deployed").wait_for()
    page.keyboard.press("Control+Enter")  # a second press does not confirm
    assert dialog.is_visible()
    page.keyboard.press("Enter")
    dialog.wait_for(state="detached")
    assert len(rounds(game_server)) == 0
    page.locator('path[aria-label*=", yours,"]').first.focus()
    page.keyboard.press("Shift+Enter")
    page.keyboard.down("Control")
    for _ in range(8):
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    page.keyboard.up("Control")
    round_or_end(page, 2)
    page.get_by_text("Deploy 5 more").wait_for()
    assert [sum(n for _, n in r.orders[0].deploys) for r in rounds(game_server)] == [5]


@pytest.fixture
def slow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A separate server for a bot that searches for a minute. On a shared server, other tests would wait for it."""
    with serving(tmp_path_factory.mktemp("slow"), "play", "--vs", "mcts:secs=60", "--map", "small") as running:
        yield running


def double_click(page: Any, name: str) -> None:
    """Click twice at one point, as fast as the browser accepts it."""
    box = page.get_by_role("button", name=re.compile(f"^{name}")).bounding_box()
    for _ in range(2):
        page.mouse.click(box["x"] + 0.7 * box["width"], box["y"] + 0.5 * box["height"])


def test_player_takes_a_turn_back_while_the_bot_searches_but_not_by_a_double_click(
    slow: Server, open_page: Callable[..., Any]
):
    game_request = {"players": [{"name": "You"}, {"bot": "mcts:secs=60"}], "map": "small", "picks": "random", "seed": 3}
    game = slow.client().post("games", json=game_request).json()

    def awaited() -> list[int]:
        return slow.client(game["tokens"]["0"]).get(f"games/{game['id']}").json()["awaited"]

    page = open_page()
    page.add_init_script(LATE_TAKE_BACK)
    page.goto(slow.page(f"g/{game['id']}?key0={game['tokens']['0']}"))
    page.locator(".phases").wait_for()
    double_click(page, "Commit")
    confirm_button = page.get_by_role("button", name="Commit anyway")
    page.locator("button:enabled", has_text="Commit anyway").wait_for()
    assert awaited() == [0, 1]
    # press the button that returns to the deploys
    confirm_button.evaluate("button => button.previousElementSibling.click()")
    page.locator('path[aria-label*=", yours,"]').first.focus()
    page.keyboard.press("Shift+Enter")
    page.get_by_text("All armies are deployed").wait_for()
    double_click(page, "Commit")
    page.locator("button:enabled", has_text="Take the turn back").wait_for()
    page.get_by_text("Waiting for Linden").wait_for()
    page.get_by_role("button", name="Take the turn back").click()
    page.get_by_role("button", name=re.compile("Deploy.*5.5")).wait_for()  # the committed orders are restored
    page.keyboard.press("z")
    page.get_by_role("button", name=re.compile("Deploy.*0.5")).wait_for()
    hand_in(page)
    page.get_by_text("Waiting for Linden").wait_for()
    page.reload()
    page.get_by_text("Waiting for Linden").wait_for()
    page.keyboard.press("z")
    page.get_by_role("button", name=re.compile("Commit")).wait_for()
    assert awaited() == [0, 1]
