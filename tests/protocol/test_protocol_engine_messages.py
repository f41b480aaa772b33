"""Messages to bots contain the map, the picks in the order of the competitions, and only the visible regions."""

from __future__ import annotations

import numpy as np
import pytest

from warlight_env import maps
from warlight_env.agents import make_agent
from warlight_env.arena.games.game_loop import ask_orders, pick_regions
from warlight_env.beliefs.order_observer import NO_OPPONENT_ORDERS, OrderObserver
from warlight_env.game import Game
from warlight_env.protocol import messages as m
from warlight_env.protocol.clock import BotClock
from warlight_env.protocol.engine_messages import (
    opening_messages,
    reduce_placements,
    round_messages,
    setup_messages,
)
from warlight_env.protocol.grammar import format_message


@pytest.mark.parametrize("name", maps.names())
def test_a_map_is_unchanged_after_setup_messages(name):
    map_ = maps.load(name)
    lines = "\n".join(map(format_message, setup_messages(map_)))
    again = maps.from_setup_lines(lines)
    assert again.borders == map_.borders
    assert (again.super_region_of, again.bonuses) == (map_.super_region_of, map_.bonuses)
    assert sum(len(near) for _, near in setup_messages(map_)[2].lists) == len(map_.borders), "each border once"


def test_the_world_map_uses_the_numbers_of_the_competitions():
    lists = dict(setup_messages(maps.load("world"))[2].lists)
    named = {region.name: i for i, region in enumerate(maps.load("world").regions, 1)}
    assert named["Alaska"] == 1 and named["Eastern Australia"] == 42
    assert lists[1] == (2, 4, 30), "Alaska: Northwest Territory, Alberta, Kamchatka"


def test_the_opening_of_challenge_2_has_the_order_of_the_competitions():
    lines = list(
        map(format_message, opening_messages(Game("world", "challenge2", seed=4).view(1), 2, BotClock.for_challenge(2)))
    )
    heads = ["settings timebank", "settings time_per_move", "settings max_rounds", "settings your_bot",
             "settings opponent_bot", "setup_map super_regions", "setup_map regions", "setup_map neighbors",
             "setup_map wastelands", "settings starting_regions", "settings starting_pick_amount"]  # fmt: skip
    assert [" ".join(line.split()[:2]) for line in lines] == heads
    assert lines[:5] == [
        "settings timebank 10000",
        "settings time_per_move 500",
        "settings max_rounds 105",
        "settings your_bot player2",
        "settings opponent_bot player1",
    ]
    assert len(lines[8].split()) == 2 + 3 and lines[10] == "settings starting_pick_amount 3"


def test_the_opening_of_challenge_1_has_no_clock_and_no_wastelands():
    lines = list(
        map(format_message, opening_messages(Game("world", "challenge1", seed=4).view(0), 1, BotClock.for_challenge(1)))
    )
    assert [line.split()[1] for line in lines] == ["your_bot", "opponent_bot", "super_regions", "regions", "neighbors"]


def visible_regions(game: Game, owner, player: int) -> set[int]:
    own = set(np.flatnonzero(owner == player).tolist())
    return own | {q for r in own for q in game.map.neighbors[r]}


