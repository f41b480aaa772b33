"""Kernels that begin the compiled games of a learner: the picking phase, and the memories of all players under fog."""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.static_evaluation import write_best_picks
from warlight_env.agents.records.generator_work import GeneratorWork, make_generator_work
from warlight_env.agents.turn_net.memory import (
    FogMemory,
    begin_memory,
    make_fog_memory,
    remember_picks,
    write_map_start,
)
from warlight_env.agents.turn_net.picks import choices_of, write_picks
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Bool, Int
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.position import position_at
from warlight_env.engine.reference import reference
from warlight_env.engine.rng import uniform
from warlight_env.engine.round import EVENT_COLUMNS
from warlight_env.engine.setup import ALTERNATING, picker, resolve_picks, start_game
from warlight_env.engine.state import PICK, State, Workspace, make_workspace

#: The ways in which players get their start regions: the values of the setting `picks`.
Picks = Literal["random", "weights", "network", "varied"]
#: The values of `Picks`; a kernel gets the index.
PICKS: Final[tuple[Picks, ...]] = get_args(Picks)
RANDOM, WEIGHTS, NETWORK, VARIED = PICKS
_RANDOM, _WEIGHTS, _NETWORK, _VARIED = range(4)


class RolloutWork(NamedTuple):
    """The working memory of one thread that plays games."""

    orders: Workspace
    generator: GeneratorWork
    memory: FogMemory  #: the memories of all players of the current game
    scores: npt.NDArray[np.float64]  #: [P]
    preferences: npt.NDArray[np.int32]  #: [P, N] the players' preferred start regions, best first
    list_lengths: npt.NDArray[np.int32]  #: [P] the lengths of the lists in `preferences`
    free: npt.NDArray[np.int8]  #: [N] 1 for a region that the player may choose now
    owner: npt.NDArray[np.int8]  #: [N] the owners that a player believes
    army: npt.NDArray[np.int32]  #: [N] the armies that a player believes
    seen_owner: npt.NDArray[np.int8]  #: [N] the owners in a player's view
    seen_army: npt.NDArray[np.int32]  #: [N] the armies in a player's view
    before: npt.NDArray[np.int8]  #: [N] the owners before the last round
    events: npt.NDArray[np.int32]  #: [P E, EVENT_COLUMNS] the events of the last round
    seen_regions: npt.NDArray[np.int8]  #: [N] 1 for a region that a player saw in the last round


def make_rollout_work(n_regions: int, n_edges: int, players: int) -> RolloutWork:
    """Return the working memory of one thread that plays games."""
    n = n_regions
    return reference(
        RolloutWork(
            make_workspace(n, n_edges, players), make_generator_work(n, n_edges, players), make_fog_memory(n, players),
            private_zeros(players, np.float64), private_zeros((players, n), np.int32), private_zeros(players, np.int32),
            private_zeros(n, np.int8), private_zeros(n, np.int8), private_zeros(n, np.int32),
            private_zeros(n, np.int8), private_zeros(n, np.int32), private_zeros(n, np.int8),
            private_zeros((max(1, players * n_edges), EVENT_COLUMNS), np.int32), private_zeros(n, np.int8),
        )
    )  # fmt: skip


@inline_kernel
def write_free(state: State, b: Int, player: Int, work: RolloutWork) -> Any:
    """Write the regions that a player may choose now to `work.free`."""
    for r in range(work.free.shape[0]):
        work.free[r] = np.int8((state.offers[b, r] >> player) & 1)


@kernel
def begin_game(
    learner: Context, opponent: Context, state: State, b: Int, player: Int, picks: Int, fog: Bool,
    rngs: npt.NDArray[np.uint64], work: RolloutWork,
) -> None:  # fmt: skip
    """Start game b again, up to the first step of the learner, see `play_picks`."""
    while not start_game(learner.board, learner.params, state, b, work.orders.scratch):
        pass
    for p in range(learner.players):
        work.list_lengths[p] = 0
    play_picks(learner, opponent, state, b, player, picks, fog, rngs, work)


@kernel
def play_picks(
    learner: Context, opponent: Context, state: State, b: Int, player: Int, picks: Int, fog: Bool,
    rngs: npt.NDArray[np.uint64], work: RolloutWork,
) -> None:  # fmt: skip
    """Play the picking phase until the learner must choose a region, or until the first round begins.

    Args:
        player: the learner's seat; `work.preferences` has the regions that the learner has chosen so far.
        picks: an index of PICKS. With "random", all players get random regions. With "weights", the weights of the
            contexts rank the regions. With "network", networks with a head for picks choose. With "varied", each
            choice of an opponent is random with probability 1/2; all other choices are as with "network".
        rngs: uint64[P, 2], the generators of the players' choices.
    """
    params, players, listed = learner.params, learner.players, work.list_lengths
    position, has_picked = position_at(state, b), False
    while state.phase[b] == PICK:
        turn = picker(state.turn[b], players) if params.picking == ALTERNATING else -1
        if picks >= _NETWORK and (turn < 0 or turn == player):
            write_free(state, b, player, work)
            if listed[player] < choices_of(params, work.free):
                return
        for p in range(players):
            if turn >= 0 and p != turn:
                listed[p] = 0
                continue
            write_free(state, b, p, work)
            context = learner if p == player else opponent
            if picks == _RANDOM:
                listed[p] = 0
            elif picks == _WEIGHTS:
                listed[p] = write_best_picks(context, position, work.free, p, rngs[p], work.preferences[p])
            elif p != player and picks == _VARIED and uniform(rngs[p]) < 0.5:
                listed[p] = 0
            elif p != player:
                listed[p] = write_picks(
                    context, position, work.free, p, 1.0, rngs[p], work.generator, work.preferences[p]
                )
        resolve_picks(params, state, b, work.preferences, listed, work.orders.scratch)
        has_picked = True
        if params.picking == ALTERNATING:
            listed[player] = 0
    if fog:
        _begin_memories(learner, state, b, picks != _RANDOM and has_picked, work)


@kernel
def _begin_memories(context: Context, state: State, b: Int, saw_picking: Bool, work: RolloutWork) -> None:
    """Begin the memories of all players before the first round.

    saw_picking: whether the players saw the picking phase.
    """
    board, params = context.board, context.params
    for p in range(context.players):
        write_map_start(board, params, work.owner, work.army)
        for r in range(work.owner.shape[0]):
            if params.picking == ALTERNATING:  # these picks are public
                work.owner[r] = state.owner[b, r]
            if saw_picking:
                work.army[r] = state.army[b, r]
        begin_memory(work.memory, p, work.owner, work.army)
        if saw_picking and params.picking != ALTERNATING:
            count = min(np.int64(work.list_lengths[p]), np.int64(params.ranked))
            remember_picks(work.memory, p, state.owner[b], work.preferences[p], count)
