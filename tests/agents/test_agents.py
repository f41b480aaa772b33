"""Simple bots on small boards, with a test for each sentence of their description; registry; legality of turns."""

from __future__ import annotations

from collections import Counter
from importlib.metadata import EntryPoint

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from arena_agents import Idle
from edge_case_games import odd_game
from helpers import PRESETS, RING, as_position, board_of, make_map, position
from warlight_env import Game, Rules, maps
from warlight_env.agents import Agent, AgentError, agent_names, describe, make_agent, register, registry
from warlight_env.agents.context import bare_context
from warlight_env.agents.evaluation.expectation import to_conquer
from warlight_env.agents.evaluation.static_evaluation import rank_picks, region_values
from warlight_env.agents.generators.inland import distances_to_foreign
from warlight_env.agents.players.aggressive import AggressiveAgent
from warlight_env.agents.players.random import RandomAgent
from warlight_env.agents.registry import parse
from warlight_env.agents.weights import START, STATIC, THESIS
from warlight_env.engine.board import make_board

LINE = make_map([0, 0, 0, 1, 1, 1], [(i, i + 1) for i in range(5)], [2, 3], "line")


def view(map_, owner, army, player=0, fog=False):
    rules = Rules.of("thesis", picks=1, offers_per_super_region=0, fog=fog)
    return position(Game(map_, rules), owner, army).view(player)


# random


def test_random_deploys_its_whole_income_on_border_regions_only():
    where = Counter()
    agent = RandomAgent(seed=1)
    position_ = view(LINE, [0, 0, 0, 0, 0, 1], [3] * 6)  # region 4 alone has a foreign neighbour
    for _ in range(20):
        turn = agent.act(position_)
        assert sum(armies for _, armies in turn.deploys) == position_.income
        where.update(r for r, _ in turn.deploys)
    assert set(where) == {4}


def test_random_deploys_evenly_over_its_borders():
    agent, where = RandomAgent(seed=2, chunks=1), Counter()
    position_ = view(RING, [0, 0, 0, 1, 1, 1], [3] * 6)  # borders: 0 and 2
    for _ in range(2000):
        where.update(r for r, _ in agent.act(position_).deploys)
    assert set(where) == {0, 2}
    assert stats.binomtest(where[0], 2000).pvalue > 1e-4


def test_random_attacks_from_a_border_region_half_of_the_time():
    agent = RandomAgent(seed=3)
    position_ = view(LINE, [0, 0, 0, 1, 1, 1], [9] * 6)
    attacks = [agent.act(position_).attacks for _ in range(2000)]
    assert {(a[0], a[1]) for turn in attacks for a in turn} == {(2, 3)}
    assert stats.binomtest(sum(map(len, attacks)), 2000).pvalue > 1e-4


def test_random_does_not_attack_clearly_stronger_neighbours():
    agent = RandomAgent(seed=4)
    weak = view(LINE, [0, 0, 0, 1, 1, 1], [1, 1, 1, 9, 1, 1])  # at most 7 + 0 free armies against 9
    assert all(agent.act(weak).attacks == [] for _ in range(100))
    brave = RandomAgent(seed=4, margin=5)
    assert any(brave.act(weak).attacks for _ in range(100))


# aggressive


def test_aggressive_deploys_on_its_strongest_region_beside_the_best_foreign_one():
    # The enemy owns only region 3. The player owns both of its neighbours, and region 2 has more armies.
    seen = view(RING, [0, 0, 0, 1, 0, 0], [2, 2, 8, 9, 3, 2])
    assert AggressiveAgent().act(seen).deploys == [(2, seen.income)]


def test_aggressive_prefers_enemies_to_neutrals():
    turn = AggressiveAgent().act(view(LINE, [-1, -1, 0, 1, 1, 1], [2, 2, 5, 2, 2, 2]))
    assert turn.deploys == [(2, 5)]
    assert turn.attacks[0][:2] == (2, 3)


def test_aggressive_attacks_every_weaker_neighbour_and_none_stronger():
    star = make_map([0, 0, 0, 1], [(0, 1), (0, 2), (0, 3)], [1, 1])
    turn = AggressiveAgent().act(view(star, [0, 1, -1, -1], [20, 3, 2, 60]))
    assert {a[1] for a in turn.attacks} == {1, 2}
    assert sum(a[2] for a in turn.attacks) == 20 + 5 - 1


def test_aggressive_moves_inland_armies_towards_the_front():
    turn = AggressiveAgent().act(view(LINE, [0, 0, 0, 0, 1, 1], [7, 4, 2, 2, 9, 9]))
    assert (0, 1, 6) in [tuple(a) for a in turn.attacks]
    assert (1, 2, 3) in [tuple(a) for a in turn.attacks]


