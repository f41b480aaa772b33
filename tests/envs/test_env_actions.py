"""Action encodings: their meaning; masks and decoding agree with the rules; encoding is the inverse of decoding."""

from __future__ import annotations

import functools
from fractions import Fraction

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from env_helpers import ENCODINGS, LONG, SMALL, act, as_game, make, sample
from helpers import PRESETS, RING
from warlight_env import maps
from warlight_env.agents import make_agent
from warlight_env.agents.records.factored_turns import allocate_income, make_allocation_work
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import MAX_ARMIES, Rules, RulesError
from warlight_env.envs import ActionEncoding, InexpressibleError, OrdersActions, WarlightParallelEnv
from warlight_env.game import Game


def shares(weights: list[int], income: int, owner: list[int] | None = None, max_orders: int = 0) -> list[int]:
    n = len(weights)
    out = np.zeros(n, dtype=np.int32)
    owner_array = np.array(owner or [0] * n, dtype=np.int8)
    allocate_income(owner_array, 0, income, max_orders, np.array(weights), make_allocation_work(n), out)
    return out.tolist()


def largest_remainder(weights: list[int], income: int) -> list[int]:
    """The textbook method, with exact fractions."""
    total = sum(weights)
    if total == 0:
        return [0] * len(weights)
    exact = [Fraction(income * w, total) for w in weights]
    seats = [int(x) for x in exact]
    order = sorted(range(len(weights)), key=lambda r: (seats[r] - exact[r], r))
    for r in order[: income - sum(seats)]:
        seats[r] += 1
    return seats


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.integers(0, 40), st.integers(0, 8))
def test_income_is_shared_among_the_highest_weights_by_largest_remainder(weights, income, most):
    """`most` limits the number of deploys (0: no limit); the highest weights count, and ties go to the lower index."""
    counting = sorted(range(len(weights)), key=lambda r: (-weights[r], r))[: most or None]
    kept = [weight if r in counting else 0 for r, weight in enumerate(weights)]
    assert shares(weights, income, max_orders=most) == largest_remainder(kept, income)


@pytest.mark.parametrize(
    "weights, income, expected",
    [
        ([1, 1, 1], 5, [2, 2, 1]),
        ([0, 0], 5, [0, 0]),
        ([4, 2], 5, [3, 2]),
        ([4, 1], 5, [4, 1]),
        ([1, 1, 1], 1, [1, 0, 0]),
    ],
)
def test_income_shares_match_hand_computed_values(weights, income, expected):
    assert shares(weights, income) == expected


def test_only_owned_regions_up_to_the_order_limit_get_income():
    assert shares([1, 4, 1], 6, owner=[0, 1, 0]) == [3, 0, 3]
    assert shares([1, 1, 2, 1], 9, max_orders=2) == [3, 0, 6, 0]
    assert shares([0, 1, 0, 1, 0, 1], 4, max_orders=2) == [0, 2, 0, 2, 0, 0]


def env_in_play(encoding: str = "factored", seed: int = 0, steps: int = 0, **arguments) -> WarlightParallelEnv:
    env = make(encoding, picking="random", **arguments)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        if env.agents:
            env.step(act(env, rng))
    return env


def test_factored_attack_values_are_fractions_of_the_movable_armies():
    env = env_in_play()
    view, encoding, board = env.view("player_0"), env.core.encoding, env.core.board
    region = int(np.flatnonzero(view.owner == 0)[0])
    action = np.zeros(encoding.mask_rows, dtype=np.int64)
    action[region] = 2  # deploys the income of 5 on an army of 2, so 6 armies may leave
    edges = range(board.neighbor_start[region], board.neighbor_start[region + 1])
    for value, armies in [(1, 1), (2, 3), (3, 4), (4, 6)]:
        action[board.n_regions :] = 0
        action[board.n_regions + edges[0]] = value
        orders = encoding.decode(view, action)
        assert orders.deploys == [(region, view.income)]
        assert orders.attacks == [(region, int(board.edge_target[edges[0]]), armies)]
    action[region] = 0
    action[board.n_regions + edges[0]] = 1
    assert encoding.decode(view, action).attacks[0][2] == 1  # a quarter of 1, at least 1


