"""Parts of searches: batches of leaves, priors, selection rules, final moves, and more candidate turns."""

from __future__ import annotations

import functools
from collections import Counter

import numba
import numpy as np
import pytest

from helpers import RING, position, shares_of
from warlight_env import Game, Rules
from warlight_env.agents import make_agent
from warlight_env.agents.players.flat import FlatSearch, FlatSettings
from warlight_env.agents.players.mcts import MctsAgent, MctsSettings, TreeSearch
from warlight_env.agents.players.mcts.selection import SELECTIONS
from warlight_env.agents.plug_ins.functions import Functions, PlugInError, make_context
from warlight_env.agents.plug_ins.guarded import AnswerError
from warlight_env.agents.records.search_record import Candidate
from warlight_env.agents.search.final_move import FINAL_MOVE_RULES
from warlight_env.agents.search.simulation import UNIT
from warlight_env.agents.weights import DEFAULT
from warlight_env.engine.jit import kernel
from warlight_env.engine.orders import Orders
from warlight_env.engine.position import Position
from warlight_env.engine.rng import make_rng, uniform
from warlight_env.errors import InputError
from warlight_env.game import View

SMALL = {"samples": 3, "rounds": 2, "local_search": 0.0}


@functools.cache
def played(players: int) -> Game:
    """A game of some players after five rounds. Tests must not change it."""
    game = Game("world", seed=7, picks="random", players=players)
    for _ in range(5):
        game.play_round([make_agent("aggressive", p).act(game.view(p)) for p in range(players)])
    return game


@functools.cache
def seen() -> View:
    """What player 0 sees in `played(2)`."""
    return played(2).view(0)


def found(search):
    record = search.statistics()
    return record.simulations, record.nodes, [(str(c.orders), c.picks, c.visits, c.total) for c in record.candidates]


@numba.njit
def by_regions(context, positions, count, shares):
    """A leaf value: each player's part of the regions that anybody owns."""
    for k in range(count):
        owned = 0
        for p in range(context.players):
            shares[k, p] = 0.0
        for r in range(positions.owner.shape[1]):
            if positions.owner[k, r] >= 0:
                owned += 1
                shares[k, positions.owner[k, r]] += 1.0
        for p in range(context.players):
            shares[k, p] /= owned


@numba.njit
def one_by_regions(context, position, shares):
    """The same as an evaluation."""
    owned = 0
    shares[:] = 0.0
    for r in range(position.owner.shape[0]):
        if position.owner[r] >= 0:
            owned += 1
            shares[position.owner[r]] += 1.0
    for p in range(context.players):
        shares[p] /= owned


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("leaves", [1, 8])
def test_leaves_are_valued_as_the_evaluation_would_value_each(players, leaves):
    view, settings = played(players).view(1), MctsSettings(**SMALL, outcome="single", leaf_batch=leaves)
    searches = [
        TreeSearch(view, settings, 3, functions)
        for functions in (Functions(leaf=by_regions), Functions(one_by_regions))
    ]
    for search in searches:
        search.run(203)
    assert found(searches[0]) == found(searches[1])


def test_as_many_leaves_as_are_wanted_come_in_one_call():
    sizes, rounds = [], []

    def asked(context, positions, count, shares):
        assert len(positions.owner) == count == len(positions.round)
        sizes.append(count)
        rounds.extend(positions.round.tolist())
        shares[:count] = 0.5

    with pytest.warns(RuntimeWarning, match="plain Python"):
        search = TreeSearch(seen(), MctsSettings(**{**SMALL, "rounds": 0}, leaf_batch=16), 1, Functions(leaf=asked))
    sizes.clear(), rounds.clear()
    search.run(100)
    assert sum(sizes) == 100 == search.simulations and max(sizes) == 16
    assert len(sizes) == 7 and min(rounds) > seen().round, "positions know what round it is"
    tree = search.trees[0].tree
    assert not tree.pending.any() and tree.visits[0] == 100


@pytest.mark.parametrize("more", [{}, {"parallel": "tree", "threads": 2}, {"parallel": "lock", "threads": 2}])
def test_simulations_that_are_under_way_together_spread_out_and_are_counted_once(more):
    search = TreeSearch(seen(), MctsSettings(**SMALL, leaf_batch=5, **more), 1)
    search.run(1)
    search.run(5)
    assert sorted(c.visits for c in search.candidates())[-5:] != [0, 0, 0, 0, 6]
    search.run(300)
    tree = search.trees[0].tree
    assert tree.visits[0] == 306 == sum(c.visits for c in search.candidates()) and not tree.pending.any()


