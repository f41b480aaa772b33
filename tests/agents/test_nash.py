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

#: What player 0 gets for its row and player 1's column in rock, paper and scissors with stakes: rock beats scissors for
#: 3, paper beats rock for 5, scissors beat paper for 4.
STAKES = np.array([[0.0, -5.0, 3.0], [5.0, 0.0, -4.0], [-3.0, 4.0, 0.0]])


@kernel
def by_stakes(context, position, shares):
    """The shares that the stakes give, by the regions on which armies were placed."""
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
def on_first(context, position, player, rng, work, deploy, attacks):
    """All of the income on the player's first region."""
    left = 5
    for r in range(position.owner.shape[0]):
        deploy[r] = 0
        if position.owner[r] == player:
            deploy[r], left = left, 0
    return 0


@kernel
def on_last(context, position, player, rng, work, deploy, attacks):
    """All of the income on the player's last region."""
    last = -1
    for r in range(position.owner.shape[0]):
        deploy[r] = 0
        if position.owner[r] == player:
            last = r
    deploy[last] = 5
    return 0


class Three:
    """A game of three turns each, on regions 0, 1, 2 and 30, 31, 32 of the world map, as a search has it."""

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
        return sums[:, :3] / np.maximum(sums.sum(1, keepdims=True), 1)  # of zeros, who never chose


def test_regret_matching_finds_the_equilibrium_of_a_known_game():
    """Of an antisymmetric game [[0, -a, b], [a, 0, -c], [-b, c, 0]] it is (c, b, a) / (a + b + c)."""
    a, b, c = 5.0, 3.0, 4.0
    solution = np.array([c, b, a]) / (a + b + c)
    for mixture in Three().mixtures(30_000):
        assert mixture == pytest.approx(solution, abs=0.03)
    assert STAKES @ solution == pytest.approx(0.0, abs=1e-12)


def test_who_plays_a_foretold_turn_by_some_chance_is_answered_by_it():
    """Half of the time player 1 plays rock: of (STAKES + its first column) / 2 the only solution is (1/3, 2/3, 0) and
    (0, 1/6, 5/6), by which rows 0 and 1 and columns 1 and 2 are worth 5/6."""
    three, rows, columns = Three(), np.array([1, 2, 0]) / 3, np.array([0, 1, 5]) / 6
    known = (STAKES + STAKES[:, :1]) / 2
    assert (known @ columns)[:2] == pytest.approx(5 / 6) and (known @ columns)[2] < 5 / 6
    assert (rows @ known)[1:] == pytest.approx(5 / 6) and (rows @ known)[0] > 5 / 6
    three.work.predicted_probability[1, 0], three.work.predicted_turn[1, 0] = 0.5, 0
    mixtures = three.mixtures(150_000)
    assert mixtures[0] == pytest.approx(rows, abs=0.03)
    assert mixtures[1] == pytest.approx(columns, abs=0.03)


def test_against_a_turn_that_is_foretold_for_sure_its_best_answer_is_played():
    three = Three()
    three.work.predicted_probability[1, 1], three.work.predicted_turn[1, 1] = 1.0, 2
    assert three.mixtures(2000)[0] == pytest.approx([1, 0, 0], abs=0.01)


@pytest.mark.parametrize(("bot", "armies"), [(0, [7, 2, 7]), (1, [12, 2, 2]), (2, [7, 2, 7])])
def test_who_is_a_bot_plays_on_as_it_does(bot, armies):
    """In a play of two rounds player 1 puts five armies on its first region, and then plays by a policy."""
    three, first = Three(on_last), Three(on_first)
    three.work.bot[1] = bot
    three.work.chosen[:] = 0
    order_all(three.context, three.work)
    setup = make_nash_setup(three.context, 2, 4, SimpleContexts(first.context, three.context))
    rollout(three.context, setup, three.position, three.work.dice[0], 0, three.work)
    army = three.work.leaves.positions.army[0]
    assert army[[30, 31, 32]].tolist() == armies
    assert army[[0, 1, 2]].tolist() == [7, 2, 7]


