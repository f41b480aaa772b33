"""A batch of random games, which measurements play several times."""

from __future__ import annotations

import ctypes
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import cpp_baseline
from warlight_env import maps
from warlight_env.agents.context import bare_context
from warlight_env.agents.players.batch_games import RANDOM, play_games
from warlight_env.agents.weights import THESIS
from warlight_env.engine.board import make_board
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.engine.rules import Rules
from warlight_env.engine.setup import check_players, resolve_picks, start_game
from warlight_env.engine.state import State, copy_state, make_scratch, make_state, make_workspace

#: The number of rounds of each game.
ROUNDS = 100


class Playouts:
    """A batch of random games from random starts, which can be played several times."""

    def __init__(self, games: int) -> None:
        self.games = games
        self.board = make_board(maps.load("world"))
        self.params = check_players(self.board, Rules.of("thesis"), 2)
        self.context = bare_context(self.board, self.params, 2, THESIS)
        self.start = make_state(games, self.board.n_regions, 2)
        scratch = make_scratch(self.board.n_regions, 2)
        no_picks, no_counts = np.full((2, 1), -1, dtype=np.int32), np.zeros(2, dtype=np.int32)
        for b in range(games):
            self.start.rng[b] = make_rng(derive_seed(b))
            start_game(self.board, self.params, self.start, b, scratch)
            resolve_picks(self.params, self.start, b, no_picks, no_counts, scratch)
        self.policy_rng = np.array([[make_rng(derive_seed(b, p)) for p in range(2)] for b in range(games)])

    def play(self, policy: int = RANDOM, threads: int = 1) -> tuple[State, int, float]:
        """Return the final states, the number of rounds played, and the time in seconds."""
        state, policy_rng = copy_state(self.start), self.policy_rng.copy()
        policies = np.full(2, policy, dtype=np.int32)
        n, e = self.board.n_regions, self.board.n_edges
        workspaces = [make_workspace(n, e, 2) for _ in range(threads)]
        cuts = [self.games * i // threads for i in range(threads + 1)]

        def part(i: int) -> int:
            total = play_games(self.context, state, cuts[i], cuts[i + 1], policies, policy_rng, ROUNDS, workspaces[i])
            return int(total)

        if threads == 1:
            start = time.perf_counter()
            rounds = part(0)
            return state, rounds, time.perf_counter() - start
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda _: None, range(threads)))
            start = time.perf_counter()
            rounds = sum(pool.map(part, range(threads)))
            return state, rounds, time.perf_counter() - start

    def play_in_cpp(self, library: ctypes.CDLL) -> tuple[State, int, float]:
        """Play the same random games in the C++ baseline."""
        state, policy_rng = copy_state(self.start), self.policy_rng.copy()
        start = time.perf_counter()
        rounds = cpp_baseline.play_out(library, self.board, self.params, state, policy_rng, 0, self.games, ROUNDS)
        return state, rounds, time.perf_counter() - start

    def rate(self, policy: int = RANDOM, threads: int = 1) -> float:
        """Return the rounds per second."""
        _, rounds, wall = self.play(policy, threads)
        return rounds / wall
