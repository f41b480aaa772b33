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

#: A small desktop. The page compares all places of the guide's note in the window, which takes most of the tests' time.
DESKTOP = {"viewport": {"width": 1000, "height": 740}}
TOUCH = {"has_touch": True, "is_mobile": True}
TABLET = {"viewport": {"width": 820, "height": 1180}, **TOUCH}
PHONE = {"viewport": {"width": 360, "height": 740}, **TOUCH}

#: JavaScript: the state of the guide when its note and the map have stopped moving. It has the text and the buttons of
#: the note, the name of the step, and the middle and the width of the ring. `covers` lists elements that the guide
#: covers: the armies of regions in the text of the note, the controls of the turn, and the odds (covered by the ring).
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

#: JavaScript: whether the guide's note covers the middle of each region with a ring.
RINGS = """() => { const note = document.querySelector('.note').getBoundingClientRect();
    return [...document.querySelectorAll('circle.ring')].map(e => { const b = e.getBoundingClientRect();
        const [x, y] = [b.left + b.width / 2, b.top + b.height / 2];
        return note.left < x && x < note.right && note.top < y && y < note.bottom }) }"""

#: JavaScript: return the boxes of elements as plain objects. The page reads their numbers a million times to find the
#: place of the note, and a number of a DOMRect takes several times as long.
PLAIN_BOXES = """{ const get = Element.prototype.getBoundingClientRect;
    Element.prototype.getBoundingClientRect = function () { return get.call(this).toJSON() } }"""


def learn(server: Server, page: Any) -> None:
    """Start the guide from the home screen."""
    page.add_init_script(PLAIN_BOXES)
    page.goto(server.page())
    page.get_by_role("button", name="Learn in 90 seconds").click()
    page.locator(".note p").first.wait_for()


def by_mouse(page: Any, shown: dict[str, Any]) -> None:
    page.mouse.click(*press_point(shown))


def by_finger(page: Any, shown: dict[str, Any]) -> None:
    page.touchscreen.tap(*press_point(shown))


def press_point(shown: dict[str, Any]) -> tuple[float, float]:
    """Return the press point: the middle of the ring; on a slider, left of it or (step `more`) near its right end."""
    x, y = shown["at"]
    aside = {"slide": -0.3, "more": 0.42}.get(shown["name"], 0)
    return x + aside * shown["wide"], y


def by_keys(page: Any, shown: dict[str, Any]) -> None:
    """Focus the note's button “Show it” by Tab, press it, and press the key for the step."""
    keys = page.keyboard
    for _ in range(80):
        if page.evaluate("document.activeElement?.textContent") == "Show it":
            break
        keys.press("Shift+Tab")
    keys.press("Enter")
    keys.press({"slide": "ArrowLeft", "more": "End"}.get(shown["name"], "Enter"))


def follow(page: Any, press: Press, until: Callable[[str], bool]) -> list[tuple[str, str]]:
    """Press only what the guide marks until its text satisfies `until`; return the names and texts of its steps."""
    steps: list[tuple[str, str]] = []
    repeats = 0
    while repeats < 60:
        shown = page.evaluate(SHOWN)
        if not steps or steps[-1] != (shown["name"], shown["says"]):
            steps.append((shown["name"], shown["says"]))
            repeats = 0
        assert press is by_keys or not shown["covers"], shown
        if until(shown["says"]):
            return steps
        repeats += 1
        for name in ("Got it", "What now?"):
            if name in shown["buttons"]:
                page.get_by_role("button", name=name).click()
                break
        else:
            if shown["at"]:
                press(page, shown)
        page.wait_for_timeout(60)
    raise AssertionError(f"the guide stands still at {steps[-1]}")


# On the phone, the preview of an attack covers regions that the guide marks later.
@pytest.mark.parametrize(
    ("device", "press"),
    [(PHONE, by_finger), pytest.param(DESKTOP, by_mouse, marks=pytest.mark.slow)],
    ids=["phone", "desktop"],
)
def test_following_the_guide_wins_the_first_game(
    server: Server, open_page: Callable[..., Any], device: dict[str, Any], press: Press
):
    page = open_page(**device)
    learn(server, page)
    steps = follow(page, press, lambda says: "You have won" in says)
    names = [name for name, _ in steps if name]
    sequence = " ".join(name for k, name in enumerate(names) if k == 0 or name != names[k - 1])
    assert sequence.startswith("deploy deploy-all to-attack source target slide more commit again back deploy")
    assert {"stack", "stack-to"} <= set(names)
    words = " ".join(text for _, text in steps)
    pattern = r"(\d+) armies attack [^.]*, chance to take it: ([\d.]+)\s% against 2 armies[.,]"
    sent, chance = re.search(pattern, words).groups()
    assert abs(float(chance) - 100 * battle_odds(int(sent), 2).capture) <= 0.05 + 1e-6
    lessons = ("gets its bonus", "All neighbours of", "with fog", "While you hold it", "is your neighbour")
    for lesson in (*lessons, "One possibility: attack"):
        assert lesson in words, lesson
    assert "every region of the other player" in steps[0][1]
    assert "fail" not in words, "its own attacks have a fair chance"
    assert "You win after" in page.locator(".result").inner_text()
    game = re.search(r"#/g/(\w+)", page.url)[1]
    with server.client(page.evaluate(f"JSON.parse(localStorage['warlight.keys.{game}'])[0]")) as client:
        events = client.get(f"games/{game}/replay").json()["events"]
    assert [event["winner"] for event in events if event["event"] == "end"] == [0]


