"""Step Gymnasium's vector environment on two devices, and compare all results bit by bit.

    NUMBA_ENABLE_CUDASIM=1 python tests/device_vectors.py GAMES STEPS

See `device_runs` about the environment variable.
"""

from __future__ import annotations

import sys
import warnings

import gymnasium
import torch


def compare(games: int, steps: int) -> int:
    """Step both environments with random actions; return the number of games that ended."""
    cpu, cuda = (
        gymnasium.make_vec(
            "warlight_env.envs:warlight/WarlightSmallFactored-v0", games, vectorization_mode="vector_entry_point",
            device=device, opponent="aggressive", autoreset_mode="SameStep", max_cycles=8,
        ) for device in ("cpu", "cuda")
    )  # fmt: skip
    limits, ended = torch.as_tensor(cpu.single_action_space.nvec.copy()), 0
    first, second = cpu.reset(seed=3), cuda.reset(seed=3)
    for step in range(steps):
        for a, b in zip((*first[:-1], *first[-1].values()), (*second[:-1], *second[-1].values()), strict=True):
            assert b.device == cuda.tensor_device and torch.equal(a, b.cpu()), f"step {step}"
        actions = (torch.rand(games, len(limits)) * limits).long()
        first, second = cpu.step(actions), cuda.step(actions.to(cuda.tensor_device))
        ended += int((first[2] | first[3]).sum())
    return ended


if __name__ == "__main__":
    warnings.simplefilter("ignore", RuntimeWarning)  # the simulator computes with NumPy's integers, which warn
    ended = compare(int(sys.argv[1]), int(sys.argv[2]))
    print(f"make_vec: equal; {ended} games ended")
