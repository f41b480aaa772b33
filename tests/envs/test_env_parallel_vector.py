"""The vector form of the parallel environment: equal to single parallel environments; autoreset, opponents, errors."""

from __future__ import annotations

import copy
from typing import Any

import numba
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import concatenate, create_empty_array, iterate

from env_helpers import SMALL, BreakingReward, equal, sample
from warlight_env import Game, warlight_v0
from warlight_env.envs import FactoredActions, OrdersActions, WarlightParallelEnv, WarlightParallelVectorEnv
from warlight_env.errors import InputError

GAMES = 4
CASES: dict[str, dict[str, Any]] = {
    "factored": {},
    "three, picks": {"players": 3, "picking": "play", "rules": {"picks": 1}},
    "six": {"players": 6, "max_cycles": 20},
    "steps, three": {"action": "steps", "players": 3, "max_cycles": 20},
    "strategies, fog": {"action": "strategies", "fog": True, "observation": "raw", "rules": "challenge2"},
    "continuous, flat, shaped": {"action": "continuous", "observation": "flat", "reward": "income"},
    "orders": {"action": "orders", "max_cycles": 12},
    "own functions": {"reward": numba.njit(lambda before, after, wins: wins + after.round[:, None]),
                      "observation": numba.njit(lambda seen: seen.army.astype(np.float32))},
}  # fmt: skip


def compare(arguments: dict[str, Any], mode: AutoresetMode, steps: int = 45) -> int:
    """Play the same games in a batch and in parallel environments, and compare all results; return the ended games."""
    arguments = {"map": SMALL, "max_cycles": 25, "picking": "random", **arguments}
    batch = WarlightParallelVectorEnv(GAMES, autoreset_mode=mode, **arguments)
    singles = [WarlightParallelEnv(mask="info", **arguments) for _ in range(GAMES)]
    rng, ended = np.random.default_rng(1), 0
    observations, infos = batch.reset(seed=7)
    last: list[dict[str, Any]] = []
    for b, env in enumerate(singles):
        seen, single_infos = env.reset(seed=7 + b)
        check(batch, b, env.agents, observations, infos, seen, single_infos)
        last.append(seen)
    for _ in range(steps):
        active = {agent: infos[agent]["active"].copy() for agent in batch.agents}
        actions: list[dict[str, Any]] = [
            {agent: random_action(env, rng, agent) for agent in batch.agents} for env in singles
        ]
        observations, rewards, terminations, truncations, infos = batch.step(
            {agent: concatenate_actions(batch, agent, [one[agent] for one in actions]) for agent in batch.agents}
        )
        over = np.zeros(GAMES, bool)
        for b, env in enumerate(singles):
            assert [agent for agent in batch.agents if active[agent][b]] == env.agents
            if not env.agents:
                assert mode == AutoresetMode.NEXT_STEP
                seen, single_infos = env.reset()
                paid: dict[str, float] = {}
                ends: dict[str, bool] = {}
                cuts: dict[str, bool] = {}
            else:
                seen, paid, ends, cuts, single_infos = env.step({agent: actions[b][agent] for agent in env.agents})
            for agent in batch.agents:
                assert rewards[agent][b] == paid.get(agent, 0.0)
                assert terminations[agent][b] == ends.get(agent, False)
                assert truncations[agent][b] == cuts.get(agent, False)
            over[b] = not env.agents
            ended += over[b]
            if over[b] and mode == AutoresetMode.SAME_STEP:
                final = {agent: infos[agent]["final_obs"] for agent in batch.agents}
                final_infos = {agent: infos[agent]["final_info"] for agent in batch.agents}
                assert infos["player_0"]["_final_obs"][b]
                check(batch, b, [], final, final_infos, seen, single_infos)
                seen, single_infos = env.reset()
            check(batch, b, env.agents, observations, infos, seen, single_infos)
        if mode == AutoresetMode.DISABLED and over.any():
            observations, infos = batch.reset(options={"reset_mask": over})
            for b in np.flatnonzero(over):
                seen, single_infos = singles[b].reset()
                check(batch, b, singles[b].agents, observations, infos, seen, single_infos)
    return ended


def random_action(env: WarlightParallelEnv, rng: np.random.Generator, agent: str) -> Any:
    """Return a random action that respects the agent's mask."""
    if isinstance(env.encoding, FactoredActions | OrdersActions):
        return sample(env, rng, agent)
    space, mask = env.action_space(agent), env.core.shaped_mask(env.possible_agents.index(agent))
    space.seed(int(rng.integers(2**31)))
    return space.sample(mask)


