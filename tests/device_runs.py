"""Play games of `WarlightTensorEnv` on two devices, and compare every array bit by bit.

    NUMBA_ENABLE_CUDASIM=1 python tests/device_runs.py GAMES STEPS [CASE …]

The environment variable lets Numba's simulator run the CUDA kernels as Python. Without it, the kernels run on the GPU.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from warlight_env.tensor_env import WarlightTensorEnv

#: The arguments of the environments by name. Together they use every encoding, each way to pick, fog, 2 to 6 players,
#: all compiled bots, both observations, all kinds of rewards and all modes of autoreset.
CASES: dict[str, dict[str, Any]] = {
    "factored": {"opponents": {"player_1": "random"}, "autoreset_mode": "SameStep", "max_cycles": 7},
    "self-play under fog": {"rules": "challenge1", "fog": True, "reward": "income", "max_cycles": 6},
    "three players": {
        "rules": "challenge2", "players": 3, "action": "strategies", "picking": "random",
        "opponents": {"player_1": "aggressive", "player_2": "smart_random"},
    },
    "steps": {
        "action": "steps", "opponents": {"player_0": "one_big_army"}, "picking": "random", "max_cycles": 9,
        "reward": "regions",
    },
    "six players": {
        "map": "world", "players": 6, "observation": "flat", "opponents": {"player_3": "aggressive"},
        "autoreset_mode": "SameStep", "max_cycles": 5, "picking": "random",
    },
    "orders": {"action": "orders", "rules": "thesis_draft", "autoreset_mode": "Disabled"},
    "continuous": {"action": "continuous", "opponents": {"player_1": "random"}, "picking": "random"},
}  # fmt: skip


def make(case: str, games: int, device: str) -> WarlightTensorEnv:
    """Make the environment of a case."""
    return WarlightTensorEnv(games, device=device, **{"map": "small", **CASES[case]})


def arrays_of(env: WarlightTensorEnv) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Yield the name and the content of each array that results of steps depend on."""
    device = env.device_games
    for name, tree in (("state", device.games.state), ("out", device.games.out), ("turns", device.games.turns)):
        yield from _fields(name, tree)
    yield from _fields("seats", device.seats)


def _fields(name: str, tree: Any) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    record = getattr(tree, "record", tree)
    for field, value in zip(record._fields, record, strict=True):
        if hasattr(value, "copy_to_host"):
            value = value.copy_to_host()
        if isinstance(value, np.ndarray):
            yield f"{name}.{field}", np.ascontiguousarray(value)


def differences(first: WarlightTensorEnv, second: WarlightTensorEnv) -> list[str]:
    """Return the names of the arrays that differ in a bit."""
    pairs = zip(arrays_of(first), arrays_of(second), strict=True)
    return [name for (name, a), (_, b) in pairs if a.tobytes() != b.tobytes()]


def random_actions(env: WarlightTensorEnv, infos: dict[str, Any], random: np.random.Generator) -> dict[str, Any]:
    """Return random actions for all agents on the CPU; if an action is one number, the mask allows it."""
    actions = {}
    for agent in env.agents:
        if len(env.limits) == 1:
            mask = infos[agent]["action_mask"].cpu().numpy()
            rows = (mask * random.uniform(0.01, 1.0, mask.shape)).argmax(axis=1)
        else:
            rows = random.integers(0, env.limits, (env.num_envs, len(env.limits)))
        actions[agent] = torch.as_tensor(rows)
    return actions


def compare(case: str, games: int, steps: int) -> int:
    """Play a case on the CPU and on the device "cuda"; return the number of games that began.

    Raises AssertionError with the names of the arrays that differ.
    """
    cpu, cuda = make(case, games, "cpu"), make(case, games, "cuda")
    _, infos = cpu.reset(seed=3)
    cuda.reset(seed=3)
    random = np.random.default_rng(1)
    for step in range(steps + 1):
        different = differences(cpu, cuda)
        assert not different, f"{case}, step {step}: {different} differ"
        actions = random_actions(cpu, infos, random)
        *_, infos = cpu.step(actions)
        cuda.step({agent: rows.to(cuda.tensor_device) for agent, rows in actions.items()})
    return int(dict(arrays_of(cpu))["seats.games"].sum())


if __name__ == "__main__":
    warnings.simplefilter("ignore", RuntimeWarning)  # the simulator computes with NumPy's integers, which warn
    for name in sys.argv[3:] or CASES:
        began = compare(name, int(sys.argv[1]), int(sys.argv[2]))
        print(f"{name}: equal; {began} games began", flush=True)
