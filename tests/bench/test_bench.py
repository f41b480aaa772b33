"""The benchmark suite: its definition is fixed, and its scores are correct for agents and saved policies."""

from __future__ import annotations

import json
import math
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from warlight_env.arena.contests.contest_runner import play_contests
from warlight_env.arena.games.clocks import Clock
from warlight_env.arena.ratings.statistics import unit_interval
from warlight_env.bench import BenchError, Suite, make_card, make_subject, run, score_of
from warlight_env.cli import main
from warlight_env.engine.orders import Orders
from warlight_env.envs.saved_policies import SavedPolicyError

#: Options for a benchmark of a checkpoint with few games.
TRY = ("--action", "strategies", "--map", "small", "--games", "2", "--quiet")


class Broken:
    """An agent that fails in its first turn."""

    name = "broken"

    def __init__(self, seed=0): ...

    def pick(self, view):
        return list(view.offers)

    def act(self, view, budget=None):
        raise RuntimeError("no ideas")


class Mute(Broken):
    """An agent without orders."""

    def act(self, view, budget=None):
        return Orders()


def play(subject, only=("small",), games=4, **kwargs):
    suite = Suite.load("suite-v1")
    results = play_contests(suite.contests(subject, only, games=games, **kwargs))
    return make_card(suite, "x", results, {}, games)


