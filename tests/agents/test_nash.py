"""Equilibrium search: it solves games with known solutions, stays within its budget, and reports its results."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from plain_turns import three_deploys
from warlight_env.agents import make_agent
from warlight_env.agents.base import Budget
from warlight_env.agents.players.nash.agent import NashAgent
from warlight_env.agents.players.nash.equilibrium import begin, iterate, order_all, rollout
from warlight_env.agents.players.nash.nash_work import SimpleContexts, make_nash_setup, make_nash_work
from warlight_env.agents.players.nash.responses import start_climb
from warlight_env.agents.players.nash.round_solver import BY_NETWORK, BY_PLAYS, sizes_for
from warlight_env.agents.plug_ins.functions import Functions, make_context
from warlight_env.agents.weights import PLANNING
from warlight_env.engine.callback_errors import raise_callback_errors
from warlight_env.engine.jit import kernel
from warlight_env.engine.orders import Orders
from warlight_env.engine.position import Position
from warlight_env.engine.rng import make_rng
from warlight_env.errors import InputError
from warlight_env.game import Game

#: Payoff of player 0 for its row and player 1's column in rock, paper, scissors with stakes: rock beats scissors for 3,
#: paper beats rock for 5, scissors beat paper for 4.
STAKES = np.array([[0.0, -5.0, 3.0], [5.0, 0.0, -4.0], [-3.0, 4.0, 0.0]])


@kernel
def by_stakes(context, position, shares):
    """An evaluation: the stakes of the two regions on which the players deployed armies."""
    row, column, mine, theirs = -1, -1, 0, 0
    for r in range(position.owner.shape[0]):
        if position.owner[r] == 0:
            if position.army[r] > 5:
                row = mine
            mine += 1
        elif position.owner[r] == 1:
            if position.army[r] > 5:
                column = theirs
            theirs += 1
    value = 0.0
    if row == 0 and column == 1:
        value = -5.0
    elif row == 0 and column == 2:
        value = 3.0
    elif row == 1 and column == 0:
        value = 5.0
    elif row == 1 and column == 2:
        value = -4.0
    elif row == 2 and column == 0:
        value = -3.0
    elif row == 2 and column == 1:
        value = 4.0
    shares[0] = 0.5 + value / 20.0
    shares[1] = 1.0 - shares[0]
    return 0


@kernel
def deploy_on_first(context, position, player, rng, work, deploy, attacks):
    """A policy that deploys the whole income on the player's first region."""
    left = 5
    for r in range(position.owner.shape[0]):
        deploy[r] = 0
        if position.owner[r] == player:
            deploy[r], left = left, 0
    return 0


@kernel
def deploy_on_last(context, position, player, rng, work, deploy, attacks):
    """A policy that deploys the whole income on the player's last region."""
    last = -1
    for r in range(position.owner.shape[0]):
        deploy[r] = 0
        if position.owner[r] == player:
            last = r
    deploy[last] = 5
    return 0


class ThreeTurnGame:
    """The search's data for a game with three turns per player, on regions 0, 1, 2 and 30, 31, 32 of the world map."""

    def __init__(self, policy=None):
        view = Game("world", "thesis", seed=1, picks="random").view(0)
        position = self.position = view.position
        position.owner[:], position.army[:] = -1, 2
        position.owner[[0, 1, 2]], position.owner[[30, 31, 32]] = 0, 1
        functions = Functions(evaluation=by_stakes, generator=three_deploys, policy=policy, capacity=3)
        self.context = make_context(view.board, view.params, 2, PLANNING, functions=functions)
        self.work = make_nash_work(view.board.n_regions, view.board.n_edges, 2, 3, 0, 4)
        self.work.rng[:] = make_rng(3)
        begin(self.context, self.position, self.work)

    def mixtures(self, iterations):
        iterate(self.context, make_nash_setup(self.context, 1, 4), self.position, iterations, self.work)
        sums = self.work.average
        assert not sums[:, 3:].any()
        return sums[:, :3] / np.maximum(sums.sum(1, keepdims=True), 1)  # some rows may be zero


