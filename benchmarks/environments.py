"""Speed of the batched environments, including masks, observations, opponents and autoreset."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from speed_table import Row, not_installed
from timing import interleaved, median_ratio, paired_rates

BATCH = 1024


def legal(rng: np.random.Generator, masks: np.ndarray) -> np.ndarray:
    """Return random legal `factored` actions for flat masks int8[B, rows * 5]."""
    rows = masks.reshape(len(masks), -1, 5)
    return rng.integers(0, 5, rows.shape[:2]) * rows[:, :, 4]


def vector_rate(opponent: str, steps: int, name: str = "warlight/Warlight-v0", **arguments: Any) -> Callable[[], float]:
    """Return a function that measures the game steps per CPU second of a vector environment."""
    import gymnasium

    import warlight_env.envs  # noqa: F401

    env = gymnasium.make_vec(
        name, num_envs=BATCH, vectorization_mode="vector_entry_point", action="factored", opponent=opponent, **arguments
    )
    rng = np.random.default_rng(0)
    state = {"infos": env.reset(seed=0)[1]}

    def play() -> float:
        elapsed = 0.0
        for _ in range(steps):
            actions = legal(rng, state["infos"]["action_mask"])
            start = time.process_time()
            *_, state["infos"] = env.step(actions)
            elapsed += time.process_time() - start
        return BATCH * steps / elapsed

    play()
    return play


def bench_vector(quick: bool) -> list[Row]:
    """Measure the vector environment: 1024 games on the world map, `factored`, one core."""
    steps, repeats = (20, 3) if quick else (60, 9)
    rates = interleaved({bot: vector_rate(bot, steps) for bot in ("random", "aggressive", "smart_random")}, repeats)
    targets = {"random": 250_000, "aggressive": 100_000, "smart_random": 50_000}
    return [
        Row(f"vector env, B = {BATCH}, factored, against {bot}", f"≥ {targets[bot]:,} steps/s", f"{rate:,.0f}/s", rate,
            rate >= targets[bot])
        for bot, rate in rates.items()
    ]  # fmt: skip


def core_rate(steps: int) -> Callable[[], float]:
    """Return a function that measures the game steps per CPU second of an `EnvCore`, including the restart of games."""
    from warlight_env.envs.core import EnvCore

    core, rng = EnvCore("world", batch=BATCH, picking="random"), np.random.default_rng(0)
    core.reset(range(BATCH))

    def play() -> float:
        elapsed = 0.0
        for _ in range(steps):
            actions = np.stack([legal(rng, core.out.mask[:, p]) for p in range(2)], axis=1)
            start = time.process_time()
            core.step(actions)
            ended = np.flatnonzero(~core.out.live.any(axis=1)).tolist()
            if ended:
                core.reset(rng.integers(2**62, size=len(ended)).tolist(), ended)
            elapsed += time.process_time() - start
        return BATCH * steps / elapsed

    play()
    return play


def all_seats_rate(steps: int, **arguments: Any) -> Callable[[], float]:
    """Return a function that measures the game steps per CPU second of `vector_env` with a learner on each seat."""
    from warlight_env import warlight_v0

    env = warlight_v0.vector_env(BATCH, picking="random", **arguments)
    rng = np.random.default_rng(0)
    state = {"infos": env.reset(seed=0)[1]}

    def play() -> float:
        elapsed = 0.0
        for _ in range(steps):
            actions = {agent: legal(rng, state["infos"][agent]["action_mask"]) for agent in env.agents}
            start = time.process_time()
            *_, state["infos"] = env.step(actions)
            elapsed += time.process_time() - start
        return BATCH * steps / elapsed

    play()
    return play


def bench_all_seats(quick: bool) -> list[Row]:
    """Measure `vector_env` with learners on both seats, relative to a bare `EnvCore` with the same number of games."""
    functions = {"core": core_rate(10), "views": all_seats_rate(10, copy=False), "copies": all_seats_rate(10)}
    rates = paired_rates(functions, 20 if quick else 100)
    rows = []
    for name, minimum in (("views", 0.9), ("copies", None)):
        label = f"vector_env, both seats, B = {BATCH}, {name} of observations, as a share of EnvCore"
        ratio = median_ratio(rates, name, "core")
        rows.append(
            Row(label, f"≥ {minimum}" if minimum else "–", f"{ratio:.2f}", ratio, ratio >= minimum if minimum else None)
        )
    return rows


def bench_simulate(quick: bool) -> list[Row]:
    """Measure `simulate` with 16 turns and 64 scenarios on the world map, on one core."""
    from warlight_env import Game, simulate
    from warlight_env.agents.players.random import RandomAgent

    game, turns, scenarios, calls = Game("world", seed=1, picks="random"), 16, 64, 50 if quick else 200
    reply = RandomAgent(seed=0).act(game.view(1))
    candidates = [[RandomAgent(seed=t).act(game.view(0)), reply] for t in range(turns)]

    def play() -> float:
        start = time.process_time()
        for seed in range(calls):
            simulate(game, candidates, scenarios, seed=seed)
        return calls * turns * scenarios / (time.process_time() - start)

    play()
    rate = interleaved({"": play}, 3 if quick else 9)[""]
    label = f"simulate, {turns} turns × {scenarios} scenarios, one core"
    return [Row(label, "≥ 500,000 rounds/s", f"{rate:,.0f}/s", rate, rate >= 500_000)]


def bench_maps(quick: bool) -> list[Row]:
    """Measure a batch of games on many maps, relative to a batch on the largest map only.

    A padded observation also contains the edges of its map, so it has more bytes than an observation of games on one
    map. The first row compares padded games with padded games, on maps with the same number of regions.
    """
    largest, padded, steps = "generated:42:0", "warlight/WarlightMaps-v0", 8
    mixed = {
        count: [f"generated:{10 + 32 * i // count}:{i}" for i in range(count - 1)] + [largest] for count in (8, 64)
    }
    equal = [f"generated:42:{i}" for i in range(64)]
    functions = {
        "one": vector_rate("random", steps, map=largest, observation="graph"),
        "padded": vector_rate("random", steps, padded, map=[largest]),
        "equal": vector_rate("random", steps, padded, map=equal),
        **{str(count): vector_rate("random", steps, padded, map=maps) for count, maps in mixed.items()},
    }
    rates = paired_rates(functions, 20 if quick else 75)
    rows = []
    for name, base, minimum, label in (
        ("equal", "padded", 0.9, "64 maps of 42 regions, padded, as a share of one of 42, padded"),
        ("64", "padded", None, "64 maps of 10 to 42 regions, padded, as a share of one of 42, padded"),
        ("8", "one", 0.8, "8 maps of 10 to 42 regions, padded, as a share of one of 42"),
        ("64", "one", None, "64 maps of 10 to 42 regions, padded, as a share of one of 42"),
    ):
        ratio = median_ratio(rates, name, base)
        label, target = f"batch of {label}, B = {BATCH}", f"≥ {minimum}" if minimum else "–"
        rows.append(Row(label, target, f"{ratio:.2f}", ratio, ratio >= minimum if minimum else None))
    return rows


def _regions_held(before: Any, after: Any, base_reward: np.ndarray) -> np.ndarray:
    """A user-defined reward for winning, losing and gained regions."""
    reward = base_reward.copy()
    for p in range(reward.shape[1]):
        gained = np.sum(after.owner == p, axis=1) - np.sum(before.owner == p, axis=1)
        reward[:, p] += gained / after.owner.shape[1]
    return reward


def _flat(state: Any) -> np.ndarray:
    """A user-defined observation: a vector of the owners and armies of all regions."""
    owner, army = state.owner.astype(np.float32), state.army.astype(np.float32)
    return np.concatenate((owner, army / (army + np.float32(10))), axis=1)


class _Interpreted:
    """A callable object, which Numba does not compile."""

    def __init__(self, function: Callable[..., np.ndarray]) -> None:
        self.function = function

    def __call__(self, *arguments: Any) -> np.ndarray:
        return self.function(*arguments)


def bench_own(quick: bool) -> list[Row]:
    """Measure user-defined rewards and observations, relative to the built-in ones, in 1024 games on the world map."""
    steps, repeats = (20, 3) if quick else (60, 9)
    variants: dict[str, dict[str, Any]] = {
        "built-in reward": {"reward": "regions"},
        "reward, compiled": {"reward": _regions_held},
        "reward, Python over arrays": {"reward": _Interpreted(_regions_held)},
        "observation raw": {"observation": "raw"},
        "observation, compiled": {"observation": _flat},
        "observation, Python over arrays": {"observation": _Interpreted(_flat)},
    }
    rates = interleaved({name: vector_rate("random", steps, **kwargs) for name, kwargs in variants.items()}, repeats)
    rows = []
    for name, rate in rates.items():
        base = "observation raw" if name.startswith("observation") else "built-in reward"
        if name != base:
            ratio, compiled = rate / rates[base], name.endswith("compiled")
            text = f"{ratio:.2f} ({rate:,.0f}/s against {rates[base]:,.0f}/s)"
            target = "≥ 0.9" if compiled else "–"
            label = f"own {name}, B = {BATCH}, as a share of {base}"
            rows.append(Row(label, target, text, ratio, ratio >= 0.9 if compiled else None))
    return rows


def bench_sb3(quick: bool) -> list[Row]:
    """Measure our `VecEnv` of 64 games, relative to `DummyVecEnv` with 64 environments and the same actions."""
    try:
        import stable_baselines3  # noqa: F401
    except ImportError as error:
        return [not_installed("SB3 VecEnv against DummyVecEnv", "≥ 20 ×", error)]
    rows = []
    for opponent in ("random", "aggressive"):
        rates = _sb3_rates(opponent, *((10, 3) if quick else (40, 7)))
        ratio = rates["ours"] / rates["theirs"]
        text = f"{ratio:.1f} × ({rates['ours']:,.0f}/s against {rates['theirs']:,.0f}/s)"
        label = f"SB3 VecEnv, 64 envs, factored, masks included, against {opponent}: to DummyVecEnv"
        rows.append(
            Row(label, "≥ 20 ×", text, ratio, ratio >= 20)
            if opponent == "random"
            else Row(label, "–", text, ratio, None)
        )
    return rows


def _sb3_rates(opponent: str, steps: int, repeats: int) -> dict[str, float]:
    """Return the game steps per CPU second of both environments, including masks."""
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

    from warlight_env.envs import WarlightEnv
    from warlight_env.envs.sb3 import make_vec_env

    count, arguments = 64, {"action": "factored", "opponent": opponent}
    envs: dict[str, VecEnv] = {
        "ours": make_vec_env(count, seed=1, **arguments),
        "theirs": DummyVecEnv([lambda: Monitor(WarlightEnv(**arguments))] * count),
    }
    envs["theirs"].seed(1)

    def rate(name: str) -> Callable[[], float]:
        env, rng = envs[name], np.random.default_rng(0)
        env.reset()

        def play() -> float:
            elapsed = 0.0
            for _ in range(steps):
                start = time.process_time()
                masks = np.stack(env.env_method("action_masks"))
                elapsed += time.process_time() - start
                actions = legal(rng, masks)
                start = time.process_time()
                env.step(actions)
                elapsed += time.process_time() - start
            return count * steps / elapsed

        play()
        return play

    return interleaved({name: rate(name) for name in envs}, repeats)
