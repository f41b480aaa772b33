"""The base classes of action encodings, and functions that convert turns to the rows that `submit_exact` reads."""

from __future__ import annotations

import functools
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from warlight_env.agents.context import Context, bare_context
from warlight_env.agents.records.value_record import is_record
from warlight_env.agents.weights import THESIS, Weights
from warlight_env.arguments import short_repr
from warlight_env.array_arguments import integer_array
from warlight_env.engine.board import Board
from warlight_env.engine.orders import Orders, check_turn
from warlight_env.engine.rules import MAX_ARMIES, RuleParams
from warlight_env.engine.view import View
from warlight_env.envs.actions.batches import check_count, part_of
from warlight_env.envs.actions.exact import submit_exact
from warlight_env.envs.actions.kernels import (
    COUNT,
    OFFERED,
    OWN,
    READY,
    PlayerPosition,
    Turn,
    make_action_work,
    make_turn,
)
from warlight_env.envs.actions.turns import I64, Choice, Loss, loss_between
from warlight_env.errors import InputError
from warlight_env.features.extraction import most_income

I8 = npt.NDArray[np.int8]


def free_regions(view: View) -> I8:
    """Return int8[N]: what the player of a view can do with each region, as a code CLOSED, OWN or OFFERED.

    OFFERED means that the player may pick the region now.
    """
    free = np.zeros(len(view.owner), dtype=np.int8)
    if view.phase == "pick":
        free[list(view.offers)] = OFFERED
    elif view.phase == "play":
        free[view.owner == view.player] = OWN
    return free


def check_game(board: Any, params: Any) -> None:
    """Raise InputError unless `board` is a `Board` and `params` is a `RuleParams`."""
    if not is_record(board, Board):
        raise InputError(f"board = {short_repr(board)}: must be a Board, the result of make_board")
    if not is_record(params, RuleParams):
        raise InputError(f"params = {short_repr(params)}: must be RuleParams, the result of Rules.params")


