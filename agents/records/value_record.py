"""The value network as a record for kernels, and as a file."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeGuard, TypeVar

import numpy as np
import numpy.typing as npt

from warlight_env import bounded
from warlight_env.agents.parameters import Told
from warlight_env.arguments import path_of
from warlight_env.engine.jit import read_only, shared
from warlight_env.engine.reference import reference
from warlight_env.errors import InputError
from warlight_env.features.definitions import PLAYERS, RULES
from warlight_env.features.registry import Columns, FeatureNameError
from warlight_env.networks.archive import HEADER, are_of, packed, unpacked
from warlight_env.networks.npz import ArraysError, read_arrays
from warlight_env.output import save_file

Floats = npt.NDArray[np.float32]
_Record = TypeVar("_Record")
_KIND: Final = "value"

#: Features of each player and of the rules: `value.features` writes them, networks read some.
N_PLAYER: Final = PLAYERS.width
N_RULES: Final = RULES.width
#: Units of its layers; constants, so that loops over them become a few wide instructions.
FIRST_UNITS: Final = 32
SECOND_UNITS: Final = 8

#: The parameter of agents.
VALUE: Final = Told("what positions are worth: learned, weights, or an .npz file of a value network", shared=True)

#: Names that say where values come from besides files.
LEARNED: Final = "learned"
WEIGHTS: Final = "weights"


class ValueNetworkError(InputError):
    """A value network that cannot be read; the message names the file and the reason."""


@shared
class ValueNetwork(NamedTuple):
    """Numbers of the network, float32, with H = FIRST_UNITS and K = SECOND_UNITS, and the columns of what it reads:
    uint32[F] of players, [G] of the rules. Read-only."""

    own: Floats  #: [F, H] for a player's own numbers
    others: Floats  #: [F, H] for the mean of the others'
    rules: Floats  #: [G, H]
    first_bias: Floats  #: [H]
    second: Floats  #: [H, K]
    second_bias: Floats  #: [K]
    last: Floats  #: [K]
    player_columns: Columns  #: [F]
    rule_columns: Columns  #: [G]


class ValueReads(NamedTuple):
    """Names of the features that a network reads, in order; by default all of this version."""

    player: Sequence[str] = PLAYERS.names
    rule: Sequence[str] = RULES.names


#: What files without a list of features read: those written before files had one.
UNLISTED: Final = ValueReads(
    ("armies", "roots", "regions", "income", "whole", "promise_2", "promise_4", "promise_8", "promise_16", "clear_4",
     "clear_8", "ready", "front", "edge", "exposed_armies", "exposed_regions", "exposed_bonus", "threatened_armies",
     "threatened_regions", "threatened_bonus", "prey_armies", "prey_regions", "fronts", "edges", "largest", "faced"),
    ("per_enemy", "rounds_left", "to_take_two", "to_take_ten", "base_income", "regions"),
)  # fmt: skip
EVERY: Final = ValueReads()

#: The shapes of the arrays of a network that reads all features.
SHAPES: Final[dict[str, tuple[int, ...]]] = {
    "own": (N_PLAYER, FIRST_UNITS), "others": (N_PLAYER, FIRST_UNITS), "rules": (N_RULES, FIRST_UNITS),
    "first_bias": (FIRST_UNITS,), "second": (FIRST_UNITS, SECOND_UNITS), "second_bias": (SECOND_UNITS,),
    "last": (SECOND_UNITS,),
}  # fmt: skip


def make_network(
    arrays: Mapping[str, npt.NDArray[Any]], place: str = "network", reads: ValueReads = EVERY
) -> ValueNetwork:
    """The record of arrays by name, float32, of `SHAPES` but that `own`, `others` and `rules` have a row per feature
    that the network reads.

    Raises:
        ValueNetworkError: they are not those of a network, or there is no such feature.
    """
    try:
        players, rules = PLAYERS.places(reads.player), RULES.places(reads.rule)
    except FeatureNameError as error:
        raise ValueNetworkError(f"{place}: {error}") from None
    of_player, of_rules = (len(players), FIRST_UNITS), (len(rules), FIRST_UNITS)
    if not are_of(arrays, {**SHAPES, "own": of_player, "others": of_player, "rules": of_rules}):
        raise ValueNetworkError(f"{place}: these are not the arrays of a value network")
    made = {name: np.ascontiguousarray(arrays[name]) for name in SHAPES}
    network: ValueNetwork = reference(read_only(ValueNetwork(**made, player_columns=players, rule_columns=rules)))
    return network


@functools.cache
def no_network() -> ValueNetwork:
    """A record of zeros, where positions are valued by weights."""
    return make_network({name: np.zeros(shape, np.float32) for name, shape in SHAPES.items()})


def load_value(source: str | Path | ValueNetwork | None) -> ValueNetwork | None:
    """A value network: ``learned`` is the bundled one, ``weights`` (or None) none at all, else an .npz file.

    With ``#`` and a `digest` behind the file's name, it is refused where it holds another.

    Raises:
        ValueNetworkError: there is no such file, or it holds something else.
    """
    if source is None or is_record(source, ValueNetwork):
        return source
    path_of(source, "value", ValueNetworkError)
    if source == WEIGHTS:
        return None
    if source == LEARNED:
        return _bundled()
    path, _, told = str(source).partition("#")
    if not path.endswith(".npz"):
        raise ValueNetworkError(f"no value function {path!r}; there are {LEARNED}, {WEIGHTS}, or give an .npz file")
    content = bounded.read_bytes(Path(path), bounded.SETTINGS_BYTES, ValueNetworkError, "value network")
    check_digest(content, told, path, "network", ValueNetworkError)
    return read_value(content, path)


def is_record(value: Any, kind: type[_Record]) -> TypeGuard[_Record]:
    """Whether a value is a record of a class, or the `reference` of one."""
    return isinstance(getattr(value, "record", value), kind)


def digest(content: bytes) -> str:
    """16 hexadecimal digits by which a file's content is told from others."""
    return hashlib.sha256(content).hexdigest()[:16]


