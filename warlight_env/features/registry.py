"""The classes of the feature registry: features with names and ranges, and groups of features with columns."""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.arguments import check_integer, short_repr
from warlight_env.engine.rules import MAX_PLAYERS
from warlight_env.errors import InputError, clipped

#: Values of `Feature.per`.
OPPONENT: Final = "opponent"
PLAYER: Final = "player"
#: The indices of features' columns in an array, uint32[F], for kernels.
Columns = npt.NDArray[np.uint32]


class FeatureNameError(InputError, KeyError):
    """The name of a feature, or of a part of an observation, is unknown or invalid."""

    def __str__(self) -> str:
        return str(InputError(*self.args))


def check_players(players: Any) -> None:
    """Raise InputError unless `players` is an integer in 2 .. MAX_PLAYERS."""
    check_integer(players, "players", 2, MAX_PLAYERS)


@dataclass(frozen=True)
class Feature:
    """One number of an observation, of a state, or of a network's input.

    Attributes:
        name: unique in the feature's group.
        low, high: the lower and the upper bound; infinite for no bound.
        unit: the unit of the number.
        description: the meaning of the number, for tables.
        per: "" for one number; OPPONENT or PLAYER for one number per opponent or player. If `per` is OPPONENT,
            `name_1`, `name_2`, … are the features of the opponents in seat order after the player. If `per` is PLAYER,
            `name_0`, `name_1`, … are the features of the players in seat order.
    """

    name: str
    low: float
    high: float
    unit: str
    description: str = ""
    per: str = ""


@dataclass(frozen=True)
class Group:
    """Features of one kind of thing (regions, players, borders, …), in the order of their columns.

    Attributes:
        name: unique in the registry.
        subject: the kind of thing, for example "each region", for tables.
        features: consecutive features with the same value of `Feature.per` form a block, and the group repeats this
            block for each opponent or player. Add a new feature at the end of its group.

    Raises:
        FeatureNameError: two features have the same name.
    """

    name: str
    subject: str
    features: tuple[Feature, ...]

    def __post_init__(self) -> None:
        names = [feature.name for feature in self.features]
        for name in names:
            if names.count(name) > 1:
                raise FeatureNameError(f"group {self.name!r} has two features {name!r}")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features in column order, for a group without features per opponent or player."""
        return tuple(feature.name for feature in self.features)

    @functools.cached_property
    def columns(self) -> Any:
        """A named tuple with the column of each feature; kernels use the columns as constants.

        The returned columns do not count the features of each opponent. If a feature is listed after the features of
        each opponent, add `per_opponent` * (players - 1) to its column. For a feature of opponent k, add `per_opponent`
        * (k - 1) to its column.
        """
        positions, column, block = {}, 0, 0
        for feature in self.features:
            if feature.per:
                positions[feature.name], block = column + block, block + 1
            else:
                positions[feature.name], column, block = column, column + 1, 0
        return namedtuple(self.name, positions)(**positions)

    @property
    def width(self) -> int:
        """The number of columns of the group without the features of each opponent and of each player."""
        return sum(not feature.per for feature in self.features)

    @property
    def per_opponent(self) -> int:
        """The number of features (columns) of each opponent."""
        return sum(feature.per == OPPONENT for feature in self.features)

    def expanded(self, players: int) -> tuple[Feature, ...]:
        """Return the feature of each column in a game with this number of players.

        Raises:
            InputError: players is not an integer in 2 .. MAX_PLAYERS.
        """
        check_players(players)
        features: list[Feature] = []
        block: list[Feature] = []
        for feature in (*self.features, None):
            if block and (feature is None or feature.per != block[0].per):
                for k in range(block[0].per == OPPONENT, players):
                    features += [replace(entry, name=f"{entry.name}_{k}", per="") for entry in block]
                block = []
            if feature is not None:
                (block if feature.per else features).append(feature)
        return tuple(features)

    def places(self, names: Iterable[str], players: int | None = None) -> Columns:
        """Return the columns of the features with the given names, uint32[F], in the order of the names.

        players: the number of players, for a group with features per opponent or player.

        Raises:
            FeatureNameError: the names are not a sequence of strings, a name is not in the group, or a name occurs
                twice.
        """
        have = self.names if players is None else tuple(feature.name for feature in self.expanded(players))
        if isinstance(names, str) or not isinstance(names, Sequence):
            raise FeatureNameError(f"{self.name}: {short_repr(names)}: must be a list of names of features")
        for i, name in enumerate(names):
            if not isinstance(name, str) or name not in have:
                raise FeatureNameError(f"{self.name}: this version has no feature {short_repr(name)}")
            if name in names[:i]:
                raise FeatureNameError(f"{self.name}: feature {clipped(repr(name), 60)} occurs twice")
        return np.array([have.index(name) for name in names], dtype=np.uint32)
