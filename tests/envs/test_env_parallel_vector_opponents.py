"""The vector form of the parallel environment with opponents on some seats, and with many maps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from env_helpers import SMALL, equal
from warlight_env import warlight_v0
from warlight_env.envs import EnvCore, OpponentPool, WarlightParallelEnv
from warlight_env.envs.actions.step_kernels import DEPLOYS
from warlight_env.errors import InputError


def feature_policy(seen: Any, masks: np.ndarray) -> np.ndarray:
    """A deterministic policy: its values depend on the sum of the global features; rows without orders get 0."""
    rows = masks.reshape(len(masks), -1, 5)
    shift = (seen["globals"].sum(axis=1) * 10).astype(np.int64)[:, None] + np.arange(rows.shape[1])
    return (shift % 5) * rows[:, :, 4]


def test_policy_opponent_acts_as_in_a_parallel_environment():
    settings: dict[str, Any] = {"map": SMALL, "players": 3, "picking": "random", "max_cycles": 30}
    env = warlight_v0.vector_env(3, **settings, opponents={"player_1": feature_policy}, autoreset_mode="Disabled")
    assert env.agents == ["player_0", "player_2"]
    singles = [WarlightParallelEnv(mask="info", **settings) for _ in range(3)]
    seen, infos = env.reset(seed=5)
    single_results = [one.reset(seed=5 + b) for b, one in enumerate(singles)]
    rng = np.random.default_rng(1)
    for _ in range(30):
        masks = {agent: infos[agent]["action_mask"] for agent in env.agents}
        actions = {agent: rng.integers(0, 5, (3, m.shape[1] // 5)) * m.reshape(3, -1, 5)[:, :, 4]
                   for agent, m in masks.items()}  # fmt: skip
        seen, rewards, ends, _, infos = env.step(actions)
        for b, one in enumerate(singles):
            if not set(one.agents) & set(env.agents):
                continue
            batch = {name: value[None] for name, value in single_results[b][0]["player_1"].items()}
            policy_action = feature_policy(batch, single_results[b][1]["player_1"]["action_mask"].reshape(1, -1))[0]
            result = one.step({**{agent: actions[agent][b] for agent in env.agents}, "player_1": policy_action})
            single_results[b] = ({**single_results[b][0], **result[0]}, {**single_results[b][1], **result[4]})
            for agent in env.agents:
                assert rewards[agent][b] == result[1].get(agent, 0.0)
                assert ends[agent][b] == result[2].get(agent, False)
                if agent in result[0]:
                    assert equal({name: value[b] for name, value in seen[agent].items()}, result[0][agent])
        over = ~np.any([infos[agent]["active"] for agent in env.agents], axis=0)
        if over.all():
            break
        if over.any():
            games = np.flatnonzero(over)
            seen, infos = env.reset(options={"reset_mask": over})
            for b in games:
                single_results[b] = singles[b].reset()


def test_bot_submits_one_turn_when_a_learner_ends_its_turn_early():
    def positions(early: bool) -> np.ndarray:
        env = warlight_v0.vector_env(
            2, map=SMALL, players=3, action="steps", picking="random", opponents={"player_1": "random"}
        )
        env.reset(seed=2)
        last = env.single_action_space("player_0").n - 1
        end = np.full(2, last)
        core = env.episodes.core
        for _ in range(4):
            foreign = np.array([np.flatnonzero(core.state.owner[b] != 0)[0] * DEPLOYS for b in range(2)])
            owned = np.array([np.flatnonzero(core.state.owner[b] == 2)[0] * DEPLOYS for b in range(2)])
            env.step({"player_0": end if early else foreign, "player_2": owned})
            env.step({"player_0": end, "player_2": owned})
            env.step({"player_0": end, "player_2": end})
        assert core.state.round.tolist() == [4, 4]
        return core.state.army.copy()

    assert np.array_equal(positions(True), positions(False))


@pytest.mark.parametrize("action", ["factored", "steps", "strategies", "continuous"])
def test_games_on_many_maps_equal_single_map_games(action):
    env = warlight_v0.vector_env(
        4, map=[SMALL, "small"], action=action, picking="random", max_cycles=15, mask="observation",
        autoreset_mode="Disabled",
    )  # fmt: skip
    seen, infos = env.reset(seed=1)
    assert {env.episodes.map_of(b).name for b in range(4)} == {SMALL.name, "small"}
    padding, cores = env.episodes.form.padding, []
    for b in range(4):
        cores.append(EnvCore(env.episodes.map_of(b), action=action, picking="random", max_cycles=15))
        cores[b].reset([int(env.episodes.seeds[b])])
    for number in range(10):
        assert all(seen[agent] in env.observation_space(agent) for agent in env.agents)
        for p, agent in enumerate(env.agents):
            for b, core in enumerate(cores):
                n = core.board.n_regions
                assert np.array_equal(seen[agent]["nodes"][b, :n], core.nodes[0, p])
                assert not seen[agent]["nodes"][b, n:].any()
                assert np.array_equal(seen[agent]["globals"][b], core.globals[0, p])
                assert infos[agent]["illegal"][b] == core.out.illegal[0, p]
        for space in map(env.action_space, env.agents):
            space.seed(number)
        actions = {agent: env.action_space(agent).sample() for agent in env.agents}
        for b, core in enumerate(cores):
            rows, dropped = np.zeros((1, 2, core.row_size), np.int64), np.zeros((1, 2), np.int32)
            for p, agent in enumerate(env.agents):
                unpadded, missing = padding.own_action(actions[agent][b], core.board)
                out = np.zeros((1, core.row_size), np.int64)
                dropped[0, p] = missing + core.read_rows(np.array([unpadded]), np.array([0]), p, out)[0]
                rows[0, p] = out
            core.step(rows, dropped)
        if any(core.out.terminated.any() for core in cores):
            return
        seen, rewards, _, _, infos = env.step(actions)
        assert all(rewards[agent][b] == cores[b].out.reward[0, p] for p, agent in enumerate(env.agents) for b in (0, 1))


def test_a_single_map_can_be_padded():
    env = warlight_v0.vector_env(1, map=SMALL, map_limits=(30, 120), mask="observation", picking="random")
    assert env.reset(seed=1)[0]["player_1"] in env.observation_space("player_1")


def test_new_opponents_play_from_the_next_game_on():
    pool = OpponentPool({"random": 1.0})
    env = warlight_v0.vector_env(2, map=SMALL, picking="random", opponents={"player_1": pool}, max_cycles=2)
    env.reset(seed=1)
    first = env.opponents_of(0)["player_1"]
    pool.add("new", "aggressive", 1e9)
    zero = {"player_0": np.zeros((2, env.encoding.mask_rows), np.int64)}
    env.step(zero)
    assert env.opponents_of(0) == {"player_1": first}
    for _ in range(2):
        env.step(zero)
    assert env.opponents_of(0)["player_1"].name == "aggressive"
    env.set_opponents({"player_1": "one_big_army"})
    for _ in range(3):
        env.step(zero)
    assert env.opponents_of(1)["player_1"].name == "one_big_army"
    for wrong in ({}, {"player_0": "random"}, {"player_0": "random", "player_1": "random"}):
        with pytest.raises(InputError, match=r"^opponents: "):
            env.set_opponents(wrong)
