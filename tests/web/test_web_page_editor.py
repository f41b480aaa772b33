"""The map editor: drawing by mouse, touch and keyboard, check results, storing, playing and opening maps."""

from __future__ import annotations

import os
import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from page_helpers import PAGE, PHONE, STILL, axe_finds, choose_language, hand_in, pick, round_or_end

from warlight_env import maps
from web_helpers import Server

pytestmark = PAGE

TABLET = {"viewport": {"width": 820, "height": 1180}, "has_touch": True, "is_mobile": True}

#: JavaScript: convert a point of the sheet to screen coordinates.
PLACE = """([x, y]) => { const m = document.querySelector('.sheet g').getScreenCTM();
    return [m.a * x + m.e, m.d * y + m.f] }"""


@pytest.fixture
def editor(server: Server, open_page: Callable[..., Any]) -> Any:
    """Open an empty sheet. Requests that the server refuses also cause errors in the browser's console."""
    page = open_page(server.page("editor"), expects="status of (409|422)", accept_downloads=True)
    wait_for_check(page, "The map has no regions yet.")
    return page


def wait_for_check(page: Any, text: str) -> None:
    """Wait until the checks of the current map show a text."""
    page.get_by_role("region", name="Problems").get_by_text(text, exact=True).wait_for()


def wait_until_playable(page: Any) -> None:
    wait_for_check(page, "The map is ready for a game.")


def screen_point(page: Any, x: float, y: float) -> tuple[float, float]:
    return tuple(page.evaluate(PLACE, [x, y]))  # type: ignore[return-value]


def select_tool(page: Any, name: str) -> None:
    page.get_by_role("toolbar", name="Tools").get_by_role("button", name=name).click()


def press(page: Any, *points: tuple[float, float]) -> None:
    for point in points:
        page.mouse.click(*screen_point(page, *point))


def drag(page: Any, *points: tuple[float, float]) -> None:
    page.mouse.move(*screen_point(page, *points[0]))
    page.mouse.down()
    for point in points[1:]:
        page.mouse.move(*screen_point(page, *point), steps=4)
    page.mouse.up()