@pytest.mark.parametrize("part", [6, pytest.param(None, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("name", "rows", "games"),
    [("suite-v1", 16, 100), pytest.param("suite-maps-v1", 32, 50, marks=pytest.mark.slow)],
)
def test_the_suite_has_not_changed(name, rows, games, part):
    """The suite fixes opponents, maps, rules and seeds. A failure means that score cards are no longer comparable.

    In that case, make a new suite. By default, the test plays the first rows, which have all kinds of opponents.
    """
    suite = Suite.load(name)
    assert replace(suite, rows=suite.rows[:part]).changes() == []
    assert len(suite.rows) == rows and all(row.games == games for row in suite.rows)
    assert len({row.key for row in suite.rows}) == rows


def test_a_changed_opponent_is_detected():
    suite = Suite.load("suite-v1")
    rows = tuple(replace(row, spec="random:margin=0") if row.key == "small / random" else row for row in suite.rows)
    rows = tuple(row for row in rows if row.map == "small")
    assert replace(suite, rows=rows).changes() == ["small / random"]


def test_each_seed_is_played_from_both_seats():
    suite = Suite.load("suite-v1")
    result = play_contests(suite.contests("random", ("small",), games=4))["small / aggressive"]
    assert [record.seats for record in result.records] == [(0, 1), (1, 0)] * 2
    assert result.records[0].seed == result.records[1].seed != result.records[2].seed


def test_scores_of_the_card_match_its_rows():
    card = play("smart_random")
    assert [row.opponent for row in card.rows] == ["random", "smart_random", "one_big_army", "aggressive", "mcts 50"]
    for row in card.rows:
        assert row.wins + row.losses + row.draws == row.games == 4
        assert row.score == (row.wins + row.draws / 2) / 4
        assert row.interval.low <= row.score <= row.interval.high
        assert row.forfeits == row.illegal == 0 and row.seconds_a_move > 0
    assert card.maps["small"].score == pytest.approx(sum(row.score for row in card.rows) / 5)
    assert card.total is None and card.reduced == 4 and set(card.maps) == {"small"}
    assert json.loads(json.dumps(card.to_dict()))["maps"]["small"]["games"] == 20
    assert f"| **small** | **all** | **{100 * card.maps['small'].score:.1f}** |" in card.to_markdown()


def test_a_failing_policy_loses_and_its_forfeits_are_counted():
    card = play(Broken, games=2)
    assert all(row.losses == row.forfeits == 2 for row in card.rows)
    assert card.maps["small"].score == 0


def second_best(observation, mask):
    """A policy for one game that also checks its arguments."""
    assert observation.ndim == 1 and mask.ndim == 1 and mask.dtype == np.int8
    return np.flatnonzero(mask)[min(1, mask.sum() - 1)]


def results_of(card):
    return [(row.opponent, row.wins, row.losses, row.mean_rounds, row.forfeits) for row in card.rows]


def test_a_function_gets_a_score_card(tmp_path):
    settings = {"action": "strategies", "maps": ["small"], "games": 2}
    card = run(second_best, **settings, out=tmp_path / "run")
    assert card.policy == "second_best" and card.settings == {"action": "strategies", "observation": "flat"}
    assert [row.forfeits for row in card.rows] == [row.illegal for row in card.rows] == [0] * 5
    assert json.loads((tmp_path / "run" / "card.json").read_text())["rows"][0]["games"] == 2

    def batched(observations, masks):
        return np.array([second_best(*one) for one in zip(observations, masks, strict=True)])

    assert results_of(run(batched, batched=True, **settings)) == results_of(card)
    assert results_of(run(lambda _, mask: np.flatnonzero(mask)[0], **settings)) != results_of(card)


def test_a_function_may_return_dicts_and_an_agent_may_be_a_class():
    def nothing(observation, mask):
        assert set(observation) == {"nodes", "globals"}
        return {"deploy": np.zeros(10, int), "attack": np.zeros(34, int), "priority": np.zeros(34, int)}

    cards = [
        run(nothing, action="orders", observation="graph", maps="small", games=2),
        run(Mute, maps="small", games=2, name="mine"),
    ]
    assert [card.policy for card in cards] == ["nothing", "mine"]
    assert results_of(cards[0]) == results_of(cards[1])


@pytest.mark.parametrize(
    "policy, arguments, message",
    [
        (7, {}, "policy = 7: must be a function"),
        (Broken(), {}, "must be the class of the agent"),
        (second_best, {"maps": ["wrld"]}, "map 'wrld': the maps of suite-v1 are"),
        (second_best, {"games": 0}, "games = 0"),
        (second_best, {"action": "factored", "maps": ["small"]}, "second_best cannot play on map 'small'"),
    ],
)
def test_invalid_arguments_of_run_raise_an_error(policy, arguments, message):
    with pytest.raises(BenchError, match=message):
        run(policy, **arguments)


def test_the_clock_only_applies_to_the_policy():
    setup = Suite.load().contests("random", clock=Clock.parse("5sims"))[0].setup
    assert setup.clocks == (Clock(simulations=5), None)


def test_the_interval_of_one_row_is_that_of_its_units():
    units = [1.0, 0.5, 0.5, 1.0, 0.0, 0.5, 0.5]
    one = score_of([units])
    assert one.score == pytest.approx(sum(units) / 7) and one.games == 14
    assert one.interval == pytest.approx(unit_interval(units))


def test_intervals_of_scores_have_the_nominal_coverage():
    rng = np.random.default_rng(2)
    truth = np.array([0.95, 0.6, 0.5, 0.3, 0.8])
    inside = 0
    for _ in range(400):
        rows = [((rng.random((50, 2)) < p).mean(axis=1)).tolist() for p in truth]
        low, high = score_of(rows).interval
        inside += low <= truth.mean() <= high
    assert stats.binomtest(inside, 400, 0.95).pvalue > 1e-3 or inside / 400 > 0.95
    assert inside / 400 < 0.995  # the intervals are not too wide


def test_the_command_scores_an_agent(tmp_path, capsys):
    out = tmp_path / "run"
    command = ["bench", "aggressive", "--map", "small", "--games", "2", "--out", str(out), "--json", "--quiet"]
    assert main(command) == 0
    card = json.loads(capsys.readouterr().out)
    assert card == json.loads((out / "card.json").read_text())
    assert card["policy"] == "aggressive" and card["suite"] == "suite-v1" and card["total"] is None
    assert "not comparable" in (out / "card.md").read_text()
    assert str(tmp_path) not in json.dumps(card)
    assert math.isclose(card["maps"]["small"]["score"], sum(row["score"] for row in card["rows"]) / 5)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """The file of an untrained policy for strategies on the small map."""
    from sb3_contrib import MaskablePPO

    from warlight_env.envs.sb3 import make_vec_env

    env = make_vec_env(2, seed=1, map="small", action="strategies")
    path = tmp_path_factory.mktemp("policies") / "learner.zip"
    MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=16, device="cpu", seed=1).save(path)
    return path


def test_a_checkpoint_is_scored_and_samples_by_the_seed(checkpoint, tmp_path, capsys):
    def scored(*options):
        command = ["bench", str(checkpoint), "--trust", *TRY]
        assert main([*command, "--json", "--out", str(tmp_path / "-".join(("run", *options))), *options]) == 0
        card = json.loads(capsys.readouterr().out)
        return [{key: value for key, value in row.items() if key != "seconds_a_move"} for row in card["rows"]], card

    first, card = scored()
    assert card["policy"] == "learner.zip" and card["settings"]["action"] == "strategies"
    assert all(row["forfeits"] == row["illegal"] == 0 for row in first)
    import torch

    torch.manual_seed(99)  # the global generator has no effect
    assert main(["bench", str(checkpoint), "--trust", *TRY, "--json", "--out", str(tmp_path / "again")]) == 0
    again = json.loads(capsys.readouterr().out)["rows"]
    assert [{key: value for key, value in row.items() if key != "seconds_a_move"} for row in again] == first
    assert scored("--deterministic")[0] != first


@pytest.mark.slow
def test_results_of_a_checkpoint_do_not_depend_on_processes(checkpoint):
    suite = Suite.load()
    contests = suite.contests(make_subject(str(checkpoint), "strategies", trust=True), ("small",), games=6)
    one, two = play_contests(contests), play_contests(contests, jobs=2)
    assert {key: result.records for key, result in one.items()} == {key: r.records for key, r in two.items()}


@pytest.mark.parametrize("holds", [None, {}, {"data": "no JSON"}, {"data": "[]"}, {"data": '{"policy_class": {}}'}])
def test_a_zip_file_without_a_policy_is_an_error(holds, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if holds is None:
        Path("m.zip").write_text("not even a zip")
    else:
        with zipfile.ZipFile("m.zip", "w") as archive:
            archive.writestr("unrelated", "")
            for name, text in holds.items():
                archive.writestr(name, text)
    assert main(["bench", "m.zip", "--trust"]) == 2
    expected = "must be a file that model.save of Stable-Baselines3 or sb3-contrib wrote"
    assert capsys.readouterr() == ("", f"error: m.zip: not a saved policy: {expected}\n")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["nobody"], "no agent 'nobody'"),
        ([], "give an agent or a .zip file"),
        (["random", "--suite", "suite-v2"], "no suite 'suite-v2' (did you mean 'suite-v1'?)"),
        (["random", "--map", "wrld"], "map 'wrld': the maps of suite-v1 are small, world, large"),
        (["random", "--games", "0"], "--games 0: must be at least 1"),
        (["random", "--clock", "soon"], "clock 'soon'"),
        (["none.zip"], "cannot read none.zip"),
        (["ZIP", "--action", "strategies", "--map", "small"], "If you trust its author, add --trust\n"),
        (["ZIP", "--trust", "--action", "step"], "no action 'step' (did you mean 'steps'?)"),
        (["ZIP", "--trust", "--map", "small"], "cannot play on map 'small'"),
        (["ZIP", "--trust", "--action", "strategies"], "cannot play on map 'world'"),
    ],
)
def test_invalid_arguments_are_reported_before_any_game(arguments, message, checkpoint, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = [str(checkpoint) if argument == "ZIP" else argument for argument in arguments]
    assert main(["bench", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_checkpoint_that_changes_during_a_run_raises_an_error(checkpoint, tmp_path):
    copy = tmp_path / "copy.zip"
    copy.write_bytes(checkpoint.read_bytes())
    source = make_subject(str(copy), "strategies", trust=True)
    copy.write_bytes(b"other")
    from warlight_env.arena.policies.saved_model import load_model

    load_model.cache_clear()
    with pytest.raises(SavedPolicyError, match="has changed since the games began"):
        source(1)


def test_a_card_states_the_reduced_number_of_games(capsys, tmp_path):
    command = ["bench", "random", "--map", "small", "--games", "3", "--quiet", "--json", "--out", str(tmp_path)]
    assert main(command) == 0
    card = json.loads(capsys.readouterr().out)
    assert card["reduced"] == 4
    assert {row["games"] for row in card["rows"]} == {4}, "each seed from both seats"
