"""The settings of a run of TD learning, as a settings file gives them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from warlight_env.agents.players.duels import FEATURES
from warlight_env.errors import InputError, did_you_mean
from warlight_env.train.common.checks import check_shares, check_whole
from warlight_env.train.weights.trainer import WeightsSettings


@dataclass(frozen=True)
class TdSettings(WeightsSettings):
    """The settings of a run of TD learning, beside those of `WeightsSettings`.

    Args:
        batches: number of batches of self-play.
        games: number of games in a batch.
        trace: λ of the returns.
        rate: learning rate of Adam, as a share of each coefficient's natural size; it falls to a tenth by a cosine.
        passes: number of passes over a batch's positions.
        minibatch: number of positions in a step.
        explore: chance of a random turn in self-play.
        samples: samples of the one-ply player.
        learn: terms with learned coefficients: held, bonus, neighbors, borders, regions, own_regions,
            whole_bonus_squared, army, largest_territory, threatened_bonus. The sharpness is always learned.
        review: number of batches between measurements against the initial weights.
        review_units: number of seeds of a measurement; each is played in both seats.

    Raises:
        InputError: a number does not allow learning.
    """

    quick_values: ClassVar[dict[str, Any]] = {"batches": 2, "games": 8, "review_units": 2, "holdout_units": 2}

    batches: int = 24
    games: int = 256
    trace: float = 0.8
    rate: float = 0.02
    passes: int = 2
    minibatch: int = 512
    explore: float = 0.1
    samples: int = 5
    learn: tuple[str, ...] = ("own_regions", "whole_bonus_squared", "army", "largest_territory", "threatened_bonus")
    review: int = 1
    review_units: int = 300

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(self, 1, "batches", "games", "passes", "minibatch", "samples", "review", "review_units")
        for name in self.learn:
            if name not in FEATURES:
                raise InputError(
                    f"learn: no feature {name!r}{did_you_mean(name, FEATURES)}; there are {', '.join(FEATURES)}"
                )
        check_shares(self, "trace", "explore")
