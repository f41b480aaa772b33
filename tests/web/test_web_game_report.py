"""Game reports: dice compared with their expectation, turns compared with better ones, and the report's text."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from page_helpers import bot_log, idle_log

from warlight_env import Game, battle_odds
from warlight_env.cli import main
from warlight_env.record import game_at
from warlight_env.web.workers.analysed_position import AnalysedPosition
from warlight_env.web.workers.dice_luck import battle_luck, dice_luck
from warlight_env.web.workers.game_report import GameReport, GameReportError, report_of
from warlight_env.web.workers.turn_report import Better, TurnReport
from warlight_env.web.workers.turning_points import cause_of, describe_turning_points, reason_of, sentence_of


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
    second = AnalysedPosition(game_at(log, 1), log.rounds[1])
    assert second.deepen("aggressive", 16).turns == report.rounds[1]  # bit by bit it is the same
    deeper = second.deepen("nash:secs=0.05", 32)
    assert deeper.turns[0] is not None and deeper.turns[0].error < report.rounds[1][0].error  # type: ignore[union-attr]
    assert second.deepen("aggressive", 32).best == deeper.best, "the best of all turns that were found"
    with pytest.raises(GameReportError):
        report_of(idle_log(0))
    # A bot that failed has no turns to judge, and no accuracy.
    failed = GameReport("aggressive", 16, 20, report.names, tuple((None, turns[1]) for turns in report.rounds))
    told = failed.summary()["players"]
    assert told[0]["accuracy"] is None and told[1]["accuracy"] == other["accuracy"]


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


def entry(before: float, worth: float, after: float, better: str = "", gain: float = 0.0) -> TurnReport:
    """A turn of a report, of which the parts of its loss are chosen."""
    told = Better(better, gain, 0.01) if better else None
    return TurnReport(before, worth, after, 0.0, gain, 0.01, gain, told)


def test_a_turning_point_has_a_reason_with_names_instead_of_codes():
    log = idle_log(6)
    regions = log.header.map.regions
    codes = re.compile(rf"\b({'|'.join(region.code for region in regions)})\b", re.IGNORECASE)
    owned = [game_at(log, number).owner.tolist().count(0) for number in range(len(log.rounds) + 1)]
    number = next(number for number in range(1, len(owned)) if owned[number] < owned[number - 1])
    before, step, after = game_at(log, number - 1), log.rounds[number - 1], game_at(log, number)
    taken = [r for r in range(10) if before.owner[r] == 0 != after.owner[r]]
    own = next(r for r in range(10) if before.owner[r] == 0)
    source, target = own, log.header.map.neighbors[own][0]
    better = f"d {regions[own].code} 3; a {regions[source].code} {regions[target].code} 4"

    def sentence(turn: TurnReport) -> str:
        return sentence_of(asdict(reason_of(turn, 0, before, step, after)), log.names[0])

    others = sentence(entry(0.8, 0.5, 0.5))
    assert others.startswith("The other players had a strong turn and took ")
    assert all(regions[region].name in others for region in taken[:3])
    weaker = "random chose a weaker turn: the better turn"
    moves = f"{weaker} moves 4 from {regions[source].name} to {regions[target].name}."
    assert sentence(entry(0.8, 0.5, 0.5, better, 0.3)) == moves
    assert sentence(entry(0.8, 0.5, 0.1, better, 0.3)) == moves, "a blunder explains itself, also with bad dice"
    assert sentence(entry(0.8, 0.5, 0.5, f"d {regions[own].code} 3", 0.3)).endswith(
        f"puts 3 more on {regions[own].name}."
    )
    assert cause_of(entry(0.8, 0.8, 0.5)) == "dice"
    dice = sentence(entry(0.8, 0.8, 0.5))
    luck = [gains[0] for _, gains in battle_luck(before, step) if 0 in gains]
    expected = f"cost {-min(luck):.1f} armies more" if luck and min(luck) < 0 else "the order of the moves was unlucky"
    assert dice.startswith("The dice were bad for random: ") and expected in dice
    turn = entry(0.8, 0.5, 0.5, better, 0.3)
    told = replace(turn, reason=reason_of(turn, 0, before, step, after)).to_dict()
    lines = describe_turning_points({"turning": [{"round": number, "player": 0}], "rounds": [[told]] * 6}, log)
    assert len(lines) == 3 and not codes.search(lines[1] + lines[2].partition(":")[2])


@pytest.mark.parametrize(
    ("gain", "certain", "mark"),
    [(0.57, True, "??"), (0.15, True, "??"), (0.12, True, "?"), (0.06, True, "?!"), (0.04, True, None),
     (0.57, False, None), (-0.2, False, "!"), (-0.04, False, None)],
)  # fmt: skip
def test_marks_follow_the_certain_change_of_win_probability(gain: float, certain: bool, mark: str | None):
    assert entry(0.8, 0.5, 0.5, "d x 1" if certain else "", gain).mark == mark


def test_accuracy_has_the_weight_of_the_stakes_and_blunders_are_counted():
    """A player who gives away 57 points in one of many turns has a much lower accuracy than its opponent."""
    blunder = TurnReport(0.8, 0.2, 0.2, 0.0, 0.57, 0.01, 0.6, Better("d x 1", 0.57, 0.01))
    calm = TurnReport(0.5, 0.5, 0.5, 0.0, 0.0, 0.01, 0.02, None)
    report = GameReport("nash", 48, 20, ("loser", "winner"), ((blunder, calm), *[(calm, calm)] * 20))
    loser, winner = report.to_dict()["players"]
    assert loser["accuracy"] == pytest.approx(1 - 0.57 / (0.6 + 20 * 0.02)) and winner["accuracy"] == 1
    assert loser["marks"] == {"??": 1, "?": 0, "?!": 0} and sum(winner["marks"].values()) == 0
