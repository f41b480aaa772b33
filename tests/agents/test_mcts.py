"""Tree search: statistics, choices compared with exact ones, budgets, threads and user-defined functions."""

from __future__ import annotations

import dataclasses
import statistics
import threading
import time

import numba
import numpy as np
import pytest

from helpers import RING, make_map, midgame, position, shares_of
from warlight_env import Game, Orders, Rules, maps
from warlight_env.agents import AgentError, Budget, make_agent
from warlight_env.agents.evaluation.static_evaluation import position_share
from warlight_env.agents.players.mcts import THESIS_SETTINGS, MctsAgent, MctsSettings, TreeSearch
from warlight_env.agents.players.mcts.tree import NODES, clear, load_turn, make_tree, store_turn
from warlight_env.agents.plug_ins.functions import Functions, PlugInError, make_context
from warlight_env.agents.search.outcome import OUTCOMES, make_samples
from warlight_env.agents.search.simulation import UNIT
from warlight_env.agents.weights import THESIS, WeightsError
from warlight_env.arena import Match
from warlight_env.engine.board import make_board
from warlight_env.engine.position import make_position, unpack
from warlight_env.engine.rng import make_rng
from warlight_env.errors import InputError

SMALL = {"samples": 3, "rounds": 2}


def view(map_, owner, army, player=0, **rules):
    return position(Game(map_, Rules.of("thesis", picks=1, offers_per_super_region=0, **rules)), owner, army).view(
        player
    )


def searched(simulations=200, seen=None, seed=1, **settings) -> TreeSearch:
    search = TreeSearch(midgame().view(0) if seen is None else seen, MctsSettings(**{**SMALL, **settings}), seed)
    search.run(simulations)
    return search


# The tree


def check_tree(tree) -> None:
    """Check that visits add up and that every value is within its bounds."""
    nodes = int(tree.counters[NODES])
    seen = 1
    for node in range(nodes):
        first, count = int(tree.first[node]), max(0, int(tree.children[node]))
        assert 0 <= tree.total[node] <= UNIT * int(tree.visits[node])
        assert tree.pending[node] == 0
        seen += count
        below = int(tree.visits[first : first + count].sum())
        if node == 0:
            assert below == tree.visits[0], "each simulation goes through one of our turns"
        elif count:
            assert tree.visits[node] - below in (0, 1) or tree.winner[node] >= 0
    assert seen == nodes, "every node is somebody's child"


def test_every_simulation_is_counted_once():
    search = searched(300)
    tree = search.trees[0].tree
    check_tree(tree)
    assert tree.visits[0] == search.simulations == 300
    candidates = search.candidates()
    assert sum(c.visits for c in candidates) == 300
    assert [c.visits for c in candidates] == sorted((c.visits for c in candidates), reverse=True)
    ours = int(tree.total[tree.first[0] : tree.first[0] + tree.children[0]].sum())
    assert ours + int(tree.total[0]) == 300 * UNIT, "our nodes add 1 - value, the root adds the value"


def test_each_turn_is_visited_once_before_any_second_visit():
    seen = midgame().view(0)
    n = len(searched(1).candidates())
    assert n > 1
    for k in range(1, n + 1):
        assert sorted(c.visits for c in searched(k, seen).candidates()) == [0] * (n - k) + [1] * k


def test_stored_turns_are_loaded_unchanged():
    board = make_board(maps.load("world"))
    tree = make_tree(board.n_regions, board.n_edges, 400)
    clear(tree)
    rng = np.random.default_rng(1)
    kept = []
    for _ in range(20):
        deploy = (rng.integers(0, 9, 42) * (rng.random(42) < 0.1)).astype(np.int32)
        edges = rng.choice(board.n_edges, 12, replace=False)
        rows = [board.edge_source[edges], board.edge_target[edges], rng.integers(1, 10**6, 12)]
        attacks = np.stack(rows, 1).astype(np.int32)
        kept.append((store_turn(board, tree, deploy, attacks, 12), deploy, attacks))
    for turn, deploy, attacks in kept:
        again, rows = np.zeros(42, dtype=np.int32), np.zeros((board.n_edges, 3), dtype=np.int32)
        assert load_turn(board, tree, turn, again, rows) == 12
        assert np.array_equal(again, deploy) and np.array_equal(rows[:12], attacks)


