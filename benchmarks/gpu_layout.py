"""Compare layouts of arrays and sizes of blocks on a GPU: ``python benchmarks/gpu_layout.py state,turns,work``.

Each argument is a list of NamedTuples in column layout (`tensor_env.gpu.COLUMNS`): state, out, turns, work or seats;
``-`` is the empty list. The program prints the steps per second of the environment for several numbers of threads in a
block, and the time of the slowest CUDA kernels in a step.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import torch

from warlight_env.tensor_env import WarlightTensorEnv, gpu, launching

GAMES = 131072
SECONDS = 1.0


def report(columns: tuple[str, ...]) -> None:
    """Print the speeds of a layout."""
    gpu.COLUMNS = columns  # type: ignore[misc]
    env = WarlightTensorEnv(
        GAMES, device="cuda", map="world", picking="random", opponents={"player_1": "random"}
    )  # fmt: skip
    env.reset(seed=1)
    limits = torch.as_tensor(np.array(env.limits), device="cuda")
    shape = GAMES, len(limits)
    actions = [
        {agent: (torch.rand(shape, device="cuda") * limits).to(torch.int8) for agent in env.agents} for _ in range(4)
    ]

    def play() -> None:
        for several in actions:
            env.step(several)
        torch.cuda.synchronize()

    for threads in (32, 64, 128, 256):
        launching.THREADS = threads  # type: ignore[misc]
        play()
        count, began = 0, time.perf_counter()
        while time.perf_counter() - began < SECONDS:
            play()
            count += len(actions)
        rate = GAMES * count / (time.perf_counter() - began)
        print(f"{','.join(columns) or '-'}: {threads} threads {rate / 1e6:.1f} M steps/s", flush=True)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        play()
    for event in sorted(profile.key_averages(), key=lambda event: -event.device_time_total)[:6]:
        print(f"    {event.device_time_total / len(actions) / 1e3:.2f} ms {event.key[:70]}")


if __name__ == "__main__":
    for words in sys.argv[1:] or ["-", "state,turns,work"]:
        report(tuple(name for name in words.split(",") if name != "-"))
