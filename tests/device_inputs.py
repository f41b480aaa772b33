"""Compute the turn network's inputs on two devices, and compare them bit by bit.

    NUMBA_ENABLE_CUDASIM=1 python tests/device_inputs.py POSITIONS

See `device_runs` about the environment variable.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
import torch

from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.weights import PLANNING
from warlight_env.envs import EnvCore
from warlight_env.tensor_env import toolkit
from warlight_env.train.turn_net.device_features import TurnInputs
from warlight_env.train.turn_net.turn_inputs import NetworkPositions

#: The map and the number of players, by name.
CASES: dict[str, tuple[str, int]] = {"two players": ("small", 2), "six players": ("world", 6)}


def positions_of(map_name: str, players: int, count: int) -> tuple[EnvCore, NetworkPositions]:
    """Return positions after five rounds of random actions, and the core with their map and rules."""
    core, random = EnvCore(map_name, batch=count, players=players, picking="random"), np.random.default_rng(1)
    core.reset(range(count))
    for _ in range(5):
        core.step(random.integers(0, core.limits, (count, core.slots, core.row_size)))
    state, player = core.state, np.arange(count, dtype=np.int64) % players
    return core, NetworkPositions(state.owner.copy(), state.army.copy(), state.round.copy(), player)


def compare(case: str, count: int) -> int:
    """Compare the inputs of both devices; return the number of borders that can be crossed.

    Raises AssertionError with the names of the tensors that differ.
    """
    core, arrays = positions_of(*CASES[case], count)
    context = make_context(core.board, core.params, core.players, PLANNING)
    weights = np.random.default_rng(2).integers(0, 5, arrays.owner.shape).astype(np.int8)
    outputs = []
    for device in ("cpu", "cuda"):
        place = "cpu" if device == "cpu" or toolkit.simulated() else device
        positions = NetworkPositions(*(torch.from_numpy(array).to(place) for array in arrays))
        inputs = TurnInputs(context, count + 1, device)
        results = *inputs.regions(positions), *inputs.borders(positions, torch.from_numpy(weights).to(place))
        outputs.append([tensor.cpu().numpy() for tensor in results])
    names = "nodes", "overall", "numbers", "open"
    different = [name for name, a, b in zip(names, *outputs, strict=True) if a.tobytes() != b.tobytes()]
    assert not different, f"{case}: {different} differ"
    return int(outputs[0][3].sum())


if __name__ == "__main__":
    warnings.simplefilter("ignore", RuntimeWarning)  # the simulator computes with NumPy's integers, which warn
    for name in CASES:
        borders = compare(name, int(sys.argv[1]))
        print(f"inputs, {name}: equal; {borders} borders can be crossed", flush=True)
