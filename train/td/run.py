"""TD(λ) in self-play: the run learns weights of the evaluation that predict a player's win probability.

Targets are λ-returns (Sutton and Barto, "Reinforcement Learning", 2nd ed., chapter 12). The one-ply player plays a game
with the current weights. The targets G of a game are G_T = the outcome and G_t = (1 − λ) V(s_{t+1}) + λ G_{t+1}. Adam
(Kingma and Ba, arXiv:1412.6980) minimizes the cross-entropy between the targets G and the predicted win probabilities
V.

**The result.** Self-play changes with the weights, so the last weights are not always the best. After every
`eval_interval` batches the current weights play against the initial weights. The weights with the highest score are the
result of the run. The final match, with new seeds, gives an unbiased score of the run's result.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.agents.players.duels import FEATURES
from warlight_env.agents.weights import BOUNDS, Weights, super_region_terms
from warlight_env.arena.backends.backend import Backend
from warlight_env.arena.ratings.statistics import unit_interval
from warlight_env.engine.board import make_board
from warlight_env.engine.rng import derive_seed
from warlight_env.errors import RunError
from warlight_env.maps import load
from warlight_env.train.common.journal import Journal, JournalError
from warlight_env.train.common.report import Line, Report, percent
from warlight_env.train.common.trainer import Say
from warlight_env.train.td.settings import TdSettings
from warlight_env.train.weights.duel_batches import Duels, Traces
from warlight_env.train.weights.genes import ParameterVector
from warlight_env.train.weights.trainer import WeightsTrainer

#: The indices of the features of super regions in FEATURES, except "held". The coefficient of "held" is computed from
#: the shift of the constant parts.
_SUPER: Final = slice(1, 5)
#: The smallest constant part of a super region, divided by the mean constant part.
_LEAST: Final = 0.01

Floats = npt.NDArray[np.float64]

_PLAY, _TEST, _CALIBRATION = 1, 2, 3
#: The largest allowed step of the optimizer; a larger step means that learning has diverged.
_MOST: Final = 20.0

#: The number of intervals of predicted win probabilities in the calibration.
_BINS: Final = 10


class Model:
    """The win probability as a function of two players' values, with a conversion to `Weights`.

    Each player's position has the value P = θ · φ, with the features φ of `players.duels.FEATURES`. The win probability
    is σ(k · ln(P_mine / P_theirs)) = P_mineᵏ / (P_mineᵏ + P_theirsᵏ), where k is the `sharpness` of `Weights`. The
    search agents compute win probabilities with the same formula, so they can use the learned weights unchanged.

    **From θ to `Weights`.** The value of a super region has a constant part, which does not depend on the position. The
    evaluation of `Weights` adds a number to the constant parts of all super regions, so that the smallest constant part
    is 1, and then multiplies all constant parts by the weight `region_super`. If θ makes the constant parts of all
    super regions positive, there are `Weights` that give exactly the same values of positions as θ. For `Weights` that
    are equal to θ, `region_super` is the smallest constant part of a super region in θ, and the four weights of super
    regions are those of θ divided by `region_super`. `Model.project` keeps the constant parts of all super regions
    above 0 after each step.

    The win probability does not change if all values of positions are multiplied by the same number. The method
    `weights` scales all values by one factor, which it chooses so that the weight of an army keeps its initial value.
    The weight `not_neutral`, which multiplies the values of regions in positions, does not change. The weight
    `owner_regions` values an opponent's region as a target; the value of a position does not depend on `owner_regions`.
    The ratio of `owner_regions` to the mean constant part of the super regions does not change. The weights for the
    choice of start regions do not change. Weights outside `BOUNDS` are clipped.
    """

    def __init__(self, map: str, weights: Weights) -> None:
        self.terms = super_region_terms(make_board(load(map)))
        self._start = weights
        self.theta, self.sharpness = coefficients(weights, self.terms), weights.sharpness

    def chance(self, features: npt.NDArray[np.floating[Any]]) -> Floats:
        """Return the win probability of player 0, float64[...], from features [..., 2, F]."""
        values = np.maximum(features @ self.theta, 1e-9)
        return 1 / (1 + np.exp(-self.sharpness * np.log(values[..., 0] / values[..., 1])))

    def gradient(self, features: npt.NDArray[np.floating[Any]], target: Floats) -> tuple[Floats, float]:
        """Return the gradients of the mean cross-entropy with respect to θ, float64[F], and to ln k.

        Args:
            features: [M, 2, F].
            target: float64[M], the target win probabilities of player 0.
        """
        values = np.maximum(features @ self.theta, 1e-9)
        ratio = np.log(values[:, 0] / values[:, 1])
        error = 1 / (1 + np.exp(-self.sharpness * ratio)) - target
        part = features / values[..., None]
        by_theta = self.sharpness * (error[:, None] * (part[:, 0] - part[:, 1])).mean(0)
        return by_theta, float((error * ratio).mean() * self.sharpness)

    def project(self) -> None:
        """Make the value of an army and the constant parts of super regions in θ positive.

        The method `weights` can convert θ only if the value of an army and all constant parts are positive.
        """
        static = self.theta[0] + self.theta[_SUPER] @ self.terms
        floor = max(_LEAST * static.mean(), np.abs(self.theta[_SUPER]).max() / BOUNDS["bonus"][1], 1e-6)
        self.theta[0] += max(0.0, floor - static.min())
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
    factors = np.array([w.bonus, w.neighbors, w.borders, w.regions])
    shift = 1.0 - float((factors @ terms).min())
    regional = np.array([w.region_super * shift, *(w.region_super * factors), w.own_regions, w.whole_bonus_squared])
    return np.concatenate([w.not_neutral * regional, [w.army, w.largest_territory, w.threatened_bonus]])


def returns(values: Floats, outcome: float, trace: float) -> Floats:
    """Return the λ-returns of T positions of a game, float64[T]. values: float64[T], the model's win probabilities."""
    target = np.empty_like(values)
    next_return = outcome
    for t in range(len(values) - 1, -1, -1):
        target[t] = next_return
        next_return = (1 - trace) * values[t] + trace * next_return
    return target


