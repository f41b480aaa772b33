"""A kernel that plays a batch of games with built-in policies, for rollout estimates, checks and benchmarks."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.agents.players.aggressive import aggressive_orders
from warlight_env.agents.players.random import DEFAULTS, random_orders
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Int, RandomState
from warlight_env.engine.position import Position, position_at
from warlight_env.engine.rng import derived, mixed, seed_rng
from warlight_env.engine.round import income, play_round
from warlight_env.engine.state import OVER, Scratch, State, Workspace

#: Built-in policies of playouts; a player with the policy IDLE gives no orders.
RANDOM: Final = 0
AGGRESSIVE: Final = 1
IDLE: Final = 2


@inline_kernel
def policy_orders(
    context: Context,
    position: Position,
    policy: Int,
    player: Int,
    rng: RandomState,
    scratch: Scratch,
    deploy: Armies,
    attacks: AttackRows,
) -> Int:
    """Write the turn of a built-in policy with its default parameters, and return the number of attacks."""
    available = income(context.board, context.params.base_income, position.owner, player)
    if policy == RANDOM:
        return random_orders(context.board, position, player, available, DEFAULTS, scratch, deploy, attacks, rng)
    return aggressive_orders(context, position, player, available, scratch, deploy, attacks)


@kernel
def seed_games(
    seeds: npt.NDArray[np.uint64], game_rng: npt.NDArray[np.uint64], policy_rng: npt.NDArray[np.uint64]
) -> None:
    """Seed the generators of B games and of their players. Each of K seeds belongs to B / K successive games.

    Game g of a seed gets ``derive_seed(seed, g)``, and its player p gets ``derive_seed(seed, g, p + 1)``.

    Args:
        seeds: uint64[K]. game_rng: uint64[B, 2], written. policy_rng: uint64[B, P, 2], written.
    """
    games = game_rng.shape[0] // seeds.shape[0]
    for k in range(seeds.shape[0]):
        for g in range(games):
            b = k * games + g
            seed = derived(mixed(seeds[k]), g)
            seed_rng(seed, game_rng[b])
            for p in range(policy_rng.shape[1]):
                seed_rng(derived(seed, p + 1), policy_rng[b, p])


@kernel
def play_games(
    context: Context,
    state: State,
    first: Int,
    last: Int,
    policies: npt.NDArray[np.int32],
    policy_rng: npt.NDArray[np.uint64],
    rounds: Int,
    work: Workspace,
) -> Int:
    """Play games first .. last - 1 of a batch for at most `rounds` more rounds each; return the sum of played rounds.

    The picking phase must be over. The limit on the number of orders is not applied. policies: int32[P], RANDOM,
    AGGRESSIVE or IDLE for each player; the policies see the complete position. policy_rng: uint64[B, P, 2], one random
    generator for each player.
    """
    rounds_played = np.int64(0)
    for b in range(first, last):
        position = position_at(state, b)
        for _ in range(rounds):
            if state.phase[b] == OVER:
                break
            for p in range(policies.shape[0]):
                work.counts[p] = 0
                if state.eliminated_at[b, p] == 0 and policies[p] != IDLE:
                    work.counts[p] = policy_orders(
                        context, position, policies[p], p, policy_rng[b, p], work.scratch, work.deploy[p],
                        work.attacks[p],
                    )  # fmt: skip
                else:
                    for r in range(state.owner.shape[1]):
                        work.deploy[p, r] = 0
            play_round(context.params, state, b, work, None, None)
            rounds_played += 1
    return rounds_played
