"""The kernels that step a batch of games: they submit turns, play the rounds, and write rewards and observations."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context, picker_at, policy_at
from warlight_env.engine.bits import BitBoard
from warlight_env.engine.board import Board
from warlight_env.engine.jit import inline_kernel, kernel
from warlight_env.engine.kernel_types import Bool, Int, Marks, RandomState
from warlight_env.engine.memory import private_zeros
from warlight_env.engine.orders import cut_turn
from warlight_env.engine.position import Position, make_position, position_at
from warlight_env.engine.reference import reference
from warlight_env.engine.round import play_round
from warlight_env.engine.rules import RuleParams
from warlight_env.engine.setup import ALTERNATING, picker, resolve_picks, start_game
from warlight_env.engine.state import NEUTRAL, OVER, PICK, Scratch, State, Workspace, make_scratch
from warlight_env.engine.visibility import write_view
from warlight_env.envs.actions.kernels import (
    CLOSED,
    COUNT,
    OFFERED,
    OWN,
    READY,
    ActionWork,
    PlayerPosition,
    Turn,
    make_action_work,
    mask_at,
    submit_at,
)
from warlight_env.envs.buffers import Buffers, EnvSettings, observe, observe_turn, potentials
from warlight_env.features.columns import global_width, node_width
from warlight_env.features.extraction import Memory, make_memory

#: The maximum of `Buffers.illegal` before a submission, so that the addition of more illegal orders cannot overflow.
MOST_ILLEGAL: Final = 2**30


class Turns(NamedTuple):
    """The submitted turns of all players as arrays, in the format that the game engine reads.

    The round of a game is played when the turns of all its live players are complete: ``status[b, p, READY] == 1``.
    """

    deploy: npt.NDArray[np.int32]  #: [B, P, N] armies that a player deploys on a region
    attacks: npt.NDArray[np.int32]  #: [B, P, E, 3] source, target and armies of each attack or transfer
    preferences: npt.NDArray[np.int32]  #: [B, P, N] preferred regions, best first
    status: npt.NDArray[np.int32]  #: [B, P, 3] with the indices COUNT, NAMED and READY


def make_turns(n_regions: int, n_edges: int, players: int, batch: int) -> Turns:
    """Make the arrays of `Turns`, with empty turns of all players."""
    return reference(
        Turns(
            np.zeros((batch, players, n_regions), dtype=np.int32),
            np.zeros((batch, players, max(n_edges, 1), 3), dtype=np.int32),
            np.zeros((batch, players, n_regions), dtype=np.int32),
            np.zeros((batch, players, 3), dtype=np.int32),
        )
    )


class Work(NamedTuple):
    """The working memory of one thread: arrays that the kernels of a step overwrite."""

    scratch: Scratch
    counts: npt.NDArray[np.int32]  #: [P] the number of attacks, or of preferred regions, of each player
    preferences: npt.NDArray[np.int32]  #: [P, N] an empty list of preferred regions for each player
    position: Position  #: a position as one player sees it
    free: npt.NDArray[np.int8]  #: [N] CLOSED, OWN or OFFERED for each region
    row: npt.NDArray[np.int64]  #: [K] the action row of one player
    action: ActionWork
    memory: Memory


def make_work(board: Board, bits: BitBoard, players: int, row_size: int) -> Work:
    """Make the working memory of one thread."""
    n = board.n_regions
    return reference(
        Work(
            scratch=make_scratch(n, players),
            counts=private_zeros(players, np.int32),
            preferences=np.zeros((players, n), dtype=np.int32),
            position=make_position(n),
            free=private_zeros(n, np.int8),
            row=private_zeros(row_size, np.int64),
            action=make_action_work(n, board.n_edges, players),
            memory=make_memory(bits, players),
        )
    )


class GameBatch(NamedTuple):
    """All arguments of the step's kernels for B games on one map. Kernels receive the address of this NamedTuple."""

    context: Context  #: the context argument of the action encoding's kernels
    settings: EnvSettings
    submit_address: int  #: the address of the encoding's kernel that converts action rows to turns
    mask_address: int  #: the address of the encoding's kernel that writes masks, or of `no_mask`
    config: npt.NDArray[np.int64]  #: settings of the encoding that its kernels read, `ActionEncoding.config`
    limits: npt.NDArray[np.int64]  #: [K] exclusive upper limits of the entries of an action row
    state: State
    out: Buffers
    turns: Turns
    bits: BitBoard
    work: Work


