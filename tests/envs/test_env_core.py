"""`EnvCore`: batches compared with single games, steps compared with `Game`, observations compared with Python code."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from env_helpers import ENCODINGS, LONG, SMALL, act, as_game, equal, make, sample
from helpers import PRESETS
from warlight_env.engine.rules import PRESETS as PRESET_RULES
from warlight_env.engine.rules import Rules
from warlight_env.engine.state import OVER
from warlight_env.engine.validity import StateError
from warlight_env.envs import EnvCore, WarlightParallelEnv, global_features, node_features
from warlight_env.envs.actions.kernels import READY
from warlight_env.envs.buffers import Buffers
from warlight_env.envs.core import ActionError
from warlight_env.game import Game, View


def random_rows(core: EnvCore, rng: np.random.Generator) -> np.ndarray:
    rows = (rng.random((core.batch, core.players, core.row_size)) * core.limits).astype(np.int64)
    rows[rng.random(rows.shape) < 0.4] = 0
    return rows


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("picking", ["play", "random"])
def test_a_batch_equals_its_single_games(encoding, preset, picking):
    arguments = {"rules": preset, "players": 2, "action": ENCODINGS[encoding], "picking": picking, "max_cycles": 30}
    arguments |= {"reward": "income", "observation": "flat"}
    batch, seeds = EnvCore(SMALL, batch=5, **arguments), [3, 1, 4, 1, 5]
    singles = [EnvCore(SMALL, **arguments) for _ in seeds]
    batch.reset(seeds)
    for core, seed in zip(singles, seeds, strict=True):
        core.reset([seed])
    rng = np.random.default_rng(0)
    for step in range(45):
        rows = random_rows(batch, rng)
        rows[3] = rows[1]  # equal seeds, equal actions
        batch.step(rows)
        for b, core in enumerate(singles):
            core.step(rows[b : b + 1])
            for name, got, want in zip(Buffers._fields, batch.out, core.out, strict=True):
                assert np.array_equal(got[b], want[0]), (step, b, name)
            for name, got, want in zip(batch.state._fields, batch.state, core.state, strict=True):
                assert np.array_equal(got[b], want[0]), (step, b, name)
        if step == 20:  # new games in slots 1 and 4
            batch.reset([9, 8], [1, 4])
            singles[1].reset([9])
            singles[4].reset([8])
    assert not batch.out.live[0].any()
    assert batch.out.live[1].any() or batch.out.terminated[1].all()


def test_finished_games_do_not_change():
    core = EnvCore(SMALL, batch=2, max_cycles=3)
    core.reset([1, 2])
    rng = np.random.default_rng(0)
    for _ in range(3):
        core.step(random_rows(core, rng))
    assert core.out.truncated.all()
    core.reset([5], [1])
    before = [array[0].copy() for array in core.state]
    core.step(random_rows(core, rng))
    assert equal([array[0] for array in core.state], before)
    assert core.out.truncated[0].all()
    assert not core.out.truncated[1].any()
    assert core.out.cycles.tolist() == [3, 1]


def test_invalid_rows_raise_an_error_before_any_game_steps():
    core = EnvCore(SMALL, batch=3)
    core.reset([1, 2, 3])
    rows = random_rows(core, np.random.default_rng(0))
    before = core.snapshot()
    rows[2, 1, 4] = 7
    with pytest.raises(ActionError, match=r"game 2, player 1: entry 4 is 7; it must lie in 0 \.\. 4"):
        core.step(rows)
    for bad in (rows[:2], rows.astype(float), rows[:, :, :-1]):
        with pytest.raises(ValueError, match="actions must be"):
            core.step(bad)
    after = core.snapshot()
    assert equal([list(before.state), *before[1:]], [list(after.state), *after[1:]])


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("preset", PRESETS)
@given(seed=st.integers(0, 10**6), players=st.integers(2, 3))
@settings(max_examples=3)
def test_every_step_equals_a_round_of_game(encoding, preset, seed, players):
    """The same orders, decoded for a `Game` with the same dice, lead to the same position, view and income."""
    rules = Rules.of(preset, picks=min(PRESET_RULES[preset].picks, 6 // players))
    env = make(encoding, rules=rules, players=players, max_cycles=60)
    env.reset(seed=seed)
    core = env.core
    game = as_game(core)
    rng = np.random.default_rng(seed)
    while env.agents:
        views = [core.view(p) for p in range(players)]
        for p in range(players):
            if f"player_{p}" in env.agents:
                check_view(core, p, game.view(p))
        actions = act(env, rng)
        turns = {
            env.possible_agents.index(a): core.encoding.decode(game_view(game, views, a), actions[a]) for a in actions
        }
        if game.phase == "pick":
            game.pick({p: turns[p] for p in game.pickers()}, on_illegal="skip")
        else:
            result = game.play_round({p: turns[p] for p in turns}, on_illegal="raise")
            assert result.dropped == []
        env.step(actions)
        assert np.array_equal(core.state.owner[0], game.owner)
        assert np.array_equal(core.state.army[0], game.army)
        assert (core.state.phase[0] == 2) == game.done
    assert core.state.winner[0] == (-1 if game.winner is None else game.winner)


def game_view(game: Game, views: list[View], agent: str) -> View:
    """The view of `Game`; for a player that does not pick now, the view of the environment."""
    player = int(agent[-1])
    view = game.view(player)
    return view if game.phase == "play" or player in game.pickers() else views[player]


def check_view(core: EnvCore, p: int, expected: View) -> None:
    """Compare a player's view and features in the core with values computed in plain Python from the view of `Game`."""
    got, players, n = core.view(p), core.players, core.board.n_regions
    assert np.array_equal(got.owner, expected.owner)
    assert np.array_equal(got.army, expected.army)
    assert (got.income, got.round, got.phase) == (expected.income, expected.round, expected.phase)
    on_turn = expected.phase == "pick" and (core.rules.picking != "alternating" or got.offers != ())
    if on_turn:
        assert (got.offers, got.picks_left) == (expected.offers, expected.picks_left)
    names = {name: i for i, name in enumerate(node_features(players))}
    sides = ["mine", *(f"opponent_{k}" for k in range(1, players))]
    side_of = {q: sides[(q - p) % players] for q in range(players)} | {-1: "neutral", -2: "unknown"}
    seen = [side_of[int(q)] for q in expected.owner]
    armies = expected.army.tolist()
    bonuses = core.board.bonus.tolist()
    nodes = np.zeros((n, len(names)))
    for r in range(n):
        s = int(core.board.super_region[r])
        members = [m for m in range(n) if core.board.super_region[m] == s]
        near = [int(q) for q in core.map.neighbors[r]]
        nodes[r, names[seen[r]]] = 1
        nodes[r, names["army_soft"]] = armies[r] / (armies[r] + 10)
        nodes[r, names["army_linear"]] = min(armies[r] / 100, 1)
        nodes[r, names["offered"]] = on_turn and r in expected.offers
        nodes[r, names["border"]] = seen[r] == "mine" and any(seen[q] != "mine" for q in near)
        nodes[r, names["bonus"]] = bonuses[s] / max(bonuses)
        nodes[r, names["my_share"]] = sum(seen[m] == "mine" for m in members) / len(members)
        nodes[r, names["opponent_share"]] = max(sum(seen[m] == o for m in members) for o in sides[1:]) / len(members)
    assert np.allclose(core.nodes[0, p], nodes, atol=1e-6)
    values = {
        "picking": expected.phase == "pick",
        "my_pick": on_turn,
        "time": core.out.cycles[0] / core.max_cycles,
        "round": expected.round / core.params.round_limit if core.params.round_limit else 0,
        "income": expected.income / (core.params.base_income + sum(bonuses)),
        "regions_unknown": seen.count("unknown") / n,
    }
    for side in [*sides, "neutral"]:
        values[f"regions_{side}"] = seen.count(side) / n
        values[f"armies_{side}"] = sum(a for a, s in zip(armies, seen, strict=True) if s == side) / sum(armies)
    assert set(values) == set(global_features(players))
    assert np.allclose(core.globals[0, p], [values[name] for name in global_features(players)], atol=1e-6)


