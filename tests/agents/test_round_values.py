"""Values of positions from the matrix game of the next round."""

from __future__ import annotations

import numpy as np
import pytest

from helpers import RING, as_position, board_of
from plain_turns import three_deploys
from warlight_env.agents.players.nash.nash_work import make_nash_setup, make_nash_work
from warlight_env.agents.players.nash.round_values import play_at_random, write_round_values
from warlight_env.agents.plug_ins.functions import Functions, make_context
from warlight_env.agents.weights import PLANNING
from warlight_env.engine.jit import kernel
from warlight_env.engine.position import make_position
from warlight_env.engine.rng import make_rng


@kernel
def by_region_0(context, position, shares):
    """Player 0 has the share 0.8 if region 0 has more than five armies, else 0.1. With three players, player 1 has two
    thirds of the rest."""
    shares[0] = 0.8 if position.army[0] > 5 else 0.1
    shares[1] = 1.0 - shares[0]
    if context.players == 3:
        shares[2] = shares[1] / 3.0
        shares[1] *= 2.0 / 3.0
    return 0


@kernel
def shares_above_one(context, position, shares):
    """The shares of the first two players exceed 1 by a rounding error."""
    shares[0], shares[1], shares[2] = 0.8, 0.2, 0.0
    return 0


def round_values(owner, players, plays=400, rounds=0, evaluation=by_region_0):
    board, params = board_of(RING)
    functions = Functions(evaluation=evaluation, generator=three_deploys, capacity=3)
    context = make_context(board, params, players, PLANNING, functions=functions)
    work, values = make_nash_work(6, board.n_edges, players, 3, 0, 1), np.zeros(players)
    work.rng[:] = make_rng(1)
    setup = make_nash_setup(context, 1, 1)
    is_written = write_round_values(context, setup, as_position(owner, rounds=rounds), plays, work, values)
    after = make_position(6)
    continues = play_at_random(context, setup, as_position(owner, rounds=rounds), work, after)
    return is_written, values, continues, after


def test_values_are_those_of_the_equilibrium():
    """Deploying on region 0 is the dominant strategy of player 0."""
    is_written, values, continues, after = round_values([0, 0, 0, 1, 1, 2], 3, plays=4000)
    assert is_written and values.sum() == pytest.approx(1)
    assert values == pytest.approx([0.8, 0.4 / 3, 0.2 / 3], abs=0.02)
    assert continues and after.round[0] == 1
    assert after.army[:3].sum() == after.army[3:5].sum() + 1 == after.army[5] + 2 == 8, "all have deployed 5"


def test_values_add_up_to_1_if_some_players_have_only_one_turn():
    is_written, values, *_ = round_values([0, 0, -1, 1, -1, -1], 2)
    assert is_written and values[0] > 0.6 and values.sum() == 1
    is_written, values, *_ = round_values([0, 0, -1, 1, -1, 2], 3)
    assert is_written and values[1] == values[2] > 0 and values.sum() == 1
    is_written, *_ = round_values([0, -1, -1, 1, -1, -1], 2)
    assert not is_written, "nothing is played where nobody has a choice"


def test_eliminated_players_have_the_value_0_and_winners_1():
    assert round_values([0, 0, 0, 2, 2, 2], 3)[1][1] == 0.0
    is_written, values, *_ = round_values([2] * 6, 3)
    assert is_written and values.tolist() == [0.0, 0.0, 1.0]


def test_values_are_not_negative():
    assert 1.0 - 0.8 - 0.2 < 0.0
    is_written, values, *_ = round_values([0, 0, 1, 1, 2, 2], 3, evaluation=shares_above_one)
    assert is_written and (values >= 0.0).all() and values.sum() == pytest.approx(1)
