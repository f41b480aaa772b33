"""The action encoding `continuous`: the meaning of its scores, and invalid actions."""

from __future__ import annotations

import dataclasses
import functools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from encoding_helpers import make, put, ring
from env_helpers import SMALL, as_game
from helpers import RING
from warlight_env.engine.orders import Orders
from warlight_env.envs import WarlightParallelEnv, WarlightVectorEnv
from warlight_env.envs.actions.continuous import SCALE


def scores(env: WarlightParallelEnv, regions: dict[int, float], edges: dict[tuple[int, int], float] | None = None):
    action = np.full(env.action_space("player_0").shape, -1, dtype=np.float32)
    for region, score in regions.items():
        action[region] = score
    for (source, target), score in (edges or {}).items():
        action[env.core.board.n_regions + env.core.board.edge_index[source, target]] = score
    return action


def turn_of(env: WarlightParallelEnv, *score_arguments, **changes) -> Orders:
    turn = env.core.encoding.decode(dataclasses.replace(env.view("player_0"), **changes), scores(env, *score_arguments))
    assert isinstance(turn, Orders)
    return turn


def largest_remainder(weights: dict[int, int], income: int) -> dict[int, int]:
    total = sum(weights.values())
    exact = {r: Fraction(income * w, total) for r, w in weights.items()}
    seats = {r: int(x) for r, x in exact.items()}
    order = sorted(weights, key=lambda r: (seats[r] - exact[r], r))
    for r in order[: income - sum(seats.values())]:
        seats[r] += 1
    return {r: k for r, k in sorted(seats.items()) if k}


def weights_of(values: Any) -> Any:
    return st.dictionaries(st.integers(0, 11), values, min_size=1)


WEIGHTS = st.one_of(
    weights_of(st.integers(1, SCALE)), weights_of(st.integers(SCALE - 9, SCALE)), weights_of(st.integers(1, 4))
)


@example(weights={0: 2, 1: 786431, 2: 786432}, income=1, limit=0)
@given(
    weights=WEIGHTS, income=st.one_of(st.integers(0, 60), st.integers(1, 8)),
    limit=st.sampled_from([0, 0, 2, 5]),
)  # fmt: skip
@settings(max_examples=150)
def test_scores_share_the_income_by_largest_remainder(weights, income, limit):
    env = full_board_env(limit)
    exact = {r: w / SCALE for r, w in weights.items()}
    kept = sorted(weights, key=lambda r: (-weights[r], r))[: limit or 12]
    expected = largest_remainder({r: weights[r] for r in sorted(kept)}, income)
    assert dict(turn_of(env, exact, income=income).deploys) == expected


@functools.cache
def full_board_env(limit: int) -> WarlightParallelEnv:
    """Return an environment in which player 0 owns all regions."""
    env = make("continuous", SMALL, rules={"max_orders": limit})
    put(env, [0] * 12, [5] * 12)
    return env


@pytest.mark.parametrize(
    "said, expected",
    [
        ({0: 1, 1: 1}, [(0, 4), (1, 3)]),
        ({0: 0.25, 1: 0.75}, [(0, 2), (1, 5)]),
        ({0: 0.1, 1: 1e-7}, [(0, 7)]),
        ({}, [(0, 7)]),
        ({0: -0.5, 1: -0.25}, [(1, 7)]),
        ({0: -0.25, 1: -0.5}, [(0, 7)]),
        ({0: 0, 1: 0, 2: 1, 3: 1}, [(0, 7)]),
        ({1: 0.001, 3: 1}, [(1, 7)]),
    ],
)
def test_score_deployments_match_hand_computed_values(said, expected):
    assert turn_of(ring("continuous"), said).deploys == expected


@pytest.mark.parametrize(
    "army, score, sent",
    [
        (6, 1.0, 5), (6, 0.5, 3), (6, 0.49, 2), (6, 0.3, 2), (6, 0.29, 1), (6, 0.01, 1), (6, 1e-6, 1), (2, 0.01, 1),
        (1, 1.0, None), (6, 0.0, None), (6, -0.5, None), (6, 1e-7, None), (101, 0.996, 100), (101, 0.994, 99),
    ],
)  # fmt: skip
def test_attack_sizes_round_to_nearest_but_send_at_least_one_army(army, score, sent):
    env = ring("continuous", army=army)
    attacks = turn_of(env, {1: 1}, {(0, 5): score}).attacks
    assert attacks == ([] if sent is None else [(0, 5, sent)])


def test_deployed_armies_may_attack():
    assert turn_of(ring("continuous", army=1), {0: 1}, {(0, 5): 1}).attacks == [(0, 5, 7)]


def test_attacks_are_ordered_by_share_and_then_by_edge():
    env = ring("continuous", army=41)
    edge_scores = {(0, 1): 0.25, (0, 3): 0.5, (0, 5): 0.75, (1, 0): 0.5, (1, 2): 0.75, (3, 4): 1}
    assert [a[:2] for a in turn_of(env, {}, edge_scores).attacks] == [(0, 5), (1, 2), (0, 3), (1, 0), (0, 1)]
    limited = ring("continuous", rules={"max_orders": 2})
    assert [a[:2] for a in turn_of(limited, {}, edge_scores).attacks] == [(0, 5), (1, 2)]


