"""Encodings steps, continuous and strategies: encoding is the inverse of decoding, and some turns have no encoding."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encoding_helpers import NAMES, envs, make, play_turns, ring, short_steps
from env_helpers import as_game
from helpers import RING
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import Rules
from warlight_env.envs import ENCODINGS, InexpressibleError, Loss, OrdersActions, WarlightParallelEnv


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("masked", [True, False])
@given(data=st.data(), seed=st.integers(0, 10**6))
@settings(max_examples=2)
def test_environment_plays_the_decoded_turn(name, masked, data, seed):
    """A `Game` with the same dice plays the decoded turns; masked actions are never illegal."""
    env, rng = data.draw(envs(name)), np.random.default_rng(seed)
    encoding = env.core.encoding
    while env.agents:
        game, views = as_game(env.core), {agent: env.view(agent) for agent in env.agents}
        played_actions, illegal, complete = play_turns(env, rng, masked)
        if masked:
            assert set(illegal.values()) == {0}
        turns = {int(agent[-1]): encoding.decode(views[agent], played_actions[agent]) for agent in played_actions}
        if game.phase == "pick":
            assert game.pick({p: turns[p] for p in game.pickers()}, on_illegal="skip") == []
        else:
            assert [game.check(p, turn) for p, turn in turns.items()] == [[]] * len(turns)
            game.play_round(turns)
        if complete:
            assert as_game(env.core).to_dict()["state"] == game.to_dict()["state"]


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data(), seed=st.integers(0, 10**6))
@settings(max_examples=2)
def test_encode_is_the_inverse_of_decode(name, data, seed):
    """The turns come from decode: orders, preferences and empty turns, with random maps and rules."""
    env, rng = data.draw(envs(name)), np.random.default_rng(seed)
    encoding = env.core.encoding
    while env.agents:
        views = {agent: env.view(agent) for agent in env.agents}
        played_actions, *_ = play_turns(env, rng, masked=True)
        for agent, actions in played_actions.items():
            turn = encoding.decode(views[agent], actions)
            again = encoding.encode(views[agent], turn)
            assert encoding.decode(views[agent], again) == turn
            assert all(env.action_space(agent).contains(a) for a in (again if name == "steps" else [again]))


@pytest.mark.parametrize("name", NAMES)
def test_actions_outside_the_space_raise_an_error(name):
    env = make(name)
    good = {agent: env.action_space(agent).sample() for agent in env.agents}
    before = as_game(env.core).to_dict()
    bad = {"continuous": [2, "x", [0.5]]}.get(name, [-1, len(env.action_masks("player_0")), 2**70, "x", 0.5, [0]])
    for value in bad:
        with pytest.raises(ValueError, match="player_1: action"):
            env.step({**good, "player_1": value})
        with pytest.raises(ValueError, match="action"):
            env.core.encoding.decode(env.view("player_1"), [value] if name == "steps" else value)
    assert as_game(env.core).to_dict() == before


# Turns without an encoding


@pytest.mark.parametrize(
    "action, turn, reason",
    [
        ("steps", Orders([], [(0, 5, 3)]), r"attack 0 to 5: a quarter, half, .* of 8 armies are \[2, 4, 6, 8\], not 3"),
        ("steps", Orders([], [(0, 5, 2), (0, 5, 2)]), "attack 0 to 5: occurs twice"),
        ("steps", Orders([], [(0, 5, 8), (0, 3, 1)]), "attack 0 to 3: the source has no army that may leave"),
        ("steps", Orders([], [(0, 2, 1)]), "attack 0 to 2: the regions are not neighbours"),
        ("steps", Orders([], [(3, 0, 1)]), "attack 3 to 0: the player does not own region 3"),
        ("steps", Orders([(3, 1)], []), "deploy of 1 on 3"),
        ("steps", Orders([(0, 8)], []), "income is 7"),
        ("steps", Orders([], [(0, 9, 1)]), "not neighbours"),
        (short_steps(2, 2), Orders([(0, 3), (1, 3)], []), "take 4 actions, but max_deploys = 2"),
        (short_steps(2, 1), Orders([], [(0, 5, 2), (1, 2, 1)]), "attack 1 to 2: a turn may have at most 1 attacks"),
        (
            "steps",
            Orders([(0, 1)], [(0, 5, 8), (0, 3, 1), (0, 1, 1)]),
            "attack 0 to 1: the source has no army that may leave",
        ),
        ("steps", Orders([(0, 7)], [(0, 5, 15), (0, 3, 1)]), "the source has no army that may leave"),
        ("steps", Orders([(0, 1)], [(0, 5, 9), (0, 3, 1)]), "the source has no army that may leave"),
        ("continuous", Orders([(0, 6)], []), "the turn deploys 6 armies; an action always deploys the whole income, 7"),
        ("continuous", Orders([(0, 7)], [(0, 5, 16)]), r"attack 0 to 5: must have 1 \.\. 15 armies, not 16"),
        (
            "continuous",
            Orders([(0, 7)], [(0, 5, 5), (0, 3, 9)]),
            "attack 0 to 3 with 9 armies: .* larger fractions come first",
        ),
        ("continuous", Orders([(0, 7)], [(0, 5, 5), (0, 5, 5)]), "two attacks from 0 to 5"),
        ("continuous", Orders([(0, 7)], [(0, 2, 5)]), "not neighbours"),
        ("continuous", Orders([(2, 7)], []), "region of the player"),
        ("strategies", Orders([], []), "none of the nine"),
        ("strategies", Orders([(0, 3), (1, 4)], [(0, 5, 1)]), "none of the nine"),
    ],
)
def test_encode_error_names_the_reason(action, turn, reason):
    env = ring(action)
    with pytest.raises(InexpressibleError, match=reason):
        env.core.encoding.encode(env.view("player_0"), turn)


def test_more_attacks_than_the_rules_allow_cannot_be_encoded():
    env = ring("continuous", rules={"max_orders": 1})
    with pytest.raises(InexpressibleError, match="allow at most 1 attacks in a turn, not 2"):
        env.core.encoding.encode(env.view("player_0"), Orders([(0, 7)], [(0, 5, 15), (1, 2, 1)]))
    with pytest.raises(InexpressibleError, match="no scores"):
        env.core.encoding.encode(env.view("player_0"), Orders([(0, 6), (1, 1)], []))


@pytest.mark.parametrize("name", NAMES)
def test_encode_error_names_invalid_preferences(name):
    env = WarlightParallelEnv(RING, Rules.of("challenge1", picks=1, ranked=2), action=name)
    env.reset(seed=1)
    view = env.view("player_0")
    a, b, c = view.offers[:3]
    for preferences in ([a, a], [*view.offers, 99]):
        with pytest.raises(InexpressibleError, match="none of the nine" if name == "strategies" else "each only once"):
            env.core.encoding.encode(view, preferences)
    if name == "steps":
        with pytest.raises(InexpressibleError, match="3 preferences: at most 2 are possible"):
            env.core.encoding.encode(view, [a, b, c])
        assert env.core.encoding.encode(view, [a, b, c], nearest=True) == [3 * a, 3 * b, env.core.encoding.end]


# The nearest action


@st.composite
def legal_turns(draw, view):
    """Draw a legal turn: all or part of the income; attacks of any size, some with all armies, some repeated."""
    if view.phase == "pick":
        preferences = draw(st.permutations(view.offers))
        return preferences[: draw(st.integers(0, len(preferences)))]
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    board, owned = view.board, np.flatnonzero(view.owner == view.player)
    spent = int(rng.integers(0, view.income + 1)) if rng.random() < 0.5 else view.income
    deploys = np.bincount(rng.choice(owned, spent), minlength=board.n_regions)
    edges = rng.permutation(np.flatnonzero(np.isin(board.edge_source, owned)))[: rng.integers(0, 9)].tolist()
    edges += edges[:1] if rng.random() < 0.3 and not view.params.repeated_illegal else []
    attacks = [
        (int(board.edge_source[e]), int(board.edge_target[e]), int(rng.choice([1, rng.integers(1, 90), 1_000_000])))
        for e in edges
    ]
    turn = Orders([(r, int(k)) for r, k in enumerate(deploys) if k], attacks)
    return turn.limited(view.params.max_orders)


@pytest.mark.parametrize("name", ENCODINGS)
@given(data=st.data())
@settings(max_examples=5, deadline=None)
def test_nearest_encoding_accepts_every_legal_turn_and_equals_an_exact_one(name, data):
    env = data.draw(envs(name, ("small", "ring", "long")))
    for agent in env.agents:
        view, encoding = env.view(agent), env.unwrapped.encoding
        if view.phase == "play":
            rng, players = np.random.default_rng(data.draw(st.integers(0, 99))), env.core.players
            env.core.state.owner[0] = rng.integers(-1, players, len(view.owner))
            env.core.state.owner[0, :players] = range(players)
            env.core.state.army[0] = rng.integers(1, 99, len(view.army))
            env.core.refresh_observations()
            view = env.view(agent)
        turn = data.draw(legal_turns(view))
        action = encoding.encode(view, turn, nearest=True)
        assert all(map(encoding.space.contains, action)) if encoding.stepwise else encoding.space.contains(action)
        decoded = encoding.decode(view, action)
        if isinstance(turn, Orders):
            assert as_game(env.core).check(view.player, decoded) == []
        try:
            exact = encoding.encode(view, turn)
        except InexpressibleError:
            continue
        assert encoding.loss(view, turn, exact).exact
        assert encoding.decode(view, exact) == decoded, "what can be said is said"


def test_loss_matches_hand_computed_values():
    """The income is 7. Region 0 has 9 armies and gets 6 more, so 14 may leave."""
    turn = Orders([(0, 6)], [(0, 5, 5), (0, 3, 9)])
    env = ring("continuous")
    view, encoding = env.view("player_0"), env.unwrapped.encoding
    action = encoding.encode(view, turn, nearest=True)
    decoded = encoding.decode(view, action)
    assert (decoded.deploys, decoded.attacks) == ([(0, 7)], [(0, 3, 9), (0, 5, 5)])
    assert encoding.loss(view, turn, action) == Loss(deployed=1, order=1)
    assert encoding.loss(view, Orders([(0, 7)], [(0, 3, 9), (1, 2, 1)]), action) == Loss(armies=6, attacks=2)
    env = ring(functools.partial(OrdersActions, max_armies=4))
    view, encoding = env.view("player_0"), env.unwrapped.encoding
    for armies, sent in ((3, 3), (4, 3), (8, 3), (9, 1_000_000), (14, 1_000_000), (1_000_000, 1_000_000)):
        action = encoding.encode(view, Orders([(0, 6)], [(0, 5, armies)]), nearest=True)
        assert encoding.decode(view, action).attacks == [(0, 5, sent)]
        loss = encoding.loss(view, Orders([(0, 6)], [(0, 5, armies)]), action)
        assert loss == Loss(armies=abs(min(armies, 14) - min(sent, 14)))
    env = ring("strategies")
    view, encoding = env.view("player_0"), env.unwrapped.encoding
    for action in np.flatnonzero(encoding.mask(view)).tolist():
        strategy_turn = encoding.decode(view, action)
        near = Orders(
            [*strategy_turn.deploys[:-1], (strategy_turn.deploys[-1][0], strategy_turn.deploys[-1][1] - 1)],
            strategy_turn.attacks,
        )
        nearest_action = encoding.encode(view, near, nearest=True)
        assert encoding.loss(view, near, nearest_action) == Loss(deployed=1), (
            "the same but for an army that is not deployed"
        )