def download_map(page: Any) -> maps.Map:
    """Download the map from the page and return it."""
    wait_until_playable(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    return maps.from_json(Path(download.value.path()).read_text(encoding="utf-8"))


#: JavaScript: press the button "Download", and return the text of the file instead of a download.
FILE_TEXT = """button => new Promise((done, fail) => {
    const make = URL.createObjectURL, click = HTMLAnchorElement.prototype.click;
    URL.createObjectURL = file => (done(file.text()), '#');
    HTMLAnchorElement.prototype.click = () => {
        URL.createObjectURL = make; HTMLAnchorElement.prototype.click = click };
    setTimeout(() => fail(new Error('no file')), 60000); button.click() })"""


def drawn_map(page: Any) -> maps.Map:
    """Return the map in the file that the page offers, without a download, which takes twice as much CPU time."""
    wait_until_playable(page)
    button = page.get_by_role("button", name="Download").and_(page.locator(":enabled"))
    return maps.from_json(button.evaluate(FILE_TEXT))


def add_super_regions(page: Any, *wanted: tuple[str, int]) -> None:
    """Add super regions with these names and bonuses."""
    form = page.get_by_role("region", name="Super regions")
    for k, (name, bonus) in enumerate(wanted):
        form.get_by_role("button", name="+ Super region").click()
        form.get_by_label("Name").nth(k).fill(name)
        form.get_by_label("Bonus").nth(k).fill(str(bonus))


def test_user_draws_checks_saves_and_plays_a_new_map(server: Server, editor: Any):
    page = editor
    assert page.get_by_role("combobox", name="against").is_disabled()  # no bot plays a map without regions
    add_super_regions(page, ("West", 2), ("East", 3))
    wait_for_check(page, "West has no regions: paint some, or remove it.")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Paint West").click()  # new regions join this super region
    select_tool(page, "Outline")
    # the last press closes the outline at its first corner
    press(page, (100, 200), (300, 200), (300, 400), (100, 400), (102, 203))
    form = page.get_by_role("region", name="Region", exact=True)
    form.get_by_label("Name").fill("Ash")
    form.get_by_text("AS", exact=True).wait_for()  # the code follows the name
    press(page, (300, 200), (500, 200), (500, 400))
    page.mouse.dblclick(*screen_point(page, 304, 397))  # near an existing corner
    select_tool(page, "Outline")
    press(page, (500, 200), (700, 200), (700, 400), (500, 400))
    page.keyboard.press("Enter")
    press(page, (800, 300), (900, 200), (900, 400), (800, 300))
    wait_for_check(page, "Region 4 cannot be reached from Ash: it needs a border.")
    wait_for_check(page, "East has no regions: paint some, or remove it.")
    page.get_by_role("button", name="Region 4 cannot be reached").click()
    form.get_by_label("Name").fill("ash")
    wait_for_check(page, "Two entries have the name ash: change one.")
    field = form.get_by_label("Name")
    assert field.get_attribute("aria-invalid") == "true"
    form.get_by_text("Two entries have the name ash: change one.").wait_for()  # the message is also beside the field
    page.get_by_role("button", name="Two entries have the name ash: change one.").click()
    assert field.evaluate("e => e === document.activeElement")
    field.fill("Isle of Dogs")
    select_tool(page, "Borders")
    drag(page, (600, 300), (860, 300))
    assert page.get_by_role("button", name="Play this map").is_disabled()
    page.get_by_role("button", name="Paint East").click()
    press(page, (600, 300))
    drag(page, (600, 300), (700, 300), (870, 300))
    wait_until_playable(page)
    page.get_by_role("heading", name="Map", exact=True).click()
    page.get_by_label("Title").fill("A row of four")
    page.get_by_label("Armies at the start").fill("")
    wait_for_check(page, "Isle of Dogs: the armies at the start must be a whole number from 1 to 10000.")
    page.get_by_label("Armies at the start").fill("7")
    assert download_map(page).regions[3].army == 7
    page.get_by_role("button", name="Wasteland").click()
    result = download_map(page)
    assert (result.name, result.title, result.view_box) == ("a-row-of-four", "A row of four", (0.0, 0.0, 1000.0, 640.0))
    assert [(s.name, s.bonus) for s in result.super_regions] == [("West", 2), ("East", 3)]
    assert [(r.name, r.code, r.super_region, r.army) for r in result.regions] == [
        ("Ash", "AS", 0, 2), ("Region 2", "R2", 0, 2), ("Region 3", "R3", 1, 2), ("Isle of Dogs", "IO", 1, 6)
    ]  # fmt: skip
    assert result.borders == ((0, 1), (1, 2), (2, 3))
    assert [(link.a, link.b) for link in result.sea_links] == [(2, 3)]
    a, b = result.regions[0].shape, result.regions[1].shape
    assert len(set(a.rings[0]) & set(b.rings[0])) == 2  # the two regions share exactly one side
    page.get_by_role("button", name="Save the map").click()
    page.get_by_text("Saved as a-row-of-four").wait_for()
    page.get_by_role("button", name="Play this map").click()
    pick(page)
    page.locator(".phases").wait_for()
    page.get_by_role("group", name="Map of A row of four").wait_for()
    assert page.locator("path[data-region]").count() == 4
    hand_in(page)
    round_or_end(page, 2)
    page.goto(server.page())
    options = page.get_by_role("combobox", name="Map").locator("option")
    options.filter(has_text="A row of four, 4 regions").wait_for(state="attached")


@pytest.mark.parametrize(
    "names",
    [[name for name in maps.names() if name != "world"], pytest.param(["world"], marks=pytest.mark.slow)],
    ids=" ".join,
)
def test_downloaded_map_equals_the_opened_map(editor: Any, tmp_path: Path, names: list[str]):
    page, file = editor, tmp_path / "file.json"
    for name in names:
        bundled = maps.load(name)
        page.get_by_role("combobox", name="Open a map").select_option(name)
        page.locator(f'[aria-label^="{bundled.regions[0].name},"]').wait_for()
        assert download_map(page) == bundled
        page.get_by_role("button", name="Undo").click()
        page.locator(f'[aria-label^="{bundled.regions[-1].name},"]').wait_for(state="detached")
        maps.save(bundled, file)
        page.get_by_label("File of a map").set_input_files(file)
        page.locator(f'[aria-label^="{bundled.regions[-1].name},"]').wait_for()
        assert download_map(page) == bundled


def test_regions_are_in_the_alphabetical_order_of_the_selected_language(editor: Any, tmp_path: Path):
    page, file = editor, tmp_path / "file.json"
    maps.save(maps.load("small"), file)
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("Turtle Isle", "Chapel").replace("Old Harbor", "Hill"), encoding="utf-8")
    page.get_by_label("File of a map").set_input_files(file)
    page.locator('[aria-label^="Frostcape,"]').focus()
    page.keyboard.press("Enter")
    names = page.locator("select.more option")
    for language, wanted in (("en", ["Chapel", "Hill"]), ("cs", ["Hill", "Chapel"])):  # Czech has a letter Ch after H
        choose_language(page, language)
        assert [name for name in names.all_inner_texts() if name in wanted] == wanted


