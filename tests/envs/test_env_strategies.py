"""The action encoding `strategies`: the turns of the generators, and the mask of the applicable strategies."""

from __future__ import annotations

from typing import Any

import generator_helpers as generators
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encoding_helpers import WAYS, envs, make, play_turns, put
from env_helpers import LONG, SMALL, as_game
from helpers import make_map
from warlight_env.agents.evaluation.static_evaluation import best_picks
from warlight_env.agents.weights import THESIS
from warlight_env.engine.orders import Orders
from warlight_env.envs import WarlightParallelEnv


@given(data=st.data(), seed=st.integers(0, 10**6), turns=st.integers(0, 10))
@settings(max_examples=4)
def test_strategies_decode_to_the_turns_of_the_generators(data, seed, turns):
    env, rng = data.draw(envs("strategies")), np.random.default_rng(seed)
    for _ in range(turns):
        if env.agents:
            play_turns(env, rng, masked=False)
    for agent in env.agents:
        view, mask = env.view(agent), env.action_masks(agent)
        if view.phase == "pick":
            assert env.core.encoding.decode(view, 0) == best_picks(view)
            assert np.flatnonzero(mask).tolist() == [0]
            continue
        assert as_game(env.core).check(int(agent[-1]), env.core.encoding.decode(view, 0)) == []
        assert mask.any()
        for action, (deploy_generator, attack_generator) in enumerate(WAYS):
            deploys = generators.deploys(view, deploy_generator, THESIS)
            assert mask[action] == (deploys is not None)
            if deploys is not None:
                attacks = generators.attacks(view, attack_generator, deploys, THESIS, press=True)
                turn = Orders(deploys, attacks[: view.rules.max_orders or None])
                assert env.core.encoding.decode(view, action) == turn


LINE = make_map([0, 0, 1, 1], [(0, 1), (1, 2), (2, 3)], [2, 3], "line")


def board_env(map_: Any, owner: list[int], army: list[int], **rules) -> WarlightParallelEnv:
    env = make("strategies", map_, rules={"picks": 1, "offers_per_super_region": 0, **rules})
    put(env, owner, army)
    return env


@pytest.mark.parametrize(
    "map_, owner, army, mask",
    [
        (LINE, [0, -1, -1, 1], [2, 2, 2, 2], "000000111"),
        (LINE, [0, 0, 1, 1], [2, 9, 2, 2], "111000000"),
        (LINE, [0, 0, 1, 1], [2, 2, 9, 2], "111111000"),
        (LINE, [-1, 0, 1, 1], [2, 2, 9, 2], "111111111"),
        (LINE, [-1, 0, 1, 1], [2, 20, 2, 2], "111000111"),
        (LINE, [0, 0, 0, 0], [2, 2, 2, 2], "111000000"),
    ],
)
def test_mask_excludes_generators_that_do_not_apply(map_, owner, army, mask):
    env = board_env(map_, owner, army)
    assert "".join(map(str, env.action_masks("player_0"))) == mask
    assert np.array_equal(env.core.encoding.mask(env.view("player_0")), env.action_masks("player_0"))
    for action, is_open in enumerate(mask):
        env = board_env(map_, owner, army)
        orders = env.core.encoding.decode(env.view("player_0"), action)
        if 1 in owner:
            assert as_game(env.core).check(0, orders) == []
        assert env.step({"player_0": action, "player_1": 0})[-1]["player_0"]["illegal"] == (is_open == "0")


def test_without_an_applicable_generator_one_region_gets_all_income():
    env = board_env(LINE, [0, 0, 0, 0], [2, 2, 2, 2])
    assert generators.deploys(env.view("player_0"), "aggressive") is None
    assert generators.deploys(env.view("player_0"), "expansive") is None
    assert [env.core.encoding.decode(env.view("player_0"), a).deploys for a in range(9)] == [[(0, 10)]] * 9


def test_strategies_respect_the_order_limit_of_the_rules():
    env = make("strategies", LONG, rules={"base_income": 100, "max_orders": 2})
    put(env, [0, 1] * 35, [60, 9] * 35)
    view = env.view("player_0")
    assert len(generators.deploys(view, "defensive")) > 2
    for action in np.flatnonzero(env.action_masks("player_0")):
        orders = env.core.encoding.decode(view, action)
        assert len(orders.deploys) <= 2 and len(orders.attacks) <= 2
        assert as_game(env.core).check(0, orders) == []


def test_picking_phase_allows_only_strategy_0():
    env, other = (make("strategies", SMALL, picking="play") for _ in range(2))
    assert np.flatnonzero(env.action_masks("player_0")).tolist() == [0]
    infos = [e.step({"player_0": a, "player_1": 0})[-1]["player_0"]["illegal"] for e, a in ((env, 0), (other, 5))]
    assert infos == [0, 1]
    assert as_game(env.core).to_dict()["state"] == as_game(other.core).to_dict()["state"]