def test_plays_are_valued_together_as_a_value_network_wants_them():
    """An iteration asks once for all turns of a player, a search for a response once for a block of scenarios."""
    three, asked = Three(), []

    def leaf(context, positions, count, shares):
        asked.append(count)
        for k in range(count):
            by_stakes.py_func(context, Position(*(rows[k] for rows in positions)), shares[k])

    with pytest.warns(RuntimeWarning, match="plain Python"):
        setup = make_nash_setup(three.context, 1, 4, leaf=leaf)
    other = Three()
    with raise_callback_errors():
        iterate(three.context, setup, three.position, 10, three.work)
        assert asked == [3] * 20
        asked.clear()
        start_climb(three.context, setup, three.position, 0, three.work)
    assert asked == [4]
    iterate(other.context, make_nash_setup(other.context, 1, 4), other.position, 10, other.work)
    assert three.work.average.tolist() == other.work.average.tolist()


def middle(players: int = 2, rules: str = "thesis") -> Game:
    game = Game("world", rules, players, seed=6, picks="random")
    bots = [make_agent("smart_random", p) for p in range(players)]
    for _ in range(6):
        game.play_round([bot.act(game.view(p)) for p, bot in enumerate(bots)])
    return game


def test_equal_seeds_and_budgets_give_equal_turns_and_records():
    view = middle().view(0)
    first, second = NashAgent(7, sims=1500), NashAgent(7, sims=1500)
    assert first.act(view) == second.act(view)
    told, again = first.statistics().to_dict(), second.statistics().to_dict()
    assert {**told, "seconds": 0} == {**again, "seconds": 0}


@pytest.mark.parametrize("players", [2, 3, 6])
def test_turns_are_legal_in_games_of_any_size(players):
    game = middle(players)
    turns = {p: make_agent("nash:sims=600", p).act(game.view(p)) for p in range(players) if game.alive(p)}
    game.play_round(turns)  # strict


def test_responses_join_where_they_do_better():
    view = middle().view(0)
    with_responses, without = (NashAgent(3, sims=2500, policy_anchor=0.0, best_responses=n) for n in (3, 0))
    with_responses.act(view), without.act(view)
    assert any(c.refined for c in with_responses.statistics().candidates)
    assert not any(c.refined for c in without.statistics().candidates)


def test_threads_find_more_of_the_same_turns():
    view = middle().view(0)
    one, three, again = NashAgent(4, sims=900), NashAgent(4, sims=900, threads=3), NashAgent(4, sims=900, threads=3)
    assert three.act(view) == again.act(view)
    one.act(view)
    alone, together = one.statistics(), three.statistics()
    assert together.simulations[0] >= 3 * 900 and alone.simulations[0] < 2 * 900
    begun = [{repr(c.orders): c.visits for c in told.candidates if not c.refined} for told in (alone, together)]
    assert begun[0].keys() == begun[1].keys()  # all begin with the same turns
    assert all(begun[1][orders] > begun[0][orders] for orders in begun[0])
    assert all(0 <= c.value <= 1 and c.visits > 0 for c in together.candidates)


@pytest.mark.parametrize("answer", ["best", "most_likely"])
def test_an_anchor_keeps_to_the_network_and_says_nothing_of_values(answer):
    likeliest = make_agent("policy:any", 1)
    kept = {0.0: 0, 0.03: 0, 1.0: 0}
    for seed in range(4):
        view = Game("world", seed=seed, picks="random").view(0)
        for anchor in kept:
            agent = NashAgent(seed, sims=600, net="any", policy_anchor=anchor, final_move=answer)
            kept[anchor] += agent.act(view) == likeliest.act(view)
            assert all(0 <= c.value <= 1 for c in agent.statistics().candidates)
    assert kept[0.0] < kept[0.03] <= kept[1.0] == 4  # a share is never better by 1
    plain = [NashAgent(3, sims=300, net="none", policy_anchor=anchor).act(view) for anchor in kept]
    assert plain[0] == plain[1] == plain[2]