def test_editor_opens_maps_without_shapes_and_adds_outlines(editor: Any, tmp_path: Path):
    page, file = editor, tmp_path / "rows.txt"
    file.write_text(
        "setup_map super_regions 1 2 2 4\nsetup_map regions 1 1 2 1 3 2 4 2\nsetup_map neighbors 1 2 2 3 3 4\n"
    )
    page.get_by_label("File of a map").set_input_files(file)
    page.locator('[aria-label^="Region 1,"]').wait_for()
    assert drawn_map(page) == maps.load(file)
    page.get_by_role("heading", name="Map", exact=True).click()
    page.get_by_role("checkbox", name="Give points outlines").check()
    outlined = drawn_map(page)
    assert outlined.drawable
    assert set(outlined.borders) >= set(maps.load(file).borders)
    file.write_text("setup_map nonsense")
    page.get_by_label("File of a map").set_input_files(file)
    page.get_by_text("the line 'setup_map super_regions").wait_for()
    assert drawn_map(page) == outlined  # the previous map remains


def test_shared_corners_move_together_and_undo_restores_earlier_maps(editor: Any):
    page = editor
    add_super_regions(page, ("All", 2))
    select_tool(page, "Outline")
    press(page, (100, 100), (300, 100), (300, 300), (100, 300), (100, 100))
    press(page, (300, 100), (500, 100), (500, 300), (300, 300), (300, 100))
    first = drawn_map(page)
    select_tool(page, "Select")
    press(page, (200, 200))
    drag(page, (300, 300), (340, 360))
    moved = drawn_map(page)
    corner = (340.0, 360.0)
    assert all(any(abs(x - 340) < 3 and abs(y - 360) < 3 for x, y in r.shape.rings[0]) for r in moved.regions), corner
    assert moved.borders == ((0, 1),)
    drag(page, (200, 100), (200, 40))  # a drag of a side adds a corner
    assert len(drawn_map(page).regions[0].shape.rings[0]) == 5
    page.keyboard.press("Delete")  # deletes the new corner
    assert drawn_map(page).regions[0].shape.rings == moved.regions[0].shape.rings
    drag(page, (200, 200), (180, 260))  # moves the region away from the other one: the border disappears
    wait_for_check(page, "Region 2 cannot be reached from Region 1: it needs a border.")
    for _ in range(4):
        page.keyboard.press("Control+z")
    assert drawn_map(page) == first
    page.keyboard.press("Control+Shift+z")
    assert drawn_map(page) == moved
    page.keyboard.press("Delete")
    wait_for_check(page, "The map is ready for a game.")
    assert drawn_map(page).n_regions == 1


