"""Friends at separate screens: invitations, presence, withdrawn turns, clocks, spectators, rematches."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from page_helpers import NO_ANALYSIS, PAGE, PHONE, hand_in, open_without_analysis, regions, round_or_end

from web_helpers import Server

pytestmark = PAGE

NO_KEY = r"status of 401"  # Chromium's console message for a refused request


def create_game(server: Server, **fields: Any) -> dict[str, Any]:
    players = [{"name": "Ann"}, {"name": "Bo", "friend": True}]
    body = {"players": players, "map": "small", "picks": "random", "seed": 4, **fields}
    game: dict[str, Any] = server.client().post("games", json=body).json()
    return game


def guest_link(server: Server, game: dict[str, Any], seat: int | None) -> str:
    """Return the link to a friend's seat, or (seat None) for spectators."""
    key = f"key={game['spectate']}" if seat is None else f"key{seat}={game['invites'][str(seat)]}"
    return f"{server.base}/#/g/{game['id']}?{key}"


def host_link(server: Server, game: dict[str, Any]) -> str:
    return server.page(f"g/{game['id']}?key0={game['tokens']['0']}")


def deploy_all(page: Any) -> None:
    """Deploy all armies on the player's first region."""
    page.locator('path[aria-label*=", yours,"]').first.focus()
    page.keyboard.press("Shift+Enter")
    page.get_by_text("All armies are deployed").first.wait_for(state="attached")


def test_a_friend_is_invited_from_home_and_plays_on_a_phone(server: Server, open_page: Callable[..., Any]):
    ann = open_page(server.page())
    seats = ann.get_by_role("region", name="Who plays")
    seats.get_by_role("button", name="+ Friend").click()
    seats.get_by_label("Name of the friend on seat 3").fill("Bo")
    seats.get_by_role("button", name=re.compile("^Remove (?!Bo)")).click()
    seats.get_by_label("Your name").fill("Ann")
    ann.get_by_role("combobox", name="Starting regions").select_option("random")
    ann.get_by_role("button", name="Play now").click()
    ann.get_by_text("1 friend is not here yet").wait_for()
    address = ann.get_by_role("textbox", name="Link for Bo").input_value()
    ann.get_by_role("button", name="Copy the link for Bo").click()
    ann.get_by_role("button", name="Copy the link for Bo").get_by_text("Copied").wait_for()

    bo = open_page(address, expects=NO_KEY, **PHONE, has_touch=True)
    ann.get_by_text("1 friend is not here yet").wait_for(state="detached")
    # the card folds when all players are present
    ann.get_by_role("textbox", name="Link for Bo").wait_for(state="hidden")
    bo.locator("path[data-region]").first.wait_for()
    assert bo.evaluate("document.documentElement.scrollWidth") <= 360
    assert bo.get_by_role("button", name=re.compile("^Hint")).count() == 0
    assert ann.get_by_role("button", name=re.compile("^Hint")).count() == 0

    deploy_all(ann)
    ann.keyboard.press("Control+Enter")
    ann.get_by_text("Waiting for Bo").wait_for()
    ann.get_by_role("button", name="Take the turn back").click()
    ann.get_by_role("button", name=re.compile("Deploy.*5.5")).wait_for()  # the committed orders are restored
    ann.keyboard.press("Control+Enter")
    deploy_all(bo)
    bo.get_by_role("button", name=re.compile("Commit")).click()
    round_or_end(ann, 2)
    round_or_end(bo, 2)

    bo.goto(server.base)  # a guest has access to one game only
    bo.get_by_text("open the address that the server printed").wait_for()


def test_friends_link_in_the_hosts_browser_applies_only_to_its_tab(server: Server, open_page: Callable[..., Any]):
    game = create_game(server)
    ann = open_page(host_link(server, game))
    ann.locator(".phases").wait_for()
    bo = ann.context.new_page()
    bo.goto(guest_link(server, game, 1))
    bo.get_by_text("Bo (you)").first.wait_for()
    bo.reload()
    bo.get_by_text("Bo (you)").first.wait_for()
    ann.reload()
    ann.get_by_text("Ann (you)").first.wait_for()


