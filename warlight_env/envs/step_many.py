"""A step of all games: kernels that go from part to part, each with games on one map in arrays of their own."""

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
from warlight_env.envs.step import Turns, Work, begin, hand_in, hand_in_policy, look, play_ready, settle


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
    illegal: npt.NDArray[np.int32]  #: [C, P] of the step before
    chosen: npt.NDArray[np.int16]  #: [C, P] who plays, see `Players`
    learner: npt.NDArray[np.int8]  #: [C]
    rngs: npt.NDArray[np.uint64]  #: [C, P, 2] of bots
    places: npt.NDArray[np.int64]  #: [C] the number of a game among all, or -1: nobody plays it


#: What goes into infos, as `gather_results` writes it.
NUMBERS = ("illegal", "income", "round", "phase", "is_success")


def map_games(
    core: EnvCore, chosen: npt.NDArray[np.int16], learner: npt.NDArray[np.int8], places: npt.NDArray[np.int64]
) -> MapGames:
    """The record of a core, as long as `core.out` and `core.settings` are these."""
    shape = core.batch, core.slots, core.row_size
    games: MapGames = reference(
        MapGames(
            core.context, core.bots_context, core.settings, core.encoding.config, core.row_room.limits, core.state,
            core.out, core.turns, core.bits, core.work, np.zeros(shape, np.int64), np.zeros(shape[:2], np.int8),
            np.zeros(core.batch, np.int8), np.zeros((core.batch, core.players), np.int32), chosen, learner,
            core.bot_rngs, places,
        )
    )  # fmt: skip
    return games


@functools.cache
def _kind() -> Any:
    chosen, learner = np.zeros((1, 2), np.int16), np.zeros(1, np.int8)
    return numba.typeof(map_games(EnvCore("small"), chosen, learner, np.zeros(1, np.int64)))


_games_at = record_at(_kind)


