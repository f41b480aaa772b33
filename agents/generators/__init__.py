"""Generators: functions that propose a few sensible picks, deploys, attacks or turns for a position.

The kernels in the modules of this package work on arrays. The functions `picks`, `deploys`, `attacks` and `turns` take
a `View` (``game.view(player)``) and return plain data. Searches, players and `train` import this package. To add a
method, write its kernel and add it to `turns`.
"""

from __future__ import annotations

import numpy as np

from warlight_env.agents.context import Context, bare_context
from warlight_env.agents.generators import attacks as _attacks
from warlight_env.agents.generators import deploys as _deploys
from warlight_env.agents.generators.picks import pick_sets
from warlight_env.agents.generators.turns import generate_turns, prepare
from warlight_env.agents.records.generator_work import (
    ALL_GENERATORS,
    NO_DEFENSE,
    PRESS,
    THESIS_GENERATORS,
    GeneratorWork,
    make_generator_work,
    make_turn_set,
)
from warlight_env.agents.weights import DEFAULT, Weights, make_evaluation
from warlight_env.engine.orders import Orders
from warlight_env.engine.rng import make_rng
from warlight_env.engine.view import View
from warlight_env.errors import InputError, did_you_mean

DEPLOY_GENERATORS = _deploys.GENERATORS
ATTACK_GENERATORS = _attacks.GENERATORS


class GeneratorError(InputError):
    """Error: there is no method to deploy or attack with this name."""


def _index(generators: tuple[str, ...], name: str) -> int:
    if name not in generators:
        raise GeneratorError(
            f"there is no generator {name!r}{did_you_mean(name, generators)}; use one of {', '.join(generators)}"
        )
    return generators.index(name)


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
    index, work, context = _index(DEPLOY_GENERATORS, generator), _work(view), _context(view, weights)
    prepare(context, view.position, view.player, work)
    deploy = np.zeros(view.board.n_regions, dtype=np.int32)
    if not _deploys.write_deploy(context, view.position, index, view.player, view.income, work, deploy):
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
    index, work, context = _index(ATTACK_GENERATORS, generator), _work(view), _context(view, weights)
    prepare(context, view.position, view.player, work)
    deploy = np.zeros(view.board.n_regions, dtype=np.int32)
    for region, armies in deployed or ():
        deploy[region] += armies
    rows = np.zeros((max(1, view.board.n_edges), 3), dtype=np.int32)
    count = _attacks.write_attacks(context, view.position, index, press, view.player, deploy, work, rows)
    return list(Orders.from_arrays(np.zeros_like(deploy), rows, count).attacks)


def turns(view: View, generators: int = ALL_GENERATORS, seed: int = 0, weights: Weights = DEFAULT) -> list[Orders]:
    """Return the possible turns without duplicates, shuffled by the seed; see `generate_turns`."""
    board = view.board
    found = make_turn_set(board.n_regions, board.n_edges)
    count = generate_turns(
        _context(view, weights, generators), view.position, view.player, make_rng(seed), _work(view), found
    )
    return [Orders.from_arrays(found.deploy[i], found.attacks[i], found.counts[i]) for i in range(count)]


__all__ = [
    "ALL_GENERATORS",
    "ATTACK_GENERATORS",
    "DEPLOY_GENERATORS",
    "NO_DEFENSE",
    "PRESS",
    "THESIS_GENERATORS",
    "GeneratorError",
    "attacks",
    "deploys",
    "picks",
    "turns",
]
