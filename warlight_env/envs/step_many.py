"""A step of games on different maps: kernels that go from game to game, each a batch of one with arrays of its own."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.engine.bits import BitBoard
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Bool, Int
from warlight_env.engine.reference import record_at, reference
from warlight_env.engine.state import State
from warlight_env.envs.buffers import Buffers, EnvSettings
from warlight_env.envs.core import EnvCore
from warlight_env.envs.step import Turns, Work, hand_in, hand_in_policy, resolve
from warlight_env.features.columns import global_width, node_width


class MapGame(NamedTuple):
    """A game: what the kernels of a core of batch one get."""

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
    columns: npt.NDArray[np.int64]  #: [K] where the entries of a row lie in a padded action
    rows: npt.NDArray[np.int64]  #: [1, S, K] actions
    acting: npt.NDArray[np.int8]  #: [1, S]
    which: npt.NDArray[np.int8]  #: [1]
    chosen: npt.NDArray[np.int16]  #: [1, P] who plays, see `Episodes`
    learner: npt.NDArray[np.int8]  #: [1]
    rngs: npt.NDArray[np.uint64]  #: [1, P, 2] of bots


class Padded(NamedTuple):
    """What is seen and paid, for B games; what a map lacks is 0, or a row of the mask that allows nothing."""

    nodes: npt.NDArray[np.float32]  #: [B, N, F]
    overall: npt.NDArray[np.float32]  #: [B, G] the globals
    mask: npt.NDArray[np.int8]  #: [B, M]
    reward: npt.NDArray[np.float64]  #: [B]
    terminated: npt.NDArray[np.bool_]  #: [B]
    truncated: npt.NDArray[np.bool_]  #: [B]
    numbers: npt.NDArray[np.int64]  #: [B, 5] illegal, income, round, phase, whether the learner has won


#: The columns of `Padded.numbers`.
NUMBERS = ("illegal", "income", "round", "phase", "is_success")


def map_game(
    core: EnvCore, columns: npt.NDArray[np.int64], chosen: npt.NDArray[np.int16], learner: npt.NDArray[np.int8]
) -> MapGame:
    """The record of a core of batch one; of its kind as long as `core.out` and `core.settings` are these."""
    game: MapGame = reference(
        MapGame(
            core.context, core.bots_context, core.settings, core.encoding.config, core.encoding.limits, core.state,
            core.out, core.turns, core.bits, core.work, columns,
            rows=np.zeros((1, core.slots, core.row_size), np.int64), acting=np.zeros((1, core.slots), np.int8),
            which=np.zeros(1, np.int8), chosen=chosen, learner=learner, rngs=core.bot_rngs,
        )
    )  # fmt: skip
    return game


@functools.cache
def _kind() -> Any:
    core = EnvCore("small")
    one = np.zeros(1, np.int8)
    return numba.typeof(map_game(core, np.zeros(1, np.int64), np.zeros((1, 2), np.int16), one))


_game_at = record_at(_kind)


@kernel
def hand_in_many(
    submit_address: Int, games: Any, acting: npt.NDArray[np.int8], actions: npt.NDArray[np.int64], counts: Bool,
    dropped: npt.NDArray[np.int64],
) -> Int:  # fmt: skip
    """Read padded actions int64[B, M] of the games with acting int8[B]; dropped int64[B] was illegal before.

    `counts`: what names something that a map lacks is illegal, too. Returns -1, or a game whose action is out of the
    limits of its map, which nobody's should be who has checked them.
    """
    for b in range(len(games)):
        game = _game_at(games[b])
        out, row = game.out, game.rows[0, 0]
        for p in range(out.illegal.shape[1]):
            out.illegal[0, p] = 0
        game.acting[0, 0], game.which[0] = acting[b], acting[b]
        lost = dropped[b]
        if acting[b] != 0:
            for i in range(row.shape[0]):
                row[i] = actions[b, game.columns[i]]
            if counts:
                for i in range(actions.shape[1]):
                    lost += 1 if actions[b, i] != 0 else 0
                for i in range(row.shape[0]):
                    lost -= 1 if row[i] != 0 else 0
        out.illegal[0, game.learner[0]] = lost
        bad = hand_in(
            game.context, game.settings, submit_address, game.config, game.state, out, game.turns, game.work,
            game.limits, game.acting, game.rows,
        )  # fmt: skip
        if bad >= 0:
            return np.int64(b)
    return np.int64(-1)


@kernel
def move_many(policy_address: Int, pick_address: Int, games: Any, places: npt.NDArray[np.int16]) -> None:
    """Let a bot's kernels move in the games b with places[b] from 0 up: its number in `chosen` there."""
    for b in range(len(games)):
        if places[b] >= 0:
            game = _game_at(games[b])
            hand_in_policy(
                game.bots, game.settings, policy_address, pick_address, game.state, game.out, game.turns, game.work,
                game.chosen, np.int64(places[b]), game.learner, game.rngs,
            )  # fmt: skip


