"""The kernel of a step: decode everybody's actions, resolve, pay, observe, for a whole batch in one call."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.engine.board import Board
from warlight_env.engine.jit import kernel
from warlight_env.engine.round import play_round
from warlight_env.engine.setup import resolve_picks, start_game
from warlight_env.engine.state import NEUTRAL, OVER, PICK, Scratch, make_scratch
from warlight_env.envs.actions.base import EXACT, FACTORED_PRIORITY
from warlight_env.envs.actions.factored import VALUES, decode_factored, decode_wishes
from warlight_env.envs.actions.orders import decode_exact
from warlight_env.envs.bits import BitBoard
from warlight_env.envs.observations import Memory, make_memory, observe, potentials


class Work(NamedTuple):
    """Working memory of one thread."""

    scratch: Scratch
    deploy: npt.NDArray[np.int32]  #: [P, N]
    attacks: npt.NDArray[np.int32]  #: [P, E, 3]
    counts: npt.NDArray[np.int32]  #: [P]
    wishes: npt.NDArray[np.int32]  #: [P, N]
    classes: npt.NDArray[np.int64]  #: [3, 5]
    places: npt.NDArray[np.int32]  #: [E + 1]
    own: npt.NDArray[np.int32]  #: [N]
    memory: Memory


def make_work(board: Board, bits: BitBoard, players: int) -> Work:
    """Working memory for one thread."""
    n, e = board.n_regions, board.n_edges
    return Work(
        scratch=make_scratch(n, players),
        deploy=np.zeros((players, n), dtype=np.int32),
        attacks=np.zeros((players, max(e, 1), 3), dtype=np.int32),
        counts=np.zeros(players, dtype=np.int32),
        wishes=np.zeros((players, n), dtype=np.int32),
        classes=np.zeros((3, VALUES), dtype=np.int64),
        places=np.zeros(e + 1, dtype=np.int32),
        own=np.zeros(n, dtype=np.int32),
        memory=make_memory(bits, players),
    )


@kernel
def _within(row, limits):
    bad = 0
    for i in range(row.shape[0]):
        bad |= (row[i] < 0) | (row[i] >= limits[i])
    return bad == 0


@kernel
def find_bad_row(live, limits, actions):
    """Index b * P + p of the first live player whose row of actions int[B, P, K] is out of the limits, or -1."""
    for b in range(actions.shape[0]):
        for p in range(actions.shape[1]):
            if live[b, p] and not _within(actions[b, p], limits):
                return b * actions.shape[1] + p
    return -1


@kernel
def _pick(board, params, settings, state, out, work, b, actions):
    n = state.owner.shape[1]
    for p in range(state.eliminated_at.shape[1]):
        action = actions[b, p]
        if settings.encoding == EXACT:
            action = action[:n]
        count, illegal = decode_wishes(out.free[b, p], settings.max_wish, action, work.wishes[p])
        if settings.encoding == EXACT:  # attacks; priorities are free
            for e in range(board.edge_target.shape[0]):
                if actions[b, p, n + e] != 0:
                    illegal += 1
        work.counts[p] = count
        out.illegal[b, p] += illegal
    resolve_picks(board, params, state, b, work.wishes, work.counts, work.scratch)


@kernel
def _play(board, params, settings, state, out, work, actions):
    """Play a round, or the picks, of every game in which somebody is live."""
    players = state.eliminated_at.shape[1]
    deploy, attacks, counts = work.deploy, work.attacks, work.counts
    priority = settings.encoding == FACTORED_PRIORITY
    for b in range(actions.shape[0]):
        live = False
        for p in range(players):
            out.reward[b, p] = 0.0
            live = live or out.live[b, p]
        if not live:
            continue
        out.cycles[b] += 1
        if state.phase[b] == PICK:
            _pick(board, params, settings, state, out, work, b, actions)
            continue
        owner, army = state.owner[b], state.army[b]
        for p in range(players):
            if not out.live[b, p]:
                counts[p] = 0
                for r in range(deploy.shape[1]):
                    deploy[p, r] = 0
            elif settings.encoding == EXACT:
                counts[p], illegal = decode_exact(
                    board, owner, p, out.income[b, p], params.max_orders, settings.max_armies, actions[b, p],
                    work.places, deploy[p], attacks[p],
                )  # fmt: skip
                out.illegal[b, p] += illegal
            else:
                counts[p], illegal = decode_factored(
                    board.neighbor_start, board.edge_target, owner, army, p, out.income[b, p], params.max_orders,
                    priority, actions[b, p], work.own, work.classes, deploy[p], attacks[p],
                )  # fmt: skip
                out.illegal[b, p] += illegal
        play_round(board, params, state, b, deploy, attacks, counts, work.scratch, None, None)


@kernel
def _settle(settings, state, out, n_games):
    """Pay everybody live, and end the games of those who are out, won, drew or ran out of time."""
    for b in range(n_games):
        over = state.phase[b] == OVER
        winner = state.winner[b]
        late = out.cycles[b] >= settings.max_cycles
        for p in range(out.live.shape[1]):
            if not out.live[b, p]:
                continue
            pay = 0.0
            ended = over or state.eliminated_at[b, p] != 0
            if ended:
                out.terminated[b, p] = True
                if winner == p:
                    pay = 1.0
                elif winner != NEUTRAL or state.eliminated_at[b, p] != 0:
                    pay = -1.0
            elif late:
                out.truncated[b, p] = True
            if settings.shaping != 0:
                now = 0.0 if ended else potentials(settings, state, out, b, p)
                pay += settings.scale * (settings.gamma * now - out.potential[b, p])
                out.potential[b, p] = now
            out.reward[b, p] = pay
            out.live[b, p] = not (ended or late)


@kernel
def step_batch(board, params, settings, state, out, bits, work, limits, actions):
    """Step all games that are not over with actions int[B, P, K]; what happened is in `out`.

    Returns -1, or, with nothing stepped, the index b * P + p of an action out of its limits int64[K]. `out.illegal`
    is added to, not cleared: it holds what was dropped before the kernel.
    """
    bad = find_bad_row(out.live, limits, actions)
    if bad >= 0:
        return bad
    _play(board, params, settings, state, out, work, actions)
    observe(board, params, settings, state, out, bits, work.memory, 0, actions.shape[0])
    _settle(settings, state, out, actions.shape[0])
    return -1


@kernel
def begin(board, params, settings, state, out, bits, work, picked, b):
    """Start game b with the dice in state.rng[b], `picked` at random or to be picked, and observe it.

    Returns False where no deal was found that keeps the players apart.
    """
    found = start_game(board, params, state, b, work.scratch)
    if picked:
        for p in range(work.counts.shape[0]):
            work.counts[p] = 0
        while state.phase[b] == PICK:
            resolve_picks(board, params, state, b, work.wishes, work.counts, work.scratch)
    out.cycles[b] = 0
    observe(board, params, settings, state, out, bits, work.memory, b, b + 1)
    for p in range(out.live.shape[1]):
        out.illegal[b, p] = 0
        out.reward[b, p] = 0.0
        out.live[b, p] = state.eliminated_at[b, p] == 0
        out.terminated[b, p] = False
        out.truncated[b, p] = False
        out.potential[b, p] = potentials(settings, state, out, b, p)
    return found
