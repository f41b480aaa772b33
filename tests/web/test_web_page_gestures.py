"""Gestures on the map by mouse, pen and fingers, on a desktop, a tablet and a phone, in both languages."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from gesture_helpers import DESKTOP, DEVICES, HANDSET, TABLET, Device, Gestures
from page_helpers import PAGE, box, region

from warlight_env import Game
from web_helpers import Server

pytestmark = PAGE

LOCALES = ("en-US", "cs-CZ")


def in_both_languages(name: str, values: dict[str, Any], default: set[str]) -> pytest.MarkDecorator:
    """Parametrize a test by its argument `name` and by `locale`.

    Args:
        values: the argument by id. default: the cases of the default run. The others are slow tests.
    """
    cases = [
        pytest.param(value, locale, id=f"{id}-{locale}", marks=() if f"{id}-{locale}" in default else pytest.mark.slow)
        for id, value in values.items()
        for locale in LOCALES
    ]
    assert default <= {case.id for case in cases}
    return pytest.mark.parametrize((name, "locale"), cases)


# The default cases cover each screen, each pointer and each language.
EVERYWHERE = in_both_languages(
    "device",
    {f"{device.name}-{device.pointer}": device for device in DEVICES},
    {"desktop-mouse-en-US", "tablet-pen-cs-CZ", "phone-touch-en-US"},
)
FINGERS = in_both_languages("options", {"tablet": TABLET, "phone": HANDSET}, {"phone-cs-CZ"})

SCROLLED = "() => { const s = document.querySelector('.scroll'); return [s.scrollLeft, s.scrollTop] }"
WIDTH = "() => document.querySelector('.drawing svg').clientWidth"
SEA = """() => { const f = document.querySelector('.scroll').getBoundingClientRect();
    for (let x = f.left + 60; x < f.right - 60; x += 10) for (let y = f.top + 60; y < f.bottom - 160; y += 10) {
        const e = document.elementFromPoint(x, y);
        if (e.closest('.scroll') && !e.closest('[data-region], .aim')) return [x, y] } }"""


def first_turn(server: Server, open_page: Callable[..., Any], **options: Any) -> tuple[Any, str, str]:
    """Open the first turn on the small map; return the page, a region of the player and a neighbour to attack."""
    game_server = server.begin(seed=8, picks="random")
    page = open_page(game_server.address, **options)
    page.locator(".phases").wait_for()
    page.locator("path[data-region].own").first.wait_for(state="attached")
    own = set(page.locator("path[data-region].own").evaluate_all("all => all.map(e => Number(e.dataset.region))"))
    game_map = Game("small").map
    pairs = [(a, b) for a in sorted(own) for b in game_map.neighbors[a] if b not in own]
    source, target = pairs[0]
    return page, game_map.regions[source].name, game_map.regions[target].name


def attack(page: Any, source: str, target: str) -> Any:
    """Enter an attack with all armies by the keyboard; return the slider at the target."""
    region(page, source).focus()
    page.keyboard.press("Shift+Enter")
    page.locator("[data-guide=attack]").click()
    for name in (source, target):
        region(page, name).focus()
        page.keyboard.press("Enter")
    slider = page.locator(".aim input[type=range]")
    slider.wait_for()
    slider.scroll_into_view_if_needed()
    return slider


def slider_point(slider: Any, share: float) -> tuple[float, float]:
    """Return the screen point of a share of a slider's track."""
    shape = slider.bounding_box()
    return shape["x"] + 8 + share * (shape["width"] - 16), shape["y"] + shape["height"] / 2


def deployed_armies(page: Any) -> int:
    return int(page.locator("[data-guide=deploy] b").inner_text().split("/")[0])


@EVERYWHERE
def test_press_deploys_long_press_takes_back_and_drag_moves_the_slider(
    server: Server, open_page: Callable[..., Any], device: Device, locale: str
):
    page, source, target = first_turn(server, open_page, locale=locale, **device.options)
    region(page, source).scroll_into_view_if_needed()
    gestures, place = Gestures(page, device.pointer), box(page, source)
    for armies in (1, 2, 3):
        gestures.press(place)
        page.wait_for_function(
            "n => document.querySelector('[data-guide=deploy] b').textContent.startsWith(n)", arg=f"{armies}/"
        )
        page.wait_for_timeout(350)  # two taps in a short time are a double tap
    gestures.hold(place)
    page.wait_for_timeout(350)
    assert deployed_armies(page) == 2
    if device.pointer == "touch":
        gestures.drag(place, (place[0], place[1] + 14), steps=2, pause=400)  # a slow drag does not count as a press
        page.wait_for_timeout(350)
        assert deployed_armies(page) == 2
    slider = attack(page, source, target)
    most = int(slider.get_attribute("max"))
    assert int(slider.input_value()) == most > 3
    before, place = page.evaluate(SCROLLED), page.locator(".aim").bounding_box()
    for start, end in ((1, 0.3), (0.3, 0.8), (0.8, 0)):
        gestures.drag(slider_point(slider, start), slider_point(slider, end))
        assert page.locator(".aim").bounding_box() == place
        assert abs(int(slider.input_value()) - (1 + end * (most - 1))) <= 1, (start, end)
    assert int(slider.input_value()) == 1
    assert page.evaluate(SCROLLED) == before  # the map does not move
    for armies in range(2, most + 1):
        slider.press("ArrowRight")
        assert page.locator(".aim").bounding_box() == place, armies  # labels of the order move, but not the slider


