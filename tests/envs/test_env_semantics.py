"""Guarantees of the parallel environment: rewards, ends, exact snapshots, no leaked information, clear errors."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from gymnasium.utils import seeding
from hypothesis import given, settings
from hypothesis import strategies as st

from env_helpers import ENCODINGS, SMALL, act, episode, equal, make, refresh
from helpers import RING
from warlight_env.engine.rules import RulesError
from warlight_env.envs import Reward, WarlightParallelEnv
from warlight_env.envs.core import ActionError

KINDS = ("graph", "flat", "raw")


# Seeds and saving


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("masked", [True, False])
def test_equal_seeds_give_equal_episodes(encoding, masked):
    first = episode(make(encoding, players=3), seed=7, masked=masked)
    assert equal(first, episode(make(encoding, players=3), seed=7, masked=masked))
    assert not equal(first, episode(make(encoding, players=3), seed=8, masked=masked))


def test_equal_seeds_give_equal_episodes_on_the_world():
    first = [episode(WarlightParallelEnv(max_cycles=120), seed=s) for s in (1, 1)]
    assert equal(*first)
    assert len(first[0]) > 40


def test_reset_without_a_seed_continues_the_seed_stream():
    one, two = make(), make()
    games = [episode(one, seed=5)] + [episode(one, seed=None) for _ in range(2)]
    again = [episode(two, seed=5)] + [episode(two, seed=None) for _ in range(2)]
    assert equal(games, again)
    assert not equal(games[0], games[1])
    fresh = [make().reset()[0], make().reset()[0]]
    assert not equal(*fresh)  # unseeded environments differ


def test_seed_stream_equals_that_of_gymnasium():
    env = make()
    env.reset(seed=11)
    expected, _ = seeding.np_random(11)
    expected.integers(0, 2**63)
    assert env.np_random.integers(1000) == expected.integers(1000)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("at", [0, 1, 6])
def test_clones_and_saved_states_continue_identically(encoding, at):
    env = make(encoding, players=3, reward="regions")
    env.reset(seed=3)
    rng = np.random.default_rng(0)
    for _ in range(at):
        env.step(act(env, rng))
    saved, clone, pickled = env.get_state(), env.clone(), pickle.dumps(env)

    def play_rest(e: WarlightParallelEnv) -> list:
        rng, trace = np.random.default_rng(1), []
        while e.agents:
            trace.append(e.step(act(e, rng)))
        return [*trace, e.reset(), e.step(act(e, rng)), e.state()]

    expected = play_rest(env)
    assert equal(play_rest(clone), expected)
    assert equal(play_rest(pickle.loads(pickled)), expected)
    env.set_state(saved)
    assert equal(play_rest(env), expected)
    other = make(encoding, players=3, reward="regions")
    other.set_state(saved)
    assert equal(play_rest(other), expected)


def test_clone_shares_no_mutable_state():
    env = make()
    observations, _ = env.reset(seed=1)
    before = env.get_state()
    clone = env.clone()
    episode(clone, seed=None)
    assert equal(env.observe("player_0"), observations["player_0"])
    assert equal(
        [array.tolist() for array in env.get_state().snapshot.state],
        [array.tolist() for array in before.snapshot.state],
    )


def test_set_state_rejects_states_of_other_environments():
    env, other = make(), WarlightParallelEnv()
    env.reset(seed=0)
    other.reset(seed=0)
    three = make(players=3, rules={"picks": 1})
    three.reset(seed=0)
    before = pickle.dumps(env.get_state())
    drafted = make(rules="challenge2")
    drafted.reset(seed=0)
    for foreign in (other, three, drafted):
        with pytest.raises(ValueError, match="saved state"):
            env.set_state(foreign.get_state())
        assert pickle.dumps(env.get_state()) == before


def test_steps_do_not_change_returned_arrays():
    env = make()
    observations, _ = env.reset(seed=1)
    kept = pickle.dumps(observations)
    env.step(act(env, np.random.default_rng(0)))
    assert equal(observations, pickle.loads(kept))


# Rewards and ends


def duel(**arguments) -> WarlightParallelEnv:
    """An environment in which player 0 can take the last region of player 1."""
    env = make(map=RING, picking="random", **arguments)
    env.reset(seed=0)
    core = env.core
    core.state.owner[0] = [0, 1, -1, -1, 0, 0]
    core.state.army[0] = [200, 1, 2, 2, 2, 2]
    refresh(core)
    return env


def attack_last_region(env: WarlightParallelEnv):
    attack, nothing = (np.zeros(env.core.row_size, dtype=np.int64) for _ in range(2))
    attack[6 + env.core.board.edge_index[0, 1]] = 4
    return env.step({a: attack if a == "player_0" else nothing for a in env.agents})


def test_the_winner_gains_one_and_the_loser_loses_one():
    env = duel()
    observations, rewards, terminations, truncations, infos = attack_last_region(env)
    assert rewards == {"player_0": 1.0, "player_1": -1.0}
    assert terminations == {"player_0": True, "player_1": True}
    assert truncations == {"player_0": False, "player_1": False}
    assert env.agents == []
    assert infos["player_1"] == {"illegal": 0, "income": 0, "round": 1, "phase": 2}
    assert set(observations) == {"player_0", "player_1"}


def test_eliminated_player_leaves_and_the_others_continue():
    env = make(map=SMALL, players=3, picking="random")
    env.reset(seed=0)
    core = env.core
    core.state.owner[0] = [0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]
    core.state.army[0] = [200] + [1] * 11
    refresh(core)
    attack = np.zeros(core.row_size, dtype=np.int64)
    attack[12 + core.board.edge_index[0, 1]] = 4
    nothing = np.zeros_like(attack)
    _, rewards, terminations, truncations, _ = env.step({"player_0": attack, "player_1": nothing, "player_2": nothing})
    assert rewards == {"player_0": 0.0, "player_1": -1.0, "player_2": 0.0}
    assert terminations == {"player_0": False, "player_1": True, "player_2": False}
    assert not any(truncations.values())
    assert env.agents == ["player_0", "player_2"]
    twin = env.clone()
    with pytest.raises(ValueError, match=r"no agent 'player_9'"):
        env.step(dict.fromkeys([*env.agents, "player_9"], nothing))
    observations, rewards, *_ = env.step(dict.fromkeys(env.agents, nothing))
    assert set(observations) == set(rewards) == {"player_0", "player_2"} and env.late_actions == 0
    assert equal(twin.step(dict.fromkeys(env.possible_agents, nothing))[0], observations), "they make no difference"
    assert twin.late_actions == 1


def test_steps_after_the_end_return_empty_results():
    env = duel()
    with pytest.raises(ValueError, match="has not begun"):
        make().step({})
    attack_last_region(env)
    nothing = np.zeros(env.core.row_size, dtype=np.int64)
    before = env.state()
    assert env.step({}) == env.step(dict.fromkeys(env.possible_agents, nothing)) == ({}, {}, {}, {}, {})
    assert env.late_actions == 2 and equal(env.state(), before)
    with pytest.raises(ValueError, match="no agent 'player_7'"):
        env.step({"player_7": nothing})
    env.reset(seed=1)
    assert env.late_actions == 0


@pytest.mark.parametrize("picking", ["play", "random"])
def test_episode_is_truncated_after_exactly_max_cycles(picking):
    env = WarlightParallelEnv(max_cycles=7, picking=picking)
    trace = episode(env)
    assert len(trace) - 1 == 7
    _, rewards, terminations, truncations, infos = trace[-1]
    assert all(truncations.values())
    assert not any(terminations.values())
    assert set(rewards.values()) == {0.0}
    assert infos["player_0"]["round"] == (6 if picking == "play" else 7)


def test_round_limit_of_the_rules_ends_in_a_draw():
    env = WarlightParallelEnv(rules={"max_rounds": 5}, picking="random", max_cycles=5)
    _, rewards, terminations, truncations, infos = episode(env)[-1]
    assert all(terminations.values())
    assert not any(truncations.values())
    assert set(rewards.values()) == {0.0}
    assert infos["player_0"]["phase"] == 2


def test_round_limit_with_a_tie_break_has_a_winner():
    env = make(map=RING, rules={"max_rounds": 1, "tie_break": "regions"}, picking="random")
    env.reset(seed=0)
    env.core.state.owner[0] = [0, 0, 0, 1, 1, -1]
    refresh(env.core)
    nothing = np.zeros(env.core.row_size, dtype=np.int64)
    _, rewards, terminations, _, _ = env.step(dict.fromkeys(env.agents, nothing))
    assert rewards == {"player_0": 1.0, "player_1": -1.0}
    assert all(terminations.values())


@pytest.mark.parametrize("shaping", ["regions", "income"])
@pytest.mark.parametrize("seed", range(4))
def test_shaping_rewards_telescope(shaping, seed):
    gamma, scale = 0.9, 2.0
    plain = episode(make(players=3, max_cycles=25), seed, seed)
    shaped = episode(make(players=3, max_cycles=25, reward=Reward(shaping, scale, gamma)), seed, seed)
    env = make(players=3, max_cycles=25, reward=Reward(shaping, scale, gamma))
    env.reset(seed=seed)
    start = env.core.out.potential[0].copy()
    assert len(plain) == len(shaped)
    for p, agent in enumerate(env.possible_agents):
        discounted, last = 0.0, None
        for t, (a, b) in enumerate(zip(plain[1:], shaped[1:], strict=True)):
            if agent in a[1]:
                discounted += gamma**t * (b[1][agent] - a[1][agent])
                last = t, b
        assert last is not None
        t, result = last
        observation = result[0][agent]["observation"]
        names = {"regions": 5, "income": 4}
        end = 0.0 if result[2][agent] else float(observation["globals"][names[shaping]])
        assert discounted == pytest.approx(scale * (gamma ** (t + 1) * end - start[p]), abs=1e-5)


@pytest.mark.parametrize("bad", [{"reward": "points"}, {"reward": 3}])
def test_unknown_rewards_raise_an_error(bad):
    with pytest.raises(ValueError, match="reward"):
        make(**bad)


# Hidden information


def scramble(env: WarlightParallelEnv, player: int, rng: np.random.Generator) -> None:
    """Change everything that the player cannot see."""
    core = env.core
    hidden = core.out.seen_owner[0, player] == -1
    others = [q for q in range(-1, core.players) if q != player]
    core.state.owner[0][hidden] = rng.choice(others, hidden.sum())
    core.state.army[0][hidden] = rng.integers(1, 500, hidden.sum())
    core.state.rng[:] = rng.integers(1, 2**60, core.state.rng.shape)
    refresh(core)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("encoding", ["factored", "orders"])
@given(seed=st.integers(0, 10**6), players=st.integers(2, 4), steps=st.integers(0, 12))
@settings(max_examples=15)
def test_hidden_state_does_not_change_the_observation(kind, encoding, seed, players, steps):
    env = make(encoding, players=players, fog=True, observation=kind, picking="random", rules={"picks": 1})
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        if env.agents:
            env.step(act(env, rng))
    player = seed % players
    agent = f"player_{player}"
    before, view = env.observe(agent), env.view(agent)
    state = env.state()
    scramble(env, player, rng)
    assert equal(env.observe(agent), before)
    assert np.array_equal(env.view(agent).owner, view.owner)
    assert np.array_equal(env.view(agent).army, view.army)
    if (view.owner == -2).any():
        assert not np.array_equal(env.state(), state)


@pytest.mark.parametrize("encoding", ["factored", "steps"])
def test_state_saved_before_the_first_reset_can_be_restored(encoding):
    env = WarlightParallelEnv(SMALL, action=encoding)
    saved = env.get_state()
    env.reset(seed=1)
    env.set_state(saved)
    assert env.agents == []


# Invalid input


BAD_ACTIONS = [
    (lambda a: a.astype(float), "float64"),
    (lambda a: np.full(a.shape, np.nan), "float64"),
    (lambda a: a[:-1], "shape"),
    (lambda a: a[None], "shape"),
    (lambda a: a * 0 + 5, "0 .. 4"),
    (lambda a: a * 0 - 1, "0 .. 4"),
    (lambda a: a * 0 + 2**62, "0 .. 4"),
    (lambda a: None, "no action"),
    (lambda a: "north", "integer array"),
    (lambda a: [[1], [2, 3]], "must be an array"),
    (lambda a: {"deploy": a}, "integer array"),
    (lambda a: a.astype(bool), "bool"),
    (lambda a: 0, "shape"),
]


def test_invalid_action_raises_an_action_error_with_its_player():
    env = make()
    env.reset(seed=0)
    good = act(env, np.random.default_rng(0))
    with pytest.raises(ActionError, match=r"^player_1: action entry 0 is 9; .*; no game has changed$") as caught:
        env.step({**good, "player_1": np.full_like(good["player_1"], 9)})
    assert (caught.value.game, caught.value.player) == (0, 1)


@pytest.mark.parametrize("spoil, reason", BAD_ACTIONS)
def test_invalid_action_error_names_the_agent_and_changes_nothing(spoil, reason):
    env = make()
    env.reset(seed=0)
    good = act(env, np.random.default_rng(0))
    before = env.get_state()
    with pytest.raises(ValueError, match=f"player_1.*{reason}"):
        env.step({**good, "player_1": spoil(good["player_1"])})
    after = env.get_state()
    assert equal(list(before.snapshot.state), list(after.snapshot.state))
    expected = make()
    expected.reset(seed=0)
    assert equal(env.step(good), expected.step(good))


@pytest.mark.parametrize(
    "spoil, reason",
    [
        (lambda a: {**a, "deploy": a["deploy"] + 1000}, "0 .. "),
        (lambda a: {**a, "attack": a["attack"].astype(float)}, r"action\['attack'\]"),
        (lambda a: {key: a[key] for key in ("deploy", "attack")}, "attack, deploy and priority"),
        (lambda a: a["deploy"], "must be a dict"),
    ],
)
def test_invalid_dict_actions_raise_an_error(spoil, reason):
    env = make("orders")
    env.reset(seed=0)
    good = act(env, np.random.default_rng(0))
    with pytest.raises(ValueError, match=f"player_0.*{reason}"):
        env.step({**good, "player_0": spoil(good["player_0"])})
    env.step(good)


def test_step_rejects_missing_and_unknown_agents():
    env = make()
    with pytest.raises(ValueError, match="reset"):
        env.step({})
    env.reset(seed=0)
    good = act(env, np.random.default_rng(0))
    with pytest.raises(ValueError, match="player_1 has no action"):
        env.step({"player_0": good["player_0"]})
    with pytest.raises(ValueError, match=r"no agent 'player_9'"):
        env.step({**good, "player_9": good["player_0"]})
    while env.agents:
        env.step(act(env, np.random.default_rng(0)))


@pytest.mark.parametrize(
    "bad",
    [
        {"action": "steps?"}, {"observation": "pixels"}, {"picking": "draft"}, {"mask": "both"}, {"max_cycles": 0},
        {"max_cycles": 1.5}, {"fog": 1}, {"render_mode": "svg"}, {"players": 1}, {"players": 7}, {"rules": "chess"},
    ],
)  # fmt: skip
def test_errors_name_the_invalid_argument(bad):
    with pytest.raises((ValueError, RulesError), match=str(next(iter(bad.values())))):
        make(**bad)


def test_step_accepts_lists_and_small_integer_types():
    env, other = make(), make()
    env.reset(seed=0)
    other.reset(seed=0)
    actions = act(env, np.random.default_rng(0))
    narrow = {"player_0": actions["player_0"].astype(np.uint8), "player_1": actions["player_1"].tolist()}
    assert equal(env.step(actions), other.step(narrow))
