"""Flat Monte Carlo, two-ply minimax and Max^N, compared with brute force and exact distributions."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from generator_helpers import turns as generated

from helpers import RING, as_position, make_map, position, shares_of
from warlight_env import Game, Rules
from warlight_env.agents import AgentError, Budget, make_agent
from warlight_env.agents.context import bare_context
from warlight_env.agents.evaluation.static_evaluation import extended_share, position_share
from warlight_env.agents.evaluation.territory import label_components
from warlight_env.agents.players.flat.arms import FOUND, MODE_BINS, central_value, results_of
from warlight_env.agents.players.maxn.agent import MaxnAgent
from warlight_env.agents.players.maxn.battle_turns import list_first_battles, make_battle_work, make_turn
from warlight_env.agents.players.maxn.odds import ODDS_ARMIES, capture_chance, make_odds
from warlight_env.agents.players.maxn.value import (
    TermInputs,
    Terms,
    battle_value,
    hold_chance,
    joins,
    mark_spared,
    simple_value,
)
from warlight_env.agents.players.minimax2 import Minimax2Agent
from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.search.simulation import UNIT
from warlight_env.agents.weights import DEFAULT
from warlight_env.arena import play_game
from warlight_env.battle import battle_odds
from warlight_env.engine.board import make_board
from warlight_env.engine.position import Position, copy_position
from warlight_env.engine.reference import reference
from warlight_env.errors import InputError
from warlight_env.record import MemoryRecorder


def context_of(view, weights=DEFAULT):
    """Return the context of the players of a game."""
    return make_context(view.board, view.params, view.players, weights)


def make_terms(view, join=0.0, spare=0.0, chains=0.0):
    """Return the odds of battles and the weights of the terms that the authors do not define."""
    return reference(Terms(make_odds(view.params.dice), join, spare, chains))


def game_of(players: int, rounds: int = 4, name: str = "small") -> Game:
    game = Game(name, seed=3, players=players, picks="random")
    for _ in range(rounds):
        game.play_round([make_agent("aggressive", p).act(game.view(p)) for p in range(players)])
    return game


def game_at(map_, owner, army, players=2, **rules) -> Game:
    rules = Rules.of("thesis", picks=1, offers_per_super_region=0, **rules)
    return position(Game(map_, rules, players=players), owner, army)


def games_at(map_, owner, army, count, **rules) -> list[Game]:
    """Return games with the same two-player position and different seeds of the dice."""
    rules = Rules.of("thesis", picks=1, offers_per_super_region=0, **rules)
    return [position(Game(map_, rules, seed=seed), owner, army) for seed in range(count)]


def share_after(game, mine, theirs) -> float:
    """Return the share of player 0 after a round."""
    copy = game.clone()
    copy.play_round([mine, theirs])
    view = copy.view(0)
    return shares_of(position_share, bare_context(view.board, view.params, 2, DEFAULT), view.position)[0]


# Flat Monte Carlo


def test_central_value_is_the_median_mean_or_mode():
    results = np.array([0.1, 0.9, 0.92, 0.2, 0.22, 0.24, 0.6])
    assert central_value(results, "median") == 0.24
    assert central_value(results, "mean") == pytest.approx(3.18 / 7)
    assert central_value(results, "mode") == pytest.approx(0.225), "three lie in 0.2 .. 0.25"
    assert central_value(results[:6], "median") == pytest.approx(0.23), "between the two in the middle"
    assert central_value(np.array([0.0, 1.0]), "mode") == 1 - 0.5 / MODE_BINS, "of parts as full the higher"
    assert [central_value(np.array([]), how) for how in ("median", "mean", "mode")] == [0.0] * 3


@pytest.mark.parametrize(
    "players, more", [(2, ""), (4, ""), (2, ",parallel=tree,threads=2"), (3, ",parallel=leaf,threads=2")]
)
@pytest.mark.parametrize("answer", ["median", "mean", "mode"])
def test_flat_monte_carlo_stores_every_result_and_chooses_by_their_central_value(players, more, answer):
    agent = make_agent(f"flat_mc:sims=300,samples=2,rounds=2,final_move={answer}{more}", 1)
    game = game_of(players)
    turn = agent.act(game.view(0))
    search, arms = agent.search, agent.search.stores[0].arms
    kept = results_of(arms)
    assert sum(map(len, kept.values())) == search.simulations == 300
    count = int(arms.counters[FOUND])
    assert count == len(generated(game.view(0))) > 1
    for turn_ in range(count):
        assert kept[turn_].sum() == pytest.approx(arms.total[turn_] / UNIT) and len(kept[turn_]) == arms.visits[turn_]
    visits = arms.visits[:count]
    assert ((visits - 300 / count) ** 2 / (300 / count)).sum() < 30, "drawn with equal chances"
    statistics = {"median": np.median, "mean": np.mean}
    found = search.candidates()
    assert found[0].orders == turn and found[0].middle == max(c.middle for c in found)
    if answer in statistics:
        assert sorted(c.middle for c in found) == pytest.approx(sorted(map(statistics[answer], kept.values())))
    assert game.check(0, turn) == []


@pytest.mark.parametrize("players", [2, 3])
def test_flat_monte_carlo_uses_the_playout_policy_for_enemies(players):
    view = game_of(players, 4, "world").view(0)
    means = {}
    for playout in ("random", "one_ply"):
        agent = make_agent(
            f"flat_mc:sims=400,samples=1,rounds=1,final_move=mean,playout={playout},lookahead_samples=8", 1
        )
        agent.act(view)
        candidates = agent.search.candidates()
        means[playout] = float(np.mean([c.value for c in candidates]))
    assert means["one_ply"] < means["random"] - 0.005, "who looks ahead leaves us less"


def test_flat_monte_carlo_with_one_round_reaches_the_shares_after_it():
    """With one round, a simulation plays the turn's round, and its value is the share after that round."""
    owner, army = [0, 0, 1, 1, 1, 1], [9, 5, 3, 3, 3, 3]
    games = games_at(RING, owner, army, 40, luck=0.0)  # only the order of moves is random
    view = games[0].view(0)
    agent = make_agent("flat_mc:sims=60,samples=1,rounds=1,final_move=mean", 1)
    agent.act(view)
    reached = {
        share_after(game, mine, theirs)
        for mine, theirs in itertools.product(generated(view), generated(games[0].view(1)))
        for game in games
    }
    values = np.concatenate(list(results_of(agent.search.stores[0].arms).values()))
    assert len(reached) > 3
    assert max(min(abs(value - other) for other in reached) for value in values) < 1e-6