def test_remark_reports_a_missing_border_and_leads_to_it(editor: Any):
    page = editor
    page.get_by_role("combobox", name="Open a map").select_option("small")
    wait_until_playable(page)
    select_tool(page, "Borders")
    labels = {r.name: r.shape.label for r in maps.load("small").regions}
    drag(page, labels["Frostcape"], labels["Eagle Peak"])
    wait_for_check(page, "Frostcape and Eagle Peak touch, but they have no border.")
    press(page, labels["Market Town"], labels["Lighthouse Isle"])  # presses on both regions add a border
    page.get_by_role("region", name="Border").get_by_text("A line between the coasts.").wait_for()
    page.get_by_role("checkbox", name="around the left and right edges").check()
    link = next(link for link in drawn_map(page).sea_links if (link.a, link.b) == (6, 8))
    assert link.line is None
    issue = page.get_by_role("button", name="Frostcape and Eagle Peak touch, but they have no border.")
    issue.click()
    page.get_by_role("button", name="Add a border").click()
    issue.wait_for(state="detached")
    assert (0, 1) in drawn_map(page).borders


def test_user_draws_a_map_by_keyboard_alone(editor: Any):
    page, keys = editor, editor.keyboard
    add_super_regions(page, ("All", 2))
    page.get_by_role("application", name="Sheet").focus()
    keys.press("p")
    for way in ("ArrowLeft", "ArrowRight", "ArrowRight"):
        for _ in range(2):
            keys.press(f"Shift+{way}")
        keys.press("Enter")
    wait_until_playable(page)
    first_map = drawn_map(page)
    assert first_map.n_regions == 3
    assert first_map.borders == ((0, 1), (1, 2))
    page.get_by_role("application", name="Sheet").focus()
    keys.press("b")
    keys.press("ArrowRight")  # moves to the selected region, the third
    keys.press("Enter")
    keys.press("ArrowLeft")
    keys.press("ArrowLeft")
    keys.press("Enter")  # adds a line between regions that do not touch
    assert drawn_map(page).borders == ((0, 1), (0, 2), (1, 2))
    page.get_by_role("application", name="Sheet").focus()
    keys.press("Control+z")
    keys.press("v")
    keys.press("ArrowDown")  # moves to the first region
    keys.press("Enter")
    keys.press("Alt+ArrowUp")
    moved_map = drawn_map(page)
    assert moved_map.regions[0].shape.label == (
        first_map.regions[0].shape.label[0],
        first_map.regions[0].shape.label[1] - 10,
    )
    page.get_by_role("application", name="Sheet").focus()
    keys.press("Delete")
    assert drawn_map(page).n_regions == 2
    keys.press("r")
    page.get_by_role("application", name="Sheet").focus()
    for way in ("ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft"):
        for _ in range(4):
            keys.press(f"Shift+{way}")
        keys.press("Enter")
    keys.press("Escape")  # cancels the outline
    assert drawn_map(page).n_regions == 2


def test_user_draws_a_map_by_touch_on_a_tablet(server: Server, open_page: Callable[..., Any]):
    page = open_page(server.page("editor"), accept_downloads=True, **TABLET)
    wait_for_check(page, "The map has no regions yet.")

    def tap(*point: float) -> None:
        page.touchscreen.tap(*screen_point(page, *point))

    page.get_by_role("button", name="+ Super region").tap()
    page.get_by_role("button", name="Points").tap()
    for x in (300, 420, 540):
        tap(x, 300)
    wait_until_playable(page)
    assert drawn_map(page).borders == ((0, 1), (1, 2))
    page.get_by_role("button", name="+ Super region").tap()
    page.get_by_role("button", name="Paint Super region 2").tap()
    tap(540, 300)
    assert drawn_map(page).super_region_of == (0, 0, 1)
    before = screen_point(page, 300, 300)
    client = page.context.new_cdp_session(page)  # two fingers
    for kind, apart in (("touchStart", 100), ("touchMove", 140), ("touchMove", 200)):
        points = [{"x": 410 - apart, "y": 500, "id": 1}, {"x": 410 + apart, "y": 500, "id": 2}]
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert abs(
        screen_point(page, 300, 300)[0] - screen_point(page, 540, 300)[0]
    ) > 1.8 * 240 * 0.5 or before != screen_point(page, 300, 300)
    # One finger touches a region, then a second finger touches the screen: the gesture paints nothing.
    page.get_by_role("button", name="Paint Super region 2").tap()
    x, y = screen_point(page, 300, 300)
    first, second = {"x": x, "y": y, "id": 1}, {"x": x + 120, "y": y, "id": 2}
    for kind, points in (
        ("touchStart", [first]), ("touchStart", [first, second]),
        ("touchMove", [first, {**second, "x": x + 160}]), ("touchEnd", []),
    ):  # fmt: skip
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert drawn_map(page).n_regions == 3 and drawn_map(page).super_region_of == (0, 0, 1)


