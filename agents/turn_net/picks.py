"""Kernels that choose start regions by the turn network's head for picks, one region after another.

After each choice the chosen region counts as the player's own region, so that the next choice depends on it. The
agent `policy:FILE` and the trainer `warlight train ppo` call the same kernels.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.static_evaluation import write_best_picks
from warlight_env.agents.records.generator_work import GeneratorWork
from warlight_env.agents.records.turn_record import N_MEMORY, UNITS, TurnNetworkBuffers
from warlight_env.agents.turn_net.forward import embed_regions
from warlight_env.agents.turn_net.turns import draw_value
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Int, Marks, RandomState, Real, Regions
from warlight_env.engine.position import Position
from warlight_env.engine.rules import RuleParams
from warlight_env.engine.setup import ALTERNATING, RANKED
from warlight_env.engine.state import NEUTRAL
from warlight_env.engine.view import View


@kernel
def choices_of(params: RuleParams, free: Marks) -> Int:
    """Return the number of regions that the network ranks at once. free: int8[N], 1 for each offered region."""
    offered = np.int64(0)
    for r in range(free.shape[0]):
        offered += free[r] != 0
    count = np.int64(params.picks)
    if params.picking == ALTERNATING:
        count = np.int64(1)
    elif params.picking == RANKED:
        count = np.int64(params.ranked)
    return min(count, offered)


@inline_kernel
def write_pick_scores(context: Context, work: TurnNetworkBuffers, free: Marks) -> None:
    """Write the score of each offered region to `work.score`, and -inf for all others.

    `embed_regions` must run first. free: int8[N] or longer; a number above 0 marks an offered region.
    """
    for r in range(work.score.shape[0]):
        work.score[r] = np.float32(-np.inf)
        if free[r] != 0:
            score = np.float32(0.0)
            for j in range(UNITS):
                score += work.embeddings[r, j] * context.turns.pick[j]
            work.score[r] = score


@kernel
def draw_pick(
    context: Context, position: Position, free: Marks, player: Int, temperature: Real, rng: RandomState,
    work: TurnNetworkBuffers,
) -> Int:  # fmt: skip
    """Return an offered region, drawn from the softmax of the network's scores divided by a temperature.

    Writes the logarithm of the region's probability to `work.log_prob`. Players see all regions in the picking phase.

    Args:
        position: regions that the player has already chosen count as its own regions.
        free: int8[N], 1 for each region that the player may choose now; at least one.
    """
    for r in range(work.memory.shape[0]):
        for i in range(N_MEMORY):
            work.memory[r, i] = 0.0
    embed_regions(context, position, player, work)
    write_pick_scores(context, work, free)
    work.log_prob[0] = 0.0
    return draw_value(work.score, free.shape[0], temperature, rng, work.log_prob)


@kernel
def _picks_regions(context: Context) -> bool:
    has_weights = False
    for j in range(UNITS):
        has_weights |= context.turns.pick[j] != 0.0
    return has_weights


@kernel
def write_picks(
    context: Context, position: Position, free: Marks, player: Int, temperature: Real, rng: RandomState,
    work: GeneratorWork, preferences: Regions,
) -> Int:  # fmt: skip
    """Write a player's preferred start regions to preferences int32[N], best first; return their number.

    A network with a head for picks chooses the regions. Without such a head, the weights of the context rank all
    offered regions (`write_best_picks`). `free` and `position` are changed during the call, and restored.
    """
    if not _picks_regions(context):
        return write_best_picks(context, position, free, player, rng, preferences)
    count = choices_of(context.params, free)
    for k in range(count):
        region = draw_pick(context, position, free, player, temperature, rng, work.net)
        preferences[k] = region
        free[region], position.owner[region] = 0, player
    for k in range(count):
        free[preferences[k]], position.owner[preferences[k]] = 1, NEUTRAL
    return count


def network_picks(context: Context, view: View, temperature: float, rng: RandomState, work: GeneratorWork) -> list[int]:
    """Return the preferred start regions of the player of a view, best first, see `write_picks`."""
    free = np.zeros(view.board.n_regions, dtype=np.int8)
    free[list(view.offers)] = 1
    preferences: npt.NDArray[np.int32] = np.zeros(view.board.n_regions, dtype=np.int32)
    count = write_picks(context, view.position, free, view.player, np.float64(temperature), rng, work, preferences)
    return [int(region) for region in preferences[:count]]