def test_factored_omits_attacks_from_regions_without_movable_armies():
    env = env_in_play()
    env.core.state.army[:] = 1
    env.core.refresh_observations()
    action = np.where(np.arange(env.core.row_size) < env.core.board.n_regions, 0, 4)
    action[env.core.out.mask[0, 0].reshape(-1, 5)[:, 4] == 0] = 0
    assert env.core.encoding.decode(env.view("player_0"), action) == Orders([], [])
    _, _, _, _, infos = env.step({"player_0": action, "player_1": np.zeros_like(action)})
    assert infos["player_0"]["illegal"] == 0


def test_priorities_order_the_attacks():
    env = env_in_play("priority")
    view, board, encoding = env.view("player_0"), env.core.board, env.core.encoding
    source_edges = np.flatnonzero(view.owner[board.edge_source] == 0)
    action = np.zeros(encoding.mask_rows, dtype=np.int64)
    action[:12][view.owner == 0] = 4
    action[12 + source_edges] = 4
    plain = encoding.decode(view, action).attacks
    edges = [int(board.edge_index[a, b]) for a, b, _ in plain]
    assert edges == sorted(source_edges.tolist())
    action[12 + board.n_edges + source_edges] = np.arange(len(source_edges)) % 5
    ordered = [int(board.edge_index[a, b]) for a, b, _ in encoding.decode(view, action).attacks]
    assert ordered == sorted(source_edges.tolist(), key=lambda e: (-action[12 + board.n_edges + e], e))


def test_orders_encoding_drops_single_armies_beyond_the_income():
    env = env_in_play("orders")
    view = env.view("player_0")
    first, second = np.flatnonzero(view.owner == 0)[:2].tolist()
    action = {key: np.zeros_like(part) for key, part in env.action_space("player_0").sample().items()}
    nothing = {key: part.copy() for key, part in action.items()}
    action["deploy"][[first, second]] = view.income - 1, 3
    assert env.core.encoding.decode(view, action).deploys == [(first, view.income - 1), (second, 1)]
    _, _, _, _, infos = env.step({"player_0": action, "player_1": nothing})
    assert infos["player_0"]["illegal"] == 2
    assert env.core.state.army[0, first] == 2 + view.income - 1
    assert env.core.state.army[0, second] == 3


