"""Tree search for more than two players, compared with a Python search with the same turns, rounds and dice."""

from __future__ import annotations

import functools
import json
import math

import numpy as np
import pytest

from helpers import RING, position, shares_of
from warlight_env import Game, Rules
from warlight_env.agents.evaluation.static_evaluation import position_share
from warlight_env.agents.generators.turns import generate_turns, random_turn
from warlight_env.agents.players.flat import FlatSearch, FlatSettings
from warlight_env.agents.players.mcts import MctsSettings, TreeSearch
from warlight_env.agents.players.mcts.pick_search import answers_of_each
from warlight_env.agents.players.mcts.tree import NODES
from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.records.generator_work import make_generator_work, make_turn_set
from warlight_env.agents.search.leaves import MAX_DEPTH
from warlight_env.agents.search.lookahead import draw_by_rank, keep_best
from warlight_env.agents.search.outcome import OUTCOMES, make_samples
from warlight_env.agents.search.simulation import UNIT
from warlight_env.agents.search.simulation_utility import begin_eliminations, note_eliminations, write_placements
from warlight_env.arena import Match
from warlight_env.cli import main
from warlight_env.engine.position import Position, make_position, unpack
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.errors import InputError

SMALL = {"samples": 3, "rounds": 2}


@functools.cache
def midgame(players: int, name: str = "world", rounds: int = 3) -> Game:
    from warlight_env.agents import make_agent

    game = Game(name, seed=7, players=players, picks="random")
    for _ in range(rounds):
        game.play_round([make_agent("aggressive", p).act(game.view(p)) for p in range(players)])
    return game


def searched(players: int, simulations: int = 200, seed: int = 1, player: int = 1, **settings) -> TreeSearch:
    search = TreeSearch(midgame(players).view(player), MctsSettings(**{**SMALL, **settings}), seed)
    search.run(simulations)
    return search


# The same search in plain Python


class Node:
    """A node of the reference's tree; only nodes after the last player's turn have a state."""

    def __init__(self, turn=None):
        self.turn, self.visits, self.total = turn, 0, 0
        self.children, self.state, self.winner, self.lists = [], None, -1, None


