"""Generators as functions of a `View` (``game.view(player)``) that return plain data."""

from __future__ import annotations

import numpy as np

from warlight_env.agents.context import Context, bare_context
from warlight_env.agents.generators.attacks import GENERATORS as ATTACK_GENERATORS
from warlight_env.agents.generators.attacks import write_attacks
from warlight_env.agents.generators.deploys import GENERATORS as DEPLOY_GENERATORS
from warlight_env.agents.generators.deploys import write_deploy
from warlight_env.agents.generators.picks import pick_sets
from warlight_env.agents.generators.turns import generate_turns, prepare
from warlight_env.agents.records.generator_work import (
    ALL_GENERATORS,
    GeneratorWork,
    make_generator_work,
    make_turn_set,
)
from warlight_env.agents.weights import DEFAULT, Weights, make_evaluation
from warlight_env.engine.orders import Orders
from warlight_env.engine.rng import make_rng
from warlight_env.engine.view import View


def _work(view: View) -> GeneratorWork:
    return make_generator_work(view.board.n_regions, view.board.n_edges, view.players)


def _context(view: View, weights: Weights, generators: int = ALL_GENERATORS) -> Context:
    return bare_context(view.board, view.params, view.players, weights, generators)


def picks(view: View, weights: Weights = DEFAULT) -> list[tuple[int, ...]]:
    """Return sets of offered regions that the player could pick, best set first; see `pick_sets`."""
    own = np.flatnonzero(view.owner == view.player).tolist()
    return pick_sets(view.board, make_evaluation(view.board, weights), view.offers, own, view.picks_left)


def deploys(view: View, generator: str, weights: Weights = DEFAULT) -> list[tuple[int, int]] | None:
    """Return the deploys of one of DEPLOY_GENERATORS as (region, armies); None if the method does not apply."""
    index, work, context = DEPLOY_GENERATORS.index(generator), _work(view), _context(view, weights)
    prepare(context, view.position, view.player, work)
    deploy = np.zeros(view.board.n_regions, dtype=np.int32)
    if not write_deploy(context, view.position, index, view.player, view.income, work, deploy):
        return None
    return list(Orders.from_arrays(deploy, np.zeros((0, 3), dtype=np.int32), 0).deploys)


def attacks(
    view: View,
    generator: str,
    deployed: list[tuple[int, int]] | None = None,
    weights: Weights = DEFAULT,
    press: bool = False,
) -> list[tuple[int, int, int]]:
    """Return the attacks and transfers of one of ATTACK_GENERATORS as (from, to, armies), after the given deploys.

    press: whether armies without an order join the first attack from their region. The argument `press` has no effect
    on the method "defensive".
    """
    index, work, context = ATTACK_GENERATORS.index(generator), _work(view), _context(view, weights)
    prepare(context, view.position, view.player, work)
    deploy = np.zeros(view.board.n_regions, dtype=np.int32)
    for region, armies in deployed or ():
        deploy[region] += armies
    rows = np.zeros((max(1, view.board.n_edges), 3), dtype=np.int32)
    count = write_attacks(context, view.position, index, press, view.player, deploy, work, rows)
    return list(Orders.from_arrays(np.zeros_like(deploy), rows, count).attacks)


def turns(view: View, generators: int = ALL_GENERATORS, seed: int = 0, weights: Weights = DEFAULT) -> list[Orders]:
    """Return the possible turns without duplicates, shuffled by the seed; see `generate_turns`."""
    board = view.board
    found = make_turn_set(board.n_regions, board.n_edges)
    count = generate_turns(
        _context(view, weights, generators), view.position, view.player, make_rng(seed), _work(view), found
    )
    return [Orders.from_arrays(found.deploy[i], found.attacks[i], found.counts[i]) for i in range(count)]
