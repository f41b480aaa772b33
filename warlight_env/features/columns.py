"""Features by name: what observations and states hold, where each number stands, and its range and unit."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from warlight_env.arguments import check_flag, is_integer, short_repr
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Int
from warlight_env.engine.rules import MAX_PLAYERS
from warlight_env.engine.state import PHASES
from warlight_env.errors import InputError
from warlight_env.maps.parts import MAX_REGIONS

OBSERVATIONS: Final = ("graph", "flat", "raw")

#: Owner codes of a player's own view, `raw`'s and the view buffers'. Opponents follow in seat order after the player.
SEEN_UNKNOWN: Final = -1
SEEN_NEUTRAL: Final = 0
SEEN_MINE: Final = 1
SEEN_OPPONENT: Final = 2  #: the first one

#: Armies at which the soft feature reads one half and the linear one 1.
SOFT_ARMIES: Final = 10
MANY_ARMIES: Final = 100


class FeatureNameError(InputError, KeyError):
    """A name that no feature has, or no part of the features."""

    def __str__(self) -> str:
        return str(InputError(*self.args))


class FeaturePlaceError(InputError, IndexError):
    """A region that a feature has no place for."""


class NodeColumns(NamedTuple):
    """Where a region's features stand for a player without opponents.

    The owner is one-hot, SEEN_… codes from `unknown` on. The opponents' columns stand after `mine`, so that those from
    `army_soft` on stand `node_shift` further: kernels know all but that as constants.
    """

    unknown: int = 0
    neutral: int = 1
    mine: int = 2
    army_soft: int = 3
    army_linear: int = 4
    offered: int = 5
    border: int = 6
    bonus: int = 7
    my_share: int = 8
    opponent_share: int = 9


class GlobalColumns(NamedTuple):
    """Where the features of the whole position stand for a player without opponents.

    The opponents' pairs of regions and armies begin where `regions_unknown` stands here, which comes after them.
    """

    picking: int = 0
    my_pick: int = 1
    time: int = 2
    round: int = 3
    income: int = 4
    regions_mine: int = 5
    armies_mine: int = 6
    regions_neutral: int = 7
    armies_neutral: int = 8
    regions_unknown: int = 9


class TurnColumns(NamedTuple):
    """Where the features of a region in an unfinished turn stand."""

    deployed: int = 0
    leaving: int = 1
    arriving: int = 2


NODE: Final = NodeColumns()
GLOBAL: Final = GlobalColumns()
TURN: Final = TurnColumns()
_NODES: Final = len(NODE)
_GLOBALS: Final = len(GLOBAL)

#: Of a region, in the turn that a player has begun to hand in; with encodings that take several actions a turn. They
#: are followed by the share of the income that is left.
TURN_FEATURES: Final = TurnColumns._fields


@kernel
def node_shift(players: Int) -> Int:
    """How much further than in NODE a region's features stand that come after the opponents'."""
    return players - 1


@kernel
def node_width(players: Int) -> Int:
    """F, the features of a region."""
    return _NODES + node_shift(players)


@kernel
def global_shift(players: Int) -> Int:
    """How much further than in GLOBAL `regions_unknown` stands."""
    return 2 * (players - 1)


@kernel
def global_width(players: Int) -> Int:
    """G, the features of the whole position."""
    return _GLOBALS + global_shift(players)


def _check_players(players: Any) -> None:
    if not is_integer(players) or not 2 <= players <= MAX_PLAYERS:
        raise InputError(f"players = {short_repr(players)}: must be an integer in 2 .. {MAX_PLAYERS}")


def _check_size(regions: Any, players: Any) -> None:
    if not is_integer(regions) or not 1 <= regions <= MAX_REGIONS:
        raise InputError(f"regions = {short_repr(regions)}: must be an integer in 1 .. {MAX_REGIONS}")
    _check_players(players)


def _opponents(players: int) -> list[str]:
    return [f"opponent_{k}" for k in range(1, players)]


def node_features(players: int) -> tuple[str, ...]:
    """Names of the F node features; all lie in 0 .. 1.

    | feature | of a region |
    |---|---|
    | unknown, neutral, mine, opponent_1 … | one-hot owner, as the player sees it; opponent_k sits k seats after |
    | army_soft, army_linear | army / (army + 10); army / 100, at most 1; 0 where unknown |
    | offered | the player may pick it now |
    | border | mine, and next to a region that is not |
    | bonus | bonus of its super region / the largest bonus of the map |
    | my_share, opponent_share | share of its super region's regions that is mine; the largest share of one opponent |

    Raises InputError for a number of players that there is not.
    """
    _check_players(players)
    names = NodeColumns._fields
    return (*names[: NODE.army_soft], *_opponents(players), *names[NODE.army_soft :])


def opponent_columns(players: int) -> slice:
    """The columns of `node_features` that say which opponent owns a region."""
    return slice(NODE.mine + 1, NODE.mine + players)


def global_features(players: int) -> tuple[str, ...]:
    """Names of the G global features; all lie in 0 .. 1.

    | feature | is |
    |---|---|
    | picking | 1 while regions are picked |
    | my_pick | 1 if the player is to pick now |
    | time | steps / max_cycles |
    | round | rounds / the rules' limit of rounds; 0 without one |
    | income | income / the income of a player who owns everything |
    | regions_*, armies_* | share of all regions, of all armies seen: mine, neutral, each opponent's as far as seen |
    | regions_unknown | share of the regions out of sight |

    Raises InputError for a number of players that there is not.
    """
    _check_players(players)
    names = GlobalColumns._fields
    shares = [f"{what}_{side}" for side in _opponents(players) for what in ("regions", "armies")]
    return (*names[: GLOBAL.regions_unknown], *shares, *names[GLOBAL.regions_unknown :])


_ONE_HOT: Final = "1 where it is so, else 0"
_ARMIES_SOFT: Final = f"armies / (armies + {SOFT_ARMIES})"
_ARMIES_LINEAR: Final = f"armies / {MANY_ARMIES}, at most 1"
_REGIONS: Final = "share of all regions"
_ARMIES: Final = "share of all armies in sight"
#: What the numbers are, by feature; those of opponents as "opponent".
_UNITS: Final = {
    "unknown": _ONE_HOT, "neutral": _ONE_HOT, "mine": _ONE_HOT, "opponent": _ONE_HOT,
    "army_soft": _ARMIES_SOFT, "army_linear": _ARMIES_LINEAR, "offered": _ONE_HOT, "border": _ONE_HOT,
    "bonus": "armies / the largest bonus of the map", "my_share": "share of the super region's regions",
    "opponent_share": "share of the super region's regions",
    "picking": _ONE_HOT, "my_pick": _ONE_HOT, "time": "steps / max_cycles", "round": "rounds / the rules' limit",
    "income": "armies / the income of who owns everything",
    "regions_mine": _REGIONS, "regions_neutral": _REGIONS, "regions_opponent": _REGIONS, "regions_unknown": _REGIONS,
    "armies_mine": _ARMIES, "armies_neutral": _ARMIES, "armies_opponent": _ARMIES,
    "deployed": f"{_ARMIES_SOFT}; 1 for a wish", "leaving": "share of the armies that can leave",
    "arriving": _ARMIES_SOFT, "income_left": "share of the income",
    "player": _ONE_HOT, "offered_player": _ONE_HOT, "in_game_player": _ONE_HOT, "over": _ONE_HOT,
}  # fmt: skip


@dataclass(frozen=True)
class Feature:
    """A number of an observation or a state: its name, the least and the most it can be, and what it counts."""

    name: str
    low: float
    high: float
    unit: str


@dataclass(frozen=True)
class Part:
    """Features that stand side by side: an array of an observation, and a piece of the vector "flat".

    name: the array's, as in observations that are Dicts. shape: [N, F] with a row for each region, [F], or without the
    axis of features where there is one only. start: of the first number in the vector; None for what is never in one.
    """

    name: str
    features: tuple[Feature, ...]
    shape: tuple[int, ...]
    dtype: str = "float32"
    start: int | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The features' names, in the order of their columns."""
        return tuple(feature.name for feature in self.features)

    @functools.cached_property
    def size(self) -> int:
        """Numbers in all."""
        size = 1
        for length in self.shape:
            size *= length
        return size

    def column(self, name: str) -> int:
        """The place of a feature on the last axis. Raises FeatureNameError for a name that is none."""
        for i, feature in enumerate(self.features):
            if isinstance(name, str) and feature.name == name:
                return i
        raise FeatureNameError(f"{self.name!r} has no feature {short_repr(name)}: it has {', '.join(self.names)}")

    def cut(self, vector: Any) -> Any:
        """This part of vectors [..., K], arrays or tensors, as [..., *shape]."""
        assert self.start is not None
        return vector[..., self.start : self.start + self.size].reshape(*vector.shape[:-1], *self.shape)


