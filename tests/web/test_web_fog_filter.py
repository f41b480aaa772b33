"""Game data for players: it contains all information that the engine shows to the player, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from warlight_env import Game, Rules
from warlight_env.agents.registry import make_agent
from warlight_env.arena.games.game_loop import ask_orders
from warlight_env.record import MemoryRecorder
from warlight_env.record.encode import log_lines
from warlight_env.web.documents.fog_filter import FogFilter
from warlight_env.web.documents.replay_document import replay_document


def play_bots(rules: Rules, map_name: str, seed: int, rounds: int) -> tuple[list[dict[str, Any]], list[Any]]:
    """Play a game between bots; return its events, and the game and the round's result after each event."""
    game = Game(map_name, rules, 2, seed)
    bots = [make_agent("smart_random", seed), make_agent("aggressive", seed + 1)]
    recorder = MemoryRecorder()
    recorder.began(game, bots, 500)
    after: list[Any] = [(game.clone(), None)]
    while game.phase == "pick":
        preferences = {p: bots[p].pick(game.view(p)) for p in game.pickers()}
        recorder.picked(preferences, game.pick(preferences, on_illegal="skip"), game)
        after.append((game.clone(), None))
    while not game.done and game.round < rounds:
        orders = ask_orders(game, bots)
        result = game.play_round(orders, on_illegal="skip")
        recorder.played(orders, result, game)
        after.append((game.clone(), result))
    events = [json.loads(line) for line in log_lines(recorder.log)][1:]
    return events, after


@pytest.mark.parametrize(
    ("rules", "map_name"),
    [("thesis", "world"), ("challenge1", "world"), ("challenge2", "world"), ("challenge2", "small")],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_filtered_events_show_a_player_exactly_its_views(rules: str, map_name: str, seat: int):
    fog = Rules.of(rules, fog=True)
    events, after = play_bots(fog, map_name, 8, 25)
    filter_ = FogFilter(after[0][0].map, fog, 2, seat)
    owner: list[int] = []
    army: list[int] = []
    hidden = 0
    for event, (game, result) in zip(events, after, strict=True):
        seen = filter_.filter(event)
        assert seen is not None
        if seen["event"] == "start":
            owner, army = list(seen["owner"]), list(seen["army"])
        for region, by, armies in seen.get("changed", ()):
            owner[region], army[region] = by, armies
        view = game.view(seat)
        assert owner == view.owner.tolist()
        assert army == view.army.tolist()
        hidden += owner.count(-2)
        if result is not None:
            part = result.seen_by(seat)
            assert sorted(map(tuple, seen["deploys"])) == sorted((d.player, d.region, d.armies) for d in part.deploys)
            assert [m[:4] for m in seen["moves"]] == [[e.player, e.source, e.target, e.armies] for e in part.events]
    assert hidden > (20 if map_name == "small" else 100)


def test_filtered_events_omit_hashes_and_turns_of_other_players():
    fog = Rules.of("thesis", fog=True)
    events, after = play_bots(fog, "world", 3, 10)
    filter_ = FogFilter(after[0][0].map, fog, 2, 0)
    for event in [*events, {"event": "insight", "player": 1, "round": 11, "data": {"regions": [1]}}]:
        seen = filter_.filter(event)
        if seen is None:
            assert event["event"] == "insight"
            continue
        assert "hash" not in seen or event["event"] == "end"
        for name in ("orders", "wishes"):
            assert name not in seen or seen[name][1] is None
    insight = {"event": "insight", "player": 0, "round": 11, "data": {}}
    assert filter_.filter(insight) == insight


def test_a_players_replay_contains_only_information_that_it_saw():
    rules = Rules.of("thesis", fog=True)
    game = Game("world", rules, 2, 5, picks="random")
    bots = [make_agent("smart_random", 1), make_agent("smart_random", 2)]
    recorder = MemoryRecorder()
    recorder.began(game, bots, 500)
    for _ in range(12):
        orders = ask_orders(game, bots)
        recorder.played(orders, game.play_round(orders, on_illegal="skip"), game)
    document = replay_document(recorder.log, seat=1)
    assert "seed" not in document
    text = json.dumps(document["events"])
    assert "hash" not in text
    shown = [0] * game.map.n_regions
    for event in document["events"]:
        for region, _, army in event.get("changed", ()):
            shown[region] = army
    assert [a for a, o in zip(shown, game.view(1).owner, strict=True) if o == -2] == [0] * (
        game.view(1).owner == -2
    ).sum()


def test_a_filter_without_a_seat_passes_all_events():
    rules = Rules.of("thesis", fog=True)
    events, after = play_bots(rules, "small", 5, 8)
    filter_ = FogFilter(after[0][0].map, rules, 2, None)
    for event in events:
        seen = filter_.filter(event)
        assert seen is not None
        seen.pop("deploys", None)
        assert seen == event