class Reference:
    """The search with objects and lists. Each round has one level per player: the searching player, then by seat."""

    def __init__(self, view, settings, seed):
        self.view, self.settings, self.board = view, settings, view.board
        n, e, self.players = self.board.n_regions, self.board.n_edges, view.players
        self.context = make_context(self.board, view.params, self.players, settings.weights)
        self.work, self.samples = (
            make_generator_work(n, e, self.players),
            make_samples(n, e, self.players, settings.samples),
        )
        self.rng = make_rng(derive_seed(seed, 0, 0))
        self.root = Node()
        self.root.state = view.position
        self.order = [(view.player + k) % self.players for k in range(self.players)]

    def turns(self, state, player):
        found = make_turn_set(self.board.n_regions, self.board.n_edges)
        count = generate_turns(self.context, state, player, self.rng, self.work, found)
        return [(found.deploy[i].copy(), found.attacks[i, : found.counts[i]].copy()) for i in range(count)]

    def select(self, node, parent_visits):
        def merit(child):
            if child.visits == 0:
                return math.inf
            bonus = self.settings.exploration * math.sqrt(math.log(max(1, parent_visits)) / child.visits)
            return child.total / (UNIT * child.visits) + bonus

        return max(node.children, key=merit)

    def play(self, state, turns):
        after = Position(*(array.copy() for array in state))
        for player, (deploy, attacks) in turns.items():
            self.samples.round.deploy[player] = deploy
            self.samples.round.attacks[player, : len(attacks)] = attacks
            self.samples.round.counts[player] = len(attacks)
        winner = OUTCOMES[self.settings.outcome](self.context, after, self.view.player, self.samples, self.rng)
        return after, winner

    def simulate(self):
        node, path, winner = self.root, [self.root], -1
        while winner < 0:
            fresh = node.lists is None
            if fresh:
                node.lists = [self.turns(node.state, player) for player in self.order]
            top, chosen = node, {}
            for player, turns in zip(self.order, node.lists, strict=True):
                node.children = node.children or [Node(turn) for turn in turns]
                node = self.select(node, self.root.visits)
                chosen[player] = node.turn
                path.append(node)
            if node.state is None:
                node.state, node.winner = self.play(top.state, chosen)
            winner = node.winner
            if fresh:
                break
        values = self.worth(*self.play_out(node.state, winner))
        for i, node in enumerate(path):
            node.visits += 1
            node.total += values[self.order[(i - 1) % self.players]]

    def play_out(self, state, winner):
        for _ in range(self.settings.rounds):
            if winner >= 0:
                break
            turns = {}
            for player in range(self.players):
                deploy = np.zeros(self.board.n_regions, dtype=np.int32)
                attacks = np.zeros((self.board.n_edges, 3), dtype=np.int32)
                count = 0
                if self.players == 2 or (state[0] == player).any():
                    count = random_turn(self.context, state, player, self.rng, self.work, deploy, attacks)
                turns[player] = (deploy, attacks[:count])
            state, winner = self.play(state, turns)
        return state, winner

    def worth(self, state, winner):
        if winner >= 0:
            return [UNIT * (player == winner) for player in range(self.players)]
        shares = [int(share * UNIT) for share in shares_of(position_share, self.context, state)]
        shares[self.view.player] += UNIT - sum(shares)
        return shares


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_the_search_matches_the_reference(players):
    settings = MctsSettings(samples=3, rounds=2, exploration=0.3)
    view = midgame(players).view(1)
    reference = Reference(view, settings, seed=5)
    search = TreeSearch(view, settings, seed=5)
    for _ in range(150):
        reference.simulate()
    search.run(150)
    tree = search.trees[0].tree

    def compare(node, other):
        assert (int(tree.visits[node]), int(tree.total[node])) == (other.visits, other.total)
        if other.children:
            first = int(tree.first[node])
            assert tree.children[node] == len(other.children)
            for k, child in enumerate(other.children):
                compare(first + k, child)

    compare(0, reference.root)
    assert max(child.visits for child in reference.root.children) > 20


def test_the_search_matches_the_reference_with_an_eliminated_player():
    """One of four players is eliminated at the start. The search finds wins, and its totals are correct."""
    game = position(
        Game(RING, Rules.of("thesis", picks=1, offers_per_super_region=0), players=4),
        [0, 0, 2, 2, 1, 0],
        [30, 2, 2, 1, 1, 2],
    )
    settings = MctsSettings(samples=3, rounds=3)
    reference, search = Reference(game.view(0), settings, 2), TreeSearch(game.view(0), settings, 2)
    for _ in range(120):
        reference.simulate()
    search.run(120)
    tree = search.trees[0].tree
    assert [int(v) for v in tree.total[1 : 1 + tree.children[0]]] == [c.total for c in reference.root.children]
    assert search.candidates()[0].value > 0.5


# Statistics of the tree


def levels(search: TreeSearch) -> list[list[int]]:
    """Return the nodes below the root by level, to the end of the first round."""
    tree, found = search.trees[0].tree, [[0]]
    for _ in range(search.view.players):
        nodes = []
        for node in found[-1]:
            nodes += range(int(tree.first[node]), int(tree.first[node]) + max(0, int(tree.children[node])))
        found.append(nodes)
    return found[1:]


@pytest.mark.parametrize(
    "settings",
    [
        {}, {"selection": "duct"}, {"breadth": 2}, {"parallel": "tree", "threads": 2},
        {"parallel": "lock", "threads": 2}, {"parallel": "leaf", "threads": 2}, {"playout": "one_ply", "rounds": 1},
        {"playout": "weighted", "rounds": 1},
        {"playout": "two_ply", "rounds": 1}, {"outcome": "single"},
        {"parallel": "tree", "threads": 3, "selection": "duct"},
    ],
    ids=str,
)  # fmt: skip
def test_visits_and_shares_add_up_on_every_level(settings):
    search = searched(4, 60 if "playout" in settings else 300, **settings)
    tree, count = search.trees[0].tree, search.simulations
    total = 0
    for nodes in levels(search):
        assert sum(int(tree.visits[node]) for node in nodes) == count
        total += sum(int(tree.total[node]) for node in nodes)
    assert total == count * UNIT, "the players' shares of every simulation add up to 1"
    assert not tree.pending.any() and all(0 <= c.value <= 1 for c in search.candidates())
    assert midgame(4).check(1, search.best()) == []


