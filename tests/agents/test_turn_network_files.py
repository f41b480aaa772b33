"""Files of turn networks: errors name the faulty entry, and the reader accepts all written files."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
import pytest

from warlight_env.agents import make_agent
from warlight_env.agents.records.turn_record import (
    EVERY,
    FIRST_MEMORY,
    LAYERED,
    SHAPES,
    WITHOUT_MEMORY,
    TurnNetworkError,
    make_turn_network,
    ranks_offers,
    reads_memory,
    widened,
)
from warlight_env.agents.turn_net.agent import TurnNetAgent
from warlight_env.agents.turn_net.turn_network_file import (
    BUNDLED,
    TurnPolicy,
    is_turn_network_file,
    pack_arrays,
    pack_turn_network,
    read_turn_network,
)
from warlight_env.errors import InputError
from warlight_env.game import Game
from warlight_env.networks.archive import packed, unpacked

ARRAYS = {name: np.zeros(shape, np.float32) for name, shape in SHAPES.items()}
BROKEN = np.zeros(SHAPES["own"], np.float32)
BROKEN[1, 2, 3] = np.nan


def game_digest(name: str, rules: str, players: int, map_name: str) -> str:
    """Return a digest of the picks and the first turns of a bundled policy."""
    game, events = Game(map_name, rules, players, seed=5), list[Any]()
    agents = [make_agent(f"policy:{name}", p) for p in range(players)]
    while game.phase == "pick":
        picks = {p: agents[p].pick(game.view(p)) for p in game.pickers()}
        events.append(sorted(picks.items()))
        game.pick(picks)
    for _ in range(12):
        if game.phase == "play":
            orders = {p: agents[p].act(game.view(p)) for p in range(players) if (game.owner == p).any()}
            events.append([(p, turn.deploys, turn.attacks) for p, turn in orders.items()])
            game.play_round(orders)
    return hashlib.sha256(repr(events).encode()).hexdigest()[:16]


@pytest.mark.parametrize("name, rules, players, map_name, digest", [
    ("world", "challenge1", 2, "world", "1f3b30c38361c087"),
    ("any", "thesis", 3, "small", "a105ff0726c49dee"),
    ("any", "challenge2", 2, "small", "404ff9e70f20e15b"),
])  # fmt: skip
def test_new_features_do_not_change_turns_of_bundled_networks(name, rules, players, map_name, digest):
    network = read_turn_network(BUNDLED[name].read_bytes(), name).network
    assert not reads_memory(network) and not ranks_offers(network)
    assert game_digest(name, rules, players, map_name) == digest


def test_a_file_lists_only_the_features_that_its_network_reads():
    draw = np.random.default_rng(1)
    arrays = {each: draw.normal(size=shape).astype(np.float32) for each, shape in SHAPES.items()}
    for reads, memory in ((EVERY, True), (WITHOUT_MEMORY, False)):
        network = read_turn_network(pack_arrays(arrays, reads=reads), "x").network
        assert reads_memory(network) == memory and ranks_offers(network)
        assert np.array_equal(widened(network)["first"][:FIRST_MEMORY], arrays["first"][:FIRST_MEMORY])
        assert widened(network)["first"][FIRST_MEMORY:].any() == memory
    without = read_turn_network(pack_arrays({**arrays, "pick": 0 * arrays["pick"]}), "x").network
    assert not ranks_offers(without) and "pick" not in unpacked(pack_turn_network(without))[1]


def with_header(**changes: Any) -> bytes:
    """Return a file with changed header entries; None removes an entry."""
    header = json.loads(unpacked(pack_arrays(ARRAYS))[0]) | changes
    return packed({key: value for key, value in header.items() if value is not None}, ARRAYS)


@pytest.mark.parametrize(
    "changed, fault",
    [
        ({"share": np.zeros((32, 5))}, "share: float64 [32, 5], must be float32 [32, 5]"),
        ({"first": np.zeros((31, 32), np.float32)}, "first: float32 [31, 32], must be float32 [32, 32]"),
        ({"own": BROKEN}, "own: nan at [1, 2, 3], must be finite"),
        ({"value": None}, "value: missing"),
        ({"other": BROKEN}, "other: unknown name"),
        (dict.fromkeys(LAYERED, np.zeros((9, 32, 32), np.float32)), "9 layers, must be 1 to 8"),
        (dict.fromkeys(LAYERED, np.zeros((0, 32, 32), np.float32)), "0 layers, must be 1 to 8"),
        ({"own": np.zeros((3, 32, 32), np.float32)}, "layers: 3 in own, 2 in around, 2 in among, 2 in layer_bias"),
        ({"own": np.zeros((2, 32), np.float32)}, "own: float32 [2, 32], must be float32 [2, 32, 32]"),
        ({"share": np.zeros((32, 5)), "own": BROKEN}, "own: nan"),
    ],
)
def test_the_error_names_the_first_wrong_array(changed: dict[str, Any], fault: str):
    arrays = {name: array for name, array in (ARRAYS | changed).items() if array is not None}
    with pytest.raises(TurnNetworkError) as raised:
        make_turn_network(arrays, "here.npz")
    assert str(raised.value).startswith("here.npz: ") and fault in str(raised.value)
    with pytest.raises(TurnNetworkError) as raised:
        read_turn_network(packed(json.loads(unpacked(pack_arrays(ARRAYS))[0]), arrays), "there.npz")
    assert str(raised.value).startswith("there.npz: ") and fault in str(raised.value)


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
def test_the_error_names_the_wrong_entry_of_the_header(changes: dict[str, Any], fault: str):
    with pytest.raises(TurnNetworkError) as raised:
        read_turn_network(with_header(**changes), "x.npz")
    assert str(raised.value) == fault


@pytest.mark.parametrize("temperature", [-1, -0.5, 5000, float("nan"), float("inf"), True, "1", None])
def test_an_invalid_temperature_raises_an_error(temperature: Any):
    network = make_turn_network(ARRAYS)
    for make in (
        lambda: pack_arrays(ARRAYS, temperature),
        lambda: TurnPolicy(network, temperature),
        lambda: TurnNetAgent(network, temperature=temperature),
    ):
        with pytest.raises(InputError, match=r"temperature .*: must lie in 0 \.\. 1000"):
            make()


@pytest.mark.parametrize("temperature", [0, 0.5, 1000, np.float32(2)])
def test_written_temperatures_and_metadata_are_read_back(temperature: float):
    read = read_turn_network(pack_arrays(ARRAYS, temperature, {"kind": "other"}), "x")
    assert (read.temperature, type(read.temperature), read.metadata) == (temperature, float, {"kind": "other"})


def test_a_file_is_recognized_by_the_kind_in_its_header():
    assert is_turn_network_file(pack_arrays(ARRAYS))
    assert is_turn_network_file(with_header(version=2, note=None))
    assert not is_turn_network_file(packed({"kind": "other", "note": {"kind": "turns"}}, ARRAYS))
    assert not is_turn_network_file(packed([{"kind": "turns"}], ARRAYS))  # type: ignore[arg-type]
    assert not is_turn_network_file(b"nothing")
