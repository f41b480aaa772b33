"""The policy anchor: the search leaves the network's most likely turn only for a turn with a clearly higher value.

A turn's value is a mean over a few simulations, and the value network evaluates the last positions of the simulations
with errors. The turn with the highest mean is therefore often not the best turn. To reduce the effect of evaluation
errors, the network's most likely turn gets a small bonus. If the other players have candidate turns of the same types
as the searching player, the network's most likely turn of each player gets this bonus.

piKL and Diplodocus use a similar method (Jacob et al., 2022; Bakhtin et al., 2023). The searches of piKL and Diplodocus
for Diplomacy add a cost for a turn's distance to a policy. In this module, only the policy's most likely turn gets a
bonus.
"""

from __future__ import annotations

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.generators.turns import is_new
from warlight_env.agents.players.nash.nash_work import NashWork
from warlight_env.agents.records.generator_work import copy_turn, turn_set_of
from warlight_env.agents.turn_net.turns import network_turn
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Int, Real
from warlight_env.engine.position import Position


@kernel
def add_policy_anchor(context: Context, position: Position, p: Int, bonus: Real, work: NashWork) -> None:
    """Add a bonus, in units of the share, to a player's turn that the network finds most likely.

    If the network's most likely turn is not among the player's candidate turns, no turn gets a bonus.
    """
    turns, trial = turn_set_of(work.turns, p), work.trial
    if work.sizes[p] == 0:
        return
    trial.counts[0] = network_turn(
        context, position, p, np.float64(0.0), work.rng, work.generator, trial.deploy[0], trial.attacks[0]
    )
    for i in range(work.sizes[p]):
        trial.counts[1] = copy_turn(turns, i, trial.deploy[1], trial.attacks[1])
        if not is_new(trial, np.int64(1)):
            work.bonus[p, i] = bonus
            break
