"""The features of a position for one player, in the layout of the observation "flat".

The class `FeatureExtractor` computes the features for arrays of positions. Environments compute their features with the
same kernels, see `envs.buffers`.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.arguments import is_integer, short_repr
from warlight_env.array_arguments import array_of
from warlight_env.engine.bits import BitBoard, count_bits, count_common, has, leaves, make_bits, owned_bits
from warlight_env.engine.board import Board
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Armies, Bool, Int, Owners, Real
from warlight_env.engine.reference import reference
from warlight_env.engine.rules import RuleParams, Rules
from warlight_env.engine.state import NEUTRAL
from warlight_env.engine.visibility import visible_bits
from warlight_env.errors import InputError
from warlight_env.features.columns import (
    GLOBAL,
    GLOBALS_PER_OPPONENT,
    NODE,
    Features,
    global_shift,
    node_shift,
    node_width,
    observed_features,
)
from warlight_env.features.definitions import (
    MANY_ARMIES,
    SEEN_MINE,
    SEEN_NEUTRAL,
    SEEN_UNKNOWN,
    SOFT_ARMIES,
)
from warlight_env.features.registry import check_players
from warlight_env.thread_ownership import SingleThreaded


class Memory(NamedTuple):
    """Working memory of the kernels of this module."""

    visible: npt.NDArray[np.uint64]  #: [W] bit set of the regions that the player sees
    owned: npt.NDArray[np.uint64]  #: [P, W] bit set of each player's regions
    codes: npt.NDArray[np.int8]  #: [P + 1] SEEN_… code of each owner; index 0 is neutral
    armies: npt.NDArray[np.int64]  #: [P + 1] armies of each owner; index 0 is neutral
    shares: npt.NDArray[np.float32]  #: [S, 2] fractions of owned regions, see `write_shares`


def make_memory(bits: BitBoard, players: int) -> Memory:
    """Make working memory for one thread."""
    words = bits.adjacent.shape[1]
    return reference(
        Memory(
            visible=np.zeros(words, dtype=np.uint64),
            owned=np.zeros((players, words), dtype=np.uint64),
            codes=np.zeros(players + 1, dtype=np.int8),
            armies=np.zeros(players + 1, dtype=np.int64),
            shares=np.zeros((len(bits.members), 2), dtype=np.float32),
        )
    )


class Settings(NamedTuple):
    """The values on which features depend in addition to the position."""

    fog: bool
    round_limit: int
    max_cycles: int
    max_income: int


class Observer(NamedTuple):
    """A viewing player, and everything that this player knows except the owners and armies of the regions."""

    player: Int
    hidden: Bool  #: whether the player sees only the regions of `Memory.visible`
    picking: Bool
    my_pick: Bool
    cycles: Int
    round: Int
    income: Int


class SeenRegions(NamedTuple):
    """The regions in a player's view; each step updates these arrays."""

    owner: npt.NDArray[np.int8]  #: [N] SEEN_… codes
    army: npt.NDArray[np.int32]  #: [N] 0 if the player does not see the region


class DescribedPositions(NamedTuple):
    """M positions, each with the player that views it."""

    owner: npt.NDArray[np.int8]  #: [M, N] neutral or a player
    army: npt.NDArray[np.int32]  #: [M, N]
    player: npt.NDArray[np.int32]  #: [M]
    rounds: npt.NDArray[np.int32]  #: [M]
    cycles: npt.NDArray[np.int32]  #: [M]
    offered: npt.NDArray[np.int8]  #: [M, N] used in the phase "pick", otherwise empty


@inline_kernel
def soft(armies: Real) -> Real:
    """Return a number below 1 for a number of armies, float32: armies / (armies + SOFT_ARMIES)."""
    return armies / (armies + np.float32(SOFT_ARMIES))


@inline_kernel
def part_of(count: Real, limit: Real) -> Real:
    """Return count / limit, float32, at most 1; 0 if the limit is 0."""
    if limit > np.float32(0.0):
        return min(count / limit, np.float32(1.0))
    return np.float32(0.0)


@kernel
def seen_code(owner: Int, player: Int, players: Int) -> Int:
    """Return the SEEN_… code of an owner in the view of `player`."""
    if owner < 0:
        return SEEN_NEUTRAL
    ahead = owner - player
    return SEEN_MINE + (ahead if ahead >= 0 else ahead + players)


