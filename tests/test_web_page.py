"""The page in a real browser: whole games by mouse and by keyboard alone, a shared screen in fog, offline replays."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from warlight_env import Game, battle_odds
from warlight_env.agents.registry import make_agent
from warlight_env.arena.play import ask_orders
from warlight_env.cli import main
from warlight_env.record import GameLog, MemoryRecorder, verify
from warlight_env.web.export import framed, write_html
from web_helpers import CHROMIUM, Server, needs_browser, needs_page, serving

pytestmark = [needs_page, needs_browser, pytest.mark.xdist_group("page")]

STILL = {"reduced_motion": "reduce", "viewport": {"width": 1280, "height": 800}}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Opens pages that must not complain: any error in the console fails the test."""
    complaints: list[str] = []
    contexts = []

    def opened(address: str = "", **options: Any) -> Any:
        context = chromium.new_context(**{**STILL, **options})
        context.set_default_timeout(20_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: complaints.append(str(e)))
        if address:
            page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()
    # What the browser says of a server that ended, perhaps in the middle of an answer.
    gone = re.compile(
        "ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|CONTENT_LENGTH_MISMATCH)|WebSocket connection"
    )
    assert [complaint for complaint in complaints if not gone.search(complaint)] == []


def bot_log(map_name: str = "small", rounds: int = 30, seed: int = 4, fog: bool = False) -> GameLog:
    """A game between bots, one of them a search."""
    from warlight_env import Rules

    game = Game(map_name, Rules.of("thesis", fog=fog), 2, seed, picks="random")
    bots = [make_agent("mcts:sims=50", seed), make_agent("aggressive", seed)]
    recorder = MemoryRecorder(insight=True)
    recorder.began(game, bots, 500)
    while not game.done and game.round < rounds:
        orders = ask_orders(game, bots)
        recorder.played(orders, game.play_round(orders, on_illegal="skip"), game)
    return recorder.log


def region(page: Any, name: str) -> Any:
    return page.locator(f'path[data-region][aria-label^="{name},"]')


def regions(page: Any) -> list[dict[str, Any]]:
    """All regions as their labels tell: what somebody who does not see the map knows."""
    labels = page.locator("path[data-region]").evaluate_all("all => all.map(e => e.getAttribute('aria-label'))")
    told = []
    for label in labels:
        name, who, *rest = label.split(", ")
        armies = next((int(w.split()[0]) for w in rest if re.match(r"\d+ arm", w)), 0)
        told.append({"name": name, "who": who, "armies": armies, "label": label})
    return told


def box(page: Any, name: str) -> tuple[float, float]:
    """A point of the screen that lies on a region: where its label is."""
    return tuple(
        region(page, name).evaluate(
            """e => { const l = e.ownerSVGElement.createSVGPoint(); const b = e.getBBox();
            const m = e.getScreenCTM(); for (let k = 0; k < 400; k++) { const i = k % 20, j = Math.floor(k / 20);
            const at = n => (((n * 7 + 10) % 20) + .5) / 20; l.x = b.x + b.width * at(i); l.y = b.y + b.height * at(j);
            if (!e.isPointInFill(l)) continue; const p = l.matrixTransform(m);
            if (document.elementFromPoint(p.x, p.y) === e) return [p.x, p.y]; } throw new Error('covered'); }"""
        )
    )  # type: ignore[return-value]


def front(page: Any, game_map: Any, told: list[dict[str, Any]]) -> tuple[str, str]:
    """The own region with the weakest foreign neighbour, and that neighbour."""
    by_name = {r["name"]: r for r in told}
    pairs = []
    for r, shape in enumerate(game_map.regions):
        if by_name[shape.name]["who"] == "yours":
            for n in game_map.neighbors[r]:
                target = by_name[game_map.regions[n].name]
                if target["who"] != "yours":
                    pairs.append((target["armies"] - by_name[shape.name]["armies"], shape.name, target["name"]))
    return min(pairs)[1:]