def test_leaves_may_be_valued_where_they_are():
    """Without rounds of a playout a turn's value is the mean over the positions that it led to."""
    settings = MctsSettings(**{**SMALL, "rounds": 0}, outcome="single")
    search = TreeSearch(seen(), settings, 1)
    count = len(TreeSearch(seen(), settings, 1).candidates()) or 9
    search.run(count)
    tree, context = search.trees[0].tree, make_context(seen().board, seen().params, 2, DEFAULT)
    from warlight_env.agents.evaluation.static_evaluation import position_share
    from warlight_env.engine.position import make_position, unpack

    for child in range(tree.first[0], tree.first[0] + tree.children[0]):
        valued = [r for r in range(tree.first[child], tree.first[child] + tree.children[child]) if tree.visits[r] == 1]
        for node in valued:
            if tree.children[node] <= 0:
                state = make_position(seen().board.n_regions)
                unpack(tree.states[tree.state[node]], state)
                theirs = shares_of(position_share, context, state)[1]
                assert tree.total[node] / 2**31 == pytest.approx(theirs, abs=1e-6)


@numba.njit
def prefers_the_first(context, position, player, turns, count, likely):
    for j in range(count):
        likely[j] = 0.0
    likely[0] = 3.0


@pytest.mark.parametrize("players", [2, 4])
def test_priors_say_where_to_look_first(players):
    settings = MctsSettings(**SMALL, selection="puct", exploration=50.0)
    search = TreeSearch(played(players).view(1), settings, 1, Functions(prior=prefers_the_first))
    search.run(60)
    tree = search.trees[0].tree
    first, count = int(tree.first[0]), int(tree.children[0])
    assert tree.prior[first : first + count].tolist() == [1.0] + [0.0] * (count - 1)
    assert tree.visits[first] == 60 and search.candidates()[0].visits == 60
    node = first
    for _ in range(players - 1):  # every player's turns have theirs
        assert tree.prior[tree.first[node]] == 1.0
        node = int(tree.first[node])
    even = TreeSearch(played(players).view(1), settings, 1)
    even.run(60)
    assert max(c.visits for c in even.candidates()) < 45


def test_puct_is_what_it_says():
    """Against the formula, from the visits and values that stand in the tree."""
    search = TreeSearch(seen(), MctsSettings(**SMALL, selection="puct", exploration=1.5), 1)
    search.run(40)
    tree, kernels = search.trees[0].tree, search.kernel_settings
    first, count = int(tree.first[0]), int(tree.children[0])
    for _ in range(20):
        n = tree.visits[first : first + count].astype(float)
        w = tree.total[first : first + count] / 2**31
        unknown = w.sum() / n.sum()
        merit = np.where(n > 0, w / np.maximum(n, 1), unknown) + 1.5 / count * np.sqrt(n.sum()) / (1 + n)
        chosen = SELECTIONS["puct"](tree, kernels, search.trees[0].works[0], 0, 0, 0, make_rng(1))
        assert chosen == first + int(merit.argmax())
        search.run(1)


def test_a_rule_of_selection_of_ones_own():
    @kernel
    def always_the_last(tree, settings, work, state, node, level, rng):
        return np.int64(tree.first[node]) + np.int64(tree.children[node]) - 1

    SELECTIONS.add("last", always_the_last)
    try:
        search = TreeSearch(seen(), MctsSettings(**SMALL, selection="last"), 1)
        search.run(50)
        tree = search.trees[0].tree
        visits = tree.visits[tree.first[0] : tree.first[0] + tree.children[0]].tolist()
        assert visits == [0] * (len(visits) - 1) + [50]
        with pytest.raises(InputError, match="'last' already"):
            SELECTIONS.add("last", always_the_last)
    finally:
        del SELECTIONS._kernels["last"]


def test_a_rule_of_selection_with_other_arguments_is_refused_with_those_that_it_gets():
    @kernel
    def without_a_generator(tree, settings, work, state, node, level):
        return np.int64(tree.first[node])

    with pytest.raises(InputError, match=r"'mine'.*\(tree, settings, work, state, node, level, rng\)"):
        SELECTIONS.add("mine", without_a_generator)
    assert "mine" not in SELECTIONS


@kernel
def thompson(tree, settings, work, state, node, level, rng):
    """Thompson sampling: the child with the highest draw from the normal approximation of its value's distribution."""
    first = np.int64(tree.first[node])
    best, highest = first, -np.inf
    for child in range(first, first + tree.children[node]):
        n = np.float64(tree.visits[child] + settings.virtual * tree.pending[child])
        value = (tree.total[child] / UNIT + 0.5) / (n + 1.0)
        normal = np.sqrt(-2.0 * np.log(1.0 - uniform(rng))) * np.cos(2.0 * np.pi * uniform(rng))
        drawn = value + normal * 0.5 / np.sqrt(n + 1.0)
        if drawn > highest:
            best, highest = child, drawn
    return best


