"""Players that resigned: they have no turns in reports, win curves, variations and values of candidates."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from warlight_env import Game
from warlight_env.agents.registry import make_agent
from warlight_env.arena.games.game_loop import ask_orders
from warlight_env.engine.orders import Orders
from warlight_env.record import End, GameLog, LoggedFailure, MemoryRecorder, VariationError, game_at
from warlight_env.web.workers.analysed_position import AnalysedPosition
from warlight_env.web.workers.candidate_values import turn_win_probabilities
from warlight_env.web.workers.game_report import report_of
from warlight_env.web.workers.variation_tasks import LogTree, TriedTurn, add_variation, prepare_turn
from warlight_env.web.workers.win_probability import win_probabilities_of
from warlight_env.web.workers.worker_tasks import LogSource


def log_of_three() -> GameLog:
    """Return the log of four rounds of three bots on the world map. From round 2 on, player 0 gives no orders."""
    game, recorder = Game("world", players=3, seed=3, picks="random"), MemoryRecorder()
    bots = [make_agent("aggressive", seed) for seed in range(3)]
    recorder.began(game, bots, 500)
    for number in range(1, 5):
        orders = ask_orders(game, bots)
        if number > 1:
            del orders[0]
        recorder.played(orders, game.play_round(orders, on_illegal="skip"), game)
    return recorder.log


def test_a_player_that_resigned_has_no_turns_and_wins_no_playout():
    log = log_of_three()
    resigned = replace(log, failures=(LoggedFailure(0, 2, "resigned"),), end=None)
    report = report_of(resigned, "aggressive", 8, 4)
    assert [turns[0] is None for turns in report.rounds] == [False, True, True, True]
    later = [AnalysedPosition(game_at(resigned, n), resigned.rounds[n], 4, 40, resigned.absent) for n in (1, 2)]
    first, second = (position.deepen("aggressive", 8) for position in later)
    assert first.chances[0][0] > 0 and first.best[0] is None and first.decisions[0] is None
    assert second.chances[0] == [0.0, 0.0, second.chances[0][2]]
    assert sum(share for share, *_ in second.chances) == pytest.approx(1.0, abs=1e-3)
    with pytest.raises(VariationError, match="no turn of this player"):
        later[1].judge(0, Orders())


def test_the_win_curve_ends_with_the_winner_after_resignations():
    log = log_of_three()
    failures = LoggedFailure(0, 2, "resigned"), LoggedFailure(1, 5, "resigned")
    curve = win_probabilities_of(replace(log, failures=failures, end=End(2, 4, (2, 3, 1), False)))
    assert curve is not None and len(curve) == 5
    assert all(share > 0 for share, *_ in curve[1]) and curve[2][0][0] == 0 < curve[2][1][0]
    assert [share for share, *_ in curve[4]] == [0.0, 0.0, 1.0]


def test_a_player_that_resigned_has_no_turns_in_variations(tmp_path: Path):
    path = tmp_path / "game.wl.jsonl"
    replace(log_of_three(), failures=(LoggedFailure(0, 2, "resigned"),)).save(path)
    target = LogTree(LogSource("a log", path.read_bytes()))
    before = TriedTurn(None, 1, 0, Orders(), "believed", "aggressive")
    with pytest.raises(VariationError, match="no turn after 2 rounds"):
        prepare_turn(target, replace(before, round=2))
    assert set(prepare_turn(target, before).questions) == {1, 2}
    after = TriedTurn(None, 2, 1, Orders(), "believed", "aggressive")
    prepared = prepare_turn(target, after)
    assert set(prepared.questions) == {2}
    _, answer = add_variation(target, after, prepared, {2: Orders()})
    (node,) = json.loads(answer)["variations"]["nodes"]
    assert node["chances"][0][0] == 0 and sum(share for share, *_ in node["chances"]) == pytest.approx(1, abs=1e-3)


def test_a_player_that_resigned_gives_no_orders_in_the_values_of_candidates():
    game = Game("world", players=3, seed=3, picks="random")
    view = game.view(1)
    alone = turn_win_probabilities([Orders()], view, 5, absent=(0, 2))
    assert alone == [1.0] and turn_win_probabilities([Orders()], view, 5)[0] < 1


def test_a_failure_that_stopped_the_game_makes_no_player_absent():
    log = log_of_three()
    stopped = replace(log, failures=(LoggedFailure(1, 5, "it failed"),), end=None)
    assert stopped.status == "failed" and not stopped.absent(5)
    position = AnalysedPosition(game_at(stopped), None, 4, 40, stopped.absent)
    assert all(position.deepen("aggressive", 8).best)
    picking = replace(log, failures=(LoggedFailure(0, 0, "resigned"), LoggedFailure(2, 3, "resigned")))
    assert [picking.absent(number) for number in (0, 2, 3)] == [{0}, {0}, {0, 2}]