def test_the_search_continues_with_a_full_tree():
    search = searched(1, memory=1)
    tree = search.trees[0].tree
    room = len(tree.visits)
    search.run(4000)
    record = search.statistics()
    assert record.full == (True,) and record.nodes[0] <= room
    assert tree.visits[0] == 4001
    assert sum(c.visits for c in search.candidates()) == 4001


# The next state


def outcome_shares(choice: str, seed: int, samples: int = 15) -> tuple[list[float], float]:
    """Return the shares of all sampled outcomes of a round, and the share of the chosen outcome."""
    seen = view(RING, [0, 0, 1, 1, 1, -1], [20, 9, 8, 9, 3, 4])
    context, after = make_context(seen.board, seen.params, 2, THESIS), seen.position
    sampled = make_samples(6, seen.board.n_edges, 2, samples)
    sampled.round.attacks[0, 0], sampled.round.counts[0] = (1, 2, 8), 1
    sampled.round.attacks[1, 0], sampled.round.counts[1] = (3, 0, 8), 1
    OUTCOMES[choice](context, after, 0, sampled, make_rng(seed))
    assert after.round[0] == seen.round + 1
    return sorted(sampled.share.tolist()), shares_of(position_share, context, after)[0]


@pytest.mark.parametrize("seed", range(5))
def test_the_chosen_outcome_has_the_median_minimal_or_maximal_share(seed):
    shares, chosen = outcome_shares("realistic", seed)
    assert chosen == pytest.approx(statistics.median(shares)) and len(set(shares)) > 3
    shares, chosen = outcome_shares("pessimistic", seed)
    assert chosen == pytest.approx(shares[0])
    shares, chosen = outcome_shares("optimistic", seed)
    assert chosen == pytest.approx(shares[-1])


def test_the_rule_outcome_is_pessimistic_if_a_super_region_can_be_lost():
    """Player 0 owns super region 0. An attack by 45 armies on region 0 succeeds in some outcomes."""
    both = set()
    for seed in range(10):
        seen = view(RING, [0, 0, 0, 1, 1, 1], [33, 5, 5, 60, 5, 5])
        context, after = make_context(seen.board, seen.params, 2, THESIS), seen.position
        sampled = make_samples(6, seen.board.n_edges, 2, 15)
        sampled.round.attacks[1, 0], sampled.round.counts[1] = (3, 0, 45), 1
        OUTCOMES["rule"](context, after, 0, sampled, make_rng(seed))
        lost = [int(o[0]) == 1 for o in sampled.plays.owner]
        chosen = shares_of(position_share, context, after)[0]
        expected = sampled.share.min() if any(lost) else statistics.median(sampled.share.tolist())
        assert chosen == pytest.approx(expected)
        both.add(any(lost))
    assert both == {True, False}


# Selection


def test_duct_selects_replies_by_their_mean_value_over_all_turns():
    """The reply with the highest mean value over our turns has the most visits, unless all values are nearly equal."""
    search = searched(400, selection="duct", exploration=0.2)
    tree = search.trees[0].tree
    check_tree(tree)
    first, ours = int(tree.first[0]), int(tree.children[0])
    replies = int(tree.children[first])
    visits = np.array([[tree.visits[tree.first[first + i] + j] for j in range(replies)] for i in range(ours)])
    totals = np.array([[tree.total[tree.first[first + i] + j] for j in range(replies)] for i in range(ours)])
    values = totals.sum(0) / UNIT / visits.sum(0)
    assert visits.sum() == 400 and replies > 1
    assert visits.sum(0)[values.argmax()] >= visits.sum(0).max() - 1 or np.ptp(values) < 0.02
    assert not same(search, searched(400, exploration=0.2))


# Final moves


def test_the_search_finds_a_win_in_one_round():
    """Player 1 has one region with one army beside 60 of ours. Nearly every turn wins, and the chosen one must."""
    seen = view(RING, [0, 0, 0, 1, 0, 0], [60, 2, 2, 1, 2, 2])
    turn = searched(100, seen).best()
    assert any(target == 3 for _, target, _ in turn.attacks)


def test_values_are_shares_of_the_searching_player():
    strong = searched(100, view(RING, [0, 0, 0, 0, 0, 1], [9, 9, 9, 9, 9, 2]))
    weak = searched(100, view(RING, [1, 1, 1, 1, 1, 0], [9, 9, 9, 9, 9, 2]))
    assert strong.candidates()[0].value > 0.9 and weak.candidates()[0].value < 0.1