@pytest.mark.parametrize("device", [PHONE, pytest.param(TABLET, marks=pytest.mark.slow)], ids=["phone", "tablet"])
def test_touch_alone_can_follow_the_guide(server: Server, open_page: Callable[..., Any], device: dict[str, Any]):
    page = open_page(**device)
    learn(server, page)
    steps = follow(page, by_finger, lambda says: "While you hold it" in says)  # a bonus was captured
    assert {"deploy", "source", "target", "slide", "commit", "again", "back"} <= {name for name, _ in steps}
    assert page.locator(".note .for-keys:visible").count() == 0


def test_a_finger_deploys_all_armies_at_once(server: Server, open_page: Callable[..., Any]):
    page = open_page(**PHONE)
    learn(server, page)
    deploy_all_button = page.locator(".status button")
    page.touchscreen.tap(*page.evaluate(SHOWN)["at"])
    page.locator(".note").get_by_text("The button “All on Lighthouse Isle” deploys all armies at once.").wait_for()
    deploy_all_button.get_by_text("All on Lighthouse Isle").tap()
    page.locator(".note").get_by_text("All armies are deployed").wait_for()
    assert deploy_all_button.count() == 0
    assert page.locator(".phases b").inner_text() == "5/5"


def test_the_phases_and_the_round_fit_in_one_line_of_a_phone(server: Server, open_page: Callable[..., Any]):
    page = open_page(server.begin(YOU, "random", seed=8, picks="random").address, **PHONE)
    for language in ("en", "cs"):
        page.evaluate("language => { localStorage['warlight.language'] = language }", language)
        page.reload()
        page.locator(f"html[lang={language}] .phases").wait_for()
        page.evaluate("""() => { document.querySelector('.phases b').textContent = '10/10';
            document.querySelector('.round b').textContent = '10' }""")
        for phase in ("deploy", "attack", "review"):
            page.locator(f"[data-guide={phase}]").tap()
            tops = [page.locator(at).bounding_box() for at in (".phases", ".round")]
            assert len({round(box["y"] + box["height"] / 2) for box in tops}) == 1, (language, phase, tops)


def test_keyboard_alone_can_follow_the_guide(server: Server, open_page: Callable[..., Any]):
    page = open_page(**DESKTOP)
    learn(server, page)
    steps = follow(page, by_keys, lambda says: "gets its bonus" in says)
    assert {"deploy", "source", "target", "slide", "commit", "again"} <= {name for name, _ in steps}
    page.get_by_role("region", name="Guide").get_by_role("status").get_by_text("gets its bonus").wait_for()


def test_guide_accepts_steps_in_another_order(server: Server, open_page: Callable[..., Any]):
    page = open_page(**DESKTOP)
    learn(server, page)
    note = page.locator(".note [role=status]")
    region(page, "Oakwood").wait_for()
    page.mouse.move(*box(page, "Oakwood"))  # attacks before the deploys, and from another region than the guide names
    page.mouse.down()
    page.mouse.move(*box(page, "Eagle Peak"), steps=4)
    page.mouse.up()
    # The attack has one army, so there is no slider. The player can still deploy more armies for it.
    warning = "Your attack on Eagle Peak will very probably fail, chance to take it: "
    chance = r"0\.0.% against 2 armies\. Deploy more armies on Oakwood"
    note.get_by_text(re.compile(re.escape(warning) + chance)).wait_for()
    page.get_by_role("button", name="Undo").click()
    note.get_by_text("First deploy").wait_for()
    page.get_by_role("button", name=re.compile("Deploy")).click()
    own_region = next(r["name"] for r in regions(page) if r["who"] == "yours")
    region(page, own_region).focus()
    page.keyboard.press("Enter")
    note.get_by_text("One army is deployed").wait_for()
    page.keyboard.press("Control+Enter")  # four armies are not deployed
    note.get_by_text("Armies that are not deployed are lost").wait_for()
    page.get_by_role("button", name="Commit anyway").click()
    round_or_end(page, 2)
    note.get_by_text("The round is over").wait_for()
    own_region = next(r["name"] for r in regions(page) if r["who"] == "yours")
    region(page, own_region).focus()
    page.keyboard.press("Enter")  # starts the next turn without a look at the last round
    note.get_by_text("gets its bonus").wait_for()
    page.get_by_role("button", name=re.compile("Review")).click()
    note.get_by_text("You lose armies that are not deployed").wait_for()
    page.get_by_role("button", name="Got it").click()
    note.get_by_text("You lose armies that are not deployed").wait_for(state="detached")


