"""The value network as a NamedTuple of arrays for kernels, and as a file."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeGuard, TypeVar

import numpy as np
import numpy.typing as npt

from warlight_env import bounded_io
from warlight_env.agents.parameters import Param
from warlight_env.arguments import path_of
from warlight_env.engine.jit import read_only, shared
from warlight_env.engine.reference import reference
from warlight_env.errors import InputError
from warlight_env.features.definitions import PLAYERS, RULES
from warlight_env.features.registry import Columns, FeatureNameError
from warlight_env.networks.archive import HEADER, have_shapes, packed, unpacked
from warlight_env.networks.npz import ArraysError, read_arrays

Floats = npt.NDArray[np.float32]
_Record = TypeVar("_Record")
_KIND: Final = "value"

#: Numbers of features of each player and of the rules. `value.features` writes them; a network uses some of them as its
#: input.
N_PLAYER: Final = PLAYERS.width
N_RULES: Final = RULES.width
#: Numbers of units of the two layers. The numbers are constants, so that the compiler can vectorize loops over units.
FIRST_UNITS: Final = 32
SECOND_UNITS: Final = 8

#: The declaration of the agents' parameter `value`.
VALUE: Final = Param(
    "evaluation of positions: learned (the bundled value network), weights, or an .npz file", shared=True
)

#: Values of the agents' parameter `value` that are not file names.
LEARNED: Final = "learned"
WEIGHTS: Final = "weights"


class ValueNetworkError(InputError):
    """Error: a value network cannot be read. The error message names the file and the reason."""


@shared
class ValueNetwork(NamedTuple):
    """The weights of the network, float32, and the columns of its input features, uint32, as read-only arrays.

    Sizes of the arrays are H = FIRST_UNITS, K = SECOND_UNITS, F (features of each player) and G (features of the
    rules).
    """

    own: Floats  #: [F, H] weights of a player's own features
    others: Floats  #: [F, H] weights of the mean features of the other players
    rules: Floats  #: [G, H] weights of the features of the rules
    first_bias: Floats  #: [H]
    second: Floats  #: [H, K]
    second_bias: Floats  #: [K]
    last: Floats  #: [K]
    player_columns: Columns  #: [F]
    rule_columns: Columns  #: [G]


class ValueFeatureNames(NamedTuple):
    """Names of a network's input features, in order; the default is all features that this version defines."""

    player: Sequence[str] = PLAYERS.names
    rule: Sequence[str] = RULES.names


#: The input features of networks in files that do not list their features. Early versions wrote such files.
UNLISTED: Final = ValueFeatureNames(
    ("armies", "roots", "regions", "income", "whole", "promise_2", "promise_4", "promise_8", "promise_16", "clear_4",
     "clear_8", "ready", "front", "edge", "exposed_armies", "exposed_regions", "exposed_bonus", "threatened_armies",
     "threatened_regions", "threatened_bonus", "prey_armies", "prey_regions", "fronts", "edges", "largest", "faced"),
    ("per_enemy", "rounds_left", "to_take_two", "to_take_ten", "base_income", "regions"),
)  # fmt: skip
EVERY: Final = ValueFeatureNames()

#: The shapes of the arrays of a network that uses all features as its input.
SHAPES: Final[dict[str, tuple[int, ...]]] = {
    "own": (N_PLAYER, FIRST_UNITS), "others": (N_PLAYER, FIRST_UNITS), "rules": (N_RULES, FIRST_UNITS),
    "first_bias": (FIRST_UNITS,), "second": (FIRST_UNITS, SECOND_UNITS), "second_bias": (SECOND_UNITS,),
    "last": (SECOND_UNITS,),
}  # fmt: skip