@pytest.mark.parametrize("rules", ["challenge1", "challenge2"])
@pytest.mark.parametrize("agent", ["aggressive", "random"])
def test_bots_receive_exactly_the_visible_events(rules, agent):
    """Follow the whole position, and compute the visible regions before and after each attack."""
    shown = hidden = 0
    for seed in range(4):
        game = Game("world", rules, seed=seed)
        agents = [make_agent(agent, seed), make_agent("random", seed + 1)]
        pick_regions(game, agents)
        watchers = [OrderObserver(), OrderObserver()]
        for watcher, p in zip(watchers, range(2), strict=True):
            assert watcher.observe(game.view(p)) == NO_OPPONENT_ORDERS
        while not game.done and game.round < 30:
            owner = game.owner.copy()
            result = game.play_round(ask_orders(game, agents), on_illegal="skip")
            placed = [[d for d in result.deploys if d.region in visible_regions(game, owner, p)] for p in range(2)]
            moved: list[list[tuple[int, int, int]]] = [[], []]
            for event in result.events:
                before = [visible_regions(game, owner, p) for p in range(2)]
                if event.captured:
                    owner[event.target] = event.player
                for p in {0, 1} - {event.player}:
                    after = visible_regions(game, owner, p)
                    if event.target in before[p] or {event.source, event.target} & after:
                        moved[p].append((event.source, event.target, event.armies))
                    else:
                        hidden += 1
            assert (owner == game.owner).all()
            for p, watcher in enumerate(watchers):
                seen = watcher.observe(game.view(p))
                assert seen.moves == tuple(moved[p])
                assert seen.deploys == tuple((d.region, d.armies) for d in placed[p] if d.player != p)
                shown += len(seen.moves)
                rows = next(x for x in round_messages(game.view(p), seen) if isinstance(x, m.UpdateMap)).regions
                assert {r - 1 for r, _, _ in rows} == visible_regions(game, game.owner, p)
                assert all(game.army[r - 1] == army for r, _, army in rows)
                names = [name for _, name, _ in rows]
                own = names.count(f"player{p + 1}")
                assert names[:own] == [f"player{p + 1}"] * own, "own regions come first"
    assert shown > 20 and hidden > 20, "both happened"


def test_views_contain_the_last_round_after_undo_and_clone():
    game = Game("world", "challenge2", seed=3, picks="random")
    assert game.view(0).last_round is None and game.view(0).starts is not None
    agents = [make_agent("aggressive", 1), make_agent("aggressive", 2)]
    first = game.play_round(ask_orders(game, agents), on_illegal="skip")
    twin = game.clone()
    game.play_round(ask_orders(game, agents), on_illegal="skip")
    assert game.view(0).last_round.round == 2
    game.undo()
    for same in (game, twin):
        last_round = same.view(1).last_round
        assert (last_round.round, last_round.deploys) == (1, first.seen_by(1).deploys)
        assert set(last_round.events) >= set(first.seen_by(1).events)
    game.undo()
    assert game.view(0).last_round is None


def test_starting_regions_are_in_the_view_if_picks_are_public():
    two, one = Game("world", "challenge2", seed=3, picks="random"), Game("world", "challenge1", seed=3, picks="random")
    assert two.view(0).starts == tuple(tuple(np.flatnonzero(two.owner == p).tolist()) for p in range(2))
    assert one.view(0).starts is None
    assert Game("world", "challenge2", seed=3).view(0).starts is None, "not before it is known"


def test_the_clocks_of_both_challenges():
    bank = BotClock.for_challenge(2)
    for spent, left in [(0.2, 10_000), (9.0, 1500), (4.0, 500), (0.1, 900)]:
        bank.spend(spent)
        assert bank.milliseconds == left
    fixed = BotClock.for_challenge(1)
    fixed.spend(1.9)
    assert fixed.milliseconds == 2000


@pytest.mark.parametrize("armies, expected", [
    ([3, 2], [3, 2]), ([3, 9], [3, 2]), ([9, 1], [5, 1]), ([0, 9], [0, 5]), ([5, 9], [5, 9]),
])  # fmt: skip
def test_a_placement_of_too_many_armies_is_reduced_to_the_remaining_income(armies, expected):
    view = Game("world", "challenge1", seed=4, picks="random").view(0)
    own, other = int(np.flatnonzero(view.owner == 0)[0]) + 1, int(np.flatnonzero(view.owner != 0)[0]) + 1
    orders = [m.PlaceOrder("player1", other, 99), *(m.PlaceOrder("player1", own, n) for n in armies)]
    placements, reduced = reduce_placements(m.PlaceOrders(tuple(orders)), view)
    assert [order.armies for order in placements.orders] == [99, *expected], "foreign regions use no armies"
    changed = [old for old, new in zip(orders, placements.orders, strict=True) if old != new]
    assert changed == ([] if reduced is None else [reduced])
