"""All that decides a run of TD learning, as people write it in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from warlight_env.agents.players.duels import FEATURES
from warlight_env.errors import InputError, did_you_mean
from warlight_env.train.common.checks import check_shares, check_whole
from warlight_env.train.weights.trainer import WeightsSettings


@dataclass(frozen=True)
class TdSettings(WeightsSettings):
    """All that decides a run of TD learning, beside `WeightsSettings`.

    Args:
        batches: of `games` games of self-play each.
        trace: λ. rate: of Adam, in parts of each coefficient's natural size; it falls to a tenth by a cosine.
        passes: over a batch's positions. minibatch: positions of a step.
        explore: chance of a turn at random in self-play.
        samples: of the one-ply player.
        learn: the FEATURES whose coefficients are learned; the sharpness is, too.
        review: batches between measurements against the start, of `review_units` seeds in both seats.

    Raises:
        InputError: a number with which nothing could be learned.
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
