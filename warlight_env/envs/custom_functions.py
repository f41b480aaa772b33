"""Reward and observation functions that users write. Each step calls each function once for all games of the batch."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, Final, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError

from warlight_env.arguments import short_repr
from warlight_env.engine.jit import JIT_DISABLED
from warlight_env.errors import InputError


class Games(NamedTuple):
    """The true positions of B games of P players on N regions, without fog of war. The arrays are read-only.

    owner: int8[B, N], the owner of a region: a player, from 0, or -1 for neutral.
    army: int32[B, N], the armies on the region.
    income: int32[B, P], armies that each player may deploy in a turn.
    round: int32[B], the number of rounds played.
    phase: int8[B], 0 while the players pick their starting regions, 1 in play, 2 when the game is over.
    winner: int8[B], the player who has won, or -1 for a draw and for a game that is not over.
    live: bool[B, P], whether the player's episode continues: False after its elimination, or after its episode ends.
    """

    owner: npt.NDArray[np.int8]
    army: npt.NDArray[np.int32]
    income: npt.NDArray[np.int32]
    round: npt.NDArray[np.int32]
    phase: npt.NDArray[np.int8]
    winner: npt.NDArray[np.int8]
    live: npt.NDArray[np.bool_]


def select_games(games: Games, numbers: npt.NDArray[np.int64]) -> Games:
    """Return the positions of the games with the given numbers, int64[M]."""
    return Games(*(read_only(array[numbers]) for array in games))


class PlayerViews(NamedTuple):
    """The views of M players on N regions: one player in each of M games. The arrays are read-only.

    owner: int8[M, N], the owner from the viewing player's perspective: -1 not seen, 0 neutral, 1 the player itself,
        2 … its opponents in seat order after the player. These numbers differ from those in `Games.owner`.
    army: int32[M, N], the armies on the region; 0 if the player does not see the region.
    offered: int8[M, N], 1 if the player may pick the region now, else 0; all 0 after the picks.
    round: int32[M], the number of rounds played.
    income: int32[M], armies that the player may deploy in a turn.
    phase: int8[M], 0 while the players pick their starting regions, 1 in play, 2 when the game is over.
    turn: float32[M, N, 3], the unfinished turn with the encoding "steps"; the columns are `TURN_FEATURES`. [M, 0, 3]
        with encodings that have one action per turn.
    income_left: float32[M], the fraction of the income that is not deployed yet; 1 with encodings that have one action
        per turn.
    """

    owner: npt.NDArray[np.int8]
    army: npt.NDArray[np.int32]
    offered: npt.NDArray[np.int8]
    round: npt.NDArray[np.int32]
    income: npt.NDArray[np.int32]
    phase: npt.NDArray[np.int8]
    turn: npt.NDArray[np.float32]
    income_left: npt.NDArray[np.float32]


#: A function ``(before, after, paid) -> [B, P]`` that returns the rewards of a step. `before` and `after` are the
#: `Games` before and after the step; `paid` float64[B, P] is the built-in reward (1 for a win, -1 for a loss, else 0).
RewardFunction = Callable[[Games, Games, npt.NDArray[np.float64]], npt.NDArray[Any]]
#: A function ``(seen) -> [M, …]`` that returns the observations of M players, given their `PlayerViews`.
ObservationFunction = Callable[[PlayerViews], npt.NDArray[Any]]

_FLOATS: Final = (np.dtype(np.float32), np.dtype(np.float64))


class CustomFunction:
    """A user's function of arrays, which is compiled with Numba if possible, and otherwise runs in Python.

    The constructor compiles a Python function; later changes of the global variables that the function reads have no
    effect. Callable objects and partials are not compiled. If a compiled function raises an exception, the traceback
    shows the lines of the user's source.

    Args:
        function: the user's function, or another `CustomFunction`. If `function` is a `CustomFunction`, both objects
            share the user's function and its compiled code, so games on several maps compile the function only once.
        arguments: arguments for a first call of the function. The constructor calls the function once with `arguments`,
            and raises the exceptions of this call.

    Attributes:
        result: the return value of the first call.
    """

    def __init__(self, function: Callable[..., Any] | CustomFunction, arguments: tuple[Any, ...]) -> None:
        self._compiled: Callable[..., Any] | None = None
        jitted: Callable[..., Any] | None = None
        self._source: Callable[..., Any]
        if isinstance(function, CustomFunction):
            self._source = function._source
            jitted = function._compiled or function._source
        else:
            self._source = function
        source = self._source
        self.function: Callable[..., Any] = source.py_func if isinstance(source, Dispatcher) else source
        self.result = self.function(*arguments)
        if isinstance(source, Dispatcher):
            self._compiled = source
            self.result = self(*arguments)
        elif isinstance(source, FunctionType) and not JIT_DISABLED and jitted is not source:
            self._compiled = _compiled(jitted or numba.njit(source), arguments, self.result)

    @property
    def compiled(self) -> bool:
        """Whether the function runs in compiled code."""
        return self._compiled is not None

    def __call__(self, *arguments: Any) -> Any:
        if self._compiled is None:
            return self.function(*arguments)
        try:
            return self._compiled(*arguments)
        except Exception:
            self.function(*arguments)  # the Python function raises the same error, but its traceback has source lines
            raise


def _compiled(jitted: Callable[..., Any], arguments: tuple[Any, ...], expected: Any) -> Callable[..., Any] | None:
    """Compile a result of `numba.njit` for the arguments; return the compiled function, or None if it is not usable.

    The result is None if Numba cannot compile the function, or if the compiled function has another result.
    expected: the result of the Python function for these arguments.
    """
    try:
        actual = jitted(*arguments)
    except (NumbaError, TypeError, ValueError, NotImplementedError):
        return None
    both_arrays = isinstance(actual, np.ndarray) and isinstance(expected, np.ndarray)
    return (
        jitted
        if both_arrays and actual.dtype == expected.dtype and np.allclose(actual, expected, equal_nan=True)
        else None
    )


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a read-only view of an array, or of a contiguous copy of this array.

    All returned arrays with the same dtype and number of axes have the same Numba type, so that a function is compiled
    only once.
    """
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


