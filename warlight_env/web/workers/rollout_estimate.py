"""Rollouts from a position: win probabilities, and the positions some rounds later."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import bare_context
from warlight_env.agents.evaluation.determinization import proportional_determinization
from warlight_env.agents.players.batch_games import AGGRESSIVE, IDLE, play_games, seed_games
from warlight_env.agents.weights import THESIS
from warlight_env.arena.ratings.statistics import wilson_interval
from warlight_env.engine.state import OVER, PLAY, State, make_state, make_workspace
from warlight_env.engine.view import View
from warlight_env.game import Game

ROUNDS: Final = 100  # after this number of rounds a playout ends: most regions win; if equal, most armies
#: Above the number of all armies in a game.
_MORE_THAN_ALL_ARMIES: Final = 2**40


def estimate_win_probabilities(
    view: View, owner: Sequence[int], army: Sequence[int], seed: int, games: int, absent: Collection[int] = ()
) -> list[list[float]]:
    """Return for each player [share of playouts won, low, high]: a Wilson interval of 95 %.

    All players play like the `aggressive` bot, for at most `ROUNDS` more rounds; only absent players give no orders and
    cannot win. Unknown regions count as neutral with two armies. A player without a visible region gets the unknown
    regions that are farthest from the viewer's, one for every two regions of the viewer.

    Args:
        view: a player's view of a game in play; it has the board and the rules. owner, army: the owner and the army of
            each of the N regions, [N]. absent: the players that have resigned or lost by forfeit.
    """
    position_view = replace(view, owner=np.array(owner, dtype=np.int8), army=np.array(army, dtype=np.int32))
    position = proportional_determinization(position_view)
    positions = OwnersAndArmies(position.owner[None], position.army[None])
    wins = _wins(view, positions, [seed], games, absent)[0].tolist()
    return [[round(v, 4) for v in _interval(won, games)] for won in wins]


def win_shares(
    view: View, positions: OwnersAndArmies, seeds: Sequence[int], games: int, absent: Collection[int] = ()
) -> npt.NDArray[np.float64]:
    """Return the share of playouts that each player wins from K positions without hidden regions, float64[K, P].

    A row has the shares of `estimate_win_probabilities` for this position with the seed of this position. One call for
    many positions takes less time than one call for each.

    Args:
        view: a view of a game with the same board, rules and players. seeds: K seeds. games: playouts of each position.
        absent: see `estimate_win_probabilities`.
    """
    return np.round(_wins(view, positions, seeds, games, absent) / games, 4)


class OwnersAndArmies(NamedTuple):
    """The owners int8[B, N] and the armies int32[B, N] of N regions in B positions."""

    owner: npt.NDArray[np.int8]
    army: npt.NDArray[np.int32]


def positions_of(games: Sequence[Game]) -> OwnersAndArmies:
    """Return the positions of B games on the same map."""
    return OwnersAndArmies(np.array([game.owner for game in games]), np.array([game.army for game in games]))


def later_positions(
    view: View, games: Sequence[Game], seed: int, rounds: Sequence[int], absent: Collection[int] = ()
) -> list[OwnersAndArmies]:
    """Return the positions after each number of further rounds, in one rollout of each game.

    Args:
        view: a view of one of the games; it has the board and the rules. rounds: numbers in increasing order.
        absent: see `estimate_win_probabilities`.
    """
    rollouts, rounds_played, snapshots = _Rollouts(view, positions_of(games), [seed], absent), 0, []
    for number in rounds:
        state = rollouts.play(number - rounds_played)
        rounds_played = number
        snapshots.append(OwnersAndArmies(state.owner.copy(), state.army.copy()))
    return snapshots


def _wins(
    view: View, positions: OwnersAndArmies, seeds: Sequence[int], games: int, absent: Collection[int]
) -> npt.NDArray[np.int64]:
    """Return the number of playouts that each player wins from K positions, int64[K, P]."""
    starts = OwnersAndArmies(np.repeat(positions.owner, games, axis=0), np.repeat(positions.army, games, axis=0))
    state = _Rollouts(view, starts, seeds, absent).play(ROUNDS)
    owned = state.owner[:, None, :] == np.arange(view.players)[:, None]
    score = owned.sum(axis=2) * _MORE_THAN_ALL_ARMIES + (owned * state.army[:, None, :].astype(np.int64)).sum(axis=2)
    score[:, list(absent)] = -1
    decided = (state.phase == OVER) & (state.winner >= 0)
    winner = np.where(decided, state.winner, score.argmax(axis=1))
    won = (winner[:, None] == np.arange(view.players)) & ~np.isin(np.arange(view.players), list(absent))
    return np.asarray(won.reshape(len(seeds), games, view.players).sum(axis=1))


class _Rollouts:
    """Rollouts in which all players play like the `aggressive` bot; each rollout has its own dice.

    The players in `absent` give no orders. Each of the seeds belongs to an equal number of successive rollouts.
    """

    def __init__(
        self, view: View, start: OwnersAndArmies, seeds: Sequence[int], absent: Collection[int] = ()
    ) -> None:  # fmt: skip
        board, players, games = view.board, view.players, len(start.owner)
        self._state = make_state(games, board.n_regions, players)
        self._state.owner[:], self._state.army[:] = start
        eliminated = np.stack([~(start.owner == p).any(axis=1) for p in range(players)], axis=1)
        self._state.eliminated_at[eliminated] = 1
        self._state.phase[:] = np.where(players - eliminated.sum(axis=1) > 1, PLAY, OVER)
        self._rng = np.zeros((games, players, 2), dtype=np.uint64)
        seed_games(np.array([seed % 2**64 for seed in seeds], dtype=np.uint64), self._state.rng, self._rng)
        self._policies = np.full(players, AGGRESSIVE, dtype=np.int32)
        self._policies[list(absent)] = IDLE
        self._work = make_workspace(board.n_regions, board.n_edges, players)
        self._context = bare_context(board, view.params, players, THESIS)

    def play(self, rounds: int) -> State:
        """Play at most `rounds` more rounds of each game, and return the state of all games."""
        play_games(self._context, self._state, 0, len(self._rng), self._policies, self._rng, rounds, self._work)
        return self._state


def _interval(won: int, games: int) -> tuple[float, float, float]:
    interval = wilson_interval(won, games)
    return won / games, interval.low, interval.high