def test_aggressive_ranks_picks_by_value_and_distance():
    world = maps.load("world")
    board, params = board_of(world)
    context = bare_context(board, params, 2, THESIS)
    evaluation = context.evaluation
    offers = tuple(members[0] for members in world.members)
    ranked = rank_picks(context, offers, [])
    assert sorted(ranked) == sorted(offers)
    best = max(offers, key=lambda r: evaluation.supers[START, board.super_region[r]])
    assert ranked[0] == best

    def worth(r: int, near: list[int]) -> float:
        gap = min(float(board.distance[q, r]) for q in near)
        return 3 * float(evaluation.supers[START, board.super_region[r]]) + 50 * min(gap, board.distance.max() / 2)

    for place in range(1, len(ranked)):
        assert ranked[place] == max(ranked[place:], key=lambda r: worth(r, ranked[:place]))


# building blocks


def test_to_conquer_returns_the_minimum_of_attackers_in_expectation():
    assert [to_conquer(n, 0.6) for n in range(1, 8)] == [2, 4, 5, 7, 9, 10, 12]


def test_distances_to_foreign_regions_count_borders():
    board = make_board(LINE)
    owner = np.array([0, 0, 0, 1, 1, 1], dtype=np.int8)
    queue, distance = np.zeros(6, dtype=np.uint32), np.zeros(6, dtype=np.int32)
    distances_to_foreign(board, owner, 0, queue, distance)
    assert distance.tolist() == [3, 2, 1, 0, 0, 0]


def test_region_value_follows_algorithm_3_5():
    context = bare_context(*board_of(LINE), 2, THESIS)
    # Super region 0: bonus 2, one neighbour, one border, three regions. Super region 1 differs only in its bonus of 3.
    assert context.evaluation.supers[STATIC].tolist() == [1.0, 4.0]  # bonuses differ by 3; the minimum is 1

    def value(owner, region):
        values = np.zeros(6)
        region_values(context, as_position(owner), 0, values)
        return values[region]

    assert value([0, 0, -1, -1, -1, -1], 2) == 1 + 2 * 20
    assert value([0, -1, 1, -1, -1, -1], 2) == (1 + 20 + 20) * 2
    assert value([-1, -1, 0, 1, 1, 1], 3) == (4 + 3 * 20 + 30 * 9) * 2
    assert value([0, -1, -1, -1, -1, -1], 0) == (1 + 20) * 2


# All bots


@given(
    name=st.sampled_from(["random", "aggressive"]),
    map_name=st.sampled_from(["world", "small", "large"]),
    preset=st.sampled_from(PRESETS),
    players=st.integers(2, 4),
    seed=st.integers(0, 10_000),
)
@settings(max_examples=60)
def test_bots_play_legally_on_every_map_under_every_preset(name, map_name, preset, players, seed):
    rules = Rules.of(preset)
    if map_name == "small":  # ten regions: two players, one pick each
        rules, players = Rules.of(preset, picks=1), 2
    game = Game(map_name, rules, players=players, seed=seed)
    agents = [make_agent(name, seed + p) for p in range(players)]
    while game.phase == "pick":
        game.pick({p: agents[p].pick(game.view(p)) for p in game.pickers()})
    for _ in range(12):
        if game.done:
            break
        game.play_round([agent.act(game.view(p)) if game.alive(p) else None for p, agent in enumerate(agents)])


def play_extreme_game(name: str, number: int, rounds: int) -> None:
    """Play a game with extreme rules between agents of one kind; illegal orders raise an error."""
    game = odd_game(number)
    agents = [make_agent(name, seed=100 * number + p) for p in range(game.players)]
    while game.phase == "pick":
        game.pick({p: agents[p].pick(game.view(p)) for p in game.pickers()})
    for _ in range(rounds):
        if game.done:
            break
        game.play_round({p: agent.act(game.view(p)) for p, agent in enumerate(agents) if game.alive(p)})


@pytest.mark.parametrize("name", ["random", "aggressive", "smart_random", "one_big_army"])
def test_simple_bots_play_legally_on_extreme_maps_and_rules(name):
    """Some games have no income, attackers that never kill, a star, a chain, one-region super regions or one order."""
    for number in range(0, 60, 5):
        play_extreme_game(name, number, 25)


@pytest.mark.slow
@pytest.mark.parametrize("name", [
    "random:chunks=9,margin=9", "aggressive", "smart_random", "one_big_army", "one_ply", "mcts:sims=30",
    "mcts_thesis:sims=30", "mcts_no_defense:sims=30", "pmcts:sims=30",
    "mcts:sims=30,playout=two_ply,outcome=realistic,picks=search,breadth=3", "flat_mc:sims=30", "minimax2:samples=1",
    "maxn:sims=100", "maxn:sims=100,territory_weight=2,join_weight=1,spare_weight=1,follow_up_weight=1",
])  # fmt: skip
def test_all_bots_play_legally_on_extreme_maps_and_rules(name):
    for number in range(60):
        play_extreme_game(name, number, 25)


