"""The benchmark of the cost of fog: one player gets the true position, the other its own view."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from warlight_env.agents import make_agent
from warlight_env.engine.state import UNKNOWN

pytestmark = pytest.mark.usefixtures("benchmarks")


class RecordingAgent:
    """An agent that stores the views that it gets."""

    def __init__(self, spec: str, seed: int) -> None:
        self._agent, self.views = make_agent(spec, seed), list[Any]()
        self.pick, self.close = self._agent.pick, self._agent.close

    def act(self, view: Any) -> Any:
        self.views.append(view)
        return self._agent.act(view)


@pytest.mark.parametrize("seat", [0, 1])
def test_only_one_player_observes_the_whole_position(seat: int, monkeypatch: pytest.MonkeyPatch):
    import fog_cost

    bots: list[RecordingAgent] = []
    monkeypatch.setattr(fog_cost, "make_agent", lambda spec, seed: bots.append(RecordingAgent(spec, seed)) or bots[-1])
    assert fog_cost.result("aggressive", "random", "small", "challenge2", 3, seat) == 1.0
    full_views, other = bots[seat].views, bots[1 - seat].views
    for full, own in zip(full_views, other, strict=False):
        visible = own.owner != UNKNOWN
        assert np.array_equal(full.owner[visible], own.owner[visible])
        assert np.array_equal(full.army[visible], own.army[visible])
    assert all((view.owner != UNKNOWN).all() and view.estimated.any() for view in full_views[:3])
    assert any((view.owner == UNKNOWN).any() for view in other)


def test_a_game_without_a_winner_is_a_draw(monkeypatch: pytest.MonkeyPatch):
    import fog_cost

    monkeypatch.setattr(fog_cost, "ROUNDS", 1)
    assert fog_cost.result("random", "random", "small", "challenge2", 3, 0) == 0.5


def test_the_other_player_has_a_belief_by_default(capsys: pytest.CaptureFixture[str]):
    import fog_cost

    assert fog_cost.main(["random", "--map", "small", "--rules", "challenge2", "--games", "2"]) == 0
    assert capsys.readouterr().out.startswith("random with the true position against belief:random: ")


def test_the_command_prints_the_score(capsys: pytest.CaptureFixture[str]):
    import fog_cost

    words = ["aggressive", "--other", "random", "--map", "small", "--rules", "challenge2", "--games", "4"]
    assert fog_cost.main(words) == 0
    output = capsys.readouterr()
    assert output.out.startswith("aggressive with the true position against random: 100.0 % (")
    assert "4/4 games" in output.err


@pytest.mark.parametrize("words, message", [
    (["nobody"], "no agent 'nobody'"), (["random", "--games", "1"], "--games must be at least 2"),
    (["random", "--rules", "thesis"], "--rules thesis: these rules have no fog"),
])  # fmt: skip
def test_invalid_arguments_are_refused(words: list[str], message: str, capsys: pytest.CaptureFixture[str]):
    import fog_cost

    with pytest.raises(SystemExit):
        fog_cost.main(words)
    assert message in capsys.readouterr().err
