"""Speed of learning with PPO: ``python benchmarks/learning.py``; needs torch, Stable-Baselines3 and sb3-contrib."""

from __future__ import annotations

import time
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnvWrapper

from speed_table import Row, run_parts
from timing import interleaved, seconds
from warlight_env.envs.sb3 import make_vec_env
from warlight_env.train.sb3_ppo.masked_policy import MaskedFactoredPolicy

#: Rollouts of 128 steps; all other settings, such as networks with layers of 64 and 64, are the defaults of SB3.
SETTINGS: dict[str, Any] = {"n_steps": 128, "batch_size": 64, "n_epochs": 10, "device": "cpu", "seed": 1}


class Timed(VecEnvWrapper):
    """Measures the total time in the environment."""

    env_seconds = 0.0

    def reset(self) -> Any:
        return self.venv.reset()

    def step_wait(self) -> Any:
        start = time.perf_counter()
        result = self.venv.step_wait()
        self.env_seconds += time.perf_counter() - start
        return result

    def env_method(self, *args: Any, **kwargs: Any) -> Any:
        start = time.perf_counter()
        result = self.venv.env_method(*args, **kwargs)
        self.env_seconds += time.perf_counter() - start
        return result


def learn(model: PPO | MaskablePPO) -> float:
    """Return the environment steps per second, over a rollout and its updates."""
    steps = model.n_steps * model.n_envs
    return steps / seconds(lambda: model.learn(steps, reset_num_timesteps=False))


def bench_factored(quick: bool) -> list[Row]:
    """Measure PPO with `MaskedFactoredPolicy`, relative to MaskablePPO, which processes the action rows one by one."""
    envs = {"opponent": "random", "action": "factored", "picking": "random"}
    models = {
        "ours": PPO(MaskedFactoredPolicy, make_vec_env(16, seed=1, mask="observation", **envs), **SETTINGS),
        "contrib": MaskablePPO("MlpPolicy", make_vec_env(16, seed=1, mask="info", **envs), **SETTINGS),
    }
    learn(models["ours"])  # compiles kernels
    rates = interleaved({name: lambda model=model: learn(model) for name, model in models.items()}, 1 if quick else 3)
    ratio = rates["ours"] / rates["contrib"]
    text = f"{ratio:.1f} × ({rates['ours']:,.0f}/s against {rates['contrib']:,.0f}/s)"
    return [Row("PPO on factored, 16 games: our policy against MaskablePPO", "≥ 10 ×", text, ratio, ratio >= 10)]


def bench_share(quick: bool) -> list[Row]:
    """Measure the share of the environment in the time of MaskablePPO with the default network."""
    env = Timed(make_vec_env(64, seed=1, opponent="random", action="steps"))
    model = MaskablePPO("MlpPolicy", env, **SETTINGS)
    learn(model)
    env.env_seconds, repeats = 0.0, 1 if quick else 3
    wall = sum(seconds(lambda: learn(model)) for _ in range(repeats))
    share = env.env_seconds / wall
    rate = repeats * model.n_steps * model.n_envs / wall
    text = f"{100 * share:.1f} % (at {rate:,.0f} steps/s)"
    return [Row("MaskablePPO on steps, 64 games: time in the environment", "≤ 15 %", text, share, share <= 0.15)]


def bench_learning(quick: bool) -> list[Row]:
    """Run both benchmarks, with torch in one thread: the networks are too small for two."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return bench_factored(quick) + bench_share(quick)
    finally:
        torch.set_num_threads(threads)


if __name__ == "__main__":
    run_parts("learning.py", {"learning": bench_learning}, __doc__)
