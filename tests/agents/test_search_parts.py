"""Parts of searches: batches of leaves, priors, selection rules, final moves and larger sets of candidate turns."""

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
def game_after_five_rounds(players: int) -> Game:
    """Return a game after five rounds. Tests must not change it."""
    game = Game("world", seed=7, picks="random", players=players)
    for _ in range(5):
        game.play_round([make_agent("aggressive", p).act(game.view(p)) for p in range(players)])
    return game


@functools.cache
def first_view() -> View:
    """Return the view of player 0 in `game_after_five_rounds(2)`."""
    return game_after_five_rounds(2).view(0)


def results(search):
    record = search.statistics()
    return record.simulations, record.nodes, [(str(c.orders), c.picks, c.visits, c.total) for c in record.candidates]


@numba.njit
def by_regions(context, positions, count, shares):
    """A leaf function: each player's fraction of the owned regions."""
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
    """The evaluation with the same values as `by_regions`."""
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
def test_batched_leaf_values_equal_single_evaluations(players, leaves):
    view, settings = game_after_five_rounds(players).view(1), MctsSettings(**SMALL, outcome="single", leaf_batch=leaves)
    searches = [
        TreeSearch(view, settings, 3, functions)
        for functions in (Functions(leaf=by_regions), Functions(one_by_regions))
    ]
    for search in searches:
        search.run(203)
    assert results(searches[0]) == results(searches[1])


def test_the_leaf_function_gets_batches_of_the_requested_size():
    sizes, rounds = [], []

    def record(context, positions, count, shares):
        assert len(positions.owner) == count == len(positions.round)
        sizes.append(count)
        rounds.extend(positions.round.tolist())
        shares[:count] = 0.5

    with pytest.warns(RuntimeWarning, match="plain Python"):
        search = TreeSearch(
            first_view(), MctsSettings(**{**SMALL, "rounds": 0}, leaf_batch=16), 1, Functions(leaf=record)
        )
    sizes.clear(), rounds.clear()
    search.run(100)
    assert sum(sizes) == 100 == search.simulations and max(sizes) == 16
    assert len(sizes) == 7 and min(rounds) > first_view().round, "positions know what round it is"
    tree = search.trees[0].tree
    assert not tree.pending.any() and tree.visits[0] == 100


@pytest.mark.parametrize("more", [{}, {"parallel": "tree", "threads": 2}, {"parallel": "lock", "threads": 2}])
def test_concurrent_simulations_diverge_and_are_counted_once(more):
    search = TreeSearch(first_view(), MctsSettings(**SMALL, leaf_batch=5, **more), 1)
    search.run(1)
    search.run(5)
    assert sorted(c.visits for c in search.candidates())[-5:] != [0, 0, 0, 0, 6]
    search.run(300)
    tree = search.trees[0].tree
    assert tree.visits[0] == 306 == sum(c.visits for c in search.candidates()) and not tree.pending.any()


def test_leaves_without_playouts_have_the_share_of_their_position():
    """Without playouts, the value of a leaf is the share of its position."""
    settings = MctsSettings(**{**SMALL, "rounds": 0}, outcome="single")
    search = TreeSearch(first_view(), settings, 1)
    count = len(TreeSearch(first_view(), settings, 1).candidates()) or 9
    search.run(count)
    tree, context = search.trees[0].tree, make_context(first_view().board, first_view().params, 2, DEFAULT)
    from warlight_env.agents.evaluation.static_evaluation import position_share
    from warlight_env.engine.position import make_position, unpack

    for child in range(tree.first[0], tree.first[0] + tree.children[0]):
        valued = [r for r in range(tree.first[child], tree.first[child] + tree.children[child]) if tree.visits[r] == 1]
        for node in valued:
            if tree.children[node] <= 0:
                state = make_position(first_view().board.n_regions)
                unpack(tree.states[tree.state[node]], state)
                theirs = shares_of(position_share, context, state)[1]
                assert tree.total[node] / 2**31 == pytest.approx(theirs, abs=1e-6)


@numba.njit
def prefers_the_first(context, position, player, turns, count, likely):
    for j in range(count):
        likely[j] = 0.0
    likely[0] = 3.0


