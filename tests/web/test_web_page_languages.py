"""The page in Czech: no English sentence on any screen, plural forms, the stored choice, files, and axe checks."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from language_helpers import czech, english_left
from page_helpers import PAGE, PHONE, axe_finds, bot_log, region, store_turn

from warlight_env.web.export import framed, write_html
from warlight_env.web.workers.game_report import report_of
from web_helpers import CHROMIUM, Server, serving

pytestmark = PAGE

CZECH = {"locale": "cs-CZ", "bypass_csp": True}


def in_czech(page: Any, name: str, axe: bool = True) -> None:
    """Nothing is English on this screen, it says so, and axe finds nothing.

    axe: False for screens whose elements `test_web_page_screens` and other cases of this test check.
    """
    assert page.evaluate("document.documentElement.lang") == "cs", name
    assert english_left(page, czech()) == [], name
    if axe:
        assert axe_finds(page) == [], name


def own(page: Any) -> list[str]:
    """The names of the player's regions."""
    labels = page.locator("path[data-region]").evaluate_all("all => all.map(e => e.getAttribute('aria-label'))")
    return [label.split(", ")[0] for label in labels if ", tvoje, " in label]


def test_a_game_is_played_in_czech(tmp_path: Path, open_page: Callable[..., Any]):
    with serving(tmp_path, "play", "--vs", "aggressive", "--map", "small", "--seed", "5") as server:
        page = open_page(server.page(), **CZECH, expects="status of 422")
        page.get_by_role("button", name="Hrát", exact=True).wait_for()
        page.get_by_role("button", name="Ukázková hra").and_(page.locator(":enabled")).wait_for()
        in_czech(page, "home", axe=False)
        page.get_by_role("button", name="Nastavení").click()
        page.get_by_role("heading", name="Nastavení").wait_for()
        in_czech(page, "settings")
        page.goto(server.address)
        page.get_by_text("Vyber 2 území: zbývá 2").wait_for()
        in_czech(page, "picks", axe=False)
        for _ in range(2):
            page.locator('path[aria-label$="lze vybrat"]').first.focus()
            page.keyboard.press("Enter")
        page.keyboard.press("Control+Enter")
        page.locator(".phases").wait_for()

        # One, few and many: what is left of the income is asked about.
        asked = page.get_by_role("alertdialog")
        home = own(page)[0]
        for deployed, says in (
            (0, "5 armád není nasazeno."),
            (3, "2 armády nejsou nasazené."),
            (1, "1 armáda není nasazená."),
        ):
            region(page, home).focus()
            for _ in range(deployed):
                page.keyboard.press("Enter")
            page.keyboard.press("Control+Enter")
            assert asked.locator("b").inner_text() == says
            in_czech(page, says, axe=deployed == 0)
            asked.get_by_role("button", name="Nasadit").click()

        # Orders that are wrong, by this page and by the server.
        home_code, (far, end) = code(page, home), far_from(page, home)
        page.keyboard.press(":")
        page.keyboard.type("a zz yy 3")
        page.keyboard.press("Enter")
        assert page.locator("#command-says").inner_text() == "rozkaz 1 („a zz yy 3“): území zz není"
        page.keyboard.press("Control+a")
        page.keyboard.type(f"a {home_code} {far} 1")
        page.keyboard.press("Enter")
        page.get_by_text("nesousedí").wait_for()
        start = int(region(page, home).get_attribute("data-region"))
        store_turn(page, re.findall(r"/g/(\w+)", server.address)[0], {"deploys": [], "attacks": [[start, end, 1]]})
        page.locator(".phases").wait_for()
        page.keyboard.press("Control+Enter")
        asked.get_by_role("button", name="Přesto odevzdat").click()
        page.get_by_text("útok 1: území nesousedí").first.wait_for()
        in_czech(page, "refused")
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
        page.locator("[aria-label='Kandidáti: Nápověda']").wait_for(timeout=180_000)  # kernels may be compiled before
        in_czech(page, "attack", axe=False)
        page.keyboard.press("?")
        in_czech(page, "keys", axe=False)
        page.keyboard.press("Escape")
        page.keyboard.press("t")
        page.get_by_role("region", name="Tabulka území").wait_for()
        in_czech(page, "table", axe=False)
        page.keyboard.press("t")
        page.keyboard.press("Control+Enter")
        page.locator(".round:has-text('Kolo 2')").first.wait_for()

        told = page.locator(".line").evaluate_all("all => all.map(e => e.getAttribute('aria-label'))")
        assert any(re.match("Nasazuješ 5 armád na území ", line) for line in told), told
        assert any(re.match("Attila nasazuje [5-9] armád na území ", line) for line in told), told
        assert any(re.match(r"(Útočíš|Přesouváš) \d+ armá", line) for line in told), told
        page.keyboard.press("Home")
        page.keyboard.press("ArrowRight")
        assert "Nasazuješ" in page.locator(".status").inner_text()
        in_czech(page, "round")
        page.get_by_role("button", name="Živě").click()

        # The choice is kept by the browser, and goes before what the browser asks for.
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

        # Whoever comes without a key, or when the server is gone, is told so.
        other = open_page(server.page("g/game-0000009"), **CZECH, expects="status of 422")
        other.get_by_text("Tento prohlížeč nemá k té hře klíč").wait_for()
        in_czech(other, "no key")
        other.goto(server.page())
        other.get_by_role("button", name="Hrát", exact=True).and_(other.locator(":enabled")).wait_for()
        file = tmp_path / "broken.wl.jsonl"
        file.write_text("{}\n")
        other.get_by_label("Záznam hry").set_input_files(file)
        assert "tento záznam nelze přečíst" in other.get_by_role("alert").inner_text()
        server.kill()
        other.get_by_role("button", name="Hrát", exact=True).click()
        other.get_by_text("server neodpovídá").wait_for()