def test_thompson_sampling_draws_from_the_search_s_generator(monkeypatch):
    monkeypatch.setitem(SELECTIONS._kernels, "thompson", thompson)
    settings = MctsSettings(**SMALL, selection="thompson")
    searches = [TreeSearch(seen(), settings, seed) for seed in (1, 1, 2)]
    for search in searches:
        search.run(300)
        assert min(c.visits for c in search.candidates()) > 50, "it explores"
    assert found(searches[0]) == found(searches[1]) != found(searches[2])
    agents = [MctsAgent(seed, 60, **SMALL, selection="thompson") for seed in (4, 5)]
    game = Game("world", seed=5, picks="random")
    for _ in range(6):
        game.play_round([agent.act(game.view(seat)) for seat, agent in enumerate(agents)])  # raises at illegal orders
    assert game.round == 6


CAPACITY = 40


@numba.njit
def every_region(context, position, player, rng, work, turns):
    """All of the income on each of the player's regions in turn, and no attacks; more than nine turns."""
    income, count = context.params.base_income, 0
    for r in range(position.owner.shape[0]):
        if position.owner[r] == player and count < turns.counts.shape[0]:
            for q in range(position.owner.shape[0]):
                turns.deploy[count, q] = 0
            turns.deploy[count, r] = income
            turns.counts[count] = 0
            count += 1
    return count


@pytest.mark.parametrize("players", [2, 4])
def test_generators_may_write_more_than_nine_turns(players):
    game = played(players)
    owner = [r % players for r in range(42)]
    view = position(Game("world", Rules.of("thesis", picks=1), players=players), owner, [5] * 42).view(0)
    expected = sum(by == 0 for by in owner)
    assert game.players == players and expected > 9
    functions = Functions(generator=every_region, capacity=CAPACITY)
    settings = MctsSettings(**SMALL, playout="one_ply", breadth=0)
    for kind, chosen in ((TreeSearch, settings), (FlatSearch, FlatSettings(samples=3, rounds=2))):
        search = kind(view, chosen, 1, functions)
        search.run(60)
        assert len(search.candidates()) == expected
        assert sum(c.visits for c in search.candidates()) == 60
    with pytest.raises(AnswerError, match=r"number of turns must be in 1 \.\. 9"):
        TreeSearch(view, settings, 1, Functions(generator=too_many))


@numba.njit
def too_many(context, position, player, rng, work, turns):
    return turns.counts.shape[0] + 1


@pytest.mark.parametrize("capacity", [0, 10_001, True, 2.5])
def test_a_capacity_that_cannot_be(capacity):
    with pytest.raises(PlugInError, match="capacity = "):
        Functions(generator=every_region, capacity=capacity)
    with pytest.raises(PlugInError, match="only a custom generator can have a capacity"):
        Functions(capacity=12)


def test_an_answer_of_ones_own_is_known_by_its_name(monkeypatch):
    monkeypatch.setitem(FINAL_MOVE_RULES, "worst", lambda candidates, rng: sorted(candidates, key=lambda c: c.value))
    agent = MctsAgent(1, 60, final_move="worst", **SMALL)
    agent.act(seen())
    values = [candidate.value for candidate in agent.last_search().record.candidates]
    assert values == sorted(values)
    with pytest.raises(InputError, match="worst"):
        MctsAgent(1, 60, final_move="wrost", **SMALL)


def test_answers_are_drawn_in_proportion_to_visits():
    candidates = [Candidate(Orders([(i, 1)]), visits, 0.5) for i, visits in enumerate((10, 60, 0, 30))]
    rng = np.random.default_rng(1)
    drawn = Counter(FINAL_MOVE_RULES["mixture"](candidates, rng)[0].visits for _ in range(4000))
    assert set(drawn) == {10, 30, 60}
    for visits, times in drawn.items():
        assert abs(times / 4000 - visits / 100) < 4 * np.sqrt(visits / 100 * (1 - visits / 100) / 4000)
    assert [c.visits for c in FINAL_MOVE_RULES["robust"](candidates, rng)] == [60, 30, 10, 0]
    agents = [MctsAgent(seed, 60, final_move="mixture", **SMALL) for seed in range(12)]
    answers = [str(agent.act(seen())) for agent in agents]
    assert len(set(answers)) > 1, "two turns of about as many visits"
    assert str(MctsAgent(3, 60, final_move="mixture", **SMALL).act(seen())) == answers[3], "by the seed"


