"""Equal seeds give equal games: alone, in batches of any size, with one or two threads, cloned or saved."""

from __future__ import annotations

import copy
import json
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from helpers import PRESETS
from warlight_env import maps
from warlight_env.agents.context import bare_context
from warlight_env.agents.players.aggressive import AggressiveAgent
from warlight_env.agents.players.batch_games import play_games
from warlight_env.agents.players.random import RandomAgent
from warlight_env.agents.weights import THESIS
from warlight_env.engine.board import make_board
from warlight_env.engine.orders import Orders
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.engine.rules import Rules
from warlight_env.engine.setup import check_players, resolve_picks, start_game
from warlight_env.engine.state import OVER, PICK, make_scratch, make_state, make_workspace, state_bytes
from warlight_env.game import Game

ROUNDS = 40


def play_batch(seeds: list[int], preset: str, threads: int = 1) -> list[bytes]:
    """Return the final states of random against aggressive without fog, from one batch of games."""
    board = make_board(maps.load("world"))
    params = check_players(board, Rules.of(preset, fog=False, max_orders=0), 2)
    state = make_state(len(seeds), board.n_regions, 2)
    policy_rng = np.zeros((len(seeds), 2, 2), dtype=np.uint64)
    no_preferences = np.full((2, 1), -1, dtype=np.int32)
    for b, seed in enumerate(seeds):
        state.rng[b] = make_rng(derive_seed(seed))
        scratch = make_scratch(board.n_regions, 2)
        start_game(board, params, state, b, scratch)
        while state.phase[b] == PICK:
            resolve_picks(params, state, b, no_preferences, np.zeros(2, dtype=np.int32), scratch)
        policy_rng[b] = [make_rng(derive_seed(seed, p)) for p in range(2)]
    context = bare_context(board, params, 2, THESIS)
    policies = np.array([0, 1], dtype=np.int32)

    def play(part: range) -> None:
        work = make_workspace(board.n_regions, board.n_edges, 2)
        play_games(context, state, part.start, part.stop, policies, policy_rng, ROUNDS, work)

    size = len(seeds) // threads
    parts = [range(i * size, len(seeds) if i == threads - 1 else (i + 1) * size) for i in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(play, parts))
    return [state_bytes(state, b) for b in range(len(seeds))]


def play_single_game(seed: int, preset: str) -> bytes:
    """Play the same game through `Game` and agents, and return its final state."""
    game = Game("world", Rules.of(preset, fog=False, max_orders=0), seed=seed, picks="random")
    agents = [RandomAgent(derive_seed(seed, 0)), AggressiveAgent(derive_seed(seed, 1))]
    while game._state.phase[0] != OVER and game.round < ROUNDS:
        game.play_round([agent.act(game.view(p)) for p, agent in enumerate(agents)])
    return state_bytes(game._state)


@pytest.mark.parametrize("preset", PRESETS)
def test_single_games_batches_and_threads_give_equal_states(preset):
    seeds = list(range(12))
    expected = [play_single_game(seed, preset) for seed in seeds]
    assert play_batch(seeds, preset) == expected
    assert play_batch(seeds, preset, threads=2) == expected
    assert play_batch(seeds[:5], preset) + play_batch(seeds[5:], preset) == expected
    assert len(set(expected)) == len(expected)


def game_after_rounds(seed: int = 3, rounds: int = 6, **kwargs) -> Game:
    game = Game("world", seed=seed, picks="random", **kwargs)
    agents = [RandomAgent(p) for p in range(game.players)]
    for _ in range(rounds):
        game.play_round([agent.act(game.view(p)) for p, agent in enumerate(agents)])
    return game


def play_on(game: Game, rounds: int = 5) -> str:
    agents = [RandomAgent(50 + p) for p in range(game.players)]
    for _ in range(rounds):
        if not game.done:
            game.play_round([agent.act(game.view(p)) for p, agent in enumerate(agents)])
    return game.hash()


@pytest.mark.parametrize("players", [2, 3, 6])
def test_clones_copies_and_saved_games_continue_identically(players):
    game = game_after_rounds(players=players)
    copies = [
        game.clone(),
        copy.copy(game),
        copy.deepcopy(game),
        pickle.loads(pickle.dumps(game)),
        Game.from_dict(json.loads(json.dumps(game.to_dict()))),
    ]
    before = game.hash()
    futures = {play_on(other) for other in copies}
    assert game.hash() == before
    assert futures == {play_on(game)}
    assert game.hash() != before


def test_undo_restores_each_earlier_state():
    game = game_after_rounds(rounds=4)
    hashes = [game.hash()]
    for _ in range(3):
        agents = [RandomAgent(9), RandomAgent(8)]
        game.play_round([agent.act(game.view(p)) for p, agent in enumerate(agents)])
        hashes.append(game.hash())
    for expected in reversed(hashes[:-1]):
        game.undo()
        assert game.hash() == expected
    while game.can_undo:
        game.undo()
    assert (game.phase, game.round) == ("play", 0)


def test_undo_of_a_clone_does_not_change_the_original():
    game = game_after_rounds()
    other, before = game.clone(), game.hash()
    other.undo()
    assert game.hash() == before
    assert other.round == game.round - 1


def test_the_hash_depends_on_map_rules_seed_and_position():
    hashes = {
        Game("world", seed=1).hash(),
        Game("world", seed=2).hash(),
        Game("small", seed=1).hash(),
        Game("world", "thesis_draft", seed=1).hash(),
        Game("world", Rules.of("thesis", fog=True), seed=1).hash(),
        Game("world", players=3, seed=1).hash(),
    }
    game = Game("world", seed=1, picks="random")
    hashes.add(game.hash())
    game.play_round([Orders(), Orders()])
    hashes.add(game.hash())
    assert len(hashes) == 8


def test_a_clone_has_its_own_undo_history():
    game = Game("small", seed=1, picks="random")
    start = game.hash()
    home = game.owner.tolist().index(0)
    game.play_round([Orders([(home, 5)]), None])
    clone = game.clone()
    game.undo()
    game.play_round([Orders([(home, 1)]), None])
    clone.undo()
    assert clone.hash() == start
    game.undo()
    clone.play_round([Orders([(home, 2)]), None])
    assert game.hash() == start
