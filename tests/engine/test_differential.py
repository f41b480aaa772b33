"""The engine compared with the oracle: equal boards, orders and dice give equal states, for all presets of rules."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from helpers import PRESETS, make_map, position, script
from oracle_helpers import CODES, oracle_rules
from warlight_env.battle import battle_odds
from warlight_env.engine.rules import Rules
from warlight_env.game import Game, Orders


@st.composite
def boards(draw):
    """A connected map of 4 to 9 regions in 1 to 4 super regions."""
    n = draw(st.integers(4, 9))
    borders = {(draw(st.integers(0, i - 1)), i) for i in range(1, n)}
    extra = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda pair: pair[0] < pair[1])
    borders |= set(draw(st.lists(extra, max_size=8)))
    s = draw(st.integers(1, min(4, n)))
    of = [i if i < s else draw(st.integers(0, s - 1)) for i in range(n)]
    return make_map(of, sorted(borders), draw(st.lists(st.integers(0, 6), min_size=s, max_size=s)))


@st.composite
def variants(draw):
    """A preset, sometimes with single rules of other versions mixed in."""
    rules = Rules.of(draw(st.sampled_from(PRESETS)), picks=1, offers_per_super_region=0, wastelands=0.0)
    changes = {}
    if draw(st.booleans()):
        for name, values in (
            ("luck", [1.0, 0.16, 0.0, 0.5]),
            ("rounding", ["nearest", "stochastic"]),
            ("skipped_attack_keeps_place", [True, False]),
            ("moved_armies", ["free", "challenge1", "challenge2"]),
            ("repeated_attack", ["merge", "illegal"]),
            ("max_orders", [0, 2, 51]),
            ("max_rounds", [0, 1, 3]),
            ("tie_break", ["draw", "regions"]),
        ):
            if draw(st.booleans()):
                changes[name] = draw(st.sampled_from(values))
    return Rules.of(rules, picking="dealt", **changes)


def turns(n: int, owner: list[int], player: int):
    """Orders, mostly from the player's regions, sometimes from any region."""
    owned = [r for r, by in enumerate(owner) if by == player] or [0]
    region = st.one_of(st.sampled_from(owned), st.integers(-1, n))
    deploy = st.tuples(region, st.integers(-1, 6))
    attack = st.tuples(region, st.integers(-1, n), st.one_of(st.integers(-1, 9), st.just(1000)))
    return st.builds(Orders, st.lists(deploy, max_size=5), st.lists(attack, max_size=14))


@given(st.data())
@settings(max_examples=int(os.environ.get("WARLIGHT_TEST_EXAMPLES", "40")))
def test_engine_and_oracle_have_equal_states(data):
    play_both(data)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=15_000)
def test_engine_and_oracle_have_equal_states_in_many_games(data):
    play_both(data)


def play_both(data):
    """Play up to three rounds of a random game in both engines; compare the states after each round."""
    map_ = data.draw(boards(), "map")
    rules = data.draw(variants(), "rules")
    n, players = map_.n_regions, data.draw(st.integers(2, min(4, map_.n_regions)), "players")
    owner = data.draw(st.lists(st.integers(-1, players - 1), min_size=n, max_size=n), "owner")
    for p in range(players):
        owner[p] = p
    army = data.draw(st.lists(st.integers(1, 12), min_size=n, max_size=n), "army")
    game = position(Game(map_, rules, players=players), owner, army)
    reference_rules = oracle_rules(rules)
    eliminated_at = [0] * players
    for number in range(1, data.draw(st.integers(1, 3), "rounds") + 1):
        if game.done:
            break
        orders = [data.draw(turns(n, owner, p), f"turn {p}") for p in range(players)]
        dice = data.draw(st.lists(st.integers(0, 60), min_size=1, max_size=24), "dice")
        result = game.play_round(orders, on_illegal="skip", script=script(dice))
        owner, army, outcome = oracle.resolve_round(
            map_.neighbors, map_.super_region_of, map_.bonuses, reference_rules, owner, army, number,
            [(list(turn.deploys), list(turn.attacks)) for turn in orders], players, oracle.Decisions(dice),
            eliminated_at=eliminated_at,
        )  # fmt: skip
        eliminated_at = list(outcome.eliminated_at)
        assert game.owner.tolist() == owner
        assert game.army.tolist() == army
        events = [
            (e.player, e.source, e.target, e.armies, e.attackers_lost, e.defenders_lost, e.captured)
            for e in result.events
        ]
        assert events == [tuple(event) for event in outcome.events]
        dropped = sorted((d.player, d.kind, d.index, d.reason) for d in result.dropped)
        assert dropped == sorted((p, kind, i, CODES[code]) for p, kind, i, code in outcome.dropped)
        assert (game.done, game.winner) == (outcome.over, outcome.winner)
        assert [game.alive(p) for p in range(players)] == list(outcome.alive)
        assert list(game.placements) == list(outcome.placements)


@pytest.mark.parametrize("preset", PRESETS)
def test_engine_and_oracle_have_equal_presets(preset):
    reference_rules = getattr(oracle, preset.upper())
    assert oracle_rules(Rules.of(preset)) == reference_rules


@pytest.mark.parametrize("preset", ["thesis", "challenge2"])
def test_engine_and_oracle_have_equal_capture_probabilities(preset):
    reference_rules = getattr(oracle, preset.upper())
    for a in range(1, 9):
        for d in range(1, 7):
            assert battle_odds(a, d, preset).capture == pytest.approx(
                float(oracle.exact_capture(reference_rules, a, d))
            )


@given(boards(), st.data())
@settings(max_examples=50)
def test_fog_shows_own_regions_and_neighbours(map_, data):
    n = map_.n_regions
    owner = data.draw(st.lists(st.integers(-1, 1), min_size=n, max_size=n))
    owner[0], owner[1] = 0, 1
    rules = Rules.of("thesis", picking="dealt", picks=1, offers_per_super_region=0, fog=True)
    game = position(Game(map_, rules), owner, list(range(1, n + 1)))
    for p in range(2):
        view, visible = game.view(p), oracle.visible(map_.neighbors, owner, p)
        assert view.owner.tolist() == [by if seen else -2 for by, seen in zip(owner, visible, strict=True)]
        assert view.army.tolist() == [r + 1 if seen else 0 for r, seen in enumerate(visible)]
