"""The estimate of a round from the text protocol, which reports only orders and two positions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from helpers import RING
from warlight_env import Game, Orders, Rules
from warlight_env.beliefs.order_observer import OpponentOrders
from warlight_env.engine.army_cap import ARMY_CAP
from warlight_env.engine.state import NEUTRAL, UNKNOWN
from warlight_env.protocol.bot_side import estimated_round

ME, OTHER = 0, 1
#: The owners and armies on the six regions of the ring before the round.
BEFORE = ([ME, ME, NEUTRAL, OTHER, OTHER, OTHER], [10, 4, 2, 9, 9, 9])


def estimate(own=(), moves=(), deploys=(), after=None):
    game = Game(RING, Rules.of("thesis", fog=True, picks=1, offers_per_super_region=0), picks="random")
    view = replace(game.view(ME), owner=np.array(BEFORE[0], np.int8), army=np.array(BEFORE[1], np.int32))
    end = replace(view, owner=np.array(after or BEFORE[0], np.int8), round=view.round + 1)
    return estimated_round(view, Orders([], list(own)), OpponentOrders(tuple(deploys), tuple(moves)), end)


@pytest.mark.parametrize("moves, after, expected", [
    ([(3, 4, 5)], None, ("transfer", 0, 0, False)),
    ([(3, 2, 5)], [ME, ME, OTHER, OTHER, OTHER, OTHER], ("attack", 1, 2, True)),
    ([(3, 2, 1)], None, ("attack", 1, 1, False)),
    ([(5, 0, 8)], None, ("attack", 7, 5, False)),
    ([(5, 0, 8)], [UNKNOWN, ME, NEUTRAL, OTHER, OTHER, UNKNOWN], ("attack", 7, 10, True)),
    ([(3, 2, 5)], [ME, UNKNOWN, UNKNOWN, UNKNOWN, OTHER, OTHER], ("attack", 1, 2, True)),
    ([(3, 2, 2)], [ME, UNKNOWN, UNKNOWN, UNKNOWN, OTHER, OTHER], ("attack", 1, 1, False)),
], ids=["transfer", "visible capture", "visible defence", "own region held", "own region lost and hidden",
        "hidden capture", "hidden defence"])  # fmt: skip
def test_the_result_of_an_order_is_estimated_from_the_end_of_the_round(moves, after, expected):
    (event,) = estimate(moves=moves, after=after).events
    assert (event.kind, event.attackers_lost, event.defenders_lost, event.captured) == expected


def test_armies_that_moved_away_do_not_defend():
    result = estimate(own=[(0, 1, 9)], moves=[(5, 0, 8)], after=[UNKNOWN, ME, NEUTRAL, OTHER, OTHER, UNKNOWN])
    assert [(e.player, e.kind, e.attackers_lost) for e in result.events] == [(ME, "transfer", 0), (OTHER, "attack", 1)]


def test_the_estimate_contains_the_regions_visible_to_the_player():
    result = estimate(moves=[(3, 2, 5)])
    assert result.visible is not None and result.visible[ME] == {0, 1, 2, 3, 5}


def test_armies_of_orders_are_bounded():
    result = estimate(moves=[(3, 4, 0), *[(3, 4, ARMY_CAP)] * 3], deploys=[(3, ARMY_CAP)] * 3)
    assert [event.armies for event in result.events] == [ARMY_CAP]
    assert sum(deploy.armies for deploy in result.deploys) == ARMY_CAP