@kernel
def resolve_many(mask_address: Int, games: Any, chosen: npt.NDArray[np.int8]) -> None:
    """`resolve` in the games b with chosen[b] not 0."""
    for b in range(len(games)):
        if chosen[b] != 0:
            game = _game_at(games[b])
            resolve(
                game.context, game.settings, mask_address, game.config, game.state, game.out, game.turns, game.bits,
                game.work, game.which,
            )  # fmt: skip


@kernel
def gather_many(games: Any, which: npt.NDArray[np.int64], padded: Padded, regions: Int, factored: Bool) -> None:
    """Write what the learners of the games `which` see, and are paid, to their rows.

    regions: for how many there is room; `factored`: the mask has rows for regions, and then for edges.
    """
    for k in range(which.shape[0]):
        b = which[k]
        game = _game_at(games[b])
        state, out, learner = game.state, game.out, np.int64(game.learner[0])
        values, mask, wide = out.features[0, 0], out.mask[0, 0], padded.mask[b]
        n, players = state.owner.shape[1], out.live.shape[1]
        width = node_width(players)
        nodes, overall = padded.nodes[b], padded.overall[b]
        for r in range(n):
            for i in range(width):
                nodes[r, i] = values[r * width + i]
        for i in range(global_width(players)):
            overall[i] = values[n * width + i]
        _pad_mask(mask, wide, n, regions, factored)
        padded.reward[b] = out.reward[0, learner]
        padded.terminated[b], padded.truncated[b] = out.terminated[0, learner], out.truncated[0, learner]
        padded.numbers[b, 0] = out.illegal[0, learner]
        padded.numbers[b, 1] = out.income[0, learner]
        padded.numbers[b, 2], padded.numbers[b, 3] = state.round[0], state.phase[0]
        padded.numbers[b, 4] = 1 if state.winner[0] == learner else 0


@kernel
def _pad_mask(mask: Any, wide: Any, n: Int, regions: Int, factored: Bool) -> None:
    """Write a map's mask where it belongs in one with more room; three numbers a region and four an edge, or five."""
    of_region = 5 if factored else 3
    if mask.shape[0] == wide.shape[0]:
        for i in range(mask.shape[0]):
            wide[i] = mask[i]
        return
    cut, shift = of_region * n, of_region * (regions - n)
    for i in range(cut):
        wide[i] = mask[i]
    for i in range(cut, mask.shape[0]):
        wide[i + shift] = mask[i]
    if not factored:  # the end of the turn
        wide[mask.shape[0] - 1 + shift] = 0
        wide[wide.shape[0] - 1] = mask[mask.shape[0] - 1]


__all__ = [
    "NUMBERS", "MapGame", "Padded", "gather_many", "hand_in_many", "map_game", "move_many", "resolve_many",
]  # fmt: skip
