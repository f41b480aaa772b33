"""Elo ratings of agents from their games, by maximum likelihood, with bootstrap confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.arena.ratings.elo import PRIOR_DRAWS, RESAMPLES
from warlight_env.arena.ratings.statistics import CONFIDENCE
from warlight_env.arguments import check_integer, is_integer, is_number, short_repr
from warlight_env.errors import InputError

#: The number of Elo points for a factor e in the odds of a win. 400 points are a factor of 10.
ELO: Final = 400 / math.log(10)

_MAX_STEPS = 200
_TOLERANCE = 1e-8
_WEIGHTS = 4_000_000  # the maximum number of bootstrap weights that are in memory at the same time

Floats = npt.NDArray[np.float64]


#: The maximum number of bootstrap resamples. More resamples need gigabytes of memory.
MOST_RESAMPLES: Final = 100_000


class RatingError(InputError):
    """An error for games from which no ratings can be computed.

    The error message contains the agents and the reason.
    """


@dataclass(frozen=True)
class GameRanking:
    """The places of the players in a finished game.

    Attributes:
        players: the indices of the players.
        places: the final rank of each player; 1 is the best. Players with equal ranks have a draw.
        unit: the number of the game's unit. The games of a unit are not independent; for example they have one seed.
        stratum: the number of a set of units, for example of all games between the same agents. The bootstrap resamples
            units within a stratum.
    """

    players: tuple[int, ...]
    places: tuple[int, ...]
    unit: int
    stratum: int = 0


@dataclass(frozen=True)
class Rating:
    """The rating of an agent in Elo points, with a confidence interval from `low` to `high`."""

    name: str
    elo: float
    low: float
    high: float
    games: int
    score: float  #: the mean score in comparisons with other agents: 1 for a better rank, 1/2 for the same rank
    perfect: bool  #: whether the agent won all games or lost all games; then the prior determines one interval end


def rate(
    names: Sequence[str],
    games: Iterable[GameRanking],
    *,
    prior: float = PRIOR_DRAWS,
    anchor: str | None = None,
    anchor_elo: float = 0.0,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
    seed: int = 1,
) -> list[Rating]:
    """Compute Elo ratings from games, and return them in the order of `names`.

    In the model of Bradley and Terry, agent i beats agent j with the probability 1 / (1 + 10^((Rj - Ri) / 400)).
    A draw counts as half a win for both agents. In a game of more than two players, each pair of players counts as one
    comparison of their places.

    `prior` is the number of virtual drawn games that are added for each two agents that played against each other. With
    prior = 1, a rating also exists for an agent that won or lost every game. With prior = 1, a win rate of 90 % in 400
    games changes by 0.1 percentage points. With prior = 0 the ratings are the maximum of the likelihood alone, and the
    function raises `RatingError` if a group of agents never lost, or never won, against all other agents.

    The intervals are computed with the Bayesian bootstrap over units (sets of games with the same seed). In each
    resample, each unit of games gets a random weight from Gamma(1), and each virtual win (half of a virtual drawn game)
    gets a random weight from Gamma(prior / 2). The ratings are computed again with the random weights of the resample.
    For two agents and prior = 1, without draws, the result is the posterior of Jeffreys' prior. For example, the
    interval of a result of 20 : 0 has a finite width. The ordinary bootstrap, which resamples games, would give an
    interval of width 0 for the result 20 : 0.

    Only differences of ratings have a meaning. If `anchor` is None, the mean rating is 0. If `anchor` is the name of an
    agent, this agent has the rating `anchor_elo` and an interval of width 0.

    The model is from Bradley and Terry, "Rank analysis of incomplete block designs", Biometrika 39 (1952). The
    condition for the existence of the estimate is from Ford, "Solution of a ranking problem from binary comparisons",
    American Mathematical Monthly 64 (1957). The bootstrap is from Rubin, "The Bayesian bootstrap", Annals of Statistics
    9 (1981).

    Raises:
        RatingError: there are fewer than two agents, an agent has no games, no chain of games connects two agents, or
            the ratings do not converge because the prior is close to 0.
    """
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise RatingError(f"names = {short_repr(names)}: must be a list of strings")
    n = len(names)
    if n < 2:
        raise RatingError(f"ratings need at least 2 agents, not {n}")
    if anchor is not None and not (isinstance(anchor, str) and anchor in names):
        raise RatingError(f"anchor {short_repr(anchor)}: no such agent; there are {', '.join(names)}")
    if not (is_number(prior) and prior >= 0 and is_number(confidence) and 0 < confidence < 1):
        raise RatingError("prior must be at least 0, and confidence must be between 0 and 1")
    check_integer(resamples, "resamples", 1, MOST_RESAMPLES, RatingError)
    if not (is_integer(seed) and seed >= 0) or not is_number(anchor_elo):
        raise RatingError("seed must be an integer from 0 up, and anchor_elo must be a number")
    try:
        rankings = list(games)
    except Exception:  # the caller's object may have methods that raise any exception
        raise RatingError(f"games = {short_repr(games)}: must be a list of `GameRanking`") from None
    strata, counts = _comparisons(n, rankings)
    totals, adjacency = _totals(n, strata)
    _check_connected(names, totals, adjacency, prior)

    reference = None if anchor is None else list(names).index(anchor)
    best = _centred(_solve((totals + prior / 2 * adjacency)[None]), reference)[0] * ELO
    rng = np.random.default_rng(seed)
    draws = _centred(_solve(_resample(strata, adjacency, prior, resamples, rng)), reference) * ELO
    tail = (1 - confidence) / 2
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0)
    shift = 0.0 if anchor is None else anchor_elo
    rows = []
    for i, name in enumerate(names):
        won, lost = float(totals[i].sum()), float(totals[:, i].sum())
        rows.append(
            Rating(
                name=name,
                elo=float(best[i]) + shift,
                low=min(float(low[i]), float(best[i])) + shift,
                high=max(float(high[i]), float(best[i])) + shift,
                games=int(counts[i]),
                score=won / (won + lost),
                perfect=won == 0 or lost == 0,
            )
        )
    return rows


@dataclass(frozen=True)
class _Stratum:
    """The results of a stratum (a set of units of games): for each unit, the wins of agent i over agent j.

    A draw counts as half a win.
    """

    pairs: npt.NDArray[np.int64]  #: int64[K], the pairs (i, j) that played against each other, as i * n + j
    units: Floats  #: float64[U, K], the wins of i over j in each of U units


def _check_placing(game: Any) -> None:
    """Raise RatingError unless `game` is a `GameRanking` that contains only integers."""
    is_valid = isinstance(game, GameRanking) and all(
        isinstance(numbers, Sequence) and all(map(is_integer, numbers)) for numbers in (game.players, game.places)
    )
    if not is_valid or not is_integer(game.unit) or not is_integer(game.stratum):
        raise RatingError(f"game {short_repr(game)}: must be a `GameRanking` of integers")


def _comparisons(n: int, games: Sequence[GameRanking]) -> tuple[list[_Stratum], npt.NDArray[np.int64]]:
    """Convert games to comparisons of pairs of n agents; also return the number of games of each agent."""
    counts = np.zeros(n, dtype=np.int64)
    strata: dict[int, dict[int, dict[int, float]]] = {}
    for game in games:
        _check_placing(game)
        if len(game.players) != len(game.places) or len(set(game.players)) != len(game.players):
            raise RatingError(
                f"game of players {game.players} with places {game.places}: each player must have one place"
            )
        if not all(0 <= player < n for player in game.players):
            raise RatingError(f"game of players {game.players}: players must lie in 0 .. {n - 1}")
        counts[list(game.players)] += 1
        unit = strata.setdefault(game.stratum, {}).setdefault(game.unit, {})
        for a, (i, place) in enumerate(zip(game.players, game.places, strict=True)):
            for j, other_place in zip(game.players[a + 1 :], game.places[a + 1 :], strict=True):
                share = 0.5 if place == other_place else float(place < other_place)
                unit[i * n + j] = unit.get(i * n + j, 0.0) + share
                unit[j * n + i] = unit.get(j * n + i, 0.0) + 1 - share
    stratum_list = []
    for units in strata.values():
        pairs = sorted({pair for unit in units.values() for pair in unit})
        place_of = {pair: k for k, pair in enumerate(pairs)}
        table = np.zeros((len(units), len(pairs)))
        for u, unit in enumerate(units.values()):
            for pair, wins in unit.items():
                table[u, place_of[pair]] = wins
        stratum_list.append(_Stratum(np.array(pairs, dtype=np.int64), table))
    return stratum_list, counts


def _totals(n: int, strata: Sequence[_Stratum]) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return float64[n, n], the wins of agent i over agent j in all games, and bool[n, n], whether i and j played."""
    wins, adjacency = np.zeros(n * n), np.zeros(n * n, dtype=np.bool_)
    for stratum in strata:
        wins[stratum.pairs] += stratum.units.sum(axis=0)
        adjacency[stratum.pairs] = True
    return wins.reshape(n, n), adjacency.reshape(n, n)


