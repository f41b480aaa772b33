"""The start of challenge 2: the numbers of picks and wastelands have the exact distributions of its engine."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy import stats

from helpers import make_map
from warlight_env import maps
from warlight_env.agents import make_agent
from warlight_env.engine.rules import Rules, RulesError
from warlight_env.envs import EnvCore
from warlight_env.game import Game

WORLD = maps.load("world")
#: The number of games; the slow tests draw enough games to detect smaller differences.
GAMES = pytest.mark.parametrize("games", [300, pytest.param(3000, marks=pytest.mark.slow)])


def chain_map(sizes):
    """A map with super regions of these sizes; its regions form a chain."""
    super_region = [s for s, size in enumerate(sizes) for _ in range(size)]
    return make_map(super_region, [(r, r + 1) for r in range(len(super_region) - 1)], [1] * len(sizes))


def agrees(counts, law):
    """Whether the counts are consistent with the exact probabilities."""
    total = sum(counts.values())
    assert set(counts) <= {outcome for outcome, chance in law.items() if chance}
    seen = [counts[outcome] for outcome in law]
    expected = [float(chance) * total for chance in law.values()]
    return stats.chisquare(seen, expected).pvalue > 1e-4


def pick_distribution(offers):
    """Distribution of the picks per player in the published engine, which drops pairs beyond six with chance 1/4."""
    total = offers - offers % 2
    trials = max(0, (total - 6) // 2)
    quarter = Fraction(1, 4)
    return {
        (total - 2 * lost) // 2: comb(trials, lost) * quarter**lost * (1 - quarter) ** (trials - lost)
        for lost in range(trials + 1)
    }


def wasteland_distribution(sizes):
    """Numbers of wastelands by super region, over all sequences of draws."""
    regions = [s for s, size in enumerate(sizes) for _ in range(size)]

    def after(wastelands, draws):
        if not draws:
            return Counter({tuple(sorted(Counter(regions[r] for r in wastelands).items())): Fraction(1)})
        accepted = []
        for r in range(len(regions)):
            others = sizes[regions[r]] - sum(regions[w] == regions[r] for w in wastelands)
            if r not in wastelands or others >= 2:
                accepted.append(r)
        distribution = Counter()
        for r in accepted:
            for outcome, chance in after(wastelands | {r}, draws - 1).items():
                distribution[outcome] += chance / len(accepted)
        return distribution

    return after(frozenset(), len(sizes) // 2)


def counts_of_picks(map_, rules, games):
    counts = Counter()
    for seed in range(games):
        game = Game(map_, rules, seed=seed)
        counts[game.view(0).picks_left] += 1
    return counts


@pytest.mark.parametrize("offers", [2, 4, 5, 6, 8, 10, 12, 16])
@GAMES
def test_number_of_picks_has_the_exact_distribution(offers, games):
    rules = Rules.of("challenge2", wastelands=0.0)
    law = pick_distribution(offers)
    counts = counts_of_picks(chain_map([2] * offers), rules, games if len(law) > 1 else 30)
    if len(law) == 1:
        assert set(counts) == set(law)
    else:
        assert agrees(counts, law)


@pytest.mark.parametrize("sizes", [[4, 4, 4, 4, 4, 4], [1, 1, 2, 2], [2, 2, 2, 2], [1, 1, 1, 1, 1, 1], [3, 1, 2, 4]])
@GAMES
def test_wastelands_are_drawn_with_repetition(sizes, games):
    map_ = chain_map(sizes)
    law = wasteland_distribution(sizes)
    counts = Counter()
    for seed in range(games):
        game = Game(map_, "challenge2", seed=seed)
        wastelands = np.flatnonzero(game.army == 6).tolist()
        counts[tuple(sorted(Counter(map_.super_region_of[r] for r in wastelands).items()))] += 1
    assert agrees(counts, law)


@GAMES
def test_some_games_have_fewer_wastelands_than_draws(games):
    drawn = Counter(int((Game(WORLD, "challenge2", seed=seed).army == 6).sum()) for seed in range(games))
    # Three draws of 42 regions; no super region of the world can be nearly all wasteland.
    law = {3: Fraction(41 * 40, 42**2), 2: Fraction(3 * 41, 42**2), 1: Fraction(1, 42**2)}
    assert agrees(Counter({n: drawn[n] + (drawn[1] if n == 2 else 0) for n in (3, 2)}), {3: law[3], 2: law[2] + law[1]})


@pytest.mark.parametrize("players", [3, 4])
def test_all_players_get_equally_many_regions(players):
    map_ = chain_map([2] * 16)
    for seed in range(60):
        game = Game(map_, "challenge2", players=players, seed=seed, picks="random")
        held = [int((game.owner == p).sum()) for p in range(players)]
        assert len(set(held)) == 1 and 3 <= held[0] <= 16 // players


def test_views_contain_the_number_of_remaining_picks():
    map_, lengths = chain_map([2] * 10), set()
    for seed in range(4):
        game = Game(map_, Rules.of("challenge2", wastelands=0.0), seed=seed)
        each, order = game.view(0).picks_left, []
        while game.phase == "pick":
            (player,) = game.pickers()
            assert [game.view(p).picks_left for p in range(2)] == [each - order.count(p) for p in range(2)]
            order.append(player)
            again = Game.from_dict(game.to_dict())
            assert again.view(player).picks_left == each - order.count(player) + 1
            again.pick({player: game.offers(player)[:1]})
            game.pick({player: game.offers(player)[:1]})
            assert again.hash() == game.hash()
        assert order == [0, 1, 1, 0] * (each // 2) + [0, 1][: 2 * (each % 2)]
        lengths.add(each)
    assert len({each % 2 for each in lengths}) == 2, "the last turn of the snake is whole or half"


def test_environment_draws_the_same_numbers_of_picks():
    core = EnvCore(chain_map([2] * 12), "challenge2", 2, batch=500, picking="random")
    core.reset(list(range(500)))
    held = (core.state.owner == 0).sum(axis=1)
    games = [Game(core.map, "challenge2", seed=seed, picks="random") for seed in range(30)]
    assert {int(h) for h in held} <= {3, 4, 5, 6} and len({int(h) for h in held}) > 1
    assert {int((game.owner == 0).sum()) for game in games} <= {3, 4, 5, 6}


@pytest.mark.parametrize("spec, games", [("mcts:sims=20", 2), ("nash:sims=20", 1), ("belief:mcts:sims=20", 2)])
def test_agents_pick_their_number_of_regions(spec, games):
    map_ = chain_map([2] * 8)
    for seed in range(games):
        game, agents = Game(map_, "challenge2", seed=seed), [make_agent(spec, seed=p) for p in range(2)]
        each = game.view(0).picks_left
        while game.phase == "pick":
            (player,) = game.pickers()
            game.pick({player: agents[player].pick(game.view(player))}, on_illegal="raise")
        assert [int((game.owner == p).sum()) for p in range(2)] == [each, each]


def test_custom_rules_can_have_fixed_picks_and_wastelands():
    fixed_rules = Rules.of("challenge2", picks=3, wastelands_repeat=False)
    for seed, players in itertools.product(range(30), (2,)):
        game = Game(WORLD, fixed_rules, players=players, seed=seed)
        assert (game.army == 6).sum() == 3
        assert game.view(0).picks_left == 3 or len(game.offers(0)) < 6


def test_picks_by_offers_need_alternating_picking():
    with pytest.raises(RulesError, match="0 is allowed only with picking = 'alternating'"):
        Rules.of("challenge1", picks=0)