# Two plies


#: A map on which the players' fronts do not meet. Without luck the order of moves does not matter, and every pair of
#: turns has one outcome.
APART = make_map([0, 0, 0, 1, 1, 1], [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)], [2, 2], "line")


@pytest.mark.parametrize("armies", [[8, 8, 11, 7, 4, 2], [12, 1, 9, 4, 8, 8], [9, 4, 9, 7, 8, 6]])
def test_minimax_values_are_the_minima_over_all_replies(armies):
    game = game_at(APART, [0, -1, -1, -1, -1, 1], armies, luck=0.0)
    view = game.view(0)
    replies = generated(game.view(1))
    expected = {str(turn): min(share_after(game, turn, reply) for reply in replies) for turn in generated(view)}
    assert len(replies) > 1 and len({share_after(game, generated(view)[0], reply) for reply in replies}) > 1
    agent = Minimax2Agent(seed=1, samples=3)
    turn = agent.act(view)
    found = {str(c.orders): c.value for c in agent.statistics().candidates}
    assert found == pytest.approx(expected)
    assert expected[str(turn)] == max(expected.values())


@pytest.mark.parametrize(("count", "near"), [(20, 0.05), pytest.param(60, 0.03, marks=pytest.mark.slow)])
def test_minimax_matches_brute_force_with_dice(count, near):
    """The expected values are means over many games for each pair of turns."""
    games = games_at(RING, [0, 0, 0, 1, 1, 1], [6, 4, 5, 6, 4, 5], count)
    view = games[0].view(0)
    replies = generated(games[0].view(1))
    expected = {
        str(turn): min(np.mean([share_after(game, turn, reply) for game in games]) for reply in replies)
        for turn in generated(view)
    }
    agent = Minimax2Agent(seed=1, samples=400)
    agent.act(view)
    found = {str(c.orders): c.value for c in agent.statistics().candidates}
    assert len(expected) > 1 and len(replies) > 1
    assert found == pytest.approx(expected, abs=near)


