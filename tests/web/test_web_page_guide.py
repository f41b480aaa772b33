"""The guide of a first game: completed by mouse, touch or keyboard alone, closed and continued."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from page_helpers import PAGE, axe_finds, box, region, regions, round_or_end

from warlight_env import battle_odds
from web_helpers import YOU, Server

pytestmark = PAGE

Press = Callable[[Any, dict[str, Any]], None]

TOUCH = {"has_touch": True, "is_mobile": True}
TABLET = {"viewport": {"width": 820, "height": 1180}, **TOUCH}
PHONE = {"viewport": {"width": 360, "height": 740}, **TOUCH}

#: What the guide shows when its note and the map stand still: its words, the step's name, its ring's middle and width,
#: and the buttons in its note. `covers`: the regions named in its words whose armies its note covers, the chances that
#: its ring covers, and the controls of the turn that its note covers.
SHOWN = """async () => {
    const places = () => [...document.querySelectorAll('.note, path[data-region="0"], .beckon')].map(e => {
        const o = e.getBoundingClientRect(); return [o.left, o.top, o.width, o.height] }).join();
    for (let same = 0, frames = 0, last = ''; same < 3 && frames < 120; frames++) {
        await new Promise(requestAnimationFrame);
        const now = places();
        [same, last] = [now === last ? same + 1 : 0, now];
    }
    const hit = (e, l, t, r, b) => { const o = e?.getBoundingClientRect();
        return o && o.left < r && o.right > l && o.top < b && o.bottom > t; };
    const note = document.querySelector('.note'), text = note?.textContent ?? '';
    const covers = [...document.querySelectorAll('path[data-region]')].filter(e => {
        if (!text.includes(e.ariaLabel.split(',')[0])) return false;
        const { x, y } = new DOMPoint(...e.dataset.label.split(' '))
            .matrixTransform(e.getScreenCTM());
        return hit(note, x - 8, y - 8, x + 8, y + 8) }).map(e => e.ariaLabel);
    const o = document.querySelector('.aim p')?.getBoundingClientRect();
    if (o && hit(document.querySelector('.beckon'), o.left, o.top, o.right, o.bottom)) covers.push('odds');
    for (const css of ['.aim', '.phases', 'aside .handle']) {
        const b = document.querySelector(css)?.getBoundingClientRect();
        if (hit(note, b?.left, b?.top, b?.right, b?.bottom)) covers.push(css) }
    const ring = document.querySelector('.beckon:not(.quiet)'), box = ring?.getBoundingClientRect();
    return { says: document.querySelector('.note [role=status] p')?.textContent ?? '',
        name: ring?.dataset.stepName ?? null,
        at: box && [box.left + box.width / 2, box.top + box.height / 2], wide: box?.width, covers,
        buttons: [...document.querySelectorAll('.note button')].map(e => e.textContent) } }"""


def learn(server: Server, page: Any) -> None:
    """Begin the guide from the home screen."""
    page.goto(server.page())
    page.get_by_role("button", name="Learn in 90 seconds").click()
    page.locator(".note").wait_for()


def by_mouse(page: Any, shown: dict[str, Any]) -> None:
    page.mouse.click(*along(shown))


def by_finger(page: Any, shown: dict[str, Any]) -> None:
    page.touchscreen.tap(*along(shown))


def along(shown: dict[str, Any]) -> tuple[float, float]:
    """Where to press: the middle of the ring, on a slider to the left of it, and to its right end when that is said."""
    x, y = shown["at"]
    aside = {"slide": -0.3, "more": 0.42}.get(shown["name"], 0)
    return x + aside * shown["wide"], y


def by_keys(page: Any, shown: dict[str, Any]) -> None:
    """Tab to the note's button that leads to what is meant, and do it there."""
    keys = page.keyboard
    for _ in range(80):
        if page.evaluate("document.activeElement?.textContent") == "Show it":
            break
        keys.press("Shift+Tab")
    keys.press("Enter")
    keys.press({"slide": "ArrowLeft", "more": "End"}.get(shown["name"], "Enter"))


def follow(page: Any, press: Press, until: Callable[[str], bool]) -> list[tuple[str, str]]:
    """Do nothing but what the guide points at, until it says something; what it said, with the names of its steps."""
    said: list[tuple[str, str]] = []
    still = 0
    while still < 60:
        shown = page.evaluate(SHOWN)
        if not said or said[-1] != (shown["name"], shown["says"]):
            said.append((shown["name"], shown["says"]))
            still = 0
        assert press is by_keys or not shown["covers"], shown
        if until(shown["says"]):
            return said
        still += 1
        for name in ("Got it", "What now?"):
            if name in shown["buttons"]:
                page.get_by_role("button", name=name).click()
                break
        else:
            if shown["at"]:
                press(page, shown)
        page.wait_for_timeout(60)
    raise AssertionError(f"the guide stands still at {said[-1]}")


