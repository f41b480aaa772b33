"""The value network as a record for kernels, and as a file."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
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
from warlight_env.networks.archive import are_of
from warlight_env.networks.npz import ArraysError, read_arrays, write_arrays
from warlight_env.output import save_file

Floats = npt.NDArray[np.float32]
_Record = TypeVar("_Record")

#: Numbers that a network reads of each player and of the rules: `features` writes them.
N_PLAYER: Final = 26
N_RULES: Final = 6
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
    """Numbers of the network, float32, with H = FIRST_UNITS and K = SECOND_UNITS. Read-only."""

    own: Floats  #: [N_PLAYER, H] for a player's own numbers
    others: Floats  #: [N_PLAYER, H] for the mean of the others'
    rules: Floats  #: [N_RULES, H]
    first_bias: Floats  #: [H]
    second: Floats  #: [H, K]
    second_bias: Floats  #: [K]
    last: Floats  #: [K]


#: The shapes of its arrays.
SHAPES: Final[dict[str, tuple[int, ...]]] = {
    "own": (N_PLAYER, FIRST_UNITS), "others": (N_PLAYER, FIRST_UNITS), "rules": (N_RULES, FIRST_UNITS),
    "first_bias": (FIRST_UNITS,), "second": (FIRST_UNITS, SECOND_UNITS), "second_bias": (SECOND_UNITS,),
    "last": (SECOND_UNITS,),
}  # fmt: skip


def make_network(arrays: Mapping[str, npt.NDArray[Any]], place: str = "network") -> ValueNetwork:
    """The record of arrays by name, of `SHAPES`, float32.

    Raises:
        ValueNetworkError: they are not those of a network.
    """
    if not are_of(arrays, SHAPES):
        raise ValueNetworkError(f"{place}: these are not the arrays of a value network")
    made = {name: np.ascontiguousarray(arrays[name]) for name in ValueNetwork._fields}
    network: ValueNetwork = reference(read_only(ValueNetwork(**made)))
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
    return _read(content, path)


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


def save_value(path: str | Path, arrays: Mapping[str, Floats]) -> None:
    """Write a network's arrays to a file that `load_value` takes, in one step.

    Raises:
        ValueNetworkError: the arrays are not those of a network, or the path is not that of a file.
        OutputError, WriteError: see `output.save_file`.
    """
    make_network(arrays)
    save_file(path_of(path, "path", ValueNetworkError), write_arrays(arrays))


@functools.cache
def _bundled() -> ValueNetwork:
    file = resources.files("warlight_env.agents.value").joinpath("learned.npz")
    return _read(file.read_bytes(), "learned.npz")


def _read(content: bytes, place: str) -> ValueNetwork:
    try:
        arrays = read_arrays(content)
    except ArraysError as error:
        raise ValueNetworkError(f"{place}: no value network: {error}") from None
    return make_network(arrays, place)