@dataclass(frozen=True)
class Features:
    """What an environment's observations hold, part by part."""

    parts: tuple[Part, ...]

    def __getitem__(self, name: str) -> Part:
        for part in self.parts:
            if isinstance(name, str) and part.name == name:
                return part
        raise FeatureNameError(
            f"there is no part {short_repr(name)}: there are {', '.join(part.name for part in self.parts)}"
        )

    def __contains__(self, name: object) -> bool:
        return any(part.name == name for part in self.parts)

    @property
    def size(self) -> int:
        """K, the numbers of the vector that the parts are cut from."""
        return sum(part.size for part in self.parts if part.start is not None)

    def index(self, part: str, name: str, region: int | None = None) -> int:
        """Where a feature stands in the vector, of a region or (None) of the whole.

        Raises FeatureNameError for names that are none, FeaturePlaceError for a region that is none.
        """
        found = self[part]
        if found.start is None:
            raise FeatureNameError(f"{part!r} is in no vector: it is an array of its own")
        rows, column = found.size // len(found.features), found.column(name)
        fits = region is None if len(found.shape) == 1 else is_integer(region) and 0 <= int(region or 0) < rows
        if not fits:
            wanted = f"a region in 0 .. {rows - 1}" if len(found.shape) > 1 else "no region"
            raise FeaturePlaceError(f"{part!r}: {name!r} is of {wanted}, not {short_repr(region)}")
        return found.start + int(region or 0) * len(found.features) + column


