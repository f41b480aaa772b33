"""Results of a search, which can be converted to plain data for logs and pages."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.weights import Weights
from warlight_env.engine.orders import Orders
from warlight_env.engine.view import View


@dataclass(frozen=True)
class Candidate:
    """A choice that a search compares: a turn or, in the picking phase, a list of preferred regions."""

    orders: Orders
    visits: int
    total: float  #: sum of the values of the candidate's simulations, or an estimate; at most `visits`
    picks: tuple[int, ...] = ()  #: preferred regions, best first
    refined: bool = False  #: whether local search found it; visits and value then come from local search's scenarios
    middle: float | None = None  #: median, mean or mode of the values, if the search uses it to choose its answer
    probability: float | None = None  #: probability of the candidate in the search's policy; None: visits define it

    @property
    def value(self) -> float:
        """The mean of the searching player's share of the position's value, in [0, 1]; 0 without visits."""
        return self.total / self.visits if self.visits else 0.0


class SearchPolicy(NamedTuple):
    """The result of a search as probabilities of C candidates; the search's answer is the first candidate."""

    turns: tuple[Orders, ...]  #: C turns, within the rules' limit of orders; turns without orders in the picking phase
    picks: tuple[tuple[int, ...], ...]  #: C lists of preferred regions, best first; () after the picking phase
    probabilities: npt.NDArray[np.float64]  #: [C], the sum is 1
    #: [C] mean of the searching player's share, in [0, 1]; in `plan`, it may be a share of growth instead. NaN: the
    #: candidate has no value
    values: npt.NDArray[np.float64]


@dataclass(frozen=True)
class SearchRecord:
    """The statistics of a search. Each tuple has an entry for each tree; depths count turns from the root."""

    simulations: tuple[int, ...]
    nodes: tuple[int, ...]
    full: tuple[bool, ...]  #: whether the memory was full, so that the tree stopped growing
    shallowest: tuple[int, ...]  #: depth of the shallowest leaf
    deepest: tuple[int, ...]  #: depth of the deepest leaf
    seconds: float
    candidates: tuple[Candidate, ...]  #: the search's answer is the first candidate
    trials: int = 0  #: number of changes that local search tried after the simulations

    def policy(self, max_orders: int = 0) -> SearchPolicy:
        """Return the candidates with probabilities: their `probability` or, if it is None, their fraction of visits.

        If local search replaced the answer, the new answer gets the probability of the old answer. max_orders: the
        rules' limit of orders; 0: no limit.
        """
        candidates = self.candidates
        weights = np.array([c.visits if c.probability is None else c.probability for c in candidates], dtype=np.float64)
        if candidates[0].refined and candidates[0].probability is None:
            weights[0] = 0.0
            weights[:2] = weights[:2][::-1] if len(candidates) > 1 else 1.0
        if weights.sum() <= 0:
            weights[0] = 1.0
        return SearchPolicy(
            turns=tuple(c.orders.limited(max_orders) for c in candidates),
            picks=tuple(c.picks for c in candidates),
            probabilities=weights / weights.sum(),
            values=np.array([c.value if c.visits else math.nan for c in candidates]),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the statistics as plain data for JSON."""
        return {
            "simulations": list(self.simulations),
            "nodes": list(self.nodes),
            "full": list(self.full),
            "shallowest": list(self.shallowest),
            "deepest": list(self.deepest),
            "seconds": self.seconds,
            **({"trials": self.trials} if self.trials else {}),
            "candidates": [
                {
                    "deploys": [list(row) for row in c.orders.deploys],
                    "attacks": [list(row) for row in c.orders.attacks],
                    "picks": list(c.picks),
                    "visits": c.visits,
                    "value": c.value,
                    **({"refined": True} if c.refined else {}),
                    **({} if c.middle is None else {"middle": c.middle}),
                }
                for c in self.candidates
            ],
        }


class SearchResult(NamedTuple):
    """The input and the result of an agent's last search."""

    view: View
    weights: Weights
    record: SearchRecord
