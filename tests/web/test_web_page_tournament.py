"""A tournament in the browser: its tables during the games, and the links from table cells to replays."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from page_helpers import PAGE, PHONE, open_without_analysis, regions
from process_helpers import ForkedCommand
from tournament_helpers import play_cup

from warlight_env.arena.tournaments.tournament import Entrant, find_log_folder
from warlight_env.record import GameLog
from warlight_env.record.names import game_name
from web_helpers import Server

pytestmark = PAGE

NIGHT = """
name = "Night"
agents = ["aggressive", "random", "one_big_army"]
games = 30
maps = ["world"]
"""


def pair_results(page: Any) -> dict[tuple[str, str], str]:
    """Return the wins, draws and losses of each row against each column."""
    table = page.get_by_role("region", name="Results by pair")
    names = table.locator("thead th").all_inner_texts()
    results = {}
    for row in table.locator("tbody tr").all():
        for name, cell in zip(names, row.locator("td").all(), strict=True):
            if cell.locator("a").count():
                results[row.locator("th").inner_text(), name] = cell.locator("small").first.inner_text()
    return results


def test_the_table_fills_while_games_are_played(
    server: Server, runs: Path, tmp_path: Path, open_page: Callable[..., Any]
):
    folder = runs / f"night-{tmp_path.name[-1]}"  # a repeated run uses another folder
    (tmp_path / "night.toml").write_text(NIGHT)
    line = ["tournament", str(tmp_path / "night.toml"), "--out", str(folder), "--jobs", "1", "--quiet"]
    page = open_page()
    process = ForkedCommand(line, {}, None)
    try:
        file = folder / "tournament.json"
        while not (file.exists() and json.loads(file.read_text())["games"]):
            assert process.wait(0) is None
            page.wait_for_timeout(10)
        process.send_signal(signal.SIGSTOP)  # pauses the games, so that the table stays incomplete
        page.goto(server.page())
        page.get_by_role("link", name=folder.name).click()
        page.get_by_text("● running").wait_for()
        page.locator("[aria-label='Results by pair'] td a").first.wait_for()
        early_results = pair_results(page)
        process.send_signal(signal.SIGCONT)
        page.get_by_text("complete").wait_for(timeout=120_000)
    finally:
        process.kill()
        process.wait()
    result = json.loads((folder / "tournament.json").read_text())
    expected = {(m["agent"], m["against"]): f"{m['wins']}–{m['draws']}–{m['losses']}" for m in result["meetings"]}
    assert pair_results(page) == expected
    assert early_results != expected


def test_a_cell_leads_to_its_games_and_their_replays(
    server: Server, runs: Path, tmp_path: Path, open_page: Callable[..., Any]
):
    folder = runs / f"pairs-{tmp_path.name[-1]}"
    result = play_cup(folder, games=2)
    page = open_without_analysis(open_page, server.page(f"t/{folder.name}"))
    page.get_by_role("link", name=re.compile("^chance & co against Attila")).click()
    games = page.get_by_role("region", name="chance & co against Attila")
    games.get_by_role("link", name="Replay of game").first.wait_for()
    meeting = result.head_to_heads[2, 0]
    rows = games.locator("table.seats tbody tr")
    for row, tally in zip(rows.all(), meeting.seats, strict=True):
        figures = [tally.games, tally.wins, tally.draws, tally.losses]
        assert row.locator("td").all_inner_texts()[:4] == [str(n) for n in figures]
    assert games.get_by_role("link", name="Replay of game").count() == meeting.games
    page.get_by_label("Games", exact=False).last.select_option("lost")
    assert games.get_by_role("link", name="Replay of game").count() == meeting.losses
    page.get_by_label("Games", exact=False).last.select_option("all")
    games.get_by_role("link", name="Replay of game 5.2").click()
    page.locator("path[data-region]").first.wait_for()
    log = GameLog.load(find_log_folder(folder / "logs", 5) / game_name(1))
    page.keyboard.press("End")
    assert [r["armies"] for r in regions(page)] == list(list(log.positions())[-1][1])
    page.get_by_role("button", name="Next mistake").wait_for()
    page.go_back()
    page.get_by_role("region", name="chance & co against Attila").wait_for()
    page.set_viewport_size(PHONE["viewport"])
    names = page.get_by_role("region", name="Pairings").locator("tbody th")
    assert names.evaluate_all("all => all.map(e => e.scrollWidth <= e.clientWidth)") == [True] * 6


def test_the_faults_of_each_agent_are_listed_with_the_rule(
    server: Server, runs: Path, tmp_path: Path, open_page: Callable[..., Any]
):
    folder = runs / f"faults-{tmp_path.name[-1]}"
    bots = Path(__file__).parents[1] / "bots" / "python_bots.py"
    entrants = (Entrant("failing", f"{bots}:Crashing", isolate=False), Entrant("chance", "random"))
    play_cup(folder, log=False, entrants=entrants, games=2)
    page = open_page(server.page(f"t/{folder.name}"))
    table = page.get_by_role("region", name="Faults")
    table.locator("tbody tr").first.wait_for()
    [row] = table.locator("tbody tr").all()
    assert row.locator("th").inner_text() == "failing"
    assert "round 2: ZeroDivisionError: nothing left to divide" in row.inner_text()
    row.get_by_text("Traceback or standard error").click()
    assert 'raise ZeroDivisionError("nothing left to divide")' in row.locator("pre").inner_text()
    assert page.get_by_text("An agent that fails loses the game.").count() == 1