def test_regret_matching_finds_the_equilibrium_of_a_known_game():
    """The antisymmetric game [[0, -a, b], [a, 0, -c], [-b, c, 0]] has the equilibrium (c, b, a) / (a + b + c)."""
    a, b, c = 5.0, 3.0, 4.0
    solution = np.array([c, b, a]) / (a + b + c)
    for mixture in ThreeTurnGame().mixtures(30_000):
        assert mixture == pytest.approx(solution, abs=0.03)
    assert STAKES @ solution == pytest.approx(0.0, abs=1e-12)


def test_the_search_answers_a_turn_predicted_with_probability_one_half():
    """Player 1 plays rock with probability 1/2. The only equilibrium of (STAKES + its first column) / 2 is
    (1/3, 2/3, 0) and (0, 1/6, 5/6), in which rows 0 and 1 and columns 1 and 2 have the value 5/6."""
    game_, rows, columns = ThreeTurnGame(), np.array([1, 2, 0]) / 3, np.array([0, 1, 5]) / 6
    payoffs = (STAKES + STAKES[:, :1]) / 2
    assert (payoffs @ columns)[:2] == pytest.approx(5 / 6) and (payoffs @ columns)[2] < 5 / 6
    assert (rows @ payoffs)[1:] == pytest.approx(5 / 6) and (rows @ payoffs)[0] > 5 / 6
    game_.work.predicted_probability[1, 0], game_.work.predicted_turn[1, 0] = 0.5, 0
    mixtures = game_.mixtures(150_000)
    assert mixtures[0] == pytest.approx(rows, abs=0.03)
    assert mixtures[1] == pytest.approx(columns, abs=0.03)


def test_the_search_plays_the_best_response_to_a_certain_prediction():
    game_ = ThreeTurnGame()
    game_.work.predicted_probability[1, 1], game_.work.predicted_turn[1, 1] = 1.0, 2
    assert game_.mixtures(2000)[0] == pytest.approx([1, 0, 0], abs=0.01)


@pytest.mark.parametrize(("bot", "armies"), [(0, [7, 2, 7]), (1, [12, 2, 2]), (2, [7, 2, 7])])
def test_recognized_bots_continue_with_their_policy_in_rollouts(bot, armies):
    """In a rollout of two rounds, player 1 first deploys five armies on its first region and then follows a policy."""
    game_, first = ThreeTurnGame(deploy_on_last), ThreeTurnGame(deploy_on_first)
    game_.work.bot[1] = bot
    game_.work.chosen[:] = 0
    order_all(game_.context, game_.work)
    setup = make_nash_setup(game_.context, 2, 4, SimpleContexts(first.context, game_.context))
    rollout(game_.context, setup, game_.position, game_.work.dice[0], 0, game_.work)
    army = game_.work.leaves.positions.army[0]
    assert army[[30, 31, 32]].tolist() == armies
    assert army[[0, 1, 2]].tolist() == [7, 2, 7]


def test_leaf_functions_evaluate_positions_in_batches():
    """An iteration makes one call for all turns of a player; a response search makes one for a block of scenarios."""
    game_, counts = ThreeTurnGame(), []

    def leaf(context, positions, count, shares):
        counts.append(count)
        for k in range(count):
            by_stakes.py_func(context, Position(*(rows[k] for rows in positions)), shares[k])

    with pytest.warns(RuntimeWarning, match="plain Python"):
        setup = make_nash_setup(game_.context, 1, 4, leaf=leaf)
    other = ThreeTurnGame()
    with raise_callback_errors():
        iterate(game_.context, setup, game_.position, 10, game_.work)
        assert counts == [3] * 20
        counts.clear()
        start_climb(game_.context, setup, game_.position, 0, game_.work)
    assert counts == [4]
    iterate(other.context, make_nash_setup(other.context, 1, 4), other.position, 10, other.work)
    assert game_.work.average.tolist() == other.work.average.tolist()