def test_parallel_trees_are_merged_and_do_not_depend_on_threads():
    one, two = searched(4, 80, trees=2), searched(4, 80, trees=2, threads=2)
    assert one.simulations == 160 and one.candidates() == two.candidates()


def test_the_search_continues_if_the_tree_fills_within_a_round():
    search = searched(6, 1500, memory=1, rounds=1, samples=1)
    record = search.statistics()
    assert record.full == (True,) and record.nodes[0] <= len(search.trees[0].tree.visits)
    assert sum(c.visits for c in search.candidates()) == 1500
    assert midgame(6).check(1, search.best()) == []


def test_breadth_limits_the_tree_to_the_best_turns():
    view = midgame(3, rounds=6).view(0)
    found = {}
    for top in (0, 2):
        search = TreeSearch(view, MctsSettings(**SMALL, breadth=top), 1)
        search.run(200)
        tree = search.trees[0].tree
        most = max(int(tree.children[node]) for node in range(int(tree.counters[NODES])))
        found[top] = {str(c.orders) for c in search.candidates()}, most
    assert found[2][1] == 2 < found[0][1]
    assert found[2][0] < found[0][0] and len(found[2][0]) == 2


def test_best_turns_come_first_and_ranks_are_drawn_in_proportion():
    turns = make_turn_set(3, 2, 5)
    turns.deploy[:, 0] = range(5)
    score = np.array([0.1, 0.5, 0.3, 0.9, 0.2])
    assert keep_best(turns, 5, 3, score) == 3
    assert turns.deploy[:3, 0].tolist() == [3, 1, 2] and score[:3].tolist() == [0.9, 0.5, 0.3]
    rng = make_rng(1)
    drawn = np.bincount([draw_by_rank(3, rng) for _ in range(6000)], minlength=3)
    expected = 6000 * np.array([3, 2, 1]) / 6
    assert ((drawn - expected) ** 2 / expected).sum() < 13.8  # chi-squared, two degrees of freedom, 0.1 %


# Placements


def placements(shares, out, alpha=0.9, beta=0.6):
    values = np.zeros(len(shares), dtype=np.int64)
    write_placements(np.array(shares), np.array(out, dtype=np.int64), alpha, beta, values)
    return (values / UNIT).tolist()


def test_placements_map_ranks_to_bands_of_values():
    assert placements([0.5, 0.2, 0.25, 0.05], [-1] * 4) == pytest.approx([0.95, 0.24, 0.45, 0.01])
    assert placements([1.0, 0.0, 0.0, 0.0], [-1, 3, 5, 3]) == pytest.approx([1.0, 0.1, 0.4, 0.1])
    assert placements([0.6, 0.4], [-1, -1]) == pytest.approx([0.96, 0.24])
    assert placements([0.5, 0.5], [-1, -1]) == pytest.approx([0.95, 0.95]), "nobody surpasses them"


def test_an_elimination_is_recorded_once():
    out = np.array([-1, -1, 2, -1], dtype=np.int64)
    note_eliminations(np.array([0, -1, 3, 0], dtype=np.int8), out, 7)
    assert out.tolist() == [-1, 7, 2, -1]


def test_no_player_is_eliminated_before_the_picks():
    out = np.zeros(3, dtype=np.int64)
    begin_eliminations(np.full(4, -1, dtype=np.int8), out)
    note_eliminations(np.array([0, -1, 1, 0], dtype=np.int8), out, 3)
    assert out.tolist() == [-1, -1, 0]