def test_spectators_see_the_map_but_in_fog_only_at_the_end(server: Server, open_page: Callable[..., Any]):
    ann, watcher = open_page(), open_page()
    for page in (ann, watcher):
        page.add_init_script(NO_ANALYSIS)
    for fog in (False, True):
        game = create_game(server, fog=fog)
        ann.goto(host_link(server, game))
        watcher.goto(guest_link(server, game, None))
        watcher.get_by_text("Watching in fog" if fog else "Watching").first.wait_for()
        ann.get_by_text("1 person watches").wait_for()
        assert {r["who"] == "unseen" for r in regions(watcher)} == {fog}
        assert watcher.get_by_role("button", name=re.compile("Commit|Resign")).count() == 0
        hand_in(ann)
        ann.get_by_text("Waiting for Bo").wait_for()  # the server has the turn
        server.client(game["invites"]["1"]).post(f"games/{game['id']}/resign")
        watcher.locator(".result").wait_for()
        watcher.locator('path[data-region][aria-label*="unseen"]').first.wait_for(state="detached")
        assert watcher.get_by_role("button", name="Rematch").count() == 0


def test_page_submits_the_entered_orders_when_the_time_is_up(server: Server, open_page: Callable[..., Any]):
    game = create_game(server, clock=3600)
    page = open_page(locale="en-US", **{"viewport": {"width": 820, "height": 1180}})
    page.add_init_script(
        # After `fly()`, time runs faster by a factor of 36,001. Earlier, a late server message could reset the clock.
        "const now = performance.now.bind(performance); let flies = Infinity; window.fly = () => { flies = now(); };"
        "performance.now = () => now() + 36_000 * Math.max(0, now() - flies)"
    )
    page.goto(host_link(server, game))
    page.get_by_role("button", name="Start the clock now").click()
    timer = page.get_by_role("timer", name="Time for this turn")
    timer.get_by_text(re.compile(r"^\s*(1:00:00|59:\d\d)")).wait_for()
    deploy_all(page)
    page.evaluate("window.fly()")
    page.get_by_text("Waiting for Bo").wait_for()
    with server.feed(game["id"], game["tokens"]["0"]) as feed:
        assert feed.now()["awaited"] == [1]
    turn = server.client(game["tokens"]["0"]).post(f"games/{game['id']}/take-back").json()
    assert sum(armies for _, armies in turn["deploys"]) == 5


def test_the_clock_waits_for_the_friend_and_each_can_start_a_rematch_that_the_other_joins(
    server: Server, open_page: Callable[..., Any]
):
    game = create_game(server, clock=3600)
    ann = open_without_analysis(open_page, host_link(server, game), **PHONE, has_touch=True)
    ann.get_by_text("The clock starts when all players have opened the game. Not ready: Bo.").wait_for()
    still = ann.locator(".clock.still")
    still.get_by_text("1:00:00").wait_for()
    bo = open_without_analysis(open_page, guest_link(server, game, 1), expects=NO_KEY)
    bo.get_by_role("timer", name="Time for this turn").wait_for()
    still.wait_for(state="detached")
    ann.get_by_text("The clock starts when").wait_for(state="detached")
    server.client(game["tokens"]["0"]).post(f"games/{game['id']}/resign")
    place = bo.get_by_role("button", name="Rematch").bounding_box()
    bo.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    bo.wait_for_url(lambda url: "#/g/" in url and game["id"] not in url)
    bo.get_by_text("Bo (you)").first.wait_for()
    ann.get_by_role("button", name="Join the rematch", exact=True).tap()
    ann.wait_for_url(lambda url: url.split("#")[1].split("?")[0] == bo.url.split("#")[1].split("?")[0])
    ann.get_by_text("Ann (you)").first.wait_for(state="attached")
    ann.get_by_text(re.compile("to move · .*is here")).nth(1).wait_for(state="attached")
    again = re.search(r"#/g/(\w+)", ann.url)[1]  # type: ignore[index]
    token = ann.evaluate(f"JSON.parse(localStorage['warlight.keys.{again}'])['0']")
    server.client(token).post(f"games/{again}/resign")
    ann.get_by_role("button", name="Rematch").tap()
    ann.wait_for_url(lambda url: "#/g/" in url and again not in url)
    bo.get_by_role("button", name="Join the rematch", exact=True).click()
    bo.wait_for_url(lambda url: url.split("#")[1].split("?")[0] == ann.url.split("#")[1].split("?")[0])
    bo.get_by_text("Bo (you)").first.wait_for()


def test_page_explains_an_invalid_link(server: Server, open_page: Callable[..., Any]):
    game, page = create_game(server), open_page(expects=NO_KEY)
    for key in ("key1=wrong", ""):
        page.goto("about:blank")
        page.goto(f"{server.base}/#/g/{game['id']}?{key}")
        page.get_by_text(re.compile("complete link to your seat")).wait_for()
