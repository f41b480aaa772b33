"""The layout of observations and states: the feature (see `features.registry`) that each number contains."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.arguments import check_choice, check_flag, check_integer, is_integer, short_repr
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Int
from warlight_env.errors import InputError
from warlight_env.features.definitions import GLOBALS, INCOME_LEFT, NODES, RAW, STATE_OVERALL, STATE_REGIONS, TURNS
from warlight_env.features.registry import Feature, FeatureNameError, Group, check_players
from warlight_env.maps.parts import MAX_REGIONS

Values = npt.NDArray[Any]

OBSERVATIONS: Final = ("graph", "flat", "raw")

#: The column of each feature by name, for kernels. For a column after the opponents' features, add `node_shift` or
#: `global_shift` to the column.
NODE: Final[Any] = NODES.columns
GLOBAL: Final[Any] = GLOBALS.columns
TURN: Final[Any] = TURNS.columns
TURN_WIDTH: Final = TURNS.width
_NODES: Final = NODES.width
_GLOBALS: Final = GLOBALS.width
_PER_OPPONENT: Final = NODES.per_opponent
#: The number of global features of each opponent.
GLOBALS_PER_OPPONENT: Final = GLOBALS.per_opponent

#: Features of a region in a player's unfinished turn, for action encodings with several actions per turn. After the
#: features of all regions follows one number: the fraction of the income that is not deployed yet.
TURN_FEATURES: Final = TURNS.names


class FeaturePlaceError(InputError, IndexError):
    """The region is out of range, or the feature describes the whole position and so has no region."""


@kernel
def node_shift(players: Int) -> Int:
    """Return the offset to add to those columns of NODE that come after the features of each opponent."""
    return _PER_OPPONENT * (players - 1)


@kernel
def node_width(players: Int) -> Int:
    """Return F, the number of features of a region."""
    return _NODES + node_shift(players)


@kernel
def global_shift(players: Int) -> Int:
    """Return the offset to add to those columns of GLOBAL that come after the features of each opponent."""
    return GLOBALS_PER_OPPONENT * (players - 1)


@kernel
def global_width(players: Int) -> Int:
    """Return G, the number of features of the whole position."""
    return _GLOBALS + global_shift(players)


def _check_size(regions: Any, players: Any) -> None:
    check_integer(regions, "regions", 1, MAX_REGIONS)
    check_players(players)


def _names(group: Group, players: Any) -> tuple[str, ...]:
    return tuple(feature.name for feature in group.expanded(players))


def node_features(players: int) -> tuple[str, ...]:
    """Return the names of the F node features, see `definitions.NODES`.

    Raises InputError for an invalid number of players.
    """
    return _names(NODES, players)


def opponent_columns(players: int) -> slice:
    """Return the columns of `node_features` that say, for each opponent, whether it owns the region."""
    return slice(NODE.opponent, NODE.opponent + players - 1)


def global_features(players: int) -> tuple[str, ...]:
    """Return the names of the G global features, see `definitions.GLOBALS`.

    Raises InputError for an invalid number of players.
    """
    return _names(GLOBALS, players)


@dataclass(frozen=True)
class FeatureBlock:
    """A group of features: one array of a Dict observation, or a part of the vector "flat".

    Attributes:
        name: the array's key in a Dict observation.
        shape: [N, F] with a row for each region, or [F] for the whole position; an array with a single feature has no
            axis for features.
        start: the index of the array's first number in the vector; None for arrays that are never in a vector.
    """

    name: str
    features: tuple[Feature, ...]
    shape: tuple[int, ...]
    dtype: str = "float32"
    start: int | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features, in the order of their columns."""
        return tuple(feature.name for feature in self.features)

    @functools.cached_property
    def size(self) -> int:
        """The number of elements of this array of features."""
        size = 1
        for length in self.shape:
            size *= length
        return size

    def column(self, name: str) -> int:
        """Return the index of a feature on the last axis of the array. Raises FeatureNameError for an unknown name."""
        for i, feature in enumerate(self.features):
            if isinstance(name, str) and feature.name == name:
                return i
        raise FeatureNameError(f"{self.name!r} has no feature {short_repr(name)}: it has {', '.join(self.names)}")

    @property
    def bounds(self) -> tuple[Values, Values]:
        """The lower and the upper bound of each element, two arrays of `shape` and `dtype`."""
        low, high = [feature.low for feature in self.features], [feature.high for feature in self.features]
        if len(self.features) == 1:
            return np.full(self.shape, low[0], self.dtype), np.full(self.shape, high[0], self.dtype)
        return np.full(self.shape, low, self.dtype), np.full(self.shape, high, self.dtype)

    def cut(self, vector: Any) -> Any:
        """Cut this array out of vectors [..., K] (NumPy arrays or PyTorch tensors); return it as [..., *shape]."""
        assert self.start is not None
        return vector[..., self.start : self.start + self.size].reshape(*vector.shape[:-1], *self.shape)


