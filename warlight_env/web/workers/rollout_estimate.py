"""Estimates win probabilities of a position by rollouts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from warlight_env.agents.context import bare_context
from warlight_env.agents.evaluation.determinization import proportional_determinization
from warlight_env.agents.players.batch_games import AGGRESSIVE, play_games
from warlight_env.agents.weights import THESIS
from warlight_env.arena.ratings.statistics import wilson_interval
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.engine.state import OVER, PLAY, make_state, make_workspace
from warlight_env.engine.view import View

ROUNDS: Final = 100  # after this number of rounds a playout ends: most regions win; if equal, most armies


def estimate_win_probabilities(
    view: View, owner: Sequence[int], army: Sequence[int], seed: int, games: int
) -> list[list[float]]:
    """Return for each player [share of playouts won, low, high]: a Wilson interval of 95 %.

    All players play like the `aggressive` bot, for at most `ROUNDS` more rounds. Unknown regions count as neutral with
    two armies. A player without a visible region gets the unknown regions that are farthest from the viewer's, one for
    every two regions of the viewer.

    Args:
        view: a player's view of a game in play; it has the board and the rules. owner, army: the owner and the army of
            each of the N regions, [N].
    """
    board, players = view.board, view.players
    seen = replace(view, owner=np.array(owner, dtype=np.int8), army=np.array(army, dtype=np.int32))
    position = proportional_determinization(seen)
    own = position.owner
    state = make_state(games, board.n_regions, players)
    state.owner[:], state.army[:], state.phase[:] = own, position.army, PLAY
    out = [p for p in range(players) if not (own == p).any()]
    state.eliminated_at[:, out] = 1
    alive = players - len(out)
    if alive > 1:
        rng = np.zeros((games, players, 2), dtype=np.uint64)
        for b in range(games):
            state.rng[b] = make_rng(derive_seed(seed, b))
            for p in range(players):
                rng[b, p] = make_rng(derive_seed(seed, b, p + 1))
        policies = np.full(players, AGGRESSIVE, dtype=np.int32)
        work = make_workspace(board.n_regions, board.n_edges, players)
        context = bare_context(board, view.params, players, THESIS)
        play_games(context, state, 0, games, policies, rng, ROUNDS, work)
    wins = [0] * players
    for b in range(games):
        winner = int(state.winner[b]) if state.phase[b] == OVER else -1
        if winner < 0:
            sizes = [
                (int((state.owner[b] == p).sum()), int(state.army[b][state.owner[b] == p].sum()))
                for p in range(players)
            ]
            winner = sizes.index(max(sizes))
        wins[winner] += 1
    return [[round(v, 4) for v in _interval(won, games)] for won in wins]


def _interval(won: int, games: int) -> tuple[float, float, float]:
    interval = wilson_interval(won, games)
    return won / games, interval.low, interval.high