# Submission


@kernel
def within_limits(row: npt.NDArray[np.integer[Any]], limits: npt.NDArray[np.int64]) -> Bool:
    """Return whether each entry of an action row is in 0 .. limits[i] - 1."""
    is_invalid = 0
    for i in range(row.shape[0]):
        is_invalid |= (row[i] < 0) | (row[i] >= limits[i])
    return is_invalid == 0


@kernel
def acting_player(out: Buffers, turns: Turns, acting: npt.NDArray[np.int8], b: Int, s: Int) -> Int:
    """Return the player in slot s of game b if its action must be read now; otherwise return -1.

    The kernel reads the action of a player if the player is live, acting[b, s] is not 0, and the player's turn is
    incomplete.
    """
    p = np.int64(out.seat[b, s])
    if acting[b, s] == 0 or p < 0 or not out.live[b, p] or turns.status[b, p, READY] != 0:
        return np.int64(-1)
    return p


@kernel
def _player_view(games: GameBatch, b: Int, p: Int, free: Marks) -> PlayerPosition:
    """Return the position of game b as player p sees it."""
    state, work = games.state, games.work
    position, picking = position_at(state, b), state.phase[b] == PICK
    if games.settings.fog and not picking:
        write_view(games.context.board, True, position.owner, position.army, p, work.position.owner, work.position.army)
        work.position.round[0] = position.round[0]
        position = work.position
    return PlayerPosition(position, free, p, np.int64(games.out.income[b, p]), picking)


@kernel
def _turn(turns: Turns, b: Int, p: Int) -> Turn:
    return Turn(turns.deploy[b, p], turns.attacks[b, p], turns.preferences[b, p], turns.status[b, p])


@kernel
def impossible_count(out: Buffers) -> Int:
    """Return the number of a game with a value of `out.illegal` below 0 or above MOST_ILLEGAL; -1 if none."""
    for b in range(out.illegal.shape[0]):
        for p in range(out.illegal.shape[1]):
            if out.illegal[b, p] < 0 or out.illegal[b, p] > MOST_ILLEGAL:
                return np.int64(b)
    return np.int64(-1)


@kernel
def first_invalid(
    games: GameBatch, acting: npt.NDArray[np.int8], s: Int, actions: Any, column: Int, places: Any
) -> Int:  # fmt: skip
    """Return the first game in which the action of the player in slot s is read and outside `limits`; B if none.

    actions: int[M, C, K]; the action in game b is actions[b, column], or actions[places[b], column] if `places`
        int64[B] is not None.
    """
    for b in range(acting.shape[0]):
        if acting_player(games.out, games.turns, acting, b, s) >= 0:
            row = np.int64(b) if places is None else places[b]
            if not within_limits(actions[row, column], games.limits):
                return np.int64(b)
    return np.int64(acting.shape[0])


@kernel
def submit_actions(games: GameBatch, acting: npt.NDArray[np.int8], actions: Any) -> Int:
    """Convert action rows to turns, and add the number of dropped illegal orders to `out.illegal`.

    Args:
        acting: int8[B, S], 0 for a slot whose action is ignored.
        actions: int[B, S, K], the action rows.

    Returns -1 for success. After an error, no turn has changed, and the kernel returns the place of the error. The
    result b * S + s means that the action in slot s of game b is outside `limits`. The result B * S + b means that a
    value of `out.illegal` in game b is below 0 or above MOST_ILLEGAL.
    """
    batch, slots = acting.shape
    impossible = impossible_count(games.out)
    if impossible >= 0:
        return batch * slots + impossible
    invalid = batch * slots
    for s in range(slots):
        invalid = min(invalid, first_invalid(games, acting, s, actions, s, None) * slots + s)
    if invalid < batch * slots:
        return invalid
    for b in range(batch):
        submit_game(games, b, acting, actions)
    return -1