def test_user_can_leave_and_continue_the_guide(server: Server, open_page: Callable[..., Any]):
    page = open_page(viewport={"width": 1440, "height": 900})
    learn(server, page)
    follow(page, by_mouse, lambda says: "The round is over" in says)
    page.wait_for_timeout(1100)  # the guide scrolls to the target of a new step only for a second
    for height in (640, 600, 560):
        page.set_viewport_size({"width": 1000, "height": height})
        page.mouse.move(*box(page, "Elm River"))  # the card of this region needs the place of the move list
        page.get_by_role("region", name="Region").get_by_text("neighbours").wait_for()
        assert page.evaluate(SHOWN)["name"] == "again", height
    assert page.locator("header.bar").bounding_box()["height"] < 50, "the bar of a small laptop has one line"
    page.set_viewport_size({"width": 1440, "height": 900})
    leave = page.get_by_role("button", name="Leave the guide")
    leave.hover()  # the card of the region below the mouse closes, which can move the note
    page.evaluate(SHOWN)  # waits until the note has moved
    leave.click()
    page.locator(".note").wait_for(state="detached")
    assert page.locator(".beckon").count() == 0
    page.goto(server.page())  # the list opens the game by an address without the guide
    page.get_by_role("button", name=re.compile("Resume You")).first.click()
    page.get_by_role("button", name="Continue the guide").wait_for()
    assert page.locator(".note").count() == 0
    page.get_by_role("button", name="Continue the guide").click()
    page.locator(".note").get_by_text("The round is over").wait_for()
    page.locator(".note").get_by_text("Part 2 of 4").wait_for()
    check_row_below_the_mouse(page)
    follow(page, by_mouse, lambda says: "gets its bonus" in says)
    page.set_viewport_size({"width": 1000, "height": 640})
    page.evaluate(SHOWN)  # waits until the note has moved
    assert page.evaluate(RINGS) == [False] * 3, "the note covers no region that the user may press"


def check_row_below_the_mouse(page: Any) -> None:
    """Check that the marked row of the move list does not move while the mouse is over it; press it."""
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


def test_show_it_closes_a_preview_over_the_target(server: Server, open_page: Callable[..., Any]):
    page = open_page(**DESKTOP)
    learn(server, page)
    note = page.locator(".note [role=status]")
    note.get_by_text("press Lighthouse Isle").wait_for()
    page.keyboard.press(":")
    page.keyboard.insert_text("d li 5; t ow li 1")
    page.keyboard.press("Enter")
    note.get_by_text("All armies are deployed").wait_for()
    page.get_by_role("button", name=re.compile("Attack")).click()
    ring, preview = page.locator(".beckon[data-step-name=source]"), page.locator(".aim")
    ring.wait_for()
    page.wait_for_timeout(1100)  # the guide closes such a preview itself during the first second of a step
    page.locator("[data-order='0']").click()
    preview.wait_for()
    middle = ring.bounding_box()
    page.add_style_tag(
        content=f".aim {{ position: fixed !important; translate: -50% -50%; "
        f"left: {middle['x'] + 20}px !important; top: {middle['y'] + 20}px !important }}"
    )
    ring.wait_for(state="detached")
    page.get_by_role("button", name="Show it").click()
    preview.wait_for(state="detached")
    ring.wait_for()
    assert page.evaluate("document.activeElement.ariaLabel").startswith("Lighthouse Isle")


def test_note_does_not_cover_the_ring_and_axe_finds_nothing(server: Server, open_page: Callable[..., Any]):
    """If WARLIGHT_PICTURES names a folder, the test writes screenshots to it."""
    page, pictures = open_page(bypass_csp=True), os.environ.get("WARLIGHT_PICTURES")
    learn(server, page)
    for size in ({"width": 1280, "height": 800}, TABLET["viewport"], PHONE["viewport"]):
        page.set_viewport_size(size)
        page.get_by_role("button", name="Show it").click()  # the element can be out of view on a smaller screen
        page.locator(".beckon").wait_for()
        note, ring = (page.locator(where).bounding_box() for where in (".note", ".beckon"))
        assert note["x"] >= 0
        assert note["x"] + note["width"] <= size["width"]
        beside = note["x"] >= ring["x"] + ring["width"] or ring["x"] >= note["x"] + note["width"]
        assert beside or note["y"] >= ring["y"] + ring["height"] or ring["y"] >= note["y"] + note["height"]
        for theme in ("dark", "light") if size["width"] == 1280 else ("dark",) if size["width"] == 360 else ():
            page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
            if pictures and size["width"] == 1280:
                page.screenshot(path=Path(pictures) / f"guide-{theme}.png")
            assert axe_finds(page, theme == "light") == []
