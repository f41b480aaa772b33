"""Planned turns: they are legal, attacks have the required armies, and goals follow the values of regions."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from helpers import shares_of
from warlight_env.agents import make_agent
from warlight_env.agents.evaluation.income_forecast import READY, forecast_share, growth_share
from warlight_env.agents.planning.plans import generate_plans, planned_turn
from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.records.army_requirements import COST_LEVEL, attackers_needed
from warlight_env.agents.records.generator_work import make_generator_work, make_turn_set
from warlight_env.agents.records.plan_work import GOALS
from warlight_env.agents.weights import PLANNING, THESIS
from warlight_env.engine.board import make_board
from warlight_env.engine.orders import Orders
from warlight_env.engine.position import Position
from warlight_env.engine.rng import make_rng
from warlight_env.engine.rules import PRESETS, Rules
from warlight_env.game import Game
from warlight_env.maps import load


def context_of(map_name: str, rules: Rules, players: int, weights=PLANNING):
    board = make_board(load(map_name))
    return make_context(board, rules.params(board.n_regions, board.n_super_regions), players, weights)


def position_of(owner, army, rounds=0) -> Position:
    return Position(np.array(owner, dtype=np.int8), np.array(army, dtype=np.int32), np.array([rounds], dtype=np.int32))


@pytest.mark.parametrize(("rules", "players"), [*((rules, 2) for rules in PRESETS), ("thesis", 4)])
def test_planned_turns_are_legal_under_every_preset(rules, players):
    game = Game("world", rules, players, seed=3)
    agents = [make_agent("plan", seed) for seed in range(players)]
    while game.phase == "pick":
        game.pick({p: agents[p].pick(game.view(p)) for p in game.pickers()})
    while game.phase == "play" and game.round < 5:
        alive = [p for p in range(players) if game.alive(p)]
        game.play_round({p: agents[p].act(game.view(p)) for p in alive})  # raises an error for illegal orders
    assert game.phase == "over" or game.round == 5


def test_one_seed_gives_equal_lists_of_distinct_legal_turns():
    game = Game("world", "thesis", seed=8, picks="random")
    agents = [make_agent("plan", 1), make_agent("plan", 2)]
    for _ in range(8):
        game.play_round([agent.act(game.view(p)) for p, agent in enumerate(agents)])
    view = game.view(0)
    context = make_context(view.board, view.params, 2, PLANNING)
    n, e = view.board.n_regions, view.board.n_edges
    lists = []
    for _ in range(2):
        turns = make_turn_set(n, e, 40)
        count = generate_plans(context, view.position, 0, make_rng(5), make_generator_work(n, e, 2), turns)
        lists.append([Orders.from_arrays(turns.deploy[i], turns.attacks[i], turns.counts[i]) for i in range(count)])
    assert lists[0] == lists[1] and len(lists[0]) > 20
    assert all(lists[0].count(orders) == 1 for orders in lists[0])
    for orders in lists[0]:
        assert sum(armies for _, armies in orders.deploys) == view.income
        game.clone().play_round({0: orders, 1: Orders()})


def test_a_plan_attacks_the_last_missing_region_with_the_needed_armies():
    """Player 0 owns Australia except for one region. The plan attacks it first, with the armies of the table."""
    map_ = load("world")
    names = [region.name for region in map_.regions]
    australia = map_.members[[s.name for s in map_.super_regions].index("Australia")]
    last = next(r for r in australia if all(q in australia for q in map_.neighbors[r]))
    owner, army = np.full(len(names), -1), np.full(len(names), 2)
    owner[[r for r in australia if r != last]] = 0
    far = names.index("Greenland")
    owner[far] = 1
    context = context_of("world", Rules(), 2)
    work = make_generator_work(len(names), context.board.n_edges, 2)
    deploy, attacks = np.zeros(len(names), np.int32), np.zeros((context.board.n_edges, 3), np.int32)
    count = planned_turn(context, position_of(owner, army), 0, make_rng(1), work, deploy, attacks)
    sent = sum(int(row[2]) for row in attacks[:count] if row[1] == last)
    level = int(PLANNING.sure_neutral + 0.5)
    assert sent >= attackers_needed(context.army_requirements, level, 2) and attacks[0, 1] == last
    assert work.plan.goals[0, 0] == last and deploy.sum() == 5


@pytest.mark.parametrize("rules", ["thesis", "challenge2"])
def test_a_held_region_keeps_the_needed_armies(rules):
    """The turn's other moves never reduce a held region's armies below the need."""
    held = 0
    for seed in range(20):
        game = Game("world", rules, seed=seed, picks="random")
        agents = [make_agent("smart_random", p) for p in range(2)]
        for _ in range(6):
            game.play_round({p: agent.act(game.view(p)) for p, agent in enumerate(agents)})
        context = context_of("world", game.rules, 2)
        work = make_generator_work(42, context.board.n_edges, 2)
        deploy, attacks = np.zeros(42, np.int32), np.zeros((context.board.n_edges, 3), np.int32)
        owner, army = np.array(game.owner), np.array(game.army)
        count = planned_turn(context, position_of(owner, army), 0, make_rng(1), work, deploy, attacks)
        for region, by, need in work.plan.goals[: work.plan.numbers[GOALS]]:
            if by == 0:
                gone = sum(int(row[2]) for row in attacks[:count] if row[0] == region)
                assert army[region] + deploy[region] - gone >= need
                held += 1
    assert held > 5


def test_insight_lists_the_goals_of_a_plan():
    game = Game("world", "thesis", seed=8, picks="random")
    agent = make_agent("plan", 1)
    assert agent.insight() is None
    agent.act(game.view(0))
    insight = agent.insight()
    assert insight["goals"] and all(goal["goal"] in ("take", "attack", "hold") for goal in insight["goals"])
    assert all(0 <= goal["region"] < 42 and goal["armies"] > 0 for goal in insight["goals"])


def worth_in_python(map_, rules, owner, army, player, rounds, w, requirements):
    """Compute the worth that `agents.evaluation.income_forecast` defines."""
    left = math.inf if not rules.round_limit(map_.n_regions) else rules.round_limit(map_.n_regions) - rounds
    earned = min(w.income, w.army * left)
    mine = [r for r in range(map_.n_regions) if owner[r] == player]
    worth = sum(w.army * army[r] + w.region_super * w.not_neutral for r in mine) + earned * rules.base_income
    for r in mine:
        worth += w.front * army[r] * any(owner[q] != player for q in map_.neighbors[r])
    for s, members in enumerate(map_.members):
        held = [r for r in members if owner[r] == player]
        lack = sum(attackers_needed(requirements, COST_LEVEL, int(army[r])) for r in members if owner[r] != player)
        if not held:
            continue
        if len(held) < len(members):
            worth += earned / w.income * w.prospect * map_.bonuses[s] * math.exp(-lack / w.patience)
            continue
        lost = 0.0
        for r in members:
            threats = [int(army[q]) for q in map_.neighbors[r] if owner[q] not in (-1, player)]
            if threats and max(threats) > 1:
                lost = max(lost, requirements.capture[max(threats) - 1, army[r]])
        worth += earned * map_.bonuses[s] * (1 - w.danger * lost)
    return max(0.0, worth) ** w.sharpness


@pytest.mark.parametrize("preset", ["thesis", "challenge1"])
@pytest.mark.parametrize("players", [2, 3])
def test_forecast_shares_match_their_definition_in_plain_python(preset, players):
    rules, map_ = Rules.of(preset), load("world")
    weights = PLANNING._replace(front=1.5, sharpness=2.0)
    context = context_of("world", rules, players, weights)
    draw = np.random.default_rng(4)
    for _ in range(60):
        owner, army = draw.integers(-1, players, map_.n_regions), draw.integers(1, 9, map_.n_regions)
        complete = map_.members[int(draw.integers(len(map_.members)))]
        owner[list(complete)] = draw.integers(players)
        rounds = int(draw.integers(0, 100))
        each = [
            worth_in_python(map_, rules, owner, army, p, rounds, weights, context.army_requirements)
            for p in range(players)
        ]
        expected = [worth / sum(each) if sum(each) else 1 / players for worth in each]
        shares = shares_of(forecast_share, context, position_of(owner, army, rounds))
        assert shares == pytest.approx(expected, rel=1e-9)


def growth_in_python(map_, base_income, owner, army, player, w, requirements):
    """Compute the growth that `agents.evaluation.income_forecast.growth_share` defines."""
    grown = most = base_income
    for s, members in enumerate(map_.members):
        most += map_.bonuses[s]
        held = [r for r in members if owner[r] == player]
        lack = sum(attackers_needed(requirements, COST_LEVEL, int(army[r])) for r in members if owner[r] != player)
        beside = {q for r in members if owner[r] != player for q in map_.neighbors[r] if owner[q] == player}
        lack -= READY * min(lack, sum(int(army[q]) - 1 for q in beside))
        if len(held) == len(members):
            grown += map_.bonuses[s]
        elif held:
            grown += w.prospect / w.income * map_.bonuses[s] * math.exp(-lack / w.patience)
    return grown / most


@pytest.mark.parametrize("players", [2, 3])
def test_growth_shares_match_their_definition_in_plain_python(players):
    map_, context = load("world"), context_of("world", Rules(), players)
    draw = np.random.default_rng(5)
    for _ in range(60):
        owner, army = draw.integers(-1, players, map_.n_regions), draw.integers(1, 9, map_.n_regions)
        owner[list(map_.members[int(draw.integers(len(map_.members)))])] = draw.integers(players)
        expected = [
            growth_in_python(map_, 5, owner, army, p, PLANNING, context.army_requirements) for p in range(players)
        ]
        assert shares_of(growth_share, context, position_of(owner, army)) == pytest.approx(expected, rel=1e-9)
    everything = position_of(np.zeros(map_.n_regions), np.ones(map_.n_regions))
    assert shares_of(growth_share, context, everything)[0] == 1.0


def game_at_distance(distance: int, fog: bool = False) -> Game:
    """Return a world-map game in which player 0 owns Argentina and player 1 a region at the given distance."""
    game = Game("world", replace(Rules.of("thesis"), fog=fog), 2, seed=1, picks="random")
    board, start = game.view(0).board, [region.name for region in game.map.regions].index("Argentina")
    saved = game.to_dict()
    owner, army = np.full(42, -1), np.full(42, 2)
    owner[start], owner[np.flatnonzero(board.distance[start] == distance)[0]] = 0, 1
    saved["state"].update(owner=owner.tolist(), army=army.tolist())
    del saved["hash"]
    return Game.from_dict(saved)


@pytest.mark.parametrize("distance", [2, 3, 4, 5])
def test_only_growth_counts_without_an_enemy_in_contact_distance(distance):
    """The value is then a fraction of the maximum income, 29: the base income of 5 and the prospect of a bonus of 2."""
    game = game_at_distance(distance)
    for limit, near in ((distance - 1, False), (distance, True)):
        agent = make_agent(f"plan:contact_distance={limit}", 1)
        agent.act(game.view(0))
        assert (agent.search_policy().values[0] > 8 / 29) == near


@pytest.mark.parametrize("weights", ["default", "thesis"])
def test_weights_without_income_ignore_the_contact_distance(weights):
    """Growth without prospects is equal for all turns, because a super region takes several rounds."""
    view = game_at_distance(5).view(0)
    default, never = (make_agent(f"plan:weights={weights},contact_distance={limit}", 1) for limit in (3, 1000))
    assert default.act(view) == never.act(view)
    assert default.search_policy().values.tolist() == never.search_policy().values.tolist()


def test_hidden_regions_count_as_possible_enemies():
    agent = make_agent("plan:contact_distance=1", 1)
    agent.act(game_at_distance(5, fog=True).view(0))  # regions at distance 2 are hidden
    assert agent.search_policy().values[0] < 8 / 29
    agent = make_agent("plan:contact_distance=2", 1)
    agent.act(game_at_distance(5, fog=True).view(0))
    assert agent.search_policy().values[0] > 8 / 29


def test_the_thesis_weights_have_no_income_terms():
    assert (THESIS.income, THESIS.prospect, THESIS.front) == (0.0, 0.0, 0.0)
    assert not context_of("world", Rules(), 2, THESIS).evaluation.uses_forecast