@pytest.mark.parametrize("rules, own, other", [("thesis", 0.03, 0.1), ("challenge2", 0.1, 0.03)])
def test_an_anchor_is_heavier_under_fog(rules, own, other):
    views = [Game("world", rules, seed=seed, picks="random").view(0) for seed in range(6)]
    usual, told, else_ = (
        [NashAgent(3, sims=300, **given).act(view) for view in views]
        for given in ({}, {"policy_anchor": own}, {"policy_anchor": other})
    )
    assert usual == told != else_


@pytest.mark.parametrize("net, few, many, turns", [("any", 300, 1200, (4, 8)), ("none", 500, 20_000, (20, 60))])
def test_sizes_go_by_plays(net: str, few: int, many: int, turns: tuple[int, int]):
    view = middle().view(0)
    begun = []
    for sims in (few, many):
        agent = NashAgent(4, sims=sims, net=net)
        agent.act(view)
        begun.append(sum(not c.refined for c in agent.statistics().candidates))
    assert begun[0] == turns[0] < begun[1] <= turns[1]
    agent = NashAgent(4, sims=many, net=net, candidates=5)
    agent.act(view)
    assert sum(not c.refined for c in agent.statistics().candidates) == 5


@pytest.mark.parametrize("secs", [0.05, 5.0])
def test_sizes_go_by_how_many_plays_there_is_time_for(secs: float):
    """A simulation of ten rounds has the cost of nine steps: a twentieth of a second is too short for many turns."""
    steps = secs * 30_000
    assert (sizes_for(BY_NETWORK, math.inf, steps).candidates == 8) == (steps / 9 >= 1200)
    assert sizes_for(BY_NETWORK, 100, steps).candidates == 4, "the number of simulations is also a limit"
    assert sizes_for(BY_PLAYS, math.inf, steps).rounds == 1
    assert sizes_for(BY_NETWORK, 5000, math.inf, 2).candidates == 20, "short simulations have more turns"
    assert sizes_for(BY_NETWORK, 5000, math.inf, 12).candidates == 8
    assert sizes_for(BY_NETWORK, 5000, math.inf, 1) == sizes_for(BY_NETWORK, 5, math.inf, 1)


def test_a_budget_is_kept():
    view = middle().view(0)
    agent = NashAgent(1)
    agent.act(view, Budget(simulations=3000))
    assert 3000 <= agent.simulations < 3000 + 700  # what is begun is finished
    agent.act(view, Budget(seconds=0.05))  # compiled by now
    agent.act(view, Budget(seconds=0.3))
    assert agent.simulations > 50


def test_one_who_has_no_choice_answers():
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
def test_parameters_are_checked(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        NashAgent(1, **wrong)


@pytest.mark.parametrize("rules, answer", [("thesis", "best"), ("challenge2", "most_likely")])
def test_under_fog_the_likeliest_turn_answers_and_in_the_open_the_best(rules: str, answer: str):
    view, differ = middle(rules=rules).view(0), 0
    for seed, sims in itertools.product(range(3), (60, 400)):
        turns = {}
        for given in (None, "best", "most_likely"):
            agent = NashAgent(seed, sims=sims, final_move=given, policy_anchor=0.0)
            turns[given] = agent.act(view)
            first, *others = agent.statistics().candidates
            if given is not None:
                told = [c.value if given == "best" else c.probability for c in (first, *others)]
                assert told[0] == max(told)
        assert turns[None] == turns[answer]
        differ += turns["best"] != turns["most_likely"]
    assert differ


def test_a_player_without_regions_gives_no_orders():
    game = Game("small", players=3, seed=9, picks="random")
    bots = [make_agent("aggressive", p) for p in range(3)]
    while len(out := [p for p in range(3) if not (game.owner == p).any()]) == 0:
        game.play_round([bot.act(game.view(p)) for p, bot in enumerate(bots)])
    assert NashAgent(1, sims=60, net="none").act(game.view(out[0])) == Orders()