def test_minimax_considers_the_replies_of_each_enemy():
    game = game_of(4, 1)
    turns = []
    for player in (1, 2, 3, 0):
        agent = Minimax2Agent(seed=1, samples=2)
        agent.act(game.view(player))
        turns.append(len(agent.statistics().candidates))
    ours, replies = turns[-1], sum(turns[:-1])
    assert min(turns) > 0
    assert agent.statistics().simulations[0] == 2 * ours * replies == agent.simulations


def test_minimax_finishes_whole_sweeps_within_its_budget():
    view = game_of(2).view(0)
    agent = Minimax2Agent(seed=1)
    agent.act(view)
    sweep = agent.simulations // 15
    assert agent.simulations == 15 * sweep
    agent.act(view, Budget(simulations=4 * sweep + 1))
    assert agent.simulations == 4 * sweep
    agent.act(view, Budget(seconds=0.05))
    assert agent.simulations >= sweep and agent.statistics().seconds < 5


# Battles


@pytest.mark.parametrize("preset", ["thesis", "challenge2"])
def test_capture_chances_match_the_battle_odds(preset):
    odds = make_odds(Rules.of(preset).params(42, 6).dice)
    for attackers, defenders in itertools.product((1, 2, 3, 5, 8, 13, 40, 150), (1, 2, 3, 6, 10, 30, 149)):
        exact = battle_odds(attackers, defenders, preset).capture
        assert capture_chance(odds, attackers, defenders) == pytest.approx(exact, abs=1e-12)
    assert capture_chance(odds, 0, 3) == 0
    for attackers, defenders in ((ODDS_ARMIES + 50, 150), (300, 190), (400, 230)):
        exact = battle_odds(attackers, defenders, preset).capture
        assert capture_chance(odds, attackers, defenders) == pytest.approx(
            exact, abs=0.01 if preset == "thesis" else 0.03
        )


def battle_inputs(game, source, target, extra=0):
    """Return a view, and the context, position and odds that `simple_value` takes."""
    view = game.view(int(game.owner[source]))
    position_ = view.position
    position_.army[source] += extra
    return view, context_of(view), position_, make_odds(view.params.dice)


def test_hold_chance_is_a_product_over_hostile_neighbours():
    game = game_at(RING, [0, 1, 2, -1, 0, 1], [5, 8, 7, 9, 2, 4], players=3)
    view, _, position_, odds = battle_inputs(game, 0, 1)
    # Neighbours of region 0: region 1 (8 armies of player 1), 5 (4 armies of player 1) and 3 (neutral).
    expected = (1 - battle_odds(7, 5).capture) * (1 - battle_odds(3, 5).capture)
    assert hold_chance(view.board, position_, odds, 0, 0, 5) == pytest.approx(expected)
    # Neighbours of region 1: region 0 (5 armies of player 0) and 2 (7 armies of player 2). Player 2 has only one enemy.
    assert hold_chance(view.board, position_, odds, 2, 1, 3) == pytest.approx(1 - battle_odds(4, 3).capture)


