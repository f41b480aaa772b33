"""Learning runs: short ones of the published runs, and what they write."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from PIL import Image

from env_helpers import SMALL
from warlight_env.train.learning import RUNS, draw, learn, win_share


def test_a_run_gives_a_curve_and_a_picture(tmp_path):
    run = dataclasses.replace(RUNS["small_strategies"], n_envs=8)
    said = []
    result = learn(run, steps=1024, games=20, marks=2, say=said.append)
    assert [point["steps"] for point in result["curve"]] == [512, 1024] and len(said) == 4
    for opponent, asked in run.asked.items():
        final = result["final"][opponent]
        assert final["games"] == 20 and final["asked"] == asked
        assert 0 <= final["interval"][0] <= final["share"] <= final["interval"][1] <= 1
    assert json.loads(json.dumps(result)) == result
    draw(result, tmp_path / "curve.png")
    assert Image.open(tmp_path / "curve.png").size == (840, 480)


def test_shares_count_each_environment_s_games_alike():
    """A policy that does nothing never wins; one that attacks everywhere sometimes does, against that."""

    def idle(observations, masks):
        return np.zeros((len(masks), masks.shape[1] // 5), dtype=np.int64)

    def press(observations, masks):
        return np.where(masks.reshape(len(masks), -1, 5)[:, :, 4], 4, 0)

    arguments = {"map": SMALL, "action": "factored", "observation": "flat"}
    assert win_share(idle, "aggressive", 30, **arguments) == (0, 30)
    wins, games = win_share(press, idle, 150, **arguments)
    assert games == 200 and 50 < wins < 200


@pytest.mark.slow
def test_strategies_are_learned_in_minutes():
    final = learn(RUNS["small_strategies"], steps=200_000, games=200, marks=1)["final"]
    assert final["random"]["share"] >= 0.9 and final["aggressive"]["share"] >= 0.6


@pytest.mark.slow
def test_factored_turns_of_the_world_begin_to_be_learned():
    curve = learn(RUNS["world_factored"], steps=400_000, games=100, marks=1)
    assert curve["final"]["random"]["share"] >= 0.4, "a policy that knows nothing wins none of a hundred"
