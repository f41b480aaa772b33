"""Local search: changed turns are legal, values of scenarios match battle odds, and bots become stronger."""

from __future__ import annotations

import math
from dataclasses import replace

import numba
import numpy as np
import pytest

from helpers import PRESETS, RING, make_map, midgame, position
from warlight_env import Game, Orders, Rules, maps
from warlight_env.agents import make_agent
from warlight_env.agents.context import bare_context
from warlight_env.agents.players.mcts import THESIS_SETTINGS, MctsAgent, MctsSettings, TreeSearch
from warlight_env.agents.plug_ins.functions import Functions, make_context
from warlight_env.agents.search.local_search.neighborhood import fit, list_borders, random_neighbor
from warlight_env.agents.search.local_search.refinement import hill_climb, value_turn
from warlight_env.agents.search.local_search.scenario_evaluation import (
    BEST,
    STRIKES,
    draw_scenarios,
    make_scenario_work,
)
from warlight_env.agents.weights import THESIS
from warlight_env.arena import Match
from warlight_env.battle import battle_odds
from warlight_env.engine.callback_errors import raise_callback_errors
from warlight_env.engine.rng import make_rng
from warlight_env.errors import InputError
from warlight_env.record.decision_info import decision_info

RULES = Rules.of("thesis", picks=1, offers_per_super_region=0)
SMALL = {"samples": 3, "rounds": 2, "scenarios": 24}


def view(map_, owner, army, player=0):
    return position(Game(map_, RULES), owner, army).view(player)


def view_without_enemies():
    """Return a view in which the player owns all regions."""
    return replace(
        view(make_map([0, 0, 1], [(0, 1), (1, 2)], [2, 1]), [0, 0, 1], [3, 3, 3]), owner=np.zeros(3, dtype=np.int8)
    )


@numba.njit
def no_orders(context, position, player, rng, work, deploy, attacks):
    """A policy without orders."""
    for r in range(deploy.shape[0]):
        deploy[r] = 0
    return 0


@numba.njit
def region_1_share(context, position, shares):
    """An evaluation that gives the share 1 to the owner of region 1."""
    shares[:] = 0.0
    shares[position.owner[1]] = 1.0


@numba.njit
def equal_shares(context, position, shares):
    """An evaluation that gives all players the same share."""
    shares[:] = 1.0 / context.players


def deploy_only(context, position, player, rng, work, turns):
    """A generator that deploys the whole income on the player's first region and does not attack."""
    owner = position.owner
    for r in range(owner.shape[0]):
        turns.deploy[0, r] = 0
    for r in range(owner.shape[0]):
        if owner[r] == player:
            turns.deploy[0, r] = context.params.base_income
            break
    turns.counts[0] = 0
    return 1


@numba.njit
def deploy_always(context, position, player, rng, work, deploy, attacks):
    """A policy that deploys five armies on the player's first region, or on region 0 if it has been eliminated."""
    first, owner = 0, position.owner
    for r in range(owner.shape[0] - 1, -1, -1):
        deploy[r] = 0
        if owner[r] == player:
            first = r
    deploy[first] = 5
    return 0


# Neighbors of a turn


@pytest.mark.parametrize("seed", range(6))
def test_neighbors_of_a_turn_are_legal_and_deploy_the_whole_income(seed):
    game = Game("world", seed=seed, picks="random", players=2 + seed % 3)
    for k in range(seed):
        game.play_round([make_agent("smart_random", 10 * k + p).act(game.view(p)) for p in range(game.players)])
    seen, rng = game.view(0), make_rng(seed)
    context = bare_context(seen.board, seen.params, seen.players, THESIS)
    n, free = seen.board.n_regions, np.zeros(seen.board.n_regions, dtype=np.int64)
    borders, attacks = np.zeros(n, dtype=np.int32), np.zeros((seen.board.n_edges, 3), dtype=np.int32)
    n_borders = list_borders(seen.board, seen.owner, 0, borders)
    assert {int(r) for r in borders[:n_borders]} == {
        r for r in range(n) if seen.owner[r] == 0
        and any(seen.owner[q] != 0 for a, b in seen.map.borders for q in ((b,) if a == r else (a,) if b == r else ()))
    }  # fmt: skip
    deploy, count, distinct_turns = np.zeros(n, dtype=np.int32), 0, set()
    deploy[borders[0]] = game.income(0)
    for _ in range(600):
        count = random_neighbor(context, seen.position, 0, deploy, attacks, count, borders[:n_borders], rng, free)
        count = fit(seen.army, deploy, attacks, count, free)
        orders = Orders.from_arrays(deploy, attacks, count)
        assert game.check(0, orders) == []
        assert deploy.sum() == game.income(0)
        pairs = [(a, b) for a, b, _ in orders.attacks]
        assert len(set(pairs)) == len(pairs)
        distinct_turns.add((tuple(orders.deploys), tuple(orders.attacks)))
    assert len(distinct_turns) > 100, "it comes around"