@kernel
def submit_game(games: GameBatch, b: Int, acting: npt.NDArray[np.int8], actions: Any) -> None:
    """Convert the action rows of game b to turns. The rows must be within `limits`; see `submit_actions`."""
    for s in range(acting.shape[1]):
        p = acting_player(games.out, games.turns, acting, b, s)
        if p >= 0:
            for i in range(actions.shape[2]):
                games.work.row[i] = actions[b, s, i]
            submit_row(games, b, s, p)


@kernel
def submit_row(games: GameBatch, b: Int, s: Int, p: Int) -> None:
    """Convert the action row in `games.work.row` to the turn of player p, which has slot s of game b."""
    out, work, submit = games.out, games.work, submit_at(games.submit_address)
    view, turn = _player_view(games, b, p, out.free[b, s]), _turn(games.turns, b, p)
    out.illegal[b, p] += submit(games.context, view, turn, games.config, work.action, work.row)


@kernel
def write_free(params: RuleParams, state: State, b: Int, p: Int, free: Marks) -> None:
    """Write what player p can do with each region of game b to free int8[N]: CLOSED, OWN or OFFERED."""
    picking = state.phase[b] == PICK
    players = state.eliminated_at.shape[1]
    my_pick = picking and (params.picking != ALTERNATING or picker(state.turn[b], players) == p)
    for r in range(free.shape[0]):
        if picking:
            free[r] = OFFERED if my_pick and (state.offers[b, r] >> p) & 1 else CLOSED
        else:
            free[r] = OWN if state.owner[b, r] == p else CLOSED


@kernel
def submit_policy_turns(
    games: GameBatch,
    context: Context,
    policy_address: Int,
    pick_address: Int,
    chosen: npt.NDArray[np.int16],
    number: Int,
    after: npt.NDArray[np.int8],
    rngs: npt.NDArray[np.uint64],
) -> Int:
    """Run a compiled bot for each player p of each game b with chosen[b, p] == number, and submit its turns.

    The kernel skips game b if the player with the number after[b] has not submitted a complete turn, and it skips
    players whose turn is already complete.

    Args:
        context: the first argument of the bot's two kernels.
        policy_address, pick_address: the addresses of these kernels; `agents.context` defines their signatures.
        chosen: int16[B, P]. after: int8[B].
        rngs: uint64[B, P, 2], the states of the bots' random generators.

    Returns -1 for success. If an entry after[b] is not the number of a player, the kernel changes nothing and returns
    the number b of this game.
    """
    out = games.out
    policy, pick = policy_at(policy_address), picker_at(pick_address)
    for b in range(after.shape[0]):
        if after[b] < 0 or after[b] >= chosen.shape[1]:
            return b
    for b in range(chosen.shape[0]):
        if games.turns.status[b, after[b], READY] == 0 or not out.live[b, after[b]]:
            continue
        for p in range(chosen.shape[1]):
            if chosen[b, p] == number and out.live[b, p] and games.turns.status[b, p, READY] == 0:
                submit_bot_turn(games, context, policy, pick, b, p, rngs[b, p])
    return -1


@inline_kernel
def submit_bot_turn(
    games: GameBatch, context: Context, policy: Any, pick: Any, b: Int, p: Int, rng: RandomState
) -> None:  # fmt: skip
    """Call a bot's kernel `policy`, or its kernel `pick`, for player p of game b, and submit the complete turn."""
    turns, work = games.turns, games.work
    status = turns.status[b, p]
    write_free(context.params, games.state, b, p, work.free)
    view = _player_view(games, b, p, work.free)
    status[READY] = 1
    if view.picking:
        status[COUNT] = pick(context, view.position, view.free, p, rng, turns.preferences[b, p])
        return
    deploy, attacks = turns.deploy[b, p], turns.attacks[b, p]
    count = policy(context, view.position, p, rng, work.action.generator, deploy, attacks)
    status[COUNT] = cut_turn(context.params, deploy, count)