def _check_connected(names: Sequence[str], wins: Floats, adjacency: npt.NDArray[np.bool_], prior: float) -> None:
    """Raise RatingError if the games determine no ratings (Ford 1957), or if two groups of agents never met."""
    reached = _reached(adjacency)
    if not reached.all():
        separate = [name for name, is_reached in zip(names, reached, strict=True) if not is_reached]
        raise RatingError(
            f"no chain of games connects {', '.join(separate)} with {names[0]}: their ratings cannot be compared"
        )
    if prior == 0:
        for edges, verb in ((wins > 0, "lost to"), (wins.T > 0, "beat")):
            reached = _reached(edges)
            if not reached.all():
                group = [name for name, is_reached in zip(names, reached, strict=True) if not is_reached]
                raise RatingError(
                    f"{', '.join(group)} never {verb} any of the other agents: such results have no "
                    "finite rating of maximum likelihood; use a prior above 0"
                )


def _reached(edges: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return bool[n], whether a path along the edges leads from agent 0 to each agent. edges: bool[n, n]."""
    reached = np.zeros(len(edges), dtype=np.bool_)
    reached[0] = True
    while True:
        further = reached | edges[reached].any(axis=0)
        if (further == reached).all():
            return reached
        reached = further


def _resample(
    strata: Sequence[_Stratum], adjacency: npt.NDArray[np.bool_], prior: float, resamples: int, rng: np.random.Generator
) -> Floats:
    """Return float64[R, n, n], the weighted wins of agent i over agent j in each of R bootstrap resamples.

    The wins include the wins in the virtual games of the prior.
    """
    n = len(adjacency)
    sums = np.zeros((resamples, n * n))
    for stratum in strata:
        size = max(1, _WEIGHTS // len(stratum.units))
        for first in range(0, resamples, size):
            weights = rng.standard_gamma(1.0, size=(min(size, resamples - first), len(stratum.units)))
            sums[first : first + size, stratum.pairs] += weights @ stratum.units
    if prior > 0:
        sums[:, adjacency.reshape(-1)] += rng.standard_gamma(prior / 2, size=(resamples, int(adjacency.sum())))
    return sums.reshape(resamples, n, n)


def _centred(theta: Floats, reference: int | None) -> Floats:
    if reference is None:
        return theta - theta.mean(axis=1, keepdims=True)
    return theta - theta[:, [reference]]


def _solve(wins: Floats) -> Floats:
    """Return float64[R, n], the maximum-likelihood strengths of n agents in each of R resamples.

    The strengths are natural logarithms; the strength of agent 0 is 0. The log-likelihood is concave, and the function
    maximizes it with Newton's method, with steps of at most 1. `RatingError` is raised if the method does not converge.

    wins: float64[R, n, n], the wins of agent i over agent j.
    """
    resamples, n, _ = wins.shape
    theta = np.zeros((resamples, n))
    games = wins + wins.transpose(0, 2, 1)
    diagonal = np.arange(n)
    for _ in range(_MAX_STEPS):
        p = 1 / (1 + np.exp(theta[:, None, :] - theta[:, :, None]))
        q = p.transpose(0, 2, 1)  # equal to 1 - p, but accurate even if p is close to 1
        surprise = wins * q
        gradient = surprise.sum(axis=2) - surprise.sum(axis=1)
        curvature = -games * p * q
        curvature[:, diagonal, diagonal] -= curvature.sum(axis=2)
        # Only differences of strengths matter, so the strength of agent 0 stays 0.
        step = np.linalg.solve(curvature[:, 1:, 1:], gradient[:, 1:, None])[..., 0]
        largest = np.abs(step).max(axis=1)
        theta[:, 1:] += step * np.minimum(1.0, 1.0 / np.maximum(largest, 1e-300))[:, None]
        if largest.max() < _TOLERANCE:
            return theta
    raise RatingError(
        f"the ratings did not converge in {_MAX_STEPS} steps of Newton's method: "
        "an agent won or lost almost all of its games, and the prior is too small"
    )
