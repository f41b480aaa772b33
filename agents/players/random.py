"""The random bot: a baseline for other bots, and the policy of random playouts."""

from __future__ import annotations

from typing import Annotated, Final, NamedTuple

import numpy as np

from warlight_env.agents.base import KernelAgent
from warlight_env.agents.context import Context
from warlight_env.agents.parameters import FROM_ONE, Param, Range, check_values, documented, parameters_of
from warlight_env.agents.records.generator_work import GeneratorWork
from warlight_env.engine.board import Board
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Int, Marks, Owners, RandomState, Regions
from warlight_env.engine.position import Position
from warlight_env.engine.rng import below, next_u64
from warlight_env.engine.round import income
from warlight_env.engine.state import Scratch
from warlight_env.engine.view import View

#: Default parameters: the number of parts into which the income is split, and the number of armies by which a target
#: may be stronger.
CHUNKS: Final = 3
MARGIN: Final = 1

_ONE = np.uint64(1)


class RandomSettings(NamedTuple):
    """The parameters of the random bot."""

    chunks: int = CHUNKS  #: number of parts into which the income is split
    margin: int = MARGIN  #: armies by which a target may be stronger


#: The default parameters.
DEFAULTS: Final = RandomSettings()


@inline_kernel
def _find_borders(board: Board, owner: Owners, player: Int, borders: Regions) -> Int:
    """List the player's border regions, and return the number of them.

    A border region is adjacent to a region of another owner. The loops contain no branches that depend on data, because
    such branches are slow.
    """
    count = 0
    for r in range(owner.shape[0]):
        foreign = False
        for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
            foreign |= owner[board.edge_target[e]] != player
        borders[count] = r
        count += foreign & (owner[r] == player)
    return count


@inline_kernel
def _toss_coins(regions: Regions, count: Int, rng: RandomState) -> Int:
    """Keep each of regions[:count] with probability 1/2, in the same order; return the number of kept regions."""
    bits, n_kept = np.uint64(0), np.int64(0)
    for i in range(count):
        if i % 64 == 0:
            bits = next_u64(rng)
        regions[n_kept] = regions[i]
        n_kept += np.int64(bits & _ONE)
        bits >>= _ONE
    return n_kept


@inline_kernel
def random_orders(
    board: Board,
    position: Position,
    player: Int,
    available: Int,
    settings: RandomSettings,
    scratch: Scratch,
    deploy: Armies,
    attacks: AttackRows,
    rng: RandomState,
) -> Int:
    """Write a random turn, and return the number of attacks.

    The income is deployed in `chunks` parts, each on a random border region. After the deploys, each border region
    attacks with probability 1/2. An attacking region sends all free armies to a random neighbour that is not the
    player's and has at most `margin` more armies. owner int8[N], army int32[N], deploy int32[N], attacks int32[A, 3]
    with A >= E.
    """
    owner, army, chunks, margin = position.owner, position.army, settings.chunks, settings.margin
    regions, candidates = scratch.queue, scratch.mark
    for r in range(owner.shape[0]):
        deploy[r] = 0
    count = _find_borders(board, owner, player, regions)
    if count == 0:
        return 0
    before: Int = np.int64(0)
    for i in range(chunks):
        end = (available * (i + 1)) // chunks
        deploy[regions[below(rng, count)]] += end - before
        before = end
    count = _toss_coins(regions, count, rng)
    n_attacks = 0
    for i in range(count):
        r = regions[i]
        free = army[r] + deploy[r] - 1
        n_candidates = 0
        for e in range(board.neighbor_start[r], board.neighbor_start[r + 1]):
            q = board.edge_target[e]
            candidates[n_candidates] = q
            n_candidates += (owner[q] != player) & (army[q] <= free + margin)
        if n_candidates == 0 or free < 1:
            continue
        attacks[n_attacks, 0] = r
        attacks[n_attacks, 1] = candidates[below(rng, n_candidates)]
        attacks[n_attacks, 2] = free
        n_attacks += 1
    return n_attacks


@kernel
def random_policy(
    context: Context,
    position: Position,
    player: Int,
    rng: RandomState,
    work: GeneratorWork,
    deploy: Armies,
    attacks: AttackRows,
) -> Int:
    """Write the turn of `random_orders` with default parameters. The signature is `plug_ins.policy_signature`."""
    board, params, owner = context.board, context.params, position.owner
    available = income(board, params.base_income, owner, player)
    return random_orders(board, position, player, available, DEFAULTS, work.scratch, deploy, attacks, rng)


@kernel
def random_picks(
    context: Context, position: Position, free: Marks, player: Int, rng: RandomState, preferences: Regions
) -> Int:
    """Write the regions r with free[r] != 0 in random order to preferences int32[N], and return their number."""
    owner = position.owner
    count = 0
    for r in range(owner.shape[0]):
        preferences[count] = r
        count += free[r] != 0
    for i in range(count):
        k = i + below(rng, count - i)
        region = preferences[k]
        while k > i:
            preferences[k] = preferences[k - 1]
            k -= 1
        preferences[i] = region
    return count


@documented
class RandomAgent(KernelAgent):
    """Deploys in chunks on random border regions, attacks random neighbours that are not clearly stronger."""

    picker = staticmethod(random_picks)

    def __init__(
        self,
        seed: int = 0,
        chunks: Annotated[
            int, Param("number of parts into which the income is split", 1, 1000, python_range=FROM_ONE)
        ] = CHUNKS,
        margin: Annotated[
            int, Param("number of armies by which a target may be stronger", 0, 1000, python_range=Range())
        ] = MARGIN,
    ) -> None:
        super().__init__(seed)
        check_values(RandomAgent, {"chunks": chunks, "margin": margin})
        self.name = "random"
        self.chunks, self.margin = chunks, margin

    def _write(self, view: View) -> int:
        return int(
            random_orders(
                view.board,
                view.position,
                view.player,
                view.income,
                RandomSettings(self.chunks, self.margin),
                self._scratch,
                self._deploy,
                self._attacks,
                self.rng,
            )
        )


#: The parameters that specifications of this agent accept.
PARAMETERS: Final = parameters_of(RandomAgent)