# Scenarios


def scenario_arguments(seen, evaluate, horizon, policy=no_orders):
    functions = Functions(evaluation=evaluate, policy=policy)
    context = make_context(seen.board, seen.params, seen.players, THESIS, functions=functions)
    return context, seen.position, seen.player, horizon


def work_for(seen, scenarios, attacks, seed=3):
    work = make_scenario_work(seen.board.n_regions, seen.board.n_edges, seen.players, scenarios)
    work.rng[:] = make_rng(seed)
    for i, row in enumerate(attacks):
        work.turns.attacks[BEST, i] = row
    work.turns.counts[BEST] = len(attacks)
    return work


def mean_share(*args):
    """Return the mean share, over new scenarios, of the turn in the working memory (the last argument)."""
    return value_turn(*args) / len(args[-1].dice)


def test_the_mean_share_of_scenarios_matches_the_battle_odds():
    seen = view(RING, [0, -1, 1, -1, -1, -1], [10, 6, 5, 5, 5, 5])  # the enemy is not adjacent to the player
    chance = battle_odds(9, 6).capture
    scenarios = 4000
    mean = mean_share(*scenario_arguments(seen, region_1_share, 1), work_for(seen, scenarios, [(0, 1, 9)]))
    assert abs(mean - chance) < 5 * math.sqrt(chance * (1 - chance) / scenarios)
    assert 0.05 < chance < 0.95
    assert mean_share(*scenario_arguments(seen, region_1_share, 1), work_for(seen, 100, [])) == 0.0


def test_the_enemy_attacks_in_a_fraction_of_the_scenarios():
    seen = view(RING, [-1, 0, 1, -1, 0, -1], [5, 11, 14, 5, 5, 5])
    taken = battle_odds(14 + 5 - 1, 11).capture
    scenarios = 3000
    mean = mean_share(*scenario_arguments(seen, region_1_share, 1), work_for(seen, scenarios, []))
    assert 0.05 < taken < 0.95
    deviation = math.sqrt(taken * (1 - taken) / (scenarios / STRIKES)) / STRIKES
    assert abs(mean - (1 - taken / STRIKES)) < 5 * deviation


def test_enemy_attacks_continue_until_the_scenario_ends():
    seen = view(RING, [0, 0, 1, -1, -1, -1], [1, 1, 300, 5, 5, 5])
    once, twice = (
        mean_share(*scenario_arguments(seen, region_1_share, horizon), work_for(seen, 300, [])) for horizon in (1, 2)
    )
    assert once == twice == pytest.approx(1 - 1 / STRIKES)
    chance = 0.5 * (1 - 1 / STRIKES)
    assert mean_share(*scenario_arguments(seen, equal_shares, 4), work_for(seen, 300, [])) == pytest.approx(chance), (
        "all is lost in the others"
    )


def test_a_win_in_a_scenario_has_the_share_1():
    seen = view(RING, [0, 1, -1, -1, -1, -1], [200, 1, 5, 5, 5, 5])
    assert mean_share(*scenario_arguments(seen, equal_shares, 4), work_for(seen, 50, [(0, 1, 199)])) == 1.0


def test_eliminated_players_deploy_nothing_in_scenarios():
    seen = position(Game(RING, RULES, players=3), [0, 0, 1, -1, -1, -1], [5] * 6).view(0)
    work, everything = work_for(seen, 12, []), scenario_arguments(seen, equal_shares, 2, deploy_always)
    with raise_callback_errors():
        draw_scenarios(*everything[:-1], work)
    assert work.opponent_turns.deploy[1].sum() == 12 * 5
    assert work.opponent_turns.deploy[2].sum() == 0


