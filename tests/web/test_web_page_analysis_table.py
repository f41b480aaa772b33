"""The screens of analysis, variations, lessons and studies on all devices, with all pointers, in both languages.

The default run tests one case of each screen; the slow tests cover all cases.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest
from analysis_page_helpers import news, open_log
from gesture_helpers import DESKTOP, DEVICES, Device, Gestures
from language_helpers import czech
from page_helpers import PAGE, axe_finds, bot_log, box, idle_log, region, regions

from warlight_env import Game
from warlight_env.record import GameLog
from web_helpers import Server

pytestmark = PAGE

KEYBOARD = Device("desktop", "keyboard", DESKTOP)
MOVING = Device("desktop", "mouse", {**DESKTOP, "reduced_motion": "no-preference"})
#: A page of 1280 by 800 pixels at a zoom of 200 %.
ZOOMED = Device("zoomed", "mouse", {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2})
BETTER = "g.best, g.addition"
#: JavaScript: scroll to an element; return the point at a share of its width, or null if another element covers it.
UNCOVERED = """(e, [block, share]) => { e.scrollIntoView({block, inline: 'nearest', behavior: 'instant'});
    const b = e.getBoundingClientRect(); const [x, y] = [b.left + share * b.width, b.top + b.height / 2];
    const there = document.elementFromPoint(x, y); return there && e.contains(there) ? [x, y] : null }"""
JUDGEMENT = {
    "orders": "", "worth": 0.6, "played": 0.4, "best": 0.61, "gain": 0.2, "gain_error": 0.02, "lost": 0.01,
    "lost_error": 0.02, "passed": True, "better": "",
}  # fmt: skip


class User:
    """A simulated user with one pointer or only a keyboard, and with a language."""

    def __init__(self, page: Any, device: Device, locale: str) -> None:
        self.page, self.device = page, device
        self._texts = czech() if locale == "cs-CZ" else {}
        self._gestures = None if device.pointer == "keyboard" else Gestures(page, device.pointer)

    def word(self, english: str, **values: Any) -> str:
        """Return a message in the user's language."""
        text = self._texts.get(english, english)
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", str(value))
        return text

    def button(self, english: str, **values: Any) -> Any:
        return self.page.get_by_role("button", name=self.word(english, **values), exact=True)

    def press(self, element: Any, share: float = 0.5) -> None:
        """Press an element at a share of its width. The page is scrolled until no other element covers it."""
        element.wait_for()
        if self._gestures is None:
            element.focus()
            assert element.evaluate("e => e === document.activeElement && e.tabIndex >= 0")
            return self.page.keyboard.press("Enter")
        element.click(trial=True)  # waits until the element stops moving
        place = next(
            point for block in ("nearest", "center", "end") if (point := element.evaluate(UNCOVERED, [block, share]))
        )
        self._gestures.press(place)

    def cards(self, shown: bool) -> None:
        """Show or hide the cards on a narrow screen."""
        handle = self.page.locator("aside .handle")
        narrow = self.page.viewport_size["width"] <= 980
        if narrow and (handle.get_attribute("aria-expanded") == "true") != shown:
            self.press(handle)
            self.page.locator(f"aside .handle[aria-expanded={str(shown).lower()}]").wait_for()

    def deploy_and_commit(self) -> None:
        """Deploy two armies on a region of the player, remove one, and commit the turn.

        The server's answer changes the page and can move elements. The caller must wait for it before the next press.
        """
        self.cards(False)
        region_path = self.page.locator("path[data-region].own").first
        region_path.wait_for(state="attached")
        name = Game("small").map.regions[int(region_path.get_attribute("data-region"))].name
        place = region(self.page, name)
        place.scroll_into_view_if_needed()
        for armies in (1, 2):
            if self._gestures is None:
                self.press(place)
            else:
                self._gestures.press(box(self.page, name))
            self._deployed(armies)
        if self._gestures is None:
            self.page.keyboard.press("Alt+Enter")
        else:
            self._gestures.hold(box(self.page, name))
        self._deployed(1)
        self.press(self.page.locator("[data-guide=commit]"))

    def _deployed(self, armies: int) -> None:
        self.page.wait_for_function(
            "n => document.querySelector('[data-guide=deploy] b').textContent.startsWith(n)", arg=f"{armies}/"
        )
        self.page.wait_for_timeout(350)  # two taps in a short time are a double tap


def unique_log(folder: Path) -> GameLog:
    """Return a log that no other test uses. The server keeps one tree of variations for all copies of a log."""
    log = idle_log(4)
    return replace(log, header=replace(log.header, match={"test": str(folder)}))