def code(page: Any, name: str) -> str:
    """A region's code in orders, out of the card that tells of it."""
    region(page, name).focus()
    return str(page.locator(".region .mono").first.inner_text()).lower()


def far_from(page: Any, name: str) -> tuple[str, int]:
    """The code and the number of a region that is no neighbour."""
    region(page, name).focus()
    near = page.locator(".region dl div", has_text="sousedé").locator("dd").inner_text().split(", ")
    for other in page.locator("path[data-region]").evaluate_all("all => all.map(e => e.getAttribute('aria-label'))"):
        there = other.split(", ")[0]
        if there not in [*near, name]:
            return code(page, there), int(region(page, there).get_attribute("data-region"))
    raise AssertionError("all are neighbours")


def test_a_replay_with_its_report_is_in_czech_as_a_file_and_in_a_notebook(
    tmp_path: Path, open_page: Callable[..., Any], chromium: Any
):
    log, file = bot_log(rounds=4), tmp_path / "replay.html"
    write_html(log, file, report=report_of(log, "nash:secs=0.05").to_dict())
    page = open_page(f"{file.as_uri()}?#/?round=2&order=2", **CZECH, **PHONE)
    page.locator("h3", has_text="Zlomové okamžiky").wait_for(state="attached")
    assert page.title() == "Warlight – záznam"
    in_czech(page, "replay on a phone")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("combobox", name="Vrstva mapy").select_option(label="Hodnota území")
    page.get_by_role("combobox", name="Pohled").select_option(label="Pohled: Attila")
    in_czech(page, "analysis")
    assert re.search(r"\d,\d\s%", page.get_by_role("region", name="Rozbor", exact=True).inner_text())

    english = open_page(f"{file.as_uri()}?#/?round=2", locale="de-DE")
    english.get_by_role("heading", name="Turning points").wait_for()
    assert english.evaluate("document.documentElement.lang") == "en"

    around = tmp_path / "notebook.html"
    around.write_text(f'<!doctype html><meta charset="utf-8">{framed(log)}', encoding="utf-8")
    # A sandboxed frame has a process of its own, to which an emulated language may come too late: a Czech browser.
    czech = chromium.browser_type.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--accept-lang=cs"])
    with czech:
        notebook = open_page(around.as_uri(), browser=czech, locale=None)
        inside = notebook.frame_locator("iframe")
        inside.get_by_role("button", name="Nastavení").wait_for()
        assert inside.locator("html").get_attribute("lang") == "cs"


def test_a_tournament_is_in_czech(server: Server, cup: str, open_page: Callable[..., Any]):
    page = open_page(server.page(f"t/{cup}?agent=Attila&against=army"), **CZECH, expects="status of 404")
    page.get_by_role("link", name="Záznam hry").first.wait_for()
    assert page.title() == "Warlight – turnaj"
    page.get_by_text("každý s každým, 3 agenti, 2 ve hře").wait_for()
    in_czech(page, "tournament", axe=False)
    page.goto(server.page("t/none"))
    page.get_by_text("turnaj none není").wait_for()
    in_czech(page, "no tournament")
