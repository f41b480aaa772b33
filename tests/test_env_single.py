"""The single-agent environment: Gymnasium's and Stable-Baselines3's checks, and opponents against real games."""

from __future__ import annotations

import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st
from stable_baselines3.common.env_checker import check_env as check_sb3_env

from env_helpers import SMALL, equal
from warlight_env import Game, Orders
from warlight_env.agents import AgentError, make_agent
from warlight_env.agents.compiled import COMPILED
from warlight_env.agents.random import RandomAgent
from warlight_env.engine.rng import derive_seed
from warlight_env.envs import ENCODINGS, OpponentError, OpponentPool, WarlightEnv, WarlightVectorEnv
from warlight_env.envs.opponents import AgentOpponent

KINDS = ("flat", "graph", "raw")


def make(**arguments) -> WarlightEnv:
    return WarlightEnv(**{"map": SMALL, "action": "factored", "max_cycles": 40, **arguments})


def episode(env: WarlightEnv, seed: int | None = 0, actions: int = 0) -> list:
    """Everything that a whole episode of random legal actions returned."""
    trace = [env.reset(seed=seed)]
    env.action_space.seed(actions)
    info, over = trace[0][1], False
    while not over:
        mask = info.get("action_mask")
        result = env.step(env.action_space.sample(mask) if mask is not None else env.action_space.sample())
        trace.append(result)
        info, over = result[4], result[2] or result[3]
    return trace


@pytest.mark.parametrize("action", ENCODINGS)
@pytest.mark.parametrize("arguments", [{}, {"mask": "observation"}, {"observation": "graph"}, {"observation": "raw"}])
def test_gymnasium_s_check(action, arguments, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make("warlight/Warlight-v0", action=action, opponent="aggressive", **arguments).unwrapped)


@pytest.mark.parametrize("action", [name for name in ENCODINGS if name != "orders"])
@pytest.mark.parametrize("mask", ["info", "observation"])
def test_stable_baselines_check(action, mask):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_sb3_env(gymnasium.make("warlight/Warlight-v0", action=action, mask=mask).unwrapped)


