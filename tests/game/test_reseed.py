"""New dice for a game or a clone: seeds, distribution, undo, copies, saves and logs."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest
from scipy import stats

from helpers import RING, position
from warlight_env.engine.dice import kills_pmf
from warlight_env.engine.rules import Rules
from warlight_env.game import Game, GameError, Orders

#: Region 0 attacks region 1 with seven armies.
ATTACK = Orders([], [(0, 1, 7)])


def battle(seed: int = 3) -> Game:
    """A game in which player 0 can attack."""
    game = Game(RING, Rules.of("thesis", picks=1), seed=seed, picks="random")
    return position(game, [0, 1, 0, 1, 0, 1], [8, 7, 4, 6, 5, 7])


def future(game: Game, rounds: int = 3) -> str:
    """Return the hash of the game after some rounds."""
    game = game.clone()
    for _ in range(rounds):
        game.play_round([Orders([], [(0, 1, 2), (2, 3, 2)]), Orders([], [(1, 2, 3), (5, 0, 3)])], on_illegal="skip")
    return game.hash()


def p_value(killed: list[int], pmf: np.ndarray) -> float:
    """The p-value of a chi-square test of numbers of kills; the three smallest numbers are one class."""
    seen, expected = np.bincount(killed, minlength=len(pmf)), pmf * len(killed)
    result = stats.chisquare([seen[:3].sum(), *seen[3:]], [expected[:3].sum(), *expected[3:]])
    return float(result.pvalue)


def test_a_clone_without_a_seed_has_the_same_future():
    game = battle()
    assert future(game.clone()) == future(game.clone(seed=None)) == future(copy.copy(game)) == future(game)
    assert (game.clone().seed, game.clone().reseeded) == (3, False)


def test_the_kills_of_clones_with_new_seeds_follow_the_exact_distribution():
    game, before = battle(), battle().hash()
    killed = [game.clone(seed).play_round([ATTACK, None]).events[0].defenders_lost for seed in range(4000)]
    assert p_value(killed, kills_pmf(7, 0.6)) > 1e-4
    assert game.hash() == before


def test_the_kills_of_one_game_with_new_seeds_follow_the_exact_distribution():
    game, killed = battle(), []
    for seed in range(4000):
        game.reseed(seed)
        killed.append(game.play_round([ATTACK, None]).events[0].attackers_lost)
        game.undo()
    assert p_value(killed, kills_pmf(7, 0.7)) > 1e-4


def test_consecutive_seeds_give_independent_dice():
    game = battle()
    killed = np.array([game.clone(seed).play_round([ATTACK, None]).events[0].defenders_lost for seed in range(4001)])
    table = np.zeros((8, 8))
    np.add.at(table, (killed[:-1], killed[1:]), 1)
    assert stats.chi2_contingency(table[2:, 2:]).pvalue > 1e-4


def test_only_position_and_seed_determine_the_future():
    one, two = battle(3), battle(4)
    assert future(one) != future(two)
    assert future(one.clone(7)) == future(two.clone(7)) != future(one.clone(8))
    two.reseed(np.int64(7))
    assert two == one.clone(seed=7)


def test_the_seed_of_a_game_gives_its_clone_other_dice():
    game = battle(3)
    assert future(game.clone(seed=game.seed)) != future(game)
    start = Game(RING, Rules.of("thesis", picks=1), seed=5)
    assert start.clone(seed=5) != start


def test_the_seed_of_a_game_is_read_only():
    game = battle()
    with pytest.raises(AttributeError, match="reseed"):
        game.seed = 5
    assert (game.seed, game.reseeded) == (3, False)
    game.reseed(5)
    assert (game.seed, game.reseeded) == (5, True)


@pytest.mark.parametrize("seed", [1.5, "1", True, [1]])
def test_invalid_seeds_change_nothing(seed):
    game = battle()
    before = game.hash()
    for call in (game.reseed, game.clone):
        with pytest.raises(GameError, match=r"seed = .*: must be an integer"):
            call(seed)
        with pytest.raises(GameError, match="seed: must have fewer than 300 digits"):
            call(10**299)
    with pytest.raises(GameError, match="seed = None: must be an integer"):
        game.reseed(None)
    assert (game.hash(), game.seed, game.reseeded) == (before, 3, False)


def test_undo_restores_the_dice_before_the_step():
    game = battle()
    start = game.hash()
    game.play_round([ATTACK, None])
    after = game.hash()
    game.reseed(7)
    reseeded = game.hash()
    assert reseeded != after
    assert game.round == 1 and game.can_undo, "reseed is not a step"
    game.play_round([ATTACK, None], on_illegal="skip")
    game.reseed(8)
    game.undo()
    assert (game.hash(), game.seed, game.reseeded) == (reseeded, 7, True)
    game.undo()
    assert (game.hash(), game.seed, game.reseeded) == (start, 3, False)
    game.play_round([ATTACK, None])
    assert game.hash() == after


def test_new_dice_of_a_clone_do_not_change_the_original():
    game = battle()
    game.play_round([ATTACK, None])
    other, before, expected = game.clone(seed=7), game.hash(), future(game)
    other.play_round([ATTACK, None], on_illegal="skip")
    other.reseed(8)
    assert (game.hash(), game.seed, future(game)) == (before, 3, expected)


def test_new_dice_change_picks_but_not_offers():
    game = Game("world", Rules.of("challenge1", picks=2), seed=3)
    wanted = {player: game.offers(player)[:6] for player in range(2)}
    owners = set()
    for seed in range(20):
        other = game.clone(seed)
        assert [other.offers(player) for player in range(2)] == [game.offers(player) for player in range(2)]
        other.pick(wanted)
        owners.add(tuple(other.owner.tolist()))
    assert len(owners) > 1, "both players want the same regions, so the dice decide"


def test_new_dice_of_a_finished_game_change_only_its_dice():
    game = position(battle(), [0, 1, 0, 0, 0, 0], [90, 1, 1, 1, 1, 1])
    game.play_round([Orders([], [(0, 1, 89)]), None])
    assert game.done
    saved = game.to_dict()["state"]
    game.reseed(7)
    now = game.to_dict()["state"]
    assert now.pop("rng") != saved.pop("rng")
    assert now == saved


def test_pickles_copies_and_saves_keep_the_new_dice():
    game = battle()
    game.reseed(7)
    for other in (
        pickle.loads(pickle.dumps(game)),
        copy.deepcopy(game),
        game.clone(),
        Game.from_dict(json.loads(json.dumps(game.to_dict()))),
    ):
        assert (other.seed, other.reseeded) == (7, True)
        assert other == game and future(other) == future(game)


def test_saved_game_with_an_invalid_reseeded_flag_raises_an_error():
    saved = battle().to_dict()
    with pytest.raises(GameError, match="saved game: 'reseeded' must be true or false, not 1"):
        Game.from_dict({**saved, "reseeded": 1})
    del saved["reseeded"]
    with pytest.raises(GameError, match="saved game: 'reseeded' is missing"):
        Game.from_dict(saved)
