"""Kernels that keep a player's memory under fog of war, and write the believed position and the memory's features.

The memory stores what the player saw last in each region. It replays the visible orders of each round, so that a
hidden region of which the player sees an order also gets a new owner and army. The agent `policy:FILE` and the trainer
`warlight train ppo` call the same kernels.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.evaluation.game_outcome import holds_regions
from warlight_env.agents.records.turn_record import Floats
from warlight_env.engine.board import WASTELAND, Board
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Armies, Events, Int, Marks, Owners, Regions
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.position import Position
from warlight_env.engine.reference import reference
from warlight_env.engine.rules import RuleParams
from warlight_env.engine.state import NEUTRAL, UNKNOWN
from warlight_env.features.definitions import MEMORY

_COLUMN: Final[Any] = MEMORY.columns
_LONG_AGO: Final = 10.0


class FogMemory(NamedTuple):
    """The memory of each of P players about the N regions of a map."""

    owner: npt.NDArray[np.int8]  #: [P, N] the believed owners, never UNKNOWN
    army: npt.NDArray[np.int32]  #: [P, N] the believed armies
    #: [P, N] the round in which the player last saw the region; -1: before the first round
    last_seen: npt.NDArray[np.int32]
    moved: npt.NDArray[np.int32]  #: [P, N] armies of other players' visible orders of the last round, see `MEMORY`
    lost: npt.NDArray[np.int8]  #: [P, N] 1 if the player preferred the region to a region that it got, else 0


def make_fog_memory(n_regions: int, players: int) -> FogMemory:
    """Allocate the memory of all players of one game."""
    shape = (players, n_regions)
    return reference(
        FogMemory(
            private_zeros(shape, np.int8), private_zeros(shape, np.int32), private_zeros(shape, np.int32),
            private_zeros(shape, np.int32), private_zeros(shape, np.int8),
        )
    )  # fmt: skip


@kernel
def write_map_start(board: Board, params: RuleParams, owner: Owners, army: Armies) -> None:
    """Write the position that a player knows if it did not see the picking phase.

    All regions are neutral, with the map's starting armies and the wastelands of the map's setup.
    """
    for r in range(owner.shape[0]):
        owner[r], army[r] = NEUTRAL, board.starting_army[r]
        if board.setup_wastelands >= 0 and board.setup_marks[r] & WASTELAND != 0:
            army[r] = params.wasteland_army


@kernel
def begin_memory(memory: FogMemory, player: Int, owner: Owners, army: Armies) -> None:
    """Begin the memory of a game: the known owners int8[N] and armies int32[N] before the first round."""
    for r in range(owner.shape[0]):
        memory.owner[player, r], memory.army[player, r], memory.last_seen[player, r] = owner[r], army[r], -1
        memory.moved[player, r], memory.lost[player, r] = 0, 0


@kernel
def remember_picks(memory: FogMemory, player: Int, owner: Owners, preferences: Regions, count: Int) -> None:
    """Note the regions that the player preferred to its last received region, but did not get.

    In a game of two players, the other player has these regions.

    Args:
        owner: int8[N], the owners in the player's view before the first round.
        preferences: the player's preferred regions, best first; the first `count` of them were submitted.
    """
    last = -1
    for i in range(count):
        if owner[preferences[i]] == player:
            last = i
    for i in range(last):
        r = preferences[i]
        if owner[r] != player:
            memory.lost[player, r] = 1
            if memory.owner.shape[0] == 2:
                memory.owner[player, r] = 1 - player


@kernel
def follow_orders(
    memory: FogMemory, player: Int, deploys: npt.NDArray[np.int32], events: Events, count: Int, visible: Marks
) -> None:
    """Replay the orders of a round that the player saw, in the believed position.

    Args:
        deploys: int32[P, N], the deployed armies of each player.
        events: the first `count` events of the round, see `engine.round.EVENT_COLUMNS`.
        visible: int8[N], 1 for each region that the player saw in the round. Other players' orders outside of these
            regions are ignored.
    """
    owner, army, moved = memory.owner[player], memory.army[player], memory.moved[player]
    for r in range(owner.shape[0]):
        moved[r] = 0
    for p in range(deploys.shape[0]):
        for r in range(owner.shape[0]):
            if deploys[p, r] > 0 and (p == player or visible[r] != 0):
                owner[r] = p
                army[r] += deploys[p, r]
                moved[r] += deploys[p, r] if p != player else 0
    for k in range(count):
        order_player, source, target, armies = events[k, 0], events[k, 1], events[k, 2], events[k, 3]
        if order_player != player and visible[source] == 0 and visible[target] == 0:
            continue
        lost, killed = events[k, 4], events[k, 5]
        if order_player != player:
            moved[source] += armies
            moved[target] += armies
        owner[source] = order_player
        if events[k, 6] != 0:
            owner[target], army[target] = order_player, armies - lost
            army[source] = max(1, army[source] - armies)
        elif lost == 0 and killed == 0 and owner[target] != player:  # a transfer, or an attack without losses
            owner[target] = order_player
            army[target] += armies
            army[source] = max(1, army[source] - armies)
        elif order_player == owner[target]:  # the believed owner was wrong, because there was a battle
            army[source] = max(1, army[source] - lost)
        else:
            army[source] = max(1, army[source] - lost)
            army[target] = max(1, army[target] - killed)


@kernel
def observe(memory: FogMemory, player: Int, owner: Owners, army: Armies, rounds: Int) -> None:
    """Store a player's view at the start of a round: owner int8[N], army int32[N]; rounds: the number of rounds played.

    If the player lost a region and did not see how, the next player has the region.
    """
    players = memory.owner.shape[0]
    for r in range(owner.shape[0]):
        if owner[r] != UNKNOWN:
            memory.owner[player, r], memory.army[player, r], memory.last_seen[player, r] = owner[r], army[r], rounds
        elif memory.owner[player, r] == player:
            memory.owner[player, r] = (player + 1) % players


@kernel
def recall(board: Board, memory: FogMemory, player: Int, position: Position, features: Floats) -> None:
    """Write the believed owners and armies to a position, and the features of the memory to float32[N, N_MEMORY].

    Each other player without a believed region gets one hidden region, beginning with the regions farthest from the
    player. `position.round` must be the current round. `observe` must run first in each round.
    """
    owner, army, rounds = position.owner, position.army, position.round[0]
    for r in range(owner.shape[0]):
        owner[r], army[r] = memory.owner[player, r], memory.army[player, r]
        age = np.float64(rounds - memory.last_seen[player, r])
        features[r, _COLUMN.hidden] = np.float32(age > 0.0)
        features[r, _COLUMN.age] = np.float32(min(age, _LONG_AGO) / _LONG_AGO)
        features[r, _COLUMN.moved] = np.float32(np.log1p(np.float64(memory.moved[player, r])) / 3.0)
        features[r, _COLUMN.lost_pick] = np.float32(memory.lost[player, r])
    for p in range(memory.owner.shape[0]):
        if p != player and not holds_regions(owner, p):
            region = _farthest_hidden(board, owner, player, features)
            if region >= 0:
                owner[region] = p


@inline_kernel
def _farthest_hidden(board: Board, owner: Owners, player: Int, features: Floats) -> Int:
    """Return the hidden neutral region that is farthest from the player's regions, or -1 if there is none."""
    region, farthest = np.int64(-1), np.int64(-1)
    for r in range(owner.shape[0]):
        if features[r, _COLUMN.hidden] == 0.0 or owner[r] != NEUTRAL:
            continue
        distance = np.int64(10_000)
        for q in range(owner.shape[0]):
            if owner[q] == player:
                distance = min(distance, np.int64(board.distance[r, q]))
        if distance > farthest:
            region, farthest = np.int64(r), distance
    return region
