"""Messages of the page for errors and for missing, deleted or hidden objects, and how long they are visible."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from page_helpers import PAGE, bot_log, pick, regions, store_turn

from warlight_env.agents.registry import make_agent
from warlight_env.arena.games.game_loop import play_game
from warlight_env.record import MemoryRecorder
from web_helpers import Server, serving

pytestmark = PAGE

KEY = "use the complete link to your seat"


def test_a_wrong_key_displaces_none_and_a_missing_one_says_what_to_do(server: Server, open_page: Callable[..., Any]):
    played = server.begin()
    page = open_page(played.address, expects="status of 40[14]")
    page.get_by_text("Pick 2 regions: 2 left").wait_for()
    page.goto("about:blank")
    page.goto(f"{played.address.partition('/?')[0]}/?token=wrong#/g/{played.game}?key0=wrong")
    page.get_by_text("Pick 2 regions: 2 left").wait_for()
    page.reload()
    page.get_by_text("Pick 2 regions: 2 left").wait_for()
    stranger = open_page(expects="status of 40[14]")
    for screen in "gr":
        stranger.goto(server.page(f"{screen}/{played.game}"))
        stranger.get_by_text(KEY).wait_for()
        stranger.goto("about:blank")
    stranger.goto(server.page(f"g/{played.game}?key0=wrong"))
    stranger.get_by_text("there is no such game, or the link has a wrong token").get_by_text(KEY).wait_for()
    stranger.goto("about:blank")
    stranger.goto(server.page(f"g/{played.game}?key0={played.token(0)}"))  # the right one comes late
    stranger.get_by_text("Pick 2 regions: 2 left").wait_for()


def test_a_bad_file_is_named_beside_where_it_was_given(server: Server, tmp_path: Path, open_page: Callable[..., Any]):
    bad = tmp_path / "bad.wl.jsonl"
    lines = tmp_path / "cut.wl.jsonl"
    bad.write_text("nonsense\n")
    bot_log(rounds=3).save(lines)
    lines.write_bytes(lines.read_bytes().replace(b'"round":2', b'"round":7'))
    page = open_page(server.page(), expects="status of 422")
    page.get_by_role("button", name="Play now").wait_for()
    card = page.locator(".card", has_text="Open a replay")
    for file in (bad, lines):
        page.get_by_label("Log of a game").set_input_files(file)
        said = card.get_by_role("alert").get_by_text(re.compile(f"^{file.name}: "))
        said.wait_for()
        assert "/" not in said.inner_text()
        assert page.get_by_role("alert").count() == 1
        page.get_by_label("Seed").fill("3")
        said.wait_for(state="detached")


def with_reports(page: Any, reports: dict[str, Any]) -> None:
    """Add `reports` to the states that the server sends to a page."""

    def connect(socket: Any) -> None:
        server = socket.connect_to_server()

        def tell(message: str) -> None:
            data = json.loads(message)
            socket.send(json.dumps({**data, **reports}) if data["type"] == "now" else message)

        server.on_message(tell)

    page.route_web_socket(re.compile("/feed$"), connect)


def test_an_error_goes_once_it_does_not_hold_any_more(server: Server, open_page: Callable[..., Any]):
    played = server.begin(seed=8)
    page = open_page(expects="status of (422|503)")
    reports: dict[str, Any] = {}  # what the server says about the bot, in addition to the truth
    with_reports(page, reports)
    page.goto(played.address)
    reports["preparing"] = {"1": [2.5, 3, 40]}
    pick(page)
    page.locator(".phases").wait_for()
    page.get_by_text("Pip is getting ready: 3 of about 40 parts").wait_for()
    reports.update(preparing={}, failed={"1": {"round": 0, "seconds": 13.0}})
    page.reload()
    said = "Pip did not answer within 13 s: it picked the first regions of its offer."
    page.locator(".status", has_text=said).wait_for()
    page.locator("[aria-label='Players']", has_text=said).wait_for()
    page.route("**/insight", lambda route: route.fulfill(status=503, json={"error": "late", "code": "bots-busy"}))
    page.keyboard.press("h")
    page.locator(".status.tense", has_text="No hint: the bots have too many queries").wait_for()
    page.unroute("**/insight")
    page.route("**/insight", lambda route: None)  # no answer
    for level in ("coach", "full", "off", "coach", "full"):  # also while the bot thinks
        page.get_by_role("button", name=f"Hint: {level}").click()
    page.get_by_role("button", name="Hint: off").wait_for()
    reports.update(failed={})
    mine = next(r["label"].split(",")[0] for r in regions(page) if r["who"] == "yours")
    page.keyboard.press(":")
    page.keyboard.type(f"d {page.locator(f'path[aria-label^={mine!r}]').get_attribute('data-region')} 9")
    page.keyboard.press("Enter")
    page.get_by_text("there is no region").wait_for()
    # The page refuses wrong text. A wrong turn that the browser has stored goes to the server.
    number = page.locator(f"path[aria-label^={mine!r}]").get_attribute("data-region")
    store_turn(page, played.game, {"deploys": [[int(number), 99]], "attacks": []})
    page.locator(".phases").wait_for()
    page.keyboard.press("Control+Enter")
    page.locator(".status.tense").wait_for()
    page.get_by_role("button", name="Clear all").click()
    page.get_by_text("Deploy 5 more").wait_for()
    assert page.locator(".status.tense").count() == 0


def test_live_is_said_while_it_is_so(tmp_path: Path, open_page: Callable[..., Any]):
    with serving(tmp_path, "watch", "aggressive", "random", "--live", "--map", "large") as server:
        page = open_page(server.address)
        page.get_by_role("button", name="● Live").wait_for()
        server.kill()
        page.get_by_text("○ Not connected").wait_for()
        assert page.get_by_role("button", name="● Live").count() == 0
        assert page.get_by_role("combobox", name="Pace").count() == 0


def test_nothing_is_played_on_where_all_is_decided(server: Server, tmp_path: Path, open_page: Callable[..., Any]):
    recorder = MemoryRecorder()
    play_game([make_agent("aggressive", 1), make_agent("random", 1)], "small", seed=3, observer=recorder)
    file = tmp_path / "game.wl.jsonl"
    recorder.log.save(file)
    page = open_page(server.page())
    page.get_by_label("Log of a game").set_input_files(file)
    names = ("Play on from here", "Let bots play on")
    page.get_by_role("button", name=names[0]).wait_for()
    for key, there in (("End", False), ("Home", True)):
        page.keyboard.press(key)
        page.locator(
            ".where", has_text="Start of the game" if there else f"After round {len(recorder.log.rounds)} of"
        ).wait_for()
        assert [page.get_by_role("button", name=name).is_enabled() for name in names] == [there] * 2


def test_the_end_lifts_the_fog_and_says_who_is_out(server: Server, open_page: Callable[..., Any]):
    three = {"players": [{"name": "You"}, {"bot": "aggressive"}, {"bot": "aggressive"}], "map": "small"}
    made = server.client().post("games", json={**three, "fog": True, "picks": "random", "seed": 2}).json()
    page = open_page(server.page(f"g/{made['id']}?key0={made['tokens']['0']}"))
    page.locator(".phases").wait_for()
    assert any(r["who"] == "unseen" for r in regions(page))
    unseen = page.locator("[aria-label='Bonuses'] li", has_text=re.compile("unseen"))
    held = unseen.locator(".held").all_inner_texts()
    assert held
    assert all(re.match(r"\?/|≥ ", text) for text in held)
    client = server.client(made["tokens"]["0"])
    with server.feed(made["id"], made["tokens"]["0"]) as feed:
        while (state := feed.now())["phase"] != "over":
            if state["you"]["alive"]:
                turn = {"round": state["round"] + 1, "deploys": [], "attacks": []}
                client.post(f"games/{made['id']}/orders", json=turn)
    assert 0 in state["out"] and len(state["out"]) == 2  # all are told of it, also who does not see it
    page.locator(".result").wait_for(timeout=60_000)
    page.locator("path[aria-label*=', unseen,']").first.wait_for(state="detached")
    assert page.locator("[aria-label='Players'] tr.out").count() == 2