@pytest.mark.parametrize("fog", [False, True])
def test_features_on_maps_of_more_than_64_regions(fog):
    env = WarlightParallelEnv(LONG, players=3, fog=fog, max_cycles=12)
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    while env.agents:
        env.step(act(env, rng))
        for p in range(3):
            if env.core.out.live[0, p] or env.core.state.phase[0] == OVER:
                check_view(env.core, p, as_game(env.core).view(p))


@pytest.mark.parametrize("encoding", ["factored", "priority"])
@pytest.mark.parametrize("preset", ["thesis", "challenge2"])
def test_cached_mask_equals_the_computed_mask(encoding, preset):
    env = make(encoding, rules=preset, players=2, max_cycles=60)
    rng = np.random.default_rng(2)
    for seed in range(3):
        env.reset(seed=seed)
        while env.agents:
            for p, agent in enumerate(env.possible_agents):
                computed = env.core.encoding.flat_mask(env.view(f"player_{p}"))
                assert np.array_equal(env.action_masks(agent), computed)
                assert computed.dtype == np.int8
            env.step(act(env, rng))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_flat_mask_is_the_concatenation_of_the_mask_rows(encoding):
    env, nested = make(encoding), make(encoding, mask="nested")
    flat, rows = (each.reset(seed=1)[0]["player_0"]["action_mask"] for each in (env, nested))
    rows = [row for key in sorted(rows) for row in rows[key]] if isinstance(rows, dict) else list(rows)
    assert np.array_equal(np.concatenate(rows), env.action_masks("player_0"))
    assert np.array_equal(flat, env.action_masks("player_0"))


