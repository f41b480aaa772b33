"""The search space of evolution: weights and search parameters, scaled so that equal steps have similar effects."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.agents import Agent
from warlight_env.agents.registry import parse
from warlight_env.agents.weights import BOUNDS, THESIS, Weights
from warlight_env.errors import InputError, did_you_mean


class SearchParameterError(InputError):
    """An error for a gene (a parameter that evolves) that does not exist or has an invalid value."""


@dataclass(frozen=True)
class SearchParameter:
    """A number that evolution optimizes: a weight of the evaluation, or a parameter of the search.

    The coordinate of a value is asinh(value / scale), or ln(value) if `logarithmic`.

    The function asinh is linear near 0 and logarithmic far from 0. A step of the coordinate multiplies a large value by
    a factor, and can change the sign of a small value.
    """

    name: str
    low: float
    high: float
    scale: float
    logarithmic: bool = False
    is_integer: bool = False  #: whether the value is an integer

    def coordinate(self, value: float) -> float:
        """Return the coordinate of a value, clipped to the bounds."""
        value = min(max(value, self.low), self.high)
        return math.log(value) if self.logarithmic else math.asinh(value / self.scale)

    def value(self, coordinate: float) -> float:
        """Return the value for a coordinate, clipped to the bounds."""
        raw = math.exp(coordinate) if self.logarithmic else self.scale * math.sinh(coordinate)
        value = min(max(raw, self.low), self.high)
        return float(round(value)) if self.is_integer else value


#: The scales of weights that are 0 in the preset "thesis", or much smaller there than their useful values.
_SCALES: Final = {"neighbor_values": 0.2, "largest_territory": 20.0, "threatened_bonus": 50.0}

#: The parameters of the agent `mcts` that can evolve, with their initial values.
MCTS_PARAMETERS: Final = {
    "c": SearchParameter("c", 0.02, 5.0, 1.0, logarithmic=True),
    "rounds": SearchParameter("rounds", 1.0, 40.0, 1.0, logarithmic=True, is_integer=True),
}
_SEARCH_START: Final = {"c": 0.4, "rounds": 10.0}

WEIGHT_PARAMETERS: Final = {
    name: SearchParameter(
        name, *BOUNDS[name], _SCALES.get(name, abs(getattr(THESIS, name)) / 2 or 1.0), name == "sharpness"
    )
    for name in Weights._fields
}
SEARCH_PARAMETERS: Final = {**WEIGHT_PARAMETERS, **MCTS_PARAMETERS}

#: Weights that have no effect if start regions are random.
PICK_WEIGHTS: Final = (
    "start_bonus", "start_neighbors", "start_borders", "start_regions", "pick_super", "pick_distance",
)  # fmt: skip
#: The genes that evolve by default. `region_super` is not a default gene, because it only scales other genes.
#: `sharpness` is not a default gene, because it has almost no effect on a one-ply player.
DEFAULT_PARAMETERS: Final = tuple(
    name for name in Weights._fields if name not in (*PICK_WEIGHTS, "region_super", "sharpness")
)


@dataclass(frozen=True)
class ParameterVector:
    """A candidate: weights of the evaluation and parameters of the search.

    Args:
        weights: the weights.
        search: the values of the parameters c and rounds of the agent `mcts`.

    Raises:
        SearchParameterError: a parameter cannot evolve, or its value is not a finite number.
    """

    weights: Weights = THESIS
    search: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, value in self.search.items():
            if name not in MCTS_PARAMETERS or isinstance(value, bool) or not math.isfinite(value):
                raise SearchParameterError(
                    f"search: {name} = {value!r:.60}: must be a finite number for {', '.join(MCTS_PARAMETERS)}"
                )

    def to_dict(self) -> dict[str, Any]:
        """Return the candidate as plain data for JSON."""
        return {"weights": self.weights._asdict(), "search": dict(self.search)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ParameterVector:
        """Return the candidate from data of `to_dict`.

        Raise `KeyError`, `TypeError` or `ValueError` if the data do not have the form of a result of `to_dict`.
        """
        weights = Weights.from_array([data["weights"][name] for name in Weights._fields])
        return cls(weights, dict(data["search"]))


def check_parameters(names: Sequence[str], player: str) -> None:
    """Check that an agent plays with all parameters that evolve.

    Args:
        names: the names of the parameters; each is in `SEARCH_PARAMETERS`.
        player: the specification of an agent with weights.

    Raises:
        SearchParameterError: the agent does not have a parameter.
    """
    info, _ = parse(player)
    allowed = [name for name in SEARCH_PARAMETERS if name in WEIGHT_PARAMETERS or name in info.parameters]
    missing = [name for name in names if name not in allowed]
    if missing:
        raise SearchParameterError(
            f"parameters: {info.name} does not have {', '.join(map(repr, missing))}; use {', '.join(allowed)}"
        )


class SearchSpace:
    """The genes (parameters that evolve), in order. Parameters that are not genes keep their values."""

    def __init__(self, names: Sequence[str]) -> None:
        if not names:
            raise SearchParameterError("parameters: give at least one name")
        for name in names:
            if name not in SEARCH_PARAMETERS:
                raise SearchParameterError(
                    f"parameters: no parameter {name!r}{did_you_mean(name, SEARCH_PARAMETERS)}; "
                    f"use {', '.join(SEARCH_PARAMETERS)}"
                )
            if list(names).count(name) > 1:
                raise SearchParameterError(f"parameters: {name!r} occurs twice")
        self.genes = [SEARCH_PARAMETERS[name] for name in names]

    @property
    def bounds(self) -> tuple[list[float], list[float]]:
        """The lowest and the highest coordinate of each gene."""
        ends = [[gene.coordinate(end) for gene in self.genes] for end in (-math.inf, math.inf)]
        return ends[0], ends[1]

    def encode(self, candidate: ParameterVector) -> npt.NDArray[np.float64]:
        """Return the coordinates of a candidate, float64[G]."""
        values = {**_SEARCH_START, **candidate.weights._asdict(), **candidate.search}
        return np.array([gene.coordinate(values[gene.name]) for gene in self.genes])

    def decode(self, coordinates: Sequence[float] | npt.NDArray[np.float64], base: ParameterVector) -> ParameterVector:
        """Return the candidate at the given coordinates. Parameters that do not evolve have the values of `base`."""
        values = {gene.name: gene.value(float(x)) for gene, x in zip(self.genes, coordinates, strict=True)}
        search = {**base.search, **{name: v for name, v in values.items() if name in MCTS_PARAMETERS}}
        weights = base.weights._replace(**{name: v for name, v in values.items() if name in WEIGHT_PARAMETERS})
        return ParameterVector(weights, search)


@dataclass(frozen=True)
class CandidatePlayer:
    """Makes agents that play with the weights of a candidate. Instances can be pickled for other processes."""

    spec: str  #: a specification of an agent, see `agents.make_agent`
    weights: tuple[float, ...]
    search: tuple[tuple[str, float], ...] = ()

    @classmethod
    def from_candidate(cls, spec: str, candidate: ParameterVector) -> CandidatePlayer:
        """Return the player for a specification and a candidate. Parameters that the agent lacks are left out."""
        info, _ = parse(spec)
        if "weights" not in info.parameters:
            raise SearchParameterError(f"player {spec!r}: {info.name} has no weights")
        search = tuple((k, v) for k, v in sorted(candidate.search.items()) if k in info.parameters)
        return cls(spec, tuple(candidate.weights), search)

    def __call__(self, seed: int) -> Agent:
        info, values = parse(self.spec)
        search_values = {name: info.parameters[name].kind(value) for name, value in self.search}
        agent = info.load()(seed=seed, **{**values, **search_values, "weights": Weights(*self.weights)})
        agent.name = f"{self.spec.strip()} (candidate)"
        return agent
