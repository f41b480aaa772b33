"""What positions are worth, by the game of their next round or by playouts: what trainers teach a value network.

A label of the first kind is a step of expert iteration (Anthony et al., arXiv:1705.08439): the equilibrium search, with
the evaluation as it is at its leaves, knows more of a position than the evaluation alone. One of the second is a Monte
Carlo estimate for the policy that plays on, as those of AlphaGo's value network (Silver et al.,
2016), but over so many rounds only.
"""

from __future__ import annotations

from warlight_env.agents.context import Context, draw_turn
from warlight_env.agents.evaluation.standing import ONGOING, holds_regions, winner_of, write_end_shares
from warlight_env.agents.players.nash.equilibrium import begin, iterate, order_all, play_out, value_plays
from warlight_env.agents.players.nash.nash_work import NashSetup, NashWork
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Bool, Int, Shares
from warlight_env.engine.position import Position, copy_position, position_at
from warlight_env.engine.rng import below, next_u64


@kernel
def play_at_random(context: Context, setup: NashSetup, position: Position, work: NashWork, after: Position) -> Bool:
    """Write the position after a play of candidates that all players draw evenly, as leaves of a search are; returns
    whether the game goes on there."""
    begin(context, position, work)
    for p in range(context.players):
        if work.sizes[p] > 0:
            work.chosen[p] = below(work.rng, work.sizes[p])
    dice = work.dice[0]
    dice[0], dice[1] = next_u64(work.rng), next_u64(work.rng)
    order_all(context, work)
    play_out(context, setup, position, dice, 0, work)
    copy_position(position_at(work.leaves.positions, 0), after)
    return winner_of(context, after) == ONGOING


@kernel
def write_round_values(
    context: Context, setup: NashSetup, position: Position, plays: Int, work: NashWork, values: Shares
) -> Bool:
    """Write each player's share of a position, of which all add up to 1, to values float64[P].

    It is the mean of what its turns brought in some `plays` of the round, by its mean mixture of them, and then divided
    by the sum of all players'; whoever has no choice gets an even part of what the others leave. The end of a game is
    worth what it is. Returns False where nobody has a choice, and nothing is known.
    """
    players, winner = context.players, winner_of(context, position)
    if winner != ONGOING:
        write_end_shares(context, position, winner, values)
        return True
    begin(context, position, work)
    while work.spent[0] < plays:
        before = work.spent[0]
        iterate(context, setup, position, 1, work)
        if work.spent[0] == before:
            return False
    known, without = 0.0, 0
    for p in range(players):
        values[p] = 0.0
        without += work.sizes[p] == 1
        if work.sizes[p] < 2:
            continue
        weight = 0.0
        for i in range(work.sizes[p]):
            if work.visits[p, i] > 0:
                values[p] += work.average[p, i] * work.total[p, i] / work.visits[p, i]
                weight += work.average[p, i]
        values[p] /= weight
        known += values[p]
    rest = max(0.0, 1.0 - known) / max(1, without)
    whole = known + rest * without
    if whole == 0.0:
        return False
    for p in range(players):
        if work.sizes[p] == 1:
            values[p] = rest
        values[p] /= whole
    return True


@kernel
def write_playout_values(
    context: Context, setup: NashSetup, position: Position, plays: Int, work: NashWork, values: Shares
) -> None:
    """Write each player's mean share after `plays` games of the setup's rounds by the context's policy, by its
    evaluation or how they ended, to values float64[P]."""
    for p in range(context.players):
        values[p] = 0.0
    dice, orders = work.dice[0], work.round
    for _ in range(plays):
        for p in range(context.players):
            orders.counts[p] = 0
            deploy, attacks = orders.deploy[p], orders.attacks[p]
            if holds_regions(position.owner, p):
                orders.counts[p] = draw_turn(context, position, p, work.rng, work.generator, deploy, attacks)
            else:
                for r in range(deploy.shape[0]):
                    deploy[r] = 0
        dice[0], dice[1] = next_u64(work.rng), next_u64(work.rng)
        play_out(context, setup, position, dice, 0, work)
        value_plays(context, setup, 1, work)
        for p in range(context.players):
            values[p] += work.leaves.shares[0, p] / plays