def test_graph_and_flat_observations_have_the_same_numbers():
    flat, graph = make(observation="flat"), make()
    a, b = flat.reset(seed=1)[0], graph.reset(seed=1)[0]
    for agent in flat.agents:
        nodes, rest = (b[agent]["observation"][key] for key in ("nodes", "globals"))
        assert np.array_equal(a[agent]["observation"], np.concatenate([nodes.reshape(-1), rest]))


def test_raw_observation_equals_the_game_state():
    env = make(observation="raw", picking="random", players=3)
    observations, _ = env.reset(seed=1)
    for p, agent in enumerate(env.agents):
        raw = observations[agent]["observation"]
        owner = env.core.state.owner[0]
        assert np.array_equal(raw["owner"] == 1, owner == p)
        assert np.array_equal(raw["owner"] == 2, owner == (p + 1) % 3)
        assert np.array_equal(raw["owner"] == 3, owner == (p + 2) % 3)
        assert np.array_equal(raw["army"], env.core.state.army[0])
        assert raw["income"].tolist() == [5]
        assert raw["phase"] == 1
        assert raw["owner"].dtype == np.int8


def test_sample_helper_respects_the_mask():
    env = make()
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    mask = env.action_masks("player_0").reshape(-1, 5)
    for _ in range(20):
        assert mask[np.arange(len(mask)), sample(env, rng, "player_0")].all()


def test_core_and_game_have_the_same_rng_and_offers():
    core = EnvCore(SMALL, picking="play")
    core.reset([123])
    game = Game(SMALL, seed=123)
    assert np.array_equal(core.state.offers[0], [sum(1 << p for p in (0, 1) if r in game.offers(p)) for r in range(12)])
    assert core.state.rng[0].tolist() == game.to_dict()["state"]["rng"]


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda core: pickle.loads(pickle.dumps(core)), EnvCore.clone])
def test_copy_does_not_share_feature_buffers(duplicate):
    core = EnvCore(SMALL, batch=2)
    core.reset([1, 2])
    other = duplicate(core)
    before = core.out.features.copy()
    other.step(np.zeros((2, 2, other.row_size), dtype=np.int64))
    assert np.array_equal(core.out.features, before) and not np.array_equal(other.out.features, before)
    assert np.shares_memory(other.nodes, other.out.features) and np.shares_memory(other.globals, other.out.features)


@pytest.mark.parametrize("action", ["factored", "steps"])
def test_clone_includes_submitted_turns(action):
    core = EnvCore(SMALL, batch=2, action=action, picking="random")
    core.reset([1, 2])
    core.submit_actions(random_rows(core, np.random.default_rng(3)))
    core.turns.status[:, :, READY] = 1
    other = core.clone()
    assert not np.shares_memory(core.turns.deploy, other.turns.deploy)
    core.resolve()
    assert core.state.round.tolist() == [1, 1] and other.state.round.tolist() == [0, 0]
    other.resolve()
    assert equal(core.snapshot(), other.snapshot())


@pytest.mark.parametrize("action", ["factored", "continuous", "steps"])
@pytest.mark.parametrize("picking", ["play", "random"])
def test_snapshot_includes_submitted_turns(action, picking):
    core, other = (EnvCore(SMALL, batch=3, action=action, picking=picking) for _ in range(2))
    core.reset([1, 2, 3])
    acting = np.array([[1, 1], [1, 0], [0, 0]], np.int8)
    core.submit_actions(random_rows(core, np.random.default_rng(3)), acting=acting)
    core.turns.status[:, :, READY] = acting
    saved = pickle.loads(pickle.dumps(core.snapshot()))
    other.restore(saved)
    assert equal(other.snapshot(), saved)
    core.restore(saved)
    rows = random_rows(core, np.random.default_rng(4))
    for each in (core, other):
        each.resolve()
        assert each.state.round.tolist() == [int(picking == "random"), 0, 0]
        each.submit_actions(rows)
        each.turns.status[:, :, READY] = 1
        each.resolve()
    assert equal(core.snapshot(), other.snapshot())


def test_restore_rejects_turns_of_another_action_encoding():
    plain, stepwise = (EnvCore(SMALL, action=action, picking="random") for action in ("factored", "steps"))
    for core in (plain, stepwise):
        core.reset([1])
    nothing, saved = plain.snapshot(), stepwise.snapshot()
    partial = saved._replace(turns=saved.turns._replace(status=np.array([[[1, 0, 0], [0, 0, 0]]], np.int32)))
    for core, wrong in ((stepwise, nothing), (plain, saved), (plain, partial)):
        with pytest.raises(StateError, match="another action encoding"):
            core.restore(wrong)


def test_invalid_reset_changes_nothing():
    core = EnvCore(SMALL, batch=3)
    core.reset([1, 2, 3])
    before = pickle.dumps(core.snapshot())
    for seeds, games in (([9], None), ([9, 8], [0, 7]), ([9], [-1]), ([9, 9], [1, 1]), ([1, 2, "x"], None)):
        with pytest.raises((ValueError, TypeError)):
            core.reset(seeds, games)
        assert pickle.dumps(core.snapshot()) == before
