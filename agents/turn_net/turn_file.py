"""Turn networks in files: an .npz archive of the arrays and of a header in JSON, which says what they read."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env import bounded
from warlight_env.agents.parameters import Told
from warlight_env.agents.turn_net.features import EDGE_FEATURES, NODE_FEATURES, OVERALL_FEATURES
from warlight_env.agents.turn_record import TurnNetwork, TurnNetworkError, make_turn_network
from warlight_env.agents.value_record import digest
from warlight_env.errors import clipped
from warlight_env.networks.archive import packed, unpacked
from warlight_env.networks.npz import ArraysError

#: Of the files; one that another number is written in is not read.
VERSION: Final = 1
_KIND: Final = "turns"
#: The most that logits are divided by: choices are then as good as even.
MOST_HEAT: Final = 1000.0
#: The parameter of agents, and the name of no network.
NET: Final = Told(
    "whose turns join the candidates and are played on by: none, learned (the network of policy:any), world (that of "
    "policy:world), or an .npz file",
    shared=True,
)
NONE: Final = "none"
LEARNED: Final = "learned"
_ANY: Final = "any"
#: The networks that come with the package, by the names of the policies that play them: `policy:any`, `policy:world`.
BUNDLED: Final = {path.stem: path for path in sorted(Path(__file__).parent.glob("*.npz"))}
Floats = Mapping[str, npt.NDArray[np.float32]]
#: What a network reads: a file made when they were others is not read.
_READS: Final = {
    "node_features": list(NODE_FEATURES), "overall_features": list(OVERALL_FEATURES),
    "edge_features": list(EDGE_FEATURES),
}  # fmt: skip


@dataclass(frozen=True)
class TurnPolicy:
    """A turn network, how it plays, and where it comes from, as plain data.

    heat: divides logits before choices are drawn; 0 takes the likeliest of each.
    """

    network: TurnNetwork
    heat: float = 0.0
    note: dict[str, Any] = field(default_factory=dict)


def turn_file(arrays: Floats, heat: float = 0.0, note: Mapping[str, Any] | None = None) -> bytes:
    """The content of a file, see `TurnPolicy`."""
    make_turn_network(arrays)
    return packed({"kind": _KIND, "version": VERSION, **_READS, "heat": heat, "note": dict(note or {})}, arrays)


def is_turn_file(content: bytes) -> bool:
    """Whether it says that it holds a turn network, whatever else is wrong with it."""
    try:
        return f'"kind": "{_KIND}"' in unpacked(content)[0]
    except (ArraysError, UnicodeDecodeError):
        return False


def read_turn_file(content: bytes, name: str) -> TurnPolicy:
    """What `turn_file` wrote.

    Raises:
        TurnNetworkError: it is no such thing, or of another version; `name` begins the message.
    """
    try:
        text, arrays = unpacked(content)
    except (ArraysError, UnicodeDecodeError) as error:
        raise TurnNetworkError(f"{name}: no turn network: {error}") from None
    header = bounded.parse_json(text, f"{name}: no turn network: header", TurnNetworkError)
    if not isinstance(header, dict) or header.get("kind") != _KIND:
        raise TurnNetworkError(f"{name}: no turn network")
    if header.get("version") != VERSION:
        raise TurnNetworkError(f"{name}: of version {clipped(repr(header.get('version')), 60)}; this reads {VERSION}")
    if {key: header.get(key) for key in _READS} != _READS:
        raise TurnNetworkError(f"{name}: made for other features than this version has")
    heat, note = header.get("heat"), header.get("note")
    if not isinstance(heat, int | float) or not 0 <= heat <= MOST_HEAT or not isinstance(note, dict):
        raise TurnNetworkError(f"{name}: the header is damaged: heat {clipped(repr(heat), 60)} and a note")
    return TurnPolicy(make_turn_network(arrays, name), float(heat), note)


def load_turns(source: str | Path | TurnNetwork | None) -> TurnNetwork | None:
    """A turn network: ``none`` (or None) is none at all, ``learned`` that for any map; a name in `BUNDLED`; a file.

    With ``#`` and a `digest` behind the file's name, it is refused where it holds another.

    Raises:
        TurnNetworkError: there is no such file, or it holds something else.
    """
    if source is None or source == NONE:
        return None
    if not isinstance(source, str | Path):
        return source
    name = _ANY if source == LEARNED else str(source)
    if name in BUNDLED:
        return _bundled(name)
    path, _, told = str(source).partition("#")
    if not path.endswith(".npz"):
        known = ", ".join((NONE, LEARNED, *BUNDLED))
        raise TurnNetworkError(f"no turn network {path!r}; there are {known}, or give an .npz file")
    content = bounded.read_bytes(Path(path), bounded.ARRAYS_BYTES, TurnNetworkError, "turn network")
    if told and told != digest(content):
        raise TurnNetworkError(f"{path}: holds another network than it did ({digest(content)} now, {told} then)")
    return read_turn_file(content, path).network


@functools.cache
def _bundled(name: str) -> TurnNetwork:
    return read_turn_file(BUNDLED[name].read_bytes(), f"the network {name} of the package").network