def test_who_follows_the_guide_wins_the_first_game(server: Server, open_page: Callable[..., Any]):
    page = open_page()
    learn(server, page)
    said = follow(page, by_mouse, lambda says: "You have won" in says)
    names = [name for name, _ in said if name]
    told = " ".join(name for k, name in enumerate(names) if k == 0 or name != names[k - 1])
    assert told.startswith("deploy deploy-all to-attack source target slide more commit again back deploy")
    assert {"stack", "stack-to"} <= set(names)
    words = " ".join(text for _, text in said)
    told = r"(\d+) armies attack [^.]*, chance to take it: ([\d.]+)\s% against 2 armies[.,]"
    sent, chance = re.search(told, words).groups()
    assert abs(float(chance) - 100 * battle_odds(int(sent), 2).capture) <= 0.05 + 1e-6
    lessons = ("gets its bonus", "All neighbours of", "with fog", "While you hold it", "is your neighbour")
    for told in (*lessons, "One possibility: attack"):
        assert told in words, told
    assert "every region of the other player" in said[0][1]
    assert "fail" not in words, "its own attacks have a fair chance"
    assert "You win after" in page.locator(".result").inner_text()
    game = re.search(r"#/g/(\w+)", page.url)[1]
    with server.client(page.evaluate(f"JSON.parse(localStorage['warlight.keys.{game}'])[0]")) as client:
        events = client.get(f"games/{game}/replay").json()["events"]
    assert [event["winner"] for event in events if event["event"] == "end"] == [0]


@pytest.mark.parametrize("device", [PHONE, pytest.param(TABLET, marks=pytest.mark.slow)], ids=["phone", "tablet"])
def test_fingers_alone_can_follow_it(server: Server, open_page: Callable[..., Any], device: dict[str, Any]):
    page = open_page(**device)
    learn(server, page)
    said = follow(page, by_finger, lambda says: "While you hold it" in says)  # a bonus was captured
    assert {"deploy", "source", "target", "slide", "commit", "again", "back"} <= {name for name, _ in said}
    assert page.locator(".note .for-keys:visible").count() == 0


def test_a_finger_deploys_all_armies_at_once(server: Server, open_page: Callable[..., Any]):
    page = open_page(**PHONE)
    learn(server, page)
    whole = page.locator(".status button")
    page.touchscreen.tap(*page.evaluate(SHOWN)["at"])
    page.locator(".note").get_by_text("The button “All on Lighthouse Isle” deploys all armies at once.").wait_for()
    whole.get_by_text("All on Lighthouse Isle").tap()
    page.locator(".note").get_by_text("All armies are deployed").wait_for()
    assert whole.count() == 0
    assert page.locator(".phases b").inner_text() == "5/5"


@pytest.mark.parametrize("language", ["en", "cs"])
def test_the_phases_and_the_round_fit_in_one_line_of_a_phone(
    server: Server, open_page: Callable[..., Any], language: str
):
    page = open_page(**PHONE, locale=language)
    page.goto(server.begin(YOU, "random", seed=8, picks="random").address)
    page.locator(".phases").wait_for()
    page.evaluate("""() => { document.querySelector('.phases b').textContent = '10/10';
        document.querySelector('.round b').textContent = '10' }""")
    for phase in ("deploy", "attack", "review"):
        page.locator(f"[data-guide={phase}]").tap()
        tops = [page.locator(at).bounding_box() for at in (".phases", ".round")]
        assert len({round(box["y"] + box["height"] / 2) for box in tops}) == 1, (phase, tops)


def test_keys_alone_can_follow_it(server: Server, open_page: Callable[..., Any]):
    page = open_page()
    learn(server, page)
    said = follow(page, by_keys, lambda says: "gets its bonus" in says)
    assert {"deploy", "source", "target", "slide", "commit", "again"} <= {name for name, _ in said}
    page.get_by_role("region", name="Guide").get_by_role("status").get_by_text("gets its bonus").wait_for()


