"""Growth experiments against one distant region: their initial position, and a comparison of search and simple bots."""

from __future__ import annotations

import numpy as np

from warlight_env.experiments import ExperimentSettings
from warlight_env.experiments.growth import ROUNDS, measure_growth, solo_game, summarise_growth


def test_the_opponent_has_only_one_distant_region():
    for seed in range(5):
        game = solo_game(seed)
        owner, distance = game.owner, game.view(0).board.distance
        (region,) = np.flatnonzero(owner == 1)
        from_start = np.asarray(distance)[owner == 0].min(0)
        assert from_start[region] == from_start[owner != 0].max() and game.army[region] == 20
        assert (owner == 0).sum() == 2 and set(game.army[owner == -1].tolist()) == {2}


def test_the_long_search_grows_faster_than_bots_on_the_same_starts(monkeypatch):
    monkeypatch.setattr("warlight_env.experiments.growth._STAGES", ((80, 8), (20, 16), (6, 40)))

    def incomes(agent, count=1):
        return [measure_growth(ExperimentSettings(agent, seed=5), unit)["income"] for unit in range(count)]

    best, aggressive = incomes(""), incomes("aggressive")
    assert all(len(of_start) == ROUNDS for of_start in best)
    last, other = (np.array([of_start[-1] for of_start in per_unit]) for per_unit in (best, aggressive))
    assert last.mean() > other.mean() + 2 and (last >= other).all()
    once, again = (measure_growth(ExperimentSettings("", seed=5, quick=True), 0) for _ in range(2))
    assert once == again
    later = [measure_growth(ExperimentSettings("", seed=5), unit, horizon=4)["income"] for unit in range(1)]
    assert np.mean(later, 0)[-1] < last.mean(), "who looks beyond the last round gives up some of its income"
    rows = summarise_growth([measure_growth(ExperimentSettings("plan"), 0)])
    assert [row.label for row in rows] == [f"income after {ROUNDS} rounds", f"regions after {ROUNDS} rounds"]
