"""Actions in all encodings: an accepted action has its documented effect, and a rejected action changes nothing."""

from __future__ import annotations

import functools
import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from env_helpers import as_game
from fuzz import arrays, small_maps, values
from fuzz.target import Data, Target, expect, refused
from warlight_env.engine.orders import Orders
from warlight_env.envs import FactoredActions, WarlightParallelEnv
from warlight_env.envs.actions import StepActions
from warlight_env.envs.core import Snapshot
from warlight_env.game import Game

ACTIONS: dict[str, Any] = {
    "factored": "factored", "priority": functools.partial(FactoredActions, priority=True), "orders": "orders",
    "continuous": "continuous", "strategies": "strategies",
    "steps": functools.partial(StepActions, max_deploys=2, max_attacks=3),
}  # fmt: skip
#: Number of steps after which a new game starts.
GAME = 12


class Actions(Target):
    """``(encoding, rules, seed, [{agent: action} …])``: steps of a game that starts with a seed."""

    share = 40

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._envs = {
            (name, rules): WarlightParallelEnv(
                small_maps.ladder_map(6), rules, 3 if rules == "thesis" else 2, action, max_cycles=40, mask="info",
                picking="play",
            )
            for name, action in ACTIONS.items()
            for rules in ("thesis", "challenge2")
        }  # fmt: skip
        for (name, rules), env in self._envs.items():  # compile before the first input
            self.run((name, rules, 0, [{agent: env.action_space(agent).sample() for agent in env.possible_agents}] * 3))

    def make(self, rng: random.Random) -> Data:
        name, rules = rng.choice(list(self._envs))
        env = self._envs[name, rules]
        steps = []
        for _ in range(rng.randint(1, 6)):
            actions: Any = {agent: _action(env.action_space(agent), rng) for agent in env.possible_agents}
            if rng.random() < 0.3:
                agent = rng.choice(env.possible_agents)
                way = rng.randrange(8)
                if way == 0:
                    del actions[agent]
                elif way == 1:
                    actions[rng.choice(("player_9", 0, "", None))] = actions[agent]
                elif way == 2:
                    actions[agent] = values.anything(rng)
                else:
                    actions[agent] = _damaged(actions[agent], rng)
            steps.append(actions)
        return (name, rules, rng.getrandbits(20), steps)

    def run(self, data: Data) -> bool:
        name, rules, seed, steps = data
        env = self._envs[name, rules]
        env.reset(seed=seed)
        accepted = True
        for step in steps:
            actions = {
                agent: action
                for agent, action in arrays.real(step).items()
                if agent not in env.possible_agents or agent in env.agents
            }
            if not env.agents:
                break
            before = env.core.snapshot()
            try:
                expected = self._expected(env, actions)
                infos = env.step(actions)[-1]
            except ValueError as error:
                accepted = refused(error)
                expect(same(env.core.snapshot(), before), "an action that was refused and changed the game")
                continue
            expect(all(info["illegal"] >= 0 for info in infos.values()), "illegal orders below 0")
            if expected is not None:
                game = as_game(env.core)
                expect(game.owner.tolist() == expected.owner.tolist(), "owners that the orders do not lead to")
                expect(game.army.tolist() == expected.army.tolist(), "armies that the orders do not lead to")
        return accepted

    def _expected(self, env: WarlightParallelEnv, actions: dict[str, Any]) -> Game | None:
        """Return the position after `Game` plays the decoded actions; None if a step is not a round."""
        core = env.core
        if core.encoding.stepwise or env.state_space is None or set(actions) != set(env.agents):
            return None
        view = env.view(env.agents[0])
        if view.phase != "play":
            return None
        orders = {}
        for agent, action in actions.items():
            choice = core.encoding.decode(env.view(agent), action)
            if not isinstance(choice, Orders):
                return None
            orders[env.possible_agents.index(agent)] = choice
        game = as_game(core)
        game.play_round(orders)  # strict, because decoded orders must be legal
        return game


def same(one: Snapshot, other: Snapshot) -> bool:
    """Return whether two snapshots are equal bit by bit."""

    def flat(snapshot: Snapshot) -> list[Any]:
        return [*snapshot.state, *snapshot[2:-1], *(snapshot.turns or ())]

    return one.board == other.board and all(
        a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(flat(one), flat(other), strict=True)
    )


def _action(space: spaces.Space[Any], rng: random.Random) -> Any:
    """Return an action of the space as plain data, often with only zeros."""
    sparse = rng.random() < 0.5
    if isinstance(space, spaces.Dict):
        return {key: _action(inner, rng) for key, inner in space.spaces.items()}
    if isinstance(space, spaces.Discrete):
        return rng.randrange(int(space.n))
    if isinstance(space, spaces.MultiDiscrete):
        numbers = [0 if sparse and rng.random() < 0.7 else rng.randrange(int(n)) for n in space.nvec.reshape(-1)]
        return ("array", space.dtype.str, space.nvec.shape, numbers)
    expect(isinstance(space, spaces.Box), "a space that this target does not know")
    numbers = [round(rng.uniform(-1, 1), 2) for _ in range(int(np.prod(space.shape)))]
    return ("array", "<f4", space.shape, numbers)


def _damaged(action: Any, rng: random.Random) -> Any:
    if isinstance(action, dict):
        key = rng.choice(list(action))
        draw = rng.random()
        if draw < 0.1:
            return {k: v for k, v in action.items() if k != key}
        if draw < 0.2:
            return {**action, values.text(rng): action[key]}
        return {**action, key: _damaged(action[key], rng)}
    if isinstance(action, tuple) and action[:1] == ("array",):
        return arrays.damaged(action, rng)
    draw = rng.random()
    if draw < 0.5:
        return values.number(rng)
    shape: tuple[int, ...] = () if draw < 0.7 else (1,)
    return ("array", rng.choice(arrays.DTYPES), shape, [action])


warnings.filterwarnings("ignore", category=RuntimeWarning)
TARGET = Actions
