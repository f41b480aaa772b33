"""Custom reward and observation functions: equal in all environments, checked, and without effects after an error."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

import numba
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from env_helpers import SMALL
from helpers import make_map
from warlight_env.engine.rules import RulesError
from warlight_env.envs import EnvCore, WarlightEnv, WarlightMapsEnv, WarlightParallelEnv, WarlightVectorEnv
from warlight_env.envs.actions.kernels import READY
from warlight_env.envs.sb3 import make_vec_env
from warlight_env.errors import InputError


def conquests(before, after, paid):
    """The game result, plus 0.1 for each region won and minus 0.1 for each region lost; Numba can compile the loops."""
    reward = paid.copy()
    for b in range(after.owner.shape[0]):
        for r in range(after.owner.shape[1]):
            now, then = after.owner[b, r], before.owner[b, r]
            if now != then:
                if now >= 0:
                    reward[b, now] += 0.1
                if then >= 0:
                    reward[b, then] -= 0.1
    return reward


def planes(seen):
    """float32[M, N, 3]: own regions, regions of other players, armies."""
    shape = seen.owner.shape
    out = np.zeros((shape[0], shape[1], 3), np.float32)
    out[:, :, 0] = seen.owner == 1
    out[:, :, 1] = seen.owner > 1
    out[:, :, 2] = seen.army
    return out


#: The compiled functions, which all environments of this process share.
CONQUESTS, PLANES = numba.njit(conquests), numba.njit(planes)


class Plain:
    """A function that is called without Numba and gets read-only arrays."""

    def __init__(self, function):
        self.function = function

    def __call__(self, *arguments):
        assert not any(array.flags.writeable for games in arguments[:2] for array in games if hasattr(array, "flags"))
        return self.function(*arguments)


def trace(env, steps=30):
    """Play seeded random actions and return the results of each step."""
    rng, rows = np.random.default_rng(3), []
    observations, infos = env.reset(seed=5)
    for _ in range(steps):
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in infos["action_mask"]])
        before = observations.copy()
        observations, rewards, terminated, truncated, infos = env.step(actions)
        rows.append((before, actions, rewards, terminated, truncated, observations))
    return rows


ARGUMENTS = {"map": SMALL, "action": "strategies", "opponent": "aggressive", "max_cycles": 20}


@pytest.mark.parametrize("compiled", [True, False])
def test_vector_env_returns_the_values_of_custom_functions(compiled):
    functions = (conquests, planes) if compiled else (Plain(conquests), Plain(planes))
    reward, observation = functions
    env = WarlightVectorEnv(6, reward=reward, observation=observation, **ARGUMENTS)
    core = env.episodes.core
    assert core.custom_reward.compiled is core.custom_observation.compiled is compiled
    n = core.board.n_regions
    assert env.single_observation_space.shape == (n, 3) and env.single_observation_space.dtype == np.float32
    plain = WarlightVectorEnv(6, observation="raw", **ARGUMENTS)
    seen, _ = plain.reset(seed=5)
    over, owners = np.zeros(6, bool), seen["owner"]
    for before, actions, rewards, terminated, truncated, after in trace(env):
        assert (before[:, :, 0] == (owners == 1)).all() and (before[:, :, 2] == seen["army"]).all()
        seen, wins, *_ = plain.step(actions)
        gained = (seen["owner"] == 1).sum(1) - (owners == 1).sum(1)
        expected = np.where(over, 0, wins + 0.1 * gained)
        assert np.allclose(rewards, expected), "those that only begin anew are paid nothing"
        over, owners = terminated | truncated, seen["owner"]
        assert (after[:, :, 1] == (owners > 1)).all()


def test_single_vector_and_sb3_environments_return_equal_values():
    single = WarlightEnv(reward=CONQUESTS, observation=PLANES, **ARGUMENTS)
    check_env(single, skip_render_check=True)
    batch = WarlightVectorEnv(2, reward=CONQUESTS, observation=PLANES, **ARGUMENTS)
    library = make_vec_env(2, seed=5, reward=CONQUESTS, observation=PLANES, **ARGUMENTS)
    assert library.observation_space == single.observation_space == batch.single_observation_space
    seen, library_seen = batch.reset(seed=5)[0], library.reset()
    single_seen, info = single.reset(seed=5)
    assert (seen[0] == single_seen).all() and (library_seen == seen).all()
    for _ in range(12):
        action = int(np.flatnonzero(info["action_mask"])[0])
        single_seen, reward, terminated, truncated, info = single.step(action)
        seen, rewards, *_ = batch.step(np.array([action, 0]))
        library_seen, paid, _, infos = library.step(np.array([action, 0]))
        assert rewards[0] == reward and paid[0] == np.float32(reward) and (seen[0] == single_seen).all()
        if terminated or truncated:
            assert (infos[0]["terminal_observation"] == single_seen).all()
            break
        assert (library_seen[0] == single_seen).all()


def test_custom_functions_work_with_three_learners_and_step_actions():
    def left(seen):
        return np.concatenate((seen.income_left.reshape(-1, 1), seen.turn[:, :, 0]), axis=1)

    env = WarlightParallelEnv(SMALL, players=3, action="steps", picking="random", reward=CONQUESTS, observation=left)
    observations, _ = env.reset(seed=2)
    space = env.observation_space("player_1")["observation"]
    assert space.shape == (1 + env.core.board.n_regions,)
    assert all(observations[agent]["observation"][0] == 1 for agent in env.agents)
    actions = {
        agent: 3 * int(np.flatnonzero(env.core.state.owner[0] == p)[0]) + 2 for p, agent in enumerate(env.agents)
    }
    observations, rewards, *_ = env.step(actions)
    assert all(observations[agent]["observation"][0] == 0 for agent in env.agents), "all is deployed"
    assert set(rewards.values()) == {0.0}
    other = env.clone()
    end = env.encoding.end
    assert other.step(dict.fromkeys(env.agents, end))[1] == env.step(dict.fromkeys(env.agents, end))[1]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"reward": lambda before, after, paid: paid[:, 0]}, r"reward: .* shape \(2, 2\), not float64 of shape \(2,\)"),
        (
            {"reward": lambda before, after, paid: paid * np.nan},
            "reward: .* nan for player 0 of game 0: must be finite",
        ),
        ({"reward": lambda before, after, paid: None}, "reward: .* not None"),
        ({"observation": lambda seen: seen.owner[0]}, r"observation: .* shape \(2, …\)"),
        ({"observation": lambda seen: seen.owner > 0}, "observation: .* not bool"),
        (
            {"observation": lambda seen: np.log(seen.army * -1.0 + 0 * seen.army)},
            "observation: the function returned NaN",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_invalid_functions_raise_an_error_at_construction(arguments, reason):
    with pytest.raises(InputError, match=reason):
        WarlightVectorEnv(2, **ARGUMENTS, **arguments)


def failing(before, after, paid):
    if after.round[0] > 1:
        raise ZeroDivisionError("here it is")
    return paid + 0.0


@pytest.mark.parametrize("reward", [failing, Plain(failing), numba.njit(failing)])
def test_reward_error_shows_its_source_line_and_changes_no_game(reward):
    env = WarlightVectorEnv(2, reward=reward, **ARGUMENTS)
    env.reset(seed=1)
    env.step(np.zeros(2, int))
    core = env.episodes.core
    before, illegal = core.snapshot(), core.out.illegal.copy()
    with pytest.raises(ZeroDivisionError, match="here it is") as caught:
        env.step(np.zeros(2, int))
    assert any(frame.name == "failing" and frame.line for frame in traceback.extract_tb(caught.tb))
    after = core.snapshot()
    assert all((a == b).all() for a, b in zip(before.state, after.state, strict=True))
    assert (after.cycles == before.cycles).all() and (core.out.illegal == illegal).all()
    assert not core.turns.status.any(), "nothing is handed in"
    with pytest.raises(ZeroDivisionError):
        WarlightEnv(reward=lambda before, after, paid: 1 // 0)


@pytest.mark.parametrize("action", ["factored", "steps"])
def test_reward_error_keeps_the_submitted_turns(action):
    core, twin = (EnvCore(SMALL, batch=2, action=action, picking="random", reward=Plain(failing)) for _ in range(2))
    rows = np.zeros((2, 2, core.row_size), np.int64) + (core.limits - 1)  # with "steps", the last value ends the turn
    for each in (core, twin):
        each.reset([1, 2])
        each.step(rows)
        each.submit_actions(rows)
    before = core.clone()
    with pytest.raises(ZeroDivisionError):
        core.resolve()
    assert core.turns.status[:, :, READY].all()
    for array, kept in zip((*core.turns, *core.state), (*before.turns, *before.state), strict=True):
        np.testing.assert_array_equal(array, kept)
    core.custom_reward = twin.custom_reward = None
    core.resolve()
    twin.resolve()
    assert (core.state.round == 2).all() and all(map(np.array_equal, core.state, twin.state))


def test_documented_reward_example_runs():
    text = (Path(__file__).parents[2] / "docs" / "how-to" / "own-reward.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    for program in re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL):
        exec(compile(program, "own-reward.md", "exec"), names)
        if "rewards" in names:
            break
    assert names["observations"].shape == (64, 20) and names["rewards"].shape == (64,)
    assert names["env"].episodes.core.custom_reward.compiled


def test_policy_settings_cannot_store_a_custom_function():
    with pytest.raises(InputError, match="cannot store a custom observation function"):
        _ = WarlightEnv(observation=Plain(planes), **ARGUMENTS).policy_settings


def test_all_maps_share_one_compiled_reward(monkeypatch):
    compiled, njit = [], numba.njit

    def counting(*arguments, **options):
        compiled.extend(argument for argument in arguments if argument is conquests)
        return njit(*arguments, **options)

    monkeypatch.setattr(numba, "njit", counting)
    names = ["generated:8:1", "generated:10:1", "generated:12:1"]
    env = WarlightMapsEnv(names, action="strategies", reward=conquests)
    for name in names:
        env.reset(seed=1, options={"map": name})
        env.step(0)
    assert len(compiled) == 1


@pytest.mark.parametrize("reward", ["win", Plain(conquests)])
def test_games_start_only_at_a_reset(reward):
    env = WarlightParallelEnv(SMALL, reward=reward)
    env.set_state(env.get_state())
    assert env.agents == [] and not env.core.out.live.any()


def test_core_is_created_although_some_start_deals_fail():
    """On a line of four regions, two random regions are available; they are neighbours in half of the deals."""
    line = make_map([0] * 4, [(0, 1), (1, 2), (2, 3)], [1], "line")
    rules = {"picking": "dealt", "picks": 1, "dealt_apart": True, "offers_per_super_region": 0, "wastelands": 2.0}
    core = EnvCore(line, rules, batch=8, reward=Plain(conquests), observation=Plain(planes))
    with pytest.raises(RulesError, match="cannot find start regions"):
        core.reset(range(8))
