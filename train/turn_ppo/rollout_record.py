"""The arrays of a rollout: the learner's turns and picks, their log-probabilities, and the rewards."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.records.turn_record import N_MEMORY
from warlight_env.engine.reference import reference
from warlight_env.train.turn_net.batches import TurnRows


class Rollout(NamedTuple):
    """The learner's positions, turns and rewards in T steps of B games.

    A step is a round, or the learner's choice of a start region.
    """

    owner: npt.NDArray[np.int8]  #: [B, T, N] the owners that the learner believes
    army: npt.NDArray[np.int32]  #: [B, T, N] the armies that the learner believes
    round: npt.NDArray[np.int32]  #: [B, T]
    player: npt.NDArray[np.int64]  #: [B, T] the learner's seat
    row: npt.NDArray[np.int8]  #: [B, T, N + 2 E] the learner's turn, or the choice of a start region, see `TurnRows`
    log_probs: npt.NDArray[np.float32]  #: [B, T] log-probability of the turn or the choice
    values: npt.NDArray[np.float32]  #: [B, T + 1] the critic's win probability, before each step and at the end
    reward: npt.NDArray[np.float32]  #: [B, T]
    done: npt.NDArray[np.bool_]  #: [B, T] whether the game ended with this step
    won: npt.NDArray[np.bool_]  #: [B, T] whether the learner won a game that ended with this step
    memory: npt.NDArray[np.float32]  #: [B, T, N, N_MEMORY] features of the learner's memory; [B, T, N, 0] without fog
    picking: npt.NDArray[np.bool_]  #: [B, T] whether the step is the choice of a start region


def make_rollout(games: int, steps: int, n_regions: int, n_edges: int, fog: bool) -> Rollout:
    """Return a rollout whose arrays contain zeros."""
    shape, n, size = (games, steps), n_regions, n_regions + 2 * n_edges
    return reference(
        Rollout(
            np.zeros((*shape, n), np.int8), np.zeros((*shape, n), np.int32), np.zeros(shape, np.int32),
            np.zeros(shape, np.int64), np.zeros((*shape, size), np.int8), np.zeros(shape, np.float32),
            np.zeros((games, steps + 1), np.float32), np.zeros(shape, np.float32), np.zeros(shape, np.bool_),
            np.zeros(shape, np.bool_), np.zeros((*shape, n, N_MEMORY if fog else 0), np.float32),
            np.zeros(shape, np.bool_),
        )
    )  # fmt: skip


def rows_of(rollout: Rollout, players: int) -> TurnRows:
    """Return all M = B T steps of a rollout as `TurnRows`; the array of the games' results contains zeros."""
    r, shape = rollout, rollout.round.shape
    games = shape[0] * shape[1]
    results: Any = np.zeros((games, players), np.float32)
    if not isinstance(r.reward, np.ndarray):  # a rollout of tensors
        results = r.reward.new_zeros((games, players))
    return TurnRows(
        r.owner.reshape(games, -1), r.army.reshape(games, -1), r.round.reshape(games), r.player.reshape(games),
        r.row.reshape(games, -1), results, r.memory.reshape(games, *r.memory.shape[2:]), r.picking.reshape(games),
    )  # fmt: skip