def test_last_attack_value_of_orders_encoding_sends_all_armies():
    env = env_in_play("orders")
    view, board = env.view("player_0"), env.core.board
    edge = int(np.flatnonzero(view.owner[board.edge_source] == 0)[0])
    order = (int(board.edge_source[edge]), int(board.edge_target[edge]), MAX_ARMIES)
    action = env.core.encoding.encode(view, Orders([], [order]))
    assert action["attack"][edge] == 12
    assert env.core.encoding.decode(view, action).attacks == [order]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_order_limit_drops_transfers_first_and_then_the_last_attacks(encoding):
    """Encoding "orders" treats transfers and attacks alike; the others keep the attack on the last region."""
    env = make(encoding, map=LONG, rules="challenge1", picking="random", fog=False)
    env.reset(seed=0)
    core, n, e = env.core, env.core.board.n_regions, env.core.board.n_edges
    core.state.owner[0, :-1], core.state.owner[0, -1] = 0, 1
    core.state.army[:] = 20
    core.refresh_observations()
    view = env.view("player_0")
    row = np.zeros(core.row_size, dtype=np.int64)
    row[: n - 1], row[n : n + e] = 1, 4
    row[n : n + e][core.board.edge_source == n - 1] = 0
    edges = [(int(a), int(b)) for a, b in zip(core.board.edge_source, core.board.edge_target, strict=True)]
    ranked = sorted(range(e), key=lambda i: (encoding != "orders" and edges[i][1] != n - 1, i))
    expected = [edges[i] for i in sorted([i for i in ranked if edges[i][0] != n - 1][:51])]
    action = {"deploy": row[:n], "attack": row[n : n + e], "priority": row[n + e :]} if encoding == "orders" else row
    orders = core.encoding.decode(view, action)
    assert [(a, b) for a, b, _ in orders.attacks] == expected
    assert len(orders.deploys) <= 51
    assert sum(armies for _, armies in orders.deploys) == view.income or encoding == "orders"
    assert as_game(env.core).check(0, orders) == []
    nothing = {k: v * 0 for k, v in action.items()} if isinstance(action, dict) else row * 0
    _, _, _, _, infos = env.step({"player_0": action, "player_1": nothing})
    over = (n - 1 - 51) + int((row[n : n + e] > 0).sum()) - 51
    assert infos["player_0"]["illegal"] == (over + max(0, 51 - view.income) if encoding == "orders" else 0)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_rows_of_regions_not_owned_are_dropped_and_counted_as_illegal(encoding):
    env = env_in_play(encoding)
    other = np.flatnonzero(env.view("player_0").owner != 0)
    edges = np.flatnonzero(env.view("player_0").owner[env.core.board.edge_source] != 0)
    row = np.zeros(env.core.row_size, dtype=np.int64)
    row[other[:2]] = 1
    row[12 + edges[:3]] = 1
    n, e = 12, env.core.board.n_edges
    action = {"deploy": row[:n], "attack": row[n : n + e], "priority": row[n + e :]} if encoding == "orders" else row
    before = env.core.state.army.copy(), env.core.state.owner.copy()
    nothing = {k: v * 0 for k, v in action.items()} if isinstance(action, dict) else row * 0
    _, _, _, _, infos = env.step({"player_0": action, "player_1": nothing})
    assert infos["player_0"]["illegal"] == 5
    assert infos["player_1"]["illegal"] == 0
    assert np.array_equal(env.core.state.army, before[0])
    assert np.array_equal(env.core.state.owner, before[1])


def test_encodings_express_preferences_in_the_picking_phase():
    for encoding in ENCODINGS:
        env = make(encoding)
        env.reset(seed=3)
        view = env.view("player_0")
        offered = list(view.offers)
        wanted = [offered[1], offered[0], offered[2]]
        action = env.core.encoding.encode(view, wanted)
        assert env.core.encoding.decode(view, action) == wanted
        nothing = {k: v * 0 for k, v in action.items()} if isinstance(action, dict) else action * 0
        env.step({"player_0": action, "player_1": nothing})
        assert np.flatnonzero(env.core.state.owner[0] == 0).tolist() == sorted(wanted[:2])


def test_only_the_player_to_pick_has_free_mask_rows_in_alternating_picks():
    env = make(map="world", rules="challenge2", max_cycles=50)
    env.reset(seed=1)
    picks = []
    while env.core.state.phase[0] == 0:
        free = [agent for agent in env.agents if env.action_masks(agent).reshape(-1, 5)[:, 1:].any()]
        picks += free
        _, _, _, _, infos = env.step(act(env, np.random.default_rng(0)))
        assert all(info["illegal"] == 0 for info in infos.values())
    assert "".join(p[-1] for p in picks) == "011001", "three picks each, there and back again"


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("rules", PRESETS)
@given(seed=st.integers(0, 10**6), steps=st.integers(0, 25))
@settings(max_examples=4)
def test_encode_is_the_inverse_of_decode(encoding, rules, seed, steps):
    env = env_in_play(encoding, seed, steps, rules=rules)
    rng = np.random.default_rng(seed)
    for agent in env.agents:
        view = env.view(agent)
        turn = env.core.encoding.decode(view, sample(env, rng, agent))
        assert isinstance(turn, Orders)
        again = env.core.encoding.encode(view, turn)
        assert env.action_space(agent).contains(again)
        assert env.core.encoding.decode(view, again) == turn


