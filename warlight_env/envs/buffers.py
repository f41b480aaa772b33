"""The kernel `observe`, which writes the views, features and masks of all players to the arrays in `Buffers`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.engine.bits import BitBoard, has, owned_bits
from warlight_env.engine.board import Board
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Armies, Bool, Int, Marks, Owners, Real
from warlight_env.engine.position import Position
from warlight_env.engine.reference import reference
from warlight_env.engine.rules import RuleParams
from warlight_env.engine.setup import ALTERNATING, picker
from warlight_env.engine.state import PICK, State
from warlight_env.engine.visibility import visible_bits
from warlight_env.envs.actions.kernels import CLOSED, COUNT, OFFERED, OWN, Turn
from warlight_env.envs.rewards import potential
from warlight_env.features.columns import NODE, TURN, TURN_WIDTH, Features, node_shift, node_width
from warlight_env.features.definitions import SEEN_UNKNOWN, SOFT_ARMIES
from warlight_env.features.extraction import (
    Memory,
    Observer,
    SeenRegions,
    Settings,
    blank,
    describe,
    income_of,
    seen_code,
    soft,
    sum_armies,
)


class EnvSettings(NamedTuple):
    """Settings of an environment that its kernels read; the board and the rules are separate arguments."""

    row_width: int  #: number of mask values of one region or edge; 0: `observe` writes no mask
    priority: bool  #: whether the mask has rows for the priorities of attacks
    asks_mask: bool  #: whether the action encoding has its own kernel that writes the mask
    stepwise: bool  #: whether a turn consists of several actions
    features: bool  #: whether the kernels write node features and global features
    fog: bool
    max_cycles: int
    max_income: int
    shaping: int
    scale: float
    gamma: float


class Buffers(NamedTuple):
    """All results of a step, for B games of P players. A step writes only the array entries whose values change.

    The arrays contain the views of S players per game. Each of these players has a slot, which is an index from 0 to S
    - 1. ``seat[b, s]`` is the player in slot s of game b, and ``slot[b, p]`` is the slot of player p.
    """

    seat: npt.NDArray[np.int8]  #: [B, S] the player in a slot, or -1 for an empty slot
    slot: npt.NDArray[np.int8]  #: [B, P] the slot of a player, or -1 for a player without a slot
    seen_owner: npt.NDArray[np.int8]  #: [B, S, N] the owner that the player sees, a SEEN_… code
    seen_army: npt.NDArray[np.int32]  #: [B, S, N] the armies that the player sees; 0 for an unseen region
    free: npt.NDArray[np.int8]  #: [B, S, N] what the player can do with a region: CLOSED, OWN or OFFERED
    features: npt.NDArray[np.float32]  #: [B, S, K] all features of a player, in the order of `features.Features`
    mask: npt.NDArray[np.int8]  #: [B, S, M] flat action masks; M = 0 if the kernels write no mask
    income: npt.NDArray[np.int32]  #: [B, P] armies that the player may deploy in a turn
    illegal: npt.NDArray[np.int32]  #: [B, P] number of illegal orders (or armies) that the last step dropped
    reward: npt.NDArray[np.float64]  #: [B, P] the rewards of the last step
    potential: npt.NDArray[np.float64]  #: [B, P] the potential for reward shaping after the last step
    live: npt.NDArray[np.bool_]  #: [B, P] whether the player's episode continues
    terminated: npt.NDArray[np.bool_]  #: [B, P] whether the player's episode is terminated
    truncated: npt.NDArray[np.bool_]  #: [B, P] whether the player's episode is truncated
    cycles: npt.NDArray[np.int32]  #: [B] number of steps since the reset


def make_buffers(
    board: Board, players: int, batch: int, slots: int, settings: EnvSettings, features: Features, mask_size: int
) -> Buffers:
    """Make the arrays for `observe`.

    In the new arrays, all regions are neutral and the mask forbids every choice. The arrays already contain the values
    of the features that never change during a game.
    """
    n = board.n_regions
    leading = batch, slots
    values = blank(board, features, *leading) if settings.features else np.zeros((*leading, features.size), np.float32)
    mask = np.zeros((batch, slots, mask_size), dtype=np.int8)
    if settings.row_width:
        mask[..., :: settings.row_width] = 1
    seat = np.full((batch, slots), -1, dtype=np.int8)
    slot = np.full((batch, players), -1, dtype=np.int8)
    seat[:, :], slot[:, :slots] = np.arange(slots), np.arange(slots)

    def shaped(dtype: Any, *shape: int) -> npt.NDArray[Any]:
        return np.zeros((batch, *shape), dtype=dtype)

    return reference(
        Buffers(
            seat=seat,
            slot=slot,
            seen_owner=shaped(np.int8, slots, n),
            seen_army=shaped(np.int32, slots, n),
            free=shaped(np.int8, slots, n),
            features=values,
            mask=mask,
            income=shaped(np.int32, players),
            illegal=shaped(np.int32, players),
            reward=shaped(np.float64, players),
            potential=shaped(np.float64, players),
            live=shaped(np.bool_, players),
            terminated=shaped(np.bool_, players),
            truncated=shaped(np.bool_, players),
            cycles=shaped(np.int32),
        )
    )


@kernel
def _fill(mask: Marks, row: Int, width: Int, value: Int) -> None:
    """Set all entries of a mask row to `value`: 1 allows a choice, 0 forbids it.

    The first entry of the row does not change, because the choice 0 is always allowed.
    """
    start = row * width
    for i in range(start + 1, start + width):
        mask[i] = value


class _MaskRows(NamedTuple):
    """The layout of the rows of an action mask: a row for each region, then a row for each edge."""

    neighbor_start: npt.NDArray[np.uint32]
    n_edges: int
    width: int  #: number of values in a row; 0: the kernels write no mask
    priority: bool  #: whether each edge also has a row for the priorities of its attack


@kernel
def _change_free(
    rows: _MaskRows,
    region: Int,
    mark: Int,
    free: Marks,
    mask: Marks,
    values: npt.NDArray[np.float32],
    players: Int,
) -> None:
    """Set the entry of a region in `free` to CLOSED, OWN or OFFERED.

    The kernel also updates the region's feature "offered", and the mask rows of the region and its edges.
    """
    before = free[region]
    free[region] = mark
    n, width = free.shape[0], rows.width
    width_of_nodes = node_width(players)
    # `values` contains node features only if it is longer than this product of regions and features per region.
    if values.shape[0] > n * width_of_nodes and (before == OFFERED or mark == OFFERED):
        values[region * width_of_nodes + node_shift(players) + NODE.offered] = 1.0 if mark == OFFERED else 0.0
    if width == 0:
        return
    if (before != CLOSED) != (mark != CLOSED):
        _fill(mask, region, width, 1 if mark != CLOSED else 0)
    if (before == OWN) != (mark == OWN):
        value = 1 if mark == OWN else 0
        for e in range(rows.neighbor_start[region], rows.neighbor_start[region + 1]):
            _fill(mask, n + e, width, value)
            if rows.priority:
                _fill(mask, n + rows.n_edges + e, width, value)


@kernel
def _free_in_play(
    rows: _MaskRows,
    owner: Owners,
    player: Int,
    free: Marks,
    mask: Marks,
    values: npt.NDArray[np.float32],
    players: Int,
) -> None:
    for r in range(owner.shape[0]):
        mark = OWN if owner[r] == player else CLOSED
        if free[r] != mark:
            _change_free(rows, r, mark, free, mask, values, players)


@kernel
def _free_to_pick(
    rows: _MaskRows,
    offers: npt.NDArray[np.uint8],
    player: Int,
    my_pick: Bool,
    free: Marks,
    mask: Marks,
    values: npt.NDArray[np.float32],
    players: Int,
) -> None:
    for r in range(offers.shape[0]):
        mark = OFFERED if my_pick and (offers[r] >> player) & 1 else CLOSED
        if free[r] != mark:
            _change_free(rows, r, mark, free, mask, values, players)


@kernel
def _see(
    owner: Owners, army: Armies, player: Int, players: Int, hidden: Any, visible: Any, regions: SeenRegions
) -> None:  # fmt: skip
    """Write the owners and armies that a player sees; used when no features are written."""
    for r in range(owner.shape[0]):
        regions.owner[r] = SEEN_UNKNOWN
        regions.army[r] = 0
        if not hidden or has(visible, r):
            regions.owner[r] = seen_code(owner[r], player, players)
            regions.army[r] = army[r]


@kernel
def observe(
    board: Board,
    params: RuleParams,
    settings: EnvSettings,
    state: State,
    out: Buffers,
    bits: BitBoard,
    memory: Memory,
    first: Int,
    end: Int,
) -> None:
    """Update the views, features, masks and incomes of all players in the games first .. end - 1.

    `out` must contain the values that `make_buffers` or earlier calls of this kernel wrote. The games' positions in
    `state` may change in any way between two calls.
    """
    players = state.eliminated_at.shape[1]
    visible, owned, armies = memory.visible, memory.owned, memory.armies
    rows = _MaskRows(board.neighbor_start, board.edge_target.shape[0], settings.row_width, settings.priority)
    describing = Settings(settings.fog, params.round_limit, settings.max_cycles, settings.max_income)
    for b in range(first, end):
        owner, army, offers = state.owner[b], state.army[b], state.offers[b]
        picking = state.phase[b] == PICK
        on_turn: Int = -1
        if picking and params.picking == ALTERNATING:
            on_turn = picker(state.turn[b], players)
        hidden = settings.fog and not picking
        for p in range(players):
            owned_bits(owner, p, owned[p])
        if settings.features and not hidden:
            sum_armies(owner, army, False, visible, armies)
        for p in range(players):
            earned: Int = np.int64(0)
            if state.eliminated_at[b, p] == 0:
                earned = income_of(bits, board.bonus, params.base_income, owned[p])
            out.income[b, p] = earned
            if out.slot[b, p] < 0:
                continue
            slot = np.int64(out.slot[b, p])
            my_pick = picking and (on_turn < 0 or on_turn == p)
            free, values = out.free[b, slot], out.features[b, slot]
            seen_regions = SeenRegions(out.seen_owner[b, slot], out.seen_army[b, slot])
            mask = out.mask[b, slot]
            if picking:
                _free_to_pick(rows, offers, p, my_pick, free, mask, values, players)
            else:
                _free_in_play(rows, owner, p, free, mask, values, players)
            if hidden:
                visible_bits(bits, owned[p], visible)
            if not settings.features:
                _see(owner, army, p, players, hidden, visible, seen_regions)
                continue
            observer = Observer(p, hidden, picking, my_pick, out.cycles[b], state.round[b], earned)
            describe(board, describing, bits, memory, owner, army, observer, seen_regions, values)


@kernel
def observe_turn(
    position: Position, income: Int, picking: Bool, turn: Turn, base: Int, values: npt.NDArray[np.float32]
) -> None:
    """Write the features of an unfinished turn to `values`, from the index `base` on.

    The last written feature is the fraction of the player's income that is not deployed yet.
    """
    army, remaining = position.army, np.int64(income)
    for r in range(army.shape[0]):
        offset = base + TURN_WIDTH * r
        remaining -= turn.deploy[r]
        values[offset + TURN.deployed] = soft(np.float32(turn.deploy[r]))
        values[offset + TURN.leaving] = 0.0
        values[offset + TURN.arriving] = 0.0
    for i in range(turn.status[COUNT]):
        if picking:
            values[base + TURN_WIDTH * turn.preferences[i] + TURN.deployed] = 1.0
            continue
        source, target = turn.attacks[i, 0], turn.attacks[i, 1]
        sent_armies = np.float32(turn.attacks[i, 2])
        available = np.float32(max(army[source] + turn.deploy[source] - 1, 1))
        source_index = base + TURN_WIDTH * source + TURN.leaving
        values[source_index] = min(values[source_index] + sent_armies / available, np.float32(1.0))
        target_index = base + TURN_WIDTH * target + TURN.arriving
        before = values[target_index]
        arriving = before * np.float32(SOFT_ARMIES) / (np.float32(1.0) - before) + sent_armies
        values[target_index] = soft(arriving)
    values[base + TURN_WIDTH * army.shape[0]] = np.float32(remaining) / np.float32(max(income, 1))


@kernel
def potentials(settings: EnvSettings, state: State, out: Buffers, b: Int, p: Int) -> Real:
    """Return the potential (for reward shaping) of game b for player p, with the income from the last observation."""
    return potential(settings.shaping, state.owner[b], p, out.income[b, p], settings.max_income)