@pytest.mark.parametrize("players", [2, 4])
def test_priors_direct_the_search(players):
    settings = MctsSettings(**SMALL, selection="puct", exploration=50.0)
    search = TreeSearch(game_after_five_rounds(players).view(1), settings, 1, Functions(prior=prefers_the_first))
    search.run(60)
    tree = search.trees[0].tree
    first, count = int(tree.first[0]), int(tree.children[0])
    assert tree.prior[first : first + count].tolist() == [1.0] + [0.0] * (count - 1)
    assert tree.visits[first] == 60 and search.candidates()[0].visits == 60
    node = first
    for _ in range(players - 1):  # the turns of every player have priors
        assert tree.prior[tree.first[node]] == 1.0
        node = int(tree.first[node])
    even = TreeSearch(game_after_five_rounds(players).view(1), settings, 1)
    even.run(60)
    assert max(c.visits for c in even.candidates()) < 45


def test_puct_selects_by_its_formula():
    """The expected choice follows from the formula and the visits and values in the tree."""
    search = TreeSearch(first_view(), MctsSettings(**SMALL, selection="puct", exploration=1.5), 1)
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


def test_users_can_add_a_selection_rule_once():
    @kernel
    def always_the_last(tree, settings, work, state, node, level, rng):
        return np.int64(tree.first[node]) + np.int64(tree.children[node]) - 1

    SELECTIONS.add("last", always_the_last)
    try:
        search = TreeSearch(first_view(), MctsSettings(**SMALL, selection="last"), 1)
        search.run(50)
        tree = search.trees[0].tree
        visits = tree.visits[tree.first[0] : tree.first[0] + tree.children[0]].tolist()
        assert visits == [0] * (len(visits) - 1) + [50]
        with pytest.raises(InputError, match="'last' already"):
            SELECTIONS.add("last", always_the_last)
    finally:
        del SELECTIONS._kernels["last"]


def test_a_selection_rule_with_a_wrong_signature_raises_an_error():
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
    searches = [TreeSearch(first_view(), settings, seed) for seed in (1, 1, 2)]
    for search in searches:
        search.run(300)
        assert min(c.visits for c in search.candidates()) > 50, "it explores"
    assert results(searches[0]) == results(searches[1]) != results(searches[2])
    agents = [MctsAgent(seed, 60, **SMALL, selection="thompson") for seed in (4, 5)]
    game = Game("world", seed=5, picks="random")
    for _ in range(6):
        game.play_round([agent.act(game.view(seat)) for seat, agent in enumerate(agents)])  # rejects illegal orders
    assert game.round == 6


CAPACITY = 40


@numba.njit
def every_region(context, position, player, rng, work, turns):
    """A generator of more than nine turns: each deploys the whole income on another region and does not attack."""
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
    game = game_after_five_rounds(players)
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
def test_an_invalid_capacity_raises_an_error(capacity):
    with pytest.raises(PlugInError, match="capacity = "):
        Functions(generator=every_region, capacity=capacity)
    with pytest.raises(PlugInError, match="only a custom generator can have a capacity"):
        Functions(capacity=12)


def test_users_can_add_a_final_move_rule(monkeypatch):
    monkeypatch.setitem(FINAL_MOVE_RULES, "worst", lambda candidates, rng: sorted(candidates, key=lambda c: c.value))
    agent = MctsAgent(1, 60, final_move="worst", **SMALL)
    agent.act(first_view())
    values = [candidate.value for candidate in agent.last_search().record.candidates]
    assert values == sorted(values)
    with pytest.raises(InputError, match="worst"):
        MctsAgent(1, 60, final_move="wrost", **SMALL)


def test_the_mixture_rule_samples_in_proportion_to_visits():
    candidates = [Candidate(Orders([(i, 1)]), visits, 0.5) for i, visits in enumerate((10, 60, 0, 30))]
    rng = np.random.default_rng(1)
    drawn = Counter(FINAL_MOVE_RULES["mixture"](candidates, rng)[0].visits for _ in range(4000))
    assert set(drawn) == {10, 30, 60}
    for visits, times in drawn.items():
        assert abs(times / 4000 - visits / 100) < 4 * np.sqrt(visits / 100 * (1 - visits / 100) / 4000)
    assert [c.visits for c in FINAL_MOVE_RULES["robust"](candidates, rng)] == [60, 30, 10, 0]
    agents = [MctsAgent(seed, 60, final_move="mixture", **SMALL) for seed in range(12)]
    answers = [str(agent.act(first_view())) for agent in agents]
    assert len(set(answers)) > 1, "two turns of about as many visits"
    assert str(MctsAgent(3, 60, final_move="mixture", **SMALL).act(first_view())) == answers[3], "by the seed"