def test_registration_needs_one_import():
    code = "import gymnasium, warlight_env.envs; print(gymnasium.make('warlight/Warlight-v0').reset(seed=1)[0].shape)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("(")


@pytest.mark.parametrize("action", ENCODINGS)
def test_masked_actions_are_legal_and_equal_seeds_equal_episodes(action):
    first, again = (episode(make(action=action, opponent="smart_random"), 7) for _ in range(2))
    assert equal(first, again) and not equal(first, episode(make(action=action, opponent="smart_random"), 8))
    if action != "orders":  # whose masks cannot hold the sum of the deploys
        assert all(result[4]["illegal"] == 0 for result in first[1:])


# Against real games


@pytest.mark.parametrize("name", COMPILED)
@pytest.mark.parametrize("rules", ["thesis", "challenge1", "challenge2"])
@pytest.mark.parametrize("picking", ["random", "play"])
def test_episodes_are_games_against_the_agent(name, rules, picking):
    """A `Game` with the episode's seed, the learner's decoded orders and the agent itself goes the same way."""
    env = make(map="world", opponent=name, rules=rules, picking=picking, action="factored", max_cycles=30)
    for seed in range(3):
        _, info = env.reset(seed=seed)
        env.action_space.seed(seed)
        game_seed, me = int(env.episodes.seeds[0]), int(env.episodes.learner[0])
        game = Game("world", rules, seed=game_seed, picks="random" if picking == "random" else "play")
        bot = make_agent(name, derive_seed(game_seed, 3, 1 - me))
        over = False
        while not over:
            assert np.array_equal(env.episodes.core.state.owner[0], game.owner)
            assert np.array_equal(env.episodes.core.state.army[0], game.army)
            action = env.action_space.sample(info["action_mask"])
            choice = env.episodes.core.encoding.decode(env.view(), action)
            seen = game.view(1 - me)
            if game.phase == "pick":
                pickers = game.pickers()
                wishes = {me: choice, 1 - me: bot.pick(seen) if 1 - me in pickers else []}
                game.pick({p: wishes[p] for p in pickers}, on_illegal="skip")
            else:
                turn = bot.act(seen)
                game.play_round({me: choice, 1 - me: turn}, on_illegal="skip")
            _, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        assert game.done == terminated
        assert info["is_success"] == (game.winner == me)


@pytest.mark.parametrize("name", COMPILED)
@pytest.mark.parametrize("fog", [False, True])
def test_compiled_bots_play_like_agents(name, fog):
    compiled = make(opponent=name, fog=fog, players=3, rules={"picks": 1})
    agents = make(
        opponent=AgentOpponent(lambda seed: make_agent(name, seed)), fog=fog, players=3, rules={"picks": 1}
    )  # fmt: skip
    for seed in range(4):
        assert equal(episode(compiled, seed), episode(agents, seed))


def test_the_learner_sits_where_it_is_told():
    env = make(seat="random", players=3, rules={"picks": 1})
    seats = []
    for seed in range(40):
        env.reset(seed=seed)
        seats.append(int(env.episodes.learner[0]))
    assert set(seats) == {0, 1, 2}
    fixed = make(seat=2, players=3, rules={"picks": 1})
    fixed.reset(seed=0)
    assert fixed.view().player == 2


# Opponents


def test_opponents_of_all_kinds():
    class Idle:
        name = "idle"

        def __init__(self, seed: int = 0) -> None:
            self.seed = seed

        def pick(self, view):
            return list(view.offers)

        def act(self, view, budget=None):
            return Orders()

    def zeros(observations, masks):
        assert observations.shape[0] == masks.shape[0] == 1
        return np.zeros((1, masks.shape[1] // 5), dtype=np.int64)

    idle = episode(make(opponent=Idle), 3)
    assert equal(idle, episode(make(opponent=zeros), 3)), "both do nothing"
    assert not equal(idle, episode(make(opponent="aggressive"), 3))
    chunks = episode(make(opponent="random:chunks=3"), 3)
    assert equal(chunks, episode(make(opponent="random"), 3)) and equal(chunks, episode(make(opponent=RandomAgent), 3))
    several = make(opponent=[Idle, "aggressive", zeros], players=4, rules={"picks": 1})
    assert len(episode(several, 1)) > 3


def test_a_policy_sees_what_the_learner_would():
    """A policy in the other seat gets observations of its own, with masks that fit."""
    seen = []

    def watch(observations, masks):
        seen.append((observations["nodes"][0].copy(), masks[0].copy()))
        return np.zeros((1, masks.shape[1] // 5), dtype=np.int64)

    env = make(opponent=watch, observation="graph", seat=0, fog=True)
    mine, _ = env.reset(seed=2)
    env.step(np.zeros(env.action_space.shape, dtype=np.int64))
    nodes, mask = seen[0]
    n = SMALL.n_regions
    own = np.flatnonzero(nodes[:, 2] == 1)
    core = env.episodes.core
    assert own.tolist() == np.flatnonzero(core.state.owner[0] == 1).tolist()
    open_regions = np.flatnonzero(mask.reshape(-1, 5)[:n, 1])
    assert open_regions.tolist() == own.tolist()
    assert not np.array_equal(mine["nodes"], nodes)


def test_a_policy_plays_steps_until_it_ends_its_turn():
    def first_open(observations, masks):
        return np.array([np.flatnonzero(mask)[0] for mask in masks])

    env = make(opponent=first_open, action="steps", max_cycles=80)
    trace = episode(env, 1)
    assert trace[-1][4]["round"] >= 2


def test_a_pool_draws_by_weight_and_changes_while_games_go_on():
    pool = OpponentPool({"random": 3, "aggressive": 1})
    env = make(opponent=pool)
    drawn = []
    for seed in range(400):
        env.reset(seed=seed)
        drawn.append(env.episodes._table[env.episodes._chosen[0].max()])
    counts = sorted(drawn.count(member) for member in set(drawn))
    assert len(counts) == 2 and 70 <= counts[0] <= 132
    pool.set_weight("random", 0)
    pool.add("late", "smart_random", 2)
    pool.remove("aggressive")
    env.reset(seed=0)
    assert equal(episode(env, 5), episode(make(opponent="smart_random"), 5))
    pool.remove("late")
    with pytest.raises(OpponentError, match="empty, or all weights"):
        env.reset()


def test_swapped_opponents_play_from_the_next_game_on():
    env, plain = make(opponent="random"), make(opponent="random")
    env.reset(seed=4)
    env.set_opponent("aggressive")
    env.action_space.seed(0)
    plain.reset(seed=4)
    over = False
    while not over:
        action = env.action_space.sample(env.unwrapped._info()["action_mask"])
        one, other = env.step(action), plain.step(action)
        assert equal(one, other), "the game that had begun goes on against random"
        over = one[2] or one[3]
    assert equal(episode(env, 9), episode(make(opponent="aggressive"), 9))


@pytest.mark.parametrize(
    ("opponent", "error", "message"),
    [
        ("agressive", AgentError, "did you mean 'aggressive'"),
        (7, OpponentError, "7"),
        (["random", "random"], OpponentError, "2 opponents for 1 seat"),
        ({"random": -1}, OpponentError, "weight -1"),
        (RandomAgent(), OpponentError, "one agent; give its class"),
        ("missing.zip", ValueError, "missing.zip"),
    ],
)
def test_opponents_that_cannot_be(opponent, error, message):
    with pytest.raises(error, match=message):
        make(opponent=opponent)


def test_one_pool_in_two_environments():
    """Each has its own games, whatever their numbers are."""
    for members in ({"random": 1}, {"random:chunks=4": 1}):
        pool = OpponentPool(members)
        alone = episode(make(opponent=OpponentPool(members)), 3)
        env, other = make(opponent=pool), WarlightVectorEnv(5, map=SMALL, action="factored", opponent=pool)
        trace = [env.reset(seed=3)]
        env.action_space.seed(0)
        other.reset(seed=7)
        while len(trace) < len(alone):
            trace.append(env.step(env.action_space.sample(trace[-1][-1]["action_mask"])))
            other.step(np.zeros((5, env.action_space.shape[0]), dtype=np.int64))
        assert equal(trace, alone)


def test_a_policy_that_never_ends_its_turn_is_ended():
    env = make(opponent=lambda observations, masks: np.zeros(len(masks), dtype=np.int64), action="steps", seat=0)
    env.reset(seed=1)
    for _ in range(3):
        info = env.step(env.action_space.n - 1)[4]
    assert info["round"] == 3


# Rewards, ends, errors


def idle(observations, masks):
    return np.zeros((len(masks), masks.shape[1] // 5), dtype=np.int64)


def test_rewards_and_ends():
    wins, losses = 0, 0
    for seed in range(30):
        env = make(opponent=[idle, "aggressive"][seed % 2], max_cycles=100)
        _, reward, terminated, truncated, info = episode(env, seed, seed)[-1]
        assert terminated != truncated
        assert info["is_success"] == (reward == 1.0) and (terminated or reward == 0.0)
        wins, losses = wins + (reward == 1.0), losses + (reward == -1.0)
    assert wins and losses


@pytest.mark.parametrize("bad", [None, "north", np.zeros(3, int), np.full(34, 9), {"deploy": 1}])
def test_bad_actions_change_nothing(bad):
    env, other = make(), make()
    env.reset(seed=1)
    other.reset(seed=1)
    with pytest.raises(ValueError, match="nothing played"):
        env.step(bad)
    action = np.zeros(env.action_space.shape, dtype=np.int64)
    assert equal(env.step(action), other.step(action))


def test_steps_need_a_reset():
    env = make(max_cycles=1)
    with pytest.raises(ValueError, match="reset"):
        env.step(np.zeros(env.action_space.shape, dtype=np.int64))
    episode(env)
    with pytest.raises(ValueError, match="reset"):
        env.step(np.zeros(env.action_space.shape, dtype=np.int64))


# Fog


@pytest.mark.parametrize("action", ["factored", "steps", "strategies"])
@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10**6), steps=st.integers(0, 8))
@settings(max_examples=8)
def test_what_fog_hides_makes_no_difference(action, kind, seed, steps):
    """Observation, mask and info of states that differ only out of sight are equal."""
    env = make(action=action, observation=kind, fog=True, opponent="smart_random", max_cycles=60)
    _, info = env.reset(seed=seed)
    env.action_space.seed(seed)
    for _ in range(steps):
        *_, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
        if terminated or truncated:
            return
    core = env.episodes.core
    before = env.episodes.observe(0), env._info(), env.action_masks()
    hidden = env.view().owner == -2
    rng = np.random.default_rng(seed)
    core.state.owner[0][hidden] = rng.choice([-1, 1 - env.view().player], hidden.sum())
    core.state.army[0][hidden] = rng.integers(1, 500, hidden.sum())
    core.state.rng[:] = rng.integers(1, 2**60, core.state.rng.shape)
    core.look()
    assert equal((env.episodes.observe(0), env._info(), env.action_masks()), before)