def test_battle_values_match_hand_computed_values():
    game = game_at(RING, [0, 0, 1, 1, 2, -1], [9, 3, 4, 6, 5, 2], players=3)
    view, context, position_, odds = battle_inputs(game, 0, 3)
    p = battle_odds(8, 6).capture

    def worth(owner, army):
        return shares_of(position_share, context, as_position(owner, army))[0]

    # Six defenders kill 4.2 on average, eight attackers 4.8.
    won, lost = worth([0, 0, 1, 0, 2, -1], [1, 3, 4, 4, 5, 2]), worth([0, 0, 1, 1, 2, -1], [5, 3, 4, 1, 5, 2])
    held = (1 - battle_odds(3, 4).capture) * (1 - battle_odds(4, 4).capture)
    value = simple_value(context, position_, odds, 0, 0, 3, 8, -math.inf)
    assert value == pytest.approx(p * won * held - (1 - p) * lost)
    assert position_.owner.tolist() == view.owner.tolist() and position_.army.tolist() == view.army.tolist()


@pytest.mark.parametrize("army", [3, 6, 9, 15])
def test_the_value_of_a_battle_below_the_threshold_is_an_upper_bound(army):
    game = game_at(RING, [0, 0, 1, 1, 2, -1], [army, 3, 4, 6, 5, 2], players=3)
    view, context, position_, odds = battle_inputs(game, 0, 3)
    common = (context, position_, odds, 0, 0, 3, army - 1)
    exact = simple_value(*common, -math.inf)
    assert simple_value(*common, 1.0) != exact, "the chances alone say that it cannot be above 1"
    for least in (-0.5, 0.0, 0.05, 0.2, 0.5, 0.9, exact):
        value = simple_value(*common, least)
        assert value == exact if exact > least else exact <= value <= least
        assert position_.owner.tolist() == view.owner.tolist() and position_.army.tolist() == view.army.tolist()


def test_the_list_has_battles_with_positive_values_in_order_of_value():
    lowest = 0.0
    for rounds, player in itertools.product((0, 2), range(3)):
        view = game_of(3, rounds, "world").view(player)
        view.army[(view.owner >= 0) & (view.owner != player)] *= 4
        context, terms, every = context_of(view), make_terms(view), {}
        work = make_battle_work(view.board.n_regions, view.board.n_edges, 3)
        for source in np.flatnonzero(view.owner == player).tolist():
            for target in view.map.neighbors[source]:
                if view.owner[target] != player:
                    position_ = view.position
                    position_.army[source] += view.income
                    sent = int(position_.army[source]) - 1
                    every[source, target] = simple_value(
                        context, position_, terms.odds, player, source, target, sent, -math.inf
                    )
        lowest = min(lowest, *every.values())
        for most in (3, 5, 9):
            work.position.owner[:], work.position.army[:] = view.owner, view.army
            found = list_first_battles(context, terms, player, most, work)
            best = sorted((value for value in every.values() if value > 0), reverse=True)[:most]
            assert work.values[:found].tolist() == pytest.approx(best)
            assert [every[tuple(row)] for row in work.rows[:found].tolist()] == pytest.approx(best)
    assert lowest < 0


def test_turns_made_of_battles_are_legal():
    for players, seed in itertools.product((2, 3, 4), range(3)):
        game = game_of(players, 2 + seed, "world")
        view = game.view(0)
        agent = MaxnAgent(depth=1, breadth=9)
        turn = agent.act(view)
        assert game.check(0, turn) == [] and sum(armies for _, armies in turn.deploys) == view.income
        for candidate in agent.statistics().candidates:
            assert game.check(0, candidate.orders) == []
            attacked = [a for a in candidate.orders.attacks if view.owner[a[1]] != 0]
            assert len(attacked) <= 5 and len({a[0] for a in attacked}) == len(attacked)


# Max^N