def positions(traces: Traces, model: Model, trace: float) -> tuple[npt.NDArray[np.float64], Floats, Floats]:
    """Return the features float64[M, 2, F], λ-returns float64[M] and outcomes float64[M] of all M positions."""
    features, targets, outcomes = [], [], []
    for b, rounds in enumerate(traces.rounds.tolist()):
        of_game = traces.features[b, :rounds].astype(np.float64)
        features.append(of_game)
        targets.append(returns(model.chance(of_game), float(traces.scores[b]), trace))
        outcomes.append(np.full(rounds, traces.scores[b]))
    return np.concatenate(features), np.concatenate(targets), np.concatenate(outcomes)


class TdRun(WeightsTrainer[TdSettings]):
    """A run of TD learning; see `Trainer`.

    Args:
        calibration_games: number of games with which the run tests the learned win probabilities at the end.
    """

    command, progress_name, unit = "td", "TD learning", "batches"
    title = "TD(λ) by self-play"

    def __init__(
        self, settings: TdSettings, journal: Journal, jobs: int = 1, backend: str | Backend = "local",
        say: Say = lambda entry: None, calibration_games: int = 1000,
    ) -> None:  # fmt: skip
        super().__init__(settings, journal, jobs, backend, say)
        self.start, self._calibration_games = settings.start.weights, calibration_games
        c = settings.conditions
        self._duels = Duels(c.map, c.rules, picks=c.picks, samples=settings.samples, max_rounds=c.max_rounds, jobs=jobs)
        self.model = Model(c.map, self.start)
        # Coefficients differ by orders of magnitude, so the step of each coefficient is relative to its typical size.
        self._sizes = np.maximum(np.abs(self.model.theta), 0.1 * self._natural())
        self._sizes[[name not in settings.learn for name in FEATURES]] = 0.0
        self._moments = np.zeros((2, len(FEATURES) + 1))
        self._steps = 0

    @staticmethod
    def total(settings: TdSettings) -> int:
        """See `Trainer.total`."""
        return settings.batches

    @staticmethod
    def progress(entry: dict[str, Any]) -> str:
        """See `Trainer.progress`."""
        return f"loss {entry['loss']:.3f}"

    def player(self) -> str:
        """See `WeightsTrainer.player`."""
        return f"one_ply:samples={self.settings.samples}"

    def run(self) -> ParameterVector:
        """See `Trainer.run`. Returns the weights with the highest score in a review, and stores them in `model`."""
        for batch in range(self.settings.batches):
            self._restore(self.once({"event": "batch", "batch": batch}, lambda: self._batch(batch)))  # noqa: B023
        reviewed = [entry for entry in self.journal.entries if "against_start" in entry]
        self._restore(max(reviewed, key=lambda entry: entry["against_start"]))
        return ParameterVector(self.model.weights())

    def calibration(self, games: int = 1000) -> list[dict[str, float]]:
        """Play new games; return the fraction of wins in each of `_BINS` intervals of predicted win probabilities."""
        traces = self._duels.traces(self.model.weights(), games, derive_seed(self.settings.seed, _CALIBRATION))
        features, _, outcomes = positions(traces, self.model, 1.0)
        features, outcomes = np.concatenate([features, features[:, ::-1]]), np.concatenate([outcomes, 1 - outcomes])
        chance = self.model.chance(features)  # for both players: each game is won by one player and lost by the other
        bin_index = np.minimum((chance * _BINS).astype(int), _BINS - 1)
        rows = []
        for i in range(_BINS):
            inside = bin_index == i
            if inside.any():
                rows.append(
                    {
                        "positions": int(inside.sum()), "predicted": float(chance[inside].mean()),
                        "won": float(outcomes[inside].mean()),
                    }
                )  # fmt: skip
        return rows

    def facts(self, artifact: ParameterVector) -> dict[str, Any]:
        """See `Trainer.facts`."""
        return {**super().facts(artifact), "calibration": self.calibration(self._calibration_games)}

    def describe_course(self, report: Report, result: dict[str, Any]) -> None:
        """See `WeightsTrainer.describe_course`."""
        settings, entries, calibration = self.settings, self.journal.entries, result["calibration"]
        reviews = [e for e in entries if "against_start" in e]
        games = [(e["batch"] + 1) * settings.games for e in reviews]
        ends = zip(*(e["interval"] for e in reviews), strict=True)
        report.curves(
            [Line("one-ply", games, [e["against_start"] for e in reviews], *ends)],
            "games played",
            "score",
            mark=0.5,
        )
        loss = Line("cross-entropy of the outcome", [e["batch"] + 1 for e in entries], [e["loss"] for e in entries])
        report.curves([loss], "batch", "loss")
        report.heading("Calibration")
        report.text("The share of positions won, by the chance that the model predicted, in separate games.")
        won = Line("won", [row["predicted"] for row in calibration], [row["won"] for row in calibration])
        report.curves([won], "predicted chance", "share won", diagonal=True)
        report.table(
            ["predicted", "won", "positions"],
            [[percent(row["predicted"]), percent(row["won"]), f"{row['positions']:.0f}"] for row in calibration],
        )

    def _natural(self) -> Floats:
        """For each feature, return the coefficient with which the feature alone would give a position's mean value."""
        traces = self._duels.traces(self.start, 32, derive_seed(self.settings.seed, _TEST, 1))
        features, _, _ = positions(traces, self.model, 1.0)
        mean_value = (features @ self.model.theta).mean()
        return mean_value / np.maximum(np.abs(features).mean((0, 1)), 1e-3)

    def _batch(self, batch: int) -> dict[str, Any]:
        s = self.settings
        seed = derive_seed(s.seed, _PLAY, batch)
        traces = self._duels.traces(self.model.weights(), s.games, seed, s.epsilon)
        features, targets, outcomes = positions(traces, self.model, s.td_lambda)
        loss = float(-_cross(self.model.chance(features), outcomes).mean())
        rng = np.random.default_rng([s.seed, batch])
        rate = s.learning_rate * (0.55 + 0.45 * math.cos(math.pi * batch / s.batches))
        for _ in range(s.n_epochs):
            order = rng.permutation(len(features))
            for low in range(0, len(order), s.batch_size):
                rows = order[low : low + s.batch_size]
                self._step(features[rows], targets[rows], rate)
        if not (np.isfinite(self.model.theta).all() and math.isfinite(self.model.sharpness) and math.isfinite(loss)):
            raise RunError(
                f"batch {batch + 1}: a coefficient is not a number; the run stops, and finished batches are kept"
            )
        entry: dict[str, Any] = {
            "games": s.games, "positions": len(features), "loss": loss, "theta": self.model.theta.tolist(),
            "sharpness": self.model.sharpness, "moments": self._moments.tolist(), "steps": self._steps,
        }  # fmt: skip
        if (batch + 1) % s.eval_interval == 0 or batch + 1 == s.batches:
            scores = self._duels.scores(
                [self.model.weights()], [self.start], s.eval_pairs, derive_seed(s.seed, _TEST, batch + 2)
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
            raise RunError(f"step {self._steps}: the gradient is not a number, or too large; finished batches are kept")
        self.model.theta -= self._sizes * step[:-1]
        low, high = BOUNDS["sharpness"]
        self.model.sharpness = min(max(self.model.sharpness * math.exp(-step[-1]), low), high)
        self.model.project()

    def _restore(self, entry: dict[str, Any]) -> None:
        try:
            theta, moments = (np.array(entry[name], dtype=np.float64) for name in ("theta", "moments"))
        except ValueError:  # the lists have different lengths
            theta = moments = np.zeros(0)
        if (theta.shape, moments.shape) != (self.model.theta.shape, self._moments.shape):
            raise JournalError(f"{self.journal.folder}: batch {entry['batch']}: wrong number of coefficients")
        self.model.theta, self.model.sharpness = theta, float(entry["sharpness"])
        self._moments, self._steps = moments, int(entry["steps"])


def _cross(chance: Floats, outcome: Floats) -> Floats:
    """Return the logarithm of the probability that the model gave to the actual outcome."""
    chance = np.clip(chance, 1e-9, 1 - 1e-9)
    return outcome * np.log(chance) + (1 - outcome) * np.log(1 - chance)