@given(st.lists(st.integers(0, 4), min_size=1, max_size=6), st.integers(1, 12))
@settings(max_examples=50)
def test_encode_finds_exact_weights_for_every_expressible_deployment(weights, income):
    env = env_in_play(map=RING)
    env.core.state.owner[0, :] = -1
    env.core.state.owner[0, : len(weights)] = 0
    env.core.refresh_observations()
    view = env.view("player_0")
    view = type(view)(**{**view.__dict__, "income": income})
    action = np.zeros(env.core.row_size, dtype=np.int64)
    action[: len(weights)] = weights
    turn = env.core.encoding.decode(view, action)
    assert env.core.encoding.decode(view, env.core.encoding.encode(view, turn)) == turn


@pytest.mark.parametrize("rules", PRESETS)
def test_orders_encoding_reproduces_bot_turns_exactly(rules):
    game = Game(rules=rules, seed=5, picks="random")
    bots = [make_agent("aggressive", seed) for seed in (1, 2)]
    encoding = WarlightParallelEnv(rules=rules, action=functools.partial(OrdersActions, max_armies=500)).core.encoding
    for _ in range(25):
        turns = [bots[p].act(game.view(p)) if game.alive(p) else Orders() for p in (0, 1)]
        for p in (0, 1):
            action = encoding.encode(game.view(p), turns[p])
            decoded = encoding.decode(game.view(p), action)
            assert decoded.attacks == [tuple(map(int, attack)) for attack in turns[p].attacks]
            assert dict(decoded.deploys) == dict(turns[p].deploys)
        game.play_round(turns)
        if game.done:
            break


def test_max_armies_limits_the_size_of_an_attack():
    env = env_in_play("orders", action="orders")
    source, near = 0, int(env.core.board.edge_target[0])
    env.core.state.owner[0, source], env.core.state.army[0, source] = 0, 100
    env.core.refresh_observations()
    view, wide = env.view("player_0"), OrdersActions(env.core.board, env.core.params, max_armies=101)
    for encoding, most in ((env.encoding, 62), (wide, 100)):
        for armies in (1, most):
            turn = Orders([], [(source, near, armies)])
            assert encoding.decode(view, encoding.encode(view, turn)).attacks == turn.attacks
        with pytest.raises(
            InexpressibleError, match=f"{most + 1} armies: must be less than max_armies = {most + 1}, or all"
        ):
            encoding.encode(view, Orders([], [(source, near, most + 1)]))
    everything = Orders([], [(source, near, 1_000_000)])
    assert env.encoding.decode(view, env.encoding.encode(view, everything)).attacks == everything.attacks


def test_nearest_factored_action_keeps_the_attacks_of_a_bot_turn():
    env = WarlightParallelEnv(picking="random")
    env.reset(seed=2)
    bot = make_agent("aggressive", 1)
    for _ in range(20):
        actions = {}
        for agent in env.agents:
            view = env.view(agent)
            turn = bot.act(view)
            action = env.core.encoding.encode(view, turn, nearest=True)
            decoded = env.core.encoding.decode(view, action)
            assert {(a, b) for a, b, _ in decoded.attacks} == {(a, b) for a, b, _ in turn.attacks}
            actions[agent] = action
        if not actions:
            break
        assert all(info["illegal"] == 0 for info in env.step(actions)[-1].values())


