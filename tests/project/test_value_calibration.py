"""The benchmark of the calibration of values under fog."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from warlight_env import Game
from warlight_env.agents.records.turn_record import N_MEMORY
from warlight_env.engine.position import Position

pytestmark = pytest.mark.usefixtures("benchmarks")


def test_measures_match_their_definitions():
    import value_calibration

    # Two predictors: the first is certain and right in three of four positions; the second always predicts one half.
    chance = np.array([[1.0, 0.5], [1.0, 0.5], [0.0, 0.5], [0.0, 0.5]])
    won = np.array([True, True, False, True])
    wrong = -np.log(value_calibration.LEAST) / 4
    assert value_calibration.log_loss(chance, won) == pytest.approx([wrong, np.log(2)])
    # First predictor: half of the predictions are 0, where half of the games are won. Second: 0.5 instead of 0.75.
    assert value_calibration.calibration_error(chance, won) == pytest.approx([0.25, 0.25])


def positions(winner: int) -> tuple[Any, Position]:
    """Return a game on the small map, and a position in which one player has nearly all regions."""
    game = Game("small", "challenge2", 2, seed=1, picks="random")
    owner = np.full(len(game.owner), winner, np.int8)
    owner[-1] = 1 - winner
    army = np.where(owner == winner, 20, 1).astype(np.int32)
    return game, Position(owner, army, np.array([15], np.int32))


@pytest.mark.parametrize("winner", [0, 1])
def test_all_predictors_favour_the_winner_of_a_nearly_decided_game(winner: int):
    import value_calibration

    game, position = positions(winner)
    features = np.zeros((len(position.owner), N_MEMORY), np.float32)
    for name, predict in value_calibration.Predictors(game, 2).by_name.items():
        chance = predict(position, position, features)
        assert 0 <= chance <= 1 and (chance > 0.55 if winner == 0 else chance < 0.45), name


def test_only_predictions_from_the_players_view_ignore_the_true_position():
    import value_calibration

    game, true = positions(0)
    _, other = positions(1)
    features = np.zeros((len(true.owner), N_MEMORY), np.float32)
    for name, predict in value_calibration.Predictors(game, 2).by_name.items():
        by_view = name.endswith("player's view")
        assert (predict(true, true, features) == predict(other, true, features)) == by_view, name
        assert (predict(true, true, features) == predict(true, other, features)) != by_view, name


def test_longer_rollouts_are_more_certain_of_the_winner():
    import value_calibration

    game = Game("small", "challenge2", 2, seed=1, picks="random")
    owner = np.array([0] * 6 + [1] * (len(game.owner) - 6), np.int8)
    position = Position(owner, np.full(len(owner), 4, np.int32), np.array([5], np.int32))
    predictors = value_calibration.Predictors(game, 16).by_name
    features = np.zeros((len(owner), N_MEMORY), np.float32)
    short, long = (predictors[f"16 rollouts of {n} rounds"](position, position, features) for n in (2, 10))
    assert abs(long - 0.5) > abs(short - 0.5) + 0.01


def test_predictions_before_the_last_round_favour_the_winner():
    import value_calibration

    games = [value_calibration.predictions_of("small", "challenge2", seed, 2) for seed in range(4)]
    decided = [game for game in games if game is not None]
    assert {game.won for game in decided} == {True, False}
    assert all((np.median(game.chance[-1]) > 0.5) == game.won for game in decided)


def test_the_command_prints_both_tables(capsys: pytest.CaptureFixture[str]):
    import value_calibration

    words = ["--map", "small", "--rules", "challenge2", "--games", "4", "--rollouts", "2"]
    assert value_calibration.main(words) == 0
    output = capsys.readouterr().out
    titles = re.findall(r"^(.*):$", output, re.MULTILINE)
    assert titles == ["Log-loss", "Expected calibration error"]
    losses, errors = output.split("Expected calibration error")
    assert "2 rollouts of 10 rounds" in losses and "player's view" in errors
    first = re.search(r"^\| 0 to 2 \| (\d+) \| (.*) \|$", losses, re.MULTILINE)
    assert first and 4 <= int(first[1]) <= 12
    assert all(0 < float(value) < 4 for value in first[2].split(" | "))


def test_an_invalid_number_of_games_is_refused(capsys: pytest.CaptureFixture[str]):
    import value_calibration

    with pytest.raises(SystemExit):
        value_calibration.main(["--games", "0"])
    assert "--games 0: must be at least 1" in capsys.readouterr().err