def make_network(
    arrays: Mapping[str, npt.NDArray[Any]], place: str = "network", reads: ValueFeatureNames = EVERY
) -> ValueNetwork:
    """Return the value network with given arrays.

    Args:
        arrays: names and float32 arrays with the shapes `SHAPES`; but `own`, `others` and `rules` have one row for each
            input feature of the network.
        reads: the names of the input features.

    Raises:
        ValueNetworkError: the arrays are not the arrays of a value network, or a feature does not exist.
    """
    try:
        players, rules = PLAYERS.places(reads.player), RULES.places(reads.rule)
    except FeatureNameError as error:
        raise ValueNetworkError(f"{place}: {error}") from None
    player_shape, rules_shape = (len(players), FIRST_UNITS), (len(rules), FIRST_UNITS)
    if not have_shapes(arrays, {**SHAPES, "own": player_shape, "others": player_shape, "rules": rules_shape}):
        raise ValueNetworkError(f"{place}: the file does not contain the arrays of a value network")
    contiguous = {name: np.ascontiguousarray(arrays[name]) for name in SHAPES}
    network: ValueNetwork = reference(read_only(ValueNetwork(**contiguous, player_columns=players, rule_columns=rules)))
    return network


@functools.cache
def no_network() -> ValueNetwork:
    """Return a value network of zeros, as a placeholder in contexts that evaluate positions with weights."""
    return make_network({name: np.zeros(shape, np.float32) for name, shape in SHAPES.items()})


def load_value(source: str | Path | ValueNetwork | None) -> ValueNetwork | None:
    """Load a value network.

    source: ``learned`` for the network of this package; ``weights`` or None for no network; otherwise the path of an
    .npz file. The path may end with ``#`` and a `digest`; then the file must have this digest.

    Raises:
        ValueNetworkError: the file does not exist, has another digest, or does not contain a value network.
    """
    if source is None or is_record(source, ValueNetwork):
        return source
    path_of(source, "value", ValueNetworkError)
    if source == WEIGHTS:
        return None
    if source == LEARNED:
        return _bundled()
    path, _, expected = str(source).partition("#")
    if not path.endswith(".npz"):
        raise ValueNetworkError(f"there is no value function {path!r}; use {LEARNED}, {WEIGHTS} or an .npz file")
    content = bounded_io.read_bytes(Path(path), bounded_io.SETTINGS_BYTES, ValueNetworkError, "value network")
    check_digest(content, expected, path, "network", ValueNetworkError)
    return read_value(content, path)


def is_record(value: Any, kind: type[_Record]) -> TypeGuard[_Record]:
    """Return whether a value is an instance of a NamedTuple class, or a `reference` to such an instance."""
    return isinstance(getattr(value, "record", value), kind)


def digest(content: bytes) -> str:
    """Return 16 hexadecimal digits that identify a file's content."""
    return hashlib.sha256(content).hexdigest()[:16]


def check_digest(content: bytes, expected: str, place: str | Path, kind: str, error: type[InputError]) -> None:
    """Raise `error` if the digest of a file's content is not `expected`; an empty `expected` accepts every content."""
    if expected and expected != (actual := digest(content)):
        raise error(
            f"{place}: the file contains another {kind} than expected: its digest is {actual}, but must be {expected}"
        )


def value_file(network: ValueNetwork) -> bytes:
    """Return the content of a network's file for `load_value`; the file lists the network's input features."""
    reads = {
        "player_features": [PLAYERS.names[column] for column in network.player_columns],
        "rule_features": [RULES.names[column] for column in network.rule_columns],
    }
    return packed({"kind": _KIND, **reads}, {name: np.array(getattr(network, name)) for name in SHAPES})


@functools.cache
def _bundled() -> ValueNetwork:
    file = resources.files("warlight_env.agents.value").joinpath("learned.npz")
    return read_value(file.read_bytes(), "learned.npz")


def read_value(content: bytes, place: str) -> ValueNetwork:
    """Return the network in a file's content.

    Raises:
        ValueNetworkError: the content is not a value network; the message begins with `place`.
    """
    try:
        arrays = read_arrays(content)
        if HEADER not in arrays:
            return make_network(arrays, place, UNLISTED)
        text, arrays = unpacked(content)
    except (ArraysError, UnicodeDecodeError) as error:
        raise ValueNetworkError(f"{place}: not a value network: {error}") from None
    header = bounded_io.parse_json(text, f"{place}: not a value network: header", ValueNetworkError)
    if not isinstance(header, dict) or header.get("kind") != _KIND:
        raise ValueNetworkError(f"{place}: not a value network: its header is not that of a value network")
    reads: Any = (header.get("player_features"), header.get("rule_features"))
    return make_network(arrays, place, ValueFeatureNames(*reads))
