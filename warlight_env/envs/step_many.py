"""A step of games on different maps: kernels that go from map to map, each with games in arrays of their own."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.agents.records.factored_turns import VALUES
from warlight_env.engine.bits import BitBoard
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Bool, Int
from warlight_env.engine.reference import record_at, reference
from warlight_env.engine.rng import derived, mixed, seed_rng
from warlight_env.engine.state import State
from warlight_env.envs.actions.step_kernels import DEPLOYS
from warlight_env.envs.buffers import Buffers, EnvSettings
from warlight_env.envs.core import EnvCore
from warlight_env.envs.step import Turns, Work, begin, hand_in, hand_in_policy, resolve
from warlight_env.features.columns import node_width


class MapGames(NamedTuple):
    """Some games on a map: what the kernels of a core of C games get, and what a step writes first."""

    context: Context
    bots: Context  #: what bots get
    settings: EnvSettings
    config: npt.NDArray[np.int64]
    limits: npt.NDArray[np.int64]  #: [K]
    state: State
    out: Buffers
    turns: Turns
    bits: BitBoard
    work: Work
    rows: npt.NDArray[np.int64]  #: [C, S, K] actions
    acting: npt.NDArray[np.int8]  #: [C, S]
    which: npt.NDArray[np.int8]  #: [C]
    chosen: npt.NDArray[np.int16]  #: [C, P] who plays, see `Episodes`
    learner: npt.NDArray[np.int8]  #: [C]
    seeds: npt.NDArray[np.uint64]  #: [C]
    rngs: npt.NDArray[np.uint64]  #: [C, P, 2] of bots
    places: npt.NDArray[np.int64]  #: [C] the number of a game among all, or -1: nobody plays it


class Paid(NamedTuple):
    """What came of a step, for the learners of B games."""

    reward: npt.NDArray[np.float64]  #: [B]
    terminated: npt.NDArray[np.bool_]  #: [B]
    truncated: npt.NDArray[np.bool_]  #: [B]
    numbers: npt.NDArray[np.int64]  #: [B, 5] illegal, income, round, phase, whether the learner has won


#: The columns of `Paid.numbers`.
NUMBERS = ("illegal", "income", "round", "phase", "is_success")


def map_games(
    core: EnvCore,
    chosen: npt.NDArray[np.int16],
    learner: npt.NDArray[np.int8],
    seeds: npt.NDArray[np.uint64],
    places: npt.NDArray[np.int64],
) -> MapGames:
    """The record of a core, as long as `core.out` and `core.settings` are these."""
    shape = core.batch, core.slots, core.row_size
    games: MapGames = reference(
        MapGames(
            core.context, core.bots_context, core.settings, core.encoding.config, core.encoding.limits, core.state,
            core.out, core.turns, core.bits, core.work, np.zeros(shape, np.int64), np.zeros(shape[:2], np.int8),
            np.zeros(core.batch, np.int8), chosen, learner, seeds, core.bot_rngs, places,
        )
    )  # fmt: skip
    return games


@functools.cache
def _kind() -> Any:
    core = EnvCore("small")
    chosen, learner = np.zeros((1, 2), np.int16), np.zeros(1, np.int8)
    return numba.typeof(map_games(core, chosen, learner, np.zeros(1, np.uint64), np.zeros(1, np.int64)))


_games_at = record_at(_kind)


@kernel
def step_many(
    submit_address: Int, mask_address: Int, policies: Any, pickers: Any, parts: Any,
    actions: npt.NDArray[np.int64], acting: npt.NDArray[np.int8], dropped: npt.NDArray[np.int64],
    numbers: npt.NDArray[np.int16], regions: Int, factored: Bool, finish: Bool,
) -> Int:  # fmt: skip
    """A step of B games in `parts`: the learners' turns, those of bots that are kernels, with `finish` the rest, too.

    Each part is finished before the next is looked at, so that memory is gone through once.

    Args:
        parts: what `address_of` gives of `MapGames`.
        actions: [B, M] the learners', padded. acting: [B] whether one moves. dropped: [B] what was illegal before.
        policies, pickers: K addresses of bots. numbers: [K, parts] each bot's number in a part's `chosen`, or -1.
        regions: for how many there is room. factored: the encoding has a row for each region and edge; what names one
            that a map lacks is illegal, too.

    Returns -1, or a game whose action is out of the limits of its map, which nobody's is who has checked them.
    """
    for i in range(len(parts)):
        games = _games_at(parts[i])
        if not _read(games, actions, acting, dropped, regions, factored):
            continue
        bad = _hand_in(games, submit_address)
        if bad >= 0:
            return games.places[bad // games.acting.shape[1]]
        for k in range(numbers.shape[0]):
            if numbers[k, i] >= 0:
                _move(games, policies[k], pickers[k], np.int64(numbers[k, i]))
        if finish:
            _resolve(games, mask_address)
    return np.int64(-1)


@kernel
def _read(
    games: MapGames, actions: npt.NDArray[np.int64], acting: npt.NDArray[np.int8], dropped: npt.NDArray[np.int64],
    regions: Int, factored: Bool,
) -> Bool:  # fmt: skip
    """Take what the learners do out of all actions; returns whether somebody plays here."""
    out, n, played = games.out, games.state.owner.shape[1], False
    for c in range(games.places.shape[0]):
        b = games.places[c]
        games.acting[c, 0], games.which[c] = 0, 0
        for p in range(out.illegal.shape[1]):
            out.illegal[c, p] = 0
        if b < 0:
            continue
        played = True
        row, illegal = games.rows[c, 0], dropped[b]
        if acting[b] != 0:
            games.acting[c, 0], games.which[c] = 1, 1
            if row.shape[0] == 1:
                row[0] = actions[b, 0]
            else:
                _copy(actions[b], row[:n])
                _copy(actions[b, regions:], row[n:])
            if factored:
                illegal += _count(actions[b]) - _count(row)
        out.illegal[c, games.learner[c]] = illegal
    return played


@kernel
def _hand_in(games: MapGames, submit_address: Int) -> Int:
    return hand_in(
        games.context, games.settings, submit_address, games.config, games.state, games.out, games.turns, games.work,
        games.limits, games.acting, games.rows,
    )  # fmt: skip


@kernel
def _move(games: MapGames, policy: Int, picker: Int, number: Int) -> None:
    hand_in_policy(
        games.bots, games.settings, policy, picker, games.state, games.out, games.turns, games.work, games.chosen,
        number, games.learner, games.rngs,
    )  # fmt: skip


@kernel
def _resolve(games: MapGames, mask_address: Int) -> None:
    resolve(
        games.context, games.settings, mask_address, games.config, games.state, games.out, games.turns, games.bits,
        games.work, games.which,
    )  # fmt: skip


@kernel
def gather_many(
    parts: Any, nodes: npt.NDArray[np.float32], overall: npt.NDArray[np.float32], mask: npt.NDArray[np.int8],
    paid: Paid, regions: Int, factored: Bool,
) -> None:  # fmt: skip
    """Write what the learners see, and are paid, to the rows of their games, which have room for `regions`.

    nodes [B, N, F], overall [B, G]: features; what a map lacks is 0. mask: [B, M], where that allows nothing.
    `factored`: a row of VALUES for each region and edge.
    """
    for i in range(len(parts)):
        games = _games_at(parts[i])
        for c in range(games.places.shape[0]):
            if games.places[c] >= 0:
                _gather(games, c, games.places[c], nodes, overall, mask, paid, regions, factored)


@kernel
def seat_some(
    parts: Any, places: npt.NDArray[np.int64], seeds: npt.NDArray[np.uint64], numbers: npt.NDArray[np.int16], seat: Int
) -> None:  # fmt: skip
    """Who plays in the games at places[k] of parts[k], and their dice: `Episodes.seat_players`, `EnvCore.set_dice` and
    `Episodes.let_begin`, where all opponents are bots that are kernels.

    numbers: [K, P - 1] of these bots in a part's `chosen`. seat: the learner's, or -1: by the seed.
    """
    for k in range(places.shape[0]):
        games, c = _games_at(parts[k]), places[k]
        value, state, seats, slots = mixed(seeds[k]), games.state, games.out.seat[c], games.out.slot[c]
        players = slots.shape[0]
        learner = seat if seat >= 0 else np.int64(derived(value, 1) % np.uint64(players))
        games.learner[c], games.seeds[c], games.chosen[c, learner] = learner, seeds[k], -1
        seats[0], slots[learner], i = learner, 0, 0
        for p in range(players):
            if p != learner:
                games.chosen[c, p] = numbers[k, i]
                seed_rng(derived(derived(value, 3), p), games.rngs[c, p])
                i += 1
                slots[p] = i if i < seats.shape[0] else -1
                if i < seats.shape[0]:
                    seats[i] = p
        seed_rng(value, state.rng[c])


@kernel
def begin_some(mask_address: Int, parts: Any, places: npt.NDArray[np.int64], picked: Bool) -> None:
    """`begin` the games at places[k] of parts[k], by rules with which it cannot fail."""
    for k in range(places.shape[0]):
        games = _games_at(parts[k])
        begin(
            games.context, games.settings, mask_address, games.config, games.state, games.out, games.turns, games.bits,
            games.work, picked, places[k : k + 1],
        )  # fmt: skip


@kernel
def gather_some(
    parts: Any, places: npt.NDArray[np.int64], nodes: npt.NDArray[np.float32], overall: npt.NDArray[np.float32],
    mask: npt.NDArray[np.int8], paid: Paid, regions: Int, factored: Bool,
) -> None:  # fmt: skip
    """`gather_many` for some games: those at places[k] of parts[k]."""
    for k in range(places.shape[0]):
        games = _games_at(parts[k])
        _gather(games, places[k], games.places[places[k]], nodes, overall, mask, paid, regions, factored)


@kernel
def _gather(
    games: MapGames, c: Int, b: Int, nodes: Any, overall: Any, mask: Any, paid: Paid, regions: Int, factored: Bool
) -> None:  # fmt: skip
    state, out, learner = games.state, games.out, np.int64(games.learner[c])
    values, n, players = out.features[c, 0], state.owner.shape[1], out.live.shape[1]
    width = node_width(players)
    flat = nodes[b].reshape(-1)
    _copy(values, flat[: n * width])
    _fill(flat[n * width :], 0.0)
    _copy(values[n * width :], overall[b])
    _pad_mask(out.mask[c, 0], mask[b], n, regions, factored)
    paid.reward[b] = out.reward[c, learner]
    paid.terminated[b], paid.truncated[b] = out.terminated[c, learner], out.truncated[c, learner]
    paid.numbers[b, 0] = out.illegal[c, learner]
    paid.numbers[b, 1] = out.income[c, learner]
    paid.numbers[b, 2], paid.numbers[b, 3] = state.round[c], state.phase[c]
    paid.numbers[b, 4] = 1 if state.winner[c] == learner else 0


@inline_kernel
def _copy(source: Any, target: Any) -> None:
    """As many entries as the target has; from 0 up, so that there is no wrap-around to be minded."""
    for i in range(target.shape[0]):
        target[i] = source[i]


@kernel
def _count(row: Any) -> Int:
    """Entries that are not 0."""
    count = np.int64(0)
    for i in range(row.shape[0]):
        count += row[i] != 0
    return count


@kernel
def _pad_mask(mask: Any, wide: Any, n: Int, regions: Int, factored: Bool) -> None:
    """Write a map's mask where it belongs in one with more room; see `Padding.mask`."""
    of_region = VALUES if factored else DEPLOYS
    if mask.shape[0] == wide.shape[0]:
        _copy(mask, wide)
        return
    cut, start, end = of_region * n, of_region * regions, mask.shape[0] + of_region * (regions - n)
    _fill(wide, 0)
    _copy(mask, wide[:cut])
    _copy(mask[cut:], wide[start:end])
    if factored:  # nothing, where there is nothing
        for i in range(cut, start, VALUES):
            wide[i] = 1
        for i in range(end, wide.shape[0], VALUES):
            wide[i] = 1
    else:  # the end of the turn
        wide[end - 1] = 0
        wide[wide.shape[0] - 1] = mask[mask.shape[0] - 1]


@inline_kernel
def _fill(target: Any, value: Any) -> None:
    for i in range(target.shape[0]):
        target[i] = value


__all__ = [
    "NUMBERS",
    "MapGames",
    "Paid",
    "begin_some",
    "gather_many",
    "gather_some",
    "map_games",
    "seat_some",
    "step_many",
]
