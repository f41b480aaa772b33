"""The kernels of `simulate`: they play one round with the orders of all players and with the dice of a scenario.

Each call of `play_scenario` computes one result, so the CPU and the GPU can run this kernel for many results.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Int
from warlight_env.engine.rng import derived, mixed, seed_rng
from warlight_env.engine.round import play_round
from warlight_env.engine.rules import RuleParams
from warlight_env.engine.state import Scratch, State, Workspace, make_state
from warlight_env.game import RESEED


class ScenarioTurns(NamedTuple):
    """T turns of all P players, and the scenarios of the dice. E is the number of rows for a player's attacks."""

    position: npt.NDArray[np.int64]  #: [T] the number of the position before each turn
    deploy: npt.NDArray[np.int32]  #: [T, P, N] see `Workspace`
    attacks: npt.NDArray[np.int32]  #: [T, P, E, 3] see `Workspace`
    counts: npt.NDArray[np.int32]  #: [T, P] see `Workspace`
    seed: npt.NDArray[np.uint64]  #: [1] the number from which all seeds are derived
    scenarios: int  #: K, the number of scenarios of each turn
    common: bool  #: whether all turns have the same seeds


class Results(NamedTuple):
    """The results of M = T * K rounds; row t * K + k belongs to turn t and scenario k."""

    state: State  #: M games after the round
    shares: npt.NDArray[np.float64]  #: [M, P] the fraction of all regions that each player owns
    seeds: npt.NDArray[np.uint64]  #: [M] the seed of the dice


def make_results(count: int, n_regions: int, players: int) -> Results:
    """Make the arrays for `count` results."""
    return Results(make_state(count, n_regions, players), np.zeros((count, players)), np.zeros(count, dtype=np.uint64))


@kernel
def play_scenario(
    params: RuleParams, start: State, turns: ScenarioTurns, state: State, shares: npt.NDArray[np.float64],
    seeds: npt.NDArray[np.uint64], scratch: Scratch, i: Int,
) -> None:  # fmt: skip
    """Compute result i. start: the positions. state, shares, seeds: see `Results`."""
    t, k = i // turns.scenarios, i % turns.scenarios
    q, regions, players = turns.position[t], start.owner.shape[1], start.eliminated_at.shape[1]
    seeds[i] = derived(derived(mixed(turns.seed[0]), 0 if turns.common else t), k)
    seed_rng(derived(mixed(seeds[i]), RESEED), state.rng[i])
    for r in range(regions):
        state.owner[i, r], state.army[i, r] = start.owner[q, r], start.army[q, r]
    for p in range(players):
        state.eliminated_at[i, p] = start.eliminated_at[q, p]
    state.round[i], state.phase[i], state.winner[i] = start.round[q], start.phase[q], start.winner[q]
    orders = Workspace(scratch, turns.deploy[t], turns.attacks[t], turns.counts[t])
    play_round(params, state, i, orders, None, None)
    for p in range(players):
        owned = 0
        for r in range(regions):
            if state.owner[i, r] == p:
                owned += 1
        shares[i, p] = np.float64(owned) / np.float64(regions)


@kernel
def play_scenarios(
    params: RuleParams, start: State, turns: ScenarioTurns, state: State, shares: npt.NDArray[np.float64],
    seeds: npt.NDArray[np.uint64], scratch: Any,
) -> None:  # fmt: skip
    """Compute all results one after another; see `play_scenario`."""
    for i in range(seeds.shape[0]):
        play_scenario(params, start, turns, state, shares, seeds, scratch, i)
