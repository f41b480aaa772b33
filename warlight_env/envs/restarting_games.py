"""The kernels that step games of learners and compiled bots, and that begin a new game in place of an ended game.

Each call of a kernel steps one game, so the CPU and the GPU can step many games with the same kernels.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Bool, Int
from warlight_env.engine.rng import derived, mixed, seed_rng
from warlight_env.envs.actions.kernels import READY
from warlight_env.envs.step import (
    GameBatch,
    finish_game,
    open_episodes,
    play_game,
    refresh_observations,
    start_positions,
    submit_bot_turn,
    submit_game,
)

#: The times at which a new game begins in place of an ended game: never, in the next step, or in the same step.
NEVER: Final = 0
NEXT_STEP: Final = 1
SAME_STEP: Final = 2

#: The value in `Seats.bots` for a learner. The actions of learners are arguments of the step.
LEARNER: Final = -1


class Seats(NamedTuple):
    """The players of B games, the seeds of the games, and the results of the last step for each player."""

    bots: npt.NDArray[np.int8]  #: [B, P] the number of the bot on a seat, or LEARNER
    acting: npt.NDArray[np.int8]  #: [B, S] 1 for the slot of a learner
    seeds: npt.NDArray[np.uint64]  #: [B] the seed of the first game; later games use `derive_seed(seed, number)`
    games: npt.NDArray[np.int64]  #: [B] the number of games that have begun
    ended: npt.NDArray[np.bool_]  #: [B] whether no learner plays in the game any more
    played: npt.NDArray[np.bool_]  #: [B] whether this step plays the game
    restarting: npt.NDArray[np.bool_]  #: [B] whether this step begins a new game
    rngs: npt.NDArray[np.uint64]  #: [B, P, 2] the states of the bots' random generators
    reward: npt.NDArray[np.float64]  #: [B, P]
    illegal: npt.NDArray[np.int32]  #: [B, P] number of illegal orders that the last step dropped
    terminated: npt.NDArray[np.bool_]  #: [B, P]
    truncated: npt.NDArray[np.bool_]  #: [B, P]
    final_features: npt.NDArray[np.float32]  #: [B, S, K] the features at the end of the game, before a new game began
    random_start: bool  #: whether the start regions are drawn at random
    autoreset: int  #: NEVER, NEXT_STEP or SAME_STEP


@kernel
def _has_learner(games: GameBatch, seats: Seats, b: Int) -> Bool:
    """Return whether a learner still plays in game b."""
    for p in range(seats.bots.shape[1]):
        if seats.bots[b, p] == LEARNER and games.out.live[b, p]:
            return True
    return False


@kernel
def submit_learners(games: GameBatch, seats: Seats, actions: Any, b: Int) -> None:
    """Submit the action rows actions[b, s] of the learners of game b; see `step.submit_game`."""
    if seats.ended[b]:
        return
    for p in range(seats.bots.shape[1]):
        games.out.illegal[b, p] = 0
    submit_game(games, b, seats.acting, actions)


@inline_kernel
def submit_bots(
    games: GameBatch, seats: Seats, context: Context, policy: Any, pick: Any, number: Int, b: Int
) -> None:  # fmt: skip
    """Submit the turns of the bot with the given number in game b. policy, pick: the bot's kernels."""
    if seats.ended[b]:
        return
    for p in range(seats.bots.shape[1]):
        if seats.bots[b, p] == number and games.out.live[b, p] and games.turns.status[b, p, READY] == 0:
            submit_bot_turn(games, context, policy, pick, b, p, seats.rngs[b, p])


# The parts of a step after all turns are submitted. Between them the caller updates the observations of the games that
# `played` or `restarting` marks. So the code of the observations is compiled only once for the GPU.


@kernel
def play(games: GameBatch, seats: Seats, b: Int) -> None:
    """Play the round of game b, unless it had ended before this step."""
    had_ended = seats.ended[b]
    seats.played[b], seats.restarting[b] = not had_ended, had_ended and seats.autoreset == NEXT_STEP
    if not had_ended:
        play_game(games, b, True)
        return
    for p in range(seats.bots.shape[1]):
        seats.reward[b, p], seats.illegal[b, p] = 0.0, 0
        if seats.restarting[b]:
            seats.terminated[b, p], seats.truncated[b, p] = False, False


@kernel
def finish(games: GameBatch, seats: Seats, b: Int) -> None:
    """Write the results of game b if it was played, and place the players of a new game if one begins.

    If game b was played in this step, the caller must first call `observe` for this game.
    """
    if seats.played[b]:
        _write_results(games, seats, b)
    if seats.restarting[b]:
        seed, number = seats.seeds[b], seats.games[b]
        value = mixed(seed if number == 0 else derived(mixed(seed), number))
        seed_rng(value, games.state.rng[b])
        for p in range(seats.bots.shape[1]):
            seed_rng(derived(derived(value, 3), p), seats.rngs[b, p])
        seats.games[b] = number + 1
        start_positions(games, seats.random_start, b)


@kernel
def _write_results(games: GameBatch, seats: Seats, b: Int) -> None:
    """Write the results of the step, and mark the game if a new game begins in this step."""
    finish_game(games, b)
    out = games.out
    for p in range(seats.bots.shape[1]):
        seats.reward[b, p], seats.illegal[b, p] = out.reward[b, p], out.illegal[b, p]
        seats.terminated[b, p], seats.truncated[b, p] = out.terminated[b, p], out.truncated[b, p]
    seats.ended[b] = not _has_learner(games, seats, b)
    if seats.ended[b] and seats.autoreset == SAME_STEP:
        seats.restarting[b] = True
        for s in range(out.features.shape[1]):
            for k in range(out.features.shape[2]):
                seats.final_features[b, s, k] = out.features[b, s, k]


@kernel
def observe(games: GameBatch, seats: Seats, opening: Bool, b: Int) -> None:
    """Update the observations of game b.

    opening: False: update the observations if game b was played in this step. True: update the observations if a new
    game begins, and begin the episodes of its players.
    """
    if not opening:
        if seats.played[b]:
            refresh_observations(games, b, b + 1)
    elif seats.restarting[b]:
        refresh_observations(games, b, b + 1)
        open_episodes(games, b)
        seats.ended[b] = not _has_learner(games, seats, b)
