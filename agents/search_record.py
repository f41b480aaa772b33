"""What a search found, as plain data for logs and pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from warlight_env.agents.weights import Weights
from warlight_env.engine.orders import Orders
from warlight_env.engine.view import View


@dataclass(frozen=True)
class Candidate:
    """A turn at the root or, in the picking phase, a list of wishes."""

    orders: Orders
    visits: int
    total: float  #: sum of the values of its simulations
    picks: tuple[int, ...] = ()  #: wished regions, best first
    refined: bool = False  #: found by local search; visits and value are then of the scenarios that chose it
    middle: float | None = None  #: median, mean or mode of the values, where the answer goes by that

    @property
    def value(self) -> float:
        """Mean value to the searching player, its share of the position in [0, 1]; 0 without visits."""
        return self.total / self.visits if self.visits else 0.0


@dataclass(frozen=True)
class SearchRecord:
    """A search; tuples have an entry per tree. Depths count turns from the root."""

    simulations: tuple[int, ...]
    nodes: tuple[int, ...]
    full: tuple[bool, ...]  #: whether the memory was used up, and the tree grew no more
    shallowest: tuple[int, ...]  #: depth of the shallowest leaf
    deepest: tuple[int, ...]
    seconds: float
    candidates: tuple[Candidate, ...]  #: the answer first
    trials: int = 0  #: of local search, after the simulations

    def to_dict(self) -> dict[str, Any]:
        """As JSON takes it."""
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


class Searched(NamedTuple):
    """What an agent's last search came to, and what went into it."""

    view: View
    weights: Weights
    record: SearchRecord
