"""Maps with a defined start: games begin with it, and the rules draw the undefined parts."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter

import numpy as np
import pytest

from warlight_env import Game, Rules, maps
from warlight_env.agents import make_agent
from warlight_env.engine.rules import RulesError
from warlight_env.envs import EnvCore
from warlight_env.maps import MapError, StartingSetup
from warlight_env.record import GameLog, LogWriter, verify

SMALL = maps.load("small")
FULL_SETUP = StartingSetup(wastelands=(3, 9), wasteland_army=8, offered=(0, 1, 4, 5, 7, 8), picks=2)
PRESETS = ("thesis", "thesis_draft", "challenge1", "challenge2")


def with_setup(**entries):
    return dataclasses.replace(SMALL, setup=StartingSetup(**entries))


def map_with_full_setup():
    return dataclasses.replace(SMALL, setup=FULL_SETUP)


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("players", [2, 3])
def test_game_has_the_wastelands_offers_and_picks_of_the_map(rules, players):
    for seed in range(20):
        game = Game(map_with_full_setup(), rules, players=players, seed=seed)
        assert {r: int(a) for r, a in enumerate(game.army) if a != SMALL.starting_armies[r]} == {3: 8, 9: 8}
        offers = [game.offers(p) for p in range(players)]
        if rules.startswith("thesis"):
            assert sorted(r for offer in offers for r in offer) == list(FULL_SETUP.offered)
        else:
            assert all(offer in (FULL_SETUP.offered, ()) for offer in offers)
        while game.phase == "pick":
            game.pick({p: game.offers(p)[: game.view(p).picks_left] for p in game.pickers()}, on_illegal="skip")
        assert [int((game.owner == p).sum()) for p in range(players)] == [2] * players


def test_undefined_parts_of_the_setup_are_drawn():
    wastelands, offers, picks = Counter(), Counter(), Counter()
    for seed in range(200):
        game = Game(with_setup(offered=(0, 4, 8)), "challenge2", seed=seed)
        drawn = np.flatnonzero(game.army == 6).tolist()
        assert not set(drawn) & {0, 4, 8} and game.offers(0) == (0, 4, 8)
        wastelands.update(drawn)
        game = Game(with_setup(wastelands=(0,)), "challenge2", seed=seed)
        assert np.flatnonzero(game.army == 6).tolist() == [0]
        offers.update(game.offers(0))
        game = Game(with_setup(picks=1), "challenge2", seed=seed)
        picks[game.view(0).picks_left] += 1
    assert len(wastelands) == 7 and 0 not in offers and len(offers) > 4 and set(picks) == {1}


def test_setup_can_define_zero_wastelands():
    for seed in range(20):
        assert (Game(with_setup(wastelands=()), "challenge2", seed=seed).army == 2).all()


@pytest.mark.parametrize(("entries", "message"), [
    ({"wastelands": (0,), "offered": (0, 1)}, "is a wasteland"),
    ({"wastelands": (10,)}, "unknown region 10"),
    ({"offered": (1, 0)}, "ascending"),
    ({"offered": (1,)}, "at least 2"),
    ({"picks": 0}, "picks 0"),
    ({"wasteland_army": 10**6}, "wasteland_army"),
    ({}, "must have at least one entry"),
])  # fmt: skip
def test_contradictory_setup_raises_an_error(entries, message):
    with pytest.raises(MapError, match=message):
        with_setup(**entries)


def test_setup_with_too_few_offers_raises_an_error():
    with pytest.raises(RulesError, match="can offer each player only 1 of the 2"):
        Game(with_setup(offered=(0, 1), picks=2), "challenge1")
    with pytest.raises(RulesError, match="with 3 players"):
        Game(with_setup(offered=(0, 1)), "challenge2", players=3)


def test_map_files_store_the_setup(tmp_path):
    assert "setup" not in SMALL.to_dict()
    assert maps.from_dict(json.loads(json.dumps(map_with_full_setup().to_dict()))) == map_with_full_setup()
    assert (
        map_with_full_setup().digest()
        != SMALL.digest()
        == dataclasses.replace(map_with_full_setup(), setup=None).digest()
    )
    maps.save(map_with_full_setup(), tmp_path / "a.json")
    assert maps.load(tmp_path / "a.json").setup == FULL_SETUP


@pytest.mark.parametrize("rules", PRESETS)
def test_environments_use_the_setup_of_the_map(rules):
    core = EnvCore(map_with_full_setup(), rules, 2, batch=50, picking="random")
    core.reset(list(range(50)))
    state = core.state
    assert ((state.owner[:, [2, 3, 6, 9]]) == -1).all() and (state.army[:, [3, 9]] == 8).all()
    assert ((state.owner == 0).sum(axis=1) == 2).all()


@pytest.mark.parametrize("rules", ["challenge1", "challenge2"])
def test_log_of_a_game_with_a_map_setup_can_be_replayed(rules, tmp_path):
    from warlight_env.arena.games.game_loop import play_game

    agents = [make_agent("aggressive", 1), make_agent("random", 2)]
    path = tmp_path / "game.wl.jsonl"
    writer = LogWriter(path)
    play_game(agents, map_with_full_setup(), Rules.of(rules), 5, picks="agents", max_rounds=8, observer=writer)
    log = GameLog.load(path)
    assert log.header.map == map_with_full_setup() and not verify(log)
    saved = Game(map_with_full_setup(), rules, seed=3)
    assert Game.from_dict(json.loads(json.dumps(saved.to_dict()))).hash() == saved.hash()
