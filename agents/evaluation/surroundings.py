"""Kernels that compute input features of networks: a region's neighbours, super regions and threats."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from warlight_env.agents.records.army_requirements import ArmyRequirements, chance_of_capture
from warlight_env.engine.board import Board
from warlight_env.engine.jit import inline_kernel
from warlight_env.engine.kernel_types import Int, Real
from warlight_env.engine.position import Position

#: The fraction of a player's income that is assumed to take part in an attack.
_JOINING: Final = 0.7
#: The largest number of rounds in network features; larger numbers are reduced to this number.
MOST_ROUNDS: Final = 40


class Neighbours(NamedTuple):
    """Counts of the regions adjacent to one region, from a player's view."""

    own_regions: Int  #: number of adjacent regions of the player
    enemy_regions: Int  #: number of adjacent regions of other players
    neutral_regions: Int  #: number of adjacent neutral regions
    own_armies: Int
    enemy_armies: Int
    strongest_own: Int  #: armies of the player's strongest adjacent region; 0 if there is none
    strongest_enemy: Int  #: armies of the strongest adjacent region of another player; 0 if there is none
    strongest_holder: Int  #: the owner of the strongest adjacent enemy region; the player if there is none


@inline_kernel
def neighbours_of(board: Board, position: Position, region: Int, player: Int) -> Neighbours:
    """Return counts of a region's neighbours, from a player's view."""
    owner, army = position.owner, position.army
    own_regions, enemies, neutrals = np.int64(0), np.int64(0), np.int64(0)
    own_armies, enemy_armies = np.int64(0), np.int64(0)
    strongest_own, strongest_enemy, holder = np.int64(0), np.int64(0), np.int64(player)
    for e in range(board.neighbor_start[region], board.neighbor_start[region + 1]):
        q = board.edge_target[e]
        neighbor_owner, armies = np.int64(owner[q]), np.int64(army[q])
        if neighbor_owner < 0:
            neutrals += 1
        elif neighbor_owner == player:
            own_regions += 1
            own_armies += armies
            strongest_own = max(strongest_own, armies)
        else:
            enemies += 1
            enemy_armies += armies
            if armies > strongest_enemy:
                strongest_enemy, holder = armies, neighbor_owner
    return Neighbours(own_regions, enemies, neutrals, own_armies, enemy_armies, strongest_own, strongest_enemy, holder)


@inline_kernel
def holder_of(board: Board, position: Position, super_region: Int) -> Int:
    """Return the player who owns a whole super region; -1 if there is none."""
    start, end = board.member_start[super_region], board.member_start[super_region + 1]
    first = np.int64(position.owner[board.members[start]])
    for i in range(start + 1, end):
        if position.owner[board.members[i]] != first:
            return np.int64(-1)
    return max(np.int64(-1), first)


@inline_kernel
def chance_with_income(requirements: ArmyRequirements, armies: Int, income: Real, defenders: Int) -> Real:
    """Return the probability that ``armies - 1`` armies and 70 % of an income capture an adjacent region."""
    return chance_of_capture(requirements, armies - 1 + np.int64(_JOINING * income), defenders)
