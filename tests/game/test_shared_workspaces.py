"""Games of one shape share working memory, but two calls never use the same memory at the same time."""

from __future__ import annotations

import copy
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from warlight_env.engine import workspace_pool
from warlight_env.game import Game, IllegalOrdersError, Orders


def attack(game: Game, player: int, kept: int) -> Orders:
    """Return a legal turn: the income goes to a region, and all armies but some attack from there."""
    home = game.owner.tolist().index(player)
    target = next(r for r in game.map.neighbors[home] if game.owner[r] != player)
    return Orders([(home, game.income(player))], [(home, target, int(game.army[home]) + game.income(player) - kept)])


def new_game_with_turns() -> tuple[Game, list[Orders]]:
    """Return a game and a turn of each player."""
    game = Game("small", seed=3, picks="random")
    return game, [attack(game, player, kept=1) for player in range(2)]


class Interrupted(Orders):
    """Orders that run a function before their conversion to arrays."""

    def before(self, run):
        self.run = run
        return self

    def arrays(self):
        self.run()
        return super().arrays()


def in_a_thread(call):
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()


@pytest.mark.parametrize("place", [lambda call: call(), in_a_thread], ids=["the same thread", "another thread"])
@pytest.mark.parametrize("of", ["clone", "game of the same shape"])
def test_a_round_inside_a_round_changes_nothing(place, of):
    game, turns = new_game_with_turns()
    other = game.clone() if of == "clone" else Game("small", seed=9, picks="random")
    expected = game.clone()
    expected.play_round(turns)
    others = [attack(other, player, kept=2 + player) for player in range(2)]
    other_expected = other.clone()
    other_expected.play_round(others)

    last = Interrupted(turns[1].deploys, turns[1].attacks).before(lambda: place(lambda: other.play_round(others)))
    game.play_round([turns[0], last])
    assert game == expected
    assert other == other_expected


def test_shared_memory_is_usable_after_an_illegal_round():
    game, turns = new_game_with_turns()
    expected = game.clone()
    expected.play_round(turns)
    with pytest.raises(IllegalOrdersError):
        game.play_round([turns[0], Orders([(0, 10**6)], [(0, 1, 10**6)])])
    other = game.clone()
    other.play_round(turns)
    assert other == expected


def test_picks_do_not_depend_on_earlier_calls_of_other_games():
    alone = Game("small", "challenge2", seed=5)
    alone.pick({p: alone.offers(p)[:1] for p in alone.pickers()})
    game, turns = new_game_with_turns()
    for _ in range(3):
        game.play_round(turns, on_illegal="skip")
    after = Game("small", "challenge2", seed=5)
    after.pick({p: after.offers(p)[:1] for p in after.pickers()})
    assert after == alone


def test_clones_and_copies_need_no_new_memory(monkeypatch):
    game, turns = new_game_with_turns()
    game.play_round(turns)

    def refuse(*shape):
        raise AssertionError(f"new working memory of shape {shape}")

    monkeypatch.setattr(workspace_pool, "make_workspace", refuse)
    for other in (game.clone(), game.clone(seed=7), copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
        other.play_round([Orders(), Orders()])
        other.check(0, Orders())


def test_clones_in_threads_play_like_clones_in_sequence():
    game, _ = new_game_with_turns()

    def play(seed: int, other: Game) -> str:
        rng = np.random.default_rng(seed)
        for _ in range(60):
            if other.done:
                break
            deploys = [[(int(region), other.income(p))] for p in range(2) for region in [rng.integers(10)]]
            other.play_round([Orders(deploys[p], [(0, 1, 3), (3, 4, 2), (5, 6, 1)]) for p in range(2)], "skip")
        return other.hash()

    def clones() -> list[Game]:
        return [game.clone(seed) for seed in range(24)]

    alone = list(map(play, range(24), clones()))
    assert len(set(alone)) == len(alone)
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(play, range(24), clones())) == alone