@dataclass(frozen=True)
class Features:
    """The layout of an environment's observations: a list of parts, which are `FeatureBlock` objects."""

    parts: tuple[FeatureBlock, ...]

    def __getitem__(self, name: str) -> FeatureBlock:
        for part in self.parts:
            if isinstance(name, str) and part.name == name:
                return part
        raise FeatureNameError(
            f"no part {short_repr(name)}: the parts are {', '.join(part.name for part in self.parts)}"
        )

    def __contains__(self, name: object) -> bool:
        return any(part.name == name for part in self.parts)

    @property
    def size(self) -> int:
        """K, the length of the vector that contains the parts."""
        return sum(part.size for part in self.parts if part.start is not None)

    @property
    def bounds(self) -> tuple[Values, Values]:
        """The lower and the upper bound of each number of the vector, float32[K] each."""
        low, high = zip(*(part.bounds for part in self.parts if part.start is not None), strict=True)
        return np.concatenate([values.ravel() for values in low]), np.concatenate([values.ravel() for values in high])

    def index(self, part: str, name: str, region: int | None = None) -> int:
        """Return the index of a feature in the vector. region: the region; None for a feature of the whole position.

        Raises FeatureNameError for unknown names, FeaturePlaceError for an invalid region.
        """
        block = self[part]
        if block.start is None:
            raise FeatureNameError(f"{part!r} is a separate array, not a part of the vector")
        rows, column = block.size // len(block.features), block.column(name)
        is_valid = region is None if len(block.shape) == 1 else is_integer(region) and 0 <= int(region or 0) < rows
        if not is_valid:
            expected = f"an integer in 0 .. {rows - 1}" if len(block.shape) > 1 else "None"
            raise FeaturePlaceError(
                f"part {part!r}, feature {name!r}: region = {short_repr(region)}: must be {expected}"
            )
        return block.start + int(region or 0) * len(block.features) + column


def _in_a_row(*parts: tuple[str, tuple[Feature, ...], tuple[int, ...]]) -> tuple[FeatureBlock, ...]:
    blocks: list[FeatureBlock] = []
    for name, features, shape in parts:
        blocks.append(FeatureBlock(name, features, shape, start=sum(part.size for part in blocks)))
    return tuple(blocks)


def observed_features(kind: str, regions: int, players: int, stepwise: bool = False) -> Features:
    """Return the layout of one kind of observation on a map of `regions` regions.

    | kind | parts |
    |---|---|
    | graph | nodes float32[N, F] (`NODES`), globals float32[G] (`GLOBALS`) |
    | flat | the numbers of "graph" in one vector: the rows of nodes, one after the other, then globals |
    | raw | owner int8[N], army int32[N], offered int8[N], round int32[1], income int32[1], phase |

    The module `definitions` defines the features. Owners in "raw": -1 unknown, 0 neutral, 1 the player, 2 … the
    opponents in seat order after the player. A region with an unknown owner has army 0. Phases in "raw": 0 pick,
    1 play, 2 over.

    `stepwise`: also include the player's unfinished turn: turn float32[N, 3] (`TURNS`) and income_left float32[1].
    Raises InputError for an unknown kind, and for numbers of regions and players outside the limits.
    """
    check_choice(kind, "observation", OBSERVATIONS)
    _check_size(regions, players)
    check_flag(stepwise, "stepwise")
    return _observed_features(kind, int(regions), int(players), bool(stepwise))


@functools.cache
def _observed_features(kind: str, regions: int, players: int, stepwise: bool) -> Features:
    rows: list[tuple[str, tuple[Feature, ...], tuple[int, ...]]] = []
    raw: tuple[FeatureBlock, ...] = ()
    if kind == "raw":
        raw = tuple(_raw_part(name, regions, players) for name in RAW)
    else:
        nodes, overall = NODES.expanded(players), GLOBALS.expanded(players)
        rows += [(NODES.name, nodes, (regions, len(nodes))), (GLOBALS.name, overall, (len(overall),))]
    if stepwise:
        turn, income_left = TURNS.features, INCOME_LEFT.features
        rows += [(TURNS.name, turn, (regions, len(turn))), (INCOME_LEFT.name, income_left, (len(income_left),))]
    return Features(raw + _in_a_row(*rows))


def _raw_part(name: str, regions: int, players: int) -> FeatureBlock:
    (feature,) = RAW[name].features
    if name == "owner":
        feature = replace(feature, high=players)
    shape, dtype = {
        "owner": ((regions,), "int8"), "army": ((regions,), "int32"), "offered": ((regions,), "int8"),
        "round": ((1,), "int32"), "income": ((1,), "int32"), "phase": ((), "int64"),
    }[name]  # fmt: skip
    return FeatureBlock(name, (feature,), shape, dtype)


def state_features(regions: int, players: int) -> Features:
    """Return the layout of the state vector of a whole position: regions float32[N, …] and overall float32[…].

    The state does not depend on a player's view; see `definitions.STATE_REGIONS` and `definitions.STATE_OVERALL`.

    Raises InputError for numbers of regions and players outside the limits.
    """
    _check_size(regions, players)
    return _state_features(int(regions), int(players))


@functools.cache
def _state_features(regions: int, players: int) -> Features:
    rows, overall = STATE_REGIONS.expanded(players), STATE_OVERALL.expanded(players)
    return Features(
        _in_a_row(
            (STATE_REGIONS.name, rows, (regions, len(rows))), (STATE_OVERALL.name, overall, (len(overall),))
        )
    )  # fmt: skip