def midgame(players: int = 2, rules: str = "thesis") -> Game:
    game = Game("world", rules, players, seed=6, picks="random")
    bots = [make_agent("smart_random", p) for p in range(players)]
    for _ in range(6):
        game.play_round([bot.act(game.view(p)) for p, bot in enumerate(bots)])
    return game


def test_equal_seeds_and_budgets_give_equal_turns_and_records():
    view = midgame().view(0)
    first, second = NashAgent(7, sims=700), NashAgent(7, sims=700)
    assert first.act(view) == second.act(view)
    result, again = first.statistics().to_dict(), second.statistics().to_dict()
    assert {**result, "seconds": 0} == {**again, "seconds": 0}


@pytest.mark.parametrize("players", [2, 3, 6])
def test_turns_are_legal_with_two_three_and_six_players(players):
    game = midgame(players)
    turns = {p: make_agent("nash:sims=150", p).act(game.view(p)) for p in range(players) if game.alive(p)}
    game.play_round(turns)  # raises an error for illegal orders


def test_best_responses_join_the_candidates():
    view = midgame().view(0)
    with_responses, without = (NashAgent(3, sims=2500, policy_anchor=0.0, best_responses=n) for n in (3, 0))
    with_responses.act(view), without.act(view)
    assert any(c.refined for c in with_responses.statistics().candidates)
    assert not any(c.refined for c in without.statistics().candidates)


def test_threads_add_simulations_to_the_same_first_turns():
    view = midgame().view(0)
    one, game_, again = NashAgent(4, sims=300), NashAgent(4, sims=300, threads=3), NashAgent(4, sims=300, threads=3)
    assert game_.act(view) == again.act(view)
    one.act(view)
    alone, together = one.statistics(), game_.statistics()
    assert together.simulations[0] >= 3 * 300 and alone.simulations[0] < 2 * 300
    unrefined = [{repr(c.orders): c.visits for c in result.candidates if not c.refined} for result in (alone, together)]
    assert unrefined[0].keys() == unrefined[1].keys()  # both start with the same turns
    assert all(unrefined[1][orders] > unrefined[0][orders] for orders in unrefined[0])
    assert all(0 <= c.value <= 1 and c.visits > 0 for c in together.candidates)


@pytest.mark.parametrize("answer", ["best", "most_likely"])
def test_a_policy_anchor_keeps_the_network_s_turn_and_valid_values(answer):
    likeliest = make_agent("policy:any", 1)
    kept = {0.0: 0, 0.03: 0, 1.0: 0}
    for seed in range(4):
        view = Game("world", seed=seed, picks="random").view(0)
        for anchor in kept:
            agent = NashAgent(seed, sims=300, net="any", policy_anchor=anchor, final_move=answer)
            kept[anchor] += agent.act(view) == likeliest.act(view)
            assert all(0 <= c.value <= 1 for c in agent.statistics().candidates)
    assert kept[0.0] < kept[0.03] <= kept[1.0] == 4  # no turn's share is better by 1
    plain = [NashAgent(3, sims=100, net="none", policy_anchor=anchor).act(view) for anchor in kept]
    assert plain[0] == plain[1] == plain[2]


@pytest.mark.parametrize("rules, own, other", [("thesis", 0.03, 0.1), ("challenge2", 0.1, 0.03)])
def test_the_default_policy_anchor_is_larger_under_fog(rules, own, other):
    views = [Game("world", rules, seed=seed, picks="random").view(0) for seed in range(6)]
    usual, result, else_ = (
        [NashAgent(3, sims=300, **setting).act(view) for view in views]
        for setting in ({}, {"policy_anchor": own}, {"policy_anchor": other})
    )
    assert usual == result != else_


