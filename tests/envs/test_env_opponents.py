"""Opponents in an environment: all types, pools, replacement during games, and saved policies."""

from __future__ import annotations

import copy
import functools
import gc
import pickle
import weakref
from fractions import Fraction

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO, RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO, SAC

from env_helpers import SMALL, equal, idle
from env_helpers import make_single as make
from env_helpers import play_episode as episode
from warlight_env import Game, Orders
from warlight_env.agents import AgentError, make_agent
from warlight_env.agents.players.compiled import COMPILED
from warlight_env.agents.players.random import RandomAgent
from warlight_env.engine.rng import derive_seed
from warlight_env.envs import OpponentError, OpponentPool, WarlightVectorEnv
from warlight_env.envs.opponents import AgentOpponent
from warlight_env.envs.saved_policies import SavedPolicyError, load_policy, policy_of
from warlight_env.envs.sb3 import make_vec_env
from warlight_env.errors import InputError


@pytest.mark.parametrize("name", COMPILED)
@pytest.mark.parametrize("rules", ["thesis", "challenge1", "challenge2"])
@pytest.mark.parametrize("picking", ["random", "play"])
def test_episode_equals_a_game_against_the_agent(name, rules, picking):
    """A `Game` with the same seed, the learner's decoded orders and the agent has the same positions and result."""
    env = make(map="world", opponent=name, rules=rules, picking=picking, action="factored", max_cycles=20)
    for seed in range(2):
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
                preferences = {me: choice, 1 - me: bot.pick(seen) if 1 - me in pickers else []}
                game.pick({p: preferences[p] for p in pickers}, on_illegal="skip")
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


def test_environment_accepts_all_types_of_opponents():
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


def test_agent_that_rejects_the_settings_raises_an_error_at_reset():
    class OnlyPairs(RandomAgent):
        closed = 0

        def check(self, map, rules, players):
            if players != 2:
                raise InputError(f"{players} players: two can play")

        def close(self):
            OnlyPairs.closed += 1

    make(opponent=OnlyPairs).reset(seed=1)
    with pytest.raises(InputError, match="3 players: two can play"):
        make(opponent=OnlyPairs, players=3, rules={"picks": 1}).reset(seed=1)
    assert OnlyPairs.closed == 2  # the two agents that checked the settings
    with pytest.raises(InputError, match="policy 'strategies' is for medium maps"):
        make(opponent="policy:strategies").reset(seed=1)


def test_policy_opponent_sees_the_observation_of_its_seat():
    """A policy in the other seat gets the observation and the mask of that seat."""
    seen = []

    def watch(observations, masks):
        seen.append((observations["nodes"][0].copy(), masks[0].copy()))
        return np.zeros((1, masks.shape[1] // 5), dtype=np.int64)

    env = make(opponent=watch, observation="graph", seat=0, fog=True)
    mine, _ = env.reset(seed=2)
    env.step(np.zeros(env.action_space.shape, dtype=np.int64))
    nodes, mask = seen[0]
    n = SMALL.n_regions
    owned_regions = np.flatnonzero(nodes[:, 2] == 1)
    core = env.episodes.core
    assert owned_regions.tolist() == np.flatnonzero(core.state.owner[0] == 1).tolist()
    open_regions = np.flatnonzero(mask.reshape(-1, 5)[:n, 1])
    assert open_regions.tolist() == owned_regions.tolist()
    assert not np.array_equal(mine["nodes"], nodes)


def test_a_policy_plays_steps_until_it_ends_its_turn():
    def first_open(observations, masks):
        return np.array([np.flatnonzero(mask)[0] for mask in masks])

    env = make(opponent=first_open, action="steps", max_cycles=80)
    trace = episode(env, 1)
    assert trace[-1][4]["round"] >= 2


def test_pool_draws_by_weight_and_accepts_changes_during_games():
    pool = OpponentPool({"random": 3, "aggressive": 1})
    env = make(opponent=pool)
    drawn = []
    for seed in range(400):
        env.reset(seed=seed)
        drawn.append(env.episodes.opponents(0)[0])
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


@pytest.mark.parametrize("weight", [2, 0.5, np.int8(3), np.float32(0.5), Fraction(1, 3), np.array(2.0)[()]])
def test_pool_accepts_weights_of_any_numeric_type(weight):
    assert OpponentPool({"random": weight}).weights == {"random": float(weight)}


def test_invalid_weight_does_not_change_the_pool():
    pool = OpponentPool({"random": 3})
    for change in (lambda: pool.add("aggressive", "aggressive", None), lambda: pool.set_weight("random", "2")):
        with pytest.raises(OpponentError, match="must be a number from 0 up"):
            change()
        assert pool.weights == {"random": 3.0}


def test_new_opponent_plays_from_the_next_game_on():
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
        ({"random": -1}, OpponentError, "opponent 'random': weight -1"),
        ({"random": "x"}, OpponentError, "opponent 'random': weight 'x' must be a number"),
        ({"random": None}, OpponentError, "weight None"),
        ({"random": True}, OpponentError, "weight True"),
        ({"random": np.bool_(True)}, OpponentError, "weight"),
        ({"random": float("nan")}, OpponentError, "weight nan"),
        ({"random": 1 + 0j}, OpponentError, "weight"),
        ({"random": np.ones(2)}, OpponentError, "weight array"),
        ({"random": 10**400}, OpponentError, "weight 1000"),
        (RandomAgent(), OpponentError, "must not be an agent object; pass its class"),
        ("missing.zip", ValueError, "missing.zip"),
    ],
)
def test_invalid_opponents_raise_an_error(opponent, error, message):
    with pytest.raises(error, match=message):
        make(opponent=opponent)


