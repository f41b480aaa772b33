"""The page in Czech: no English sentence on any screen, plural forms, the stored choice, files, and axe checks."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from analysis_page_helpers import QUICK
from language_helpers import czech, english_left
from page_helpers import PAGE, PHONE, axe_finds, bot_log, region, store_turn

from warlight_env.web.export import framed, write_html
from warlight_env.web.workers.game_report import report_of
from web_helpers import CHROMIUM, YOU, Server

pytestmark = PAGE

CZECH = {"locale": "cs-CZ", "bypass_csp": True}


def check_czech(page: Any, name: str, axe: bool = True) -> None:
    """Check that a screen is in Czech only, that it declares this language, and that axe finds nothing.

    axe: False for screens with elements that `test_web_page_screens` and other cases of this test check.
    """
    assert page.evaluate("document.documentElement.lang") == "cs", name
    assert english_left(page, czech()) == [], name
    if axe:
        assert axe_finds(page) == [], name


def own_regions(page: Any) -> list[str]:
    """Return the names of the player's regions."""
    labels = page.locator("path[data-region]").evaluate_all("all => all.map(e => e.getAttribute('aria-label'))")
    return [label.split(", ")[0] for label in labels if ", tvoje, " in label]


def test_screens_and_errors_of_a_game_are_in_czech(server: Server, tmp_path: Path, open_page: Callable[..., Any]):
    game_server = server.begin(YOU, "aggressive", seed=5)
    page = open_page(**CZECH, expects="status of 422")
    start = server.client().get("home").json()
    start["maps"] = [entry for entry in start["maps"] if entry["name"] == "small"]  # nothing of other tests
    start["tournaments"] = []
    start["games"] = [{
        "id": "none", "name": "", "players": ["You", "Pip"], "bots": [None, "random"], "faces": [None, None],
        "watch": None, "map": "Small island", "rules": "thesis", "rounds": 1, "fog": False,
        "over": False, "winner": None, "when": 0,
    }]  # fmt: skip
    page.route("**/api/home", lambda route: route.fulfill(json=start))
    page.add_init_script(QUICK)
    page.goto(server.page())
    page.get_by_role("button", name="Hrát", exact=True).wait_for()
    page.get_by_role("button", name="Ukázková hra").and_(page.locator(":enabled")).wait_for()
    check_czech(page, "home", axe=False)
    page.get_by_text("Malý ostrov · ").wait_for()  # the map of the game in the list
    page.get_by_role("button", name="Nastavení").click()
    page.get_by_role("heading", name="Nastavení").wait_for()
    check_czech(page, "settings")
    page.goto(game_server.address)
    page.get_by_text("Vyber 2 území: zbývá 2").wait_for()
    check_czech(page, "picks", axe=False)
    picks = page.get_by_role("region", name="Výběr")
    assert picks.evaluate("e => e.scrollWidth <= e.clientWidth"), "the link to the guide fits"
    for _ in range(2):
        page.locator('path[aria-label$="lze vybrat"]').first.focus()
        page.keyboard.press("Enter")
    page.keyboard.press("Control+Enter")
    page.locator(".phases").wait_for()

    # The dialog on undeployed armies uses the Czech plural forms for one, few and many.
    dialog = page.get_by_role("alertdialog")
    home = own_regions(page)[0]
    for deployed, question in (
        (0, "5 armád není nasazeno."),
        (3, "2 armády nejsou nasazené."),
        (1, "1 armáda není nasazená."),
    ):
        region(page, home).focus()
        for _ in range(deployed):
            page.keyboard.press("Enter")
        page.keyboard.press("Control+Enter")
        assert dialog.locator("b").inner_text() == question
        check_czech(page, question, axe=deployed == 0)
        dialog.get_by_role("button", name="Nasadit").click()

    # Invalid orders: the page refuses some, the server refuses others.
    home_code, (far, end) = region_code(page, home), find_distant_region(page, home)
    page.keyboard.press(":")
    page.keyboard.type("a zz yy 3")
    page.keyboard.press("Enter")
    assert page.locator("#command-says").inner_text() == "rozkaz 1 („a zz yy 3“): území zz není"
    page.keyboard.press("Control+a")
    page.keyboard.type(f"a {home_code} {far} 1")
    page.keyboard.press("Enter")
    page.get_by_text("nesousedí").wait_for()
    first = int(region(page, home).get_attribute("data-region"))
    store_turn(page, game_server.game, {"deploys": [], "attacks": [[first, end, 1]]})
    page.locator(".phases").wait_for()
    page.keyboard.press("Control+Enter")
    dialog.get_by_role("button", name="Přesto odevzdat").click()
    page.get_by_text("útok 1: území nesousedí").first.wait_for()
    check_czech(page, "refused", axe=False)
    page.get_by_role("button", name="Smazat vše").click()

    region(page, home).focus()
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("a")
    for _ in range(2):
        letter = page.locator("[data-letter]").first
        page.keyboard.press(letter.text_content().strip().lower())
    page.locator("li.attack").wait_for()
    page.keyboard.press("h")
    page.keyboard.press("h")
    # the server may compile kernels first
    page.locator("[aria-label='Kandidáti: Nápověda']").wait_for(timeout=180_000)
    check_czech(page, "attack", axe=False)
    page.keyboard.press("?")
    check_czech(page, "keys", axe=False)
    page.keyboard.press("Escape")
    page.keyboard.press("t")
    page.get_by_role("region", name="Tabulka území").wait_for()
    check_czech(page, "table", axe=False)
    page.keyboard.press("t")
    page.keyboard.press("Control+Enter")
    page.locator(".round:has-text('Kolo 2')").first.wait_for()

    move_lines = page.locator(".line").evaluate_all("all => all.map(e => e.getAttribute('aria-label'))")
    assert any(re.match("Nasazuješ 5 armád na území ", line) for line in move_lines), move_lines
    assert any(re.match("Attila nasazuje [5-9] armád na území ", line) for line in move_lines), move_lines
    assert any(re.match(r"(Útočíš|Přesouváš) \d+ armá", line) for line in move_lines), move_lines
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert "Nasazuješ" in page.locator(".status").inner_text()
    check_czech(page, "round", axe=False)
    page.get_by_role("button", name="Živě").click()

    # The browser stores the choice, which has priority over the browser's own language.
    page.reload()
    page.get_by_role("button", name="Odevzdat").wait_for()
    assert page.title() == "Warlight – hra"
    page.get_by_role("button", name="Nastavení").click()
    page.get_by_role("combobox", name="Jazyk").select_option(label="English")
    page.get_by_role("heading", name="Settings").wait_for()
    page.keyboard.press("Escape")
    page.reload()
    page.get_by_role("button", name="Commit").wait_for()
    assert (page.evaluate("document.documentElement.lang"), page.title()) == ("en", "Warlight – game")

    # The page explains a missing key and a stopped server.
    other = open_page(server.page("g/game-0000009"), **CZECH, expects="status of 422|ERR_CONNECTION_REFUSED")
    other.get_by_text("Tento prohlížeč nemá k té hře klíč").wait_for()
    check_czech(other, "no key", axe=False)
    other.goto(server.page())
    other.get_by_role("button", name="Hrát", exact=True).and_(other.locator(":enabled")).wait_for()
    file = tmp_path / "broken.wl.jsonl"
    file.write_text("{}\n")
    other.get_by_label("Záznam hry").set_input_files(file)
    assert "tento záznam nelze přečíst" in other.get_by_role("alert").inner_text()
    other.route("**/api/**", lambda route: route.abort("connectionrefused"))
    other.get_by_role("button", name="Hrát", exact=True).click()
    other.get_by_text("server neodpovídá").wait_for()


