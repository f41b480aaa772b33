"""The value network: features compared with their description in Python, scores compared with NumPy, and files."""

from __future__ import annotations

import math

import numpy as np
import pytest
from value_helpers import save_value

from helpers import shares_of
from warlight_env.agents import make_agent
from warlight_env.agents.context import evaluate
from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.records.army_requirements import attackers_needed
from warlight_env.agents.records.value_record import (
    N_PLAYER,
    N_RULES,
    SHAPES,
    UNLISTED,
    ValueFeatureNames,
    ValueNetworkError,
    digest,
    load_value,
    make_network,
    value_file,
)  # fmt: skip
from warlight_env.agents.value.features import write_rules
from warlight_env.agents.value.network import LEAK, REGION_WEIGHT, VALUE_WEIGHT, network_scores, win_probabilities
from warlight_env.agents.weights import PLANNING
from warlight_env.engine.board import make_board
from warlight_env.engine.jit import kernel
from warlight_env.engine.position import Position
from warlight_env.engine.rules import Rules
from warlight_env.features.definitions import PLAYERS, RULES
from warlight_env.game import Game
from warlight_env.maps import load
from warlight_env.networks.archive import packed
from warlight_env.networks.npz import write_arrays

#: Index of 0.7 in the levels of the tables of army requirements.
LEVEL = 2


@kernel
def write_all(context, position, features, rules, scores):
    write_rules(context, position, rules)
    network_scores(context, position, features, scores)
    return 0


@kernel
def write_shares(context, position, shares):
    evaluate(context, position, shares)
    return 0


def random_position(draw, map_, players):
    owner = draw.integers(-1, players, map_.n_regions)
    whole = map_.members[int(draw.integers(len(map_.members)))]
    owner[list(whole)] = draw.integers(players)
    army = draw.integers(1, 30, map_.n_regions)
    rounds = np.array([draw.integers(0, 120)], dtype=np.int32)
    return Position(owner.astype(np.int8), army.astype(np.int32), rounds)


def features_in_python(map_, rules, position, player, players, requirements):
    """Compute the features that `value.features` defines."""
    owner, army = position.owner.tolist(), position.army.tolist()

    def income(p):
        held = [all(owner[r] == p for r in members) for members in map_.members]
        return rules.base_income + sum(b for b, whole in zip(map_.bonuses, held, strict=True) if whole)

    def threat(r):
        """Return the armies and the owner of the strongest hostile neighbour of a region, the first of equals."""
        return max(((army[q], -k, owner[q]) for k, q in enumerate(map_.neighbors[r]) if owner[q] not in (-1, owner[r])),
                   default=(0, 0, -1))[::2]  # fmt: skip

    def chances(r):
        armies, who = threat(r)
        if armies == 0:
            return 0.0, 0.0
        joined = armies - 1 + int(0.7 * income(who))
        return requirements.capture[armies - 1, army[r]], requirements.capture[joined, army[r]]

    f = dict.fromkeys(PLAYERS.names, 0.0)
    mine = [r for r in range(map_.n_regions) if owner[r] == player]
    f["armies"], f["roots"] = sum(army[r] for r in mine), sum(math.sqrt(army[r]) for r in mine)
    f["regions"], f["income"] = len(mine), income(player)
    f["largest"] = max((army[r] for r in mine), default=0)
    for r in range(map_.n_regions):
        armies, who = threat(r)
        if owner[r] >= 0 and who == player:
            f["prey_armies"] += chances(r)[1] * army[r]
            f["prey_regions"] += chances(r)[1]
    for r in mine:
        neutral, (armies, _) = any(owner[q] < 0 for q in map_.neighbors[r]), threat(r)
        now, soon = chances(r)
        f["edges"] += neutral
        f["fronts"] += armies > 0
        f["front"] += army[r] * (armies > 0)
        f["edge"] += army[r] * (armies == 0 and neutral)
        f["faced"] += min(army[r], armies)
        f["exposed_armies"] += now * army[r]
        f["exposed_regions"] += now
        f["threatened_armies"] += soon * army[r]
        f["threatened_regions"] += soon
    for members, bonus in zip(map_.members, map_.bonuses, strict=True):
        own = [r for r in members if owner[r] == player]
        if len(own) == len(members):
            f["whole"] += 1
            f["exposed_bonus"] += bonus * max(chances(r)[0] for r in members)
            f["threatened_bonus"] += bonus * max(chances(r)[1] for r in members)
        elif own:
            lack = sum(attackers_needed(requirements, LEVEL, army[r]) for r in members if owner[r] != player)
            for fade in (2, 4, 8, 16):
                f[f"promise_{fade}"] += bonus * math.exp(-lack / fade)
            if all(owner[r] in (-1, player) for r in members):
                f["clear_4"] += bonus * math.exp(-lack / 4)
                f["clear_8"] += bonus * math.exp(-lack / 8)
                f["ready"] += bonus * min(1.0, (sum(army[r] - 1 for r in own) + income(player)) / max(1, lack))
    return [f[name] for name in PLAYERS.names]


