"""The one-ply player: of the generated turns the one after which its share is the highest on average."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.base import KernelAgent
from warlight_env.agents.evaluation import extended_share, make_evaluation, position_share, write_best_picks
from warlight_env.agents.generators.turns import generate_turns, random_turn
from warlight_env.agents.generators.work import (
    ALL_WAYS,
    MAX_TURNS,
    GeneratorWork,
    TurnSet,
    make_generator_work,
    make_turn_set,
)
from warlight_env.agents.imagined import imagined
from warlight_env.agents.weights import Weights
from warlight_env.engine.jit import kernel
from warlight_env.engine.rng import below, next_u64, uniform
from warlight_env.engine.round import resolve_orders
from warlight_env.engine.state import Workspace, make_workspace, private_zeros
from warlight_env.engine.view import View
from warlight_env.errors import InputError


class OnePlyWork(NamedTuple):
    """What one thread writes."""

    generator: GeneratorWork
    turns: TurnSet
    round: Workspace
    owner: npt.NDArray[np.int8]  #: [N] after a play of the round
    army: npt.NDArray[np.int32]  #: [N]
    dice: npt.NDArray[np.uint64]  #: [2]
    total: npt.NDArray[np.float64]  #: [K] shares, by turn


def make_one_ply_work(n_regions: int, n_edges: int, players: int) -> OnePlyWork:
    """Working memory for one thread."""
    return OnePlyWork(
        generator=make_generator_work(n_regions, n_edges, players),
        turns=make_turn_set(n_regions, n_edges),
        round=make_workspace(n_regions, n_edges, players),
        owner=private_zeros(n_regions, np.int8),
        army=private_zeros(n_regions, np.int32),
        dice=private_zeros(2, np.uint64),
        total=private_zeros(MAX_TURNS, np.float64),
    )


@kernel
def choose_turn(board, params, evaluation, owner, army, player, players, samples, explore, rng, work):
    """Index of the turn in `work.turns` with the highest mean share over `samples` plays of the round.

    With the chance `explore` it is any of them instead. In each play the others move at random among their generated
    turns. All of our turns meet the same answers and the same dice, so that they differ by what they are worth, not by
    luck. owner int8[N], army int32[N], rng uint64[2].
    """
    turns, orders, total = work.turns, work.round, work.total
    count = generate_turns(board, params, evaluation, owner, army, player, ALL_WAYS, rng, work.generator, turns)
    if count == 1:
        return np.int64(0)
    if explore > 0.0 and uniform(rng) < explore:
        return below(rng, count)
    for i in range(count):
        total[i] = 0.0
    for _ in range(samples):
        for p in range(players):
            if p != player:
                orders.counts[p] = random_turn(
                    board, params, evaluation, owner, army, p, ALL_WAYS, rng, work.generator, orders.deploy[p],
                    orders.attacks[p],
                )  # fmt: skip
        first, second = next_u64(rng), next_u64(rng)
        for i in range(count):
            work.dice[0], work.dice[1] = first, second
            for r in range(owner.shape[0]):
                work.owner[r], work.army[r] = owner[r], army[r]
                orders.deploy[player, r] = turns.deploy[i, r]
            for k in range(turns.counts[i]):
                for c in range(3):
                    orders.attacks[player, k, c] = turns.attacks[i, k, c]
            orders.counts[player] = turns.counts[i]
            resolve_orders(
                board, params, work.owner, work.army, orders.deploy, orders.attacks, orders.counts, orders.scratch,
                work.dice, None, None,
            )  # fmt: skip
            if evaluation.extended:
                total[i] += extended_share(board, evaluation, work.owner, work.army, player, players)
            else:
                total[i] += position_share(board, evaluation, work.owner, work.army, player, players)
    best = np.int64(0)
    for i in range(1, count):
        if total[i] > total[best]:
            best = np.int64(i)
    return best


@kernel
def one_ply_turn(board, params, evaluation, owner, army, player, players, samples, rng, work, deploy, attacks):
    """Write the turn of `choose_turn` to deploy int32[N] and attacks int32[E, 3]; returns the attacks' number."""
    best = choose_turn(board, params, evaluation, owner, army, player, players, samples, 0.0, rng, work)
    return take_turn(work.turns, best, deploy, attacks)


@kernel
def take_turn(turns, which, deploy, attacks):
    """Write a turn of a `TurnSet` to deploy int32[N] and attacks int32[E, 3]; returns the attacks' number."""
    for r in range(deploy.shape[0]):
        deploy[r] = turns.deploy[which, r]
    for k in range(turns.counts[which]):
        for c in range(3):
            attacks[k, c] = turns.attacks[which, k, c]
    return np.int64(turns.counts[which])


class OnePlyAgent(KernelAgent):
    """Looks one round ahead, with the evaluation of the tree search; for any number of players.

    Args:
        seed: of what is drawn.
        weights: of the evaluation: a preset, a .json file, or a record.
        samples: plays of the round that each turn is tried in.
    """

    name = "one_ply"

    def __init__(self, seed: int = 0, weights: str | Weights = "default", samples: int = 5) -> None:
        super().__init__(seed)
        if isinstance(samples, bool) or not isinstance(samples, int) or not 1 <= samples <= 10_000:
            raise InputError(f"samples = {samples!r}: must be an integer in 1 .. 10000")
        self.weights, self.samples = Weights.load(weights), samples

    def _prepare(self, view: View) -> None:
        super()._prepare(view)
        self._evaluation = make_evaluation(view.board, self.weights)
        self._work = make_one_ply_work(view.board.n_regions, view.board.n_edges, view.players)

    def _write(self, view: View) -> int:
        owner, army = imagined(view)
        return int(
            one_ply_turn(
                view.board, view.params, self._evaluation, owner, army, view.player, view.players, self.samples,
                self.rng, self._work, self._deploy, self._attacks,
            )
        )  # fmt: skip

    def pick(self, view: View) -> list[int]:
        """See `Agent.pick`."""
        return self._picked(view, write_best_picks, self.weights)
