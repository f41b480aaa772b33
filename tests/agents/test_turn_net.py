"""The turn network: features compared with their description in Python, outputs compared with NumPy, and files."""

from __future__ import annotations

import math

import numpy as np
import pytest

from warlight_env.agents import make_agent
from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.records.army_requirements import attackers_needed
from warlight_env.agents.records.factored_turns import VALUES, encode_nearest
from warlight_env.agents.records.generator_work import make_generator_work, make_turn_set
from warlight_env.agents.records.turn_record import (
    LAYERS,
    N_EDGE,
    UNITS,
    TurnFeatureNames,
    TurnNetworkError,
    make_turn_network,
    make_turn_network_buffers,
    reads_of,
    shapes_of,
    widened,
)
from warlight_env.agents.records.value_record import digest
from warlight_env.agents.registry import pinned, unpinned
from warlight_env.agents.turn_net.agent import TurnNetAgent
from warlight_env.agents.turn_net.candidates import plans_and_samples
from warlight_env.agents.turn_net.features import write_edge, write_position
from warlight_env.agents.turn_net.forward import (
    edge_logits,
    embed_ends,
    embed_main,
    embed_regions,
    player_scores,
    weight_logits,
    write_scores,
)
from warlight_env.agents.turn_net.turn_network_file import (
    is_turn_network_file,
    load_turn_network,
    pack_arrays,
    pack_turn_network,
    read_turn_network,
)
from warlight_env.agents.turn_net.turns import network_turn
from warlight_env.agents.weights import PLANNING
from warlight_env.engine.board import make_board
from warlight_env.engine.orders import Orders
from warlight_env.engine.position import Position
from warlight_env.engine.rng import make_rng
from warlight_env.engine.rules import Rules
from warlight_env.envs.actions import FactoredActions, InexpressibleError
from warlight_env.features.definitions import EDGES, MEMORY, OVERALL, REGIONS
from warlight_env.game import Game
from warlight_env.maps import load

#: Index of 0.7 in the levels of the tables of army requirements.
LEVEL = 2
ROUNDING = {"rel": 1e-5, "abs": 1e-5}


def random_arrays(seed=1, scale=0.3, layers=LAYERS):
    draw = np.random.default_rng(seed)
    return {name: draw.normal(0, scale, shape).astype(np.float32) for name, shape in shapes_of(layers).items()}


def random_position(draw, map_, players):
    owner = draw.integers(-1, players, map_.n_regions)
    whole = map_.members[int(draw.integers(len(map_.members)))]
    owner[list(whole)] = draw.integers(players)
    owner[:players] = range(players)
    army = draw.integers(1, 30, map_.n_regions)
    return Position(owner.astype(np.int8), army.astype(np.int32), draw.integers(0, 60, 1).astype(np.int32))


def make_inputs(map_, rules, players, arrays=None):
    board = make_board(map_)
    network = None if arrays is None else make_turn_network(arrays)
    params = rules.params(board.n_regions, board.n_super_regions)
    context = make_context(board, params, players, PLANNING, turns=network)
    return board, context, make_turn_network_buffers(board.n_regions, board.n_edges, players)


