"""Files of turn networks: errors name the faulty place, and the reader accepts all written files."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from warlight_env.agents.records.turn_record import SHAPES, TurnNetworkError, make_turn_network
from warlight_env.agents.turn_net.agent import TurnNetAgent
from warlight_env.agents.turn_net.turn_network_file import (
    TurnPolicy,
    is_turn_network_file,
    pack_arrays,
    read_turn_network,
)
from warlight_env.errors import InputError
from warlight_env.networks.archive import packed, unpacked

ARRAYS = {name: np.zeros(shape, np.float32) for name, shape in SHAPES.items()}
BROKEN = np.zeros(SHAPES["own"], np.float32)
BROKEN[1, 2, 3] = np.nan


def with_header(**changes: Any) -> bytes:
    """A file whose header has other entries; None: without it."""
    header = json.loads(unpacked(pack_arrays(ARRAYS))[0]) | changes
    return packed({key: value for key, value in header.items() if value is not None}, ARRAYS)


@pytest.mark.parametrize(
    "changed, fault",
    [
        ({"share": np.zeros((32, 5))}, "share: float64 [32, 5], must be float32 [32, 5]"),
        ({"first": np.zeros((27, 32), np.float32)}, "first: float32 [27, 32], must be float32 [28, 32]"),
        ({"own": BROKEN}, "own: nan at [1, 2, 3], must be finite"),
        ({"value": None}, "value: missing"),
        ({"other": BROKEN}, "other: unknown name"),
        ({"share": np.zeros((32, 5)), "own": BROKEN}, "own: nan"),
    ],
)
def test_the_first_array_that_is_wrong_is_named(changed: dict[str, Any], fault: str):
    arrays = {name: array for name, array in (ARRAYS | changed).items() if array is not None}
    with pytest.raises(TurnNetworkError) as refused:
        make_turn_network(arrays, "here.npz")
    assert str(refused.value).startswith("here.npz: ") and fault in str(refused.value)
    with pytest.raises(TurnNetworkError) as refused:
        read_turn_network(packed(json.loads(unpacked(pack_arrays(ARRAYS))[0]), arrays), "there.npz")
    assert str(refused.value).startswith("there.npz: ") and fault in str(refused.value)


@pytest.mark.parametrize(
    "changes, fault",
    [
        ({"note": None}, "x.npz: metadata None: must be a dictionary"),
        ({"note": [1]}, "x.npz: metadata [1]: must be a dictionary"),
        ({"node_features": ["mine", "altitude"]}, "x.npz: node: this version has no feature 'altitude'"),
        ({"edge_features": None}, "x.npz: edge: None: must be a list of names of features"),
        (
            {"overall_features": ["round"]},
            "x.npz: not a turn network: array overall: float32 [13, 32], must be float32 [1, 32]",
        ),
        ({"heat": 5000}, "x.npz: temperature 5000: must lie in 0 .. 1000"),
        ({"heat": True}, "x.npz: temperature True: must lie in 0 .. 1000"),
        ({"heat": None}, "x.npz: temperature None: must lie in 0 .. 1000"),
    ],
)
def test_a_wrong_entry_of_the_header_is_named(changes: dict[str, Any], fault: str):
    with pytest.raises(TurnNetworkError) as refused:
        read_turn_network(with_header(**changes), "x.npz")
    assert str(refused.value) == fault


@pytest.mark.parametrize("temperature", [-1, -0.5, 5000, float("nan"), float("inf"), True, "1", None])
def test_no_such_temperature(temperature: Any):
    network = make_turn_network(ARRAYS)
    for make in (
        lambda: pack_arrays(ARRAYS, temperature),
        lambda: TurnPolicy(network, temperature),
        lambda: TurnNetAgent(network, temperature=temperature),
    ):
        with pytest.raises(InputError, match=r"temperature .*: must lie in 0 \.\. 1000"):
            make()


@pytest.mark.parametrize("temperature", [0, 0.5, 1000, np.float32(2)])
def test_what_is_written_is_read(temperature: float):
    read = read_turn_network(pack_arrays(ARRAYS, temperature, {"kind": "other"}), "x")
    assert (read.temperature, type(read.temperature), read.metadata) == (temperature, float, {"kind": "other"})


def test_the_header_itself_says_what_it_is():
    assert is_turn_network_file(pack_arrays(ARRAYS))
    assert is_turn_network_file(with_header(version=2, note=None))
    assert not is_turn_network_file(packed({"kind": "other", "note": {"kind": "turns"}}, ARRAYS))
    assert not is_turn_network_file(packed([{"kind": "turns"}], ARRAYS))  # type: ignore[arg-type]
    assert not is_turn_network_file(b"nothing")