@pytest.mark.parametrize("net, few, many, turns", [("any", 300, 1200, (4, 8)), ("none", 500, 20_000, (20, 60))])
def test_the_number_of_candidates_depends_on_simulations(net: str, few: int, many: int, turns: tuple[int, int]):
    view = midgame().view(0)
    unrefined = []
    for sims in (few, many):
        agent = NashAgent(4, sims=sims, net=net)
        agent.act(view)
        unrefined.append(sum(not c.refined for c in agent.statistics().candidates))
    assert unrefined[0] == turns[0] < unrefined[1] <= turns[1]
    agent = NashAgent(4, sims=many, net=net, candidates=5)
    agent.act(view)
    assert sum(not c.refined for c in agent.statistics().candidates) == 5


@pytest.mark.parametrize("secs", [0.05, 5.0])
def test_search_sizes_depend_on_the_time_for_simulations(secs: float):
    """A simulation of ten rounds costs nine steps, so 0.05 seconds are too short for many candidates."""
    steps = secs * 30_000
    assert (sizes_for(BY_NETWORK, math.inf, steps).candidates == 8) == (steps / 9 >= 1200)
    assert sizes_for(BY_NETWORK, 100, steps).candidates == 4, "the number of simulations is also a limit"
    assert sizes_for(BY_PLAYS, math.inf, steps).rounds == 1
    assert sizes_for(BY_NETWORK, 5000, math.inf, 2).candidates == 20, "short simulations have more turns"
    assert sizes_for(BY_NETWORK, 5000, math.inf, 12).candidates == 8
    assert sizes_for(BY_NETWORK, 5000, math.inf, 1) == sizes_for(BY_NETWORK, 5, math.inf, 1)


def test_the_search_keeps_its_budget():
    view = midgame().view(0)
    agent = NashAgent(1)
    agent.act(view, Budget(simulations=3000))
    assert 3000 <= agent.simulations < 3000 + 700  # the search finishes the current iteration
    agent.act(view, Budget(seconds=0.05))  # the functions are compiled now
    agent.act(view, Budget(seconds=0.3))
    assert agent.simulations > 50


def test_the_search_returns_orders_with_one_simulation():
    game = Game("small", "thesis", seed=2, picks="random")
    assert isinstance(make_agent("nash:sims=1", 1).act(game.view(0)), Orders)


@pytest.mark.parametrize(
    "wrong",
    [
        {"candidates": 0},
        {"rounds": 0},
        {"local_search": 1.0},
        {"final_move": "none"},
        {"sims": 0},
        {"policy_anchor": -0.1},
    ],
)
def test_invalid_parameters_raise_an_error(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        NashAgent(1, **wrong)


@pytest.mark.parametrize("rules, answer", [("thesis", "best"), ("challenge2", "most_likely")])
def test_the_default_final_move_is_best_and_most_likely_under_fog(rules: str, answer: str):
    view, differ = midgame(rules=rules).view(0), 0
    for seed, sims in itertools.product(range(3), (60, 400)):
        turns = {}
        for setting in (None, "best", "most_likely"):
            agent = NashAgent(seed, sims=sims, final_move=setting, policy_anchor=0.0)
            turns[setting] = agent.act(view)
            first, *others = agent.statistics().candidates
            if setting is not None:
                result = [c.value if setting == "best" else c.probability for c in (first, *others)]
                assert result[0] == max(result)
        assert turns[None] == turns[answer]
        differ += turns["best"] != turns["most_likely"]
    assert differ


def test_a_player_without_regions_gives_no_orders():
    game = Game("small", players=3, seed=9, picks="random")
    bots = [make_agent("aggressive", p) for p in range(3)]
    while len(eliminated := [p for p in range(3) if not (game.owner == p).any()]) == 0:
        game.play_round([bot.act(game.view(p)) for p, bot in enumerate(bots)])
    assert NashAgent(1, sims=60, net="none").act(game.view(eliminated[0])) == Orders()
