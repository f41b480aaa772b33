"""Results of a search, as plain data for logs and pages."""

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
    """A turn at the root or, in the picking phase, a list of preferred regions."""

    orders: Orders
    visits: int
    total: float  #: sum of the values of its simulations
    picks: tuple[int, ...] = ()  #: preferred regions, best first
    refined: bool = False  #: found by local search; visits and value then come from the scenarios of the local search
    middle: float | None = None  #: median, mean or mode of the values, if the search uses it to choose its answer
    probability: float | None = None  #: probability in the search's answer, if visits do not define it

    @property
    def value(self) -> float:
        """The mean value for the searching player, that is, its share of the position in [0, 1]; 0 without visits."""
        return self.total / self.visits if self.visits else 0.0


class SearchPolicy(NamedTuple):
    """The result of a search as a policy over C candidates, the answer first."""

    turns: tuple[Orders, ...]  #: C turns, within the rules' limit of orders; empty turns during the picks
    picks: tuple[tuple[int, ...], ...]  #: C lists of preferred regions, best first; () after the picks
    probabilities: npt.NDArray[np.float64]  #: [C], their sum is 1
    #: [C] mean shares of the position in [0, 1], or shares of growth if `plan` uses them; NaN for a candidate without
    #: value
    values: npt.NDArray[np.float64]


@dataclass(frozen=True)
class SearchRecord:
    """The statistics of a search; tuples have an entry for each tree. Depths count turns from the root."""

    simulations: tuple[int, ...]
    nodes: tuple[int, ...]
    full: tuple[bool, ...]  #: whether the memory was full, so that the tree stopped growing
    shallowest: tuple[int, ...]  #: depth of the shallowest leaf
    deepest: tuple[int, ...]
    seconds: float
    candidates: tuple[Candidate, ...]  #: the answer first
    trials: int = 0  #: trials of local search, after the simulations

    def policy(self, max_orders: int = 0) -> SearchPolicy:
        """Return the candidates as a policy: with their `probability` if any, else with their shares of visits.

        A result of local search replaces the candidate that would have been the answer. max_orders: the rules' limit;
        0: no limit.
        """
        found = self.candidates
        weights = np.array([c.visits if c.probability is None else c.probability for c in found], dtype=np.float64)
        if found[0].refined and found[0].probability is None:
            weights[0] = 0.0
            weights[:2] = weights[:2][::-1] if len(found) > 1 else 1.0
        if weights.sum() <= 0:
            weights[0] = 1.0
        return SearchPolicy(
            turns=tuple(c.orders.limited(max_orders) for c in found),
            picks=tuple(c.picks for c in found),
            probabilities=weights / weights.sum(),
            values=np.array([c.value if c.visits else math.nan for c in found]),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain data for JSON."""
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
    """The result of an agent's last search, and its input."""

    view: View
    weights: Weights
    record: SearchRecord