def check_digest(content: bytes, told: str, place: str | Path, kind: str, error: type[InputError]) -> None:
    """Raises `error` where a file's content is not that of a `digest`; "" is none."""
    if told and told != (now := digest(content)):
        raise error(f"{place}: holds another {kind} than it did ({now} now, {told} then)")


def value_file(network: ValueNetwork) -> bytes:
    """The content of a file that `load_value` takes; it lists the features that the network reads."""
    reads = {
        "player_features": [PLAYERS.names[at] for at in network.player_columns],
        "rule_features": [RULES.names[at] for at in network.rule_columns],
    }
    return packed({"kind": _KIND, **reads}, {name: np.array(getattr(network, name)) for name in SHAPES})


def save_value(path: str | Path, arrays: Mapping[str, Floats]) -> None:
    """Write the arrays of a network that reads all features to a file that `load_value` takes, in one step.

    Raises:
        ValueNetworkError: the arrays are not those of a network, or the path is not that of a file.
        OutputError, WriteError: see `output.save_file`.
    """
    content = value_file(make_network(arrays))
    save_file(path_of(path, "path", ValueNetworkError), content)


@functools.cache
def _bundled() -> ValueNetwork:
    file = resources.files("warlight_env.agents.value").joinpath("learned.npz")
    return read_value(file.read_bytes(), "learned.npz")


def read_value(content: bytes, place: str) -> ValueNetwork:
    """The network of a file's content.

    Raises:
        ValueNetworkError: it holds something else; `place` begins the message.
    """
    try:
        arrays = read_arrays(content)
        if HEADER not in arrays:
            return make_network(arrays, place, UNLISTED)
        text, arrays = unpacked(content)
    except (ArraysError, UnicodeDecodeError) as error:
        raise ValueNetworkError(f"{place}: no value network: {error}") from None
    header = bounded.parse_json(text, f"{place}: no value network: header", ValueNetworkError)
    if not isinstance(header, dict) or header.get("kind") != _KIND:
        raise ValueNetworkError(f"{place}: no value network: its header is of no such kind")
    reads: Any = (header.get("player_features"), header.get("rule_features"))
    return make_network(arrays, place, ValueReads(*reads))
