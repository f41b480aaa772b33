"""The working memory of generators, and arrays for sets of turns."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.records.plan_work import PlanWork, make_plan_work
from warlight_env.agents.records.turn_record import TurnNetworkBuffers, make_turn_network_buffers
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Int
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.reference import reference
from warlight_env.engine.state import Scratch, make_scratch

#: Number of methods to deploy, and number of methods to attack; a turn combines a method to deploy with a method to
#: attack.
N_DEPLOYS: Final = 3
N_ATTACKS: Final = 3
MAX_TURNS: Final = N_DEPLOYS * N_ATTACKS

#: Bits of the mask `generators`: bit d for the deploy method d, bit 3 + a for the attack method a, and PRESS. With
#: PRESS, armies without an order join their region's first attack.
PRESS: Final = 0b1_000_000
#: THESIS_GENERATORS: the thesis's methods. ALL_GENERATORS: all methods and PRESS; with PRESS, agents lose fewer games
#: than without it. NO_DEFENSE: without the defensive deploy, and with `offensive` as the only method of attack.
THESIS_GENERATORS: Final = 0b111_111
ALL_GENERATORS: Final = PRESS | THESIS_GENERATORS
NO_DEFENSE: Final = PRESS | 0b001_101


class TurnSet(NamedTuple):
    """Arrays with up to K turns of a player."""

    deploy: npt.NDArray[np.int32]  #: [K, N] armies per region
    attacks: npt.NDArray[np.int32]  #: [K, E, 3] (from, to, armies)
    counts: npt.NDArray[np.int32]  #: [K] number of attacks of each turn


class TurnSets(NamedTuple):
    """Arrays with a `TurnSet` for each of P players."""

    deploy: npt.NDArray[np.int32]  #: [P, K, N]
    attacks: npt.NDArray[np.int32]  #: [P, K, E, 3]
    counts: npt.NDArray[np.int32]  #: [P, K]


@inline_kernel
def turn_set_of(sets: TurnSets, p: Int) -> TurnSet:
    """Return the `TurnSet` of one player, as views of the arrays in `sets`."""
    return TurnSet(sets.deploy[p], sets.attacks[p], sets.counts[p])


class GeneratorWork(NamedTuple):
    """The working memory of generators and policies; each thread has its own."""

    scratch: Scratch
    value: npt.NDArray[np.float64]  #: [N] values of regions for the player
    after: npt.NDArray[np.int32]  #: [N] armies after the deploys
    free: npt.NDArray[np.int64]  #: [N] armies without an order
    targets: npt.NDArray[np.uint32]  #: [N] neighbours of a region, sorted by value
    income: npt.NDArray[np.int64]  #: [P]
    turns: TurnSet  #: for policies that draw one turn
    plan: PlanWork
    net: TurnNetworkBuffers


def make_generator_work(n_regions: int, n_edges: int, players: int) -> GeneratorWork:
    """Allocate working memory for one thread that generates turns."""
    return reference(
        GeneratorWork(
            scratch=make_scratch(n_regions, players),
            value=private_zeros(n_regions, np.float64),
            after=private_zeros(n_regions, np.int32),
            free=private_zeros(n_regions, np.int64),
            targets=private_zeros(n_regions, np.uint32),
            income=private_zeros(players, np.int64),
            turns=make_turn_set(n_regions, n_edges),
            plan=make_plan_work(n_regions, n_edges, players),
            net=make_turn_network_buffers(n_regions, n_edges, players),
        )
    )


def make_turn_set(n_regions: int, n_edges: int, size: int = MAX_TURNS) -> TurnSet:
    """Return an empty set with room for `size` turns."""
    return TurnSet(
        private_zeros((size, n_regions), np.int32),
        private_zeros((size, max(1, n_edges), 3), np.int32),
        private_zeros(size, np.int32),
    )


def make_turn_sets(n_regions: int, n_edges: int, players: int, size: int = MAX_TURNS) -> TurnSets:
    """Return empty sets with room for `size` turns each."""
    return TurnSets(
        private_zeros((players, size, n_regions), np.int32),
        private_zeros((players, size, max(1, n_edges), 3), np.int32),
        private_zeros((players, size), np.int32),
    )


@kernel
def copy_turn(turns: TurnSet, index: Int, deploy: Armies, attacks: AttackRows) -> Int:
    """Write a turn of a `TurnSet` to deploy int32[N] and attacks int32[E, 3], and return the number of attacks."""
    for r in range(deploy.shape[0]):
        deploy[r] = turns.deploy[index, r]
    for k in range(turns.counts[index]):
        for c in range(3):
            attacks[k, c] = turns.attacks[index, k, c]
    return np.int64(turns.counts[index])