def test_eliminations_in_the_tree_are_recorded_with_their_depth():
    # Players 1 and 2 have one region each, between regions of the far stronger player 0. Player 3 is eliminated.
    game = position(Game(RING, Rules.of("thesis", picks=1), players=4), [0, 1, 0, 0, 2, 0], [20, 1, 9, 20, 15, 9])
    search = TreeSearch(game.view(0), MctsSettings(samples=3, rounds=1, utility="placements"), 1)
    tree, leaves = search.trees[0].tree, search.trees[0].works[0].play.leaves
    state = make_position(6)
    times = []
    for _ in range(400):
        search.run(1)
        assert leaves.eliminated_at[0, 3] == 0 and leaves.eliminated_at[0, 0] == -1
        for p in (1, 2):
            time = int(leaves.eliminated_at[0, p])
            if 0 < time <= MAX_DEPTH:  # in the tree, at the end of a path of this length
                for node, is_in in ((leaves.path[0, time - 1], False), (leaves.path[0, time - 5], True)):
                    unpack(tree.states[tree.state[node]], state)
                    assert bool((state.owner == p).any()) == is_in
                times.append(time)
            elif time > 0:
                assert time == MAX_DEPTH + 1, "in the only round of the playout"
    assert {5, 9} <= set(times)


@pytest.mark.parametrize("players", [2, 4])
def test_simulations_have_the_values_of_placements(players):
    game = midgame(players)
    search = TreeSearch(game.view(1), MctsSettings(**SMALL, utility="placements", alpha=0.8, beta=0.1), 1)
    search.run(300)
    # Every value is in 0.8 .. 1 or in 0 .. 0.1, and exactly one player per simulation is first.
    tree = search.trees[0].tree
    total = sum(int(tree.total[node]) for nodes in levels(search) for node in nodes) / UNIT / search.simulations
    assert 0.8 <= total <= 1 + 0.1 * (players - 1)
    assert all(0 <= c.value <= 1 for c in search.candidates())


@pytest.mark.parametrize("kind", [TreeSearch, FlatSearch])
def test_placements_include_earlier_eliminations_in_both_searches(kind):
    game = position(Game(RING, Rules.of("thesis", picks=1), players=4), [0, 1, 0, 0, 2, 0], [5, 2, 5, 5, 9, 5])
    common = {"samples": 3, "rounds": 2, "local_search": 0, "utility": "placements"}
    tree = kind is TreeSearch
    settings = MctsSettings(**common, parallel="leaf", threads=2) if tree else FlatSettings(**common, final_move="mean")
    search = kind(game.view(0), settings, 1)
    in_the_tree = 0
    for _ in range(100):
        search.run(2)
        eliminated_at = [search.play_work(work).leaves.eliminated_at[0].tolist() for work in search.stores[0].works]
        for out in eliminated_at:
            assert out[3] == 0, "out before the search"
            assert all(time == -1 or 0 < time <= MAX_DEPTH + 2 for time in out[:3])
        if eliminated_at[0].count(-1) > 1:  # the game was not over: all threads continued from the same leaf
            eliminated = [p for p in range(3) if 0 < eliminated_at[0][p] <= MAX_DEPTH]
            assert all(out[p] == eliminated_at[0][p] for out in eliminated_at for p in eliminated)
            in_the_tree += len(eliminated)
    assert in_the_tree > 0


def test_no_player_is_eliminated_in_a_search_of_picks():
    game = Game("world", "thesis", seed=3, players=4)
    search = TreeSearch(game.view(0), MctsSettings(**SMALL, local_search=0, utility="placements"), 1)
    search.run(60)
    assert search.trees[0].works[0].play.leaves.eliminated_at[0].tolist() == [-1] * 4
    assert 0 < max(c.value for c in search.candidates()) <= 1


# Starting regions