@kernel
def write_shares(
    bits: BitBoard,
    owned: npt.NDArray[np.uint64],
    player: Int,
    players: Int,
    hidden: Any,
    visible: npt.NDArray[np.uint64],
    shares: npt.NDArray[np.float32],
) -> None:
    """Write float32[S, 2]: the player's share of each super region, and the largest share of one opponent."""
    for s in range(bits.members.shape[0]):
        size = np.float32(max(count_common(bits.members[s], bits.members[s]), 1))
        best = np.int64(0)
        for q in range(players):
            if q != player:
                count = np.int64(0)
                for w in range(visible.shape[0]):
                    word = bits.members[s, w] & owned[q, w]
                    count += count_bits(word & visible[w] if hidden else word)
                best = max(best, count)
        shares[s, 0] = np.float32(count_common(bits.members[s], owned[player])) / size
        shares[s, 1] = np.float32(best) / size


@kernel
def income_of(bits: BitBoard, bonus: npt.NDArray[np.int32], base_income: Int, owned: npt.NDArray[np.uint64]) -> Int:
    """Return the same number as `engine.round.income`, for a bit set of the player's regions."""
    total = np.int64(base_income)
    for s in range(bonus.shape[0]):
        if not leaves(bits.members[s], owned):
            total += bonus[s]
    return total


@kernel
def write_nodes(
    board: Board, bits: BitBoard, memory: Memory, owner: Owners, army: Armies, observer: Observer,
    seen_regions: SeenRegions, values: npt.NDArray[np.float32],
) -> None:  # fmt: skip
    """Write a player's view of all regions, and the features of all regions."""
    owned, visible, codes, shares = memory.owned[observer.player], memory.visible, memory.codes, memory.shares
    players, hidden, adjacent = memory.owned.shape[0], observer.hidden, bits.adjacent
    width = np.uintp(node_width(players))
    first_owner = np.int64(NODE.neutral - SEEN_NEUTRAL)
    offset = np.uintp(node_shift(players))  # unsigned, because signed indices need a check for negative values
    for i in range(owner.shape[0]):
        r = np.uintp(i)
        code, size = codes[np.uintp(owner[r] + np.int64(1))], army[r]
        if hidden and not has(visible, r):
            code, size = np.int8(SEEN_UNKNOWN), np.int32(0)
        if seen_regions.owner[r] != code:
            one_hot = i * node_width(players) + first_owner
            values[one_hot + seen_regions.owner[r]] = 0.0
            values[one_hot + code] = 1.0
            seen_regions.owner[r] = code
        seen_regions.army[r] = size
        amount = np.float32(size)
        values[offset + np.uintp(NODE.army_soft)] = soft(amount)
        values[offset + np.uintp(NODE.army_linear)] = min(amount * np.float32(1.0 / MANY_ARMIES), np.float32(1.0))
        values[offset + np.uintp(NODE.border)] = np.float32(code == SEEN_MINE and leaves(adjacent[r], owned))
        s = np.uintp(board.super_region[r])
        values[offset + np.uintp(NODE.my_share)] = shares[s, 0]
        values[offset + np.uintp(NODE.opponent_share)] = shares[s, 1]
        offset += width


@kernel
def sum_armies(
    owner: Owners, army: Armies, hidden: Any, visible: npt.NDArray[np.uint64], armies: npt.NDArray[np.int64]
) -> None:
    """Write the number of visible armies of each owner to armies int64[P + 1]; index 0 is neutral."""
    for q in range(armies.shape[0]):
        armies[q] = 0
    for r in range(owner.shape[0]):
        if not hidden or has(visible, r):
            armies[owner[r] + 1] += army[r]


