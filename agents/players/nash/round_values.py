"""Labels for training a value network: values of positions from an equilibrium search or from playouts.

Training with labels from an equilibrium search of the next round is a form of expert iteration (Anthony et al.,
arXiv:1705.08439). The search evaluates its leaves with the present evaluation, and its result is better than the
evaluation alone. A label from playouts is a Monte Carlo estimate for the policy of the playouts. AlphaGo's value
network (Silver et al., 2016) learned from labels of playouts, too, but those playouts had no limit of rounds.
"""

from __future__ import annotations

from warlight_env.agents.context import Context, draw_turn
from warlight_env.agents.evaluation.game_outcome import ONGOING, holds_regions, winner_of, write_end_shares
from warlight_env.agents.players.nash.equilibrium import begin, evaluate_rollouts, iterate, order_all, rollout
from warlight_env.agents.players.nash.nash_work import NashSetup, NashWork
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Bool, Int, Shares
from warlight_env.engine.position import Position, copy_position, position_at
from warlight_env.engine.rng import below, next_u64


@kernel
def play_at_random(context: Context, setup: NashSetup, position: Position, work: NashWork, after: Position) -> Bool:
    """Simulate a round with uniformly drawn candidate turns of all players, and write the last position to `after`.

    The position after the round is similar to a leaf of a search. Returns whether the game continues.
    """
    begin(context, position, work)
    for p in range(context.players):
        if work.sizes[p] > 0:
            work.chosen[p] = below(work.rng, work.sizes[p])
    dice = work.dice[0]
    dice[0], dice[1] = next_u64(work.rng), next_u64(work.rng)
    order_all(context, work)
    rollout(context, setup, position, dice, 0, work)
    copy_position(position_at(work.leaves.positions, 0), after)
    return winner_of(context, after) == ONGOING


@kernel
def write_round_values(
    context: Context, setup: NashSetup, position: Position, plays: Int, work: NashWork, values: Shares
) -> Bool:
    """Write each player's share of a position's value to values float64[P]; the shares add up to 1.

    The kernel runs an equilibrium search of about `plays` simulations. A player with several candidate turns gets the
    mean result of its turns, weighted by its mean mixture. The players with only one candidate turn divide the rest
    equally: 1 minus the values of the other players. Finally, each value is divided by the sum of all values. In a
    finished game, `write_end_shares` gives the shares. Returns False if no player has several candidate turns, because
    then there is no estimate.
    """
    players, winner = context.players, winner_of(context, position)
    if winner != ONGOING:
        write_end_shares(context, position, winner, values)
        return True
    begin(context, position, work)
    while work.counters[0] < plays:
        before = work.counters[0]
        iterate(context, setup, position, 1, work)
        if work.counters[0] == before:
            return False
    assigned, n_single = 0.0, 0
    for p in range(players):
        values[p] = 0.0
        n_single += work.sizes[p] == 1
        if work.sizes[p] < 2:
            continue
        weight = 0.0
        for i in range(work.sizes[p]):
            if work.visits[p, i] > 0:
                values[p] += work.average[p, i] * work.total[p, i] / work.visits[p, i]
                weight += work.average[p, i]
        values[p] /= weight
        assigned += values[p]
    remainder = max(0.0, 1.0 - assigned) / max(1, n_single)
    total = assigned + remainder * n_single
    if total == 0.0:
        return False
    for p in range(players):
        if work.sizes[p] == 1:
            values[p] = remainder
        values[p] /= total
    return True


@kernel
def write_playout_values(
    context: Context, setup: NashSetup, position: Position, plays: Int, work: NashWork, values: Shares
) -> None:
    """Write each player's mean share over `plays` playouts to values float64[P].

    In a playout, the context's policy chooses the turns of all players for `setup.rounds` rounds. The shares are the
    evaluation of the last position or, if the game has ended, the result of the game.
    """
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
        rollout(context, setup, position, dice, 0, work)
        evaluate_rollouts(context, setup, 1, work)
        for p in range(context.players):
            values[p] += work.leaves.shares[0, p] / plays