def _shares(*names: str) -> tuple[Feature, ...]:
    """Features in 0 .. 1 whose units stand in _UNITS, under their names without a number at the end."""
    return tuple(Feature(name, 0.0, 1.0, _UNITS[name.rstrip("0123456789").rstrip("_")]) for name in names)


def _in_a_row(*parts: tuple[str, tuple[Feature, ...], tuple[int, ...]]) -> tuple[Part, ...]:
    made: list[Part] = []
    for name, features, shape in parts:
        made.append(Part(name, features, shape, start=sum(part.size for part in made)))
    return tuple(made)


def observed_features(kind: str, regions: int, players: int, stepwise: bool = False) -> Features:
    """What observations of that kind hold on a map of so many regions.

    | kind | parts |
    |---|---|
    | graph | nodes float32[N, F] (`node_features`), globals float32[G] (`global_features`) |
    | flat | the same in one vector: the nodes row by row, then the globals |
    | raw | owner int8[N], army int32[N], offered int8[N], round int32[1], income int32[1], phase |

    raw's owners: -1 unknown, 0 neutral, 1 me, 2 … the opponents in seat order after me; armies are 0 where unknown.
    Its phases: 0 pick, 1 play, 2 over.

    `stepwise`: with the turn so far, turn float32[N, 3] (`TURN_FEATURES`) and income_left float32[1]. Raises InputError
    for another kind, and for numbers of regions and players that there are not.
    """
    if not isinstance(kind, str) or kind not in OBSERVATIONS:
        raise InputError(f"observation = {short_repr(kind)}: there are {', '.join(OBSERVATIONS)}")
    _check_size(regions, players)
    check_flag(stepwise, "stepwise")
    return _observed_features(kind, int(regions), int(players), bool(stepwise))


@functools.cache
def _observed_features(kind: str, regions: int, players: int, stepwise: bool) -> Features:
    shares: list[tuple[str, tuple[Feature, ...], tuple[int, ...]]] = []
    raw: tuple[Part, ...] = ()
    if kind == "raw":
        raw = _raw_parts(regions, players)
    else:
        nodes, overall = _shares(*node_features(players)), _shares(*global_features(players))
        shares += [("nodes", nodes, (regions, len(nodes))), ("globals", overall, (len(overall),))]
    if stepwise:
        turn = _shares(*TURN_FEATURES)
        shares += [("turn", turn, (regions, len(turn))), ("income_left", _shares("income_left"), (1,))]
    return Features(raw + _in_a_row(*shares))


def _raw_parts(regions: int, players: int) -> tuple[Part, ...]:
    most, last = int(np.iinfo(np.int32).max), len(PHASES) - 1
    owners = "-1 unknown, 0 neutral, 1 me, 2 … opponents in seat order after me"
    phases = ", ".join(f"{i} {phase}" for i, phase in enumerate(PHASES))
    return (
        Part("owner", (Feature("owner", SEEN_UNKNOWN, players, owners),), (regions,), "int8"),
        Part("army", (Feature("army", 0, most, "armies"),), (regions,), "int32"),
        Part("offered", (Feature("offered", 0, 1, _ONE_HOT),), (regions,), "int8"),
        Part("round", (Feature("round", 0, most, "rounds"),), (1,), "int32"),
        Part("income", (Feature("income", 0, most, "armies"),), (1,), "int32"),
        Part("phase", (Feature("phase", 0, last, phases),), (), "int64"),
    )


def state_features(regions: int, players: int) -> Features:
    """What the vector of a whole position holds: regions float32[N, …] and overall float32[…], no player's view.

    | part | features |
    |---|---|
    | regions | neutral, player_0, …: one-hot owner; army_soft, army_linear; offered_player_0, … |
    | overall | in_game_player_0, …; picking, over, time, round |

    Raises InputError for numbers of regions and players that there are not.
    """
    _check_size(regions, players)
    return _state_features(int(regions), int(players))


@functools.cache
def _state_features(regions: int, players: int) -> Features:
    seats = [f"player_{p}" for p in range(players)]
    rows = _shares("neutral", *seats, "army_soft", "army_linear", *(f"offered_{seat}" for seat in seats))
    overall = _shares(*(f"in_game_{seat}" for seat in seats), "picking", "over", "time", "round")
    return Features(_in_a_row(("regions", rows, (regions, len(rows))), ("overall", overall, (len(overall),))))
