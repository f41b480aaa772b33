"""Training targets of the turn network: turns that a lookahead of one round chooses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context, generate
from warlight_env.agents.players.plan import ChoiceWork
from warlight_env.agents.records.factored_turns import encode_nearest
from warlight_env.agents.records.generator_work import copy_turn
from warlight_env.agents.search.lookahead import highest, score_turns
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Int, RandomState
from warlight_env.engine.position import Position
from warlight_env.engine.rng import uniform


class TargetSettings(NamedTuple):
    """The settings with which a search chooses the turns that are training targets."""

    samples: int  #: simulations of each turn, at least 1
    temperature: float  #: temperature of the softmax over the candidates' mean values; 0: the best turn


@kernel
def write_target(
    context: Context,
    position: Position,
    player: Int,
    settings: TargetSettings,
    rng: RandomState,
    work: ChoiceWork,
    row: npt.NDArray[np.int8],
    deploy: Armies,
    attacks: AttackRows,
) -> Int:
    """Choose one of the candidate turns as the training target of the network, and write it to the arrays.

    The candidates come from the context's generator. The value of a candidate is the player's mean value of the
    position after the round, over `samples` simulations. The target is drawn from the softmax of the candidates'
    values, divided by the temperature. With temperature 0, the target is the candidate with the highest value. The
    target is written to deploy int32[N] and attacks int32[E, 3], and as categorical choices (`factored_turns`) to row
    int8[N + 2 E]. Returns the number of attacks.
    """
    lookahead, board, samples, temperature = work.lookahead, context.board, settings.samples, settings.temperature
    count = generate(context, position, player, rng, work.generator, lookahead.turns)
    chosen: Int = np.int64(0)
    if count > 1:
        score_turns(context, position, player, samples, lookahead.turns, count, rng, work.generator, lookahead)
        chosen = highest(lookahead.score, count)
    if temperature > 0.0:
        best, total = lookahead.score[chosen], 0.0
        for i in range(count):
            lookahead.score[i] = np.exp((lookahead.score[i] - best) / samples / temperature)
            total += lookahead.score[i]
        left = uniform(rng) * total
        for i in range(count):
            left -= lookahead.score[i]
            if left < 0.0:
                chosen = np.int64(i)
                break
    sent = copy_turn(lookahead.turns, chosen, deploy, attacks)
    encode_nearest(board.neighbor_start, board.edge_target, position.army, deploy, attacks, sent, row)
    return np.int64(sent)