# Playing the rounds


@kernel
def _all_ready(out: Buffers, turns: Turns, b: Int) -> Bool:
    for p in range(out.live.shape[1]):
        if out.live[b, p] and turns.status[b, p, READY] == 0:
            return False
    return True


@kernel
def play_ready(games: GameBatch, selected: npt.NDArray[np.int8]) -> None:
    """Play the round or the picks of every game in which all live players have submitted a complete turn.

    selected: int8[B], 0 for a game that is not played.
    """
    for b in range(games.out.live.shape[0]):
        play_game(games, b, selected[b] != 0)


@kernel
def play_game(games: GameBatch, b: Int, selected: Bool) -> None:
    """Do the same as `play_ready` for game b."""
    params, state, out, turns, work = games.context.params, games.state, games.out, games.turns, games.work
    players, live = out.live.shape[1], False
    for p in range(players):
        out.reward[b, p] = 0.0
        live = live or out.live[b, p]
    if not live or not selected:
        return
    out.cycles[b] += 1
    if not _all_ready(out, turns, b):
        return
    for p in range(players):
        work.counts[p] = turns.status[b, p, COUNT]
        if not out.live[b, p]:
            work.counts[p] = 0
            for r in range(turns.deploy.shape[2]):
                turns.deploy[b, p, r] = 0
    if state.phase[b] == PICK:
        resolve_picks(params, state, b, turns.preferences[b], work.counts, work.scratch)
    else:
        orders = Workspace(work.scratch, turns.deploy[b], turns.attacks[b], work.counts)
        play_round(params, state, b, orders, None, None)
    _clear(games.settings, turns, b)


@kernel
def _clear(settings: EnvSettings, turns: Turns, b: Int) -> None:
    for p in range(turns.status.shape[1]):
        for i in range(3):
            turns.status[b, p, i] = 0
        if settings.stepwise:
            for r in range(turns.deploy.shape[2]):
                turns.deploy[b, p, r] = 0


@kernel
def finish_step(games: GameBatch, selected: npt.NDArray[np.int8]) -> None:
    """Write the rewards of live players, and end their episodes where necessary.

    A player is terminated after its elimination or the end of the game, and truncated after the maximum number of
    steps. selected: int8[B], 0 for a game that the kernel skips.
    """
    for b in range(selected.shape[0]):
        if selected[b] != 0:
            finish_game(games, b)


@kernel
def finish_game(games: GameBatch, b: Int) -> None:
    """Do the same as `finish_step` for game b."""
    settings, state, out = games.settings, games.state, games.out
    is_over = state.phase[b] == OVER
    winner = state.winner[b]
    is_late = out.cycles[b] >= settings.max_cycles
    for p in range(out.live.shape[1]):
        if not out.live[b, p]:
            continue
        reward = 0.0
        ended = is_over or state.eliminated_at[b, p] != 0
        if ended:
            out.terminated[b, p] = True
            if winner == p:
                reward = 1.0
            elif winner != NEUTRAL or state.eliminated_at[b, p] != 0:
                reward = -1.0
        elif is_late:
            out.truncated[b, p] = True
        if settings.shaping != 0:
            potential = 0.0 if ended else potentials(settings, state, out, b, p)
            reward += settings.scale * (settings.gamma * potential - out.potential[b, p])
            out.potential[b, p] = potential
        out.reward[b, p] = reward
        out.live[b, p] = not (ended or is_late)


@kernel
def refresh_observations(games: GameBatch, first: Int, end: Int) -> None:
    """Update the observations and masks of the games first .. end - 1, including the features of unfinished turns."""
    context, settings, work = games.context, games.settings, games.work
    observe(context.board, context.params, settings, games.state, games.out, games.bits, work.memory, first, end)
    if settings.stepwise or settings.asks_mask:
        refresh_turn_features(games, first, end)


