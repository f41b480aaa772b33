"""Rollouts from a position: win probabilities, and the positions some rounds later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import bare_context
from warlight_env.agents.evaluation.determinization import proportional_determinization
from warlight_env.agents.players.batch_games import AGGRESSIVE, play_games
from warlight_env.agents.weights import THESIS
from warlight_env.arena.ratings.statistics import wilson_interval
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.engine.state import OVER, PLAY, State, make_state, make_workspace
from warlight_env.engine.view import View
from warlight_env.game import Game

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
    players = view.players
    seen = replace(view, owner=np.array(owner, dtype=np.int8), army=np.array(army, dtype=np.int32))
    position = proportional_determinization(seen)
    start = OwnersAndArmies(np.tile(position.owner, (games, 1)), np.tile(position.army, (games, 1)))
    state = _Rollouts(view, start, seed).play(ROUNDS)
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


class OwnersAndArmies(NamedTuple):
    """The owners int8[B, N] and the armies int32[B, N] of N regions in B positions."""

    owner: npt.NDArray[np.int8]
    army: npt.NDArray[np.int32]


def positions_of(games: Sequence[Game]) -> OwnersAndArmies:
    """Return the positions of B games on the same map."""
    return OwnersAndArmies(np.array([game.owner for game in games]), np.array([game.army for game in games]))


def later_positions(view: View, games: Sequence[Game], seed: int, rounds: Sequence[int]) -> list[OwnersAndArmies]:
    """Return the positions after each number of further rounds, in one rollout of each game.

    Args:
        view: a view of one of the games; it has the board and the rules. rounds: numbers in increasing order.
    """
    rollouts, played, found = _Rollouts(view, positions_of(games), seed), 0, []
    for number in rounds:
        state = rollouts.play(number - played)
        played = number
        found.append(OwnersAndArmies(state.owner.copy(), state.army.copy()))
    return found


class _Rollouts:
    """Rollouts in which all players play like the `aggressive` bot; each has its own dice."""

    def __init__(self, view: View, start: OwnersAndArmies, seed: int) -> None:
        board, players, games = view.board, view.players, len(start.owner)
        self._state = make_state(games, board.n_regions, players)
        self._state.owner[:], self._state.army[:] = start
        absent = np.stack([~(start.owner == p).any(axis=1) for p in range(players)], axis=1)
        self._state.eliminated_at[absent] = 1
        self._state.phase[:] = np.where(players - absent.sum(axis=1) > 1, PLAY, OVER)
        self._rng = np.zeros((games, players, 2), dtype=np.uint64)
        for b in range(games):
            self._state.rng[b] = make_rng(derive_seed(seed, b))
            for p in range(players):
                self._rng[b, p] = make_rng(derive_seed(seed, b, p + 1))
        self._policies = np.full(players, AGGRESSIVE, dtype=np.int32)
        self._work = make_workspace(board.n_regions, board.n_edges, players)
        self._context = bare_context(board, view.params, players, THESIS)

    def play(self, rounds: int) -> State:
        """Play at most `rounds` more rounds of each game, and return the state of all games."""
        play_games(self._context, self._state, 0, len(self._rng), self._policies, self._rng, rounds, self._work)
        return self._state


def _interval(won: int, games: int) -> tuple[float, float, float]:
    interval = wilson_interval(won, games)
    return won / games, interval.low, interval.high