class PlainFeatures:
    """The features of a position, computed in plain Python from their description."""

    def __init__(self, map_, rules, position, player, players, requirements):
        self.map, self.rules, self.army_requirements, self.player = map_, rules, requirements, player
        self.owner, self.army = position.owner.tolist(), position.army.tolist()
        self.round = int(position.round[0])
        self.alive = [p for p in range(players) if p in self.owner]
        self.players = players

    def income(self, p):
        held = [all(self.owner[r] == p for r in members) for members in self.map.members]
        return self.rules.base_income + sum(b for b, whole in zip(self.map.bonuses, held, strict=True) if whole)

    def armies(self, p):
        return sum(a for a, o in zip(self.army, self.owner, strict=True) if o == p)

    def node(self, r):
        owner, army, me, near = self.owner, self.army, self.player, self.map.neighbors[r]
        enemies = [q for q in near if owner[q] not in (-1, me)]
        mine, neutrals = [q for q in near if owner[q] == me], [q for q in near if owner[q] == -1]
        log = lambda x: math.log1p(x) / 3  # noqa: E731
        strongest = lambda some: max((army[q] for q in some), default=0)  # noqa: E731
        against, joining = strongest(mine), self.income(me)
        if owner[r] == me:
            against = strongest(enemies)
            joining = self.income(next((owner[q] for q in enemies if army[q] == against), me))
        risk = self.army_requirements.capture[against - 1 + int(0.7 * joining), army[r]] if against else 0
        members, bonus = next((m, b) for m, b in zip(self.map.members, self.map.bonuses, strict=True) if r in m)
        cost = sum(attackers_needed(self.army_requirements, LEVEL, army[q]) for q in members if owner[q] != me)
        holders = {owner[q] for q in members}
        whole = holders.pop() if len(holders) == 1 else -1
        return {
            "mine": owner[r] == me, "enemy": owner[r] not in (-1, me), "neutral": owner[r] == -1,
            "army": log(army[r]), "my_army": log(army[r]) * (owner[r] == me),
            "enemy_army": log(army[r]) * (owner[r] not in (-1, me)), "few": min(20, army[r]) / 20,
            "enemies_beside": log(sum(army[q] for q in enemies)), "strongest_enemy": log(strongest(enemies)),
            "mine_beside": log(sum(army[q] for q in mine)), "strongest_mine": log(strongest(mine)),
            "beside_enemy": bool(enemies), "beside_neutral": bool(neutrals), "beside_mine": bool(mine),
            "enemies": len(enemies) / 4, "neutrals": len(neutrals) / 4, "borders": len(near) / 5, "risk": risk,
            "holder_income": self.income(owner[r]) / 10 if owner[r] >= 0 else 0,
            "holder_armies": math.log1p(self.armies(owner[r])) / 4 if owner[r] >= 0 else 0,
            "my_part": sum(owner[q] == me for q in members) / len(members),
            "enemy_part": sum(owner[q] not in (-1, me) for q in members) / len(members),
            "near": math.exp(-cost / 8), "far": math.exp(-cost / 20), "whole_mine": whole == me,
            "whole_enemy": whole not in (-1, me), "bonus": bonus / 5, "size": len(members) / 6,
            **dict.fromkeys(MEMORY.names, 0),
        }  # fmt: skip

    def overall(self):
        others = [p for p in self.alive if p != self.player]
        regions = self.map.n_regions
        limit = self.rules.round_limit(regions)
        left = min(40, max(0, limit - self.round)) if limit else 40
        return {
            "my_income": self.income(self.player) / 10,
            "enemy_income": max((self.income(p) for p in others), default=0) / 10,
            "my_armies": math.log1p(self.armies(self.player)) / 4,
            "enemy_armies": math.log1p(max(map(self.armies, others), default=0)) / 4,
            "my_regions": self.owner.count(self.player) / regions,
            "enemy_regions": sum(self.owner.count(p) for p in others) / regions,
            "round": min(40, self.round) / 40, "per_enemy": 1 / (self.players - 1), "rounds_left": left / 40,
            "to_take_two": attackers_needed(self.army_requirements, LEVEL, 2) / 3,
            "to_take_ten": attackers_needed(self.army_requirements, LEVEL, 10) / 15,
            "base_income": self.rules.base_income / 5, "regions": regions / 40,
        }  # fmt: skip

    def edge(self, source, target, deployed):
        available, defenders, by = self.army[source] + deployed - 1, self.army[target], self.owner[target]
        chance = [
            0 if by == self.player else self.army_requirements.capture[available * k // 4, defenders]
            for k in (4, 3, 2, 1)
        ]
        values = (math.log1p(available) / 3, math.log1p(defenders) / 3, by == self.player, by == -1)
        values += (by not in (-1, self.player), *chance, available == 0, deployed / 5)
        return dict(zip(EDGES.names, values, strict=True))


@pytest.mark.parametrize("map_name, rules_name, players", [("world", "thesis", 2), ("world", "challenge2", 4)])
def test_features_match_their_description_in_plain_python(map_name, rules_name, players):
    map_, rules, draw = load(map_name), Rules.of(rules_name), np.random.default_rng(3)
    board, context, work = make_inputs(map_, rules, players, random_arrays())
    for trial in range(12):
        position, player = random_position(draw, map_, players), trial % players
        words = PlainFeatures(map_, rules, position, player, players, context.army_requirements)
        embed_regions(context, position, player, work)
        assert work.overall == pytest.approx([words.overall()[name] for name in OVERALL.names], **ROUNDING)
        expected = [[words.node(r)[name] for name in REGIONS.names] for r in range(map_.n_regions)]
        assert work.nodes == pytest.approx(np.array(expected, dtype=float), **ROUNDING)
        numbers, edge, deployed = np.zeros(N_EDGE, np.float32), int(draw.integers(board.n_edges)), int(draw.integers(6))
        source, target = int(board.edge_source[edge]), int(board.edge_target[edge])
        write_edge(context, position, player, source, target, deployed, numbers)
        values = words.edge(source, target, deployed)
        assert numbers == pytest.approx([float(values[name]) for name in EDGES.names], **ROUNDING)


def test_features_are_within_their_ranges():
    map_, draw = load("world"), np.random.default_rng(9)
    _board, context, work = make_inputs(map_, Rules.of("challenge1"), 3)
    position = random_position(draw, map_, 3)
    write_position(context, position, 1, work)
    for group, numbers in ((REGIONS, work.nodes), (OVERALL, work.overall[None])):
        for feature, column in zip(group.features, numbers.T, strict=True):
            assert (feature.low <= column).all() and (column <= feature.high).all(), feature.name


@pytest.mark.parametrize("map_name, players", [("world", 2), ("small", 3)])
def test_a_network_reads_the_listed_features_in_their_order(map_name, players):
    """It gives the results of a network that reads all features with weights of zero for the others."""
    draw, arrays = np.random.default_rng(3), random_arrays(scale=0.1)
    lists = [draw.permutation(group.names)[: group.width // 2].tolist() for group in (REGIONS, OVERALL, EDGES)]
    for name, names in zip(("first", "overall", "edge"), lists, strict=True):
        arrays[name] = arrays[name][: len(names)]
    network = make_turn_network(arrays, reads=TurnFeatureNames(*lists))
    network = read_turn_network(pack_turn_network(network, metadata={"a": 1}), "again").network
    assert [list(names) for names in reads_of(network)] == lists
    map_ = load(map_name)
    _board, context, work = make_inputs(map_, Rules.of("thesis"), players, widened(network))
    few, position = context._replace(turns=network), random_position(draw, map_, players)
    embeddings, logits = [], []
    for one in (context, few):
        embed_regions(one, position, 0, work)
        embeddings.append(work.embeddings.copy())
        embed_ends(one, position, 0, work)
        source = int(np.flatnonzero(position.owner == 0)[0])
        shares, priorities = np.zeros(VALUES, np.float32), np.zeros(VALUES, np.float32)
        edge_logits(one, position, 0, source, map_.neighbors[source][0], 3, work, shares, priorities)
        logits.append(np.concatenate([shares, priorities]))
    assert embeddings[0] == pytest.approx(embeddings[1], **ROUNDING)
    assert logits[0] == pytest.approx(logits[1], **ROUNDING)


class NumPyNetwork:
    """The forward pass of a network on a board with NumPy matrices."""

    def __init__(self, arrays, map_, nodes, overall):
        self.net = arrays
        n = map_.n_regions
        around, among = np.zeros((n, n)), np.zeros((n, n))
        for r in range(n):
            around[r, list(map_.neighbors[r])] = 1 / len(map_.neighbors[r])
        for members in map_.members:
            among[np.ix_(members, members)] = 1 / len(members)
        x = np.maximum(nodes @ self.net["first"] + overall @ self.net["overall"] + self.net["first_bias"], 0)
        for k in range(len(self.net["own"])):
            values = x @ self.net["own"][k] + around @ x @ self.net["around"][k] + among @ x @ self.net["among"][k]
            x = x + np.maximum(values + self.net["layer_bias"][k], 0)
        self.embeddings = x

    def weight(self, map_, region, main):
        near, same = region in map_.neighbors[main], any({region, main} <= set(members) for members in map_.members)
        values = self.embeddings[region] @ self.net["beside"] + self.embeddings[main] @ self.net["chosen"]
        values = values + near * self.net["link"][0] + same * self.net["link"][1] + self.net["beside_bias"]
        logits = np.maximum(values, 0) @ self.net["weight"] + self.net["weight_bias"]
        return np.where((np.arange(VALUES) == 4) & (region < main), -np.inf, logits)

    def edge(self, source, target, numbers):
        hidden = self.embeddings[source] @ self.net["source"] + self.embeddings[target] @ self.net["target"]
        hidden = np.maximum(hidden + numbers @ self.net["edge"] + self.net["edge_bias"], 0)
        return [hidden @ self.net[name] + self.net[f"{name}_bias"] for name in ("share", "priority")]

    def score(self, owner, p, player):
        held = self.embeddings[owner == p]
        if not len(held):
            return -math.inf
        hidden = self.embeddings.mean(0) @ self.net["whole"] + held.mean(0) @ self.net["held"]
        hidden = hidden + 0.1 * held.sum(0) @ self.net["total"] + self.net["value_bias"]
        return np.maximum(hidden + self.net["player"] * (p == player), 0) @ self.net["value"]


@pytest.mark.parametrize(
    "map_name, players, layers", [("world", 2, LAYERS), ("small", 3, LAYERS), ("small", 2, 1), ("small", 2, 5)]
)
def test_the_forward_pass_matches_numpy(map_name, players, layers):
    map_, draw, arrays = load(map_name), np.random.default_rng(5), random_arrays(layers=layers)
    board, context, work = make_inputs(map_, Rules.of("thesis"), players, arrays)
    for trial in range(10):
        position, player = random_position(draw, map_, players), trial % players
        embed_regions(context, position, player, work)
        values = NumPyNetwork(arrays, map_, work.nodes.astype(float), work.overall.astype(float))
        close = {"rel": 1e-3, "abs": 1e-3}
        assert work.embeddings == pytest.approx(values.embeddings, **close)
        logits, priorities, scores = np.zeros(VALUES, np.float32), np.zeros(VALUES, np.float32), np.zeros(players)
        write_scores(context, position, player, work)
        expected_scores = np.where(position.owner == player, values.embeddings @ arrays["main"], -np.inf)
        assert work.score == pytest.approx(expected_scores, **close)
        of_main, main = np.zeros(UNITS, np.float32), 5
        embed_main(context, work, main, of_main)
        for region in (2, 4, 6, 9):
            weight_logits(context, work, region, main, of_main, logits)
            assert logits == pytest.approx(values.weight(map_, region, main), **close)
        player_scores(context, position, player, work, scores)
        assert scores == pytest.approx([values.score(position.owner, p, player) for p in range(players)], **close)
        embed_ends(context, position, player, work)
        edge = next(e for e in range(board.n_edges) if position.owner[board.edge_source[e]] == player)
        source, target, numbers = int(board.edge_source[edge]), int(board.edge_target[edge]), np.zeros(N_EDGE, "f4")
        write_edge(context, position, player, source, target, 2, numbers)
        edge_logits(context, position, player, source, target, 2, work, logits, priorities)
        expected = values.edge(source, target, numbers)
        assert logits == pytest.approx(expected[0], **close)
        assert priorities == pytest.approx(expected[1], **close)


def sample_turns(context, board, position, temperature, times, players=2):
    """Yield sampled turns of player 0 as factored choices, deploys and attacks."""
    work, rng = make_generator_work(board.n_regions, board.n_edges, players), make_rng(11)
    deploy, attacks = np.zeros(board.n_regions, np.int32), np.zeros((board.n_edges, 3), np.int32)
    for _ in range(times):
        count = network_turn(context, position, 0, temperature, rng, work, deploy, attacks)
        yield work.net.row.copy(), deploy.copy(), attacks[:count].copy()


def test_choices_are_sampled_by_their_probabilities():
    map_, temperature = load("small"), 2.0
    board, context, work = make_inputs(map_, Rules.of("thesis"), 2, random_arrays(seed=4))
    position = random_position(np.random.default_rng(8), map_, 2)
    embed_regions(context, position, 0, work)
    write_scores(context, position, 0, work)
    mine, logits, of_main = (
        np.flatnonzero(position.owner == 0),
        np.zeros(VALUES, np.float32),
        np.zeros(UNITS, np.float32),
    )
    rows = np.array([row for row, _, _ in sample_turns(context, board, position, temperature, 20_000)])
    mains = rows[:, : board.n_regions].argmax(axis=1)  # the first region with the highest weight
    chances = np.exp(work.score.astype(float) / temperature)
    assert np.bincount(mains, minlength=board.n_regions) / len(rows) == pytest.approx(chances / chances.sum(), abs=0.02)
    main = int(np.bincount(mains).argmax())
    embed_main(context, work, main, of_main)
    beside = rows[mains == main]
    assert len(beside) > 1000 and (beside[:, main] == 4).all()
    for r in mine[mine != main]:
        weight_logits(context, work, r, main, of_main, logits)
        chances = np.exp(logits.astype(float) / temperature)
        frequencies = np.bincount(beside[:, r], minlength=VALUES) / len(beside)
        assert frequencies == pytest.approx(chances / chances.sum(), abs=0.04)
    assert not rows[:, np.flatnonzero(position.owner != 0)].any()


@pytest.mark.parametrize("map_name, rules_name, players", [("world", "thesis", 2), ("world", "challenge1", 3)])
def test_turns_are_legal_and_reproducible(map_name, rules_name, players):
    network = make_turn_network(random_arrays(seed=2, scale=0.5))
    ends = []
    for _ in range(2):
        game = Game(map_name, rules_name, players, seed=5, picks="random")
        agents = [TurnNetAgent(network, seed=p, temperature=1.0) for p in range(players)]
        for _ in range(15):
            turns = {p: agents[p].act(game.view(p)) for p in range(players) if game.alive(p)}
            assert all(not game.check(p, orders) for p, orders in turns.items())
            assert all(isinstance(orders, Orders) and orders.deploys for orders in turns.values())
            game.play_round(turns)
            if game.done:
                break
        ends.append(game.hash())
    assert ends[0] == ends[1]


def test_a_turn_always_deploys():
    """All weights except that of the first sampled region are zero."""
    arrays = random_arrays()
    arrays["weight"][:] = 0
    arrays["weight_bias"][:] = [50, 0, 0, 0, 0]
    map_ = load("small")
    board, context, _ = make_inputs(map_, Rules.of("thesis"), 2, arrays)
    position = random_position(np.random.default_rng(1), map_, 2)
    for _, deploy, _ in sample_turns(context, board, position, 1.0, 5):
        assert deploy.sum() >= 5
        assert np.count_nonzero(deploy) == 1


def test_temperature_0_always_gives_the_same_turn():
    map_ = load("world")
    board, context, _ = make_inputs(map_, Rules.of("thesis"), 2, random_arrays(seed=6))
    position = random_position(np.random.default_rng(2), map_, 2)
    turns = [row.tolist() for row, _, _ in sample_turns(context, board, position, 0.0, 4)]
    assert all(turn == turns[0] for turn in turns)


def test_files_store_networks_and_faulty_files_raise_an_error(tmp_path):
    arrays = random_arrays()
    content = pack_arrays(arrays, temperature=0.5, metadata={"run": "here"})
    read = read_turn_network(content, "file")
    assert (read.temperature, read.metadata) == (0.5, {"run": "here"})
    assert all(np.array_equal(getattr(read.network, name), array) for name, array in arrays.items())
    assert is_turn_network_file(content)
    assert not is_turn_network_file(b"nothing")
    with pytest.raises(TurnNetworkError, match="file: not a turn network"):
        read_turn_network(b"nothing", "file")
    with pytest.raises(TurnNetworkError, match=r"array first: float32 \[31, 32\], must be float32 \[32, 32\]"):
        pack_arrays({**arrays, "first": arrays["first"][:-1]})
    with pytest.raises(TurnNetworkError, match="temperature"):
        read_turn_network(pack_arrays(arrays, temperature=-1.0), "file")
    path = tmp_path / "some.npz"
    path.write_bytes(content)
    agent = make_agent(f"policy:{path}", 3)
    game = Game("world", "challenge2", 4, seed=1)
    assert len(agent.pick(game.view(0))) >= 1
    assert agent.name == f"policy:{path}"


def test_the_kernel_s_nearest_row_equals_that_of_the_encoding():
    compared = 0
    for map_, agents in (("world", ("plan", "one_big_army")), ("small", ("smart_random", "aggressive"))):
        game = Game(map_, "thesis", 2, seed=4, picks="random")
        players = [make_agent(agent, 3) for agent in agents]
        board = game.view(0).board
        encoding = FactoredActions(board, game.view(0).params, priority=True)
        row = np.zeros(board.n_regions + 2 * board.n_edges, dtype=np.int8)
        while not game.done and game.round < 25:
            turns = {}
            for p in (0, 1):
                view = game.view(p)
                turns[p] = players[p].act(view)
                deploy, attacks = turns[p].arrays()
                whole = np.zeros(board.n_regions, dtype=np.int32)
                np.add.at(whole, deploy[:, 0], deploy[:, 1])
                encode_nearest(
                    board.neighbor_start, board.edge_target, view.army.astype(np.int32), whole,
                    attacks.astype(np.int32), len(attacks), row,
                )  # fmt: skip
                leaving = Orders(
                    turns[p].deploys,
                    [a for a in turns[p].attacks if view.army[a[0]] + whole[a[0]] > 1],
                )
                try:
                    encoding.encode(view, leaving)
                except InexpressibleError:  # the encoding can express the other turns exactly
                    assert row.tolist() == encoding.encode(view, leaving, nearest=True).tolist()
                    compared += 1
            game.play_round(turns)
        assert game.round > 5
    assert compared > 10


def test_candidates_are_distinct_plans_and_turns_of_the_network():
    map_, rules, room = load("world"), Rules.of("thesis"), 30
    board = make_board(map_)
    params = rules.params(board.n_regions, board.n_super_regions)
    position = random_position(np.random.default_rng(5), map_, 2)
    network, rng = make_turn_network(random_arrays(scale=0.05)), make_rng(1)
    context = make_context(board, params, 2, PLANNING, turns=network)
    turns, work = (
        make_turn_set(board.n_regions, board.n_edges, room),
        make_generator_work(board.n_regions, board.n_edges, 2),
    )
    assert plans_and_samples(context, position, 0, rng, work, turns) == room
    candidates = [Orders.from_arrays(turns.deploy[i], turns.attacks[i], int(turns.counts[i])) for i in range(room)]
    assert len({repr(turn) for turn in candidates}) == room
    game_turn = network_turn(context, position, 0, 0.0, make_rng(2), work, turns.deploy[0], turns.attacks[0])
    assert repr(Orders.from_arrays(turns.deploy[0], turns.attacks[0], game_turn)) == repr(candidates[room // 2])


def test_networks_are_loaded_by_name_or_file(tmp_path):
    file = tmp_path / "net.npz"
    file.write_bytes(pack_arrays(random_arrays()))
    assert (
        load_turn_network("none") is None
        and load_turn_network(None) is None
        and load_turn_network("learned") is load_turn_network("any")
    )
    assert load_turn_network("world") not in (None, load_turn_network("any")) and make_agent("nash:net=world", 1).name
    assert load_turn_network(f"{file}#{digest(file.read_bytes())}") is not None
    with pytest.raises(TurnNetworkError, match="contains another network"):
        load_turn_network(f"{file}#{'0' * 16}")
    with pytest.raises(TurnNetworkError, match="no turn network 'nobody'"):
        load_turn_network("nobody")
    with pytest.raises(TurnNetworkError, match=r"missing\.npz"):
        make_agent(f"nash:net={tmp_path / 'missing.npz'}", 1)
    for key in ("net", "own_net"):
        spec = pinned(f"nash:sims=50,{key}={file}")
        assert spec == f"nash:sims=50,{key}={file}#{digest(file.read_bytes())}"
        assert unpinned(spec) == f"nash:sims=50,{key}={file}"