@pytest.mark.parametrize("final", ["robust", "max", "secure", "max_robust"])
def test_final_moves_follow_their_definition(final):
    search = searched(200, final_move=final)
    candidates = search.candidates()
    first, visited = candidates[0], [c for c in candidates if c.visits]
    if final == "max":
        assert first.value == max(c.value for c in visited)
    elif final == "secure":
        bounds = [c.value - c.visits**-0.5 for c in visited]
        assert first.value - first.visits**-0.5 == max(bounds)
    else:
        assert first.visits == max(c.visits for c in visited)
    assert search.best() == first.orders


# Budgets


@pytest.mark.parametrize("simulations", [1, 2, 7, 100])
def test_budgets_in_simulations_are_exact(simulations):
    agent = MctsAgent(seed=1, sims=simulations, **SMALL)
    agent.act(midgame().view(0))
    assert agent.simulations == simulations
    agent.act(midgame().view(0), Budget(simulations=5))
    assert agent.simulations == 5


class Stopwatch:
    """A replacement of `time.perf_counter` that counts only the time of `slow_evaluation`."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


STOPWATCH = Stopwatch()


def slow_evaluation(context, position, shares):
    """An evaluation that takes a millisecond of `STOPWATCH`."""
    STOPWATCH.now += 0.001
    for player in range(context.players):
        shares[player] = (position.owner == player).sum() / (position.owner >= 0).sum()


@pytest.fixture
def stopwatch(monkeypatch) -> Stopwatch:
    """The clock of the searches in a test."""
    monkeypatch.setattr(time, "perf_counter", STOPWATCH)
    return STOPWATCH


@pytest.mark.filterwarnings("ignore:.*plain Python:RuntimeWarning")
def test_the_search_uses_its_budget_in_seconds(stopwatch):
    search = TreeSearch(midgame().view(0), MctsSettings(**SMALL), 1, Functions(evaluation=slow_evaluation))
    start = stopwatch.now
    search.run(seconds=0.3)
    assert search.simulations > 10 and 0.3 <= stopwatch.now - start < 0.32


# Local search reserves as much time for the evaluation of its result as its first evaluation took.
@pytest.mark.filterwarnings("ignore:.*plain Python:RuntimeWarning")
@pytest.mark.parametrize(
    ("final_move", "local_search", "least"), [("robust", 0.0, 4.0), ("robust", 0.5, 3.0), ("max_robust", 0.5, 3.0)]
)
def test_a_turn_ends_at_its_time_limit(stopwatch, final_move, local_search, least):
    agent = MctsAgent(
        seed=1, secs=4.0, final_move=final_move, local_search=local_search, evaluation=slow_evaluation, **SMALL
    )
    start = stopwatch.now
    agent.act(midgame().view(0))
    assert least <= stopwatch.now - start < 4.1
    assert agent.search.simulations > 10 and (agent.search.trials > 0) == (local_search > 0)
    start = stopwatch.now
    agent.act(midgame().view(0), Budget(seconds=1e-6))
    assert agent.search.simulations <= 1, "no time left: any turn will do"


def test_another_thread_can_stop_the_search():
    search = searched(10)
    running = threading.Thread(target=search.run, args=(10**9,))
    running.start()
    while search.simulations < 50:
        time.sleep(0.001)
    search.stop()
    running.join(timeout=30)
    assert not running.is_alive()
    assert isinstance(search.best(), Orders)


def test_a_new_search_has_a_legal_turn():
    search = TreeSearch(midgame().view(0), MctsSettings(**SMALL))
    assert isinstance(search.best(), Orders), "before anything was searched"
    assert midgame().check(0, search.best()) == []


def test_a_search_stopped_before_its_first_simulation_has_a_legal_turn():
    search = TreeSearch(midgame().view(0), MctsSettings(**SMALL))
    search.stop()
    search.run(simulations=10)
    assert search.simulations == 0 and midgame().check(0, search.best()) == []


# Determinism


def same(one: TreeSearch, other: TreeSearch) -> bool:
    pairs = [[(c.orders, c.visits, c.total) for c in search.candidates()] for search in (one, other)]
    return pairs[0] == pairs[1]


def test_equal_seeds_give_equal_searches():
    assert same(searched(300, seed=5), searched(300, seed=5))
    assert not same(searched(300, seed=5), searched(300, seed=6))


def test_root_parallel_trees_do_not_depend_on_threads():
    one = searched(150, threads=1, trees=3)
    assert same(one, searched(150, threads=2, trees=3)) and same(one, searched(150, threads=3, trees=3))
    assert one.simulations == 450
    assert sum(c.visits for c in one.candidates()) == 450, "equal turns of the trees are merged"


@pytest.mark.parametrize("parallel", ["tree", "lock", "leaf"])
def test_a_tree_shared_by_two_threads_has_consistent_statistics(parallel):
    for seed in range(3):
        search = searched(400, parallel=parallel, threads=2, seed=seed)
        tree = search.trees[0].tree
        assert search.simulations == 400 == tree.visits[0]
        assert sum(c.visits for c in search.candidates()) == 400
        assert not tree.pending.any() and (tree.children >= 0).all() and (tree.state >= -1).all()
        assert midgame().check(0, search.best()) == []


# Strength and presets of rules


def test_the_search_beats_random_turns_of_its_generator():
    result = Match(("mcts:sims=60,samples=5,rounds=5", "smart_random"), games=12, seed=3, map="small").run()
    assert result.agents[0].wins >= 9


@pytest.mark.parametrize("preset", ["thesis", "thesis_draft", "challenge1", "challenge2"])
def test_the_search_plays_without_faults_under_every_preset(preset):
    match = Match(("mcts:sims=10", "mcts_no_defense:sims=10"), games=2, rules=preset, picks="agents", max_rounds=12)
    assert [agent.dropped for agent in match.run().agents] == [0, 0]


def test_the_search_works_under_fog_without_a_visible_enemy():
    seen = view(
        make_map([0] * 3 + [1] * 3, [(i, i + 1) for i in range(5)], [1, 1]), [0, -1, -1, -1, -1, 1], [5] * 6, fog=True
    )
    assert (seen.owner == -2).any() and not (seen.owner == 1).any()
    turn = searched(50, seen).best()
    assert turn.deploys == [(0, 5)] and turn.attacks[0][:2] == (0, 1)


# Starting regions


@pytest.mark.parametrize("preset", ["thesis", "challenge1", "challenge2"])
def test_the_search_ranks_distinct_sets_of_picks(preset):
    game = Game("world", preset, seed=3)
    seat = game.pickers()[0]
    seen = game.view(seat)
    search = searched(300, seen)
    check_tree(search.trees[0].tree)
    candidates = search.candidates()
    assert sum(c.visits for c in candidates) == 300 and len(candidates) == 9
    sets = {frozenset(c.picks[: seen.picks_left]) for c in candidates}
    assert len(sets) == 9, "each a set of its own"
    assert all(sorted(c.picks) == sorted(seen.offers) for c in candidates), "the rest of the offer comes after the set"
    assert search.best_picks() == list(candidates[0].picks)
    assert same(search, searched(300, seen)) and not same(search, searched(300, seen, seed=2))


def test_positions_after_the_picks_follow_the_rules():
    """Each player gets its number of regions. With separate offers, no player gets a region of the other's offer."""
    for preset in ("thesis", "challenge1", "challenge2"):
        game = Game("world", preset, seed=5)
        seen = game.view(game.pickers()[0])
        tree = searched(1, seen).trees[0].tree
        owner, army, _ = position_ = make_position(42)
        for i in range(int(tree.children[0])):
            our = int(tree.first[0]) + i
            for their in range(int(tree.first[our]), int(tree.first[our] + tree.children[our])):
                unpack(tree.states[tree.state[their]], position_)
                assert [int((owner == p).sum()) for p in (0, 1)] == [seen.picks_left] * 2
                assert np.array_equal(army, seen.army)
                if preset == "thesis":
                    assert set(np.flatnonzero(owner == seen.player)) <= set(seen.offers)
                    assert not set(np.flatnonzero(owner == 1 - seen.player)) & set(seen.offers)


