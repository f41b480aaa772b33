"""Compare layouts of arrays and sizes of blocks on a GPU: ``python benchmarks/gpu_layout.py state,turns,work``.

Each argument is a list of NamedTuples in column layout (`tensor_env.gpu.COLUMNS`): state, out, turns, work or seats;
``-`` is the empty list. The program prints the steps per second of the environment for several numbers of threads in a
block, and the time of the slowest CUDA kernels in a step.
"""

from __future__ import annotations

import sys

import torch
from gpu_rates import STEPS, random_steps

from timing import calls_per_second
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
    play = random_steps(env)
    for threads in (32, 64, 128, 256):
        launching.THREADS = threads  # type: ignore[misc]
        play()
        rate = GAMES * STEPS * calls_per_second(play, SECONDS)
        print(f"{','.join(columns) or '-'}: {threads} threads {rate / 1e6:.1f} M steps/s", flush=True)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        play()
    for event in sorted(profile.key_averages(), key=lambda event: -event.device_time_total)[:6]:
        print(f"    {event.device_time_total / STEPS / 1e3:.2f} ms {event.key[:70]}")


if __name__ == "__main__":
    for words in sys.argv[1:] or ["-", "state,turns,work"]:
        report(tuple(name for name in words.split(",") if name != "-"))