class CustomReward(CustomFunction):
    """A user's `RewardFunction`. Each call checks that the result is an array [B, P] of finite numbers."""

    def __init__(self, function: RewardFunction, games: Games) -> None:
        paid = read_only(np.zeros(games.live.shape))
        super().__init__(function, (games, games, paid))
        self.checked(self.result, games.live.shape)

    def paid(
        self, before: Games, after: Games, paid: npt.NDArray[np.float64], numbers: npt.NDArray[np.int64] | None = None
    ) -> npt.NDArray[np.float64]:
        """Call the function; return its rewards for a step, as float64[B, P].

        Args:
            before, after, paid: see `RewardFunction`.
            numbers: int64[B], the games' numbers in error messages; None: 0, 1 …
        """
        return self.checked(self(before, after, read_only(paid)), after.live.shape, numbers)

    def checked(
        self, result: Any, shape: tuple[int, ...], numbers: npt.NDArray[np.int64] | None = None
    ) -> npt.NDArray[np.float64]:
        """Return the function's result as float64; raise InputError if it is not an array of finite numbers."""
        if not isinstance(result, np.ndarray) or result.shape != shape or result.dtype.kind not in "fiub":
            raise InputError(
                f"reward: the function must return numbers in an array of shape {shape}, not {_describe(result)}"
            )
        rewards = result.astype(np.float64)
        if not np.isfinite(rewards).all():
            b, p = np.argwhere(~np.isfinite(rewards))[0].tolist()
            game = b if numbers is None else numbers[b]
            raise InputError(
                f"reward: the function returned {rewards[b, p]} for player {p} of game {game}: must be finite"
            )
        return rewards


class CustomObservation(CustomFunction):
    """A user's `ObservationFunction`. Each call checks the returned array.

    In every call, the dtype of the returned array, and its shape without the first axis, must be the same as in the
    first call.
    """

    def __init__(self, function: ObservationFunction, views: PlayerViews) -> None:
        super().__init__(function, (views,))
        result, count = self.result, len(views.owner)
        is_numeric = isinstance(result, np.ndarray) and (result.dtype in _FLOATS or result.dtype.kind in "iu")
        if not is_numeric or result.ndim < 2 or len(result) != count:
            raise InputError(
                f"observation: the function must return an array of shape ({count}, …) of float32, float64 or "
                f"integers, not {_describe(result)}"
            )
        self.shape, self.dtype = result.shape[1:], result.dtype
        self.checked(result, count)

    @property
    def space(self) -> spaces.Box:
        """The observation space of one game: a Box with all values of the dtype."""
        if self.dtype in _FLOATS:
            return spaces.Box(-np.inf, np.inf, self.shape, self.dtype.type)
        bounds = np.iinfo(self.dtype)
        return spaces.Box(bounds.min, bounds.max, self.shape, self.dtype.type)

    def observe(self, views: PlayerViews) -> npt.NDArray[Any]:
        """Call the function; return its observations [M, …] of M players in a new array."""
        return self.checked(self(views), len(views.owner))

    def checked(self, result: Any, count: int) -> npt.NDArray[Any]:
        """Return a copy of the function's result; raise InputError unless it has the first result's shape and dtype."""
        shape = (count, *self.shape)
        if not isinstance(result, np.ndarray) or result.shape != shape or result.dtype != self.dtype:
            raise InputError(
                f"observation: the function returned {_describe(result)}; it must return {self.dtype} of shape "
                f"{shape}, as in its first call"
            )
        if self.dtype in _FLOATS and np.isnan(result.min(initial=np.inf)):  # `min` is faster than a check of each entry
            raise InputError(
                f"observation: the function returned NaN in game {int(np.argwhere(np.isnan(result))[0][0])}"
            )
        return result.copy()


def _describe(result: Any) -> str:
    return f"{result.dtype} of shape {result.shape}" if isinstance(result, np.ndarray) else f"{short_repr(result)}"