def test_searched_picks_are_among_the_best_by_value():
    agent = make_agent("mcts:sims=400,samples=3,rounds=6,picks=search", 1)
    game = Game("world", seed=3)
    searched_for = agent.pick(game.view(0))
    values = {c.picks: c.value for c in agent.search.candidates()}
    best = max(values.values())
    assert values[tuple(searched_for)] >= best - 0.1
    assert best - min(values.values()) > 0.05, "sets differ in what they lead to"


# Invalid settings


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"simulations": 0}, "simulations"), ({"seconds": -1.0}, "seconds"), ({"exploration": float("nan")}, "expl"),
        ({"outcome": "best"}, "outcome = 'best'"), ({"final_move": "x"}, "final_move"), ({"parallel": "x"}, "parallel"),
        ({"threads": 0}, "threads"), ({"samples": 2.5}, "samples"), ({"selection": "x"}, "selection"),
        ({"turns": "x"}, "turns"), ({"picks": "x"}, "picks"),
    ],
)  # fmt: skip
def test_invalid_settings_raise_an_error(change, message):
    with pytest.raises(InputError, match=message):
        MctsSettings(**change)


def test_registry_parameters_set_the_search_settings():
    agent = make_agent("mcts:sims=9,c=0.65,threads=2,outcome=single,turns=thesis", 1)
    settings = agent.settings
    assert (settings.simulations, settings.exploration, settings.threads, settings.outcome) == (9, 0.65, 2, "single")
    assert settings.generators == 0b111_111 and make_agent("mcts_no_defense", 1).settings.generators == 0b1_001_101
    assert make_agent("pmcts", 1).settings.n_trees == 2
    thesis = make_agent("mcts_thesis:sims=9", 1).settings
    assert thesis == dataclasses.replace(THESIS_SETTINGS, simulations=9) and thesis.exploration == 1.41
    assert make_agent("mcts_thesis:c=1", 1).settings.exploration == 1
    with pytest.raises(AgentError, match="did you mean 'sims'"):
        make_agent("mcts:sim=9", 1)


