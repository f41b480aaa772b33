"""Helpers for tests of the action encodings: environments with a given position, and random turns."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from hypothesis import strategies as st

from env_helpers import LONG, SMALL
from helpers import PRESETS, RING
from warlight_env.agents.generators.attacks import GENERATORS as ATTACK_GENERATORS
from warlight_env.agents.generators.deploys import GENERATORS as DEPLOY_GENERATORS
from warlight_env.engine.rules import Rules, RulesError
from warlight_env.envs import WarlightParallelEnv
from warlight_env.envs.actions import StepActions

NAMES = ("steps", "continuous", "strategies")
MAPS = {"small": SMALL, "ring": RING, "long": LONG}
WAYS = [(deploy, attack) for deploy in DEPLOY_GENERATORS for attack in ATTACK_GENERATORS]


def short_steps(max_deploys: int = 3, max_attacks: int = 4) -> Any:
    return functools.partial(StepActions, max_deploys=max_deploys, max_attacks=max_attacks)


def make(action: Any, map_: Any = RING, players: int = 2, **arguments) -> WarlightParallelEnv:
    """Return an environment with randomly assigned regions, which `put` can set to a position."""
    env = WarlightParallelEnv(map_, players=players, action=action, **{"picking": "random", **arguments})
    env.reset(seed=0)
    return env


def put(env: WarlightParallelEnv, owner: list[int], army: list[int]) -> None:
    env.core.state.owner[0], env.core.state.army[0] = owner, army
    env.core.refresh_observations()


@st.composite
def envs(draw, name: str, maps_=("small", "ring", "long")) -> WarlightParallelEnv:
    """Draw a new game on one of the small maps, with at most as many players as the map allows."""
    action = short_steps(draw(st.integers(1, 4)), draw(st.integers(1, 6))) if name == "steps" else name
    rules = Rules.of(draw(st.sampled_from(PRESETS)), picks=draw(st.integers(1, 2)))
    options = {"fog": draw(st.booleans()), "picking": draw(st.sampled_from(["play", "random"])), "action": action}
    map_ = MAPS[draw(st.sampled_from(maps_))]
    for players in range(draw(st.integers(2, 6)), 0, -1):
        try:
            env = WarlightParallelEnv(map_, rules, players, **options, max_cycles=50 if name == "steps" else 12)
            break
        except RulesError:  # too many players for the map
            pass
    env.reset(seed=draw(st.integers(0, 10**6)))
    return env


def sample(env: WarlightParallelEnv, rng: np.random.Generator, agent: str, masked: bool) -> Any:
    """Return a random action; for `steps` often the end, for `continuous` often with equal scores."""
    encoding = env.core.encoding
    if encoding.name == "continuous":
        scores = rng.uniform(-1, 1, len(encoding.limits)).astype(np.float32)
        return np.round(scores * 4) / np.float32(4) if rng.random() < 0.5 else scores
    if encoding.name == "steps" and rng.random() < 0.15:
        return encoding.end
    mask = env.action_masks(agent)
    return int(rng.choice(np.flatnonzero(mask) if masked else len(mask)))


def play_turns(env: WarlightParallelEnv, rng: np.random.Generator, masked: bool) -> tuple[dict, dict, bool]:
    """Play one turn of all agents.

    Returns:
        The actions and the number of illegal orders by agent, and whether the game continues.
    """
    encoding = env.core.encoding
    if not encoding.stepwise:
        turns = {agent: sample(env, rng, agent, masked) for agent in env.agents}
        infos = env.step(turns)[-1]
        return turns, {agent: infos[agent]["illegal"] for agent in turns}, True
    turns, illegal = {agent: [] for agent in env.agents}, dict.fromkeys(env.agents, 0)
    while env.agents:
        actions = {a: sample(env, rng, a, masked) for a in env.agents}
        for agent, action in actions.items():
            if turns[agent][-1:] != [encoding.end]:
                turns[agent].append(action)
        infos = env.step(actions)[-1]
        for agent in actions:
            illegal[agent] += infos[agent]["illegal"]
        if all(turn[-1] == encoding.end for turn in turns.values()):
            return turns, illegal, True
    return turns, illegal, False


def ring(action: Any = "steps", army: int = 9, **arguments) -> WarlightParallelEnv:
    env = make(action, max_cycles=1000, **arguments)
    put(env, [0, 0, -1, 1, 1, -1], [army, 3, 2, 4, 4, 2])
    return env