def test_order_limit_drops_transfers_before_attacks():
    edge_scores = {(0, 1): 1, (1, 0): 0.75, (0, 3): 0.5, (0, 5): 0.25}
    attacks = {
        limit: [
            a[:2] for a in turn_of(ring("continuous", army=41, rules={"max_orders": limit}), {}, edge_scores).attacks
        ]
        for limit in (1, 2, 3)
    }
    assert attacks == {1: [(0, 3)], 2: [(0, 3), (0, 5)], 3: [(0, 1), (0, 3), (0, 5)]}


def test_scores_are_preferences_in_the_picking_phase():
    env = WarlightParallelEnv(RING, "thesis_draft", action="continuous")
    env.reset(seed=0)
    view = env.view("player_0")
    a, b, c = view.offers[:3]
    action = scores(env, dict.fromkeys(range(6), 0.0) | {b: 0.5, a: -1.0, c: -0.5})
    others = [r for r in view.offers if r not in (a, b, c)]
    assert env.core.encoding.decode(view, action) == [b, *others, c, a]
    infos = env.step({"player_0": action, "player_1": action})[-1]
    assert [info["illegal"] for info in infos.values()] == [0, 0]


@pytest.mark.parametrize(
    "place, value, reason",
    [
        (4, np.nan, "entry 4 is nan; it must be a finite number"), (19, -np.inf, "entry 19 is -inf"),
    ],
)  # fmt: skip
def test_non_finite_scores_raise_an_error(place, value, reason):
    env = ring("continuous")
    action = scores(env, {})
    bad = action.copy()
    bad[place] = value
    before = as_game(env.core).to_dict()
    with pytest.raises(ValueError, match=f"player_1: action: {reason}"):
        env.step({"player_0": action, "player_1": bad})
    with pytest.raises(ValueError, match=reason):
        env.core.encoding.decode(env.view("player_0"), bad)
    assert as_game(env.core).to_dict() == before


def test_scores_outside_the_box_are_clipped_and_counted_as_illegal():
    env = ring("continuous", army=9)
    inside = scores(env, {0: 1.0}, {(0, 5): 1.0})
    beyond = scores(env, {0: 1.5}, {(0, 5): np.nextafter(np.float32(1), np.float32(2))})
    beyond[7] = -3.0
    other = env.clone()
    one, two = (e.step({"player_0": a, "player_1": inside}) for e, a in ((env, inside), (other, beyond)))
    assert [infos["player_0"]["illegal"] for infos in (one[-1], two[-1])] == [0, 3]
    assert all(np.array_equal(a, b) for a, b in zip(env.core.state[:2], other.core.state[:2], strict=True))
    batch = WarlightVectorEnv(2, map=RING, action="continuous", opponent="random")
    batch.reset(seed=1)
    infos = batch.step(np.stack([np.full(20, 2.0), np.zeros(20)]))[-1]
    assert infos["illegal"].tolist() == [20, 0]


@pytest.mark.parametrize(
    "spoil, reason",
    [
        (lambda a: a[:-1], r"shape \(20,\), not of shape \(19,\)"), (lambda a: a[None], r"not of shape \(1, 20\)"),
        (lambda a: a > 0, "float array"), (lambda a: "north", "float array"), (lambda a: {"deploy": a}, "float array"),
        (lambda a: [[1.0], [1.0, 2.0]], "action must be an array"), (lambda a: a.astype(complex), "float array"),
        (lambda a: 0.5, r"not of shape \(\)"),
    ],
)  # fmt: skip
def test_scores_of_wrong_shape_or_type_raise_an_error(spoil, reason):
    env = ring("continuous")
    action = scores(env, {})
    with pytest.raises(ValueError, match=f"player_0: action must be a float array of shape.*{reason}|{reason}"):
        env.step({"player_0": spoil(action), "player_1": action})


def test_decode_accepts_scores_of_any_numeric_type():
    env = ring("continuous")
    view, decode = env.view("player_0"), env.core.encoding.decode
    action = scores(env, {0: 1, 1: 0}, {(0, 5): 1})
    for same in (action.tolist(), action.astype(int), action.astype(np.float16), action.astype(np.float64)):
        assert decode(view, same) == decode(view, action)


@given(seed=st.integers(0, 10**6), most=st.sampled_from([5, 100, 3000, 10**6]))
@settings(max_examples=25)
def test_encoding_is_exact_for_large_armies(seed, most):
    env, rng = make("continuous", rules={"base_income": 40}), np.random.default_rng(seed)
    put(env, [0, 0, 0, 1, 0, 0], rng.integers(1, most, 6).tolist())
    view, encoding = env.view("player_0"), env.core.encoding
    turn = encoding.decode(view, rng.uniform(-1, 1, 20).astype(np.float32))
    assert encoding.decode(view, encoding.encode(view, turn)) == turn
