"""Environments for tests: several encodings, small maps, episodes of random actions."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from helpers import make_map
from warlight_env import Game
from warlight_env.envs import EnvCore, FactoredActions, OrdersActions, WarlightEnv, WarlightParallelEnv
from warlight_env.maps import Map

ENCODINGS: dict[str, Any] = {
    "factored": "factored",
    "priority": functools.partial(FactoredActions, priority=True),
    "orders": functools.partial(OrdersActions, max_armies=12),
}


def ladder(length: int = 6) -> Map:
    """Return a map with two parallel rows of regions and super regions of four; by default for six players."""
    n = 2 * length
    borders = [(i, i + 2) for i in range(n - 2)] + [(i, i + 1) for i in range(0, n, 2)]
    groups = [i // 4 for i in range(n)]
    return make_map(groups, borders, [2 + g for g in range(max(groups) + 1)], f"ladder{length}")


SMALL = ladder()


class BreakingReward:
    """A reward for wins that raises an error in its first `times` calls in round 3; `left` counts down."""

    def __init__(self, times: int) -> None:
        self.left = times

    def __call__(self, before: Any, after: Any, wins: Any) -> np.ndarray:
        if self.left and after.round.max() == 3:
            self.left -= 1
            raise RuntimeError("mine")
        return np.array(wins)


#: A map with more than 64 regions, so that a set of regions needs two 64-bit words.
LONG = ladder(35)


def make(encoding: str = "factored", **arguments: Any) -> WarlightParallelEnv:
    """Return an environment on the small map."""
    return WarlightParallelEnv(**{"map": SMALL, "action": ENCODINGS[encoding], "max_cycles": 40, **arguments})


def sample(env: WarlightParallelEnv, rng: np.random.Generator, agent: str, masked: bool = True) -> Any:
    """Return a random action; about a third of its entries are 0."""
    encoding = env.core.encoding
    row = (rng.random(len(encoding.limits)) * encoding.limits).astype(np.int64)
    row[rng.random(len(row)) < 1 / 3] = 0
    n, e = env.core.board.n_regions, env.core.board.n_edges
    if masked:
        free = env.core.out.free[0, env.possible_agents.index(agent)]
        row[:n][free == 0] = 0
        row[n : n + e][free[env.core.board.edge_source] != 1] = 0
        if isinstance(encoding, FactoredActions) and encoding.priority:
            row[n + e :][free[env.core.board.edge_source] != 1] = 0
    if isinstance(encoding, FactoredActions):
        return row
    return {"deploy": row[:n], "attack": row[n : n + e], "priority": row[n + e :]}


def as_game(core: EnvCore) -> Game:
    """Return the environment's state, including its random generator, as a `Game`."""
    saved = Game(core.map, core.rules, core.players, 0).to_dict()
    saved["map"] = core.map  # otherwise `from_dict` would check the map again, which takes up to 0.1 s
    saved["state"] = {name: array[0].tolist() for name, array in core.state._asdict().items()}
    del saved["hash"]
    return Game.from_dict(saved)


def act(env: WarlightParallelEnv, rng: np.random.Generator, masked: bool = True) -> dict[str, Any]:
    """Return a random action for every live agent."""
    return {agent: sample(env, rng, agent, masked) for agent in env.agents}


def episode(env: WarlightParallelEnv, seed: int | None = 0, actions_seed: int = 0, masked: bool = True) -> list[Any]:
    """Play a whole episode; return the results of `reset` and of every `step`."""
    rng = np.random.default_rng(actions_seed)
    trace: list[Any] = [env.reset(seed=seed)]
    while env.agents:
        trace.append(env.step(act(env, rng, masked)))
    return trace


def equal(a: Any, b: Any) -> bool:
    """Whether nested dicts, tuples and arrays are equal, including their dtypes."""
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(equal(a[k], b[k]) for k in a)
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b)
    return type(a) is type(b) and a == b


def make_single(**arguments) -> WarlightEnv:
    return WarlightEnv(**{"map": SMALL, "action": "factored", "max_cycles": 40, **arguments})


def play_episode(env: WarlightEnv, seed: int | None = 0, actions: int = 0) -> list:
    """Play an episode of one learner with random legal actions; return the results of `reset` and every `step`."""
    trace = [env.reset(seed=seed)]
    env.action_space.seed(actions)
    info, over = trace[0][1], False
    while not over:
        mask = info.get("action_mask")
        result = env.step(env.action_space.sample(mask) if mask is not None else env.action_space.sample())
        trace.append(result)
        info, over = result[4], result[2] or result[3]
    return trace


def idle(observations: Any, masks: np.ndarray) -> np.ndarray:
    """Return the action without orders for each mask: a policy for the encoding `factored`."""
    return np.zeros((len(masks), masks.shape[1] // 5), dtype=np.int64)


def refresh(core: EnvCore) -> None:
    """Compute the observations again after a test has changed the state."""
    core.refresh_observations()


#: Three maps, and limits of regions and directed edges that fit all of them.
SETS = ["small", "world", "generated:20:7"]
ROOM = (50, 200)


def plays_like(env, other, steps=8):
    """Assert that two environments give the same results for some steps without orders."""
    for _ in range(steps):
        results, expected = (each.step(np.zeros(each.num_envs, np.int64)) for each in (env, other))
        for name, array in expected[0].items():
            np.testing.assert_array_equal(results[0][name], array)
        np.testing.assert_array_equal(results[1:4], expected[1:4])
