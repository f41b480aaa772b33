"""Game reports: dice compared with their expectation, turns compared with better ones, and the report's text."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from page_helpers import bot_log

from warlight_env import Game, battle_odds
from warlight_env.agents.registry import make_agent
from warlight_env.cli import main
from warlight_env.engine.orders import Orders
from warlight_env.record import GameLog, MemoryRecorder, game_at
from warlight_env.web.errors import RequestError
from warlight_env.web.workers.analysis_jobs import POLL_TIMEOUT, QUEUE, AnalysisJobs, RoundAnalysis
from warlight_env.web.workers.game_report import GameReportError, analysed_round, battle_luck, dice_luck, report_of
from warlight_env.web.workers.turning_points import cause_of, describe_turning_points, reason_of
from warlight_env.web.workers.worker_tasks import LogSource
from web_helpers import Server, needs_browser, needs_page, serving


def idle_log(rounds: int) -> GameLog:
    """Somebody who does nothing against somebody who attacks."""
    game, recorder = Game("small", "thesis", 2, 3, picks="random"), MemoryRecorder()
    bots = [make_agent("random", 1), make_agent("aggressive", 1)]
    recorder.began(game, bots, 500)
    while game.round < rounds and not game.done:
        orders = {0: Orders(), 1: bots[1].act(game.view(1))}
        recorder.played(orders, game.play_round(orders), game)
    return recorder.log


def test_the_luck_of_dice_is_what_they_gave_beyond_their_expectation():
    log = bot_log(rounds=10)
    fights = 0
    for number, step in enumerate(log.rounds):
        game = game_at(log, number)
        expected = [0.0, 0.0]
        for event, before in zip(step.events, _armies(game, step), strict=True):
            if event.kind == "attack":
                fights += 1
                odds = battle_odds(event.armies, before[event.target])
                left = 0 if event.captured else max(1, before[event.target] - event.defenders_lost)
                luck = event.armies - event.attackers_lost - left - odds.expected_attackers + odds.expected_defenders
                expected[event.player] += luck
                if before[-1 - event.target] == 1 - event.player:
                    expected[1 - event.player] -= luck
        assert dice_luck(game, step) == pytest.approx(expected)
    assert fights > 10


def _armies(game: Game, step: Any) -> list[list[int]]:
    """The armies before each event, and behind them, from the end, the owners."""
    army, owner, found = game.army.tolist(), game.owner.tolist(), []
    for deploy in step.deploys:
        army[deploy.region] += deploy.armies
    for event in step.events:
        found.append([*army, *owner[::-1]])
        army[event.source] -= event.armies if event.kind == "transfer" or event.captured else event.attackers_lost
        if event.kind == "transfer":
            army[event.target] += event.armies
        elif event.captured:
            owner[event.target], army[event.target] = event.player, event.armies - event.attackers_lost
        else:
            army[event.target] = max(1, army[event.target] - event.defenders_lost)
    return found


def test_who_does_nothing_is_told_what_would_have_been_better():
    log = idle_log(3)
    report = report_of(log, "aggressive", rolls=16)
    idle, other = report.to_dict()["players"]
    assert idle["accuracy"] < 0.3 and other["accuracy"] > 0.6, "who gives no orders keeps nothing of the stakes"
    sums = report.to_dict()["cumulative"]
    assert sums[-1] == pytest.approx([idle["lost"], other["lost"]])
    assert [row[0] for row in sums] == sorted(row[0] for row in sums) and sums[-1][0] > sums[0][0] > 0
    lost = [turns[0] for turns in report.rounds]
    assert any(turn.better and turn.better.orders for turn in lost)
    for turn in lost:
        assert turn.better is None or turn.better.gain > turn.better.error > 0
        assert turn.after == pytest.approx(turn.worth + turn.luck)
        assert turn.stake >= turn.lost >= 0
    assert analysed_round(log, 2, "aggressive", 16) == report.rounds[1]  # bit by bit it is the same
    with pytest.raises(GameReportError):
        report_of(idle_log(0))


def test_the_command_says_it_as_text_and_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "game.wl.jsonl"
    idle_log(3).save(file)
    line = ["analyse", str(file), "--bot", "aggressive", "--rolls", "8", "-q"]
    assert main(line) == 0
    text = capsys.readouterr().out
    assert "3 rounds, compared with aggressive" in text
    assert "accuracy" in text and "cumulative loss" in text
    assert main([*line, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["turning"] and all(point["reason"] in text for point in told["turning"])
    assert (told["judge"], told["rolls"], len(told["rounds"])) == ("aggressive", 8, 3)
    for bad, says in ((["--rolls", "1"], "8 to 1000"), (["--html", "x.txt"], ".html"), (["--bot", "nobody"], "nobody")):
        assert main(["analyse", str(file), *bad]) == 2
        assert says in capsys.readouterr().err


def entry(before: float, worth: float, after: float, better: str = "", gain: float = 0.0) -> dict[str, Any]:
    """A turn of a report, of which the parts of its loss are chosen."""
    told = {"orders": better, "gain": gain, "error": 0.01} if better else None
    return {"before": before, "worth": worth, "after": after, "luck": after - worth, "lost": gain, "better": told}


def test_a_turning_point_has_a_reason_with_names_instead_of_codes():
    log = idle_log(6)
    regions = log.header.map.regions
    codes = re.compile(rf"\b({'|'.join(region.code for region in regions)})\b", re.IGNORECASE)
    owned = [game_at(log, number).owner.tolist().count(0) for number in range(len(log.rounds) + 1)]
    number = next(number for number in range(1, len(owned)) if owned[number] < owned[number - 1])
    taken = [r for r in range(10) if game_at(log, number - 1).owner[r] == 0 != game_at(log, number).owner[r]]
    own = next(r for r in range(10) if game_at(log, number - 1).owner[r] == 0)
    source, target = own, log.header.map.neighbors[own][0]
    better = f"d {regions[own].code} 3; a {regions[source].code} {regions[target].code} 4"

    others = reason_of(entry(0.8, 0.5, 0.5), log, number, 0)
    assert others.startswith("The other players had a strong turn and took ")
    assert all(regions[region].name in others for region in taken[:3])
    turn = reason_of(entry(0.8, 0.5, 0.5, better, 0.3), log, number, 0)
    assert (
        turn
        == f"random chose a weaker turn: the better turn moves 4 from {regions[source].name} to {regions[target].name}."
    )
    assert reason_of(entry(0.8, 0.5, 0.5, f"d {regions[own].code} 3", 0.3), log, number, 0).endswith(
        f"puts 3 more on {regions[own].name}."
    )
    assert cause_of(entry(0.8, 0.8, 0.5)) == "dice"
    dice = reason_of(entry(0.8, 0.8, 0.5), log, number, 0)
    luck = [gains[0] for _, gains in battle_luck(game_at(log, number - 1), log.rounds[number - 1]) if 0 in gains]
    expected = f"cost {-min(luck):.1f} armies more" if luck and min(luck) < 0 else "the order of the moves was unlucky"
    assert dice.startswith("The dice were bad for random: ") and expected in dice
    report = {"turning": [{"round": number, "player": 0}], "rounds": [[entry(0.8, 0.5, 0.5, better, 0.3)]] * 6}
    lines = describe_turning_points(report, log)
    assert len(lines) == 3 and not codes.search(lines[1] + lines[2].partition(":")[2])


def test_reports_that_failed_keep_nobody_from_others(monkeypatch: pytest.MonkeyPatch):
    now = [100.0]
    monkeypatch.setattr("warlight_env.web.workers.analysis_jobs.time", SimpleNamespace(monotonic=lambda: now[0]))

    async def main() -> None:
        judges = AnalysisJobs()

        async def no_rounds(case: RoundAnalysis) -> Any:
            return ("Ann", "Bo"), 0

        monkeypatch.setattr(judges, "_ask", no_rounds)
        for number in range(QUEUE):  # asked for once, and the page is closed
            judges.poll(LogSource(f"log{number}", b""))
        with pytest.raises(RequestError, match="try again in a moment"):
            judges.poll(LogSource("other", b""))
        await asyncio.gather(*(making.task for making in judges._making.values() if making.task))
        judges.poll(LogSource("other", b""))
        with pytest.raises(RequestError, match="1 to 300 rounds"):
            judges.poll(LogSource("log0", b""))
        now[0] += POLL_TIMEOUT + 1
        judges.poll(LogSource("another", b""))
        assert "log1" not in judges._making, "nobody will ask"
        await judges.close()

    asyncio.run(main())


def test_a_report_that_fails_through_no_fault_of_the_log_is_told_once_and_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    async def main() -> None:
        judges, source = AnalysisJobs(), LogSource("log", b"")

        async def wrong(case: RoundAnalysis) -> Any:
            raise ValueError("secret")

        monkeypatch.setattr(judges, "_ask", wrong)
        judges.poll(source)
        await asyncio.wait([making.task for making in judges._making.values() if making.task])
        with pytest.raises(RequestError, match=r"the report failed \(ValueError\)") as failed:
            judges.poll(source)
        assert (failed.value.status, failed.value.code) == (500, "report-failed")
        assert "secret" in caplog.text and "secret" not in str(failed.value)
        assert judges.poll(source)["report"] is None, "it is tried anew"
        await judges.close()

    asyncio.run(main())


@needs_page
@needs_browser
def test_the_page_shows_the_report_and_draws_what_was_better(tmp_path: Path, open_page: Callable[..., Any]):
    file, page_file = tmp_path / "game.wl.jsonl", tmp_path / "game.html"
    log = idle_log(8)
    log.save(file)
    line = ["analyse", str(file), "--bot", "aggressive", "--rolls", "16", "-q", "--html", str(page_file)]
    assert main(line) == 0
    page = open_page(page_file.as_uri(), offline=True)
    report = page.get_by_role("region", name="Report")
    report.get_by_role("img", name="Win probability, % by round").wait_for()
    for name in ("Regions", "Income"):
        assert report.get_by_role("img", name=f"{name} by round").is_visible()
    assert report.locator("tbody tr").count() == 2
    assert report.get_by_text("compared with aggressive").is_visible()
    show = report.get_by_role("button", name="Show the better turn").first
    number = show.get_attribute("aria-label").split()[-1]
    show.click()
    page.locator(".where", has_text=f"Round {number}/").wait_for()
    page.locator("g.ghost, g.addition").first.wait_for(state="attached")
    assert page.locator(".stage").bounding_box()["y"] >= 0, "the report lies below the map, which is in sight again"
    page.keyboard.press("End")
    page.locator("g.ghost").first.wait_for(state="detached")


@needs_page
@needs_browser
def test_a_log_that_is_opened_gets_its_report_by_itself(server: Server, tmp_path: Path, open_page: Callable[..., Any]):
    file, log = tmp_path / "game.wl.jsonl", idle_log(1)
    log.save(file)
    played = server.begin()
    page = open_page(server.page())
    page.get_by_label("Log of a game").set_input_files(file)
    report = page.get_by_role("region", name="Report")
    report.get_by_text("The report is being made").wait_for()
    report.get_by_text("compared with nash:secs=1").wait_for(timeout=120_000)
    assert report.locator("tbody tr").count() == 2
    with server.client(played.token(0)) as client:
        assert client.post(f"games/{played.game}/report", json={}).status_code == 409  # not while it is played


@needs_page
@needs_browser
def test_the_curve_is_there_in_a_game_of_which_nobody_asked_the_chances(server: Server, open_page: Callable[..., Any]):
    two = {"players": [{"name": "You"}, {"bot": "random"}], "map": "small", "picks": "random", "seed": 2}
    made = server.client().post("games", json=two).json()
    client = server.client(made["tokens"]["0"])
    with server.feed(made["id"], made["tokens"]["0"]) as feed:
        client.post(f"games/{made['id']}/orders", json={"round": 1, "deploys": [], "attacks": []})
        feed.event("round")
        client.post(f"games/{made['id']}/resign")
        feed.event("end")
    page = open_page(server.page(f"g/{made['id']}?key0={made['tokens']['0']}"))
    report = page.get_by_role("region", name="Report")
    report.get_by_text("compared with nash:secs=1").wait_for(timeout=120_000)
    curve = report.get_by_role("img", name="Win probability, % by round").locator("path[fill=none]").first
    assert len(re.findall("[ML]", curve.get_attribute("d"))) == 2  # before the round and after it


@pytest.mark.slow
@needs_page
def test_a_game_that_is_over_gets_its_report(tmp_path: Path):
    with serving(tmp_path, "play", "--vs", "aggressive", "--map", "small") as server:
        two = {"players": [{"name": "You"}, {"bot": "aggressive"}], "map": "small", "picks": "random", "seed": 2}
        made = server.client().post("games", json=two).json()
        client = server.client(made["tokens"]["0"])
        with server.feed(made["id"], made["tokens"]["0"]) as feed:
            while (state := feed.now())["phase"] != "over":
                turn = {"round": state["round"] + 1, "deploys": [], "attacks": []}
                client.post(f"games/{made['id']}/orders", json=turn)
        seen = []
        while not seen or seen[-1]["report"] is None:
            seen.append(client.post(f"games/{made['id']}/report", json={}).json())
            time.sleep(0.3)
        assert len(seen[-1]["report"]["rounds"]) == state["round"]
        assert seen[-1]["report"]["players"][0]["accuracy"] < seen[-1]["report"]["players"][1]["accuracy"]
        assert client.post(f"games/{made['id']}/report", json={}).json() == seen[-1]  # it is kept
