"""Messages of the page for errors and for missing, deleted or hidden objects, and how long they are visible."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from analysis_page_helpers import mock_analysis, news
from page_helpers import PAGE, idle_log, regions, store_turn

from warlight_env.agents.registry import make_agent
from warlight_env.arena.games.game_loop import play_game
from warlight_env.record import MemoryRecorder
from web_helpers import Server, serving

pytestmark = PAGE

KEY = "use the complete link to your seat"


def test_page_keeps_its_key_and_explains_a_missing_key(server: Server, open_page: Callable[..., Any]):
    game_server = server.begin()
    waiting_routes: list[Any] = []
    page = open_page(expects="status of 40[14]")
    page.route("**/api/**", lambda route: waiting_routes.append(route))
    page.goto(game_server.address)
    while not waiting_routes:
        page.wait_for_timeout(20)
    page.unroute("**/api/**")
    page.reload()  # before the first answer
    page.get_by_text("Pick 2 regions: 2 left").wait_for()
    page.goto("about:blank")
    page.goto(f"{game_server.address.partition('/?')[0]}/?token=wrong#/g/{game_server.game}?key0=wrong")
    page.get_by_text("Pick 2 regions: 2 left").wait_for()
    page.reload()
    page.get_by_text("Pick 2 regions: 2 left").wait_for()
    stranger = open_page(expects="status of 40[14]")
    stranger.goto(server.page(f"g/{game_server.game}"))
    stranger.get_by_text(KEY).wait_for()
    for place in ("", f"r/{game_server.game}"):
        stranger.evaluate("place => { location.hash = '#/' + place }", place)
        stranger.get_by_text(KEY).wait_for(state="visible" if place else "detached")
    stranger.goto("about:blank")
    stranger.goto(server.page(f"g/{game_server.game}?key0=wrong"))
    stranger.get_by_text("there is no such game, or the link has a wrong token").get_by_text(KEY).wait_for()
    stranger.goto("about:blank")
    stranger.goto(server.page(f"g/{game_server.game}?key0={game_server.token(0)}"))  # the correct key arrives later
    stranger.get_by_text("Pick 2 regions: 2 left").wait_for()


def test_error_for_a_bad_file_appears_beside_the_file_field(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    bad = tmp_path / "bad.wl.jsonl"
    wrong_round = tmp_path / "cut.wl.jsonl"
    bad.write_text("nonsense\n")
    idle_log(3).save(wrong_round)
    wrong_round.write_bytes(wrong_round.read_bytes().replace(b'"round":2', b'"round":7'))
    page = open_page(server.page(), expects="status of 422")
    page.get_by_role("button", name="Play now").wait_for()
    card = page.locator(".card", has_text="Open a replay")
    for file in (bad, wrong_round):
        page.get_by_label("Log of a game").set_input_files(file)
        message = card.get_by_role("alert").get_by_text(re.compile(f"^{file.name}: "))
        message.wait_for()
        assert "/" not in message.inner_text()
        assert page.get_by_role("alert").count() == 1
        page.get_by_label("Seed").fill("3")
        message.wait_for(state="detached")


def with_reports(page: Any, reports: dict[str, Any]) -> Callable[[], None]:
    """Add `reports` to the states that a page receives. Return a function that sends the last state again."""
    sent: list[tuple[Any, dict[str, Any]]] = []

    def send_again() -> None:
        socket, state = sent[-1]
        socket.send(json.dumps({**state, **reports}))

    def connect(socket: Any) -> None:
        server = socket.connect_to_server()

        def forward(message: str) -> None:
            data = json.loads(message)
            if data["type"] != "now":
                return socket.send(message)
            sent.append((socket, data))
            return send_again()

        server.on_message(forward)

    page.route_web_socket(re.compile("/feed$"), connect)
    return send_again


def test_error_message_disappears_when_its_cause_ends(server: Server, open_page: Callable[..., Any]):
    game_server = server.begin(seed=8, picks="random")
    page = open_page(expects="status of (422|503)")
    reports: dict[str, Any] = {}  # reports on the bot that the test adds to the states of the server
    send_again = with_reports(page, reports)
    reports["preparing"] = {"1": [2.5, 3, 40]}
    page.goto(game_server.address)
    page.locator(".phases").wait_for()
    page.get_by_text("Pip is getting ready: 3 of about 40 parts").wait_for()
    reports.update(preparing={}, failed={"1": {"round": 0, "seconds": 13.0}})
    send_again()
    message = "Pip did not answer within 13 s: it picked the first regions of its offer."
    page.locator(".status", has_text=message).wait_for()
    page.locator("[aria-label='Players']", has_text=message).wait_for()
    page.route("**/insight", lambda route: route.fulfill(status=503, json={"error": "late", "code": "bots-busy"}))
    page.keyboard.press("h")
    page.locator(".status.tense", has_text="No hint: the bots have too many queries").wait_for()
    page.unroute("**/insight")
    page.route("**/insight", lambda route: None)  # no answer
    for level in ("coach", "full", "off", "coach", "full"):  # the button also works while the bot searches
        page.get_by_role("button", name=f"Hint: {level}").click()
    page.get_by_role("button", name="Hint: off").wait_for()
    reports.update(failed={})
    own_region = next(r["label"].split(",")[0] for r in regions(page) if r["who"] == "yours")
    page.keyboard.press(":")
    page.keyboard.type(f"d {page.locator(f'path[aria-label^={own_region!r}]').get_attribute('data-region')} 9")
    page.keyboard.press("Enter")
    page.get_by_text("there is no region").wait_for()
    # The page refuses invalid text. It sends an invalid turn that the browser has stored to the server.
    number = page.locator(f"path[aria-label^={own_region!r}]").get_attribute("data-region")
    store_turn(page, game_server.game, {"deploys": [[int(number), 99]], "attacks": []})
    page.locator(".phases").wait_for()
    page.keyboard.press("Control+Enter")
    page.locator(".status.tense").wait_for()
    page.get_by_role("button", name="Clear all").click()
    page.get_by_text("Deploy 5 more").wait_for()
    assert page.locator(".status.tense").count() == 0


def test_live_button_is_shown_only_while_the_page_is_connected(tmp_path: Path, open_page: Callable[..., Any]):
    with serving(tmp_path, "watch", "aggressive", "random", "--live", "--map", "large") as server:
        page = open_page(server.address)
        page.get_by_role("button", name="● Live").wait_for()
        server.kill()
        page.get_by_text("○ Not connected").wait_for()
        assert page.get_by_role("button", name="● Live").count() == 0
        assert page.get_by_role("combobox", name="Pace").count() == 0


def test_play_on_buttons_are_disabled_where_the_game_is_over(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    recorder = MemoryRecorder()
    play_game([make_agent("aggressive", 1), make_agent("random", 1)], "small", seed=3, observer=recorder)
    file = tmp_path / "game.wl.jsonl"
    recorder.log.save(file)
    page = open_page(server.page())
    mock_analysis(page, recorder.log, news(recorder.log, 1, {}))
    page.get_by_label("Log of a game").set_input_files(file)
    names = ("Play on from here", "Let bots play on")
    page.get_by_role("button", name=names[0]).wait_for()
    for key, enabled in (("End", False), ("Home", True)):
        page.keyboard.press(key)
        page.locator(
            ".where", has_text="Start of the game" if enabled else f"After round {len(recorder.log.rounds)} of"
        ).wait_for()
        assert [page.get_by_role("button", name=name).is_enabled() for name in names] == [enabled] * 2


def test_game_end_lifts_the_fog_and_marks_eliminated_players(server: Server, open_page: Callable[..., Any]):
    game_request = {"players": [{"name": "You"}, {"bot": "aggressive"}, {"bot": "aggressive"}], "map": "small"}
    game = server.client().post("games", json={**game_request, "fog": True, "picks": "random", "seed": 2}).json()
    page = open_page(server.page(f"g/{game['id']}?key0={game['tokens']['0']}"))
    page.locator(".phases").wait_for()
    assert any(r["who"] == "unseen" for r in regions(page))
    unseen_bonuses = page.locator("[aria-label='Bonuses'] li", has_text=re.compile("unseen"))
    counts = unseen_bonuses.locator(".held").all_inner_texts()
    assert counts
    assert all(re.match(r"\?/|≥ ", text) for text in counts)
    client = server.client(game["tokens"]["0"])
    with server.feed(game["id"], game["tokens"]["0"]) as feed:
        while (state := feed.now())["phase"] != "over":
            if state["you"]["alive"]:
                turn = {"round": state["round"] + 1, "deploys": [], "attacks": []}
                client.post(f"games/{game['id']}/orders", json=turn)
    assert 0 in state["out"] and len(state["out"]) == 2  # every player learns of eliminations, even in fog
    page.locator(".result").wait_for(timeout=60_000)
    page.locator("path[aria-label*=', unseen,']").first.wait_for(state="detached")
    assert page.locator("[aria-label='Players'] tr.out").count() == 2
