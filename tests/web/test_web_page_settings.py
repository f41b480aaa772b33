"""Settings of the page: one dialog on every screen stores the choices; sounds are off by default."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from page_helpers import PAGE, PHONE, bot_log, hand_in, pick, region, regions, round_or_end

from warlight_env.agents.registry import make_agent
from warlight_env.arena.games.game_loop import play_game
from warlight_env.record import MemoryRecorder
from warlight_env.web.export import write_html
from web_helpers import Server

pytestmark = PAGE

#: JavaScript: store the frequencies of the played tones, and count the audio contexts.
RECORD_TONES = """
window.tones = [];
const start = OscillatorNode.prototype.start, set = AudioParam.prototype.setValueAtTime;
AudioParam.prototype.setValueAtTime = function (value, at) { this.set = value; return set.call(this, value, at); };
OscillatorNode.prototype.start = function (at) { tones.push(this.frequency.set); return start.call(this, at); };
const made = AudioContext;
window.contexts = 0;
window.AudioContext = class extends made { constructor() { super(); contexts += 1; } };
"""
NO_AUDIO = {
    "no audio": "delete window.AudioContext; delete window.webkitAudioContext;",
    "no device": "window.AudioContext = class { constructor() { throw new DOMException('no', 'NotSupportedError'); } }",
    "not allowed": """window.AudioContext = class { state = 'suspended';
        resume() { return Promise.reject(new DOMException('no', 'NotAllowedError')); } };""",
}


def theme(page: Any) -> str:
    return str(page.evaluate("document.documentElement.dataset.theme"))


def test_settings_dialog_works_by_keyboard_and_stores_the_choices(tmp_path: Path, open_page: Callable[..., Any]):
    write_html(bot_log(rounds=3), tmp_path / "replay.html", chances=False)
    address = f"{(tmp_path / 'replay.html').as_uri()}?#/?round=1"
    page = open_page(address, color_scheme="dark")
    opener = page.get_by_role("button", name="Settings")
    dialog = page.get_by_role("dialog", name="Settings")
    opener.focus()
    page.keyboard.press("Enter")
    dialog.wait_for()
    place = page.url
    page.keyboard.press("End")  # the dialog handles this key, not the game
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    assert page.url == place
    assert opener.evaluate("e => e === document.activeElement")

    page.keyboard.press("Enter")
    dialog.wait_for()
    # The event `close` of a dialog comes later, perhaps after the user has opened the dialog again.
    opener.evaluate("e => { document.querySelector('dialog[open]').requestClose(); e.click(); }")
    page.wait_for_timeout(100)
    assert dialog.is_visible()
    assert theme(page) == "dark"
    page.get_by_role("combobox", name="Theme").select_option("light")
    assert theme(page) == "light"
    page.get_by_role("combobox", name="Show rounds").select_option(label="order by order, 4×")
    assert page.locator(".speed .num").inner_text() == "4×"
    page.get_by_role("checkbox", name="Sounds").check()
    page.get_by_role("slider", name="Volume").fill("20")
    page.get_by_role("button", name="Close", exact=True).click()
    page.reload()
    opener.click()
    assert theme(page) == "light"
    assert page.get_by_role("combobox", name="Theme").input_value() == "light"
    assert page.locator(".speed .num").inner_text() == "4×"
    assert page.get_by_role("checkbox", name="Sounds").is_checked()
    assert page.get_by_role("slider", name="Volume").input_value() == "20"

    # The theme of the system applies, also after it changes.
    page.get_by_role("combobox", name="Theme").select_option("system")
    assert theme(page) == "dark"
    page.emulate_media(color_scheme="light")
    page.wait_for_function("() => document.documentElement.dataset.theme === 'light'")


def test_phone_has_the_settings_on_every_screen(server: Server, open_page: Callable[..., Any]):
    game_server = server.begin(seed=6)
    page = open_page(server.page(), **PHONE, expects="status of 404")
    with server.client() as client:
        game = client.post("games", json={"players": [{"name": "Ann"}, {"name": "Bo"}]}).json()
    tokens = "&".join(f"key{seat}={token}" for seat, token in game["tokens"].items())
    for place, button in (
        (server.page(), "Play now"),
        (game_server.address, "Commit"),
        (server.page(f"g/{game['id']}?{tokens}"), "I am Ann"),
        (server.page("t/none"), ""),
    ):
        page.goto(place)
        page.get_by_role("button", name=button).first.wait_for()
        page.get_by_role("button", name="Settings").click()
        page.get_by_role("dialog", name="Settings").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, place
        page.get_by_role("button", name="Close", exact=True).click()


def test_sounds_play_only_after_the_user_enables_them(server: Server, open_page: Callable[..., Any]):
    game_server = server.begin(seed=6)
    page = open_page(bypass_csp=True)
    page.add_init_script(RECORD_TONES)
    page.goto(game_server.address)
    pick(page)

    def turn(number: int) -> None:
        page.locator(f".round:has-text('Round {number}')").first.wait_for()
        home = next(r["name"] for r in regions(page) if r["who"] == "yours")
        region(page, home).focus()
        page.keyboard.press("Enter")
        hand_in(page)
        round_or_end(page, number + 1)

    turn(1)
    assert page.evaluate("[tones.length, contexts]") == [0, 0]
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("checkbox", name="Sounds").check()
    page.wait_for_function("() => tones.length === 2")  # the page plays a sample
    page.get_by_role("button", name="Close", exact=True).click()
    page.evaluate("tones.length = 0")
    turn(2)
    page.wait_for_function("() => tones.includes(880) && tones.includes(392) && tones.includes(523)")  # amount, commit
    # events of the round
    page.wait_for_function("() => tones.includes(330) || tones.includes(659) || tones.includes(220)")
    assert page.evaluate("contexts") == 1
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("slider", name="Volume").fill("0")
    page.get_by_role("button", name="Close", exact=True).click()
    page.evaluate("tones.length = 0")
    turn(3)
    assert page.evaluate("tones.length") == 0


def test_replay_plays_sounds_for_captures_and_the_end(tmp_path: Path, open_page: Callable[..., Any]):
    recorder = MemoryRecorder()
    play_game([make_agent("aggressive", 1), make_agent("random", 1)], "small", seed=3, observer=recorder)
    log = recorder.log
    write_html(log, tmp_path / "replay.html", chances=False)
    number, k = next((step.round, k) for step in log.rounds for k, event in enumerate(step.events) if event.captured)
    page = open_page()
    page.add_init_script(RECORD_TONES + "localStorage.setItem('warlight.sounds', 'on');")
    page.goto(f"{(tmp_path / 'replay.html').as_uri()}?#/?round={number}&order={k + 1}")
    page.locator(".brand").click()  # a browser blocks sound before the first click
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => tones.includes(659)")
    page.evaluate("tones.length = 0")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => tones.includes(1047)")


def test_page_works_without_audio(tmp_path: Path, open_page: Callable[..., Any]):
    write_html(bot_log(rounds=2), tmp_path / "replay.html", chances=False)
    page = open_page()
    for way, script in NO_AUDIO.items():
        page.add_init_script(f"if (location.search === '?{way.replace(' ', '-')}') {{ {script} }}")
    for way in NO_AUDIO:
        page.goto(f"{(tmp_path / 'replay.html').as_uri()}?{way.replace(' ', '-')}#/?round=0")
        page.get_by_role("button", name="Settings").click()
        page.get_by_role("checkbox", name="Sounds").check()
        page.get_by_role("button", name="Close", exact=True).click()
        for _ in range(4):
            page.keyboard.press("ArrowRight")
        page.get_by_role("status").filter(has_text="attacks").or_(page.get_by_text("Round 1")).first.wait_for()
        page.evaluate("localStorage.clear()")
