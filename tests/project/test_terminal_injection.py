"""Names from logs, maps and files are printed as plain text, without terminal codes and markup."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from page_helpers import bot_log

from warlight_env import maps
from warlight_env.cli import main
from warlight_env.maps import MapError
from warlight_env.record import DecisionInfo, GameLog, Player
from web_helpers import needs_browser, needs_page

#: Clears the screen and sets its title, in both encodings; moves in the line; reverses the text; contains markup.
EVIL = "E\x1b]0;x\x07\x1b[2J\r\x9b2J\u202e</script><img src=x onerror=pwned=1>"


@pytest.fixture(scope="module")
def evil_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    log = bot_log(rounds=3)
    players = (Player(EVIL, "aggressive"), Player("b", EVIL, {"secs": EVIL}))
    candidates = [{"orders": EVIL, "visits": 3, "value": 0.5}]
    first = replace(
        log.rounds[0],
        insights=(DecisionInfo(0, {"candidates": candidates}), DecisionInfo(1, {EVIL: EVIL, "error": EVIL})),
    )
    path = tmp_path_factory.mktemp("logs") / "evil.wl.jsonl"
    replace(log, header=replace(log.header, players=players), steps=(first, *log.steps[1:]), end=None).save(path)
    assert GameLog.load(path).names == (EVIL, "b")
    return path


@pytest.mark.parametrize(
    "line",
    [
        ["log", "verify", "LOG"],
        ["log", "verify", "LOG", "--json"],
        ["log", "list", "FOLDER"],
        ["log", "list", "FOLDER", "--json"],
        ["log", "continue", "LOG", "random", "random", "--rounds", "4"],
        ["replay", "LOG", "--decision-info"],
        ["replay", f"/nowhere/{EVIL}.wl.jsonl".replace("</", "")],
        ["match", EVIL, "random", "-n", "1"],
        ["play", "--vs", EVIL, "--no-browser"],
        ["play", "--map", EVIL.replace("/", ""), "--no-browser"],
        ["hotseat", EVIL, "b", "--no-browser"],
        ["map", "show", EVIL.replace("/", "")],
    ],
)
def test_no_control_character_is_printed(line: list[str], evil_log: Path, capsys: pytest.CaptureFixture[str]):
    replacements = {"LOG": str(evil_log), "FOLDER": str(evil_log.parent)}
    main([replacements.get(word, word) for word in line])
    output = capsys.readouterr()
    assert output.out + output.err
    assert all(c.isprintable() for c in (output.out + output.err).replace("\n", "")), repr(output)
    if "--json" in line and line[1] == "list":
        assert json.loads(output.out)[0]["players"][0] == EVIL  # the list contains the name, escaped


@pytest.mark.parametrize("place", ["name", "title", "description", "source", "region", "code", "super region"])
def test_maps_with_control_characters_are_refused(place: str):
    data = json.loads(json.dumps(maps.load("small").to_dict()))
    where = {"region": data["regions"][0], "code": data["regions"][0], "super region": data["super_regions"][0]}
    where.get(place, data)[place if place not in ("region", "super region") else "name"] = EVIL
    with pytest.raises(MapError) as refused:
        maps.from_dict(data)
    assert str(refused.value).replace("\n", "").isprintable()


@needs_page
@needs_browser
def test_markup_is_shown_as_text_on_a_page(evil_log: Path, tmp_path: Path, open_page: Callable[..., Any]):
    from warlight_env.web.export import write_html

    write_html(GameLog.load(evil_log), tmp_path / "replay.html", chances=False)
    page = open_page((tmp_path / "replay.html").as_uri())
    page.locator("path[data-region]").first.wait_for()
    for _ in range(4):
        page.keyboard.press("PageDown")
    page.keyboard.press("End")
    page.keyboard.press("t")
    page.wait_for_timeout(200)
    assert page.evaluate("typeof pwned") == "undefined"
    assert page.locator("img").count() == 0
    assert "onerror" in page.locator("body").inner_text()  # the page shows the markup as text


@pytest.mark.parametrize("rule", ["forfeit", "skip"])
def test_no_control_character_of_an_error_message_reaches_a_terminal(
    rule: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    bot = tmp_path / "bot.py"
    bot.write_text(
        "class Bot:\n"
        "    def __init__(self, seed): pass\n"
        "    def pick(self, view): return []\n"
        f"    def act(self, view, budget=None): raise ValueError({EVIL!r})\n"
    )
    command = ["match", f"{bot}:Bot", "random", "-n", "1", "--map", "small", "--rounds", "3", "--on-crash", rule, "-q"]
    assert main(command) == 0
    printed = capsys.readouterr()
    assert "ValueError" in printed.out
    assert all(c.isprintable() for c in (printed.out + printed.err).replace("\n", "")), repr(printed)