class ActionEncoding(ABC):
    """An action encoding: it defines an action space, and converts actions to turns of a player and back.

    An encoding belongs to one board and one set of rules; it contains no state of a game. A custom encoding is a
    subclass that defines `name`, `space`, `mask_space`, `mask`, `flat_mask`, `decode` and `encode`. By default, `row`
    calls `decode` and converts the resulting turn for the kernels. Illegal orders are dropped and counted.

    A faster encoding has its own kernels, as the attributes `submit` and `write_mask`; see `actions.kernels`.
    """

    name: ClassVar[str]
    #: The action space. With `MaskableChoices`, `MaskableDict` or `Discrete`, the action space of a batch also accepts
    #: masks.
    space: spaces.Space[Any]
    #: The space of the action masks, as a part of the observation space; None for an encoding without masks.
    mask_space: spaces.Space[Any] | None
    #: Whether a turn consists of several actions. If it does, `decode` takes and `encode` returns a list of actions.
    stepwise: ClassVar[bool] = False
    #: Whether `rows` copies integers without checks, so that it also accepts actions outside the space.
    copies_integers: ClassVar[bool] = False
    #: The maximum number of actions in a turn.
    max_parts: int = 1
    #: The kernel that converts action rows to turns.
    submit: ClassVar[Callable[..., Any]] = staticmethod(submit_exact)
    #: The kernel that writes the flat mask of length `mask_size`. None: the encoding has no mask, or its mask consists
    #: only of the `mask_rows`, which the kernel `observe` writes.
    write_mask: ClassVar[Callable[..., Any] | None] = None
    #: `mask_rows` is the number of mask rows: first N rows for the regions, then E rows for the edges. An encoding
    #: with priorities of attacks has E more rows. `row_width` is the length of each row. A row allows all values, or
    #: only the first value. The kernel `observe` updates these rows without a call of `write_mask`.
    mask_rows: int = 0
    row_width: int = 0
    #: The weights of the position evaluation in the context argument of `submit` and `write_mask`.
    weights: Weights = THESIS

    def __init__(self, board: Board, params: RuleParams) -> None:
        check_game(board, params)
        self.board = board
        self.params = params
        self.max_income = most_income(board, params)

    @abstractmethod
    def mask(self, view: View) -> Any:
        """Return the action mask that ``space.sample(mask)`` accepts; None for an encoding without masks."""

    @abstractmethod
    def flat_mask(self, view: View) -> I8:
        """Return the action mask as one int8 vector: the rows of the result of `mask`, one after the other."""

    def shape_mask(self, flat: I8) -> Any:
        """Convert a flat mask to the form that `mask` returns. flat: a result of `flat_mask`."""
        return flat

    @abstractmethod
    def decode(self, view: View, action: Any) -> Choice:
        """Convert an action to a turn: legal orders, or a list of regions to pick, best first."""

    @abstractmethod
    def encode(self, view: View, turn: Choice, *, nearest: bool = False) -> Any:
        """Convert a turn to an action.

        If no action expresses the turn, the method raises `InexpressibleError` (an InputError) with the reason. With
        ``nearest=True``, for imitation learning, the method returns the closest action for every legal turn instead of
        an error. `loss` returns the difference between the turn and this action.
        """

    def loss(self, view: View, turn: Choice, action: Any) -> Loss:
        """Return the difference between a turn and the turn to which an action decodes. `Loss.exact` is True for equal
        turns."""
        return loss_between(view, turn, self.decode(view, action))

    @property
    def mask_size(self) -> int:
        """The length of the flat mask that kernels write; 0 if they write no mask."""
        return self.mask_rows * self.row_width

    @property
    def default_cycles(self) -> int:
        """The default number of steps after which an environment truncates a game."""
        return 100

    @property
    def limits(self) -> I64:
        """int64[K]: the entry k of an action row must be at least 0 and less than limits[k]."""
        n, e = self.board.n_regions, self.board.n_edges
        limits = np.full(n + 2 * e, MAX_ARMIES + 1, dtype=np.int64)
        limits[n + e :] = max(e, 1)
        return limits

    @property
    def config(self) -> I64:
        """int64[C]: settings of the encoding, the argument `config` of the kernels `submit` and `write_mask`."""
        return np.array([MAX_ARMIES, MAX_ARMIES], dtype=np.int64)

    def context(self, players: int) -> Context:
        """Return the context argument of the kernels `submit` and `write_mask`, without custom functions."""
        return bare_context(self.board, self.params, players, self.weights)

    # Methods for subclasses that have their own kernels

    def _kernel_view(self, view: View) -> PlayerPosition:
        picking = view.phase == "pick"
        return PlayerPosition(view.position, free_regions(view), np.int64(view.player), np.int64(view.income), picking)

    def _work(self, view: View) -> tuple[Any, ...]:
        n, e = self.board.n_regions, self.board.n_edges
        return self.context(view.players), self.config, make_action_work(n, e, view.players)

    def _submitted(self, view: View, rows: Sequence[I64]) -> tuple[Turn, int]:
        """Convert action rows to a turn with the kernel `submit`; return the turn and the number of illegal orders."""
        turn, illegal = make_turn(self.board.n_regions, self.board.n_edges), 0
        context, config, work = self._work(view)
        kernel_view = self._kernel_view(view)
        for row in rows:
            if turn.status[READY]:
                raise InputError("the list has actions after the end of the turn")
            illegal += self.submit(context, kernel_view, turn, config, work, row)
        return turn, illegal

    def _written_mask(self, view: View, turn: Turn) -> I8:
        """Return the mask that the kernel `write_mask` writes after the actions of `turn`."""
        mask = np.zeros(self.mask_size, dtype=np.int8)
        context, config, work = self._work(view)
        assert self.write_mask is not None
        self.write_mask(context, self._kernel_view(view), turn, config, work, mask)
        return mask

    def _choice(self, view: View, turn: Turn) -> Choice:
        """Convert the arrays of a turn to `Orders`, or to a list of preferred regions."""
        count = int(turn.status[COUNT])
        if view.phase == "pick":
            return [int(region) for region in turn.preferences[:count]]
        return Orders.from_arrays(turn.deploy, turn.attacks, count)

    def row(self, action: Any, view: Callable[[], View], out: I64) -> int:
        """Convert an action to a row for the kernels; return the number of illegal orders that were dropped.

        Args:
            view: a function that returns the player's view; the method calls it only if it needs the view.
            out: int64[K], the array to which the row is written.

        Raises InputError for a value that is not an action. A kernel later checks that the entries of the row are
        within `limits`.
        """
        player_view = view()
        turn = self.decode(player_view, action)
        return (
            orders_row(player_view, turn, out) if isinstance(turn, Orders) else preferences_row(player_view, turn, out)
        )

    def rows(self, actions: Any, view: Callable[[int], View], out: I64) -> npt.NDArray[np.int32]:
        """Convert a batch of M actions to rows; return int32[M], the number of orders dropped from each action.

        view(i) returns the view of the player of action i. out: int64[M, K], the array to which the rows are written.
        """
        dropped = np.zeros(len(out), dtype=np.int32)
        if self.copies_integers:
            out[...] = integer_array(actions, (len(out), *(self.space.shape or ())), "actions").reshape(out.shape)
            return dropped
        check_count(self.space, actions, len(out))
        for i in range(len(out)):
            dropped[i] = self.row(part_of(self.space, actions, i), functools.partial(view, i), out[i])
        return dropped


