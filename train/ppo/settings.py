"""The common settings of PPO runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from warlight_env.errors import InputError
from warlight_env.train.common.checks import (
    check_different_agents,
    check_integers,
    check_not_negative,
    check_positive,
    check_shares,
)
from warlight_env.train.common.settings import RunSettings

#: The largest number of threads for learning.
MOST_THREADS: Final = 1024


@dataclass(frozen=True, kw_only=True)
class PpoSettings(RunSettings):
    """The settings of a PPO run, in addition to the settings of `RunSettings`.

    Args:
        iterations: number of iterations.
        n_envs: number of games that run in parallel.
        n_steps: number of steps of each parallel game in an iteration.
        n_epochs: number of passes over the steps of an iteration.
        batch_size: number of steps in a minibatch.
        learning_rate: initial learning rate of Adam; it falls linearly to a tenth of this value.
        gamma: discount factor.
        gae_lambda: λ of the generalized advantage estimates.
        clip_range: clip range of the probability ratios in PPO's loss.
        ent_coef: weight of the entropy in the loss.
        vf_coef: weight of the critic's loss.
        opponents: agents that are opponents in training.
        snapshot_interval: number of iterations between snapshots of the policy, which become opponents; 0: no
            snapshots.
        max_snapshots: largest number of snapshots among the opponents; the oldest are removed.
        pfsp_exponent: exponent of prioritized fictitious self-play: the probability of an opponent is proportional to
            (1 - the policy's win rate against it) to this power.
        min_opponent_weight: smallest weight of an opponent in the sampling of opponents.
        eval_interval: number of iterations between evaluations. The policy with the highest score in an evaluation is
            the result of the run.
        eval_pairs: number of game pairs of an evaluation's matches; a pair is two games with one seed and exchanged
            seats.
        eval_opponents: opponents in evaluations.
        threads: number of CPU threads for learning, at most 1024.

    Raises:
        InputError: a number is invalid, a list of opponents is empty, or an agent of `eval_opponents` or `holdout`
            cannot play under `conditions`.
    """

    quick_values: ClassVar[dict[str, Any]] = {
        "iterations": 2, "n_envs": 8, "n_steps": 16, "batch_size": 32, "snapshot_interval": 1, "eval_interval": 1,
        "eval_pairs": 1, "holdout_pairs": 2,
    }  # fmt: skip

    iterations: int = 200
    n_envs: int
    n_steps: int
    n_epochs: int
    batch_size: int = 1024
    learning_rate: float = 1e-3
    gamma: float
    gae_lambda: float = 0.9
    clip_range: float = 0.2
    ent_coef: float
    vf_coef: float = 0.5
    opponents: tuple[str, ...]
    snapshot_interval: int = 20
    max_snapshots: int = 4
    pfsp_exponent: float = 1.0
    min_opponent_weight: float = 0.1
    eval_interval: int = 20
    eval_pairs: int = 50
    eval_opponents: tuple[str, ...]
    threads: int
    holdout_pairs: int = 200

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integers(
            self,
            1,
            "iterations",
            "n_envs",
            "n_steps",
            "n_epochs",
            "max_snapshots",
            "eval_interval",
            "eval_pairs",
        )
        check_integers(self, 1, "threads", maximum=MOST_THREADS)
        check_integers(self, 0, "snapshot_interval")
        if not 2 <= self.batch_size <= self.n_envs * self.n_steps:
            raise InputError(
                f"batch_size = {self.batch_size!r}: must lie in 2 .. n_envs * n_steps = {self.n_envs * self.n_steps}"
            )
        check_shares(self, "gamma", "gae_lambda", "min_opponent_weight")
        check_positive(self, "learning_rate", "clip_range")
        check_not_negative(self, "ent_coef", "vf_coef", "pfsp_exponent")
        for name in ("opponents", "eval_opponents"):
            if not getattr(self, name):
                raise InputError(f"{name}: give at least one agent")
        check_different_agents(self, "opponents")
        self.check_agents("eval_opponents", "holdout")