# Plug-ins


def idle(context, position, player, rng, work, turns):
    """A generator of one turn without orders."""
    for r in range(position.owner.shape[0]):
        turns.deploy[0, r] = 0
    turns.counts[0] = 0
    return 1


@numba.njit
def count_regions(context, position, shares):
    shares[:] = 0.0
    for by in position.owner:
        if by >= 0:
            shares[by] += 1.0
    shares /= shares.sum()


def test_the_search_uses_the_given_functions():
    seen = midgame().view(0)
    search = TreeSearch(seen, MctsSettings(**SMALL), 1, Functions(generator=idle))
    search.run(20)
    assert [c.orders for c in search.candidates()] == [Orders([], [])]
    search = TreeSearch(seen, MctsSettings(samples=3, rounds=1), 1, Functions(evaluation=count_regions))
    search.run(200)
    shares = [c.value for c in search.candidates()]
    part = (seen.owner == 0).sum() / (seen.owner >= 0).sum()
    assert all(abs(value - part) < 0.25 for value in shares)


def test_plain_python_functions_work_and_warn():
    calls = []

    def slow(context, position, shares):
        calls.append(len(shares))
        for player in range(context.players):
            shares[player] = (position.owner == player).sum() / (position.owner >= 0).sum()

    with pytest.warns(RuntimeWarning, match="plain Python"):
        search = TreeSearch(midgame().view(0), MctsSettings(samples=1, rounds=1), 1, Functions(evaluation=slow))
    search.run(5)
    assert set(calls) == {2} and search.simulations == 5


def test_the_error_names_a_function_with_the_wrong_signature():
    @numba.njit
    def wrong(a, b):
        return a + b

    with pytest.raises(PlugInError, match="wrong"):
        TreeSearch(midgame().view(0), MctsSettings(**SMALL), 1, Functions(evaluation=wrong))


def test_statistics_convert_to_plain_data():
    record = searched(50).statistics()
    data = record.to_dict()
    assert data["simulations"] == [50] and sum(c["visits"] for c in data["candidates"]) == 50
    assert 1 <= record.shallowest[0] <= record.deepest[0]
    assert dataclasses.asdict(record)["nodes"] == tuple(data["nodes"])


def test_the_agent_reads_weights_once_at_construction(tmp_path):
    file, view = tmp_path / "weights.json", midgame().view(0)
    file.write_text('{"army": 50.0}')
    agent = MctsAgent(1, 20, weights=str(file), local_search=0.0)
    file.write_text("not weights any more")
    assert agent.act(view) == MctsAgent(1, 20, weights=THESIS._replace(army=50.0), local_search=0.0).act(view)
    with pytest.raises(WeightsError, match=r"weights\.json"):
        MctsAgent(1, 20, weights=str(file))
