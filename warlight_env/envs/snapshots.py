"""`CoreSnapshots`: the methods of an `EnvCore` that save and restore its games, or start them from a given position."""

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
from warlight_env.envs.core_arrays import CoreArrays, copy_turns
from warlight_env.envs.step import Turns, make_turns
from warlight_env.envs.validity import check_games
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


def assign(target: Any, source: Any) -> None:
    """Copy the content of each array of the NamedTuple `source` into the same array of the NamedTuple `target`."""
    for target_array, source_array in zip(target, source, strict=True):
        target_array[...] = source_array


def digest_of(map: Map, rules: Rules, players: int) -> str:
    """Return a SHA-256 digest of the map, the rules and the number of players."""
    return hashlib.sha256(json.dumps([map.digest(), rules.to_dict(), players]).encode()).hexdigest()


class CoreSnapshots(CoreArrays):
    """The part of `EnvCore` that saves, checks and restores its games."""

    def _submitted_turns(self) -> Turns | None:
        """Return a copy of the turns that were submitted for the rounds not played yet; None if there are no turns."""
        empty = not self.settings.stepwise and not self.turns.status.any()
        return None if empty else copy_turns(self.turns)

    def _put_turns(self, turns: Turns | None) -> None:
        if turns is None:
            self.turns.status[...] = 0
        else:
            assign(self.turns, turns)

    @contextlib.contextmanager
    def rollback_on_error(self, games: bool | None = None) -> Iterator[None]:
        """Return a context manager that restores the submitted turns and `bot_rngs` after an exception in its block.

        games: whether the context manager also restores the games and their history. None: only if there is a custom
            reward function, because the reward function is called after the round.
        """
        games = self.custom_reward is not None if games is None else games
        turns, illegal = self._submitted_turns(), self.out.illegal.copy()
        rngs, history = self.bot_rngs.copy(), self.round_history
        before = self._snapshot(turns) if games else None
        if games and history is not None:
            history = history.copy()
        try:
            yield
        except BaseException:
            if before is not None:
                self._write_snapshot(before)
                self.round_history = history
            else:
                self._put_turns(turns)
                self.out.illegal[...], self.bot_rngs[...] = illegal, rngs
                if self.settings.stepwise:
                    self._refresh(turns_only=True)
            raise

    def snapshot(self) -> Snapshot:
        """Return a copy of all data that determine the future of the games, including the random generators."""
        return self._snapshot(self._submitted_turns())

    def _snapshot(self, turns: Turns | None) -> Snapshot:
        bookkeeping = [getattr(self.out, name).copy() for name in BOOKKEEPING_FIELDS]
        values: list[Any] = [self.digest, copy_state(self.state), *bookkeeping, self.bot_rngs.copy(), turns]
        return Snapshot(*values)

    def restore(self, snapshot: Snapshot) -> None:
        """Restore a snapshot of this object, or of an `EnvCore` with the same arguments; update observations and masks.

        The turns in the snapshot replace the submitted turns of unfinished rounds. Every array must have the same
        shape, dtype and byte order as in a result of `snapshot`. The games must be possible under the rules. If an
        array or a game is invalid, the method raises StateError with the place and the reason, and the games do not
        change.
        """
        self._write_snapshot(self._checked(snapshot))
        if self.round_history is not None:
            self.round_history.forget(range(self.batch))

    def _write_snapshot(self, snapshot: Snapshot) -> None:
        """Restore a snapshot without checks: a result of `_checked`, or a snapshot that this object made."""
        assign(self.state, snapshot.state)
        for name in BOOKKEEPING_FIELDS:
            getattr(self.out, name)[...] = getattr(snapshot, name)
        self.bot_rngs[...] = snapshot.bot_rngs
        self._put_turns(snapshot.turns)
        self._refresh()

    def check_start(self, game: Game) -> None:
        """Raise InputError unless the games of this object can start from the position of `game`.

        `game` must not be over, and must have the same map, rules and number of players.
        """
        if not isinstance(game, Game):
            raise InputError(f"start must be a `Game`, not {type(game).__name__}")
        if digest_of(game.map, game.rules, game.players) != self.digest:
            raise InputError(
                "start: the game must have the environment's map, rules (including fog) and number of players"
            )
        if game.done:
            raise InputError("start: the given game is over")

    def start_from(self, game: Game, games: Sequence[int] | None = None) -> None:
        """Replace the position of new games by the position of `game`; each new game keeps its own random generator.

        Turns that were submitted to the new games are deleted. After an InputError, the games are unchanged.

        Args:
            game: the game with the position.
            games: the numbers of the new games; None: all games.

        Raises:
            InputError: `check_start` fails, a game has already made a step, or a number occurs twice in `games`.
        """
        self.check_start(game)
        indices, out = np.array(sorted(games_named(games, self.batch)), dtype=np.int64), self.out
        started = indices[out.cycles[indices] != 0]
        if len(started):
            raise InputError(
                f"game {started[0]} has already made a step: only new games can start from a given position"
            )
        start = self._start_of(game)
        for name, array in self.state._asdict().items():
            if name != "rng":
                array[indices] = getattr(start, name)
        out.live[indices] = start.eliminated_at == 0
        out.terminated[indices], out.illegal[indices] = ~out.live[indices], 0
        self.turns.status[indices], self.turns.deploy[indices] = 0, 0
        if self.round_history is not None:
            self.round_history.forget(indices.tolist())
        for run in np.split(indices, np.flatnonzero(np.diff(indices) > 1) + 1) if len(indices) else ():
            self._refresh(int(run[0]), int(run[-1]) + 1)
        if self.reward.shaping == "regions":
            out.potential[indices] = [(start.owner == p).mean() for p in range(self.players)]
        elif self.reward.shaping == "income":
            out.potential[indices] = out.income[indices] / max(1, self.settings.max_income)

    # Checks

    def _check_games(self, check_all: bool, state: State, bookkeeping: Any, turns: Turns) -> None:
        """Raise `StateError` unless all games are possible under the rules; see `validity.check_games`."""
        stepwise = self.settings.stepwise
        check_games(self.board, self.params, stepwise, check_all, state, bookkeeping, turns, self.work)

    def _check_arrays(self) -> None:
        """Raise `StateError` if an array has values with which the kernels cannot continue the games.

        Call this method after direct changes of the arrays.
        """
        self._check_games(False, self.state, [getattr(self.out, name) for name in BOOKKEEPING_FIELDS], self.turns)

    def _checked(self, snapshot: Any) -> Snapshot:
        """Check a snapshot, and return a copy of the snapshot.

        Raises `StateError` if the snapshot was made with other arguments than this object, or if it contains a game
        that is impossible under the rules.
        """
        if not isinstance(snapshot, Snapshot) or not isinstance(snapshot.state, State):
            raise StateError(f"a saved state must be a `Snapshot` of an EnvCore, not {type(snapshot).__name__}")
        if not isinstance(snapshot.board, str) or snapshot.board != self.digest:
            raise StateError(
                "the saved state has another map, other rules or another number of players than this environment"
            )
        rngs = exact_copy(snapshot.bot_rngs, self.bot_rngs, "bot_rngs")
        turns = None if snapshot.turns is None else self._checked_turns(snapshot.turns)
        if not self._fits_encoding(turns):
            raise StateError(
                "the saved state was made with another action encoding: a turn is several actions in one of the two "
                "encodings, and one action in the other"
            )
        state = State(*_copies(snapshot.state, self.state, State._fields))
        bookkeeping = [
            exact_copy(getattr(snapshot, name), getattr(self.out, name), name) for name in BOOKKEEPING_FIELDS
        ]
        self._check_games(True, state, bookkeeping, self._no_turns() if turns is None else reference(turns))
        values: list[Any] = [snapshot.board, state, *bookkeeping, rngs, turns]
        return Snapshot(*values)

    def _start_of(self, game: Game) -> State:
        """Return the state of a game, with a leading axis of 1; raise `StateError` if it is impossible."""
        saved = game.to_dict()["state"]
        start = State(*(np.array([saved[name]], dtype=array.dtype) for name, array in self.state._asdict().items()))
        live, nothing = start.eliminated_at == 0, np.zeros((1, self.players))
        counts, none = nothing.astype(np.int32), nothing.astype(np.bool_)
        bookkeeping = [counts[:, 0], nothing, nothing, counts, live, ~live, none]
        try:
            self._check_games(True, start, bookkeeping, self._no_turns())
        except StateError as error:
            raise StateError(f"start: {error}") from None
        return start

    def _no_turns(self) -> Turns:
        """Return turns of 0 games, the argument `turns` of `validity.check_games` if no turns are submitted."""
        return make_turns(self.board.n_regions, self.board.n_edges, self.players, 0)

    def _checked_turns(self, turns: Any) -> Turns:
        if not isinstance(turns, Turns):
            raise StateError(f"turns must be `Turns`, not {type(turns).__name__}")
        return Turns(*_copies(turns, self.turns, [f"turns.{name}" for name in Turns._fields]))

    def _fits_encoding(self, turns: Turns | None) -> bool:
        """Whether `turns` is possible with the encoding, which has one or several actions per turn.

        See `Snapshot.turns` for the difference between encodings with one action and with several actions per turn.
        """
        if self.settings.stepwise or turns is None:
            return turns is not None or not self.settings.stepwise
        submitted = turns.status.any(axis=2)
        return bool(submitted.any() and (turns.status[:, :, READY] != 0)[submitted].all())


def _copies(values: Any, templates: Any, names: Sequence[str]) -> list[npt.NDArray[Any]]:
    return [exact_copy(value, template, name) for value, template, name in zip(values, templates, names, strict=True)]
