"""TD(λ) by self-play: weights of the evaluation that say how likely a player is to win.

The model is the search's own share: with positions P = θ · φ of both players (φ: `agents.duels.FEATURES`) the chance
to win is σ(k · ln(P_mine / P_theirs)) = P_mineᵏ / (P_mineᵏ + P_theirsᵏ). That is a logistic output, and it is
`sharpness` k of `Weights`: what is learned here is used there as it is, and the share means a probability.

Targets are λ-returns (Sutton and Barto, "Reinforcement Learning", 2nd ed., chapter 12): a game is played by the
one-ply player with the weights as they are, then G_T = the outcome and G_t = (1 − λ) V(s_{t+1}) + λ G_{t+1}. The step
goes down the cross-entropy between G and V, by Adam (Kingma and Ba, arXiv:1412.6980).

**From θ to `Weights`.** The evaluation shifts the constant part of super regions so that the smallest is 1, and then
multiplies it by `region_super`. So θ, where every super region's constant part is above 0, has weights with the very
same positions: the four weights of super regions are divided by the smallest constant part, which becomes
`region_super`. To keep every part above 0, θ is projected after each step (`Model.project`). A share does not change
when all positions are multiplied by a number; that is chosen so that an army is worth what it was. `not_neutral`, which
multiplies what regions are worth in positions, stays, and what is not in positions (the worth of an enemy's regions as
targets) keeps its proportion to the mean constant part; picks stay as they are. Only weights beyond `BOUNDS` are cut.

**What is taken.** Self-play moves on with the weights, so that the last ones need not be the best players. Every
`review` batches they play the start; the run's result is what scored best there, and the final match tells how much of
that was luck.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.agents.duels import FEATURES
from warlight_env.agents.weights import BOUNDS, THESIS, Weights, super_region_terms
from warlight_env.arena.ratings.statistics import unit_interval
from warlight_env.engine.board import make_board
from warlight_env.engine.rng import derive_seed
from warlight_env.errors import InputError, RunError, did_you_mean
from warlight_env.maps import load
from warlight_env.train.common.conditions import Conditions
from warlight_env.train.common.journal import Journal, JournalError
from warlight_env.train.common.settings_file import check_whole
from warlight_env.train.weights.duel_batches import Duels, Traces

_PLAY, _TEST, _CALIBRATION = 1, 2, 3
#: Places of FEATURES in Weights, but for "held", which the shift stands for.
_SUPER: Final = slice(1, 5)
#: The smallest constant part of a super region, as a share of their mean.
_LEAST: Final = 0.01
#: Larger steps mean that learning has come apart.
_MOST: Final = 20.0

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TdSettings:
    """All that decides a run of TD learning.

    Args:
        batches: of `games` games of self-play each.
        trace: λ. rate: of Adam, in parts of each coefficient's natural size; it falls to a tenth by a cosine.
        passes: over a batch's positions. minibatch: positions of a step.
        explore: chance of a turn at random in self-play.
        samples: of the one-ply player.
        learn: the FEATURES whose coefficients are learned; the sharpness is, too.
        review: batches between measurements against the start, of `review_units` seeds in both seats.
        seed: of everything, from 0 up.
        holdout_units, holdout: as in `EvolveSettings`.

    Raises:
        InputError: a number with which nothing could be learned.
    """

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
    conditions: Conditions = field(default_factory=Conditions)
    seed: int = 1
    holdout_units: int = 400
    holdout: tuple[str, ...] = ("one_big_army",)

    def __post_init__(self) -> None:
        check_whole(
            self, 1, "batches", "games", "passes", "minibatch", "samples", "review", "review_units", "holdout_units"
        )
        check_whole(self, 0, "seed")
        for name in self.learn:
            if name not in FEATURES:
                raise InputError(
                    f"learn: no feature {name!r}{did_you_mean(name, FEATURES)}; there are {', '.join(FEATURES)}"
                )
        for name in ("trace", "explore"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"{name} = {getattr(self, name)!r}: must lie in 0 .. 1")

    def to_dict(self) -> dict[str, Any]:
        """As JSON takes it."""
        return asdict(self)


class Model:
    """The chance to win as a function of two positions' features; see the module."""

    def __init__(self, map: str, weights: Weights) -> None:
        self.terms = super_region_terms(make_board(load(map)))
        self._start = weights
        self.theta, self.sharpness = coefficients(weights, self.terms), weights.sharpness

    def copy(self) -> Model:
        """One that learns by itself."""
        other = object.__new__(Model)
        other.terms, other._start, other.theta, other.sharpness = (
            self.terms,
            self._start,
            self.theta.copy(),
            self.sharpness,
        )
        return other

    def chance(self, features: npt.NDArray[np.floating[Any]]) -> Floats:
        """The chance of player 0, float64[...], by features [..., 2, F]."""
        worth = np.maximum(features @ self.theta, 1e-9)
        return 1 / (1 + np.exp(-self.sharpness * np.log(worth[..., 0] / worth[..., 1])))

    def gradient(self, features: npt.NDArray[np.floating[Any]], target: Floats) -> tuple[Floats, float]:
        """Of the mean cross-entropy, by θ float64[F] and by ln k; features [M, 2, F], target float64[M]."""
        worth = np.maximum(features @ self.theta, 1e-9)
        ratio = np.log(worth[:, 0] / worth[:, 1])
        error = 1 / (1 + np.exp(-self.sharpness * ratio)) - target
        part = features / worth[..., None]
        by_theta = self.sharpness * (error[:, None] * (part[:, 0] - part[:, 1])).mean(0)
        return by_theta, float((error * ratio).mean() * self.sharpness)

    def project(self) -> None:
        """Move θ to where there are weights for it: super regions' constant parts and an army are worth something."""
        static = self.theta[0] + self.theta[_SUPER] @ self.terms
        least = max(_LEAST * static.mean(), np.abs(self.theta[_SUPER]).max() / BOUNDS["bonus"][1], 1e-6)
        self.theta[0] += max(0.0, least - static.min())
        self.theta[6:8] = np.maximum(self.theta[6:8], [0.0, 1e-6])

    def weights(self) -> Weights:
        """The same as `Weights`: shares of positions are this model's chances."""
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
    """θ of weights, float64[F]: positions are θ · φ; terms float64[4, S] is `super_region_terms` of the map."""
    w = weights
    later = np.array([w.bonus, w.neighbors, w.borders, w.regions])
    shift = 1.0 - float((later @ terms).min())
    regional = np.array([w.region_super * shift, *(w.region_super * later), w.own_regions, w.whole_bonus_squared])
    return np.concatenate([w.not_neutral * regional, [w.army, w.largest_territory, w.threatened_bonus]])