@kernel
def write_globals(
    settings: Settings, memory: Memory, n: Int, observer: Observer, values: npt.NDArray[np.float32]
) -> None:  # fmt: skip
    """Write the features of the whole position (the group `globals`)."""
    owned, visible, armies, players = memory.owned, memory.visible, memory.armies, memory.owned.shape[0]
    player, hidden = observer.player, observer.hidden
    base = n * node_width(players)
    total: Int = np.int64(0)
    for q in range(players + 1):
        total += armies[q]
    per_region, per_army = np.float32(1.0 / n), np.float32(1.0 / max(total, 1))
    values[base + GLOBAL.picking] = np.float32(observer.picking)
    values[base + GLOBAL.my_pick] = np.float32(observer.my_pick)
    values[base + GLOBAL.time] = part_of(np.float32(observer.cycles), np.float32(settings.max_cycles))
    values[base + GLOBAL.round] = part_of(np.float32(observer.round), np.float32(settings.round_limit))
    values[base + GLOBAL.income] = np.float32(observer.income) / np.float32(max(settings.max_income, 1))
    n_visible = count_common(visible, visible) if hidden else n
    neutral = n_visible
    for k in range(players):
        q = (player + k) % players
        regions = np.int64(0)
        for w in range(visible.shape[0]):
            regions += count_bits(owned[q, w] & visible[w] if hidden else owned[q, w])
        neutral -= regions
        region_share, army_share = np.float32(regions) * per_region, np.float32(armies[q + 1]) * per_army
        if k == 0:
            values[base + GLOBAL.regions_mine], values[base + GLOBAL.armies_mine] = region_share, army_share
        else:
            offset = base + GLOBALS_PER_OPPONENT * (k - 1)
            values[offset + GLOBAL.regions_opponent], values[offset + GLOBAL.armies_opponent] = region_share, army_share
    values[base + GLOBAL.regions_neutral] = np.float32(neutral) * per_region
    values[base + GLOBAL.armies_neutral] = np.float32(armies[0]) * per_army
    values[base + GLOBAL.regions_unknown + global_shift(players)] = np.float32(n - n_visible) * per_region


@kernel
def describe(
    board: Board, settings: Settings, bits: BitBoard, memory: Memory, owner: Owners, army: Armies, observer: Observer,
    seen_regions: SeenRegions, values: npt.NDArray[np.float32],
) -> None:  # fmt: skip
    """Write a player's view and its features, except the feature "offered".

    The caller sets `memory.owned`. If fog hides regions, the caller also sets `memory.visible`; without fog, the caller
    also sets `memory.armies` to the number of armies of each owner.
    """
    owned, codes, players = memory.owned, memory.codes, memory.owned.shape[0]
    codes[0] = SEEN_NEUTRAL
    for q in range(players):
        codes[q + 1] = seen_code(q, observer.player, players)
    if observer.hidden:
        sum_armies(owner, army, True, memory.visible, memory.armies)
    write_shares(bits, owned, observer.player, players, observer.hidden, memory.visible, memory.shares)
    write_nodes(board, bits, memory, owner, army, observer, seen_regions, values)
    write_globals(settings, memory, owner.shape[0], observer, values)


@kernel
def describe_all(
    board: Board, params: RuleParams, settings: Settings, bits: BitBoard, memory: Memory, positions: DescribedPositions,
    picking: Bool, seen_regions: SeenRegions, values: npt.NDArray[np.float32],
) -> None:  # fmt: skip
    """Write the features of M positions, each in the view of its player, to values float32[M, K].

    Args:
        values: rows that are copies of the result of `blank`.
        picking: whether the phase is "pick".
        seen_regions: working memory.
    """
    n, players = positions.owner.shape[1], memory.owned.shape[0]
    first, width = node_shift(players) + NODE.offered, node_width(players)
    hidden = settings.fog and not picking
    for m in range(positions.owner.shape[0]):
        owner, army, p = positions.owner[m], positions.army[m], np.int64(positions.player[m])
        for q in range(players):
            owned_bits(owner, q, memory.owned[q])
        if hidden:
            visible_bits(bits, memory.owned[p], memory.visible)
        else:
            sum_armies(owner, army, False, memory.visible, memory.armies)
        earned: Int = np.int64(0)
        if picking or count_common(memory.owned[p], memory.owned[p]) > 0:  # a player without regions has no income
            earned = income_of(bits, board.bonus, params.base_income, memory.owned[p])
        seen_regions.owner[:] = SEEN_NEUTRAL
        observer = Observer(p, hidden, picking, picking, positions.cycles[m], positions.rounds[m], earned)
        describe(board, settings, bits, memory, owner, army, observer, seen_regions, values[m])
        if picking:
            for r in range(n):
                values[m, first + width * r] = np.float32(positions.offered[m, r] != 0)


def most_income(board: Board, params: RuleParams) -> int:
    """Return the income of a player that owns all regions."""
    return int(params.base_income + board.bonus.sum())


def blank(board: Board, features: Features, *leading: int) -> npt.NDArray[np.float32]:
    """Return the features of a neutral board without armies, float32[*leading, K], including all constant features."""
    values = np.zeros((*leading, features.size), dtype=np.float32)
    part = features["nodes"]
    nodes = part.cut(values)
    nodes[..., part.column("neutral")] = 1
    nodes[..., part.column("bonus")] = (board.bonus / max(1, board.bonus.max()))[board.super_region]
    return values