def test_a_whole_game_by_mouse(tmp_path: Path, open_page: Callable[..., Any]):
    with serving(tmp_path, "play", "--vs", "random", "--map", "small", "--seed", "2") as server:
        page = open_page(server.address)
        game_map = Game("small").map
        commit = page.get_by_role("button", name=re.compile("Commit"))
        page.get_by_text("Pick 2 regions: 2 to go").wait_for()
        for name in [r["name"] for r in regions(page) if "may be picked" in r["label"]][:2]:
            page.mouse.click(*box(page, name))
        commit.click()
        for number in range(1, 60):
            page.locator(".phases").wait_for()
            source, target = front(page, game_map, regions(page))
            page.mouse.move(*box(page, source))
            page.keyboard.down("Shift")
            page.mouse.down()
            page.mouse.up()
            page.keyboard.up("Shift")
            page.get_by_text("All deployed").wait_for()
            page.mouse.move(*box(page, source))
            page.mouse.down()
            page.mouse.move(*box(page, target), steps=4)
            page.mouse.up()
            page.locator("li.attack").wait_for()
            commit.click()
            round_or_end(page, number + 1)
            if page.locator(".result").count():
                break
        assert "wins after" in page.locator(".result").inner_text()
        log = GameLog.load(tmp_path / f"{server.game}.wl.jsonl")
        assert log.complete
        assert verify(log) == []
        assert any(step.orders[0] and step.orders[0].attacks for step in log.rounds)