def random_arrays(seed=1):
    draw = np.random.default_rng(seed)
    return {name: draw.normal(0, 0.3, shape).astype(np.float32) for name, shape in SHAPES.items()}


def rectified(x):
    return np.maximum(x, LEAK * x)


@pytest.mark.parametrize(
    ("map_name", "preset"), [("world", "thesis"), ("small", "challenge1"), ("world", "challenge2")]
)
@pytest.mark.parametrize("players", [2, 4])
def test_features_scores_and_shares_match_plain_python(map_name, preset, players):
    map_, rules = load(map_name), Rules.of(preset)
    board, arrays, draw = make_board(map_), random_arrays(), np.random.default_rng(7)
    params = rules.params(board.n_regions, board.n_super_regions)
    context = make_context(board, params, players, PLANNING, value=make_network(arrays))
    for _ in range(40):
        position = random_position(draw, map_, players)
        features, rule_numbers, scores = np.zeros(1024), np.zeros(N_RULES), np.zeros(players)
        write_all(context, position, features, rule_numbers, scores)
        rows = features[: players * N_PLAYER].reshape(players, N_PLAYER)
        expected = [
            features_in_python(map_, rules, position, p, players, context.army_requirements) for p in range(players)
        ]
        assert rows == pytest.approx(np.array(expected), rel=1e-9, abs=1e-9)
        numbers = np.sqrt(rows) / 2
        alive = [p for p in range(players) if (position.owner == p).any()]
        for p in range(players):
            if p not in alive:
                assert scores[p] == -math.inf
                continue
            others = sum((numbers[q] for q in alive if q != p), np.zeros(N_PLAYER)) / max(1, len(alive) - 1)
            first = numbers[p] @ arrays["own"] + others @ arrays["others"] + rule_numbers @ arrays["rules"]
            second = rectified(first + arrays["first_bias"]) @ arrays["second"] + arrays["second_bias"]
            assert scores[p] == pytest.approx(rectified(second) @ arrays["last"], rel=1e-3, abs=1e-3)
        chances = np.exp(scores - scores.max())
        shares = shares_of(write_shares, context, position)
        held = np.array([(position.owner == p).sum() for p in range(players)])
        armies, income, promise = (rows[:, PLAYERS.names.index(name)] for name in ("armies", "income", "promise_8"))
        position_values = (armies + 9 * income + 6 * promise) * (held > 0)
        expected = (1 - REGION_WEIGHT - VALUE_WEIGHT) * chances / chances.sum()
        expected += VALUE_WEIGHT * position_values / position_values.sum() + REGION_WEIGHT * held / held.sum()
        assert shares == pytest.approx(expected, abs=1e-6)


def test_the_bundled_network_prefers_more_armies_and_regions():
    """The player with more armies or regions has the higher win probability, and the probabilities add up to 1."""
    map_ = load("world")
    board = make_board(map_)
    params = Rules().params(board.n_regions, board.n_super_regions)
    context = make_context(board, params, 2, PLANNING, value=load_value("learned"))
    australia, south = (
        map_.members[[s.name for s in map_.super_regions].index(n)] for n in ("Australia", "South America")
    )
    owner, army = np.full(42, -1, np.int8), np.full(42, 2, np.int32)
    owner[list(australia)], owner[list(south)] = 0, 1
    even = Position(owner, army, np.zeros(1, np.int32))
    assert 0.35 < shares_of(win_probabilities, context, even)[0] < 0.65
    assert sum(shares_of(win_probabilities, context, even)) == pytest.approx(1.0)
    stronger, smaller = army.copy(), owner.copy()
    stronger[list(australia)] = 6
    smaller[south[0]] = -1
    for better in (Position(owner, stronger, np.zeros(1, np.int32)), Position(smaller, army, np.zeros(1, np.int32))):
        assert shares_of(win_probabilities, context, better)[0] > shares_of(win_probabilities, context, even)[0] + 0.1