class FeatureExtractor(SingleThreaded):
    """Compute the features of ``observation="flat"`` for positions, without an environment.

    Args:
        board, rules, players: the board, the rules and the number of players of the games.
        max_cycles: the number of steps after which an environment ends a game, for the feature "time".
    """

    exclusive_methods = ("__call__",)

    def __init__(self, board: Board, rules: Rules, players: int, max_cycles: int) -> None:
        if not isinstance(getattr(board, "record", board), Board):
            raise InputError(f"board = {short_repr(board)}: must be a `Board`")
        if not isinstance(rules, Rules):
            raise InputError(f"rules = {short_repr(rules)}: must be `Rules`")
        check_players(players)
        if not is_integer(max_cycles) or not 0 < max_cycles < 2**31:
            raise InputError(f"max_cycles = {short_repr(max_cycles)}: must be an integer from 1 to {2**31 - 1}")
        players, max_cycles = int(players), int(max_cycles)
        self.features: Final = observed_features("flat", board.n_regions, players)
        self._board, self._players = board, players
        self._params = rules.params(board.n_regions, board.n_super_regions)
        self._settings = Settings(rules.fog, self._params.round_limit, max_cycles, most_income(board, self._params))
        self._bits = make_bits(board)
        self._memory = make_memory(self._bits, players)
        self._seen_regions = SeenRegions(np.zeros(board.n_regions, np.int8), np.zeros(board.n_regions, np.int32))
        self._blank = blank(board, self.features)

    def __call__(
        self, owner: Any, army: Any, player: Any, rounds: Any, cycles: Any, offered: Any = None
    ) -> npt.NDArray[np.float32]:
        """Return the features of M positions, each in the view of one player, float32[M, K].

        The attribute `features` describes the columns.

        Args:
            owner: int[M, N], the owner of each region: a player, or a negative number if the region is neutral or the
                player does not see it.
            army: int[M, N], the armies on each region.
            player: int[M], the viewing player. Under fog the features use only the regions that the viewing player
                sees.
            rounds: int[M], rounds played. cycles: int[M], steps of the environment since the reset.
            offered: in the phase "pick", bool[M, N], the regions that the player may pick now; otherwise None.

        Raises:
            InputError: an array has another type or shape, or a player is invalid.
        """
        owner_values = _integers(owner, "owner")
        if owner_values.ndim != 2:
            raise InputError(f"owner must be an array [M, {self._board.n_regions}], not of shape {owner_values.shape}")
        shape = (len(owner_values), self._board.n_regions)
        offered_mask = (
            np.zeros((0, 0), np.int8) if offered is None else (_integers(offered, "offered") != 0).view(np.int8)
        )
        armies = np.clip(_integers(army, "army"), 0, 2**31 - 1).astype(np.int32)
        counts = _integers(player, "player"), _integers(rounds, "rounds"), _integers(cycles, "cycles")
        viewers, rounds_played, steps = (np.clip(count, -1, 2**31 - 1).astype(np.int32) for count in counts)
        if {owner_values.shape, armies.shape, shape if offered is None else offered_mask.shape} != {shape}:
            raise InputError(f"owner, army and offered must have the same shape [M, {shape[1]}]")
        if {viewers.shape, rounds_played.shape, steps.shape} != {shape[:1]}:
            raise InputError(
                f"player, rounds and cycles must have the shape [{shape[0]}], one number for each position"
            )
        if ((viewers < 0) | (viewers >= self._players)).any() or (owner_values >= self._players).any():
            raise InputError(f"player and owner must contain players in 0 .. {self._players - 1}")
        if (rounds_played < 0).any() or (steps < 0).any():
            raise InputError("rounds and cycles must be from 0 up")
        owners = np.maximum(owner_values, NEUTRAL).astype(np.int8)
        values = np.broadcast_to(self._blank, (len(owners), self.features.size)).copy()
        positions = DescribedPositions(owners, armies, viewers, rounds_played, steps, offered_mask)
        describe_all(
            self._board, self._params, self._settings, self._bits, self._memory, positions, offered is not None,
            self._seen_regions, values,
        )  # fmt: skip
        return values


def _integers(values: Any, name: str) -> npt.NDArray[Any]:
    """Return the values as an array of integers or booleans. Raise InputError for values of any other type."""
    array = array_of(values, name)
    if array.dtype.kind not in "biu" or isinstance(array, np.ma.MaskedArray):
        raise InputError(f"{name} must be an array of integers, not {array.dtype} ({short_repr(values)})")
    return array
