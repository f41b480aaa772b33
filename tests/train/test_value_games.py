"""Value networks from games of given agents, under fog, and from game results without a search."""

from __future__ import annotations

from dataclasses import replace

import pytest
from value_helpers import TINY

from warlight_env.errors import InputError
from warlight_env.train.common.game_configs import GameConfigs
from warlight_env.train.common.settings_file import read_settings
from warlight_env.train.value.games import play_games
from warlight_env.train.value.labels import Labeller, label_positions
from warlight_env.train.value.players import NetworkPlayer
from warlight_env.train.value.settings import ValueSettings


def test_actors_play_the_games_with_and_without_fog(monkeypatch):
    """The agents get views with fog, and the samples contain the true positions."""
    specs, fogs = set(), set()

    class RecordingPlayer(NetworkPlayer):
        def __call__(self, seed):
            specs.add(self.spec)
            agent = super().__call__(seed)
            act = agent.act
            agent.act = lambda view, budget=None: (fogs.add(view.rules.fog), act(view, budget))[1]
            return agent

    monkeypatch.setattr("warlight_env.train.value.games.NetworkPlayer", RecordingPlayer)
    settings = replace(TINY, actors=("aggressive", "random"), fog="always")
    played = play_games(settings, GameConfigs(settings, "always"), b"", 3, range(8), 1)
    assert specs == {"aggressive", "random"} and fogs == {True}
    assert (played.owner >= -1).all() and (played.army[played.owner >= 0] > 0).all()


def test_results_of_games_are_labels_without_a_search(monkeypatch):
    settings = replace(TINY, actors=("aggressive",), outcome_weight=1.0, random_move_share=0.0)
    configs = GameConfigs(settings)
    played = play_games(settings, configs, b"", 3, range(6), 1)
    monkeypatch.setattr(Labeller, "value", lambda *asked: pytest.fail("a search"))
    labels = label_positions(settings, configs, b"", played, 5, range(40), 1)
    winner = {int(game): played.value[m].argmax() for m, game in enumerate(played.game) if played.value[m].any()}
    assert set(labels.game.tolist()) <= set(winner) and len(set(labels.game.tolist())) > 1
    for m in range(40):
        assert labels.value[m].max() == 1.0 and labels.value[m].argmax() == winner[int(labels.game[m])]
    with pytest.raises(pytest.fail.Exception, match="a search"):
        label_positions(replace(settings, outcome_weight=0.9), configs, b"", played, 5, range(4), 1)


@pytest.mark.parametrize(("settings", "message"), [
    ({"actors": ["agressive"]}, "no agent 'agressive'"), ({"fog": "sometimes"}, "fog"),
])  # fmt: skip
def test_actors_and_fog_are_checked(settings, message):
    with pytest.raises(InputError, match=message):
        read_settings(ValueSettings, settings, "x")
