"""Rollouts of a turn network in compiled games: its turns and picks, their log-probabilities and the rewards.

A rollout has B games and T steps. A step is a round, or the learner's choice of one start region. In each game the
learner has one seat, and samples its turns from its probabilities. All other seats have the same opponent, a function
with the type `agents.context.policy_signature`. When a game ends for the learner, a new game starts, with other random
numbers and other start regions. Under fog, all players get the positions that their memories believe.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context, draw_turn, evaluate
from warlight_env.agents.turn_net.forward import embed_regions, player_scores
from warlight_env.agents.turn_net.memory import follow_orders, observe, recall
from warlight_env.agents.turn_net.picks import draw_pick
from warlight_env.agents.turn_net.turns import network_turn
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Bool, Int, RandomState, Real
from warlight_env.engine.orders import cut_turn
from warlight_env.engine.position import Position, position_at
from warlight_env.engine.reference import reference
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.engine.round import play_round
from warlight_env.engine.state import OVER, PICK, State, make_state
from warlight_env.engine.visibility import mark_seen_in_round, write_view
from warlight_env.thread_ownership import SingleThreaded
from warlight_env.train.common.game_configs import GameConfig
from warlight_env.train.common.threads import in_threads
from warlight_env.train.turn_net.batches import CHOSEN
from warlight_env.train.turn_ppo.game_start import (
    PICKS,
    RANDOM,
    Picks,
    RolloutWork,
    begin_game,
    make_rollout_work,
    play_picks,
    write_free,
)
from warlight_env.train.turn_ppo.rollout_record import Rollout, make_rollout

#: The number of games that a thread plays one after the other.
_PART: Final = 16


class RolloutSetup(NamedTuple):
    """The settings of a rollout, for kernels."""

    max_rounds: int  #: games are truncated after this number of rounds
    own_critic: bool  #: whether the network's value head is the critic
    picks: int  #: how players get their start regions: an index of `game_start.PICKS`
    fog: bool  #: whether the players only know the positions that their memories believe


@inline_kernel
def _belief_position(context: Context, state: State, b: Int, player: Int, fog: Bool, work: RolloutWork) -> Position:
    """Return the position that a player believes, and write the features of its memory to the working memory."""
    if not fog:
        return position_at(state, b)
    write_view(context.board, True, state.owner[b], state.army[b], player, work.seen_owner, work.seen_army)
    observe(work.memory, player, work.seen_owner, work.seen_army, state.round[b])
    position = Position(work.owner, work.army, state.round[b : b + 1])
    recall(context.board, work.memory, player, position, work.generator.net.memory)
    return position


@inline_kernel
def _value_of(
    context: Context, state: State, b: Int, belief: Position, player: Int, own_critic: Bool, work: RolloutWork
) -> Real:
    """Return a player's win probability: from the network's value head if own_critic, else from the value function.

    The value head evaluates the position that the player believes; the caller must compute the embeddings of that
    position immediately before. The value function evaluates the true position.
    """
    scores, total = work.scores, 0.0
    if not own_critic:
        evaluate(context, position_at(state, b), scores)
        return scores[player]
    player_scores(context, belief, player, work.generator.net, scores)
    for p in range(scores.shape[0]):
        total += np.exp(scores[p] - scores[player])
    return 1.0 / total


@kernel
def _value_now(context: Context, setup: RolloutSetup, state: State, b: Int, player: Int, work: RolloutWork) -> Real:
    if state.phase[b] == PICK:  # no player has an advantage yet
        return 1.0 / np.float64(context.players)
    belief = _belief_position(context, state, b, player, setup.fog, work)
    if setup.own_critic:
        embed_regions(context, belief, player, work.generator.net)
    return _value_of(context, state, b, belief, player, setup.own_critic, work)


@kernel
def _write_step(position: Position, player: Int, b: Int, t: Int, work: RolloutWork, out: Rollout) -> None:
    """Write the input of a step of the learner to the rollout."""
    for r in range(position.owner.shape[0]):
        out.owner[b, t, r], out.army[b, t, r] = position.owner[r], position.army[r]
        for i in range(out.memory.shape[3]):
            out.memory[b, t, r, i] = work.generator.net.memory[r, i]
    out.round[b, t], out.player[b, t] = position.round[0], player


@kernel
def _record_turn(
    learner: Context, setup: RolloutSetup, state: State, b: Int, player: Int, t: Int, rng: RandomState,
    work: RolloutWork, out: Rollout,
) -> Int:  # fmt: skip
    """Sample a turn of the learner, and write it to the orders in `work` and to the rollout.

    Return the number of attacks in the turn.
    """
    net, orders = work.generator.net, work.orders
    position = _belief_position(learner, state, b, player, setup.fog, work)
    _write_step(position, player, b, t, work, out)
    count = network_turn(
        learner, position, player, 1.0, rng, work.generator, orders.deploy[player], orders.attacks[player]
    )
    for i in range(out.row.shape[2]):
        out.row[b, t, i] = net.row[i]
    out.log_probs[b, t], out.picking[b, t] = np.float32(net.log_prob[0]), False
    out.values[b, t] = np.float32(_value_of(learner, state, b, position, player, setup.own_critic, work))
    return np.int64(count)


@kernel
def _record_pick(
    learner: Context, state: State, b: Int, player: Int, t: Int, rng: RandomState, work: RolloutWork, out: Rollout
) -> None:
    """Sample the learner's next start region, and write it to the list in `work` and to the rollout."""
    position, preferences, count = position_at(state, b), work.preferences[player], work.list_lengths[player]
    write_free(state, b, player, work)
    for i in range(count):  # regions in the list count as the player's own
        work.free[preferences[i]], position.owner[preferences[i]] = 0, player
    region = draw_pick(learner, position, work.free, player, 1.0, rng, work.generator.net)
    _write_step(position, player, b, t, work, out)
    for i in range(count):
        position.owner[preferences[i]] = -1
    for i in range(out.row.shape[2]):
        out.row[b, t, i] = 0
    for r in range(work.free.shape[0]):
        out.row[b, t, r] = work.free[r]
    out.row[b, t, region] = CHOSEN
    out.log_probs[b, t], out.picking[b, t] = np.float32(work.generator.net.log_prob[0]), True
    out.values[b, t] = np.float32(1.0 / np.float64(learner.players))
    out.reward[b, t], out.done[b, t], out.won[b, t] = np.float32(0.0), False, False
    preferences[count] = region
    work.list_lengths[player] = count + 1