@pytest.mark.parametrize(
    "encoding, orders, reason",
    [
        ("factored", lambda own, far, near: Orders([(own, 1)], []), "whole income"),
        ("factored", lambda own, far, near: Orders([(own, 5)], [(own, near, 5)]), "quarter"),
        ("factored", lambda own, far, near: Orders([], [(own, far, 1)]), "not neighbours"),
        ("orders", lambda own, far, near: Orders([], [(own, near, 13)]), "max_armies"),
        ("orders", lambda own, far, near: Orders([(own, 6)], []), "income is 5"),
        ("orders", lambda own, far, near: Orders([(near, 1)], []), "region of the player"),
        ("orders", lambda own, far, near: Orders([], [(near, own, 1)]), "the player does not own region"),
    ],
)
def test_encode_error_names_the_reason(encoding, orders, reason):
    env = env_in_play(encoding)
    view, board = env.view("player_0"), env.core.board
    border = np.flatnonzero((view.owner[board.edge_source] == 0) & (view.owner[board.edge_target] != 0))[0]
    source, near = int(board.edge_source[border]), int(board.edge_target[border])
    far = int(np.flatnonzero(board.distance[source] > 1)[0])
    with pytest.raises(InexpressibleError, match=reason):
        env.core.encoding.encode(view, orders(source, far, near))


generate_map = functools.cache(maps.generate)


@given(
    preset=st.sampled_from(PRESETS),
    fog=st.booleans(),
    board=st.sampled_from(["small", "ring", "long", "world", 20, 57, 90]),
    priority=st.booleans(),
    players=st.integers(2, 4),
    picking=st.sampled_from(["play", "random"]),
    seed=st.integers(0, 1000),
)
@settings(max_examples=6)
def test_masked_actions_are_never_illegal(preset, fog, board, priority, players, picking, seed):
    maps_by_name = {"small": SMALL, "ring": RING, "long": LONG, "world": "world"}
    map_ = maps_by_name[board] if isinstance(board, str) else generate_map(board, seed=seed % 3)
    rules = Rules.of(preset, picks=1)
    try:
        env = WarlightParallelEnv(
            map_, rules, 2 if board == "ring" else players, ENCODINGS["priority" if priority else "factored"],
            fog=fog, picking=picking, max_cycles=25,
        )  # fmt: skip
    except RulesError:  # the map has too few start regions for the players
        assume(False)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    while env.agents:
        actions = act(env, rng)
        turns = {a: env.core.encoding.decode(env.view(a), actions[a]) for a in env.agents}
        picking_now = env.core.state.phase[0] == 0
        game = None if picking_now else as_game(env.core)
        _, _, _, _, infos = env.step(actions)
        assert all(info["illegal"] == 0 for info in infos.values())
        if game is not None:
            for agent, turn in turns.items():
                assert game.check(env.possible_agents.index(agent), turn) == []


class PassOrPlay(ActionEncoding):
    """A custom encoding: 0 passes; 1 deploys all income on the first owned region and attacks from that region."""

    name = "pass_or_play"
    space = spaces.Discrete(2)
    mask_space = spaces.MultiBinary(2)

    def mask(self, free):
        return np.ones(2, dtype=np.int8)

    flat_mask = mask

    def decode(self, view, action):
        if view.phase == "pick":
            return [view.offers[-1], view.offers[0]] if view.offers else []
        first = int(np.flatnonzero(view.owner == view.player)[0])
        near = int(view.board.edge_target[view.board.neighbor_start[first]])
        return Orders([(first, view.income + 1), (first, view.income)], [(first, near, 9)]) if action else Orders()

    def encode(self, view, turn):
        raise AssertionError("nobody asks for it")


def test_custom_encoding_plays_its_decoded_orders():
    env = WarlightParallelEnv(SMALL, action=PassOrPlay, max_cycles=20)
    env.reset(seed=4)
    offers = env.view("player_0").offers
    env.step({"player_0": 1, "player_1": 0})
    assert env.view("player_0").owner[[offers[-1], offers[0]]].tolist() == [0, 0]
    game = as_game(env.core)
    turns = [env.core.encoding.decode(env.view("player_0"), 1), Orders()]
    result = game.play_round(turns, on_illegal="skip")
    _, _, _, _, infos = env.step({"player_0": 1, "player_1": 0})
    assert infos["player_0"]["illegal"] == len(result.dropped) == 1
    assert np.array_equal(env.core.state.army[0], game.army)
    assert np.array_equal(env.core.state.owner[0], game.owner)
