"""Game reports: dice compared with their expectation, turns compared with better ones, and the report's text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from page_helpers import ILLEGAL_ORDERS, bot_log, idle_log

from warlight_env import Game, battle_odds
from warlight_env.agents.registry import make_agent
from warlight_env.arena.games.game_loop import ask_orders
from warlight_env.cli import main
from warlight_env.record import MemoryRecorder, game_at
from warlight_env.web.workers.analysed_position import PLAYOUTS, AnalysedPosition
from warlight_env.web.workers.dice_luck import dice_luck
from warlight_env.web.workers.game_report import GameReport, GameReportError, report_of
from warlight_env.web.workers.rollout_estimate import OwnersAndArmies
from warlight_env.web.workers.turn_report import Better, TurnReport


def test_dice_luck_is_the_difference_from_the_expected_losses():
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
    """Return for each event the armies before it, followed by the owners in reverse order."""
    army, owner, rows = game.army.tolist(), game.owner.tolist(), []
    for deploy in step.deploys:
        army[deploy.region] += deploy.armies
    for event in step.events:
        rows.append([*army, *owner[::-1]])
        army[event.source] -= event.armies if event.kind == "transfer" or event.captured else event.attackers_lost
        if event.kind == "transfer":
            army[event.target] += event.armies
        elif event.captured:
            owner[event.target], army[event.target] = event.player, event.armies - event.attackers_lost
        else:
            army[event.target] = max(1, army[event.target] - event.defenders_lost)
    return rows


def test_a_report_names_better_turns_for_a_player_without_orders():
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
    for turns, following in pairwise(report.rounds):
        assert [turn.after for turn in turns] == [turn.before for turn in following], "a position has one value"
    second = AnalysedPosition(game_at(log, 1), log.rounds[1], games=16 * PLAYOUTS)
    assert second.deepen("aggressive", 16).turns == report.rounds[1]  # the results are bitwise equal
    deeper = second.deepen("nash:secs=0.05", 32)
    assert deeper.turns[0] is not None and deeper.turns[0].error < report.rounds[1][0].error  # type: ignore[union-attr]
    assert (deeper.turns[0].before, deeper.turns[0].after) == (report.rounds[1][0].before, report.rounds[1][0].after)
    assert second.deepen("aggressive", 32).best == deeper.best, "the best of all turns that were found"
    with pytest.raises(GameReportError):
        report_of(idle_log(0))
    # A bot that failed has no turns to judge, and no accuracy.
    failed = GameReport("aggressive", 16, 20, report.names, tuple((None, turns[1]) for turns in report.rounds))
    players = failed.summary()["players"]
    assert players[0]["accuracy"] is None and players[1]["accuracy"] == other["accuracy"]


def test_analyse_prints_the_report_as_text_and_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "game.wl.jsonl"
    idle_log(3).save(file)
    line = ["analyse", str(file), "--bot", "aggressive", "--rolls", "8", "-q"]
    assert main(line) == 0
    text = capsys.readouterr().out
    assert "3 rounds, compared with aggressive" in text
    assert "accuracy" in text and "cumulative loss" in text
    assert main([*line, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["turning"] and all(point["reason"] in text for point in report["turning"])
    assert (report["judge"], report["rolls"], len(report["rounds"])) == ("aggressive", 8, 3)
    idle_log(3, orders=ILLEGAL_ORDERS).save(file)
    assert main([*line, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == report, "illegal orders have no effect"
    assert main(line) == 0
    text = capsys.readouterr().out
    first = Game("small").map.regions[0].name
    assert "  played: no orders\n  illegal, not executed: deploy 1 on region 99: no such region\n" in text
    assert f"not executed: deploy 999 on {first}: " in text and "  and 1 more illegal order\n" in text
    for bad, hint in ((["--rolls", "1"], "8 to 1000"), (["--html", "x.txt"], ".html"), (["--bot", "nobody"], "nobody")):
        assert main(["analyse", str(file), *bad]) == 2
        assert hint in capsys.readouterr().err
    without_rounds = tmp_path / "short.wl.jsonl"
    without_rounds.write_bytes(file.read_bytes().splitlines(keepends=True)[0])
    assert main(["analyse", str(without_rounds), "-q"]) == 2
    assert capsys.readouterr().err.startswith(f"error: {without_rounds}: ")


def test_the_best_turn_is_evaluated_with_simulations_that_did_not_choose_it(
    monkeypatch: pytest.MonkeyPatch,
):
    """With pure noise as values, no turn is better than another on average."""

    def noise(view: Any, positions: OwnersAndArmies, seeds: Sequence[int], games: int, absent: frozenset[int]) -> Any:
        shares = [
            np.random.default_rng([seed, *(number + 1 for number in (*owner.tolist(), *army.tolist()))]).random()
            for owner, army, seed in zip(*positions, seeds, strict=True)
        ]
        return np.array([[share, 1 - share] for share in shares])

    monkeypatch.setattr("warlight_env.web.workers.analysed_position.win_shares", noise)
    scores = []
    for seed in range(16):
        game = Game("world", "thesis", 2, seed, picks="random")
        bots = [make_agent("random", seed + player) for player in range(2)]
        recorder = MemoryRecorder()
        recorder.began(game, bots, 500)
        orders = ask_orders(game, bots)
        recorder.played(orders, game.play_round(orders, on_illegal="skip"), game)
        log = recorder.log
        position = AnalysedPosition(game_at(log, 0), log.rounds[0], games=1)
        for bot in ("aggressive", "one_ply", "plan", "smart_random"):
            result = position.deepen(bot, 12)
        scores += [turn.gain / turn.error for turn in result.turns if turn is not None and turn.error]
    mean = sum(scores) / len(scores)
    assert abs(mean) < 2 / (1.96 * len(scores) ** 0.5), mean


def test_accuracy_weights_turns_by_their_stakes_and_counts_blunders():
    """A player who gives away 57 points in one of many turns has a much lower accuracy than its opponent."""
    blunder = TurnReport(0.8, 0.2, 0.2, 0.0, 0.57, 0.01, 0.6, Better("d x 1", 0.57, 0.01))
    calm = TurnReport(0.5, 0.5, 0.5, 0.0, 0.0, 0.01, 0.02, None)
    report = GameReport("nash", 48, 20, ("loser", "winner"), ((blunder, calm), *[(calm, calm)] * 20))
    loser, winner = report.to_dict()["players"]
    assert loser["accuracy"] == pytest.approx(1 - 0.57 / (0.6 + 20 * 0.02)) and winner["accuracy"] == 1
    assert loser["marks"] == {"??": 1, "?": 0, "?!": 0} and sum(winner["marks"].values()) == 0