def test_what_a_leaf_function_cannot_answer_is_named():
    @numba.njit
    def too_much(context, positions, count, shares):
        for k in range(count):
            for p in range(context.players):
                shares[k, p] = 0.75

    @numba.njit
    def no_number(context, positions, count, shares):
        for k in range(count):
            for p in range(context.players):
                shares[k, p] = np.nan

    @numba.njit
    def unlikely(context, position, player, turns, count, likely):
        for j in range(count):
            likely[j] = -1.0

    settings = MctsSettings(**SMALL)
    with pytest.raises(AnswerError, match=r"leaf 'too_much'.*position 0: the shares of 2 players add up to 1.5"):
        TreeSearch(seen(), settings, 1, Functions(leaf=too_much))
    with pytest.raises(AnswerError, match=r"position 0: nan for player 0"):
        TreeSearch(seen(), settings, 1, Functions(leaf=no_number))
    with pytest.raises(AnswerError, match=r"prior 'unlikely'.*turn 0: -1.0"):
        TreeSearch(seen(), settings, 1, Functions(prior=unlikely))

    def fails(context, positions, count, shares):
        raise LookupError("no such network")

    with pytest.raises(LookupError, match="no such network"):
        TreeSearch(seen(), settings, 1, Functions(leaf=fails))


def test_a_leaf_function_keeps_what_it_was_given():
    """In Python it may keep positions: they are its own."""
    kept: list[Position] = []

    def keeping(context, positions, count, shares):
        kept.append(positions)
        positions.owner[...] = 0
        shares[...] = 1 / context.players

    with pytest.warns(RuntimeWarning, match="plain Python"):
        search = TreeSearch(seen(), MctsSettings(**SMALL, leaf_batch=3), 1, Functions(leaf=keeping))
    search.run(30)
    assert kept and all((positions.owner == 0).all() for positions in kept)
    assert position(Game(RING), [0] * 3 + [1] * 3, [1] * 6).winner is None


@numba.njit
def writes_to_turns(context, position, player, turns, count, likely):
    for j in range(count):
        likely[j] = 1.0
        turns.counts[j] = 100_000


def test_a_prior_that_writes_to_the_turns_does_no_harm():
    with pytest.raises(AnswerError, match=r"prior 'writes_to_turns'.*turn 0: 100000 attacks"):
        TreeSearch(seen(), MctsSettings(**SMALL), 1, Functions(prior=writes_to_turns))


@pytest.mark.parametrize("leaves", [1, 4])
def test_leaf_parallel_takes_one_leaf_at_a_time(leaves):
    search = TreeSearch(seen(), MctsSettings(**SMALL, parallel="leaf", threads=3, leaf_batch=leaves), 1)
    search.run(60)
    tree = search.trees[0].tree
    assert not tree.pending.any() and tree.visits[0] == 60
    other = TreeSearch(seen(), MctsSettings(**SMALL, parallel="leaf", threads=3), 1)
    other.run(60)
    assert found(search) == found(other)


@numba.njit
def one_turn(context, position, player, rng, work, turns):
    for q in range(position.owner.shape[0]):
        turns.deploy[0, q] = 0
    turns.counts[0] = 0
    return 1


@pytest.mark.parametrize("selection", ["uct", "duct", "puct"])
def test_starting_regions_are_searched_whatever_the_generator_and_the_priors(selection):
    picking = Game("world", seed=7).view(0)
    settings = MctsSettings(**SMALL, picks="search", selection=selection)
    functions = Functions(generator=one_turn, capacity=1, prior=prefers_the_first)
    new, used = (TreeSearch(view, settings, 1, functions) for view in (picking, seen()))
    used.run(100)
    used.begin(picking, 1)
    for search in (new, used):
        search.run(150)
        tree = search.trees[0].tree
        first, count = int(tree.first[0]), int(tree.children[0])
        assert count == 9 and tree.prior[first : first + count].tolist() == pytest.approx([1 / 9] * 9)
    assert found(new) == found(used)
    assert [c.picks for c in new.candidates()] == [c.picks for c in used.candidates()]


def test_a_generator_of_many_turns_needs_memory():
    functions = Functions(generator=one_turn, capacity=1000)
    with pytest.raises(InputError, match=r"memory = 16: must be at least \d+ MiB, .* up to 1000 turns"):
        TreeSearch(seen(), MctsSettings(**SMALL, memory=16), 1, functions)