# Hill climbing


def test_hill_climbing_finds_the_winning_attack():
    seen = view(RING, [0, -1, -1, 1, -1, -1], [30, 5, 5, 2, 5, 5])
    search = TreeSearch(seen, MctsSettings(**SMALL), 1, Functions(generator=deploy_only))
    search.run(10)
    assert search.best().attacks == []
    search.improve_by_local_search(200)
    attacks = [row for row in search.best().attacks if row[:2] == (0, 3)]
    assert attacks and attacks[0][2] >= 8, search.best()
    assert search.candidates()[0].refined and search.candidates()[0].value > 0.95
    search.run(5)
    assert search.best().attacks == [], "the tree's answer again"


def test_accepted_changes_improve_the_mean_share_in_the_same_scenarios():
    seen = midgame().view(0)
    work = work_for(seen, 48, [])
    work.turns.deploy[BEST, int(np.flatnonzero(seen.owner == 0)[0])] = midgame().income(0)
    share = scenario_arguments(seen, None, 2, None)
    value_turn(*share, work)
    before = work.share[BEST].copy()
    kept = hill_climb(*share, 150, work)
    assert kept > 0 and work.share[BEST].mean() > before.mean()


def test_a_player_without_borders_keeps_its_turn():
    seen = view_without_enemies()
    work = work_for(seen, 12, [])
    assert hill_climb(*scenario_arguments(seen, region_1_share, 1), 20, work) == 0


def test_a_player_without_borders_has_no_trials():
    seen = view_without_enemies()
    search = TreeSearch(seen, MctsSettings(**SMALL), 1)
    search.run(3)
    search.improve_by_local_search(trials=1)  # compiles the functions
    search.improve_by_local_search(seconds=0.05)
    assert search.trials == 0 and search.refined is None


def test_hill_climbing_respects_the_order_limit_and_deploys_all_armies():
    game = Game("world", Rules.of("thesis", max_orders=2), seed=3, picks="random")
    for _ in range(3):
        game.play_round([make_agent("aggressive", p).act(game.view(p)) for p in range(2)])
    seen, kept = game.view(0), 0
    everything = scenario_arguments(seen, None, 2, None)
    for seed in range(3):
        work = work_for(seen, 24, [], seed)
        work.turns.deploy[BEST, int(np.flatnonzero(seen.owner == 0)[0])] = game.income(0)
        value_turn(*everything, work)
        kept += hill_climb(*everything, 400, work)
        best = Orders.from_arrays(work.turns.deploy[BEST], work.turns.attacks[BEST], int(work.turns.counts[BEST]))
        assert len(best.deploys) <= 2 and len(best.attacks) <= 2
        assert sum(armies for _, armies in best.deploys) == game.income(0)
    assert kept > 0


def test_repeated_refinement_continues_from_the_refined_turn():
    search = TreeSearch(midgame().view(0), MctsSettings(**SMALL), 1)
    search.run(60)
    search.improve_by_local_search(200)
    found = search.refined
    assert found is not None
    search.improve_by_local_search(1)
    assert search.refined == found and search.best() == found.orders, "one trial more found nothing"
    search.improve_by_local_search(300)
    assert search.refined is not None and search.trials == 501
    again = TreeSearch(midgame().view(0), MctsSettings(**SMALL), 1)
    again.run(60)
    for trials in (200, 1, 300):
        again.improve_by_local_search(trials)
    assert again.best() == search.best()


# In the search


def test_the_budget_is_shared_between_tree_and_local_search():
    agent = MctsAgent(seed=1, sims=100, local_search=0.25, **SMALL)
    agent.act(midgame().view(0))
    record = agent.search.statistics()
    assert record.simulations == (75,) and record.trials == 25 and agent.simulations == 100
    agent = MctsAgent(seed=1, sims=1, **SMALL)
    agent.act(midgame().view(0))
    assert agent.simulations == 1
    slow = MctsAgent(seed=1, secs=0.3, **SMALL)
    slow.act(midgame().view(0))
    slow.act(midgame().view(0))
    assert slow.search.trials > 10 and slow.search.simulations > 10
    assert THESIS_SETTINGS.local_search == 0 == make_agent("mcts_thesis", 1).settings.local_search
    assert make_agent("flat_mc", 1).settings.local_search == 0