def test_points_have_borders_with_their_neighbours_at_any_density(editor: Any):
    page = editor
    add_super_regions(page, ("All", 2))
    page.get_by_role("heading", name="Map", exact=True).click()
    for apart in (320, 36):
        select_tool(page, "Points")
        spots = [(150 + apart * column, 120 + 0.8 * apart * row) for row in range(2) for column in range(3)]
        press(page, *spots)  # a press between points adds a point, although the cells fill the sheet
        wait_until_playable(page)
        result = drawn_map(page)
        assert [tuple(round(x) for x in r.shape.label) for r in result.regions] == [tuple(map(round, p)) for p in spots]
        assert {(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5)} <= set(result.borders)
        drag(page, spots[4], (spots[4][0], spots[4][1] + 30))  # a drag at a point moves it
        assert len(drawn_map(page).regions) == len(spots)
        page.get_by_role("checkbox", name="Fill the sheet").uncheck()
        page.get_by_role("slider", name="up to this distance").wait_for()
        problem = page.get_by_role("button", name=re.compile("cannot be reached from Region 1"))
        problem.wait_for(state="visible" if apart == 320 else "detached")  # only distant circles have gaps
        page.keyboard.press("Escape")
        while page.locator('[aria-label^="Region 1,"]').count():
            page.get_by_role("button", name="Undo").click()