def concatenate_actions(batch: WarlightParallelVectorEnv, agent: str, actions: list[Any]) -> Any:
    space = batch.single_action_space(agent)
    empty: Any = create_empty_array(space, len(actions))
    return concatenate(space, actions, empty)


def check(batch: Any, b: int, live: list[str], observations: Any, infos: Any, seen: Any, single_infos: Any) -> None:
    """Check that the entries of game b equal the results of its parallel environment."""
    assert set(observations) == set(infos) == set(batch.agents)
    for agent, one in seen.items():
        assert equal(list(iterate(batch.observation_space(agent), observations[agent]))[b], one)
        for name in ("illegal", "income", "round", "phase"):
            assert infos[agent][name][b] == single_infos[agent][name]
        if "action_mask" in single_infos[agent]:
            assert np.array_equal(infos[agent]["action_mask"][b], single_infos[agent]["action_mask"].reshape(-1))
    for agent in batch.agents:
        assert infos[agent]["active"][b] == (agent in live)


# Each environment compiles custom functions, and autoreset modes do not affect them, so one mode is enough.
@pytest.mark.parametrize(
    "case, mode",
    [(case, mode) for case in CASES for mode in AutoresetMode
     if case != "own functions" or mode == AutoresetMode.SAME_STEP],
)  # fmt: skip
def test_batch_equals_parallel_environments(case, mode):
    assert compare(CASES[case], mode) > 2


def test_an_eliminated_agent_waits_until_the_game_ends():
    env = WarlightParallelVectorEnv(8, map=SMALL, players=3, picking="random", max_cycles=80)
    _, infos = env.reset(seed=1)
    rng, waited = np.random.default_rng(0), 0
    for _ in range(80):
        before = {agent: infos[agent]["active"] for agent in env.agents}
        actions = {agent: legal_actions(rng, infos[agent]["action_mask"]) for agent in env.agents}
        for agent in env.agents:
            actions[agent][~before[agent]] = 99  # these actions are ignored
        _, rewards, terminations, truncations, infos = env.step(actions)
        some = np.any(list(before.values()), axis=0)
        for agent in env.agents:
            idle = ~before[agent]
            waited += (idle & some).sum()
            assert not (rewards[agent][idle].any() or terminations[agent][idle].any() or truncations[agent][idle].any())
            ended = terminations[agent] | truncations[agent]
            assert not (ended & infos[agent]["active"]).any()
    assert waited > 5


def legal_actions(rng: np.random.Generator, masks: np.ndarray) -> np.ndarray:
    rows = masks.reshape(len(masks), -1, 5)
    return rng.integers(0, 5, rows.shape[:2]) * rows[:, :, 4]


def test_start_option_accepts_a_position_with_an_eliminated_player():
    game = Game(SMALL, "thesis", 3, seed=1, picks="random")
    state = game.to_dict()
    owner = np.array(state["state"]["owner"])
    owner[owner == 1] = 0
    state["state"]["owner"], state["state"]["eliminated_at"] = owner.tolist(), [0, 1, 0]
    state["state"]["round"] = 1
    del state["hash"]
    start = Game.from_dict(state)
    env = WarlightParallelVectorEnv(2, map=SMALL, players=3, picking="random")
    env.reset(seed=1)
    _, infos = env.reset(options={"start": start, "reset_mask": np.array([False, True])})
    assert infos["player_1"]["active"].tolist() == [True, False]
    with pytest.raises(InputError, match=r"^option 'start': all learners are eliminated"):
        WarlightParallelVectorEnv(
            1, map=SMALL, players=3, picking="random", opponents={"player_0": "random", "player_2": "random"}
        ).reset(options={"start": start})


@pytest.mark.parametrize(
    ("argument", "reason"),
    [
        ({"seat": 0}, r"^unknown arguments 'seat'; known: rules, players, "),
        ({"opponent": "random"}, r"^unknown arguments 'opponent'; known: .*, opponents, "),
        ({"oponents": {}, "speed": 1}, r"^unknown arguments 'oponents', 'speed'; known: "),
    ],
)
def test_unknown_arguments_raise_an_error(argument, reason):
    with pytest.raises(TypeError, match=reason):
        WarlightParallelVectorEnv(2, map=SMALL, **argument)


def test_map_limits_do_not_change_the_default_map():
    env = WarlightParallelVectorEnv(2, map_limits=(50, 400), picking="random")
    for seed in range(4):
        env.reset(seed=seed)
        assert [env.episodes.core_of(b)[0].map.name for b in range(2)] == ["world", "world"]