@pytest.mark.parametrize("players", [3, 4, 6])
@pytest.mark.parametrize("preset", ["thesis", "challenge1", "challenge2"])
def test_picks_are_searched_for_more_than_two_players(players, preset):
    rules = Rules.of(preset, picks=2)
    game = Game("world", rules, seed=3, players=players)
    seen = game.view(game.pickers()[-1])
    search = TreeSearch(seen, MctsSettings(**SMALL), 1)
    search.run(60)
    tree = search.trees[0].tree
    by_level = [len(nodes) for nodes in levels(search)]
    assert by_level[0] == len({frozenset(c.picks[: seen.picks_left]) for c in search.candidates()}) <= 9
    assert by_level[1] // by_level[0] == min(answers_of_each(players), by_level[0]) and by_level[-1] <= 9 * 81
    owner, _, _ = state = make_position(42)
    for node in levels(search)[-1][:50]:
        unpack(tree.states[tree.state[node]], state)
        assert [int((owner == p).sum()) for p in range(players)] == [seen.picks_left] * players
        assert set(np.flatnonzero(owner == seen.player)) <= set(seen.offers)
        if preset == "thesis":  # each player has a separate offer
            assert not set(np.flatnonzero((owner >= 0) & (owner != seen.player))) & set(seen.offers)
    assert sum(c.visits for c in search.candidates()) == 60
    assert sorted(search.best_picks()) == sorted(seen.offers)


# Games


SPECS = (
    "mcts:sims=6,samples=2,rounds=2,picks=search", "mcts_thesis:sims=6,samples=2,rounds=2", "smart_random",
    "one_ply:samples=1", "aggressive", "one_big_army", "flat_mc:sims=6,samples=2", "minimax2:samples=1", "maxn:depth=2",
    "mcts:sims=6,samples=2,rounds=2,utility=placements,breadth=3", "pmcts:sims=4,samples=2,rounds=2", "random",
)  # fmt: skip


@pytest.mark.parametrize("players", [2, 3, 6])
def test_all_agents_play_games_with_two_three_and_six_players(players):
    for first in range(0, len(SPECS), players):
        agents = [SPECS[(first + k) % len(SPECS)] for k in range(players)]
        result = Match(agents, games=1, seed=2, map="world", picks="agents", max_rounds=2).run()
        assert [agent.dropped for agent in result.agents] == [0] * players


def test_a_tournament_runs_games_with_four_players(tmp_path, capsys):
    file = tmp_path / "four.toml"
    file.write_text(
        """
        name = "four"
        agents = [
            "mcts:sims=40,samples=3,rounds=4", "maxn:depth=4", "flat_mc:sims=40,samples=3", "random",
        ]
        players = 4
        games = 2
        maps = ["small"]
        max_rounds = 40
        """
    )
    assert main(["tournament", str(file), "--json", "--quiet"]) == 0
    played = json.loads(capsys.readouterr().out)
    assert played["games"] == 4 and not played["interrupted"]
    assert "maxn:depth=4" in json.dumps(played)


def test_the_search_beats_three_players_with_random_turns():
    agents = ("mcts:sims=40,samples=5,rounds=5", "smart_random", "smart_random", "smart_random")
    result = Match(agents, games=8, seed=3, map="small", max_rounds=60).run()
    wins = [agent.wins for agent in result.agents]
    assert wins[0] >= 5 and wins[0] > max(wins[1:])  # probability 3 % if each wins a fourth


# Invalid settings


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"breadth": -1}, "breadth = -1"), ({"playout": "best"}, "playout = 'best'"),
        ({"lookahead_samples": 0}, "lookahead_samples = 0"),
        ({"utility": "x"}, "utility = 'x'"), ({"alpha": 1.5}, "alpha"), ({"beta": 0.97}, "beta = 0.97"),
        ({"final_move": "median"}, "final_move"), ({"top_k": 0}, "top_k"), ({"leaf_batch": 0}, "leaf_batch = 0"),
        ({"selection": "x"}, "selection = 'x'"), ({"rounds": -1}, "rounds = -1"),
    ],
)  # fmt: skip
def test_invalid_settings_raise_an_error(change, message):
    with pytest.raises(InputError, match=message):
        MctsSettings(**change)
