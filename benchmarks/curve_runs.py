"""The learning methods of the learning curves, and the policies that they save during a run."""

from __future__ import annotations

import runpy
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

EXAMPLES = Path(__file__).parent.parent / "examples"
#: Number of calls of a Stable-Baselines3 callback between two saved models. One call is one step of all environments.
EVERY = 500


class LearnedPolicy(NamedTuple):
    """A policy that a run saved: CPU seconds and steps so far, and its file."""

    seconds: float
    steps: int
    policy: Path

    @property
    def agent(self) -> str:
        """The specification of the agent with this policy."""
        return agent_of(self.policy)


class Method(NamedTuple):
    """A learning method. `learn` takes a seed, a limit of CPU seconds and an empty folder."""

    description: str
    steps: str  #: unit of its steps
    learn: Callable[[int, float, Path], list[LearnedPolicy]]
    any_map: bool = False  #: whether its policies can play maps of other sizes
    suffix: str = ".npz"  #: suffix of a policy's file


def half_interval(values: npt.ArrayLike) -> Any:
    """Return half the width of the 95 % interval (Student's t) of the mean over seeds.

    Args:
        values: [S, …] for S seeds.

    Returns:
        […], float64; infinite for one seed.
    """
    values = np.asarray(values, np.float64)
    count = len(values)
    if count == 1:
        return np.full_like(values[0], np.inf)[()]
    return stats.t.ppf(0.975, count - 1) * np.std(values, axis=0, ddof=1) / np.sqrt(count)


def agent_of(policy: Path) -> str:
    """Return the specification of the agent with the policy in a file."""
    return f"sb3:file={policy},trust=yes,play=likeliest" if policy.suffix == ".zip" else f"policy:{policy}"


class _TimeOver(Exception):  # noqa: N818 -- no error
    """The CPU time of the run is over."""


class _Clock:
    """A callback of a run: stores the CPU seconds at each step, and ends the run at its time limit."""

    def __init__(self, seconds: float) -> None:
        self._limit, self._start = seconds, time.process_time()
        self.elapsed: list[float] = []

    def __call__(self, entry: dict[str, Any]) -> None:
        self.elapsed.append(time.process_time() - self._start)
        if self.elapsed[-1] >= self._limit:
            raise _TimeOver


def train_exit(settings: str) -> Callable[[int, float, Path], list[LearnedPolicy]]:
    """Return a `learn` function that runs `warlight train exit` with settings from examples/."""

    def learn(seed: int, seconds: float, folder: Path) -> list[LearnedPolicy]:
        from warlight_env.train.common.journal import Journal
        from warlight_env.train.common.settings_file import load_plain, read_settings
        from warlight_env.train.exit.run import ExitRun
        from warlight_env.train.exit.settings import ExitSettings

        exit_settings = replace(read_settings(ExitSettings, load_plain(EXAMPLES / settings), settings), seed=seed)
        policies, positions, clock = [], 0, _Clock(seconds)
        with Journal(folder, exit_settings.to_dict()) as journal:
            with suppress(_TimeOver):
                ExitRun(exit_settings, journal, say=clock).run()
            for entry, elapsed in zip(journal.entries, clock.elapsed, strict=True):
                positions += entry.get("positions", 0)
                if entry["event"] == "fit":
                    policies.append(LearnedPolicy(elapsed, positions, folder / f"network-{entry['iteration'] + 1}.npz"))
        return policies

    return learn


def train_ppo(settings: str) -> Callable[[int, float, Path], list[LearnedPolicy]]:
    """Return a `learn` function that runs `warlight train ppo` with settings from examples/ and no evaluations."""

    def learn(seed: int, seconds: float, folder: Path) -> list[LearnedPolicy]:
        from warlight_env.train.common.journal import Journal
        from warlight_env.train.common.settings_file import load_plain, read_settings
        from warlight_env.train.ppo.run import policy_name

        plain = load_plain(EXAMPLES / settings)
        overrides: dict[str, Any] = {
            "seed": seed,
            "iterations": 100_000,
            "eval_interval": 100_000,
            "snapshot_interval": 5,
        }
        if plain.get("action") == "turns":
            from warlight_env.train.turn_ppo.run import TurnPpoRun as Run
            from warlight_env.train.turn_ppo.settings import TurnPpoSettings as Settings
        else:
            from warlight_env.train.sb3_ppo.run import Sb3PpoRun as Run  # type: ignore[assignment]
            from warlight_env.train.sb3_ppo.settings import Sb3PpoSettings as Settings  # type: ignore[assignment]
        ppo_settings = replace(read_settings(Settings, plain, settings), **overrides, threads=1)
        policies, clock = [], _Clock(seconds)
        with Journal(folder, ppo_settings.to_dict()) as journal:
            run = Run(ppo_settings, journal, say=clock)  # type: ignore[arg-type]
            with suppress(_TimeOver):
                run.run()
            for entry, elapsed in zip(journal.entries, clock.elapsed, strict=True):
                if (path := folder / policy_name(entry["iteration"] + 1)).exists():
                    policies.append(LearnedPolicy(elapsed, entry["steps"], path))
        return policies

    return learn


def sb3(script: str, steps: int) -> Callable[[int, float, Path], list[LearnedPolicy]]:
    """Return a `learn` function for a Stable-Baselines3 model of a script in examples/.

    The script's function `learner(seed)` returns the model. `steps` is the number of steps if the time is sufficient;
    the random exploration depends on this number.
    """

    def learn(seed: int, seconds: float, folder: Path) -> list[LearnedPolicy]:
        from stable_baselines3.common.callbacks import BaseCallback

        from warlight_env.envs.sb3 import save_policy

        class Keeper(BaseCallback):  # type: ignore[misc]
            """Saves models during a run, and ends the run at its time limit."""

            policies: list[LearnedPolicy]

            def _on_training_start(self) -> None:
                self.policies, self.start = [], time.process_time()

            def _on_step(self) -> bool:
                elapsed = time.process_time() - self.start
                if self.n_calls % EVERY == 0 or elapsed >= seconds:
                    path = folder / f"{self.n_calls:09}.zip"
                    save_policy(self.model, path)
                    self.policies.append(LearnedPolicy(elapsed, self.num_timesteps, path))
                return elapsed < seconds

        folder.mkdir()
        keeper = Keeper()
        runpy.run_path(str(EXAMPLES / script))["learner"](seed).learn(steps, callback=keeper)
        return keeper.policies

    return learn


METHODS = {
    "exit": Method("expert iteration", "turns taught", train_exit("exit_curve.toml"), any_map=True),
    "clone": Method("behaviour cloning of the expert", "turns taught", train_exit("exit_clone.toml"), any_map=True),
    "ppo": Method("PPO on turns in full, in batches", "turns played", train_ppo("ppo_turns.toml"), any_map=True),
    "maskable": Method("MaskablePPO, `strategies`", "steps of environments", train_ppo("ppo_strategies.toml")),
    "factored": Method("PPO, `factored`", "steps of environments", train_ppo("ppo_factored.toml")),
    "dqn": Method("DQN, `strategies`", "steps of environments", sb3("dqn_strategies.py", 700_000), suffix=".zip"),
}


def keep(policy: Path, path: Path) -> None:
    """Copy a policy file. For a Stable-Baselines3 model, also copy the settings file next to it."""
    shutil.copyfile(policy, path)
    if policy.suffix == ".zip":
        shutil.copyfile(policy.with_suffix(".json"), path.with_suffix(".json"))