def test_environments_that_share_a_pool_do_not_affect_each_other():
    """The environments have different numbers of games."""
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


def test_environment_ends_the_turn_of_a_policy_that_never_does():
    env = make(opponent=lambda observations, masks: np.zeros(len(masks), dtype=np.int64), action="steps", seat=0)
    env.reset(seed=1)
    for _ in range(3):
        info = env.step(env.action_space.n - 1)[4]
    assert info["round"] == 3


def test_opponents_with_equal_names_raise_an_error():
    class Odd:
        def __str__(self) -> str:
            return "odd"

        def __call__(self, observations, masks):
            return idle(observations, masks)

    with pytest.raises(OpponentError, match="two opponents are named 'odd'"):
        make(opponent={Odd(): 1, Odd(): 2})


def test_first_parameter_distinguishes_agent_factories_from_policies():
    class Silent:
        name = "silent"

        def __init__(self, seed: int) -> None: ...

        def pick(self, view):
            return list(view.offers)

        def act(self, view, budget=None):
            return Orders()

    def make_silent(seed):
        return Silent(seed)

    def policy(observations, masks, seed=None):
        return idle(observations, masks)

    nothing = episode(make(opponent=idle), 3)
    for opponent in (Silent, make_silent, functools.partial(make_silent), policy):
        assert equal(nothing, episode(make(opponent=opponent), 3))
    with pytest.raises(OpponentError, match="dict: the class must be an agent's"):
        make(opponent=dict)


# Memory and copies


def test_replaced_opponents_are_freed():
    env = make(opponent="random")
    env.reset(seed=1)
    references = []
    for seed in range(3):
        policy = functools.partial(idle)
        references.append(weakref.ref(policy))
        env.set_opponent(policy)
        env.reset(seed=seed)
    del policy
    env.set_opponent("random")
    env.reset(seed=1)
    gc.collect()
    assert [ref() for ref in references] == [None] * 3


@pytest.mark.parametrize("opponent", ["aggressive", "random:chunks=2", {"random": 1, "smart_random": 1}])
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_continue_like_the_original(opponent, copied):
    env = make(opponent=opponent)
    env.reset(seed=8)
    nothing = np.zeros(env.action_space.shape, dtype=np.int64)
    env.step(nothing)
    other, over = copied(env), False
    while not over:
        one, two = env.step(nothing), other.step(nothing)
        assert equal(one, two)
        over = one[2] or one[3]
    assert equal(episode(env, None), episode(other, None)), "and in the games that follow"


# Checkpoints


def small_model(algorithm, action: str, tmp_path, **arguments):
    env = make_vec_env(2, map=SMALL, action=action)
    more = {"n_steps": 8} if issubclass(algorithm, PPO | A2C | MaskablePPO | RecurrentPPO) else {"buffer_size": 10}
    policy = "MlpLstmPolicy" if algorithm is RecurrentPPO else "MlpPolicy"
    model = algorithm(policy, env, seed=3, device="cpu", policy_kwargs={"net_arch": [8]}, **more)
    model.save(tmp_path / "model.zip")
    return model, tmp_path / "model.zip"


@pytest.mark.parametrize(
    ("algorithm", "action"),
    [(PPO, "factored"), (A2C, "strategies"), (MaskablePPO, "strategies"), (DQN, "strategies"), (SAC, "continuous")],
)
def test_saved_policies_play(algorithm, action, tmp_path):
    model, path = small_model(algorithm, action, tmp_path)
    trace = episode(make(opponent=load_policy(path, trust=True), action=action), 2)
    assert len(trace) > 3
    env = make_vec_env(3, map=SMALL, action=action, seed=1)
    observations, masks = env.reset(), env.action_masks()
    loaded = load_policy(path, deterministic=True, trust=True)
    assert np.array_equal(loaded(observations, masks), policy_of(model, deterministic=True)(observations, masks))


def test_saved_policy_draws_from_the_seed_of_the_game(tmp_path):
    """The policy does not use the global generator of PyTorch."""
    _, path = small_model(MaskablePPO, "strategies", tmp_path)
    traces = []
    for noise in (1, 2):
        torch.manual_seed(noise)
        before = torch.get_rng_state()
        traces.append(episode(make(opponent=load_policy(path, trust=True), action="strategies"), 2))
        assert torch.equal(before, torch.get_rng_state())
    assert equal(*traces)
    assert not equal(traces[0], episode(make(opponent=load_policy(path, trust=True), action="strategies"), 3))


def test_saved_policies_with_wrong_spaces_raise_an_error(tmp_path):
    _, path = small_model(MaskablePPO, "strategies", tmp_path)
    with pytest.raises(SavedPolicyError, match=r"action space Discrete\(9\), the environment has"):
        make(opponent=load_policy(path, trust=True), action="steps").reset(seed=0)
    with pytest.raises(SavedPolicyError, match="the policy has the observation space Box"):
        make(opponent=load_policy(path, trust=True), action="strategies", map="small").reset(seed=0)
    _, path = small_model(RecurrentPPO, "strategies", tmp_path)
    with pytest.raises(SavedPolicyError, match="recurrent"):
        make(opponent=load_policy(path, trust=True), action="strategies")