def open_start_screen(server: Server, open_page: Callable[..., Any], device: Device, locale: str, place: str) -> User:
    """Open a screen, on which a fast bot answers."""
    page = open_page(locale=locale, **device.options)
    page.add_init_script("localStorage['warlight.engine'] = 'aggressive'")
    page.goto(server.page(place))
    return User(page, device, locale)


def open_analysed_log(user: User, folder: Path) -> None:
    """Open a log with two mistakes on the start screen. The analysis has fixed results."""
    page, log = user.page, unique_log(folder)
    marks = {2: ("??", 0.4), 3: ("?", 0.11)}
    page.route("**/analysis", lambda route: route.fulfill(json=news(log, 1, marks)))
    page.route("**/chances", lambda route: route.fulfill(body="null", content_type="application/json"))
    page.route("**/variations/judge", lambda route: route.fulfill(json=JUDGEMENT))
    open_log(page, log, folder, user.word("Log of a game"))
    page.locator("[data-round='2'] [data-mark='??']").wait_for(state="attached")


def use_the_analysis(user: User) -> None:
    page = user.page
    user.press(user.button("Next mistake"))
    page.locator(BETTER).first.wait_for(state="attached")
    user.cards(True)
    card = page.get_by_role("region", name=user.word("Analysis"), exact=True)
    user.press(card.locator(".turns button").first)
    card.locator(".turns button[aria-pressed=true]").wait_for()
    user.press(page.locator("[data-round='3'] button.round"))
    card.get_by_role("heading", name=user.word("Round {round}", round=3)).wait_for()
    if user.device.pointer != "keyboard":  # keyboard users reach the same positions by the list of moves
        user.press(page.get_by_role("region", name=user.word("Win probability"), exact=True).locator("svg"), 0.99)
        page.wait_for_function("() => location.hash.includes('round=4')")


def use_variations(user: User) -> None:
    page = user.page
    page.keyboard.press("Home")
    user.cards(True)
    user.press(user.button("Try a turn in round {round}", round=1))
    user.button("Stop").wait_for()
    user.deploy_and_commit()
    page.locator("[data-guide=commit]").wait_for(state="detached")
    user.cards(True)
    rows = page.get_by_role("list", name=user.word("Tree of variations")).get_by_role("button")
    rows.nth(1).wait_for()
    user.press(rows.nth(0))
    page.wait_for_function("() => !location.hash.includes('line=')")
    user.press(rows.nth(1))
    page.wait_for_function("() => location.hash.includes('line=')")
    user.press(user.button("Back to the game"))
    page.wait_for_function("() => !location.hash.includes('line=')")
    user.press(rows.nth(1))
    page.wait_for_function("() => location.hash.includes('line=')")
    user.press(user.button("Delete the branch"))
    rows.first.wait_for(state="detached")


def use_a_lesson(user: User) -> None:
    page = user.page
    user.cards(True)
    user.press(user.button("Learn from your mistakes"))
    user.deploy_and_commit()
    good = user.word("Good: this turn is better.")
    page.get_by_text(good).first.wait_for(state="attached")
    user.cards(True)
    lesson = page.get_by_role("region", name=user.word("Learn from your mistakes"))
    lesson.get_by_text(good).wait_for()
    user.press(user.button("Next mistake").and_(lesson.get_by_role("button")))
    user.press(user.button("Show the better turn"))
    page.locator(BETTER).first.wait_for(state="attached")
    user.press(user.button("Try again"))
    user.press(user.button("End the lesson"))
    lesson.wait_for(state="detached")


def use_a_study(user: User) -> None:
    page = user.page
    title = token_hex(8)  # a failed attempt leaves its study on the server
    field = page.get_by_label(user.word("Title"), exact=True)
    field.focus() if user.device.pointer == "keyboard" else user.press(field)  # Enter in this field starts the study
    page.keyboard.type(title)
    page.get_by_role("combobox", name=user.word("Map")).select_option("small")
    user.press(user.button("Start at a random position"))
    page.locator("path[data-region]").first.wait_for()
    user.cards(True)
    user.press(user.button("Try a turn in round {round}", round=1))
    page.get_by_role("combobox", name=user.word("Reply")).select_option("given")
    user.deploy_and_commit()
    page.locator("[data-guide=commit]").wait_for(state="detached")
    user.cards(True)
    page.get_by_role("list", name=user.word("Tree of variations")).get_by_role("button").nth(1).wait_for()
    page.goto(page.url.partition("#")[0] + "#/studies")
    user.press(user.button("Delete {name}", name=title))
    user.button("Delete {name}", name=title).wait_for(state="detached")


