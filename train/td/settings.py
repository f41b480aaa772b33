"""The settings of a run of TD learning. The names of the fields are the keys of a settings file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from warlight_env.agents.players.duels import FEATURES
from warlight_env.errors import InputError, did_you_mean
from warlight_env.train.common.checks import check_integers, check_shares
from warlight_env.train.weights.trainer import WeightsSettings


@dataclass(frozen=True)
class TdSettings(WeightsSettings):
    """The settings of a run of TD learning, in addition to the settings of `WeightsSettings`.

    Args:
        batches: number of batches of self-play.
        games: number of games in a batch.
        td_lambda: λ of the λ-returns.
        learning_rate: learning rate of Adam, relative to the typical size of each coefficient; it falls to a tenth
            along a cosine.
        n_epochs: number of passes over the positions of a batch.
        batch_size: number of positions in a gradient step.
        epsilon: probability of a random turn in self-play.
        samples: number of simulated rounds for each candidate turn of the one-ply player.
        learn: features of the evaluation with learned coefficients: held, bonus, neighbors, borders, regions,
            own_regions, whole_bonus_squared, army, largest_territory, threatened_bonus. The weight `sharpness` is
            always learned.
        eval_interval: number of batches between reviews (matches against the initial weights).
        eval_pairs: number of game pairs of a review; a pair is two games with one seed and exchanged seats.

    Raises:
        InputError: a number is invalid, `learn` contains an unknown feature, or an agent of `holdout` does not exist,
            is in the list twice, or cannot play under `conditions`.
    """

    quick_values: ClassVar[dict[str, Any]] = {"batches": 2, "games": 8, "eval_pairs": 2, "holdout_pairs": 2}

    batches: int = 24
    games: int = 256
    td_lambda: float = 0.8
    learning_rate: float = 0.02
    n_epochs: int = 2
    batch_size: int = 512
    epsilon: float = 0.1
    samples: int = 5
    learn: tuple[str, ...] = ("own_regions", "whole_bonus_squared", "army", "largest_territory", "threatened_bonus")
    eval_interval: int = 1
    eval_pairs: int = 300

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integers(self, 1, "batches", "games", "n_epochs", "batch_size", "samples", "eval_interval", "eval_pairs")
        for name in self.learn:
            if name not in FEATURES:
                raise InputError(
                    f"learn: there is no feature {name!r}{did_you_mean(name, FEATURES)}; use {', '.join(FEATURES)}"
                )
        check_shares(self, "td_lambda", "epsilon")