def test_other_orders_of_doing_are_taken(server: Server, open_page: Callable[..., Any]):
    page = open_page()
    learn(server, page)
    note = page.locator(".note [role=status]")
    region(page, "Oakwood").wait_for()
    page.mouse.move(*box(page, "Oakwood"))  # an attack before anything is deployed, and not where it was said
    page.mouse.down()
    page.mouse.move(*box(page, "Eagle Peak"), steps=4)
    page.mouse.up()
    # one army goes: there is nothing to slide, but it can be joined by the armies that are not deployed yet
    warning = "Your attack on Eagle Peak will very probably fail, chance to take it: "
    chance = r"0\.0.% against 2 armies\. Deploy more armies on Oakwood"
    note.get_by_text(re.compile(re.escape(warning) + chance)).wait_for()
    page.get_by_role("button", name="Undo").click()
    note.get_by_text("First deploy").wait_for()
    page.get_by_role("button", name=re.compile("Deploy")).click()
    own = next(r["name"] for r in regions(page) if r["who"] == "yours")
    region(page, own).focus()
    page.keyboard.press("Enter")
    note.get_by_text("One army is deployed").wait_for()
    page.keyboard.press("Control+Enter")  # with four left
    note.get_by_text("Armies that are not deployed are lost").wait_for()
    page.get_by_role("button", name="Commit anyway").click()
    round_or_end(page, 2)
    note.get_by_text("The round is over").wait_for()
    own = next(r["name"] for r in regions(page) if r["who"] == "yours")
    region(page, own).focus()
    page.keyboard.press("Enter")  # on to the next turn, without looking back
    note.get_by_text("gets its bonus").wait_for()
    page.get_by_role("button", name=re.compile("Review")).click()
    note.get_by_text("You lose armies that are not deployed").wait_for()
    page.get_by_role("button", name="Got it").click()
    note.get_by_text("You lose armies that are not deployed").wait_for(state="detached")


def test_a_row_of_the_move_list_stays_below_the_mouse(server: Server, open_page: Callable[..., Any]):
    page = open_page(viewport={"width": 1440, "height": 900})
    learn(server, page)
    follow(page, by_mouse, lambda says: "The round is over" in says)
    page.locator(".beckon[data-step-name=again]").wait_for()
    x, y = page.evaluate(SHOWN)["at"]
    row = page.evaluate_handle("at => document.elementFromPoint(...at).closest('[data-step]')", [x, y])
    before = row.bounding_box()
    page.mouse.move(x - 300, y - 300)
    for step in range(8):  # the details of the region appear
        page.mouse.move(x + step, y)
        page.wait_for_timeout(60)
        assert row.bounding_box() == before
    page.get_by_role("region", name="Region").get_by_text("neighbours").wait_for()
    page.mouse.down()
    page.mouse.up()
    page.locator(".note").get_by_text("You see an earlier round").wait_for()


def test_it_can_be_left_and_taken_up_again(server: Server, open_page: Callable[..., Any]):
    page = open_page()
    learn(server, page)
    follow(page, by_mouse, lambda says: "The round is over" in says)
    page.get_by_role("button", name="Leave the guide").click()
    page.locator(".note").wait_for(state="detached")
    assert page.locator(".beckon").count() == 0
    page.goto(server.page())  # and from the list, whose address says nothing of a guide
    page.get_by_role("button", name=re.compile("Resume You")).first.click()
    page.get_by_role("button", name="Continue the guide").wait_for()
    assert page.locator(".note").count() == 0
    page.get_by_role("button", name="Continue the guide").click()
    page.locator(".note").get_by_text("The round is over").wait_for()
    page.locator(".note").get_by_text("Part 2 of 4").wait_for()
    follow(page, by_mouse, lambda says: "gets its bonus" in says)


def test_the_note_hides_nothing_and_axe_finds_nothing(server: Server, open_page: Callable[..., Any]):
    """With WARLIGHT_PICTURES set to a folder, pictures are written there."""
    page, pictures = open_page(bypass_csp=True), os.environ.get("WARLIGHT_PICTURES")
    learn(server, page)
    for size in ({"width": 1280, "height": 800}, TABLET["viewport"], PHONE["viewport"]):
        page.set_viewport_size(size)
        page.get_by_role("button", name="Show it").click()  # a smaller screen may have left it out of sight
        page.locator(".beckon").wait_for()
        note, ring = (page.locator(where).bounding_box() for where in (".note", ".beckon"))
        assert note["x"] >= 0
        assert note["x"] + note["width"] <= size["width"]
        beside = note["x"] >= ring["x"] + ring["width"] or ring["x"] >= note["x"] + note["width"]
        assert beside or note["y"] >= ring["y"] + ring["height"] or ring["y"] >= note["y"] + note["height"]
        for theme in ("dark", "light"):
            page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
            if pictures and size["width"] == 1280:
                page.screenshot(path=Path(pictures) / f"guide-{theme}.png")
            assert axe_finds(page, theme == "light") == []