def test_files_store_networks_and_faulty_files_raise_an_error(tmp_path):
    file = tmp_path / "value.npz"
    save_value(file, random_arrays())
    read = load_value(file)
    assert all(np.array_equal(getattr(read, name), array) for name, array in random_arrays().items())
    assert load_value(f"{file}#{digest(file.read_bytes())}") is not None
    with pytest.raises(ValueNetworkError, match="contains another network"):
        load_value(f"{file}#{'0' * 16}")
    with pytest.raises(ValueNetworkError, match="no value function 'lerned'"):
        load_value("lerned")
    with pytest.raises(ValueNetworkError, match="the file does not contain the arrays of a value network"):
        save_value(file, {**random_arrays(), "last": np.zeros(3, np.float32)})
    with pytest.raises(ValueNetworkError, match="the file does not contain the arrays of a value network"):
        save_value(file, {**random_arrays(), "last": np.full(SHAPES["last"], np.nan, np.float32)})
    file.write_bytes(b"PK nothing of the kind")
    with pytest.raises(ValueNetworkError, match=r"value\.npz: not a value network"):
        load_value(file)
    with pytest.raises(ValueNetworkError, match=r"value\.npz"):
        make_agent(f"nash:value={file}", 1)


def test_a_network_reads_the_listed_features_in_their_order(tmp_path):
    """It gives the values of a network that reads all features with weights of zero for the others."""
    draw, few, wide = np.random.default_rng(2), random_arrays(), random_arrays()
    reads = ValueFeatureNames(
        *(draw.permutation(group.names)[: group.width // 2].tolist() for group in (PLAYERS, RULES))
    )
    for name, group, names in (("own", PLAYERS, reads[0]), ("others", PLAYERS, reads[0]), ("rules", RULES, reads[1])):
        few[name], wide[name] = few[name][: len(names)], np.zeros_like(wide[name])
        wide[name][group.places(names)] = few[name]
    file = tmp_path / "few.npz"
    file.write_bytes(value_file(make_network(few, reads=reads)))
    loaded = load_value(file)
    assert [PLAYERS.names[at] for at in loaded.player_columns] == reads.player
    map_ = load("small")
    board = make_board(map_)
    params = Rules().params(board.n_regions, board.n_super_regions)
    position = random_position(draw, map_, 3)
    shares = [
        shares_of(win_probabilities, make_context(board, params, 3, PLANNING, value=network), position)
        for network in (loaded, make_network(wide))
    ]
    assert shares[0] == pytest.approx(shares[1], abs=1e-5)


def test_files_without_a_list_read_the_features_of_the_first_version(tmp_path):
    file = tmp_path / "value.npz"
    file.write_bytes(write_arrays(random_arrays()))
    for network in (load_value(file), load_value("learned")):
        assert tuple(PLAYERS.names[at] for at in network.player_columns) == UNLISTED.player
        assert tuple(RULES.names[at] for at in network.rule_columns) == UNLISTED.rule


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ({"player_features": ["armies", "altitude"]}, "players: this version has no feature 'altitude'"),
        ({"rule_features": None}, "rules: None: must be a list of names"),
        ({"rule_features": ["regions"]}, "the file does not contain the arrays of a value network"),
        ({"kind": "turns"}, "its header is not that of a value network"),
    ],
)
def test_invalid_feature_lists_raise_an_error(header, message, tmp_path):
    file = tmp_path / "value.npz"
    entries = {"kind": "value", "player_features": list(PLAYERS.names), "rule_features": list(RULES.names), **header}
    file.write_bytes(packed(entries, random_arrays()))
    with pytest.raises(ValueNetworkError, match=message):
        load_value(file)


@pytest.mark.parametrize("name", ["plan", "nash:sims=300"])
def test_the_value_network_changes_the_turns(name, tmp_path):
    file = tmp_path / "value.npz"
    save_value(file, random_arrays())
    separator = "," if ":" in name else ":"
    turns = []
    for value in ("learned", "weights", str(file)):
        game = Game("world", "thesis", seed=8, picks="random")
        turns.append(make_agent(f"{name}{separator}value={value}", 1).act(game.view(0)))
    assert len({repr(turn) for turn in turns}) > 1