def brute_force(context, terms, start, mover, breadth, depth):
    """Return the shares of all players under best play, and the mover's share for each turn, without cut-offs."""
    board, players = context.board, context.players
    work = make_battle_work(board.n_regions, board.n_edges, players)
    copy_position(start, work.position)
    found = list_first_battles(context, terms, mover, breadth, work)
    firsts = [tuple(map(int, row)) for row in work.rows[:found]] + ([(-1, -1)] if found < breadth else [])
    best, values = None, []
    for source, target in firsts:
        copy_position(start, work.position)
        make_turn(context, terms, mover, source, target, work)
        after = Position(*(array.copy() for array in work.position))
        alive = [p for k in range(1, players) if (after.owner == (p := (mover + k) % players)).any()]
        if depth > 1 and alive:
            vector, _ = brute_force(context, terms, after, alive[0], breadth, depth - 1)
        else:
            evaluation = extended_share if context.evaluation.extended else position_share
            vector = shares_of(evaluation, context, after)
        values.append(vector[mover])
        if best is None or vector[mover] > best[mover]:
            best = vector
    return best, values


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "more",
    [{}, {"territory_weight": 15.0, "join_weight": 0.3, "spare_weight": 0.5, "follow_up_weight": 0.5}],
    ids=["plain", "terms"],
)
def test_max_n_matches_brute_force(players, depth, more):
    for rounds in (1, 4):
        view = game_of(players, rounds).view(players - 1)
        agent = MaxnAgent(depth=depth, breadth=3, **more)
        agent.act(view)
        terms = make_terms(view, *list(more.values())[1:])
        best, values = brute_force(context_of(view, agent.weights), terms, view.position, view.player, 3, depth)
        found = [c.value for c in agent.statistics().candidates if c.visits]
        assert max(found) == pytest.approx(best[view.player]) == pytest.approx(max(values))
        if players == 2:  # the root has no cut-offs
            assert len(found) == len(values)


def test_budgets_limit_the_depth_of_max_n():
    view = game_of(4, 5, "world").view(0)
    agent = MaxnAgent(depth=8)
    agent.act(view, Budget(simulations=5000))
    record = agent.statistics()
    assert record.simulations[0] <= 5000 and record.deepest in ((1,), (4,))
    answer = [c.orders for c in record.candidates]
    shallow = MaxnAgent(depth=record.deepest[0])
    shallow.act(view)
    assert [c.orders for c in shallow.statistics().candidates] == answer, "the deepest search that was finished answers"
    agent.act(view, Budget(seconds=1e-6))
    assert game_of(4, 5, "world").check(0, agent.act(view, Budget(seconds=1e-6))) == []


# Terms that the authors do not define


LINE = make_map([0] * 7, [(i, i + 1) for i in range(6)], [3], "line7")


def test_joins_returns_the_inverse_distance_to_other_territories():
    board = make_board(LINE)
    part = np.zeros(7, dtype=np.int32)
    owner = np.array([0, 0, -1, 1, -1, 0, -1], dtype=np.int8)
    assert label_components(board, owner, 0, part, np.zeros(7, dtype=np.uint32)) == 2
    assert part.tolist() == [1, 1, 0, 0, 0, 2, 0]
    assert joins(board, part, 1, 2) == pytest.approx(1 / 4), "four steps from 1 to 5"
    assert joins(board, part, 5, 4) == pytest.approx(1 / 4) and joins(board, part, 5, 6) == 0


def test_max_n_spares_weak_neighbours_of_a_stronger_player():
    # Player 1 is weak and borders player 2, which is stronger than player 0. Player 3 is as weak and borders only 0.
    game = game_at(LINE, [3, 0, 0, 1, 2, 2, 2], [1, 20, 20, 1, 60, 60, 60], players=4)
    view = game.view(0)
    spared = np.zeros(4, dtype=np.int8)
    mark_spared(context_of(view), view.position, 0, spared)
    assert spared.tolist() == [0, 1, 0, 0]


