"""The analysis on the page and its source: engines, late answers, errors, missing bots, files without a server."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from analysis_page_helpers import BETTER, QUICK, mock_analysis, news, open_log, open_next_log
from page_helpers import ILLEGAL_ORDERS, PAGE, choose_language, idle_log, names_of

from warlight_env.cli import main
from warlight_env.web.export import write_html
from web_helpers import Server

pytestmark = PAGE


def test_running_analysis_and_step_to_a_mistake_wait_for_the_list_of_bots(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    log, waiting_routes = idle_log(3), []
    page = open_page(server.page())
    page.get_by_role("button", name="Play now").wait_for()
    mock_analysis(page, log, news(log, 1, {2: ("?", 0.12)}))
    page.route("**/api/home", lambda route: waiting_routes.append(route))
    open_log(page, log, tmp_path)
    card = page.get_by_role("region", name="Analysis")
    card.get_by_text("The bot is analysing this round").wait_for()
    assert card.get_by_text("unavailable").count() == 0
    page.keyboard.press("b")
    page.get_by_role("button", name="Next mistake").get_by_text("Searching").wait_for()
    while not waiting_routes:
        page.wait_for_timeout(20)
    for route in waiting_routes:
        route.continue_()
    page.locator(".where", has_text="Round 2 of").wait_for()
    page.locator("g.best").first.wait_for(state="attached")


def test_analysis_retries_after_an_error_and_drops_late_answers_for_another_engine(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    log = idle_log(4)
    page = open_page(server.page(), expects="status of 503")
    error_body = {"error": "x", "code": "reports-wait", "values": {}, "details": None}
    errors, late_routes = [error_body], []

    def answer(route: Any) -> None:
        request_body = route.request.post_data_json
        if errors:
            route.fulfill(status=503, body=json.dumps(errors.pop()), content_type="application/json")
        elif request_body["seconds"] == 1 and request_body["since"]:
            late_routes.append(route)
        elif request_body["seconds"] == 1:
            route.fulfill(json=news(log, 1, {2: ("?", 0.12)}))
        else:
            route.fulfill(json=news(log, 1, {3: ("?", 0.11)}, bot=request_body["bot"], seconds=request_body["seconds"]))

    mock_analysis(page, log, {})
    page.route("**/analysis", answer)
    open_log(page, log, tmp_path)
    page.get_by_role("alert").get_by_text("the server is analysing other games").wait_for()
    moves = page.get_by_role("region", name="Moves")
    moves.locator("[data-round='2'] [data-mark='?']").wait_for()
    assert page.get_by_role("alert").count() == 0
    while not late_routes:
        page.wait_for_timeout(20)
    card = page.get_by_role("region", name="Analysis")
    card.get_by_role("combobox", name="Time for a turn").select_option("5 s")
    moves.locator("[data-round='3'] [data-mark='?']").wait_for()
    for route in late_routes:
        route.fulfill(json=news(log, 7, {1: ("??", 0.5)}))
    page.wait_for_timeout(300)
    assert moves.locator("[data-round='1'] [data-mark]").count() == 0
    page.reload()
    assert page.evaluate("localStorage['warlight.engine.seconds']") == "5"


def test_server_loads_the_engine_of_the_analysis_during_the_game_and_hints_use_it(
    server: Server, open_page: Callable[..., Any]
):
    page = open_page()
    page.add_init_script(QUICK)
    request_bodies: list[dict[str, Any]] = []
    page.on(
        "request", lambda request: request.url.endswith("/insight") and request_bodies.append(request.post_data_json)
    )
    game_server = server.begin(seed=8, picks="random")
    page.goto(game_server.address)
    page.locator(".phases").wait_for()
    with page.expect_request("**/analysis/prepare") as prepare_request:
        server.client(game_server.token(0)).post(
            f"games/{game_server.game}/orders", json={"round": 1, "deploys": [], "attacks": []}
        )
    assert prepare_request.value.post_data_json == {"bot": "nash:secs=1"}
    assert prepare_request.value.response().status == 200
    page.locator(".round", has_text="Round 2").wait_for()
    page.get_by_role("button", name="Hint: off").wait_for()
    page.keyboard.press("h")
    hint = page.get_by_role("region", name="Hint in words")
    hint.get_by_role("heading", name="Where to look").wait_for(timeout=120_000)
    assert request_bodies[0] == {"bot": "nash:secs=1", "seconds": 0.2}
    hint.get_by_role("combobox", name="Bot for analysis").select_option("one_ply")
    hint.locator("li").first.wait_for()
    while len(request_bodies) < 2:
        page.wait_for_timeout(20)
    assert request_bodies[1]["bot"] == "one_ply"
    page.keyboard.press("h")
    page.get_by_role("region", name="Candidates of Hint").get_by_text("Vera").wait_for()
    for words in ("one_ply", "nash"):
        assert page.locator("body").inner_text().count(words) == 0, "bots have displayed names everywhere"


def test_replay_opens_without_win_probabilities_and_gives_the_reasons_of_errors(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    log = idle_log(3)
    page, waiting_routes = open_page(server.page(), expects="status of (503|422)"), []
    page.route("**/chances", lambda route: waiting_routes.append(route))
    page.route("**/analysis", lambda route: route.fulfill(json={**news(log, 1, {}), "summary": None}))
    open_log(page, log, tmp_path)
    curve = page.get_by_role("region", name="Win probability")
    curve.get_by_text("Computing …").wait_for()
    assert curve.locator("path[stroke]").count() == 2 and not curve.locator("path[stroke]").first.get_attribute("d")
    waiting_routes.pop().fulfill(json=[[[0.75, 0.7, 0.8], [0.25, 0.2, 0.3]]] * 4)
    curve.get_by_text("Pip 75 % · Attila 25 %").wait_for()
    assert curve.locator("path[stroke]").first.get_attribute("d").count("L") == 3
    open_next_log(page, log, tmp_path)
    error_body = {"error": "x", "code": "busy", "values": {}, "details": None}
    waiting_routes.pop().fulfill(status=503, body=json.dumps(error_body), content_type="application/json")
    curve.get_by_text("the server is busy").wait_for()
    refusal = {**error_body, "code": "report-rounds", "values": {"most": 300, "rounds": 305}}
    page.unroute("**/analysis")
    page.route("**/analysis", lambda route: route.fulfill(status=422, json=refusal))
    open_next_log(page, log, tmp_path)
    reason = "No analysis: this game has 305 rounds, and the page analyses at most 300"
    page.get_by_role("region", name="Analysis").get_by_role("alert").get_by_text(reason).wait_for()
    assert page.get_by_role("region", name="Analysis").get_by_role("progressbar").count() == 0
    page.set_viewport_size({"width": 360, "height": 740})
    page.locator("aside .handle").get_by_text(reason).wait_for()  # also while the cards are closed


def test_offline_file_shows_its_report_or_says_that_it_has_no_analysis(tmp_path: Path, open_page: Callable[..., Any]):
    file, page_file, bare_file = (tmp_path / name for name in ("game.wl.jsonl", "game.html", "bare.html"))
    log = idle_log(5, orders=ILLEGAL_ORDERS)
    log.save(file)
    line = ["analyse", str(file), "--bot", "aggressive", "--rolls", "8", "-q", "--html", str(page_file)]
    assert main(line) == 0
    write_html(log, bare_file, chances=False)
    page = open_page(offline=True)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(page_file.as_uri())
    report = page.get_by_role("region", name="Report")
    assert report.locator("tbody tr").count() == 2
    page.set_viewport_size({"width": 1000, "height": 640})
    for language in ("cs", "en"):
        choose_language(page, language)
        table = page.locator(".report .wide")
        assert table.evaluate("e => e.scrollWidth <= e.clientWidth"), "the report needs no scrolling"
    report.get_by_text("Losses, regions, income").click()
    for name in ("Regions", "Income"):
        assert report.get_by_role("img", name=f"{name} by round").is_visible()
    page.keyboard.press("b")
    page.locator(BETTER).first.wait_for(state="attached")
    card = page.get_by_role("region", name="Analysis")
    assert card.get_by_text("Better:").is_visible() and card.get_by_text("Played: hold.").is_visible()
    illegal = card.get_by_text("is not executed")
    name = log.header.map.regions[0].name
    assert illegal.count() == 3 and illegal.nth(2).inner_text().endswith(" …")
    assert illegal.nth(1).inner_text().startswith(f"{names_of(log)[0]}: deploy {name} is not executed, ")
    moves = page.get_by_role("region", name="Moves").locator("[data-round]", has=page.locator(".here"))
    assert moves.locator(".line.dropped").count() == 4
    assert moves.locator(".line.deploy", has_text="+999").count() == 0
    assert page.get_by_role("combobox", name="Bot for analysis").count() == 0
    assert requests == [page_file.as_uri()]

    page.goto(bare_file.as_uri())
    page.get_by_text("An offline file without a report has no analysis").wait_for()
    assert page.get_by_role("button", name="Next mistake").count() == 0


def test_page_reports_that_the_server_has_no_bot_for_the_analysis(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    home = server.client().get("home").json()
    page = open_page()
    page.route("**/api/home", lambda route: route.fulfill(json={**home, "opponents": []}))
    page.route("**/chances", lambda route: route.fulfill(json=None))
    page.goto(server.page())
    open_log(page, idle_log(3), tmp_path)
    card = page.get_by_role("region", name="Analysis")
    card.get_by_text("This server offers no bot that can analyse this game.").wait_for()
    assert card.get_by_role("progressbar").count() == card.get_by_role("status").count() == 0
    assert page.get_by_role("button", name="Next mistake").is_disabled()
