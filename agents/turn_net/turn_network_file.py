"""Files of turn networks: an .npz archive of the arrays and a JSON header, which lists the network's features."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env import bounded_io
from warlight_env.agents.parameters import Param, Range
from warlight_env.agents.records.turn_record import (
    EVERY,
    TurnFeatureNames,
    TurnNetwork,
    TurnNetworkError,
    arrays_of,
    make_turn_network,
    narrowed,
    reads_of,
)
from warlight_env.agents.records.value_record import check_digest, is_record
from warlight_env.arguments import path_of
from warlight_env.errors import clipped
from warlight_env.networks.archive import packed, unpacked
from warlight_env.networks.npz import ArraysError

#: The version of the files; a file of another version is refused.
VERSION: Final = 1
_KIND: Final = "turns"
#: The largest temperature. With this temperature, choices are almost uniform.
MAX_TEMPERATURE: Final = 1000.0
_TEMPERATURES: Final = Range(0, MAX_TEMPERATURE)
#: The declaration of the agents' parameter `net`.
NET: Final = Param(
    "turn network that proposes candidates and plays later rounds: none, learned (policy:world in two-player games on "
    "the world map, else policy:any), any, world, fog, any_fog, or an .npz file",
    shared=True,
)
NONE: Final = "none"
LEARNED: Final = "learned"
_ANY: Final = "any"
#: The networks in the package, by the names of the policies that play them: `policy:any` and so on.
BUNDLED: Final = {path.stem: path for path in sorted(Path(__file__).parent.glob("*.npz"))}
Floats = Mapping[str, npt.NDArray[np.float32]]


@dataclass(frozen=True)
class TurnPolicy:
    """A turn network, the temperature for its choices, and metadata about its origin as plain data.

    temperature: the divisor of the logits before choices are drawn; with 0, each choice has its most likely value.

    Raises:
        TurnNetworkError: the temperature is invalid, or the metadata is not a dictionary.
    """

    network: TurnNetwork
    temperature: float = 0.0
    metadata: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "temperature", checked_temperature(self.temperature))
        if not isinstance(self.metadata, dict):
            raise TurnNetworkError(f"metadata {clipped(repr(self.metadata), 60)}: must be a dictionary")


def checked_temperature(temperature: Any) -> float:
    """Check a temperature, and return it as a float.

    Raises:
        TurnNetworkError: the temperature is not a number from 0 to MAX_TEMPERATURE.
    """
    if temperature not in _TEMPERATURES:
        raise TurnNetworkError(f"temperature {clipped(repr(temperature), 60)}: {_TEMPERATURES}")
    return float(temperature)


def pack_arrays(
    arrays: Floats,
    temperature: float = 0.0,
    metadata: Mapping[str, Any] | None = None,
    reads: TurnFeatureNames = EVERY,
) -> bytes:
    """Return the content of a file for the arrays of a network, see `pack_turn_network`.

    arrays: the arrays of a network with all input features. reads: the features that the network in the file reads.

    Raises:
        TurnNetworkError: an array does not match `shapes_of`, or the temperature is invalid.
    """
    make_turn_network(arrays)
    return pack_turn_network(make_turn_network(narrowed(arrays, reads), reads=reads), temperature, metadata)


def pack_turn_network(
    network: TurnNetwork, temperature: float = 0.0, metadata: Mapping[str, Any] | None = None
) -> bytes:
    """Return the content of a file for a network; see `TurnPolicy` for the arguments.

    The file lists the network's input features.

    Raises:
        TurnNetworkError: the temperature is invalid.
    """
    policy = TurnPolicy(network, temperature, dict(metadata or {}))
    reads = {f"{name}_features": list(names) for name, names in reads_of(network)._asdict().items()}
    header = {"kind": _KIND, "version": VERSION, **reads, "heat": policy.temperature, "note": policy.metadata}
    return packed(header, arrays_of(network))


def is_turn_network_file(content: bytes) -> bool:
    """Return whether the header of a file's content declares a turn network.

    The content after the header is not checked.
    """
    try:
        return _is_header(bounded_io.parse_json(unpacked(content)[0], "header", TurnNetworkError))
    except (ArraysError, UnicodeDecodeError, TurnNetworkError):
        return False


def _is_header(value: Any) -> bool:
    return isinstance(value, dict) and value.get("kind") == _KIND


def read_turn_network(content: bytes, name: str) -> TurnPolicy:
    """Return the policy in the content of a file, which `pack_arrays` or `pack_turn_network` made.

    Raises:
        TurnNetworkError: the content is not a turn network, or has another version; the message begins with `name`.
    """
    try:
        text, arrays = unpacked(content)
    except (ArraysError, UnicodeDecodeError) as error:
        raise TurnNetworkError(f"{name}: not a turn network: {error}") from None
    header = bounded_io.parse_json(text, f"{name}: not a turn network: header", TurnNetworkError)
    if not _is_header(header):
        raise TurnNetworkError(f"{name}: not a turn network: its header is not that of a turn network")
    if header.get("version") != VERSION:
        raise TurnNetworkError(f"{name}: version {clipped(repr(header.get('version')), 60)}; must be {VERSION}")
    reads = TurnFeatureNames(*(header.get(f"{group}_features") for group in TurnFeatureNames._fields))
    network = make_turn_network(arrays, name, reads)
    try:
        return TurnPolicy(network, header.get("heat"), header.get("note"))
    except TurnNetworkError as error:
        raise TurnNetworkError(f"{name}: {error}") from None


def load_turn_network(source: str | Path | TurnNetwork | None, name: str = "net") -> TurnNetwork | None:
    """Load a turn network.

    source: ``none`` or None for no network; ``learned`` for the package's network for any map; a name in `BUNDLED` for
    the network of the package with that name; otherwise the path of an .npz file. The path may end with ``#`` and a
    `digest`; then the file must have this digest.
    name: the name of the argument or setting, for error messages.

    Raises:
        TurnNetworkError: the source has another type, or the file does not exist, has another digest, or does not
            contain a turn network.
    """
    if source is None or is_record(source, TurnNetwork):
        return source
    path_of(source, name, TurnNetworkError)
    if source == NONE:
        return None
    bundled = _ANY if source == LEARNED else str(source)
    if bundled in BUNDLED:
        return bundled_network(bundled)
    path, _, expected = str(source).partition("#")
    if not path.endswith(".npz"):
        names = ", ".join((NONE, LEARNED, *BUNDLED))
        raise TurnNetworkError(f"there is no turn network {path!r}; use {names} or an .npz file")
    content = bounded_io.read_bytes(Path(path), bounded_io.ARRAYS_BYTES, TurnNetworkError, "turn network")
    check_digest(content, expected, path, "network", TurnNetworkError)
    return read_turn_network(content, path).network


@functools.cache
def bundled_network(name: str) -> TurnNetwork:
    """Return the network of the package with a name in `BUNDLED`."""
    return read_turn_network(BUNDLED[name].read_bytes(), f"the network {name} of the package").network
