"""Measure what JAX costs per step of a batch of games: ``python benchmarks/jax_costs.py [games] [steps]``.

The policy chooses random legal actions. Each row is the median of five runs, in milliseconds per step of all games.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from gymnasium.vector import AutoresetMode
from jax.experimental import io_callback

from warlight_env.envs import WarlightVectorEnv

GAMES = int(sys.argv[1]) if len(sys.argv) > 1 else 64
STEPS = int(sys.argv[2]) if len(sys.argv) > 2 else 200
env = WarlightVectorEnv(
    GAMES, map="small", action="strategies", opponent="aggressive", autoreset_mode=AutoresetMode.SAME_STEP
)
observations, infos = env.reset(seed=1)
RNG = np.random.default_rng(1)


def per_step(run: Callable[[], Any]) -> float:
    """Return the median time of a run in milliseconds per step, after one run that compiles."""
    run()
    times = []
    for _ in range(5):
        start_time = time.perf_counter()
        run()
        times.append(1000 * (time.perf_counter() - start_time) / STEPS)
    return median(times)


def step(actions: Any) -> tuple[Any, Any]:
    """Step all games; return the observations and masks."""
    observations, _, _, _, infos = env.step(np.asarray(actions))
    return observations, infos["action_mask"]


def numpy_loop() -> None:
    mask = env.action_masks()
    for _ in range(STEPS):
        _, mask = step((RNG.random(mask.shape) * mask).argmax(1))


@jax.jit
def choose(mask: Any, key: Any) -> Any:
    return jax.random.categorical(key, jnp.where(mask != 0, 0.0, -1e8))


def jit_policy() -> None:
    mask = env.action_masks()
    for key in keys:
        _, mask = step(choose(mask, key))


keys = list(jax.random.split(jax.random.key(1), STEPS))
start = env.action_masks()
shapes = jax.ShapeDtypeStruct(observations.shape, observations.dtype), jax.ShapeDtypeStruct(start.shape, start.dtype)


@jax.jit
def scan(mask: Any) -> Any:
    def scan_step(mask: Any, key: Any) -> Any:
        _, mask = io_callback(step, shapes, choose(mask, key), ordered=True)
        return mask, None

    return jax.lax.scan(scan_step, mask, jnp.stack(keys))[0]


def callback() -> None:
    jax.block_until_ready(scan(env.action_masks()))


def moved(convert: Callable[[Any], Any], array: Any) -> Callable[[], None]:
    def run() -> None:
        for _ in range(STEPS):
            jax.block_until_ready(convert(array))

    return run


def placed(shift: int) -> Any:
    """Return a copy of the observations whose address is `shift` bytes after a multiple of 64."""
    block = np.zeros(observations.nbytes + 128, np.uint8)
    start = -block.ctypes.data % 64 + shift
    copy = block[start : start + observations.nbytes].view(observations.dtype).reshape(observations.shape)
    copy[...] = observations
    return copy


ROWS = {
    "step with NumPy's random actions": numpy_loop,
    "step with actions of a compiled function": jit_policy,
    "step in an ordered callback inside jit": callback,
    "jnp.asarray of the observations": moved(jnp.asarray, observations),
    "from_dlpack of the observations, not aligned to 64 bytes": moved(jax.dlpack.from_dlpack, placed(16)),
    "from_dlpack of the observations, aligned to 64 bytes": moved(jax.dlpack.from_dlpack, placed(0)),
}

if __name__ == "__main__":
    print(
        f"{GAMES} games, observations {observations.nbytes // 1024} KiB, "
        f"JAX {jax.__version__} on {jax.devices()[0].platform}"
    )
    for name, run in ROWS.items():
        print(f"{name}: {per_step(run):.3f} ms")