def test_extra_terms_change_battle_values_by_their_definition():
    game = game_at(LINE, [0, 0, -1, 1, 2, 0, 2], [9, 30, 2, 2, 20, 9, 20], players=3)
    view, context, position_, odds = battle_inputs(game, 1, 2)
    work = make_battle_work(7, view.board.n_edges, 3)
    several = label_components(view.board, position_.owner, 0, work.part, work.generator.scratch.queue) > 1

    def value(source=1, target=2, sent=29, **terms):
        inputs = TermInputs(several, work.part, work.spared)
        return battle_value(context, position_, make_terms(view, **terms), 0, source, target, sent, inputs, -math.inf)

    plain, chance = value(), capture_chance(odds, 29, 2)
    mine = shares_of(position_share, context, position_)[0]
    assert plain == pytest.approx(simple_value(context, position_, odds, 0, 1, 2, 29, -math.inf))
    assert value(join=0.5) - plain == pytest.approx(0.5 * mine * chance / 4)
    assert value(spare=1.0) == plain, "the target is neutral"
    after = view.position
    after.owner[2], after.army[1], after.army[2] = 0, 1, 28
    sequel = simple_value(context, after, odds, 0, 2, 3, 27, -math.inf)
    assert sequel > 0 and value(chains=0.5) - plain == pytest.approx(0.5 * chance * sequel)
    work.spared[1] = 1
    plain = simple_value(context, position_, odds, 0, 5, 4, 8, -math.inf)
    assert math.isclose(value(5, 4, 8, spare=2.0), plain), "4 is player 2's, who is not spared"


# Records


@pytest.mark.parametrize("spec", ["minimax2:samples=2", "maxn:depth=2", "flat_mc:sims=30,samples=2"])
def test_statistics_report_the_size_of_the_search(spec):
    view = game_of(3, 4, "world").view(0)
    agent = make_agent(spec, 1)
    agent.act(view)
    record = (agent.search if spec.startswith("flat") else agent).statistics()
    (nodes,), (low,), (high,), ours = record.nodes, record.shallowest, record.deepest, len(record.candidates)
    if spec.startswith("flat"):
        assert (nodes, low, high) == (1 + ours, 1, 1), "no tree below our turns"
    elif spec.startswith("minimax2"):  # each of two sweeps plays every turn against every reply
        assert (nodes, low, high) == (1 + ours + record.simulations[0] // 2, 2, 2)
    else:  # each of our turns leads to a position with one to five turns, without cut-offs
        assert (low, high) == (2, 2) and nodes == 1 + ours + record.simulations[0]
        agent.act(view, Budget(simulations=500))
        deeper = agent.statistics()
        assert deeper.deepest == (2,) and deeper.simulations[0] == record.simulations[0] + ours, "depth 1 comes first"
        assert deeper.nodes[0] == nodes + 1 + ours


@pytest.mark.parametrize("spec", ["minimax2:samples=2", "maxn:depth=2", "flat_mc:sims=30,samples=2"])
def test_logs_contain_the_candidates_of_each_method(spec):
    memory = MemoryRecorder(insight=True)
    agents = [make_agent(spec, 1), make_agent("random", 2), make_agent("random", 3)]
    play_game(agents, "small", seed=5, picks="random", max_rounds=3, observer=memory)
    insights = [insight for step in memory.log.steps for insight in step.insights]
    assert len(insights) == 3
    for insight in insights:
        found = json.loads(json.dumps(insight.data))
        values = [candidate["middle" if spec.startswith("flat") else "value"] for candidate in found["candidates"]]
        assert insight.player == 0 and values[0] == max(values)
        assert found["simulations"][0] > 0 and len(found["regions"]) == 10


# Invalid parameters


@pytest.mark.parametrize(
    "spec, message",
    [
        ("maxn:depth=0", "depth = 0"), ("maxn:breadth=10", "breadth = 10"), ("maxn:terms=1", "no parameter 'terms'"),
        ("minimax2:samples=0", "samples = 0"), ("flat_mc:final_move=best", "final_move = 'best'"),
        ("flat_mc:c=1", "no parameter 'c'"),
    ],
)  # fmt: skip
def test_invalid_parameters_raise_an_error(spec, message):
    with pytest.raises((AgentError, InputError), match=message):
        make_agent(spec, 1)


@pytest.mark.parametrize("factory", [MaxnAgent, Minimax2Agent])
@pytest.mark.parametrize("change", [{"sims": 0}, {"secs": math.nan}, {"sims": True}])
def test_invalid_budgets_raise_an_error(factory, change):
    with pytest.raises(InputError, match=next(iter(change))):
        factory(**change)