class DiscreteEncoding(ActionEncoding):
    """An action encoding with the space Discrete(`size`): an action is one integer, and a kernel writes the mask."""

    copies_integers = True

    def __init__(self, board: Board, params: RuleParams, size: int) -> None:
        super().__init__(board, params)
        self.size = size
        self.space = spaces.Discrete(size)
        self.mask_space = spaces.MultiBinary(size)

    @property
    def mask_size(self) -> int:
        return self.size

    @property
    def limits(self) -> I64:
        return np.array([self.size], dtype=np.int64)

    def flat_mask(self, view: View) -> I8:
        mask: I8 = self.mask(view)
        return mask

    def value(self, action: Any) -> int:
        """Convert an action to an int; raise InputError if it is not an integer in 0 .. `size` - 1."""
        value = integer(action, "action")
        if not 0 <= value < self.size:
            raise InputError(f"action {value} must lie in 0 .. {self.size - 1}")
        return value

    def row(self, action: Any, view: Callable[[], View], out: I64) -> int:
        out[0] = self.value(action)
        return 0


def orders_row(view: View, orders: Orders, out: I64) -> int:
    """Convert orders to a row that `submit_exact` reads; drop illegal orders and return their number.

    out: int64[N + 2 * E], the row: armies per region, armies per edge, and the place of each attack in the order.
    """
    board, n, e = view.board, view.board.n_regions, view.board.n_edges
    deploy = np.zeros(n, dtype=np.int32)
    legal = np.zeros((max(e, 1), 3), dtype=np.int32)
    count, dropped, _ = check_turn(board, view.params, view.owner, view.player, view.income, orders, deploy, legal)
    out[:] = 0
    out[:n] = deploy
    edges = board.edge_index[legal[:count, 0], legal[:count, 1]]
    out[n + edges] = legal[:count, 2]
    out[n + e + edges] = np.arange(count)
    return dropped


def preferences_row(view: View, preferences: Sequence[int], out: I64) -> int:
    """Convert a list of preferred regions, best first, to a row that `submit_exact` reads.

    The best region has the highest value. Illegal regions are dropped; the function returns their number.
    """
    out[:] = 0
    offers, dropped = set(view.offers), 0
    preferred = list(preferences)
    for place, region in enumerate(preferred):
        if region in offers and out[region] == 0:
            out[region] = len(preferred) - place
        else:
            dropped += 1
    return dropped


def integer(value: Any, name: str) -> int:
    """Convert a value to an int; raise InputError with the value if it is not an integer."""
    try:
        return operator.index(value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value)
    except Exception:  # the caller's object may have methods that raise any exception
        raise InputError(f"{name} must be an integer, not {short_repr(value)}") from None