def refined(seed=1, **settings):
    search = TreeSearch(midgame().view(0), MctsSettings(**{**SMALL, **settings}), seed)
    search.run(40)
    search.improve_by_local_search(60)
    return search


def test_equal_seeds_refine_to_equal_turns():
    assert refined().best() == refined().best()
    assert len({str(refined(seed).best()) for seed in range(4)}) > 1
    one = refined(trees=3)
    assert one.trials == 180
    assert one.best() == refined(trees=3, threads=3).best(), "whatever the number of threads"


def test_one_tree_of_two_threads_shares_the_trials():
    search = refined(parallel="tree", threads=2)
    assert search.trials == 60 and midgame().check(0, search.best()) == []


@pytest.mark.parametrize("preset", PRESETS)
def test_refinement_works_under_every_preset(preset):
    game = Game("world", preset, seed=3, picks="random")
    for _ in range(4):
        game.play_round([make_agent("mcts:sims=20,samples=3,rounds=2", p).act(game.view(p)) for p in range(2)])
        assert game.phase == "play"


def test_refinement_works_with_six_players_and_an_order_limit():
    game = Game("world", Rules.of("thesis", max_orders=2), seed=3, picks="random", players=6)
    for _ in range(3):
        orders = [make_agent("mcts:sims=20,samples=3,rounds=2", p).act(game.view(p)) for p in range(6)]
        assert all(game.check(p, one) == [] for p, one in enumerate(orders))
        game.play_round(orders)


def test_picks_are_not_refined():
    game = Game(maps.load("small"), seed=1)
    agent = MctsAgent(seed=1, sims=20, picks="search", **SMALL)
    assert agent.pick(game.view(0)) and agent.search.trials == 0 and agent.search.simulations == 20


def test_a_stopped_search_does_not_refine():
    search = TreeSearch(midgame().view(0), MctsSettings(**SMALL), 1)
    search.run(20)
    search.stop()
    search.improve_by_local_search(10**9)  # would take a day
    assert search.trials == 0
    assert midgame().check(0, search.best()) == []


def test_decision_info_marks_the_refined_turn():
    agent = MctsAgent(seed=1, sims=80, **SMALL)
    agent.act(midgame().view(0))
    data = decision_info(agent, midgame().round + 1)
    assert data["trials"] == 40
    assert [c.get("refined", False) for c in data["candidates"]].count(True) <= 1
    first = agent.search.candidates()[0]
    if first.refined:
        assert data["candidates"][0]["refined"] and data["candidates"][0]["visits"] == SMALL["scenarios"]
    assert sum(c["visits"] for c in data["candidates"] if not c.get("refined")) == 40


def test_an_expired_time_limit_starts_no_scenarios():
    calls = []

    def record_call(context, position, player, rng, work, deploy, attacks):
        calls.append(player)
        deploy[:] = 0
        return 0

    with pytest.warns(RuntimeWarning, match="plain Python"):
        search = TreeSearch(midgame().view(0), MctsSettings(**SMALL), 1, Functions(policy=record_call))
    search.run(1)
    before = len(calls)
    search.improve_by_local_search(10, seconds=0)
    search.stop()
    search.improve_by_local_search(10)
    assert before > 0 and len(calls) == before and search.trials == 0


@pytest.mark.parametrize(
    ("change_", "message"),
    [
        ({"local_search": 1.0}, "local_search"),
        ({"local_search": -0.1}, "local_search"),
        ({"scenarios": 0}, "scenarios"),
        ({"horizon": 0}, "h"),
    ],
)
def test_invalid_settings_raise_an_error(change_, message):
    with pytest.raises(InputError, match=message):
        MctsSettings(**change_)


@pytest.mark.slow
def test_local_search_makes_the_bot_stronger():
    result = Match(
        ("mcts:sims=160,samples=5,rounds=5", "mcts:sims=160,samples=5,rounds=5,local_search=0"), games=24
    ).run()
    assert result.agents[0].wins >= 16
