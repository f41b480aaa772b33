"""Damaged saved states of environments: accepted states can be played, and rejected states change nothing."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np

from env_helpers import as_game
from fuzz import arrays, mutate, small_maps, values
from fuzz.target import Data, Target, expect, refused
from fuzz.targets.actions import ACTIONS, same
from warlight_env.engine.state import State
from warlight_env.envs import WarlightParallelEnv
from warlight_env.envs.core import Snapshot
from warlight_env.envs.parallel import EnvState
from warlight_env.envs.step import Turns


class States(Target):
    """``(env, {field: array} of a snapshot, random)``"""

    share = 85

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._envs = []
        self._seeds: list[list[dict[str, Any]]] = []
        for action in ("factored", "steps", "strategies"):
            for rules, players in (("thesis", 2), ("challenge2", 2), ("challenge1", 3)):
                env = WarlightParallelEnv(
                    small_maps.ladder_map(6),
                    {"name": rules, "picks": 1},
                    players,
                    ACTIONS[action],
                    max_cycles=30,
                    mask="info",
                )
                env.reset(seed=players)
                saved = [plain(env.get_state().snapshot)]
                for agent in env.possible_agents:
                    env.action_space(agent).seed(1)
                for _ in range(14):
                    if env.agents:
                        env.step({agent: env.action_space(agent).sample() for agent in env.agents})
                        saved.append(plain(env.get_state().snapshot))
                env.reset(seed=1)
                env.set_state(env.get_state())  # compile before the first input
                as_game(env.core)
                self._envs.append(env)
                self._seeds.append(saved)

    def make(self, rng: random.Random) -> Data:
        number = rng.randrange(len(self._envs))
        fields = dict(rng.choice(self._seeds[number]))
        for _ in range(rng.choice((0, 1, 1, 1, 2, 4))):
            name = rng.choice(list(fields))
            draw = rng.random()
            if draw < 0.8 and isinstance(fields[name], tuple):
                fields[name] = arrays.damaged(fields[name], rng)
            elif draw < 0.9:
                others = (
                    rng.choice(self._seeds) if draw < 0.82 else self._seeds[number]
                )  # other fields come from another environment or a later step
                fields[name] = rng.choice(others).get(name, fields[name])
            elif draw < 0.93:
                fields["board"] = values.text(rng)
        stream = None if rng.random() < 0.9 else mutate.changed(_stream(), rng)
        return (number, fields, stream, rng.getrandbits(16))

    def run(self, data: Data) -> bool:
        number, fields, stream, seed = data
        env = self._envs[number]
        given = _snapshot(arrays.real(fields))
        before, agents = env.core.snapshot(), env.agents[:]
        try:
            env.set_state(EnvState(given, stream))
        except ValueError as error:
            expect(same(env.core.snapshot(), before) and env.agents == agents, "a refused state that changed the game")
            return refused(error)
        after = env.core.snapshot()
        expect(same(after, given), "a state that was taken, but not as it was given")
        if env.core.state.phase[0] != 2:
            as_game(env.core)  # run the checks of saved games
        for agent in env.possible_agents:
            env.observe(agent)
            env.action_space(agent).seed(seed)
        for _ in range(3):
            if env.agents:
                env.step({agent: env.action_space(agent).sample() for agent in env.agents})
                owner, army = env.core.state.owner, env.core.state.army
                expect(owner.min() >= -1 and owner.max() < env.core.players and army.min() >= 1, "an odd position")
        env.set_state(EnvState(after, None))
        expect(same(env.core.snapshot(), after), "a state that does not lead back")
        return True


def plain(snapshot: Snapshot) -> dict[str, Any]:
    """Return a snapshot as plain data, by the names of its arrays."""
    fields: dict[str, Any] = {"board": snapshot.board}
    for group, record in (("state", snapshot.state), ("", snapshot), ("turns", snapshot.turns)):
        if record is not None:
            for name, value in record._asdict().items():
                if isinstance(value, np.ndarray):
                    fields[f"{group}.{name}" if group else name] = arrays.plain(value)
    return fields


def _snapshot(fields: dict[str, Any]) -> Snapshot:
    turns = {name[6:]: value for name, value in fields.items() if name.startswith("turns.")}
    state = State(**{name[6:]: value for name, value in fields.items() if name.startswith("state.")})
    rest = {name: value for name, value in fields.items() if "." not in name}
    return Snapshot(state=state, turns=Turns(**turns) if turns else None, **rest)


def _stream() -> dict[str, Any]:
    return dict(np.random.Generator(np.random.PCG64(1)).bit_generator.state)


TARGET = States
