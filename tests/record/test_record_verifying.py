"""Verifying logs: a replay reports the first difference, also in games that ended by forfeit."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from arena_agents import Crasher, Expander, PickCrasher
from log_helpers import play_logged
from warlight_env.arena import PlayOptions, play_game
from warlight_env.engine.rules import Rules
from warlight_env.record import (
    GameLog,
    LogWriter,
    verify,
)


@pytest.mark.parametrize(
    "number, change, place",
    [
        (2, lambda d: d["army"].__setitem__(4, 9), r"before round 1: army\[4\]: the log has 9"),
        (2, lambda d: d["offers"][0].pop(), "before round 1: offers"),
        (4, lambda d: d.update(wishes=[None, [0]]), "before round 1: "),
        (7, lambda d: d.update(hash="0" * 16), "round 1: hash: the log has '0000000000000000'"),
        (8, lambda d: d["moves"][0].__setitem__(3, 77), r"round 2: moves\[0\]"),
        (8, lambda d: d["changed"].pop(), "round 2: changed"),
        (8, lambda d: d["orders"][0].update(deploys=[]), "round 2: "),
        (8, lambda d: d.update(dropped=[[0, "deploy", 0, [1, 1], "no"]]), "round 2: dropped"),
        (-1, lambda d: d.update(winner=None), "winner: the log has None"),
        (-1, lambda d: d.update(placements=[1, 1]), "placements"),
        (-1, lambda d: d.update(cut_off=True), "cut_off"),
        (1, lambda d: d.update(seed=6), "before round 1: "),
    ],
)
def test_verify_names_round_and_field_of_the_first_difference(tmp_path, whole, number, change, place):
    lines = whole.read_text().splitlines()
    at = number - 1 if number > 0 else len(lines) - 1
    event = json.loads(lines[at])
    change(event)
    file = tmp_path / "other.wl.jsonl"
    file.write_text("\n".join([*lines[:at], json.dumps(event), *lines[at + 1 :], ""]))
    assert verify(GameLog.load(whole)) == []
    (difference,) = verify(GameLog.load(file))
    assert re.search(place, str(difference)), str(difference)


def test_verify_reports_rounds_after_the_end(whole):
    log = GameLog.load(whole)
    extra = replace(log.rounds[-1], round=len(log.rounds) + 1)
    (difference,) = verify(replace(log, steps=(*log.steps, extra), end=None))
    assert difference.round == extra.round
    assert "the game's phase is 'over'" in str(difference)


@pytest.mark.parametrize(
    "change, field",
    [
        (lambda log: replace(log, end=replace(log.end, winner=0)), "winner"),
        (lambda log: replace(log, end=replace(log.end, placements=(1, 4, 2, 3))), "placements"),
        (lambda log: replace(log, end=replace(log.end, cut_off=False)), "cut_off"),
        (lambda log: replace(log, failures=log.failures[:1]), "placements"),
        (lambda log: replace(log, failures=(*log.failures, replace(log.failures[1], player=2))), "orders"),
        (lambda log: replace(log, header=replace(log.header, round_limit=500)), "round_limit"),
    ],
)
def test_the_end_of_a_game_with_forfeits_is_verified(tmp_path, change, field):
    file = tmp_path / "forfeit.wl.jsonl"
    agents = [PickCrasher(1), Crasher(2), Expander(3), Expander(4)]
    with LogWriter(file) as writer:
        options = PlayOptions(on_crash="forfeit")
        play_game(agents, "world", seed=4, picks="agents", max_rounds=5, options=options, observer=writer)
    log = GameLog.load(file)
    assert verify(log) == []
    (difference,) = verify(change(log))
    assert difference.field.startswith(field)


def test_a_game_that_ends_by_forfeit_before_its_limit_is_verified(tmp_path):
    file = tmp_path / "forfeit.wl.jsonl"
    with LogWriter(file) as writer:
        play_game([Crasher(1), Expander(2)], "world", seed=4, options=PlayOptions(on_crash="forfeit"), observer=writer)
    log = GameLog.load(file)
    assert (log.end.winner, log.end.cut_off, verify(log)) == (1, False, [])
    assert verify(replace(log, end=replace(log.end, winner=0, placements=(1, 2))))


def test_verify_reports_a_wrong_round_limit(tmp_path):
    log = play_logged(tmp_path / "cut.wl.jsonl", map="small", max_rounds=3, seed=5)
    assert log.end.cut_off
    assert [str(d) for d in verify(replace(log, header=replace(log.header, round_limit=9)))] == [
        "round 3: round_limit: the log has 9, the replay has 3"
    ]


def test_verify_reports_rules_that_do_not_fit_the_map(tmp_path):
    log = play_logged(tmp_path / "game.wl.jsonl", map="small", max_rounds=3, seed=5)
    crowded = replace(log, header=replace(log.header, rules=Rules.of("thesis", wastelands=2)))
    assert "this map can offer each player only" in str(verify(crowded)[0])