def png(width: int, height: int) -> bytes:
    """Return a PNG image of this size."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes([y % 256, 90, 160] * width) for y in range(height))
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def test_background_picture_is_shown_and_not_uploaded(editor: Any, tmp_path: Path):
    page, requests = editor, []
    page.on("request", lambda request: requests.append((request.url, len(request.post_data_buffer or b""))))
    file = tmp_path / "atlas.png"
    file.write_bytes(png(200, 100))
    page.locator("summary", has_text="Picture below").click()
    page.get_by_label("Picture", exact=True).set_input_files(file)
    picture = page.locator("image.backdrop")
    picture.wait_for()
    assert [picture.get_attribute(name) for name in ("width", "height", "y")] == ["1000", "500", "70"]
    page.get_by_label("Opacity").fill("0.2")
    page.get_by_label("Scale in %").fill("250")
    page.get_by_label("From the left").fill("40")
    assert picture.get_attribute("opacity") == "0.2"
    assert [picture.get_attribute(name) for name in ("width", "x")] == ["500", "40"]
    page.wait_for_timeout(500)
    page.reload()
    picture.wait_for()
    assert [picture.get_attribute(name) for name in ("width", "x", "opacity")] == ["500", "40", "0.2"]
    page.locator("summary", has_text="Picture below").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    picture.wait_for(state="detached")
    file.write_bytes(b"no picture")
    page.get_by_label("Picture", exact=True).set_input_files(file)
    page.get_by_text("This browser cannot show this file: choose a picture.").wait_for()
    assert all(size < 2000 for _, size in requests)
    assert {url.partition("/api/")[2] for url, _ in requests if "/api/" in url} <= {"home", "maps/check"}


def test_draft_survives_a_reload_and_saved_maps_can_be_removed(editor: Any):
    page = editor
    page.get_by_role("combobox", name="Open a map").select_option("small")
    wait_until_playable(page)
    page.get_by_role("heading", name="Map", exact=True).click()
    page.get_by_label("Short name").fill("small")
    wait_for_check(page, "The map is ready for a game.")
    page.get_by_role("button", name="Save the map").click()
    page.get_by_text("small is the name of a map of the program").wait_for()
    page.get_by_label("Short name").fill("My Isle")
    page.get_by_role("region", name="Problems").get_by_text("The short name can have only").wait_for()
    page.get_by_label("Short name").fill("my-isle")
    page.get_by_label("Title").fill("My isle")
    wait_until_playable(page)
    page.reload()
    page.locator('[aria-label^="Frostcape,"]').wait_for()
    assert drawn_map(page).title == "My isle"
    page.get_by_role("button", name="Save the map").click()
    page.get_by_text("Saved as my-isle").wait_for()
    page.get_by_role("button", name="Save the map").click()  # replaces the saved map
    page.get_by_text("Saved as my-isle").wait_for()
    page.reload()  # after a reload, the page does not know that the sheet is the saved map
    page.locator('[aria-label^="Frostcape,"]').wait_for()
    page.get_by_role("combobox", name="Open a map").select_option("my-isle")
    page.get_by_text("The map is open. Undo restores").wait_for()
    page.get_by_role("button", name="Undo").click()  # restores the earlier sheet, which is not linked to a map
    page.get_by_role("button", name="Save the map").click()
    page.get_by_text("there is a map my-isle already").wait_for()
    page.keyboard.press("Enter")  # on "Replace my-isle"
    page.get_by_text("Saved as my-isle").wait_for()
    page.locator("summary", has_text="Saved maps").click()
    page.get_by_role("button", name="Remove My isle").click()
    page.get_by_role("button", name="Keep", exact=True).click()
    page.get_by_role("button", name="Remove My isle").click()
    page.get_by_role("button", name="Remove permanently").click()
    page.get_by_text("my-isle is no longer in the list of maps.").wait_for()
    assert page.get_by_role("combobox", name="Open a map").locator("option", has_text="My isle").count() == 0


def test_a_phone_shows_the_map_and_asks_for_a_larger_screen(server: Server, open_page: Callable[..., Any]):
    page = open_page(server.page("editor?map=small"), **{**PHONE, "has_touch": True, "is_mobile": True})
    page.get_by_text("To draw, use a screen").wait_for()
    page.locator('[aria-label^="Frostcape,"]').wait_for()
    assert page.get_by_role("toolbar").count() == 0
    before = page.locator("[data-key]").first.get_attribute("d")
    page.touchscreen.tap(180, 400)
    assert page.locator("[data-key]").first.get_attribute("d") == before
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_axe_finds_nothing_in_the_editor(server: Server, open_page: Callable[..., Any]):
    """If WARLIGHT_PICTURES names a folder, the test writes screenshots to it."""
    page, pictures = open_page(server.page("editor?map=small"), bypass_csp=True), os.environ.get("WARLIGHT_PICTURES")
    wait_until_playable(page)
    page.get_by_role("combobox", name="Open a map").focus()
    page.locator('[aria-label^="Elm River,"]').click()
    page.get_by_label("Code").fill("elm?")
    wait_for_check(page, "Elm River: the code must have 1 to 6 capital letters or digits.")
    for summary in page.locator("summary").all():
        summary.click()
    for size in (STILL["viewport"], TABLET["viewport"], PHONE["viewport"]):
        page.set_viewport_size(size)
        page.wait_for_timeout(100)
        for theme in ("dark", "light") if size == STILL["viewport"] else ("dark",):
            page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
            if pictures and size == STILL["viewport"]:
                page.screenshot(path=Path(pictures) / f"editor-{theme}.png")
            assert axe_finds(page, theme == "light") == [], (size, theme)
            assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    assert re.search(r"#/editor$", page.url)
