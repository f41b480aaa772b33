"""Invalid input to the engine: a clear error or the documented skip, and an unchanged state."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from helpers import PRESETS, RING
from warlight_env import maps
from warlight_env.engine.rules import Rules, RulesError
from warlight_env.envs.core import ActionError
from warlight_env.game import Game, GameError, IllegalOrder, IllegalOrdersError, Orders, OrdersTypeError
from warlight_env.maps import MapError


def small_game(seed: int = 0) -> Game:
    return Game(RING, Rules.of("thesis", picks=1), seed=seed, picks="random")


def random_value(rng: np.random.Generator, depth: int = 0):
    """A random value of any type."""
    kind = rng.integers(0, 14)
    if kind < 5:
        return int(rng.integers(-5, 12))
    if kind == 5:
        return int(rng.choice([2**31, -(2**31), 2**63 - 1, -(2**63), 10**30, -(10**30)], 1)[0])
    if kind == 6:
        return float(rng.choice([0.5, np.nan, np.inf, -1.0]))
    if kind == 7:
        return rng.choice(["R1", "", "all"])
    if kind == 8:
        return None
    if kind == 9:
        return bool(rng.integers(2))
    if kind == 10 and depth < 3:
        return np.array(rng.integers(-3, 9, size=tuple(rng.integers(0, 4, size=rng.integers(0, 3)))))
    return [random_value(rng, depth + 1) for _ in range(rng.integers(0, 5))] if depth < 3 else 0


def random_list(rng: np.random.Generator, width: int):
    """Usually a list of the right shape with wrong numbers, sometimes any value."""
    if rng.random() < 0.7:
        size = (int(rng.integers(0, 6)), width)
        return [tuple(row) for row in rng.integers(-3, 9, size=size).tolist()]
    return random_value(rng)


def any_game(seed: int) -> Game:
    """A game with one of the presets, on one of two maps."""
    rules = Rules.of(PRESETS[seed % 4], picking="dealt", picks=1, offers_per_super_region=0, wastelands=0)
    return Game(RING if seed % 3 else "small", rules, seed=seed)


def test_random_invalid_turns_raise_an_error_or_are_dropped():
    rng = np.random.default_rng(11)
    game = any_game(0)
    played = failed = 0
    for _ in range(3000):
        if game.done or game.round > 50:
            game = any_game(int(rng.integers(1 << 30)))
        before = game.hash()
        turns = [Orders(random_list(rng, 2), random_list(rng, 3)) for _ in range(2)]
        strict = bool(rng.integers(2))
        try:
            game.play_round(turns, on_illegal="raise" if strict else "skip")
        except (IllegalOrdersError, OrdersTypeError) as error:
            failed += 1
            assert strict or isinstance(error, OrdersTypeError), "the rest is dropped, not refused"
            assert "player" in str(error)
            assert game.hash() == before
        else:
            played += 1
            assert (game.army >= 1).all()
    assert played > 300
    assert failed > 300


@pytest.mark.parametrize(
    ("orders", "message"),
    [
        (Orders([(99, 1)]), r"player 0, deploy 1 \(99, 1\): no such region"),
        (Orders([(-1, 1)]), "no such region"),
        (Orders([(3, 1)]), "not the player's region"),
        (Orders([(0, 0)]), "at least one army"),
        (Orders([(0, 5), (0, 5)]), r"deploy 2 .*left of the income"),
        (Orders([], [(0, 3, 0)]), "at least one army"),
        (Orders([], [(0, 2, 1)]), "not neighbours"),
        (Orders([], [(0, 0, 1)]), "not neighbours"),
        (Orders([], [(4, 5, 1)]), "not the player's region"),
    ],
)
def test_error_names_the_place_and_reason_of_an_illegal_order(orders, message):
    game = small_game()
    saved = game.to_dict()
    saved["state"].update(owner=[0, 0, -1, 1, 1, 1])
    del saved["hash"]
    game = Game.from_dict(saved)
    before = game.hash()
    with pytest.raises(IllegalOrdersError, match=message):
        game.play_round([orders, None])
    assert game.hash() == before
    assert len(game.play_round([orders, None], on_illegal="skip").dropped) == 1


@pytest.mark.parametrize("bad", [
    [(0, 1.5)], [(0, np.nan)], [(0,)], [(0, 1, 2)], [[0, 1], [2]], "0 1", [("a", 1)], 7,
    [(0, None)], {0: 1},
])  # fmt: skip
def test_orders_must_be_lists_of_integers(bad):
    game = small_game()
    before = game.hash()
    for on_illegal in ("raise", "skip"):
        with pytest.raises(OrdersTypeError, match="player 1: deploys"):
            game.play_round([None, Orders(bad)], on_illegal=on_illegal)
    assert game.hash() == before


@pytest.mark.parametrize("orders", [[], [Orders()], [Orders()] * 3, Orders(), None, {7: Orders()}, {"x": None}, [1, 2]])
def test_play_round_rejects_orders_for_the_wrong_players(orders):
    game = small_game()
    before = game.hash()
    with pytest.raises((GameError, OrdersTypeError)):
        game.play_round(orders)
    assert game.hash() == before


def test_steps_in_the_wrong_phase_raise_an_error():
    game = Game(RING, Rules.of("thesis", picks=1))
    with pytest.raises(GameError, match="phase is 'pick'"):
        game.play_round([None, None])
    game.pick({p: game.offers(p)[:1] for p in range(2)})
    with pytest.raises(GameError, match="phase is 'play'"):
        game.pick({})


@pytest.mark.parametrize("preferences", [
    {}, {0: [0]}, {0: [99], 1: [99]}, {0: [0, 0], 1: [1]}, {5: [1]}, {0: ["x"], 1: [1]}, {0: [0.5], 1: [1]},
])  # fmt: skip
def test_invalid_picks_raise_an_error_and_change_nothing(preferences):
    game = Game(RING, Rules.of("thesis", picks=1))
    before = game.hash()
    with pytest.raises((GameError, OrdersTypeError)):
        game.pick(preferences)
    assert game.hash() == before


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"map": "wrold"}, MapError, "world"),
        ({"rules": "theses"}, RulesError, "thesis"),
        ({"rules": {"name": "thesis", "attack_kil": 1}}, RulesError, "attack_kil"),
        ({"players": 1}, RulesError, r"2 \.\. 6"),
        ({"players": 7}, RulesError, r"2 \.\. 6"),
        ({"players": True}, RulesError, r"2 \.\. 6"),
        ({"seed": 1.5}, GameError, "seed"),
        ({"seed": -(10**299)}, GameError, "fewer than 300 digits"),
        ({"picks": "some"}, GameError, "picks"),
        ({"map": RING, "players": 6}, RulesError, "only 1 of the 2"),
    ],
)
def test_game_rejects_invalid_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        Game(**arguments)


@pytest.mark.parametrize("changes", [
    {"attack_kill": 1.5}, {"attack_kill": float("nan")}, {"luck": -0.1}, {"base_income": -1}, {"base_income": 2.5},
    {"picks": 0}, {"picking": "x"}, {"fog": 1}, {"tie_break": "y"}, {"max_rounds": "9"}, {"wasteland_army": 0},
    {"picking": "ranked", "ranked": 1},
])  # fmt: skip
def test_rules_error_names_the_invalid_field(changes):
    with pytest.raises(RulesError, match=list(changes)[-1]):
        Rules.of("thesis", **changes)


def test_damaged_saved_games_raise_an_error():
    game = small_game()
    good = game.to_dict()
    assert Game.from_dict(good) == game
    damages = [
        lambda d: d.pop("state"),
        lambda d: d.update(format=99),
        lambda d: d["state"].pop("rng"),
        lambda d: d["state"]["army"].__setitem__(0, 0),
        lambda d: d["state"]["army"].pop(),
        lambda d: d["state"]["owner"].__setitem__(0, 5),
        lambda d: d["state"]["owner"].__setitem__(0, "0"),
        lambda d: d["state"].update(rng=[1.5, 2]),
        lambda d: d["state"]["army"].__setitem__(0, 77),
    ]
    for damage in damages:
        bad = game.to_dict()
        damage(bad)
        with pytest.raises(GameError, match="saved game"):
            Game.from_dict(bad)


def test_orders_with_huge_integers_are_dropped():
    game = small_game()
    huge = Orders([(0, 10**30), (-(10**30), 1)], [(0, 10**40, 1)])
    assert len(game.play_round([huge, None], on_illegal="skip").dropped) == 3


@pytest.mark.parametrize(
    "error",
    [
        IllegalOrdersError([IllegalOrder(0, "deploy", 0, (1, 2), "no such region")]),
        OrdersTypeError("must be a list", 1),
        ActionError(0, 1, "too large"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_can_be_pickled(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error) and vars(again) == vars(error)


@pytest.mark.parametrize("rules", [None, 5, [], Rules])
def test_rules_of_a_wrong_type_raise_an_error(rules):
    with pytest.raises(RulesError, match="must be the name of a preset"):
        Game(RING, rules)


def test_unknown_preset_name_raises_an_error():
    with pytest.raises(RulesError, match="chalenge1"):
        Rules.of({"name": "chalenge1"})
    custom = Rules.of("challenge1", name="mine")
    assert Rules.of(custom.to_dict()) == custom


@pytest.mark.parametrize("map_", [None, 5, b"world"])
def test_maps_of_a_wrong_type_raise_an_error(map_):
    with pytest.raises(MapError, match="map = "):
        Game(map_)


@pytest.mark.parametrize(
    "script", [[0.5, 1], np.zeros(5), np.zeros(1, dtype=np.int64), np.zeros((2, 2), dtype=np.int64)]
)
def test_invalid_script_raises_an_error_and_leaves_no_undo_entry(script):
    game = small_game()
    with pytest.raises(GameError, match="script"):
        game.play_round([None, None], script=script)
    assert not game.can_undo


def test_impossible_saved_games_raise_an_error():
    game = Game("small", "challenge2", seed=3)
    n = game.map.n_regions
    for change, message in [
        ({"offers": [0] * n}, "too few regions"),
        ({"round": 2**31 - 1}, "round"),
        ({"rng": [0, 0]}, "rng"),
        ({"phase": 1, "offers": [0] * n, "owner": [0] * n}, "player 1 is not eliminated, but owns no region"),
        (
            {"phase": 1, "offers": [0] * n, "owner": [0, 1] * (n // 2), "round": 3, "eliminated_at": [0, 3]},
            "player 1 is eliminated, but owns regions",
        ),
    ]:
        saved = game.to_dict()
        saved["state"].update(change)
        del saved["hash"]
        with pytest.raises(GameError, match=message):
            Game.from_dict(saved)


def test_a_saved_game_keeps_the_names_of_its_map():
    text = maps.dumps(maps.load("small")).replace("Frostcape", "Frostcape X")
    game = Game(maps.from_json(text))
    assert "Frostcape X" in [region.name for region in pickle.loads(pickle.dumps(game)).map.regions]
