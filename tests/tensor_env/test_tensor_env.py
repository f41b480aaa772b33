"""The environment of tensors on the CPU: its games, its results, new games in place of ended games, and errors."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch

from warlight_env.agents.players.compiled import COMPILED
from warlight_env.agents.plug_ins.functions import plug_in
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.envs import EnvCore
from warlight_env.errors import InputError
from warlight_env.tensor_env import DeviceError, WarlightTensorEnv, toolkit

GAMES = 5
AGAINST = {"player_1": "aggressive"}


def make(**arguments: Any) -> WarlightTensorEnv:
    return WarlightTensorEnv(**{"num_envs": GAMES, "device": "cpu", "map": "small", "picking": "random", **arguments})


def draw(env: WarlightTensorEnv, random: np.random.Generator) -> dict[str, torch.Tensor]:
    shape = env.num_envs, len(env.limits)
    return {agent: torch.as_tensor(random.integers(0, env.limits, shape)) for agent in env.agents}


def clone_tree(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: clone_tree(value) for key, value in tree.items()}
    return tuple(map(clone_tree, tree)) if isinstance(tree, tuple) else tree.clone()


def assert_same(first: Any, second: Any) -> None:
    if isinstance(first, dict):
        assert first.keys() == second.keys()
        for key in first:
            assert_same(first[key], second[key])
    else:
        assert torch.equal(first, second)


@pytest.mark.parametrize("arguments", [
    {"rules": "challenge1", "fog": True, "picking": "play", "reward": "income"},
    {"players": 3, "map": "world", "observation": "flat"},
])  # fmt: skip
def test_games_equal_those_of_a_core_with_the_same_bot(arguments):
    env = make(opponents=AGAINST, autoreset_mode="Disabled", max_cycles=12, **arguments)
    core = EnvCore(**{"map": "small", "picking": "random", **arguments}, batch=GAMES, max_cycles=12)
    core.reset([7 + b for b in range(GAMES)])
    rngs = np.zeros((GAMES, core.players, 2), dtype=np.uint64)
    for b in range(GAMES):
        for p in range(core.players):
            rngs[b, p] = make_rng(derive_seed(7 + b, 3, p))
    chosen = np.full((GAMES, core.players), -1, dtype=np.int16)
    chosen[:, 1] = 0
    bot = COMPILED["aggressive"]
    kernels = plug_in("policy", bot.policy), plug_in("picker", bot.pick)
    learners = [p for p in range(core.players) if p != 1]
    acting = np.zeros((GAMES, core.players), dtype=np.int8)
    acting[:, learners] = 1
    observations, infos = env.reset(seed=7)
    random, playing = np.random.default_rng(1), np.ones(GAMES, dtype=bool)
    for _ in range(12):
        for p in learners:
            agent = f"player_{p}"
            seen = observations[agent]
            flat = seen if isinstance(seen, torch.Tensor) else torch.cat([part.flatten(1) for part in seen.values()], 1)
            np.testing.assert_array_equal(flat.numpy()[playing], core.out.features[playing, p])
            np.testing.assert_array_equal(infos[agent]["action_mask"].numpy()[playing], core.out.mask[playing, p])
        actions = draw(env, random)
        rows = np.zeros((GAMES, core.players, core.row_size), dtype=np.int64)
        for p in learners:
            rows[:, p] = actions[f"player_{p}"].numpy()
        core.submit_actions(rows, acting=acting)
        core.submit_policy(*kernels, chosen, 0, np.full(GAMES, learners[0], np.int8), rngs, core.bots_context)
        core.resolve()
        observations, rewards, terminations, truncations, infos = env.step(actions)
        for p in learners:
            agent = f"player_{p}"
            np.testing.assert_array_equal(rewards[agent].numpy()[playing], core.out.reward[playing, p])
            np.testing.assert_array_equal(terminations[agent].numpy()[playing], core.out.terminated[playing, p])
            np.testing.assert_array_equal(truncations[agent].numpy()[playing], core.out.truncated[playing, p])
            np.testing.assert_array_equal(infos[agent]["illegal"].numpy()[playing], core.out.illegal[playing, p])
        playing &= core.out.live[:, learners[0]]
    assert not playing.any()


def test_the_next_game_has_a_seed_derived_from_the_first():
    random = np.random.default_rng(3)
    env = make(opponents=AGAINST, max_cycles=3, autoreset_mode="NextStep")
    env.reset(seed=[10, 11, 12, 13, 14])
    for _ in range(3):
        *_, truncations, infos = env.step(draw(env, random))
    assert not infos["player_0"]["active"].any()
    ended = truncations["player_0"].clone()
    observations, rewards, terminations, truncations, infos = env.step(draw(env, random))
    assert ended.any() and not truncations["player_0"].any() and not terminations["player_0"].any()
    assert not rewards["player_0"].any() and infos["player_0"]["active"].all()
    again = make(opponents=AGAINST, max_cycles=3)
    expected, _ = again.reset(seed=[derive_seed(seed, 1) for seed in range(10, 15)])
    assert_same(observations, expected)


def test_same_step_has_the_last_observation_and_the_first_of_the_next_game():
    random = np.random.default_rng(4)
    arguments: dict[str, Any] = {"opponents": AGAINST, "max_cycles": 3}
    same, later = make(autoreset_mode="SameStep", **arguments), make(autoreset_mode="NextStep", **arguments)
    same.reset(seed=1)
    later.reset(seed=1)
    for _ in range(3):
        actions = draw(same, random)
        results, last = clone_tree(same.step(actions)), clone_tree(later.step(actions))
    infos = results[4]["player_0"]
    assert infos["_final_obs"].all() and infos["active"].all()
    assert_same(infos["final_obs"], last[0]["player_0"])
    for part in (1, 2, 3):
        assert_same(results[part], last[part])
    assert_same(results[0], later.step(actions)[0])


def test_without_autoreset_a_game_waits_for_a_reset_with_a_mask():
    random = np.random.default_rng(5)
    env = make(max_cycles=2, autoreset_mode="Disabled")
    env.reset(seed=2)
    for _ in range(2):
        env.step(draw(env, random))
    before = clone_tree(env.step(draw(env, random)))
    after = clone_tree(env.step(draw(env, random)))
    assert_same(before[0], after[0])
    assert all(after[3][agent].all() and not after[1][agent].any() for agent in env.agents)
    mask = np.array([True, False, False, True, False])
    observations, infos = env.reset(seed=2, options={"reset_mask": mask})
    for agent in env.agents:
        np.testing.assert_array_equal(infos[agent]["active"].numpy(), mask)
    fresh, _ = make(max_cycles=2).reset(seed=2)
    for agent in env.agents:
        assert torch.equal(observations[agent]["nodes"][0], fresh[agent]["nodes"][0])
        assert not torch.equal(observations[agent]["nodes"][1], fresh[agent]["nodes"][1])


def test_actions_of_eliminated_agents_are_ignored():
    random = np.random.default_rng(6)
    env = make(players=3, map="small", max_cycles=80, autoreset_mode="Disabled", num_envs=40)
    *_, infos = env.reset(seed=8)
    out = torch.zeros(40, dtype=torch.bool)
    for _ in range(80):
        actions = draw(env, random)
        out = ~infos["player_2"]["active"] & infos["player_0"]["active"] & infos["player_1"]["active"]
        if out.any():
            break
        *_, infos = env.step(actions)
    assert out.any(), "no game in which player_2 is eliminated while the others play"
    actions["player_2"][out] = 99  # outside the limits
    *_, infos = env.step(actions)
    assert not infos["player_2"]["active"][out].any()


def test_results_share_memory_with_the_environment():
    env = make()
    observations, _ = env.reset(seed=1)
    before = observations["player_0"]["globals"].clone()
    later = env.step(draw(env, np.random.default_rng(1)))[0]
    assert later["player_0"]["globals"].data_ptr() == observations["player_0"]["globals"].data_ptr()
    assert not torch.equal(before, observations["player_0"]["globals"])
    for agent in env.agents:
        space = env.observation_space(agent)
        assert space.contains({name: part[0].numpy().copy() for name, part in later[agent].items()})


@pytest.mark.parametrize(("change", "message"), [
    ({"device": "tpu"}, "device = 'tpu': must be 'cpu' or 'cuda'"),
    ({"num_envs": 0}, "num_envs = 0"),
    ({"opponents": {"player_2": "random"}}, "opponents: unknown agent 'player_2'; known: player_0, player_1"),
    ({"opponents": {"player_1": "mcts"}}, "opponents['player_1'] = 'mcts': must be one of random"),
    ({"opponents": {"player_0": "random", "player_1": "random"}}, "at least one seat must be left"),
    ({"autoreset_mode": "Sometimes"}, "autoreset_mode = 'Sometimes': must be one of NextStep, SameStep, Disabled"),
    ({"reward": lambda before, after, wins: wins}, "reward: a function cannot run on a device"),
    ({"observation": "raw"}, "observation = 'raw': must be 'graph' or 'flat'"),
    ({"opponents": ["player_1"]}, "opponents = ['player_1']: must be a dict"),
    ({"opponents": {"player_1": ["random"]}}, "opponents['player_1'] = ['random']: must be one of"),
    ({"batch": 3}, "unknown arguments 'batch'; known: map, rules"),
])  # fmt: skip
def test_errors_name_the_invalid_argument(change, message):
    with pytest.raises(InputError) as error:
        make(**change)
    assert message in str(error.value)


@pytest.mark.parametrize(("actions", "message"), [
    ({}, "actions must be a dict with the keys player_0"),
    ({"player_0": torch.zeros(GAMES, 3, dtype=torch.int64)}, "actions['player_0'] must be an integer tensor [5, "),
    ({"player_0": None}, "must be an integer tensor"),
    (None, "actions must be a dict with the keys player_0"),
    (["player_0"], "actions must be a dict with the keys player_0"),
    ("float", "torch.float32"),
    ("high", "actions['player_0'][2][4] = 5: must be in 0 .. 4"),
    ("low", "actions['player_0'][2][4] = -1: must be in 0 .. 4"),
    ("wraps", "actions['player_0'][2][4] = 256: must be in 0 .. 4"),
])  # fmt: skip
def test_errors_name_invalid_actions_and_no_game_steps(actions, message):
    env = make(opponents=AGAINST)
    observations, _ = env.reset(seed=1)
    before = clone_tree(observations)
    rows = torch.zeros(GAMES, len(env.limits), dtype=torch.int64)
    if isinstance(actions, str):
        rows[2, 4] = {"high": 5, "low": -1, "wraps": 256}.get(actions, 0)
        actions = {"player_0": rows.float() if actions == "float" else rows}
    with pytest.raises(InputError) as error:
        env.step(actions)
    assert message in str(error.value)
    assert_same(before, observations)
    env.step({"player_0": torch.zeros(GAMES, len(env.limits), dtype=torch.int64)})
    assert not torch.equal(before["player_0"]["globals"], observations["player_0"]["globals"])


def test_step_before_the_first_reset_raises_an_error():
    env = make()
    with pytest.raises(InputError, match="no game has begun"):
        env.step(draw(env, np.random.default_rng(1)))
    with pytest.raises(InputError, match="no game has begun"):
        env.reset(options={"reset_mask": np.array([True, False, False, False, False])})


@pytest.mark.skipif(toolkit.missing() is None, reason="this machine has a GPU")
def test_missing_gpu_raises_an_error():
    with pytest.raises(DeviceError, match="device = 'cuda': "):
        make(device="cuda")


def test_result_flags_can_be_reset_masks():
    random = np.random.default_rng(5)
    env = make(max_cycles=2, autoreset_mode="Disabled")
    env.reset(seed=2)
    for _ in range(2):
        *_, truncations, _ = env.step(draw(env, random))
    assert truncations["player_0"].all()
    *_, infos = env.reset(options={"reset_mask": truncations["player_0"]})
    assert infos["player_0"]["active"].all() and not truncations["player_0"].any()


def test_results_are_new_dicts():
    env = make()
    observations, infos = env.reset(seed=1)
    observations["player_0"]["nodes"] = None
    infos["player_0"].clear()
    observations, *_, infos = env.step(draw(env, np.random.default_rng(1)))
    assert observations["player_0"]["nodes"] is not None and infos["player_0"]["active"].all()
    infos["player_0"]["active"].zero_()
    with pytest.raises(InputError):
        env.step({agent: torch.full((GAMES, len(env.limits)), 100) for agent in env.agents})


def test_number_of_illegal_orders_is_reported_after_the_game_ends():
    random = np.random.default_rng(4)
    arguments: dict[str, Any] = {"opponents": AGAINST, "max_cycles": 1}
    same, waits = make(autoreset_mode="SameStep", **arguments), make(autoreset_mode="Disabled", **arguments)
    same.reset(seed=1)
    waits.reset(seed=1)
    actions = draw(same, random)
    first, second = same.step(actions)[4]["player_0"], waits.step(actions)[4]["player_0"]
    assert first["illegal"].any() and torch.equal(first["illegal"], second["illegal"])
    assert first["_final_obs"].all()
    _, infos = same.reset(seed=2)
    assert not infos["player_0"]["_final_obs"].any() and not infos["player_0"]["illegal"].any()


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint16, torch.float32])
def test_actions_of_other_types_raise_an_error(dtype):
    env = make()
    env.reset(seed=1)
    with pytest.raises(InputError, match="must be an integer tensor"):
        env.step({agent: torch.zeros((GAMES, len(env.limits)), dtype=dtype) for agent in env.agents})


def test_environment_cannot_be_copied():
    with pytest.raises(InputError, match="cannot be copied"):
        copy.deepcopy(make())