@kernel
def _play(learner: Context, state: State, b: Int, fog: Bool, work: RolloutWork) -> None:
    """Play a round, and replay its visible orders in the memories of all players."""
    if not fog:
        play_round(learner.params, state, b, work.orders, None, None)
        return
    for r in range(work.before.shape[0]):
        work.before[r] = state.owner[b, r]
    count = play_round(learner.params, state, b, work.orders, None, work.events)
    for p in range(learner.players):
        mark_seen_in_round(learner.board, p, work.before, state.owner[b], work.events, count, work.seen_regions)
        follow_orders(work.memory, p, work.orders.deploy, work.events, count, work.seen_regions)


@kernel
def _roll(
    learner: Context, opponent: Context, setup: RolloutSetup, games: npt.NDArray[np.int64], state: State,
    rngs: npt.NDArray[np.uint64], work: RolloutWork, out: Rollout,
) -> Int:  # fmt: skip
    """Play all steps of some games of a rollout, and return the number of games that ended."""
    players, orders, ended, picks, fog = learner.players, work.orders, np.int64(0), setup.picks, setup.fog
    for k in range(games.shape[0]):
        b = games[k]
        player = b % players
        begin_game(learner, opponent, state, b, player, picks, fog, rngs[b], work)
        for t in range(out.round.shape[1]):
            if state.phase[b] == PICK:
                _record_pick(learner, state, b, player, t, rngs[b, player], work, out)
                play_picks(learner, opponent, state, b, player, picks, fog, rngs[b], work)
                continue
            for p in range(players):
                orders.counts[p] = 0
                deploy, attacks, rng = orders.deploy[p], orders.attacks[p], rngs[b, p]
                if p == player:
                    orders.counts[p] = _record_turn(learner, setup, state, b, p, t, rng, work, out)
                elif state.eliminated_at[b, p] == 0:
                    position = _belief_position(learner, state, b, p, fog, work)
                    count = draw_turn(opponent, position, p, rng, work.generator, deploy, attacks)
                    orders.counts[p] = cut_turn(learner.params, deploy, count)
                else:
                    for r in range(deploy.shape[0]):
                        deploy[r] = 0
            _play(learner, state, b, fog, work)
            won = state.phase[b] == OVER and state.winner[b] == player
            done = state.phase[b] == OVER or state.eliminated_at[b, player] != 0
            reward: Real = 1.0 if won else 0.0
            if not done and state.round[b] >= setup.max_rounds:  # truncated: the critic's value replaces later rewards
                done, reward = True, _value_now(learner, setup, state, b, player, work)
            out.reward[b, t], out.done[b, t], out.won[b, t] = np.float32(reward), done, won
            if done:
                ended += 1
                begin_game(learner, opponent, state, b, player, picks, fog, rngs[b], work)
        out.values[b, out.round.shape[1]] = np.float32(_value_now(learner, setup, state, b, player, work))
    return ended


