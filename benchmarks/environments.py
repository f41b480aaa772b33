"""Speed of the batched environments, everything included: masks, observations, opponents, autoreset."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from measure import interleaved
from rows import Row, not_installed

BATCH = 1024


def legal(rng: np.random.Generator, masks: np.ndarray) -> np.ndarray:
    """Random legal `factored` actions for flat masks int8[B, rows * 5]."""
    rows = masks.reshape(len(masks), -1, 5)
    return rng.integers(0, 5, rows.shape[:2]) * rows[:, :, 4]


def vector_rate(opponent: str, steps: int, **arguments: Any) -> Callable[[], float]:
    """Env steps a second of the vector environment, legal random actions ready-made."""
    import gymnasium

    import warlight_env.envs  # noqa: F401

    env = gymnasium.make_vec(
        "warlight/Warlight-v0", num_envs=BATCH, vectorization_mode="vector_entry_point", action="factored",
        opponent=opponent, **arguments,
    )  # fmt: skip
    rng = np.random.default_rng(0)
    state = {"infos": env.reset(seed=0)[1]}

    def play() -> float:
        wall = 0.0
        for _ in range(steps):
            actions = legal(rng, state["infos"]["action_mask"])
            start = time.perf_counter()
            *_, state["infos"] = env.step(actions)
            wall += time.perf_counter() - start
        return BATCH * steps / wall

    play()
    return play


def bench_vector(quick: bool) -> list[Row]:
    """The vector environment, 1024 games of the world, `factored`, one core."""
    steps, repeats = (20, 3) if quick else (60, 9)
    rates = interleaved({bot: vector_rate(bot, steps) for bot in ("random", "aggressive", "smart_random")}, repeats)
    asked = {"random": 250_000, "aggressive": 100_000, "smart_random": 50_000}
    return [
        Row(f"vector env, B = {BATCH}, factored, against {bot}", f"≥ {asked[bot]:,} steps/s", f"{rate:,.0f}/s", rate,
            rate >= asked[bot])
        for bot, rate in rates.items()
    ]  # fmt: skip


def _regions_held(before: Any, after: Any, paid: np.ndarray) -> np.ndarray:
    """Winning and losing, and what shaping by regions pays, as a user would write it."""
    reward = paid.copy()
    for p in range(reward.shape[1]):
        held = np.sum(after.owner == p, axis=1) - np.sum(before.owner == p, axis=1)
        reward[:, p] += held / after.owner.shape[1]
    return reward


def _flat(seen: Any) -> np.ndarray:
    """Owners and armies of all regions in a vector."""
    owner, army = seen.owner.astype(np.float32), seen.army.astype(np.float32)
    return np.concatenate((owner, army / (army + np.float32(10))), axis=1)


class _Interpreted:
    """A function that Numba is not asked to compile."""

    def __init__(self, function: Callable[..., np.ndarray]) -> None:
        self.function = function

    def __call__(self, *arguments: Any) -> np.ndarray:
        return self.function(*arguments)


def bench_own(quick: bool) -> list[Row]:
    """Rewards and observations by functions of one's own against the built-in ones, 1024 games of the world."""
    steps, repeats = (20, 3) if quick else (60, 9)
    variants: dict[str, dict[str, Any]] = {
        "built-in reward": {"reward": "regions"},
        "reward, compiled": {"reward": _regions_held},
        "reward, Python over arrays": {"reward": _Interpreted(_regions_held)},
        "observation raw": {"observation": "raw"},
        "observation, compiled": {"observation": _flat},
        "observation, Python over arrays": {"observation": _Interpreted(_flat)},
    }
    rates = interleaved({name: vector_rate("random", steps, **given) for name, given in variants.items()}, repeats)
    rows = []
    for name, rate in rates.items():
        base = "observation raw" if name.startswith("observation") else "built-in reward"
        if name != base:
            ratio = rates[base] / rate
            text = f"{ratio:.2f} × the time of {base} ({rate:,.0f}/s against {rates[base]:,.0f}/s)"
            rows.append(Row(f"own {name}, B = {BATCH}", "–", text, ratio, None))
    return rows


def bench_sb3(quick: bool) -> list[Row]:
    """Our `VecEnv` of 64 games against `DummyVecEnv` over 64 single environments, the same actions."""
    what, asked = "SB3 VecEnv, 64 envs, masks included, against DummyVecEnv", "≥ 20 ×"
    try:
        from stable_baselines3.common.monitor import Monitor
        from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv
    except ImportError as error:
        return [not_installed(what, asked, error)]
    from warlight_env.envs import WarlightEnv
    from warlight_env.envs.sb3 import make_vec_env

    count, steps, repeats = 64, 10 if quick else 40, 3 if quick else 7
    arguments = {"action": "factored", "opponent": "random"}
    envs: dict[str, VecEnv] = {
        "ours": make_vec_env(count, seed=1, **arguments),
        "theirs": DummyVecEnv([lambda: Monitor(WarlightEnv(**arguments))] * count),
    }
    envs["theirs"].seed(1)

    def rate(name: str) -> Callable[[], float]:
        env, rng = envs[name], np.random.default_rng(0)
        env.reset()

        def play() -> float:
            wall = 0.0
            for _ in range(steps):
                start = time.perf_counter()
                masks = np.stack(env.env_method("action_masks"))
                wall += time.perf_counter() - start
                actions = legal(rng, masks)
                start = time.perf_counter()
                env.step(actions)
                wall += time.perf_counter() - start
            return count * steps / wall

        play()
        return play

    rates = interleaved({name: rate(name) for name in envs}, repeats)
    ratio = rates["ours"] / rates["theirs"]
    text = f"{ratio:.1f} × ({rates['ours']:,.0f}/s against {rates['theirs']:,.0f}/s)"
    return [Row(what, asked, text, ratio, ratio >= 20)]