def test_map_limits_default_to_none():
    env = WarlightParallelVectorEnv(2, map=SMALL, map_limits=None)
    assert env.single_observation_space("player_0") == WarlightParallelVectorEnv(2, map=SMALL).single_observation_space(
        "player_0"
    )


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("observation", ["graph", "flat", "raw"])
def test_results_without_copies_are_equal(observation, mode):
    settings: dict[str, Any] = {"map": SMALL, "picking": "random", "max_cycles": 5, "observation": observation}
    one, other = (
        WarlightParallelVectorEnv(3, **settings, autoreset_mode=mode, copy=copies) for copies in (True, False)
    )
    first = one.reset(seed=1)
    assert equal(first, other.reset(seed=1))
    rng, kept = np.random.default_rng(0), copy.deepcopy(first)
    for _ in range(12):
        actions = {agent: rng.integers(0, 5, one.action_space(agent).shape) for agent in one.agents}
        got = one.step(actions)
        assert equal(got, other.step(actions))
        over = ~got[4]["player_0"]["active"]
        if mode == AutoresetMode.DISABLED and over.any():
            assert equal(*(env.reset(options={"reset_mask": over}) for env in (one, other)))
    assert equal(first, kept)


def test_invalid_arguments_raise_an_error():
    make = warlight_v0.vector_env
    for match, arguments in (
        (r"^players = 7", {"players": 7}),
        (r"^players = '2'", {"players": "2"}),
        (r"^opponents = 'random': must be a dict", {"opponents": "random"}),
        (r"^opponents: no seat 'player_2'; the seats are player_0, player_1", {"opponents": {"player_2": "random"}}),
        (r"^opponents: at least one seat", {"opponents": {"player_0": "random", "player_1": "random"}}),
        (r"^autoreset_mode = 'no'", {"autoreset_mode": "no"}),
        (r"^observation = 'flat': must be 'graph' for many maps", {"map": [SMALL], "observation": "flat"}),
        (r"^num_envs = 0", {"num_envs": 0}),
        (r"^mask = 'none'", {"mask": "none"}),
        (r"^copy = 1: must be True or False", {"copy": 1}),
    ):
        with pytest.raises(InputError, match=match):
            make(**{"num_envs": 2, "map": SMALL, **arguments})


def test_invalid_actions_raise_an_error_and_change_no_game():
    env = WarlightParallelVectorEnv(2, map=SMALL, picking="random", autoreset_mode="Disabled", max_cycles=2)
    nothing = {agent: np.zeros((2, env.encoding.mask_rows), np.int64) for agent in env.agents}
    with pytest.raises(InputError, match=r"^no game has begun"):
        env.step(nothing)
    env.reset(seed=1)
    wrong = np.zeros_like(nothing["player_1"])
    wrong[1, 3] = 7
    for match, actions in (
        (r"^actions = \[\]: must be a dict", []),
        (r"^actions: player_1 has no actions", {"player_0": nothing["player_0"]}),
        (r"^actions: no agent 'player_2'", {**nothing, "player_2": 0}),
        (r"^player_1: actions", {**nothing, "player_1": nothing["player_1"][:1]}),
        (r"^game 1, player 1: entry 3 is 7", {**nothing, "player_1": wrong}),
    ):
        with pytest.raises(InputError, match=match):
            env.step(actions)
    assert not env.episodes.core.out.cycles.any()
    for _ in range(2):
        *_, infos = env.step(nothing)
    assert not infos["player_0"]["active"].any()
    with pytest.raises(InputError, match=r"^games \[0, 1\] are over; call reset\(\) with reset_mask"):
        env.step(nothing)
    with pytest.raises(InputError, match=r"^agent = 'x': must be one of player_0, player_1"):
        env.action_masks("x")


def test_reward_error_changes_no_game():
    env = WarlightParallelVectorEnv(2, map=SMALL, picking="random", reward=BreakingReward(1))
    twin = WarlightParallelVectorEnv(2, map=SMALL, picking="random", reward=BreakingReward(0))
    for one in (env, twin):
        one.reset(seed=1)
    nothing = {agent: np.zeros((2, env.encoding.mask_rows), np.int64) for agent in env.agents}
    failed = 0
    for _ in range(6):
        try:
            got = env.step(nothing)
        except RuntimeError:
            failed += 1
            got = env.step(nothing)
        assert equal(got, twin.step(nothing))
    assert failed == 1


def test_game_seeds_come_from_the_seeded_generator():
    env = warlight_v0.vector_env(3, map="small", picking="random")
    env.reset(seed=5)
    drawn = [np.random.Generator(np.random.PCG64(5 + b)).integers(0, 2**63) for b in range(3)]
    assert env.episodes.seeds.tolist() == drawn