SCREENS = {
    "analysis": use_the_analysis, "variations": use_variations, "lesson": use_a_lesson, "study": use_a_study,
}  # fmt: skip
TABLE = [(screen, device, locale) for screen in SCREENS for device in (*DEVICES, KEYBOARD, MOVING, ZOOMED)
         for locale in ("en-US", "cs-CZ")]  # fmt: skip
#: The cases of the default run: together they cover both languages, mouse, pen, touch and keyboard.
FIRST = {
    ("analysis", "phone", "touch", "cs-CZ"), ("variations", "desktop", "keyboard", "en-US"),
    ("lesson", "tablet", "pen", "en-US"), ("study", "zoomed", "mouse", "cs-CZ"),
}  # fmt: skip


def case(screen: str, device: Device, locale: str) -> Any:
    case_key = (screen, device.name, device.pointer, locale)
    moving = "-moving" if device is MOVING else ""
    return pytest.param(
        screen, device, locale, id="-".join(case_key) + moving, marks=() if case_key in FIRST else pytest.mark.slow
    )


@pytest.mark.parametrize(("screen", "device", "locale"), [case(*row) for row in TABLE])
def test_user_completes_the_task_of_each_screen(
    server: Server, tmp_path: Path, open_page: Callable[..., Any], screen: str, device: Device, locale: str
):
    accessible = device._replace(options={**device.options, "bypass_csp": True})
    user = open_start_screen(server, open_page, accessible, locale, "studies" if screen == "study" else "")
    if screen != "study":
        open_analysed_log(user, tmp_path)
    SCREENS[screen](user)
    page = user.page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if device is not MOVING:
        assert page.evaluate("document.getAnimations().length") == 0
    assert axe_finds(page) == []


def try_turn(page: Any, who: str) -> None:
    """Deploy all armies on a region of a player, and commit."""
    region(page, next(r["name"] for r in regions(page) if r["who"] == who)).focus()
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Control+Enter")


def variation_screens(server: Server, page: Any, folder: Path) -> Iterator[str]:
    """Show the screens with variations, a lesson and studies in turn; yield their names."""
    page.add_init_script("localStorage['warlight.engine'] = 'aggressive'")
    page.goto(server.page())
    log = bot_log("world", 12, 5)
    marks = {3: ("?!", 0.06), 5: ("??", 0.21), 8: ("?", 0.12)}
    page.route("**/analysis", lambda route: route.fulfill(json=news(log, 1, marks)))
    page.route("**/variations/judge", lambda route: route.fulfill(json=JUDGEMENT))
    open_log(page, log, folder)
    page.get_by_role("region", name="Win probability").locator("figcaption", has_text="Attila").wait_for()
    card = page.get_by_role("region", name="Variations", exact=True)
    rows = card.get_by_role("list", name="Tree of variations").get_by_role("button")
    page.locator("[data-round='5'] [data-mark='??']").wait_for()
    for number, (reply, name, comment) in enumerate(
        (("known", "All in one place", "The same reply as in the game."), ("believed", "", "Attila replies."))
    ):
        if not number:
            page.keyboard.press("b")
            page.keyboard.press("b")
        page.keyboard.press("y")
        card.get_by_role("combobox", name="Reply").select_option(reply)
        try_turn(page, "Linden")
        rows.nth(number + 1).wait_for()
        card.get_by_label("Name of the variation").fill(name)
        card.get_by_label("Comment").fill(comment)
        card.get_by_role("button", name="Save the texts").click()
        card.get_by_role("list").get_by_text(comment).wait_for()
    yield "variations"
    page.keyboard.press("x")
    card.get_by_role("button", name="Learn from your mistakes").click()
    try_turn(page, "Linden")
    page.get_by_text("Good: this turn is better.").wait_for()
    yield "lesson"
    client = server.client()
    response = client.post("studies", json={"title": "The corner", "players": ["Ann", "Bo"], "map": "small"})
    assert response.status_code == 200
    page.goto(server.page("studies"))
    page.get_by_text("The corner").first.wait_for()
    yield "studies"


@pytest.mark.slow
def test_axe_finds_nothing_on_variation_screens_in_both_themes(
    server: Server, tmp_path: Path, open_page: Callable[..., Any]
):
    """If WARLIGHT_PICTURES names a folder, the test writes screenshots to it."""
    pictures = os.environ.get("WARLIGHT_PICTURES")
    page = open_page(color_scheme="dark", bypass_csp=True, **DESKTOP)
    problems = []
    for name in variation_screens(server, page, tmp_path):
        for theme in ("dark", "light"):
            page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
            if pictures:
                page.screenshot(path=Path(pictures) / f"{name}-{theme}.png")
            problems += [(name, theme, *problem) for problem in axe_finds(page, theme == "light")]
    assert problems == []
