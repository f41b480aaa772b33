"""The kernels that step games on many maps, one map after another. A `MapGames` has the games on one map."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.agents.records.factored_turns import VALUES
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Bool, Int
from warlight_env.engine.reference import array_at, record_at, reference
from warlight_env.engine.rng import derived, mixed, seed_rng
from warlight_env.envs.actions.step_kernels import DEPLOYS
from warlight_env.envs.core import EnvCore
from warlight_env.envs.step import (
    GameBatch,
    acting_player,
    begin,
    finish_step,
    first_invalid,
    impossible_count,
    play_ready,
    refresh_observations,
    submit_policy_turns,
    submit_row,
)


class MapGames(NamedTuple):
    """C games of one `EnvCore`, all on one map, with the inputs of their next step."""

    games: GameBatch
    bots: Context  #: the context argument of compiled bots
    acting: npt.NDArray[np.int8]  #: [C, S] 1 for a slot whose action is read in the next step
    selected: npt.NDArray[np.int8]  #: [C] 1 for a game that makes the next step
    illegal: npt.NDArray[np.int32]  #: [C, P] `Buffers.illegal` of the previous step
    chosen: npt.NDArray[np.int16]  #: [C, P] the number of each player's opponent, see `CoreOpponents`
    learners: npt.NDArray[np.int8]  #: [C, L] the learners' seats; learner l has slot l
    after: npt.NDArray[np.int8]  #: [C] a live learner; the opponents move in the step in which its turn is complete
    rngs: npt.NDArray[np.uint64]  #: [C, P, 2] the states of the bots' random generators
    places: npt.NDArray[np.int64]  #: [C] the number of the game in the whole batch, or -1 for an unused place


class PaddingLayout(NamedTuple):
    """The layout of actions and masks that are padded to a maximum number of regions and edges."""

    regions: int  #: the maximum number of regions; 0: no padding
    factored: bool  #: whether the action encoding is "factored", which has VALUES choices for each region and edge


#: The keys of the integers in infos, in the order of the rows of `numbers` in `write_learner_results`.
NUMBERS = ("illegal", "income", "round", "phase")


def map_games(
    core: EnvCore, chosen: npt.NDArray[np.int16], learners: npt.NDArray[np.int8], places: npt.NDArray[np.int64]
) -> MapGames:
    """Make the `MapGames` of an `EnvCore`. Call this function again after `core.game_batch` is replaced."""
    games: MapGames = reference(
        MapGames(
            core.game_batch, core.bots_context, np.zeros((core.batch, core.slots), np.int8),
            np.zeros(core.batch, np.int8), np.zeros((core.batch, core.players), np.int32), chosen, learners,
            np.zeros(core.batch, np.int8), core.bot_rngs, places,
        )
    )  # fmt: skip
    return games


@functools.cache
def _kind() -> Any:
    chosen, learners = np.zeros((1, 2), np.int16), np.zeros((1, 1), np.int8)
    return numba.typeof(map_games(EnvCore("small"), chosen, learners, np.zeros(1, np.int64)))


class LearnerActions(NamedTuple):
    """The actions of L learners in B games."""

    rows: Any  #: the addresses of L arrays int64[B, M] of action rows, see `array_addresses`; M is K without padding
    shape: tuple[int, int, int]  #: (B, 1, M)


_games_at, _rows_at = record_at(_kind), array_at(np.int64)


@kernel
def step_many(
    parts: Any, policies: Any, pickers: Any, numbers: npt.NDArray[np.int16], actions: LearnerActions,
    acting: npt.NDArray[np.int8], dropped: npt.NDArray[np.int32], layout: PaddingLayout, finish: Bool,
) -> Int:  # fmt: skip
    """Step B games: submit the turns of learners and of compiled bots, and play the rounds if `finish` is True.

    The kernel completes the step of one `MapGames` before it begins the step of the next one, so that the CPU loads the
    memory of each `MapGames` only once.

    Args:
        parts: the addresses of the `MapGames` that contain the games, results of `address_of`.
        policies, pickers: the addresses of two kernels of each of K compiled bots: one plays rounds, the other picks
            start regions.
        numbers: int16[K, C], the number of each bot in `chosen` of each of C `MapGames`; -1: no game has this bot.
        actions: the actions of L learners.
        acting: int8[B], 0 for a game that makes no step.
        dropped: int32[B, L], the number of illegal entries of each action that were found before this call.
        layout: the layout of padded actions.
        finish: whether to play the rounds. If `finish` is False, the kernel only submits turns, so that the caller can
            play the rounds later, for example after opponents in Python have submitted their turns.

    Returns -1 for success. With L learners in each game, the result b * L + l means that the action of learner l in
    game b is outside the limits of its map, and the result B * L + b means that a value of `dropped` for game b is
    impossible. After an error, the turns in the `MapGames` with the error have not changed, but other `MapGames` may
    have made the step. Padded actions are always within the limits.
    """
    for i in range(len(parts)):
        part = _games_at(parts[i])
        if not _read(part, actions, acting, dropped, layout):
            continue
        invalid = _first_invalid(part, actions, layout)
        if invalid >= 0:
            _copy(part.illegal.reshape(-1), part.games.out.illegal.reshape(-1))
            return invalid
        _submit(part, actions, layout)
        for k in range(numbers.shape[0]):
            if numbers[k, i] >= 0:
                number = np.int64(numbers[k, i])
                submit_policy_turns(
                    part.games, part.bots, policies[k], pickers[k], part.chosen, number, part.after, part.rngs
                )
        if finish:
            _resolve(part)
    return np.int64(-1)


@kernel
def _read(
    part: MapGames,
    actions: LearnerActions,
    acting: npt.NDArray[np.int8],
    dropped: npt.NDArray[np.int32],
    layout: PaddingLayout,
) -> Bool:
    """Prepare the fields of a `MapGames` for the next step; return whether the `MapGames` has any game."""
    out, n, players, has_games = part.games.out, part.games.state.owner.shape[1], part.illegal.shape[1], False
    for c in range(part.places.shape[0]):
        b = part.places[c]
        part.selected[c] = 1 if b >= 0 and acting[b] != 0 else 0
        for p in range(players):
            part.illegal[c, p], out.illegal[c, p] = out.illegal[c, p], 0
        if b < 0:
            for i in range(part.learners.shape[1]):
                part.acting[c, i] = 0
            continue
        has_games = True
        part.after[c] = part.learners[c, 0]
        for i in range(part.learners.shape[1] - 1, -1, -1):
            learner = np.int64(part.learners[c, i])
            part.acting[c, i] = 1 if acting[b] != 0 and out.live[c, learner] else 0
            if out.live[c, learner]:
                part.after[c] = learner
                out.illegal[c, learner] = dropped[b, i]
            if layout.factored and part.acting[c, i] != 0:
                row, width = _rows_at(actions.rows[i], actions.shape)[b, 0], part.games.work.row.shape[0]
                out.illegal[c, learner] += _count(row[n : layout.regions]) + _count(row[layout.regions + width - n :])
    return has_games


@kernel
def _first_invalid(part: MapGames, actions: LearnerActions, layout: PaddingLayout) -> Int:
    """Return the position of the first invalid action or invalid value of `dropped` (see `step_many`); -1 if none."""
    games, batch, learners = part.games, part.places.shape[0], part.learners.shape[1]
    impossible = impossible_count(games.out)
    if impossible >= 0:
        return actions.shape[0] * learners + part.places[impossible]
    invalid = np.int64(batch * learners)
    if layout.regions == 0:
        for i in range(learners):
            rows = _rows_at(actions.rows[i], actions.shape)
            invalid = min(invalid, first_invalid(games, part.acting, i, rows, 0, part.places) * learners + i)
    return (
        part.places[invalid // learners] * learners + invalid % learners if invalid < batch * learners else np.int64(-1)
    )


@kernel
def _submit(part: MapGames, actions: LearnerActions, layout: PaddingLayout) -> None:
    """Convert the actions of a `MapGames` to turns."""
    games, n = part.games, part.games.state.owner.shape[1]
    row = games.work.row
    for c in range(part.places.shape[0]):
        for i in range(part.learners.shape[1]):
            p = acting_player(games.out, games.turns, part.acting, c, i)
            if p < 0:
                continue
            action_row = _rows_at(actions.rows[i], actions.shape)[part.places[c], 0]
            if layout.regions > 0 and row.shape[0] > 1:
                _copy(action_row, row[:n])
                _copy(action_row[layout.regions :], row[n:])
            else:
                _copy(action_row, row)
            submit_row(games, c, i, p)


@kernel
def _resolve(part: MapGames) -> None:
    """Do the same as `step.resolve`, but skip the observations of places to which no game is assigned.

    The kernel calls `refresh_observations` once for each sequence of places that are in use.
    """
    games, places, count, first = part.games, part.places, part.places.shape[0], 0
    play_ready(games, part.selected)
    while first < count:
        end = first
        while end < count and places[end] >= 0:
            end += 1
        if end > first:
            refresh_observations(games, first, end)
        first = end + 1
    finish_step(games, part.selected)


@kernel
def seat_some(
    parts: Any, places: npt.NDArray[np.int64], seeds: npt.NDArray[np.uint64], numbers: npt.NDArray[np.int16],
    fixed: npt.NDArray[np.int8], learners: npt.NDArray[np.int8],
) -> None:  # fmt: skip
    """Assign the seats of K new games, and seed the random generators of the games and of the bots.

    Args:
        parts, places: game k is at places[k] of the `MapGames` with the address parts[k].
        seeds: uint64[K], the games' seeds.
        numbers: int16[K, P - L], the numbers of the opponents in `MapGames.chosen`.
        fixed: int8[L], the seats of the L learners in all games. The entry -1 means that the learner's seat is drawn
            with the game's seed; it is only allowed if L is 1.
        learners: int8[K, L], to which the kernel writes the learners' seats.
    """
    for k in range(places.shape[0]):
        part, c = _games_at(parts[k]), places[k]
        out, seed = part.games.out, mixed(seeds[k])
        seats, slots = out.seat[c], out.slot[c]
        players, next_slot, i = slots.shape[0], fixed.shape[0], 0
        for p in range(players):
            slots[p] = -1
        for j in range(fixed.shape[0]):
            learner = np.int64(fixed[j]) if fixed[j] >= 0 else np.int64(derived(seed, 1) % np.uint64(players))
            learners[k, j], part.learners[c, j], part.chosen[c, learner] = learner, learner, -1
            seats[j], slots[learner] = learner, j
        for p in range(players):
            if slots[p] < 0:
                part.chosen[c, p] = numbers[k, i]
                seed_rng(derived(derived(seed, 3), p), part.rngs[c, p])
                i += 1
                if next_slot < seats.shape[0]:
                    seats[next_slot], slots[p] = p, next_slot
                    next_slot += 1
        seed_rng(seed, part.games.state.rng[c])


@kernel
def begin_some(parts: Any, places: npt.NDArray[np.int64], random_start: Bool) -> None:
    """Call `begin` for the game at places[k] of the `MapGames` with the address parts[k], for each k.

    The rules must allow neighbouring start regions, because `begin` may fail under other rules.
    """
    for k in range(places.shape[0]):
        begin(_games_at(parts[k]).games, random_start, places[k : k + 1])


@kernel
def write_learner_results(
    parts: Any, index: npt.NDArray[np.int64], places: npt.NDArray[np.int64], before: npt.NDArray[np.bool_],
    reward: npt.NDArray[np.float64], flags: npt.NDArray[np.bool_], numbers: npt.NDArray[np.int64],
    live: npt.NDArray[np.bool_], ended: npt.NDArray[np.int64],
) -> Int:  # fmt: skip
    """Write the results of the last step for the L learners of M games; return the number of games without a learner.

    Args:
        parts, index, places: game k is at places[k] of the `MapGames` with the address parts[index[k]]. index[k] is -1
            if there is no game k. Then all results of game k are 0.
        before: [M, L], False for a learner whose episode had ended before the step. The learner's rewards and the first
            two flags become 0.
        reward: [L, M] the rewards.
        flags: [3, L, M] terminated, truncated, and whether the learner has won.
        numbers: [4, L, M] one entry for each key in `NUMBERS`.
        live: [M, L] whether the learner's episode continues.
        ended: int64[M]; the first entries become the indices k of the games without a live learner, in ascending order.
    """
    count = np.int64(0)
    for k in range(places.shape[0]):
        any_live = False
        for i in range(before.shape[1]):
            if index[k] < 0:
                reward[i, k], live[k, i] = 0.0, False
                _fill(flags[:, i, k], False)
                _fill(numbers[:, i, k], 0)
                continue
            part, c = _games_at(parts[index[k]]), places[k]
            state, out = part.games.state, part.games.out
            learner, was_live = np.int64(part.learners[c, i]), before[k, i]
            reward[i, k] = out.reward[c, learner] if was_live else 0.0
            flags[0, i, k] = was_live and out.terminated[c, learner]
            flags[1, i, k] = was_live and out.truncated[c, learner]
            flags[2, i, k] = state.winner[c] == learner
            numbers[0, i, k], numbers[1, i, k] = out.illegal[c, learner], out.income[c, learner]
            numbers[2, i, k], numbers[3, i, k] = state.round[c], state.phase[c]
            live[k, i] = out.live[c, learner]
            any_live = any_live or live[k, i]
        if not any_live:
            ended[count] = k
            count += 1
    return count


@kernel
def gather_seen(
    parts: Any, index: npt.NDArray[np.int64], places: npt.NDArray[np.int64], number: Int,
    nodes: npt.NDArray[np.float32], overall: npt.NDArray[np.float32],
) -> None:  # fmt: skip
    """Write the observations of one learner of each of M games to padded arrays.

    Args:
        parts, index, places, number: the games and the learners, see `write_learner_results`.
        nodes: [M, N, F], the node features; rows of regions that a map does not have become 0.
        overall: [M, G], the global features.
    """
    for k in range(places.shape[0]):
        flat = nodes[k].reshape(-1)
        if index[k] < 0:
            _fill(flat, 0.0)
            _fill(overall[k], 0.0)
            continue
        games = _games_at(parts[index[k]]).games
        values, size = games.out.features[places[k], number], games.state.owner.shape[1] * nodes.shape[2]
        _copy(values, flat[:size])
        _fill(flat[size:], 0.0)
        _copy(values[size:], overall[k])


@kernel
def gather_masks(
    parts: Any, index: npt.NDArray[np.int64], places: npt.NDArray[np.int64], number: Int, masks: npt.NDArray[np.int8],
    layout: PaddingLayout,
) -> None:  # fmt: skip
    """Write the padded flat action masks of one learner of each of M games to masks[M, W].

    parts, index, places, number: the games and the learners, see `write_learner_results`.
    """
    for k in range(places.shape[0]):
        if index[k] < 0:
            _fill(masks[k], 0)
        else:
            games = _games_at(parts[index[k]]).games
            pad_mask(games.out.mask[places[k], number], masks[k], games.state.owner.shape[1], layout)


@inline_kernel
def _copy(source: Any, target: Any) -> None:
    """Fill all entries of `target` with the first entries of `source`."""
    for i in range(target.shape[0]):
        target[i] = source[i]


@kernel
def _count(row: Any) -> Int:
    """Return the number of entries of a row that are not 0."""
    count = np.int64(0)
    for i in range(row.shape[0]):
        count += row[i] != 0
    return count


@kernel
def pad_mask(mask: Any, padded: Any, n: Int, layout: PaddingLayout) -> None:
    """Write the flat mask of a map with n regions to `padded`; forbid regions and edges that do not exist."""
    of_region = VALUES if layout.factored else DEPLOYS
    if mask.shape[0] == padded.shape[0]:
        _copy(mask, padded)
        return
    region_end, start, end = of_region * n, of_region * layout.regions, mask.shape[0] + of_region * (layout.regions - n)
    _fill(padded, 0)
    _copy(mask, padded[:region_end])
    _copy(mask[region_end:], padded[start:end])
    if layout.factored:  # for a region or edge that does not exist, only the value 0 is allowed
        for i in range(region_end, start, VALUES):
            padded[i] = 1
        for i in range(end, padded.shape[0], VALUES):
            padded[i] = 1
    else:  # the last entry of a mask is the action that ends the turn
        padded[end - 1] = 0
        padded[padded.shape[0] - 1] = mask[mask.shape[0] - 1]


@inline_kernel
def _fill(target: Any, value: Any) -> None:
    for i in range(target.shape[0]):
        target[i] = value