@kernel
def refresh_turn_features(games: GameBatch, first: Int, end: Int) -> None:
    """Update the features of unfinished turns, and the masks of encodings that have their own `write_mask` kernel."""
    settings, out = games.settings, games.out
    n, players, write_mask = games.state.owner.shape[1], out.live.shape[1], mask_at(games.mask_address)
    base = n * node_width(players) + global_width(players) if settings.features else 0
    for b in range(first, end):
        for s in range(out.seat.shape[1]):
            p = np.int64(out.seat[b, s])
            if p < 0:
                continue
            view = _player_view(games, b, p, out.free[b, s])
            turn = _turn(games.turns, b, p)
            if settings.stepwise:
                observe_turn(view.position, view.income, view.picking, turn, base, out.features[b, s])
            if settings.asks_mask:
                write_mask(games.context, view, turn, games.config, games.work.action, out.mask[b, s])


@kernel
def resolve(games: GameBatch, selected: npt.NDArray[np.int8]) -> None:
    """Play the games in which all live players are ready; update observations, rewards, terminated and truncated.

    selected: int8[B], 0 for a game that is not played.
    """
    play_ready(games, selected)
    refresh_observations(games, 0, games.out.live.shape[0])
    finish_step(games, selected)


@kernel
def submit_and_resolve(
    games: GameBatch, acting: npt.NDArray[np.int8], actions: Any, selected: npt.NDArray[np.int8]
) -> Int:  # fmt: skip
    """Call `submit_actions`, and then `resolve` if all actions are valid. Return the result of `submit_actions`."""
    invalid = submit_actions(games, acting, actions)
    if invalid < 0:
        resolve(games, selected)
    return invalid


@kernel
def begin(games: GameBatch, random_start: Bool, indices: npt.NDArray[np.int64]) -> Int:
    """Start the games with the numbers in `indices` int64[M], and write their observations.

    state.rng[b] must already contain the state of the random generator of game b.

    random_start: True: draw the start regions at random. False: the players pick their start regions in the first
        steps.

    Returns -1 for success. Some rules demand that the start regions of different players are not neighbours. If the
    kernel finds no start regions that fulfil the rules for a game, the kernel returns the number of this game.
    """
    for k in range(indices.shape[0]):
        if not begin_game(games, random_start, indices[k]):
            return indices[k]
    return np.int64(-1)


@kernel
def begin_game(games: GameBatch, random_start: Bool, b: Int) -> Bool:
    """Start game b, see `begin`. Return False if the kernel finds no start regions."""
    if not start_positions(games, random_start, b):
        return False
    refresh_observations(games, b, b + 1)
    open_episodes(games, b)
    return True


@kernel
def start_positions(games: GameBatch, random_start: Bool, b: Int) -> Bool:
    """Do the part of `begin_game` before the first observation."""
    context, state, work = games.context, games.state, games.work
    if not start_game(context.board, context.params, state, b, work.scratch):
        return False
    if random_start:
        for p in range(work.counts.shape[0]):
            work.counts[p] = 0
        while state.phase[b] == PICK:
            resolve_picks(context.params, state, b, work.preferences, work.counts, work.scratch)
    games.out.cycles[b] = 0
    _clear(games.settings, games.turns, b)
    return True


@kernel
def open_episodes(games: GameBatch, b: Int) -> None:
    """Do the part of `begin_game` after the first observation: begin the episodes of all players of game b."""
    settings, state, out = games.settings, games.state, games.out
    for p in range(out.live.shape[1]):
        out.illegal[b, p] = 0
        out.reward[b, p] = 0.0
        out.live[b, p] = state.eliminated_at[b, p] == 0
        out.terminated[b, p] = False
        out.truncated[b, p] = False
        out.potential[b, p] = potentials(settings, state, out, b, p)
