"""Saved states of a core, and the check of those that callers bring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from warlight_env.engine.board import Board
from warlight_env.engine.reference import reference
from warlight_env.engine.rules import RuleParams
from warlight_env.engine.state import State
from warlight_env.engine.validity import StateError, exact_copy
from warlight_env.envs.buffers import Buffers, EnvSettings
from warlight_env.envs.step import Turns, Work, make_turns
from warlight_env.envs.validity import check_games
from warlight_env.game import Game


class Core(Protocol):
    """What is asked of an `EnvCore`."""

    digest: str
    board: Board
    params: RuleParams
    players: int
    settings: EnvSettings
    state: State
    out: Buffers

    @property
    def turns(self) -> Turns:
        """What is handed in already."""
        ...

    @property
    def work(self) -> Work:
        """Working memory."""
        ...


class Snapshot(NamedTuple):
    """Everything that decides how the games of a core go on."""

    board: str  #: digest of the map and the rules that they are played by
    state: State
    cycles: npt.NDArray[np.int32]
    potential: npt.NDArray[np.float64]
    reward: npt.NDArray[np.float64]
    illegal: npt.NDArray[np.int32]
    live: npt.NDArray[np.bool_]
    terminated: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]
    turns: Turns | None  #: what is handed in already, where a turn takes several actions


#: The arrays of a snapshot that are among a core's buffers.
STANDING: Final = Snapshot._fields[2:-1]


def copied(turns: Turns) -> Turns:
    """Turns of their own."""
    return Turns(*(array.copy() for array in turns))


def check_core(core: Core) -> None:
    """Raise `StateError` unless kernels can go on with the games of a core; for what was changed by hand."""
    standing = [getattr(core.out, name) for name in STANDING]
    check_games(core.board, core.params, core.settings.stepwise, False, core.state, standing, core.turns, core.work)


def checked_turns(core: Core, saved: Any) -> tuple[Turns | None, npt.NDArray[np.int32]]:
    """A copy of what `EnvCore.save_turns` gave, if it fits the core's games; else `StateError`."""
    if not isinstance(saved, tuple) or len(saved) != 2 or not isinstance(saved[0], Turns | None):
        raise StateError(f"saved turns must come from `save_turns`, not {type(saved).__name__}")
    if saved[0] is None and core.settings.stepwise:
        raise StateError("the saved turns are of another encoding: turns of one action, or of several")
    turns = None if saved[0] is None else _turns(core, saved[0])
    illegal = exact_copy(saved[1], core.out.illegal, "illegal")
    standing = [illegal if name == "illegal" else getattr(core.out, name) for name in STANDING]
    check_games(
        core.board, core.params, core.settings.stepwise, False, core.state, standing, _said(core, turns), core.work
    )
    return turns, illegal


def checked(core: Core, snapshot: Any) -> Snapshot:
    """A copy of a snapshot that fits the core, and whose games can be; else `StateError`, which names the place."""
    if not isinstance(snapshot, Snapshot) or not isinstance(snapshot.state, State):
        raise StateError(f"a saved state must be a `Snapshot` of an EnvCore, not {type(snapshot).__name__}")
    if not isinstance(snapshot.board, str) or snapshot.board != core.digest:
        raise StateError("the saved state is of another map, other rules or another number of players")
    if (snapshot.turns is not None) != core.settings.stepwise:
        raise StateError("the saved state is of another encoding: turns of several actions, or of one")
    state = State(*_copies(snapshot.state, core.state, State._fields))
    standing = [exact_copy(getattr(snapshot, name), getattr(core.out, name), name) for name in STANDING]
    turns = None if snapshot.turns is None else _turns(core, snapshot.turns)
    check_games(core.board, core.params, core.settings.stepwise, True, state, standing, _said(core, turns), core.work)
    values: list[Any] = [snapshot.board, state, *standing, turns]
    return Snapshot(*values)


def start_of(core: Core, game: Game) -> State:
    """The position of a game of the same kind, arrays with a leading 1, if it can be; else `StateError`."""
    saved = game.to_dict()["state"]
    start = State(*(np.array([saved[name]], dtype=array.dtype) for name, array in core.state._asdict().items()))
    live, nothing = start.eliminated_at == 0, np.zeros((1, core.players))
    counts, none = nothing.astype(np.int32), nothing.astype(np.bool_)
    standing = [counts[:, 0], nothing, nothing, counts, live, ~live, none]
    try:
        check_games(
            core.board, core.params, core.settings.stepwise, True, start, standing, _said(core, None), core.work
        )
    except StateError as error:
        raise StateError(f"start: {error}") from None
    return start


def _said(core: Core, turns: Turns | None) -> Turns:
    """Turns as `check_games` takes them; None: of no games, in which nothing is handed in."""
    return make_turns(core.board.n_regions, core.board.n_edges, core.players, 0) if turns is None else reference(turns)


def _turns(core: Core, turns: Any) -> Turns:
    if not isinstance(turns, Turns):
        raise StateError(f"turns must be `Turns`, not {type(turns).__name__}")
    return Turns(*_copies(turns, core.turns, [f"turns.{name}" for name in Turns._fields]))


def _copies(theirs: Any, mine: Any, names: Sequence[str]) -> list[npt.NDArray[Any]]:
    return [exact_copy(value, like, name) for value, like, name in zip(theirs, mine, names, strict=True)]


__all__ = ["STANDING", "Snapshot", "check_core", "checked", "checked_turns", "copied", "start_of"]