def test_invalid_results_of_leaf_functions_and_priors_raise_an_error():
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
        TreeSearch(first_view(), settings, 1, Functions(leaf=too_much))
    with pytest.raises(AnswerError, match=r"position 0: nan for player 0"):
        TreeSearch(first_view(), settings, 1, Functions(leaf=no_number))
    with pytest.raises(AnswerError, match=r"prior 'unlikely'.*turn 0: -1.0"):
        TreeSearch(first_view(), settings, 1, Functions(prior=unlikely))

    def fails(context, positions, count, shares):
        raise LookupError("no such network")

    with pytest.raises(LookupError, match="no such network"):
        TreeSearch(first_view(), settings, 1, Functions(leaf=fails))


def test_a_python_leaf_function_may_keep_and_change_its_positions():
    """The positions are copies."""
    kept: list[Position] = []

    def keep_positions(context, positions, count, shares):
        kept.append(positions)
        positions.owner[...] = 0
        shares[...] = 1 / context.players

    with pytest.warns(RuntimeWarning, match="plain Python"):
        search = TreeSearch(first_view(), MctsSettings(**SMALL, leaf_batch=3), 1, Functions(leaf=keep_positions))
    search.run(30)
    assert kept and all((positions.owner == 0).all() for positions in kept)
    assert position(Game(RING), [0] * 3 + [1] * 3, [1] * 6).winner is None


@numba.njit
def writes_to_turns(context, position, player, turns, count, likely):
    for j in range(count):
        likely[j] = 1.0
        turns.counts[j] = 100_000


def test_a_prior_that_writes_to_the_turns_raises_an_error():
    with pytest.raises(AnswerError, match=r"prior 'writes_to_turns'.*turn 0: 100000 attacks"):
        TreeSearch(first_view(), MctsSettings(**SMALL), 1, Functions(prior=writes_to_turns))


@pytest.mark.parametrize("leaves", [1, 4])
def test_leaf_parallelization_ignores_the_leaf_batch(leaves):
    search = TreeSearch(first_view(), MctsSettings(**SMALL, parallel="leaf", threads=3, leaf_batch=leaves), 1)
    search.run(60)
    tree = search.trees[0].tree
    assert not tree.pending.any() and tree.visits[0] == 60
    other = TreeSearch(first_view(), MctsSettings(**SMALL, parallel="leaf", threads=3), 1)
    other.run(60)
    assert results(search) == results(other)


@numba.njit
def one_turn(context, position, player, rng, work, turns):
    for q in range(position.owner.shape[0]):
        turns.deploy[0, q] = 0
    turns.counts[0] = 0
    return 1


@pytest.mark.parametrize("selection", ["uct", "duct", "puct"])
def test_pick_search_does_not_depend_on_the_generator_and_the_prior(selection):
    picking = Game("world", seed=7).view(0)
    settings = MctsSettings(**SMALL, picks="search", selection=selection)
    functions = Functions(generator=one_turn, capacity=1, prior=prefers_the_first)
    new, used = (TreeSearch(view, settings, 1, functions) for view in (picking, first_view()))
    used.run(100)
    used.begin(picking, 1)
    for search in (new, used):
        search.run(150)
        tree = search.trees[0].tree
        first, count = int(tree.first[0]), int(tree.children[0])
        assert count == 9 and tree.prior[first : first + count].tolist() == pytest.approx([1 / 9] * 9)
    assert results(new) == results(used)
    assert [c.picks for c in new.candidates()] == [c.picks for c in used.candidates()]


def test_a_large_capacity_with_little_memory_raises_an_error():
    functions = Functions(generator=one_turn, capacity=1000)
    with pytest.raises(InputError, match=r"memory = 16: must be at least \d+ MiB, .* up to 1000 turns"):
        TreeSearch(first_view(), MctsSettings(**SMALL, memory=16), 1, functions)