@kernel
def step_many(
    submit_address: Int, mask_address: Int, policies: Any, pickers: Any, parts: Any,
    actions: npt.NDArray[np.int64], acting: npt.NDArray[np.int8], dropped: npt.NDArray[np.int32],
    numbers: npt.NDArray[np.int16], regions: Int, factored: Bool, finish: Bool,
) -> Int:  # fmt: skip
    """A step of B games in `parts`: the learners' turns, those of bots that are kernels, with `finish` the rest, too.

    Each part is finished before the next is looked at, so that memory is gone through once.

    Args:
        parts: what `address_of` gives of `MapGames`.
        actions: [B, M] the learners', padded. acting: [B] whether one moves. dropped: [B] what was illegal before.
        policies, pickers: K addresses of bots. numbers: [K, parts] each bot's number in a part's `chosen`, or -1.
        regions: for how many there is room; 0: actions are in the parts' `rows` already. factored: the encoding has a
            row for each region and edge; what names one that a map lacks is illegal, too.

    Returns -1, or a game whose action is out of the limits of its map, or B + a game where `dropped` is no number that
    there can be; with nothing handed in, where there is one part. Padded actions are within the limits of all maps.
    """
    for i in range(len(parts)):
        games = _games_at(parts[i])
        if not _read(games, actions, acting, dropped, regions, factored):
            continue
        bad = _hand_in(games, submit_address)
        if bad >= 0:
            _copy(games.illegal.reshape(-1), games.out.illegal.reshape(-1))
            slots, rows = games.acting.shape[1], games.acting.size
            return games.places[bad // slots] if bad < rows else acting.shape[0] + games.places[bad - rows]
        for k in range(numbers.shape[0]):
            if numbers[k, i] >= 0:
                _move(games, policies[k], pickers[k], np.int64(numbers[k, i]))
        if finish:
            _resolve(games, mask_address)
    return np.int64(-1)


@kernel
def _read(
    games: MapGames, actions: npt.NDArray[np.int64], acting: npt.NDArray[np.int8], dropped: npt.NDArray[np.int32],
    regions: Int, factored: Bool,
) -> Bool:  # fmt: skip
    """Take what the learners do out of all actions; returns whether somebody plays here."""
    out, n, played = games.out, games.state.owner.shape[1], False
    for c in range(games.places.shape[0]):
        b = games.places[c]
        games.acting[c, 0], games.which[c] = 0, 0
        for p in range(out.illegal.shape[1]):
            games.illegal[c, p], out.illegal[c, p] = out.illegal[c, p], 0
        if b < 0:
            continue
        played = True
        row, illegal = games.rows[c, 0], np.int64(dropped[b])
        if acting[b] != 0:
            games.acting[c, 0], games.which[c] = 1, 1
            if regions > 0 and row.shape[0] == 1:
                row[0] = actions[b, 0]
            elif regions > 0:
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
    """`resolve` of the games that are played, one after the other as far as they lie so."""
    context, settings, state, out, turns, work = (
        games.context, games.settings, games.state, games.out, games.turns, games.work,
    )  # fmt: skip
    play_ready(context, settings, state, out, turns, work, games.which)
    places, count, first = games.places, games.places.shape[0], 0
    while first < count:
        end = first
        while end < count and places[end] >= 0:
            end += 1
        if end > first:
            look(context, settings, mask_address, games.config, state, out, turns, games.bits, work, first, end)
        first = end + 1
    settle(settings, state, out, games.which)


@kernel
def seat_some(
    parts: Any, places: npt.NDArray[np.int64], seeds: npt.NDArray[np.uint64], numbers: npt.NDArray[np.int16], seat: Int,
    learners: npt.NDArray[np.int8],
) -> None:  # fmt: skip
    """Write who plays in the games at places[k] of parts[k], and their dice and those of bots.

    seeds: [K] of the games. numbers: [K, P - 1] of the opponents in a part's `chosen`. seat: the learner's, or -1: by
    the seed; written to learners [K].
    """
    for k in range(places.shape[0]):
        games, c = _games_at(parts[k]), places[k]
        value, state, seats, slots = mixed(seeds[k]), games.state, games.out.seat[c], games.out.slot[c]
        players = slots.shape[0]
        learner = seat if seat >= 0 else np.int64(derived(value, 1) % np.uint64(players))
        learners[k], games.learner[c], games.chosen[c, learner] = learner, learner, -1
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
def gather_results(
    parts: Any, index: npt.NDArray[np.int64], places: npt.NDArray[np.int64], reward: npt.NDArray[np.float64],
    ends: npt.NDArray[np.bool_], numbers: npt.NDArray[np.int64],
) -> None:  # fmt: skip
    """Write what the learners of M games are paid and told, those at places[k] of parts[index[k]].

    index: [M], or -1: no game. reward: [M]. ends: [2, M] terminated, truncated. numbers: [5, M], see `NUMBERS`.
    """
    for k in range(places.shape[0]):
        if index[k] < 0:
            continue
        games, c = _games_at(parts[index[k]]), places[k]
        state, out, learner = games.state, games.out, np.int64(games.learner[c])
        reward[k] = out.reward[c, learner]
        ends[0, k], ends[1, k] = out.terminated[c, learner], out.truncated[c, learner]
        numbers[0, k], numbers[1, k] = out.illegal[c, learner], out.income[c, learner]
        numbers[2, k], numbers[3, k] = state.round[c], state.phase[c]
        numbers[4, k] = 1 if state.winner[c] == learner else 0


@kernel
def gather_seen(
    parts: Any, index: npt.NDArray[np.int64], places: npt.NDArray[np.int64], nodes: npt.NDArray[np.float32],
    overall: npt.NDArray[np.float32],
) -> None:  # fmt: skip
    """Write what the learners of M games see, as `gather_results` finds them, to arrays with room for any map.

    nodes: [M, N, F], overall: [M, G], features; what a map lacks is 0.
    """
    for k in range(places.shape[0]):
        flat = nodes[k].reshape(-1)
        if index[k] < 0:
            _fill(flat, 0.0)
            _fill(overall[k], 0.0)
            continue
        games = _games_at(parts[index[k]])
        values, size = games.out.features[places[k], 0], games.state.owner.shape[1] * nodes.shape[2]
        _copy(values, flat[:size])
        _fill(flat[size:], 0.0)
        _copy(values[size:], overall[k])


@kernel
def gather_masks(
    parts: Any, index: npt.NDArray[np.int64], places: npt.NDArray[np.int64], masks: npt.NDArray[np.int8], regions: Int,
    factored: Bool,
) -> None:  # fmt: skip
    """Write the flat masks [M, W] of the learners of M games, as `gather_results` finds them.

    There is room for `regions`. factored: a row of VALUES for each region and edge.
    """
    for k in range(places.shape[0]):
        if index[k] < 0:
            _fill(masks[k], 0)
        else:
            games = _games_at(parts[index[k]])
            _pad_mask(games.out.mask[places[k], 0], masks[k], games.state.owner.shape[1], regions, factored)


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
    "begin_some",
    "gather_masks",
    "gather_results",
    "gather_seen",
    "map_games",
    "seat_some",
    "step_many",
]