def test_a_whole_game_by_keyboard_alone(tmp_path: Path, open_page: Callable[..., Any]):
    with serving(tmp_path, "play", "--vs", "random", "--map", "small", "--seed", "6") as server:
        page = open_page(server.address)
        game_map = Game("small").map
        keys = page.keyboard
        page.get_by_text("Pick 2 regions: 2 to go").wait_for()
        for _ in range(60):
            if page.evaluate("document.activeElement?.dataset?.region !== undefined"):
                break
            keys.press("Tab")
        picked = 0
        for turn in range(200):  # wander over the map by arrow keys until both picks are made
            if page.evaluate("document.activeElement.getAttribute('aria-label')").endswith("may be picked"):
                keys.press("Enter")
                picked += 1
                if picked == 2:
                    break
            keys.press(("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp")[(turn * turn // 3) % 4])
        assert picked == 2
        keys.press("Control+Enter")
        for number in range(1, 60):
            page.locator(".phases").wait_for()
            source, target = front(page, game_map, regions(page))
            codes = {r.name: r.code.lower() for r in game_map.regions}
            if number == 1:  # by letters
                keys.press("d")
                page.get_by_text("Letter of the region to deploy on").wait_for()
                keys.press(letter_of(page, source))
                keys.press("a")
                keys.press(letter_of(page, source))
                page.get_by_text(f"From {source}: letter of the target").wait_for()
                keys.press(letter_of(page, target))
                keys.press("6")
                armies = next(r["armies"] for r in regions(page) if r["name"] == target)
                shown = page.locator(".region dl").inner_text()
                assert f"{100 * battle_odds(6, armies).capture:.1f} %" in shown
                keys.press("z")
                keys.press("Shift+Z")
                assert page.locator("li.attack input").input_value() == "6"
            else:  # as text
                keys.press(":")
                income = page.locator(".phases button").first.inner_text().rpartition("/")[2]
                army = next(r["armies"] for r in regions(page) if r["name"] == source) + int(income) - 1
                keys.type(f"d {codes[source]} {income}; a {codes[source]} {codes[target]} {army}")
                keys.press("Enter")
            page.locator("li.attack").wait_for()
            keys.press("Control+Enter")
            round_or_end(page, number + 1)
            if page.locator(".result").count():
                break
        assert "wins after" in page.locator(".result").inner_text()
        assert GameLog.load(tmp_path / f"{server.game}.wl.jsonl").complete


def round_or_end(page: Any, number: int) -> None:
    """Wait until that round is to be entered, or the game is over."""
    page.locator(f".round:has-text('Round {number}'), .result").first.wait_for()


def letter_of(page: Any, name: str) -> str:
    """The letter that the map shows on a region."""
    number = region(page, name).get_attribute("data-region")
    letter = page.locator(f"[data-letter='{number}']")
    letter.wait_for()
    return letter.text_content().strip().lower()


def test_at_a_shared_screen_in_fog_nothing_of_the_other_is_in_the_page_or_on_the_wire(
    tmp_path: Path, open_page: Callable[..., Any]
):
    with serving(tmp_path, "hotseat", "Ann", "Bo", "--fog", "--seed", "11") as server:
        page = open_page()
        heard: list[str] = []
        page.on("websocket", lambda ws: ws.on("framereceived", lambda frame: heard.append(str(frame))))
        page.on("response", lambda r: heard.append(r.text()) if "/api/games/" in r.url else None)
        page.goto(server.address)

        def take_seat(name: str) -> None:
            page.get_by_role("heading", name=f"Pass to {name}").wait_for()
            assert page.locator("path[data-region]").count() == 0
            heard.clear()
            page.get_by_role("button", name=re.compile(f"I am {name}")).click()
            page.locator("path[data-region]").first.wait_for()

        def hand_in() -> None:
            page.get_by_role("button", name=re.compile("Commit")).click()

        for name in ("Ann", "Bo"):
            take_seat(name)
            page.get_by_text("Pick 2 regions: 2 to go").wait_for()
            for _ in range(2):
                page.locator('path[aria-label$="may be picked"]').first.focus()
                page.keyboard.press("Enter")
            hand_in()
        for number in (1, 2, 3):
            for seat, name in enumerate(("Ann", "Bo")):
                take_seat(name)
                page.locator(".phases").wait_for()
                mine = [r for r in regions(page) if r["who"] == "yours"]
                region(page, mine[0]["name"]).focus()
                page.keyboard.press("Shift+Enter")
                page.get_by_text("All deployed").wait_for()
                # What the page and the wire hold, against what the engine lets this player see.
                log = GameLog.load(tmp_path / f"{server.game}.partial.wl.jsonl")
                owner, _ = list(log.positions())[-1]
                assert len(log.rounds) == number - 1
                near = log.header.map.neighbors
                sight = {r for r, o in enumerate(owner) if o == seat}
                sight |= {n for r in list(sight) for n in near[r]}
                hidden = set(range(len(owner))) - sight
                assert len(hidden) > 15
                told = regions(page)
                for r in hidden:
                    assert told[r]["who"] == "unseen"
                    assert told[r]["armies"] == 0
                seen_owner, seen_army = [-1] * len(owner), [0] * len(owner)
                for text in heard:
                    message = json.loads(text) if text.startswith("{") else {}
                    if message.get("event") == "start":
                        seen_owner, seen_army = message["owner"], message["army"]
                    for region_, by, armies in message.get("changed", ()):
                        seen_owner[region_], seen_army[region_] = by, armies
                    assert "hash" not in message
                    assert all(given is None for p, given in enumerate(message.get("orders", ())) if p != seat)
                    for player, where, _ in message.get("deploys", ()):
                        assert player == seat or where in sight or number > 1
                assert all(seen_owner[r] == -2 and seen_army[r] == 0 for r in hidden)
                assert [seen_owner[r] for r in sight] == [owner[r] for r in sight]
                other = page.evaluate("JSON.stringify(Object.entries(localStorage))")
                assert "draft" not in other or f".{1 - seat}." not in re.sub(r"keys\.\w+", "", other)
                hand_in()
        page.get_by_role("heading", name="Pass to Ann").wait_for()  # all has been answered before the server ends


def test_an_exported_replay_opens_offline_and_steps_by_arrow_key(tmp_path: Path, open_page: Callable[..., Any]):
    log = bot_log()
    log.save(tmp_path / "game.wl.jsonl")
    file = tmp_path / "replay.html"
    assert main(["replay", str(tmp_path / "game.wl.jsonl"), "--html", str(file), "-q"]) == 0
    page = open_page(offline=True)
    asked: list[str] = []
    page.on("request", lambda r: asked.append(r.url))
    page.goto(f"{file.as_uri()}?#/?round=0")
    page.locator("path[data-region]").first.wait_for()

    def board() -> list[int]:
        return [r["armies"] for r in regions(page)]

    positions = list(log.positions())
    assert board() == list(positions[0][1])
    page.keyboard.press("ArrowRight")
    assert board() != list(positions[0][1])
    page.keyboard.press("Home")
    for number in range(1, len(log.rounds) + 1):
        page.keyboard.press("Shift+ArrowRight")
        assert board() == list(positions[number][1])
        assert f"round={number}" in page.url
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    assert board() == list(positions[-1][1])
    assert page.locator("[aria-label='Win probability'] svg").count() == 1
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("round=3"))
    candidates = page.locator("[aria-label^='Candidates of'] tbody tr").count()
    insight = log.rounds[2].insights[0].data
    assert candidates == min(12, len(insight["candidates"]))
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


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


def test_the_page_goes_on_when_the_server_was_killed(tmp_path: Path, open_page: Callable[..., Any]):
    line = ("play", "--vs", "random", "--map", "world", "--seed", "8")
    with serving(tmp_path, *line) as first:
        port = int(first.base.rpartition(":")[2])
        page = open_page(first.address)
        page.get_by_text("Pick 2 regions: 2 to go").wait_for()
        for _ in range(2):
            page.locator('path[aria-label$="may be picked"]').first.focus()
            page.keyboard.press("Enter")
        page.keyboard.press("Control+Enter")
        page.locator(".phases").wait_for()
        page.keyboard.press("Control+Enter")
        round_or_end(page, 2)
        page.locator('path[aria-label*=", yours,"]').first.focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        page.get_by_role("button", name=re.compile("Deploy.*2.5")).wait_for()
        first.kill()
        page.get_by_text("Connection lost").wait_for()
        assert page.get_by_role("button", name=re.compile("Commit")).is_disabled()
        page.keyboard.press("Enter")
    with serving(tmp_path, *line, port=port):
        page.get_by_text("Connection lost").wait_for(state="detached")
        page.get_by_role("button", name=re.compile("Deploy.*3.5")).wait_for()
        page.reload()  # the draft outlives the page, too
        page.get_by_role("button", name=re.compile("Deploy.*3.5")).wait_for()
        page.keyboard.press("Control+Enter")
        round_or_end(page, 3)
    log = GameLog.load(tmp_path / f"{first.game}.partial.wl.jsonl")
    assert [sum(n for _, n in r.orders[0].deploys) for r in log.rounds] == [0, 3]


def test_watching_live_and_holding(tmp_path: Path, open_page: Callable[..., Any]):
    with serving(tmp_path, "watch", "aggressive", "random", "--live", "--map", "small") as server:
        page = open_page(server.address)
        page.get_by_role("combobox", name="Pace").select_option("0.1")
        page.locator(".where", has_text=re.compile(r"Round [2-9]")).wait_for()
        page.keyboard.press("Home")
        assert page.get_by_role("button", name="● Live").get_attribute("aria-pressed") == "false"
        time.sleep(0.3)
        assert "Round 0" in page.locator(".where").inner_text()
        page.keyboard.press("l")
        page.locator(".result").wait_for()
        page.get_by_role("link", name="Replay and analysis").click()
        page.get_by_role("button", name="Play on from here").wait_for()


def test_a_game_shows_itself_in_notebooks(tmp_path: Path, open_page: Callable[..., Any]):
    game = Game("small", seed=1, picks="random")
    game.play_round([None, None])
    text = game._repr_html_()
    assert text == framed(game)
    (tmp_path / "notebook.html").write_text(f"<!doctype html><title>n</title>{text}")
    page = open_page((tmp_path / "notebook.html").as_uri())
    inside = page.frame_locator("iframe")
    inside.locator("path[data-region]").first.wait_for()
    assert inside.locator("path[data-region]").count() == game.map.n_regions


def screens(server: Server, page: Any, tmp_path: Path) -> Iterator[str]:
    """Every screen, one after the other, by name."""
    page.goto(f"{server.base}/#/")
    page.get_by_role("button", name="Play now").wait_for()
    page.wait_for_timeout(100)
    yield "home"
    page.goto(server.address)
    page.get_by_text("Pick 2 regions: 2 to go").wait_for()
    yield "picks"
    for _ in range(2):
        page.locator('path[aria-label$="may be picked"]').first.focus()
        page.keyboard.press("Enter")
    page.keyboard.press("Control+Enter")
    page.locator(".phases").wait_for()
    for number in (1, 2, 3):
        source, target = front(page, Game("world").map, regions(page))
        region(page, source).focus()
        page.keyboard.press("Shift+Enter")
        page.get_by_text("All deployed").wait_for()
        page.keyboard.press("a")
        page.keyboard.press(letter_of(page, source))
        page.get_by_text(f"From {source}: letter of the target").wait_for()
        page.keyboard.press(letter_of(page, target))
        page.locator("li.attack").wait_for()
        if number == 3:
            page.keyboard.press("h")
            page.keyboard.press("h")
            page.locator("[aria-label='Candidates of Hint']").wait_for()
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
    with httpx.Client(base_url=f"{server.base}/api/") as client:
        two = {"players": [{"name": "Ann"}, {"name": "Bo"}], "fog": True}
        made = client.post("games", json=two).json()
        tokens = "&".join(f"key{seat}={token}" for seat, token in made["tokens"].items())
        page.goto(f"{server.base}/#/g/{made['id']}?{tokens}")
        page.get_by_role("heading", name="Pass to Ann").wait_for()
        yield "hotseat"
        bots = {"players": [{"bot": "mcts:sims=457"}, {"bot": "aggressive"}], "picks": "random", "pace": 0.1, "seed": 3}
        made = client.post("games", json=bots).json()
        page.goto(f"{server.base}/#/g/{made['id']}?key={made['watch']}")
        page.locator(".where", has_text=re.compile(r"Round [5-9]")).wait_for()
        page.get_by_role("button", name="Hold").click()
        page.get_by_role("button", name="Let them play").wait_for()
        yield "watch"
    file = tmp_path / "replay.html"
    write_html(bot_log("world", 25, 5, fog=True), file)
    page.goto(f"{file.as_uri()}?#/?round=9&order=4")
    page.locator("path[data-region]").first.wait_for()
    yield "replay"
    page.get_by_role("combobox", name="Map layer").select_option("value")
    page.get_by_role("combobox", name="Perspective").select_option("1")
    page.keyboard.press("End")
    yield "analysis"
    page.goto(f"{server.base}/#/t/cup")
    page.get_by_role("heading", name="Who beats whom").wait_for()
    yield "tournament"


def write_tournament(folder: Path) -> None:
    """A tournament's result in the form in which runs leave it."""
    names = ["mcts", "aggressive", "random"]
    share = {(0, 1): 0.85, (0, 2): 0.99, (1, 2): 0.95}
    meetings = []
    for a in range(3):
        for b in range(3):
            if a != b:
                score = share.get((a, b), 1 - share.get((b, a), 0))
                meetings.append(
                    {
                        "agent": names[a], "against": names[b], "games": 200, "wins": round(200 * score),
                        "losses": 200 - round(200 * score), "draws": 0, "score": score,
                        "interval": [score - 0.05, score + 0.05],
                    }
                )  # fmt: skip
    result = {
        "tournament": {
            "name": "Cup", "format": "round robin", "players": 2, "games": 200, "seed": 1, "clock": "none",
            "agents": [{"name": n, "spec": n, "clock": "none"} for n in names],
        },
        "games": 600,
        "interrupted": False,
        "ratings": [
            {"name": n, "elo": e, "low": e - 40, "high": e + 45, "games": 400, "score": s, "perfect": False}
            for n, e, s in zip(names, (310, 20, -330), (0.92, 0.55, 0.03), strict=True)
        ],
        "skills": None,
        "meetings": meetings,
        "pairings": [
            {
                "map": "world", "rules": "thesis", "entrants": [names[a], names[b]], "games": 200, "games_asked": 200,
                "wins": [round(200 * s), 200 - round(200 * s)], "draws": 0, "cut_off": 1, "mean_rounds": 23.4,
                "seconds": 31.5,
            }
            for (a, b), s in share.items()
        ],
    }  # fmt: skip
    (folder / "cup").mkdir(parents=True)
    (folder / "cup" / "tournament.json").write_text(json.dumps(result))


def test_axe_finds_nothing_on_any_screen_in_both_themes(tmp_path: Path, open_page: Callable[..., Any]):
    """With WARLIGHT_PICTURES set to a folder, pictures of all screens are written there."""
    from axe_playwright_python.sync_playwright import Axe

    axe, pictures = Axe(), os.environ.get("WARLIGHT_PICTURES")
    write_tournament(tmp_path / "runs")
    line = ("play", "--vs", "aggressive", "--seed", "5", "--runs", str(tmp_path / "runs"))
    with serving(tmp_path, *line) as server:
        page = open_page(color_scheme="dark", bypass_csp=True)
        found, seen = [], []
        for name in screens(server, page, tmp_path):
            seen.append(name)
            for theme in ("dark", "light"):
                page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
                if pictures:
                    page.screenshot(path=Path(pictures) / f"{name}-{theme}.png")
                    page.set_viewport_size({"width": 360, "height": 740})
                    page.wait_for_timeout(150)
                    page.screenshot(path=Path(pictures) / f"{name}-{theme}-phone.png", full_page=name != "keys")
                rules = None if theme == "dark" else {"runOnly": ["color-contrast"]}  # all else is the same in both
                for violation in axe.run(page, options=rules).response["violations"]:
                    nodes = [node["html"][:200] for node in violation["nodes"][:3]]
                    found.append((name, theme, violation["id"], violation["help"], nodes))
                page.set_viewport_size(STILL["viewport"])
            page.evaluate("document.documentElement.dataset.theme = 'dark'")
        assert len(seen) == 10
        assert found == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_nothing_is_wider_than_the_screen(width: int, tmp_path: Path, open_page: Callable[..., Any]):
    write_tournament(tmp_path / "runs")
    with serving(tmp_path, "play", "--vs", "aggressive", "--seed", "5", "--runs", str(tmp_path / "runs")) as server:
        page = open_page(viewport={"width": width, "height": 740})
        for name in screens(server, page, tmp_path):
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
