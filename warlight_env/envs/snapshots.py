"""Functions that make, check and restore snapshots of an `EnvCore`, or start its games from a given position."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.engine.reference import reference
from warlight_env.engine.rules import Rules
from warlight_env.engine.state import State, copy_state
from warlight_env.engine.validity import StateError, exact_copy
from warlight_env.envs.actions.kernels import READY
from warlight_env.envs.arrays import games_named
from warlight_env.envs.core_protocol import Core
from warlight_env.envs.step import Turns, make_turns
from warlight_env.envs.validity import check_games
from warlight_env.envs.views import refresh
from warlight_env.errors import InputError
from warlight_env.game import Game
from warlight_env.maps import Map


class Snapshot(NamedTuple):
    """All data that determine the future of the games of an `EnvCore`."""

    board: str  #: a digest of the map, the rules and the number of players
    state: State
    cycles: npt.NDArray[np.int32]
    potential: npt.NDArray[np.float64]
    reward: npt.NDArray[np.float64]
    illegal: npt.NDArray[np.int32]
    live: npt.NDArray[np.bool_]
    terminated: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]
    bot_rngs: npt.NDArray[np.uint64]  #: the states of the random generators of compiled bots
    #: The submitted turns of the rounds not played yet; None if there are no turns. With encodings that have several
    #: actions per turn, this field is never None.
    turns: Turns | None


#: The names of the arrays of a `Snapshot` that are also fields of `Buffers`.
BOOKKEEPING_FIELDS: Final = Snapshot._fields[2:-2]


def copied(turns: Turns) -> Turns:
    """Return `Turns` with copies of all arrays."""
    return Turns(*(array.copy() for array in turns))


def assign(target: Any, source: Any) -> None:
    """Copy the content of each array of the NamedTuple `source` into the same array of the NamedTuple `target`."""
    for target_array, source_array in zip(target, source, strict=True):
        target_array[...] = source_array


def digest_of(map: Map, rules: Rules, players: int) -> str:
    """Return a SHA-256 digest of the map, the rules and the number of players."""
    return hashlib.sha256(json.dumps([map.digest(), rules.to_dict(), players]).encode()).hexdigest()


# Turns


def _submitted_turns(core: Core) -> Turns | None:
    """Return a copy of the turns that were submitted for the rounds not played yet; None if there are no turns."""
    empty = not core.settings.stepwise and not core.turns.status.any()
    return None if empty else copied(core.turns)


def _put_turns(core: Core, turns: Turns | None, illegal: npt.NDArray[np.int32]) -> None:
    if turns is None:
        core.turns.status[...] = 0
    else:
        assign(core.turns, turns)
    core.out.illegal[...] = illegal
    if core.settings.stepwise:
        refresh(core, turns_only=True)


@contextlib.contextmanager
def rollback_on_error(core: Core, games: bool) -> Iterator[None]:
    """Return a context manager that restores the submitted turns and the bots' generators after an exception.

    games: whether the context manager also restores the games and their history.
    """
    turns, illegal = _submitted_turns(core), core.out.illegal.copy()
    rngs, history = core.bot_rngs.copy(), core.round_history
    before = _snapshot(core, turns) if games else None
    if games and history is not None:
        history = history.copy()
    try:
        yield
    except BaseException:
        if before is not None:
            write_snapshot(core, before)
            core.round_history = history
        else:
            _put_turns(core, turns, illegal)
            core.bot_rngs[...] = rngs
        raise


# Games


def snapshot_of(core: Core) -> Snapshot:
    """Return a copy of all data that determine the future of the games, including the random generators."""
    return _snapshot(core, _submitted_turns(core))


def _snapshot(core: Core, turns: Turns | None) -> Snapshot:
    bookkeeping = [getattr(core.out, name).copy() for name in BOOKKEEPING_FIELDS]
    values: list[Any] = [core.digest, copy_state(core.state), *bookkeeping, core.bot_rngs.copy(), turns]
    return Snapshot(*values)


def restore(core: Core, snapshot: Any) -> None:
    """Check a snapshot and restore it; see `EnvCore.restore`."""
    write_snapshot(core, checked(core, snapshot))
    if core.round_history is not None:
        core.round_history.forget(range(core.batch))


def write_snapshot(core: Core, snapshot: Snapshot) -> None:
    """Restore a snapshot without checks: a result of `checked`, or a snapshot that the same `EnvCore` made."""
    assign(core.state, snapshot.state)
    for name in BOOKKEEPING_FIELDS:
        getattr(core.out, name)[...] = getattr(snapshot, name)
    core.bot_rngs[...] = snapshot.bot_rngs
    if snapshot.turns is not None:
        assign(core.turns, snapshot.turns)
    else:
        core.turns.status[...] = 0
    refresh(core)


def check_start(core: Core, game: Any) -> None:
    """Raise InputError unless the games of an `EnvCore` can start from the position of `game`.

    `game` must not be over, and must have the same map, rules and number of players.
    """
    if not isinstance(game, Game):
        raise InputError(f"start must be a `Game`, not {type(game).__name__}")
    if digest_of(game.map, game.rules, game.players) != core.digest:
        raise InputError("start: the game must have the environment's map, rules (including fog) and number of players")
    if game.done:
        raise InputError("start: the given game is over")


def start_from(core: Core, game: Game, games: Sequence[int] | None) -> None:
    """Replace the positions of new games by the position of `game`; see `EnvCore.start_from`."""
    check_start(core, game)
    indices, out = np.array(sorted(games_named(games, core.batch)), dtype=np.int64), core.out
    started = indices[out.cycles[indices] != 0]
    if len(started):
        raise InputError(f"game {started[0]} has already made a step: only new games can start from a given position")
    start = _start_of(core, game)
    for name, array in core.state._asdict().items():
        if name != "rng":
            array[indices] = getattr(start, name)
    out.live[indices] = start.eliminated_at == 0
    out.terminated[indices], out.illegal[indices] = ~out.live[indices], 0
    core.turns.status[indices], core.turns.deploy[indices] = 0, 0
    if core.round_history is not None:
        core.round_history.forget(indices.tolist())
    for run in np.split(indices, np.flatnonzero(np.diff(indices) > 1) + 1) if len(indices) else ():
        refresh(core, int(run[0]), int(run[-1]) + 1)
    if core.reward.shaping == "regions":
        out.potential[indices] = [(start.owner == p).mean() for p in range(core.players)]
    elif core.reward.shaping == "income":
        out.potential[indices] = out.income[indices] / max(1, core.settings.max_income)


# Checks


def check_core(core: Core) -> None:
    """Raise `StateError` if an array of an `EnvCore` has values with which the kernels cannot continue the games.

    Call this function after direct changes of the arrays.
    """
    bookkeeping = [getattr(core.out, name) for name in BOOKKEEPING_FIELDS]
    check_games(core.board, core.params, core.settings.stepwise, False, core.state, bookkeeping, core.turns, core.work)


def checked(core: Core, snapshot: Any) -> Snapshot:
    """Check a snapshot, and return a copy of the snapshot.

    Raises `StateError` if the snapshot was made with other arguments than this `EnvCore`, or if it contains a game that
    is impossible under the rules.
    """
    if not isinstance(snapshot, Snapshot) or not isinstance(snapshot.state, State):
        raise StateError(f"a saved state must be a `Snapshot` of an EnvCore, not {type(snapshot).__name__}")
    if not isinstance(snapshot.board, str) or snapshot.board != core.digest:
        raise StateError(
            "the saved state has another map, other rules or another number of players than this environment"
        )
    rngs = exact_copy(snapshot.bot_rngs, core.bot_rngs, "bot_rngs")
    turns = None if snapshot.turns is None else _turns(core, snapshot.turns)
    if not _fits_encoding(core, turns):
        raise StateError(
            "the saved state was made with another action encoding: a turn is several actions in one of the two "
            "encodings, and one action in the other"
        )
    state = State(*_copies(snapshot.state, core.state, State._fields))
    bookkeeping = [exact_copy(getattr(snapshot, name), getattr(core.out, name), name) for name in BOOKKEEPING_FIELDS]
    check_games(
        core.board,
        core.params,
        core.settings.stepwise,
        True,
        state,
        bookkeeping,
        _checkable_turns(core, turns),
        core.work,
    )
    values: list[Any] = [snapshot.board, state, *bookkeeping, rngs, turns]
    return Snapshot(*values)


def _start_of(core: Core, game: Game) -> State:
    """Return the state of a game, with a leading axis of 1; raise `StateError` if it is impossible under the rules."""
    saved = game.to_dict()["state"]
    start = State(*(np.array([saved[name]], dtype=array.dtype) for name, array in core.state._asdict().items()))
    live, nothing = start.eliminated_at == 0, np.zeros((1, core.players))
    counts, none = nothing.astype(np.int32), nothing.astype(np.bool_)
    bookkeeping = [counts[:, 0], nothing, nothing, counts, live, ~live, none]
    try:
        check_games(
            core.board,
            core.params,
            core.settings.stepwise,
            True,
            start,
            bookkeeping,
            _checkable_turns(core, None),
            core.work,
        )
    except StateError as error:
        raise StateError(f"start: {error}") from None
    return start


def _checkable_turns(core: Core, turns: Turns | None) -> Turns:
    """Return the submitted turns in the form of the argument `turns` of `check_games`. If `turns` is None, the result
    has turns of 0 games."""
    return make_turns(core.board.n_regions, core.board.n_edges, core.players, 0) if turns is None else reference(turns)


def _turns(core: Core, turns: Any) -> Turns:
    if not isinstance(turns, Turns):
        raise StateError(f"turns must be `Turns`, not {type(turns).__name__}")
    return Turns(*_copies(turns, core.turns, [f"turns.{name}" for name in Turns._fields]))


def _fits_encoding(core: Core, turns: Turns | None) -> bool:
    """Whether `turns` is possible with the encoding of the `EnvCore`, which has one or several actions per turn.

    See `Snapshot.turns` for the difference between encodings with one action and with several actions per turn.
    """
    if core.settings.stepwise or turns is None:
        return turns is not None or not core.settings.stepwise
    submitted = turns.status.any(axis=2)
    return bool(submitted.any() and (turns.status[:, :, READY] != 0)[submitted].all())


def _copies(values: Any, templates: Any, names: Sequence[str]) -> list[npt.NDArray[Any]]:
    return [exact_copy(value, template, name) for value, template, name in zip(values, templates, names, strict=True)]
