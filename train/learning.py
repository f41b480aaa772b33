"""Learning runs with fixed seeds: what a policy that starts from nothing comes to, as a curve and as figures.

``python -m warlight_env.train.learning small_strategies --out docs`` writes small_strategies.json and .png.
"""

from __future__ import annotations

import argparse
import functools
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.base_class import BaseAlgorithm

from warlight_env.arena.statistics import wilson_interval
from warlight_env.envs import Reward
from warlight_env.envs.checkpoints import Policy, policy_of
from warlight_env.envs.sb3 import WarlightVecEnv, make_vec_env
from warlight_env.train.board_policy import BoardPolicy, board_kwargs


@dataclass(frozen=True)
class Run:
    """A learning run."""

    summary: str
    env: dict[str, Any]  #: arguments of `make_vec_env` that games for training and for evaluation share
    learn: Callable[[WarlightVecEnv], BaseAlgorithm]
    steps: int  #: of the environment
    n_envs: int = 64
    training: dict[str, Any] = field(default_factory=dict)  #: more arguments, for training alone
    asked: dict[str, float] = field(default_factory=dict)  #: share of games to win, by opponent
    deterministic: bool = True  #: whether the policy is evaluated by its most probable actions, or as it was trained


def _on_strategies(env: WarlightVecEnv) -> BaseAlgorithm:
    return MaskablePPO(
        "MlpPolicy", env, n_steps=64, batch_size=1024, n_epochs=4, learning_rate=1e-3, gamma=0.99, ent_coef=0.01,
        device="cpu", seed=1,
    )  # fmt: skip


def _on_factored(env: WarlightVecEnv) -> BaseAlgorithm:
    # Short credit (gamma, lambda) and early reward: each of some forty decisions a round is soon paid for.
    return PPO(
        BoardPolicy, env, n_steps=32, batch_size=1024, n_epochs=3, learning_rate=2e-3, gamma=0.97, gae_lambda=0.8,
        device="cpu", seed=1, policy_kwargs=board_kwargs(env.episodes.core.board, width=32),
    )  # fmt: skip


RUNS: dict[str, Run] = {
    "small_strategies": Run(
        "the small map, strategies, MaskablePPO against a mixture of aggressive and random",
        {"map": "small", "action": "strategies"},
        _on_strategies,
        steps=2_000_000,
        training={"opponent": {"aggressive": 2, "random": 1}},
        asked={"random": 0.95, "aggressive": 0.6},
    ),
    "world_factored": Run(
        "the world, factored, PPO with BoardPolicy against random, shaped by regions",
        {"map": "world", "action": "factored", "mask": "observation"},
        _on_factored,
        steps=1_500_000,
        n_envs=128,
        training={"opponent": "random", "reward": Reward("regions", 5.0, 0.97)},
        asked={"random": 0.9},
        deterministic=False,
    ),
}


def win_share(policy: Policy, opponent: Any, games: int, seed: int = 1_000_000, **arguments: Any) -> tuple[int, int]:
    """Games won and played against an opponent; each of up to 100 environments plays as many as the others."""
    count = min(100, games)
    env = make_vec_env(count, seed=seed, opponent=opponent, **arguments)
    observations, left, wins = env.reset(), np.full(count, -(-games // count)), 0
    played = int(left.sum())
    while (left > 0).any():
        observations, _, dones, infos = env.step(policy(observations, env.action_masks()))
        for b in np.flatnonzero(dones & (left > 0)):
            left[b] -= 1
            wins += infos[b]["is_success"]
    return wins, played


def learn(
    run: Run, steps: int | None = None, games: int = 400, marks: int = 20, say: Callable[[str], None] = print
) -> dict[str, Any]:
    """Train, with `marks` evaluations of 100 games on the way and one of `games` at the end.

    Returns plain data: the curve, the final figures with 95 % intervals, seconds.
    """
    total = run.steps if steps is None else steps
    env = make_vec_env(run.n_envs, seed=1, **run.env, **run.training)
    model = run.learn(env)
    policy, opponents = policy_of(model, deterministic=run.deterministic), list(run.asked)
    curve: list[dict[str, Any]] = []
    spent = 0.0
    for mark in range(1, marks + 1):
        start = time.perf_counter()
        model.learn(total * mark // marks - model.num_timesteps, reset_num_timesteps=False)
        spent += time.perf_counter() - start
        point: dict[str, Any] = {"steps": model.num_timesteps, "seconds": round(spent, 1)}
        for opponent in opponents:
            wins, played = win_share(policy, opponent, 100, **run.env)
            point[opponent] = wins / played
        curve.append(point)
        say(", ".join(f"{name} {value}" for name, value in point.items()))
    final: dict[str, Any] = {}
    for opponent in opponents:
        wins, played = win_share(policy, opponent, games, seed=2_000_000, **run.env)
        low, high = wilson_interval(wins, played)
        final[opponent] = {"wins": wins, "games": played, "share": wins / played, "interval": [low, high],
                           "asked": run.asked[opponent]}  # fmt: skip
        say(f"{opponent}: {wins} of {played} games won ({100 * low:.1f}–{100 * high:.1f} %)")
    return {"summary": run.summary, "curve": curve, "final": final, "seconds": round(spent, 1)}


def draw(result: dict[str, Any], path: Path) -> None:
    """The curve as a picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4), constrained_layout=True)
    minutes = [point["seconds"] / 60 for point in result["curve"]]
    for colour, opponent in zip(("#0072b2", "#d55e00", "#009e73"), result["final"], strict=False):
        axes.plot(minutes, [100 * point[opponent] for point in result["curve"]], color=colour, label=opponent)
        axes.axhline(100 * result["final"][opponent]["asked"], color=colour, linestyle=":", linewidth=1)
    axes.set(xlabel="minutes of learning", ylabel="games won, %", ylim=(0, 101), title=result["summary"])
    axes.title.set_fontsize(9)
    axes.legend(title="against", frameon=False, loc="lower right")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=120, metadata={"Software": None})
    pyplot.close(figure)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", choices=RUNS, help="; ".join(f"{name}: {run.summary}" for name, run in RUNS.items()))
    parser.add_argument("--steps", type=int, help="environment steps (default: the run's own)")
    parser.add_argument("--games", type=int, default=400, help="games of the final evaluation, per opponent")
    parser.add_argument("--out", type=Path, default=Path(), help="folder for the .json and the .png")
    parser.add_argument("--threads", type=int, default=2, help="threads of PyTorch")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    result = learn(RUNS[arguments.run], arguments.steps, arguments.games, say=functools.partial(print, flush=True))
    arguments.out.mkdir(parents=True, exist_ok=True)
    target = arguments.out / f"{arguments.run}.json"
    target.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    draw(result, target.with_suffix(".png"))
    print(f"wrote {target} and {target.with_suffix('.png')}")


if __name__ == "__main__":
    main()