def test_equal_seeds_give_equal_turns():
    game = Game("world", seed=1, picks="random")
    turns = [make_agent("random", seed).act(game.view(0)) for seed in (5, 5, 6)]
    assert turns[0] == turns[1] != turns[2]


# the registry


def test_registry_lists_agents_with_parameters():
    assert {"random", "aggressive"} <= set(agent_names())
    chunks = next(info for info in describe() if info.name == "random").parameters["chunks"]
    assert (chunks.kind, chunks.default) == (int, 3)
    agent = make_agent("random:chunks=7, margin=0", seed=1)
    assert (agent.name, agent.chunks, agent.margin) == ("random:chunks=7, margin=0", 7, 0)
    assert isinstance(agent, Agent)


@pytest.mark.parametrize(("short", "written_out"), [
    ("mcts:457", {"sims": 457}), ("mcts:457sims", {"sims": 457}), ("mcts:1s", {"secs": 1.0}),
    ("mcts:1.5s", {"secs": 1.5}), ("mcts:100ms", {"secs": 0.1}), ("mcts:2m", {"secs": 120.0}),
    ("mcts: c=1 , 10ms , threads=2", {"c": 1.0, "secs": 0.01, "threads": 2}), ("pmcts:3,1s", {"sims": 3, "secs": 1.0}),
])  # fmt: skip
def test_short_forms_of_budgets_set_the_parameters(short, written_out):
    assert parse(short)[1] == written_out
    agent = make_agent(short, seed=1)
    assert agent.name == short
    settings = {"simulations": written_out.get("sims"), "seconds": written_out.get("secs")}
    assert {key: getattr(agent.settings, key) for key in settings} == settings


@pytest.mark.parametrize(("spec", "message"), [
    ("randm", "did you mean 'random'"), ("", "no agent ''"), ("random:chunk=3", "did you mean 'chunks'"),
    ("random:chunks", "expected key=value"), ("random:chunks=x", "must be an integer"),
    ("random:chunks=0", "must lie in"),
    ("random:chunks=1,chunks=2", "given twice"), ("aggressive:x=1", "takes no parameters"),
    ("random:5", "expected key=value"), ("aggressive:1s", "expected key=value"), ("mcts:1s,secs=2", "given twice"),
    ("mcts:5,sims=5", "given twice"), ("mcts:0", "must lie in"), ("mcts:1.5", "expected key=value"),
    ("mcts:1 s", "expected key=value"),
    ("runs/learner.zip", "for a file write sb3:file=runs/learner.zip,trust=yes"),
    ("./my.npz", "for a file write policy:./my.npz$"),
    ("my_bot.py", "write my_bot.py:NAME for its class or function NAME, or 'cmd:python my_bot.py'"),
    ("sb3:learner.zip", r"expected key=value \(or file=learner.zip\)"),
])  # fmt: skip
def test_invalid_specifications_raise_an_error_with_a_hint(spec, message):
    with pytest.raises(AgentError, match=message):
        make_agent(spec, seed=1)


def test_user_agents_can_be_registered_once():
    register("test-idle", lambda: Idle, "does nothing")
    assert make_agent("test-idle", seed=4).seed == 4
    with pytest.raises(AgentError, match="already registered"):
        register("test-idle", lambda: Idle, "again")
    register("test-mute", lambda: lambda seed: object(), "no agent at all")
    with pytest.raises(AgentError, match="no method pick"):
        make_agent("test-mute", seed=1)


def boom(seed: int) -> Agent:
    raise RuntimeError("no wires")


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("no_such_module:Bot", "ModuleNotFoundError"),
        ("warlight_env.agents.players.random:Nope", "AttributeError.*Nope"),
        (f"{__name__}:boom", r"RuntimeError: no wires \(test_agents\.py, line"),
        ("warlight_env.agents.players.one_big_army:OneBigArmyAgent", "TypeError.*'wires'"),
    ],
)
def test_the_error_names_a_plug_in_agent_that_cannot_be_constructed(value, says, monkeypatch):
    entry = EntryPoint("theirs", value, registry.ENTRY_POINTS)
    monkeypatch.setattr(registry, "_foreign_entry_points", lambda: (entry,))
    spec = "theirs:wires=2" if "wires'" in says else "theirs"
    with pytest.raises(AgentError, match=rf"agent '{spec}' \(from {value}\) cannot be made: {says}"):
        make_agent(spec, 1)