def returns(values: Floats, outcome: float, trace: float) -> Floats:
    """λ-returns of a game's positions, float64[T]: values float64[T] are the chances that the model gives them."""
    target = np.empty_like(values)
    following = outcome
    for t in range(len(values) - 1, -1, -1):
        target[t] = following
        following = (1 - trace) * values[t] + trace * following
    return target


def positions(traces: Traces, model: Model, trace: float) -> tuple[npt.NDArray[np.float64], Floats, Floats]:
    """All positions of games, float64[M, 2, F], with their λ-returns and the outcomes, float64[M]."""
    features, targets, outcomes = [], [], []
    for b, rounds in enumerate(traces.rounds.tolist()):
        of_game = traces.features[b, :rounds].astype(np.float64)
        features.append(of_game)
        targets.append(returns(model.chance(of_game), float(traces.scores[b]), trace))
        outcomes.append(np.full(rounds, traces.scores[b]))
    return np.concatenate(features), np.concatenate(targets), np.concatenate(outcomes)


class TdRun:
    """A run.

    Args:
        settings: what decides it, with `start`.
        journal: of its folder, open.
        jobs: threads; what is learned does not depend on them.
        say: told of every batch.
    """

    def __init__(
        self, settings: TdSettings, journal: Journal, start: Weights = THESIS, jobs: int = 1,
        say: Callable[[dict[str, Any]], None] = lambda entry: None,
    ) -> None:  # fmt: skip
        journal.check()
        self.settings, self.journal, self.start, self._say = settings, journal, start, say
        c = settings.conditions
        self._duels = Duels(c.map, c.rules, picks=c.picks, samples=settings.samples, max_rounds=c.max_rounds, jobs=jobs)
        self.model = Model(c.map, start)
        # Coefficients differ by orders of magnitude: a step is a share of a feature's typical part of a position.
        self._sizes = np.maximum(np.abs(self.model.theta), 0.1 * self._natural())
        self._sizes[[name not in settings.learn for name in FEATURES]] = 0.0
        self._moments = np.zeros((2, len(FEATURES) + 1))
        self._steps = 0

    def run(self) -> Weights:
        """Go on to the end; returns the weights that scored best in a review, which `model` then has, too.

        Raises:
            RunError: a number is no longer one, or the folder cannot be written; the same run goes on from there.
            JournalError: the journal is not of this run.
        """
        entries = list(self.journal.entries)
        for batch in range(self.settings.batches):
            if batch < len(entries):
                if (entries[batch].get("event"), entries[batch].get("batch")) != ("batch", batch):
                    raise JournalError(f"{self.journal.folder}: no line of batch {batch} where it belongs")
                self._restore(entries[batch])
                continue
            began = time.perf_counter()
            entry = self._batch(batch)
            entry["seconds"] = round(time.perf_counter() - began, 3)
            self.journal.append(entry)
            self._say(entry)
        reviewed = [entry for entry in self.journal.entries if "against_start" in entry]
        self._restore(max(reviewed, key=lambda entry: entry["against_start"]))
        return self.model.weights()

    def calibration(self, games: int = 1000, bins: int = 10) -> list[dict[str, float]]:
        """How often positions are won that the model gives a chance in each tenth, in games of their own."""
        traces = self._duels.traces(self.model.weights(), games, derive_seed(self.settings.seed, _CALIBRATION))
        features, _, outcomes = positions(traces, self.model, 1.0)
        features, outcomes = np.concatenate([features, features[:, ::-1]]), np.concatenate([outcomes, 1 - outcomes])
        chance = self.model.chance(features)  # from either side: a game is won as often as it is lost
        place = np.minimum((chance * bins).astype(int), bins - 1)
        rows = []
        for i in range(bins):
            inside = place == i
            if inside.any():
                rows.append(
                    {
                        "positions": int(inside.sum()), "predicted": float(chance[inside].mean()),
                        "won": float(outcomes[inside].mean()),
                    }
                )  # fmt: skip
        return rows

    def _natural(self) -> Floats:
        """Per feature the coefficient with which it makes up a typical position by itself."""
        traces = self._duels.traces(self.start, 32, derive_seed(self.settings.seed, _TEST, 1))
        features, _, _ = positions(traces, self.model, 1.0)
        worth = (features @ self.model.theta).mean()
        return worth / np.maximum(np.abs(features).mean((0, 1)), 1e-3)

    def _batch(self, batch: int) -> dict[str, Any]:
        s = self.settings
        seed = derive_seed(s.seed, _PLAY, batch)
        traces = self._duels.traces(self.model.weights(), s.games, seed, s.explore)
        features, targets, outcomes = positions(traces, self.model, s.trace)
        loss = float(-_cross(self.model.chance(features), outcomes).mean())
        rng = np.random.default_rng([s.seed, batch])
        rate = s.rate * (0.55 + 0.45 * math.cos(math.pi * batch / s.batches))
        for _ in range(s.passes):
            order = rng.permutation(len(features))
            for low in range(0, len(order), s.minibatch):
                chosen = order[low : low + s.minibatch]
                self._step(features[chosen], targets[chosen], rate)
        if not (np.isfinite(self.model.theta).all() and math.isfinite(self.model.sharpness) and math.isfinite(loss)):
            raise RunError(f"batch {batch + 1}: a coefficient is not a number; the run stops, and the last one is kept")
        entry: dict[str, Any] = {
            "event": "batch", "batch": batch, "games": s.games, "positions": len(features), "loss": loss,
            "theta": self.model.theta.tolist(), "sharpness": self.model.sharpness,
            "moments": self._moments.tolist(), "steps": self._steps,
        }  # fmt: skip
        if (batch + 1) % s.review == 0 or batch + 1 == s.batches:
            scores = self._duels.scores(
                [self.model.weights()], [self.start], s.review_units, derive_seed(s.seed, _TEST, batch + 2)
            )
            shares = scores[0, 0].reshape(-1, 2).mean(1)
            entry["against_start"], entry["interval"] = float(shares.mean()), list(unit_interval(shares.tolist()))
        return entry

    def _step(self, features: Floats, target: Floats, rate: float) -> None:
        by_theta, by_log = self.model.gradient(features, target)
        gradient = np.concatenate([by_theta * self._sizes, [by_log]])
        self._steps += 1
        for moment, power, decay in zip(self._moments, (1, 2), (0.9, 0.999), strict=True):
            moment *= decay
            moment += (1 - decay) * gradient**power
        mean, square = self._moments[0] / (1 - 0.9**self._steps), self._moments[1] / (1 - 0.999**self._steps)
        step = rate * mean / (np.sqrt(square) + 1e-8)
        if not (np.abs(step) < _MOST).all():
            raise RunError(f"step {self._steps}: the gradient is not a number, or too large; what the run has is kept")
        self.model.theta -= self._sizes * step[:-1]
        low, high = BOUNDS["sharpness"]
        self.model.sharpness = min(max(self.model.sharpness * math.exp(-step[-1]), low), high)
        self.model.project()

    def _restore(self, entry: dict[str, Any]) -> None:
        try:
            theta, moments = (np.array(entry[name], dtype=np.float64) for name in ("theta", "moments"))
        except ValueError:  # rows of other lengths
            theta = moments = np.zeros(0)
        if (theta.shape, moments.shape) != (self.model.theta.shape, self._moments.shape):
            raise JournalError(f"{self.journal.folder}: batch {entry['batch']}: not as many coefficients as there are")
        self.model.theta, self.model.sharpness = theta, float(entry["sharpness"])
        self._moments, self._steps = moments, int(entry["steps"])


def _cross(chance: Floats, outcome: Floats) -> Floats:
    """Logarithm of the chance that was given to what came."""
    chance = np.clip(chance, 1e-9, 1 - 1e-9)
    return outcome * np.log(chance) + (1 - outcome) * np.log(1 - chance)