def check_wheel(page: Any, source: str, target: str) -> None:
    """Check that the wheel changes deploys and an attack, and that it zooms."""
    wheel = Gestures(page, "mouse").wheel
    for down, armies in ((-100, 1), (-100, 2), (100, 1)):
        wheel(box(page, source), down)
        assert deployed_armies(page) == armies
    slider = attack(page, source, target)
    most = int(slider.get_attribute("max"))
    assert int(slider.input_value()) == most
    for place, down, armies in (
        (slider_point(slider, 0.5), 100, most - 1),
        (slider_point(slider, 0.5), 100, most - 2),
        (slider_point(slider, 0.5), -100, most - 1),
        (box(page, target), 100, most - 2),
        (box(page, source), -100, most - 1),
    ):
        wheel(place, down)
        assert int(slider.input_value()) == armies, (place, down)
    before = page.evaluate(WIDTH)
    wheel(box(page, source), -200, ctrl=True)
    assert page.evaluate(WIDTH) > 1.5 * before
    assert int(slider.input_value()) == most - 1
    wheel(box(page, source), 200, ctrl=True)
    assert page.evaluate(WIDTH) < 1.1 * before


def check_fingers(page: Any) -> None:
    """Check that two fingers zoom and one moves the map."""
    gestures = Gestures(page, "touch")
    frame = page.locator(".scroll").bounding_box()
    middle = (frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 3)
    before = page.evaluate(WIDTH)
    gestures.pinch(middle, 60, 150)
    assert page.evaluate(WIDTH) > 1.8 * before
    place = page.evaluate(SCROLLED)
    gestures.drag(middle, (middle[0] - 90, middle[1]))
    page.wait_for_function(f"([x]) => ({SCROLLED})()[0] > x + 40", arg=place)
    gestures.pinch(middle, 200, 60)
    assert page.evaluate(WIDTH) < 1.2 * before
    assert deployed_armies(page) == 0  # the gestures deployed no armies


@in_both_languages("pointer", {"mouse": "mouse", "pen": "pen"}, {"mouse-en-US", "pen-cs-CZ"})
def test_drags_enter_an_attack_and_move_the_map_and_the_wheel_zooms(
    server: Server, open_page: Callable[..., Any], pointer: str, locale: str
):
    page, source, target = first_turn(server, open_page, locale=locale, **DESKTOP)
    if pointer == "mouse":
        check_wheel(page, source, target)
        page.get_by_role("button", name=re.compile("Clear all|Smazat vše")).click()
        page.locator(".orders .attack").wait_for(state="detached")
    gestures = Gestures(page, pointer)
    gestures.drag(box(page, source), box(page, target))
    page.locator(".orders .attack").wait_for()
    game_map = Game("small").map
    number = next(r for r, shape in enumerate(game_map.regions) if shape.name == target)
    onward = next(game_map.regions[n].name for n in game_map.neighbors[number] if game_map.regions[n].name != source)
    gestures.drag(box(page, target), box(page, onward))  # not possible: the region belongs to another player
    page.locator(".status.tense", has_text=target).wait_for()
    for _ in range(2):
        page.locator(".zoom button").first.click()
    place, sea = page.evaluate(SCROLLED), page.evaluate(SEA)
    gestures.drag(sea, (sea[0] - 40, sea[1] - 30))
    moved = page.evaluate(SCROLLED)
    assert (moved[0] - place[0], moved[1] - place[1]) == (40, 30)
    assert page.locator(".orders .attack").count() == 1


@FINGERS
def test_fingers_zoom_and_move_the_map_and_a_drag_of_a_region_explains_how_to_send_armies(
    server: Server, open_page: Callable[..., Any], options: dict[str, Any], locale: str
):
    page, source, target = first_turn(server, open_page, locale=locale, **options)
    check_fingers(page)
    region(page, target).scroll_into_view_if_needed()
    region(page, source).scroll_into_view_if_needed()
    english = locale == "en-US"
    gestures, status = Gestures(page, "touch"), page.locator(".status.tense")
    for message in ("press Attack, tap {}", "tap {}") if english else ("stiskneš Útok, klepneš na {}", "klepneš na {}"):
        gestures.drag(box(page, source), box(page, target))
        status.filter(has_text=message.format(source)).wait_for()
        page.locator("[data-guide=attack]").tap()  # the next action removes the message
        if "," in message:
            status.wait_for(state="detached")
    assert page.locator(".orders li").count() == 0
    gestures.press(box(page, source))
    status.wait_for(state="detached")
    gestures.press(box(page, target))
    page.locator(".orders .attack").wait_for(state="attached")
    while page.locator(".zoom button").last.is_enabled():
        page.locator(".zoom button").last.tap()
    x, y = box(page, target)
    gestures.drag((x, y), (x + 60, y))  # the whole map is visible
    status.filter(has_text="Two fingers enlarge it" if english else "Dvěma prsty ji zvětšíš").wait_for()
    page.locator("[data-guide=attack]").tap()
    before = page.evaluate(SCROLLED)
    for _ in range(3):
        page.locator(".zoom button").first.tap()
    before, (x, y) = page.evaluate(SCROLLED), page.evaluate(SEA)
    gestures.drag((x, y), (x - 60, y))  # the map still moves
    page.wait_for_function(f"([x]) => ({SCROLLED})()[0] > x + 30", arg=before)
