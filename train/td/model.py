"""The model of TD(λ): the win probability as a function of two players' values, with a conversion to `Weights`.

Each player's position has the value P = θ · φ, with the features φ of `players.duels.FEATURES`. The win probability is
σ(k · ln(P_mine / P_theirs)) = P_mineᵏ / (P_mineᵏ + P_theirsᵏ), where k is the `sharpness` of `Weights`. The search
agents compute win probabilities with the same formula, so they can use the learned weights unchanged.

**From θ to `Weights`.** The value of a super region has a constant part, which does not depend on the position. The
evaluation of `Weights` adds a number to the constant parts of all super regions, so that the smallest constant part is
1, and then multiplies all constant parts by the weight `region_super`. If θ makes the constant parts of all super
regions positive, there are `Weights` that give exactly the same values of positions as θ. For `Weights` that are equal
to θ, `region_super` is the smallest constant part of a super region in θ, and the four weights of super regions are
those of θ divided by `region_super`. `Model.project` keeps the constant parts of all super regions above 0 after each
step.

The win probability does not change if all values of positions are multiplied by the same number. The method `weights`
scales all values by one factor, which it chooses so that the weight of an army keeps its initial value. The weight
`not_neutral`, which multiplies the values of regions in positions, does not change. The weight `owner_regions` values
an opponent's region as a target; the value of a position does not depend on `owner_regions`. The ratio of
`owner_regions` to the mean constant part of the super regions does not change. The weights for the choice of start
regions do not change. Weights outside `BOUNDS` are clipped.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.agents.weights import BOUNDS, Weights, super_region_terms
from warlight_env.engine.board import make_board
from warlight_env.maps import load

#: The indices of the features of super regions in FEATURES, except "held". The coefficient of "held" is computed from
#: the shift of the constant parts.
_SUPER: Final = slice(1, 5)
#: The smallest constant part of a super region, divided by the mean constant part.
_LEAST: Final = 0.01

Floats = npt.NDArray[np.float64]


class Model:
    """The win probability as a function of the features of two positions; see the docstring of the module."""

    def __init__(self, map: str, weights: Weights) -> None:
        self.terms = super_region_terms(make_board(load(map)))
        self._start = weights
        self.theta, self.sharpness = coefficients(weights, self.terms), weights.sharpness

    def copy(self) -> Model:
        """Return a copy of the model; changes of the copy do not change the original model."""
        other = object.__new__(Model)
        other.terms, other._start, other.theta, other.sharpness = (
            self.terms,
            self._start,
            self.theta.copy(),
            self.sharpness,
        )
        return other

    def chance(self, features: npt.NDArray[np.floating[Any]]) -> Floats:
        """Return the win probability of player 0, float64[...], from features [..., 2, F]."""
        worth = np.maximum(features @ self.theta, 1e-9)
        return 1 / (1 + np.exp(-self.sharpness * np.log(worth[..., 0] / worth[..., 1])))

    def gradient(self, features: npt.NDArray[np.floating[Any]], target: Floats) -> tuple[Floats, float]:
        """Return the gradients of the mean cross-entropy with respect to θ, float64[F], and to ln k.

        Args:
            features: [M, 2, F].
            target: float64[M], the target win probabilities of player 0.
        """
        worth = np.maximum(features @ self.theta, 1e-9)
        ratio = np.log(worth[:, 0] / worth[:, 1])
        error = 1 / (1 + np.exp(-self.sharpness * ratio)) - target
        part = features / worth[..., None]
        by_theta = self.sharpness * (error[:, None] * (part[:, 0] - part[:, 1])).mean(0)
        return by_theta, float((error * ratio).mean() * self.sharpness)

    def project(self) -> None:
        """Make the value of an army and the constant parts of super regions in θ positive.

        The method `weights` can convert θ only if the value of an army and all constant parts are positive.
        """
        static = self.theta[0] + self.theta[_SUPER] @ self.terms
        least = max(_LEAST * static.mean(), np.abs(self.theta[_SUPER]).max() / BOUNDS["bonus"][1], 1e-6)
        self.theta[0] += max(0.0, least - static.min())
        self.theta[6:8] = np.maximum(self.theta[6:8], [0.0, 1e-6])

    def weights(self) -> Weights:
        """Return the model as `Weights`, with which the searches compute the win probabilities of this model."""
        start, factor = self._start, self._start.not_neutral
        static = self.theta[0] + self.theta[_SUPER] @ self.terms
        scale = start.army / float(self.theta[7])
        regional = scale / factor * self.theta
        values = dict(zip(("bonus", "neighbors", "borders", "regions"), self.theta[_SUPER] / static.min(), strict=True))
        values["region_super"] = scale / factor * static.min()
        values["own_regions"], values["whole_bonus_squared"] = regional[5], regional[6]
        values["largest_territory"], values["threatened_bonus"] = scale * self.theta[8], scale * self.theta[9]
        values["sharpness"] = self.sharpness
        before = coefficients(start, self.terms)
        mean_before = float((before[0] + before[_SUPER] @ self.terms).mean())
        values["owner_regions"] = start.owner_regions * scale * float(static.mean()) / mean_before
        clipped = {name: float(min(max(value, BOUNDS[name][0]), BOUNDS[name][1])) for name, value in values.items()}
        return start._replace(neighbor_values=0.0, **clipped)


def coefficients(weights: Weights, terms: Floats) -> Floats:
    """Return θ for weights, float64[F]: the value of a position with features φ is θ · φ.

    terms: float64[4, S], `super_region_terms` of the map.
    """
    w = weights
    later = np.array([w.bonus, w.neighbors, w.borders, w.regions])
    shift = 1.0 - float((later @ terms).min())
    regional = np.array([w.region_super * shift, *(w.region_super * later), w.own_regions, w.whole_bonus_squared])
    return np.concatenate([w.not_neutral * regional, [w.army, w.largest_territory, w.threatened_bonus]])


def returns(values: Floats, outcome: float, trace: float) -> Floats:
    """Return the λ-returns of T positions of a game, float64[T]. values: float64[T], the model's win probabilities."""
    target = np.empty_like(values)
    following = outcome
    for t in range(len(values) - 1, -1, -1):
        target[t] = following
        following = (1 - trace) * values[t] + trace * following
    return target
