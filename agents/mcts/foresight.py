"""Turns tried a round ahead before one is taken: in playouts that do not move at random, and for what enters the tree.

A function that the search takes as a pointer, so that it is compiled for searches alone that look ahead so.
"""

from __future__ import annotations

import functools
from typing import Any, Final

import numba
import numpy as np
from numba import types

from warlight_env.agents.context import generate, record_types
from warlight_env.agents.generator_work import take_turn, turn_set_of
from warlight_env.agents.lookahead import (
    draw_by_rank,
    highest,
    keep_best,
    list_replies,
    score_turns,
    try_against_replies,
    worst_replies,
)
from warlight_env.agents.mcts.work import Settings, make_search_work
from warlight_env.engine.jit import function_at, kernel, pointer
from warlight_env.engine.reference import reference

#: Whose turns playouts take: the policy's (by default a random one of the generators'), the one that is best a round
#: ahead, the one that is best against the enemies' best replies, or one of the best by chance.
POLICY: Final = 0
ONE_PLY: Final = 1
TWO_PLY: Final = 2
WEIGHTED: Final = 3
PLAYOUTS: Final = ("random", "one_ply", "two_ply", "weighted")


@kernel
def _narrow(context, settings, work, player, level):
    """Bring the best `settings.top` turns of a level to the front; returns how many there are."""
    turns, count = turn_set_of(work.turns, level), work.found[level]
    score_turns(context, work.position, player, settings.tries, turns, count, work.rng, work.generator, work.look)
    return keep_best(turns, count, settings.top, work.look.score)


@kernel
def foresee(context, settings, work, player, level):
    """Try turns in the position in `work`, each `settings.tries` times.

    level >= 0: those of that level, in `work.turns`; the best `settings.top` come to the front, and their number is
    returned. Otherwise: all turns of the player; what `settings.playout` takes is written to the orders of the round,
    and the number of its attacks is returned. "weighted" draws one of the `settings.drawn` best by rank.
    """
    if level >= 0:
        return _narrow(context, settings, work, player, level)
    look, position = work.look, work.position
    count = generate(context, position, player, work.rng, work.generator, look.turns)
    best = np.int64(0)
    if count > 1 and settings.playout == TWO_PLY:
        list_replies(context, position, player, work.rng, work.generator, look)
        for _ in range(settings.tries):
            try_against_replies(context, position, player, look.turns, count, work.rng, work.generator, look)
        worst_replies(context.players, count, look)
        best = highest(look.score, count)
    elif count > 1:
        score_turns(context, position, player, settings.tries, look.turns, count, work.rng, work.generator, look)
        if settings.playout == WEIGHTED:
            best = draw_by_rank(keep_best(look.turns, count, settings.drawn, look.score), work.rng)
        else:
            best = highest(look.score, count)
    orders = work.samples.round
    return take_turn(look.turns, best, orders.deploy[player], orders.attacks[player])


@kernel
def _blind(context, settings, work, player, level):
    """What searches get that do not look ahead so; it is not called."""
    return np.int64(0)


@functools.cache
def _signature() -> Any:
    t = record_types()
    settings = reference(Settings(
        exploration=0.0, root_visits=True, blind=False, choice=0, rounds=1, playout=0, tries=1, drawn=1,
        top=0, worth=0, alpha=0.0, beta=0.0, locked=False, virtual=0, player=0, foresee=0,
    ))  # fmt: skip
    work = make_search_work(2, 2, 2, 1)
    return types.int64(t["context"], numba.typeof(settings), numba.typeof(work), types.int64, types.int64)


foresight_at = function_at(_signature)


@functools.cache
def foresight(needed: bool) -> Any:
    """`foresee` as the search takes it or, where it is not needed, a stand-in that takes no time to compile."""
    return pointer(_signature(), foresee if needed else _blind)