class Rollouts(SingleThreaded):
    """Plays rollouts in games of one game config.

    Args:
        config: the game config; its rules decide whether the games have fog.
        games: B, the number of games.
        steps: T, the number of steps; a step is a round, or the learner's choice of a start region.
        max_rounds: games are truncated after this number of rounds.
        jobs: number of threads; the rollouts do not depend on it.
        picks: how players get their start regions, see `game_start.play_picks`.
    """

    exclusive_methods = ("play",)

    def __init__(
        self, config: GameConfig, games: int, steps: int, max_rounds: int, jobs: int, picks: Picks = RANDOM
    ) -> None:
        board = config.board
        n, e = board.n_regions, board.n_edges
        self.config, self._jobs, self._max_rounds, self._picks = config, jobs, max_rounds, PICKS.index(picks)
        self._out = make_rollout(games, steps, n, e, config.rules.fog)
        self._state = make_state(games, n, config.players)

    def play(
        self,
        learner: Context,
        opponents: Sequence[Context],
        opponent_index: npt.NDArray[np.int64],
        seed: int,
        own_critic: bool,
    ) -> Rollout:
        """Play a rollout. The next call overwrites the arrays of the returned rollout.

        Args:
            learner: the context with the network; its value function is the critic if own_critic is False.
            opponents: the contexts of the opponents.
            opponent_index: int64[B], for each game, the index of the opponent in `opponents`.
            seed: the seed of all random numbers.
            own_critic: whether the network's value head is the critic.
        """
        board, players = self.config.board, self.config.players
        setup = reference(RolloutSetup(self._max_rounds, own_critic, self._picks, self.config.rules.fog))
        rngs = np.zeros((len(opponent_index), players, 2), np.uint64)
        for b in range(len(opponent_index)):
            self._state.rng[b] = make_rng(derive_seed(seed, b))
            rngs[b] = [make_rng(derive_seed(seed, b, p)) for p in range(players)]
        parts = [
            (k, games[low : low + _PART])
            for k in range(len(opponents))
            for games in (np.flatnonzero(opponent_index == k),)
            for low in range(0, len(games), _PART)
        ]

        def roll(number: int) -> None:
            k, games = parts[number]
            work = make_rollout_work(board.n_regions, board.n_edges, players)
            _roll(learner, opponents[k], setup, games, self._state, rngs, work, self._out)

        in_threads(roll, range(len(parts)), self._jobs)
        return self._out
