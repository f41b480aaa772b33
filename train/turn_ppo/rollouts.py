"""Rollouts of a turn network in compiled games: its turns, their log-probabilities and the rewards.

A rollout has B games and T rounds. In each game the learner has one seat, and samples its turns from its
probabilities. All other seats have the same opponent, a function with the type `agents.context.policy_signature`. When
a game ends for the learner, a new game starts, with other random numbers and random start regions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context, draw_turn, evaluate
from warlight_env.agents.records.generator_work import GeneratorWork, make_generator_work
from warlight_env.agents.turn_net.forward import embed_regions, player_scores
from warlight_env.agents.turn_net.turns import network_turn
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Bool, Int, RandomState, Real
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.orders import cut_turn
from warlight_env.engine.position import Position, position_at
from warlight_env.engine.reference import reference
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.engine.round import play_round
from warlight_env.engine.setup import resolve_picks, start_game
from warlight_env.engine.state import OVER, PICK, State, Workspace, make_state, make_workspace
from warlight_env.thread_ownership import SingleThreaded
from warlight_env.train.common.game_configs import GameConfig
from warlight_env.train.common.threads import in_threads
from warlight_env.train.turn_net.batches import TurnRows

#: The number of games that a thread plays one after the other.
_PART: Final = 16


class Rollout(NamedTuple):
    """The learner's positions, turns and rewards in T rounds of B games."""

    owner: npt.NDArray[np.int8]  #: [B, T, N]
    army: npt.NDArray[np.int32]  #: [B, T, N]
    round: npt.NDArray[np.int32]  #: [B, T]
    player: npt.NDArray[np.int64]  #: [B, T] the learner's seat
    row: npt.NDArray[np.int8]  #: [B, T, N + 2 E] the learner's turn
    log_probs: npt.NDArray[np.float32]  #: [B, T] log-probability of the turn
    values: npt.NDArray[np.float32]  #: [B, T + 1] the critic's win probability, before each turn and at the end
    reward: npt.NDArray[np.float32]  #: [B, T]
    done: npt.NDArray[np.bool_]  #: [B, T] whether the game ended with this round
    won: npt.NDArray[np.bool_]  #: [B, T] whether the learner won a game that ended with this round


def make_rollout(games: int, rounds: int, n_regions: int, n_edges: int) -> Rollout:
    """Return a rollout whose arrays contain zeros."""
    shape, n, size = (games, rounds), n_regions, n_regions + 2 * n_edges
    return reference(
        Rollout(
            np.zeros((*shape, n), np.int8), np.zeros((*shape, n), np.int32), np.zeros(shape, np.int32),
            np.zeros(shape, np.int64), np.zeros((*shape, size), np.int8), np.zeros(shape, np.float32),
            np.zeros((games, rounds + 1), np.float32), np.zeros(shape, np.float32), np.zeros(shape, np.bool_),
            np.zeros(shape, np.bool_),
        )
    )  # fmt: skip


class RolloutWork(NamedTuple):
    """The working memory of one thread that plays games."""

    orders: Workspace
    generator: GeneratorWork
    scores: npt.NDArray[np.float64]  #: [P]
    nobody: npt.NDArray[np.int32]  #: [P, 1] empty preference lists: all players get random regions
    none: npt.NDArray[np.int32]  #: [P] the lengths of the lists in `nobody`, all 0


def make_rollout_work(n_regions: int, n_edges: int, players: int) -> RolloutWork:
    """Return the working memory of one thread that plays games."""
    return reference(
        RolloutWork(
            make_workspace(n_regions, n_edges, players), make_generator_work(n_regions, n_edges, players),
            private_zeros(players, np.float64), private_zeros((players, 1), np.int32), private_zeros(players, np.int32),
        )
    )  # fmt: skip


@kernel
def _begin(context: Context, state: State, b: Int, work: RolloutWork) -> None:
    """Start game b again, with random start regions."""
    scratch = work.orders.scratch
    while not start_game(context.board, context.params, state, b, scratch):
        pass
    while state.phase[b] == PICK:
        resolve_picks(context.params, state, b, work.nobody, work.none, scratch)


@inline_kernel
def _value_of(context: Context, position: Position, player: Int, own_critic: Bool, work: RolloutWork) -> Real:
    """Return a player's win probability: from the network's value head if own_critic, else from the value function.

    If own_critic is true, the caller must compute the embeddings of the position for this player immediately before.
    """
    scores, total = work.scores, 0.0
    if not own_critic:
        evaluate(context, position, scores)
        return scores[player]
    player_scores(context, position, player, work.generator.net, scores)
    for p in range(scores.shape[0]):
        total += np.exp(scores[p] - scores[player])
    return 1.0 / total


@kernel
def _record(
    learner: Context, position: Position, player: Int, own_critic: Bool, b: Int, t: Int, rng: RandomState,
    work: RolloutWork, out: Rollout,
) -> Int:  # fmt: skip
    """Sample a turn of the learner, and write it to the orders in `work` and to the rollout.

    Return the number of attacks in the turn.
    """
    net, orders = work.generator.net, work.orders
    for r in range(position.owner.shape[0]):
        out.owner[b, t, r], out.army[b, t, r] = position.owner[r], position.army[r]
    out.round[b, t], out.player[b, t] = position.round[0], player
    count = network_turn(
        learner, position, player, 1.0, rng, work.generator, orders.deploy[player], orders.attacks[player]
    )
    for i in range(out.row.shape[2]):
        out.row[b, t, i] = net.row[i]
    out.log_probs[b, t] = np.float32(net.log_prob[0])
    out.values[b, t] = np.float32(_value_of(learner, position, player, own_critic, work))
    return np.int64(count)


