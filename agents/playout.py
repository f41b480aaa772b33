"""Whole games in one kernel call: a batch played by built-in policies, for outlooks, checks and benchmarks."""

from __future__ import annotations

from typing import Final

import numpy as np

from warlight_env.agents.aggressive import aggressive_orders
from warlight_env.agents.random import random_orders
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.round import income, play_round
from warlight_env.engine.state import OVER

#: Built-in policies of playouts.
RANDOM: Final = 0
AGGRESSIVE: Final = 1
POLICIES: Final = ("random", "aggressive")


@inline_kernel
def policy_orders(policy, board, evaluation, attack_kill, owner, army, player, scratch, deploy, attacks, base, rng):
    """Write the turn of a built-in policy with its default parameters; returns the number of attacks."""
    available = income(board, base, owner, player)
    if policy == RANDOM:
        return random_orders(board, owner, army, player, available, 3, 1, scratch, deploy, attacks, rng)
    return aggressive_orders(board, evaluation, attack_kill, owner, army, player, available, scratch, deploy, attacks)


@kernel
def play_out(board, params, evaluation, state, first, last, policies, policy_rng, rounds, work):
    """Play games first .. last - 1 of a batch for at most `rounds` more rounds each; returns the rounds played.

    For games in play; limits on the orders of a turn are not looked at. policies int32[P] of POLICIES, all seeing
    everything; policy_rng uint64[B, P, 2], one generator a player.
    """
    players = policies.shape[0]
    attack_kill = params.dice.kill[0]
    played = np.int64(0)
    for b in range(first, last):
        for _ in range(rounds):
            if state.phase[b] == OVER:
                break
            for p in range(players):
                work.counts[p] = 0
                if state.eliminated_at[b, p] == 0:
                    work.counts[p] = policy_orders(
                        policies[p], board, evaluation, attack_kill, state.owner[b], state.army[b], p, work.scratch,
                        work.deploy[p], work.attacks[p], params.base_income, policy_rng[b, p],
                    )  # fmt: skip
                else:
                    for r in range(state.owner.shape[1]):
                        work.deploy[p, r] = 0
            play_round(board, params, state, b, work.deploy, work.attacks, work.counts, work.scratch, None, None)
            played += 1
    return played
