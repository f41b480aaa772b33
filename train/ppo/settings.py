"""The common settings of PPO runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from warlight_env.errors import InputError
from warlight_env.train.common.checks import check_agents, check_not_negative, check_positive, check_shares, check_whole
from warlight_env.train.common.settings import RunSettings


@dataclass(frozen=True, kw_only=True)
class PpoSettings(RunSettings):
    """The settings of a PPO run, beside those of `RunSettings`.

    Args:
        iterations: number of iterations.
        envs: number of concurrent games.
        steps: number of steps of each game in an iteration.
        epochs: number of passes over an iteration's steps.
        minibatch: number of steps in a minibatch.
        rate: learning rate of Adam; it falls linearly to a tenth.
        gamma: discount.
        trace: λ of the advantages.
        clip: PPO's clip range of ratios.
        entropy: weight of the entropy in the loss.
        value: weight of the critic's loss.
        opponents: agents that are opponents in training.
        snapshot: number of iterations between snapshots of the policy that join the opponents; 0: no snapshots.
        snapshots: number of the newest snapshots that stay.
        priority: an opponent's weight in draws is (1 - share of games won against it) to this power.
        least: smallest weight of an opponent.
        evaluation: number of iterations between evaluations. The policy with the highest score in them is the result.
        evaluation_units: number of seeds of an evaluation's matches; each is played in both seats.
        evaluate: opponents in evaluations.
        threads: number of threads for learning on the processor.

    Raises:
        InputError: a number does not allow learning, or there is no agent to meet.
    """

    quick_values: ClassVar[dict[str, Any]] = {
        "iterations": 2, "envs": 8, "steps": 16, "minibatch": 32, "snapshot": 1, "evaluation": 1,
        "evaluation_units": 1, "holdout_units": 2,
    }  # fmt: skip

    iterations: int = 200
    envs: int
    steps: int
    epochs: int
    minibatch: int = 1024
    rate: float = 1e-3
    gamma: float
    trace: float = 0.9
    clip: float = 0.2
    entropy: float
    value: float = 0.5
    opponents: tuple[str, ...]
    snapshot: int = 20
    snapshots: int = 4
    priority: float = 1.0
    least: float = 0.1
    evaluation: int = 20
    evaluation_units: int = 50
    evaluate: tuple[str, ...]
    threads: int
    holdout_units: int = 200

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(
            self, 1, "iterations", "envs", "steps", "epochs", "snapshots", "evaluation", "evaluation_units", "threads"
        )
        check_whole(self, 0, "snapshot")
        if not 2 <= self.minibatch <= self.envs * self.steps:
            raise InputError(
                f"minibatch = {self.minibatch!r}: must lie in 2 .. envs * steps = {self.envs * self.steps}"
            )
        check_shares(self, "gamma", "trace", "least")
        check_positive(self, "rate", "clip")
        check_not_negative(self, "entropy", "value", "priority")
        for name in ("opponents", "evaluate"):
            if not getattr(self, name):
                raise InputError(f"{name}: at least one agent must be named")
        check_agents(self, "opponents", "evaluate", "holdout")