@kernel
def _roll(
    learner: Context, opponent: Context, games: npt.NDArray[np.int64], state: State,
    rngs: npt.NDArray[np.uint64], max_rounds: Int, own_critic: Bool, work: RolloutWork, out: Rollout,
) -> Int:  # fmt: skip
    """Play all rounds of some games of a rollout, and return the number of games that ended."""
    players, orders, ended = learner.players, work.orders, np.int64(0)
    for k in range(games.shape[0]):
        b = games[k]
        player, position = b % players, position_at(state, b)
        _begin(learner, state, b, work)
        for t in range(out.round.shape[1]):
            for p in range(players):
                orders.counts[p] = 0
                deploy, attacks, rng = orders.deploy[p], orders.attacks[p], rngs[b, p]
                if p == player:
                    orders.counts[p] = _record(learner, position, p, own_critic, b, t, rng, work, out)
                elif state.eliminated_at[b, p] == 0:
                    count = draw_turn(opponent, position, p, rng, work.generator, deploy, attacks)
                    orders.counts[p] = cut_turn(learner.params, deploy, count)
                else:
                    for r in range(deploy.shape[0]):
                        deploy[r] = 0
            play_round(learner.params, state, b, orders, None, None)
            won = state.phase[b] == OVER and state.winner[b] == player
            over = state.phase[b] == OVER or state.eliminated_at[b, player] != 0
            reward: Real = 1.0 if won else 0.0
            if not over and position.round[0] >= max_rounds:  # truncated: the critic's value replaces later rewards
                over, reward = True, _value_now(learner, position, player, own_critic, work)
            out.reward[b, t], out.done[b, t], out.won[b, t] = np.float32(reward), over, won
            if over:
                ended += 1
                _begin(learner, state, b, work)
        last = _value_now(learner, position, player, own_critic, work)
        out.values[b, out.round.shape[1]] = np.float32(last)
    return ended


@kernel
def _value_now(context: Context, position: Position, player: Int, own_critic: Bool, work: RolloutWork) -> Real:
    if own_critic:
        embed_regions(context, position, player, work.generator.net)
    return _value_of(context, position, player, own_critic, work)


class Rollouts(SingleThreaded):
    """Plays rollouts in games of one game config.

    Args:
        config: the game config.
        games: B, the number of games.
        rounds: T, the number of rounds.
        max_rounds: games are truncated after this number of rounds.
        jobs: number of threads; the rollouts do not depend on it.
    """

    exclusive_methods = ("play",)

    def __init__(self, config: GameConfig, games: int, rounds: int, max_rounds: int, jobs: int) -> None:
        board = config.board
        n, e = board.n_regions, board.n_edges
        self.config, self._jobs, self._max_rounds = config, jobs, max_rounds
        self._out = make_rollout(games, rounds, n, e)
        self._state = make_state(games, n, config.players)

    def play(
        self, learner: Context, opponents: Sequence[Context], met: npt.NDArray[np.int64], seed: int, own_critic: bool
    ) -> Rollout:
        """Play a rollout. The next call overwrites the arrays of the returned rollout.

        Args:
            learner: the context with the network; its value function is the critic if own_critic is False.
            opponents: the contexts of the opponents.
            met: int64[B], for each game, the index of the opponent in `opponents`.
            seed: the seed of all random numbers.
            own_critic: whether the network's value head is the critic.
        """
        board, players = self.config.board, self.config.players
        rngs = np.zeros((len(met), players, 2), np.uint64)
        for b in range(len(met)):
            self._state.rng[b] = make_rng(derive_seed(seed, b))
            rngs[b] = [make_rng(derive_seed(seed, b, p)) for p in range(players)]
        parts = [
            (k, games[low : low + _PART])
            for k in range(len(opponents))
            for games in (np.flatnonzero(met == k),)
            for low in range(0, len(games), _PART)
        ]

        def roll(number: int) -> None:
            k, games = parts[number]
            work = make_rollout_work(board.n_regions, board.n_edges, players)
            _roll(learner, opponents[k], games, self._state, rngs, self._max_rounds, own_critic, work, self._out)

        in_threads(roll, range(len(parts)), self._jobs)
        return self._out


def rows_of(rollout: Rollout, players: int) -> TurnRows:
    """Return all M = B T turns of a rollout as `TurnRows`; the array of the games' results contains zeros."""
    r, shape = rollout, rollout.round.shape
    games = shape[0] * shape[1]
    results: Any = np.zeros((games, players), np.float32)
    if not isinstance(r.reward, np.ndarray):  # a rollout of tensors
        results = r.reward.new_zeros((games, players))
    return TurnRows(
        r.owner.reshape(games, -1), r.army.reshape(games, -1), r.round.reshape(games), r.player.reshape(games),
        r.row.reshape(games, -1), results,
    )  # fmt: skip