def region_code(page: Any, name: str) -> str:
    """Return the code of a region, which its card shows."""
    region(page, name).focus()
    return str(page.locator(".region .mono").first.inner_text()).lower()


def find_distant_region(page: Any, name: str) -> tuple[str, int]:
    """Return the code and the number of a region that is not a neighbour."""
    region(page, name).focus()
    near = page.locator(".region dl div", has_text="sousedé").locator("dd").inner_text().split(", ")
    for other in page.locator("path[data-region]").evaluate_all("all => all.map(e => e.getAttribute('aria-label'))"):
        other_name = other.split(", ")[0]
        if other_name not in [*near, name]:
            return region_code(page, other_name), int(region(page, other_name).get_attribute("data-region"))
    raise AssertionError("all are neighbours")


def test_a_replay_with_its_report_is_in_czech_as_a_file_and_in_a_notebook(
    tmp_path: Path, open_page: Callable[..., Any], chromium: Any
):
    log, file = bot_log(rounds=2), tmp_path / "replay.html"
    write_html(log, file, report=report_of(log, "nash:secs=0.05").to_dict())
    page = open_page(f"{file.as_uri()}?#/?round=2&order=2", **CZECH, **PHONE)
    page.locator("h3", has_text="Zlomové okamžiky").wait_for(state="attached")
    assert page.title() == "Warlight – záznam"
    check_czech(page, "replay on a phone")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("combobox", name="Vrstva mapy").select_option(label="Hodnota území")
    page.get_by_role("combobox", name="Pohled").select_option(label="Pohled: Attila")
    check_czech(page, "analysis", axe=False)
    assert re.search(r"\d,\d\s%", page.get_by_role("region", name="Rozbor", exact=True).inner_text())

    english = open_page(f"{file.as_uri()}?#/?round=2", locale="de-DE")
    english.get_by_role("heading", name="Turning points").wait_for()
    assert english.evaluate("document.documentElement.lang") == "en"

    notebook_file = tmp_path / "notebook.html"
    notebook_file.write_text(f'<!doctype html><meta charset="utf-8">{framed(log)}', encoding="utf-8")
    # A sandboxed frame has its own process. An emulated language can reach it too late, so the browser is Czech.
    czech = chromium.browser_type.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--accept-lang=cs"])
    with czech:
        notebook = open_page(notebook_file.as_uri(), browser=czech, locale=None)
        frame = notebook.frame_locator("iframe")
        frame.get_by_role("button", name="Nastavení").wait_for()
        assert frame.locator("html").get_attribute("lang") == "cs"


def test_a_tournament_is_in_czech(server: Server, cup: str, open_page: Callable[..., Any]):
    page = open_page(server.page(f"t/{cup}?agent=Attila&against=army"), **CZECH, expects="status of 404")
    page.get_by_role("link", name="Záznam hry").first.wait_for()
    assert page.title() == "Warlight – turnaj"
    page.get_by_text("každý s každým, 3 agenti, 2 ve hře").wait_for()
    check_czech(page, "tournament", axe=False)
    page.goto(server.page("t/none"))
    page.get_by_text("turnaj none není").wait_for()
    check_czech(page, "no tournament")
