"""The base class of action encodings, and functions that write exact rows, the default form for kernels."""

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
from warlight_env.engine.board import Board
from warlight_env.engine.orders import Orders, check_turn
from warlight_env.engine.rules import MAX_ARMIES, RuleParams
from warlight_env.engine.view import View
from warlight_env.envs.actions.batches import part_of
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
from warlight_env.envs.actions.loss import Loss, loss_between
from warlight_env.envs.actions.turns import I64, Choice
from warlight_env.errors import InputError
from warlight_env.features.extraction import most_income

I8 = npt.NDArray[np.int8]


def free_regions(view: View) -> I8:
    """Return int8[N] of CLOSED, OWN and OFFERED for the player of a view.

    While regions are picked, OFFERED means that the player may pick the region now.
    """
    free = np.zeros(len(view.owner), dtype=np.int8)
    if view.phase == "pick":
        free[list(view.offers)] = OFFERED
    elif view.phase == "play":
        free[view.owner == view.player] = OWN
    return free


def check_game(board: Any, params: Any) -> None:
    """Raise an InputError unless `board` is a Board and `params` are RuleParams."""
    if not is_record(board, Board):
        raise InputError(f"board = {short_repr(board)}: must be a Board, the result of make_board")
    if not is_record(params, RuleParams):
        raise InputError(f"params = {short_repr(params)}: must be RuleParams, the result of Rules.params")


class ActionEncoding(ABC):
    """A player's turn as an action of a Gymnasium space.

    An encoding is made for a board and the parameters of the rules, and has no state of its own. Subclasses define
    `name`, `space`, `mask_space`, `mask`, `flat_mask`, `decode` and `encode`. A custom encoding needs nothing else: by
    default, `row` writes the turn from `decode` for the kernels. It drops illegal orders and counts them.

    An encoding with its own kernels sets the attributes `submit` and `write_mask` to them, see `actions.kernels`.
    """

    name: ClassVar[str]
    #: Whether a turn takes several actions; `decode` and `encode` then use lists of actions.
    stepwise: ClassVar[bool] = False
    #: The maximum number of actions in a turn.
    max_parts: int = 1
    #: The kernel that reads action rows into turns.
    submit: ClassVar[Callable[..., Any]] = staticmethod(submit_exact)
    #: The kernel that writes the flat mask of length `mask_size`. None: no mask is written, or only the `mask_rows`.
    write_mask: ClassVar[Callable[..., Any] | None] = None
    #: Number of rows of the flat mask that belong to regions and edges (first N, then E, perhaps E again), and their
    #: width. A row allows all values, or only the first. The step updates these rows without a call of `write_mask`.
    mask_rows: int = 0
    row_width: int = 0
    #: Weights of the evaluation in the context for `submit` and `write_mask`.
    weights: Weights = THESIS

    def __init__(self, board: Board, params: RuleParams) -> None:
        check_game(board, params)
        self.board = board
        self.params = params
        self.max_income = most_income(board, params)

    @property
    @abstractmethod
    def space(self) -> spaces.Space[Any]:
        """The action space; every call returns the same object."""

    @property
    @abstractmethod
    def mask_space(self) -> spaces.Space[Any] | None:
        """The space of masks, for the observation space; None for an encoding without masks."""

    @abstractmethod
    def mask(self, view: View) -> Any:
        """Return the mask in the form for ``space.sample(mask)``; None for an encoding without masks."""

    @abstractmethod
    def flat_mask(self, view: View) -> I8:
        """Return the same mask as one int8 vector: the rows of the mask one after the other."""

    def shape_mask(self, flat: I8) -> Any:
        """Return the vector of `flat_mask` in the form of `mask`."""
        return flat

    @abstractmethod
    def decode(self, view: View, action: Any) -> Choice:
        """Return the turn of an action: legal orders, or a list of regions to pick, best first."""

    @abstractmethod
    def encode(self, view: View, turn: Choice, *, nearest: bool = False) -> Any:
        """Return the action of a turn.

        Raises `InexpressibleError` (an InputError) with the reason if no action expresses the turn. With
        ``nearest=True``, for imitation learning, the method returns the closest action instead. It then accepts every
        legal turn, and `loss` returns the difference.
        """

    def loss(self, view: View, turn: Choice, action: Any) -> Loss:
        """Return the difference between a turn and an action's turn; `Loss.exact` is True if there is none."""
        return loss_between(view, turn, self.decode(view, action))

    @property
    def mask_size(self) -> int:
        """Length of the flat mask that the step's kernel writes; 0 for no mask."""
        return self.mask_rows * self.row_width

    @property
    def default_cycles(self) -> int:
        """The default number of steps after which an environment truncates a game."""
        return 100

    @property
    def limits(self) -> I64:
        """int64[K]: each entry of a kernel row must be at least 0 and below its limit."""
        n, e = self.board.n_regions, self.board.n_edges
        limits = np.full(n + 2 * e, MAX_ARMIES + 1, dtype=np.int64)
        limits[n + e :] = max(e, 1)
        return limits

    @property
    def config(self) -> I64:
        """int64[C]: the encoding's own numbers for `submit` and `write_mask`."""
        return np.array([MAX_ARMIES, MAX_ARMIES], dtype=np.int64)

    def context(self, players: int) -> Context:
        """Return the context for `submit` and `write_mask`, without custom functions."""
        return bare_context(self.board, self.params, players, self.weights)

    # For subclasses with kernels

    def _seen(self, view: View) -> PlayerPosition:
        picking = view.phase == "pick"
        return PlayerPosition(view.position, free_regions(view), np.int64(view.player), np.int64(view.income), picking)

    def _work(self, view: View) -> tuple[Any, ...]:
        n, e = self.board.n_regions, self.board.n_edges
        return self.context(view.players), self.config, make_action_work(n, e, view.players)

    def _submitted(self, view: View, rows: Sequence[I64]) -> tuple[Turn, int]:
        """Return the turn that `submit` reads from kernel rows, and the number of illegal orders."""
        turn, illegal = make_turn(self.board.n_regions, self.board.n_edges), 0
        context, config, work = self._work(view)
        seen = self._seen(view)
        for row in rows:
            if turn.status[READY]:
                raise InputError("the list has actions after the end of the turn")
            illegal += self.submit(context, seen, turn, config, work, row)
        return turn, illegal

    def _written_mask(self, view: View, turn: Turn) -> I8:
        """Return the mask that `write_mask` writes."""
        mask = np.zeros(self.mask_size, dtype=np.int8)
        context, config, work = self._work(view)
        assert self.write_mask is not None
        self.write_mask(context, self._seen(view), turn, config, work, mask)
        return mask

    def _choice(self, view: View, turn: Turn) -> Choice:
        """Convert a turn of the kernels to orders or a list of regions."""
        count = int(turn.status[COUNT])
        if view.phase == "pick":
            return [int(region) for region in turn.preferences[:count]]
        return Orders.from_arrays(turn.deploy, turn.attacks, count)

    def row(self, action: Any, view: Callable[[], View], out: I64) -> int:
        """Write the kernel row of an action to out, int64[K]; return the number of illegal orders dropped.

        The method calls `view` only if it needs the player's view.

        Raises InputError for a value that is not an action. The kernel checks the entries against `limits`.
        """
        seen = view()
        turn = self.decode(seen, action)
        return orders_row(seen, turn, out) if isinstance(turn, Orders) else preferences_row(seen, turn, out)

    def rows(self, actions: Any, view: Callable[[int], View], out: I64) -> npt.NDArray[np.int32]:
        """Apply `row` to a batch: write out int64[M, K]; return the dropped orders, int32[M]. view(i): game i."""
        dropped = np.zeros(len(out), dtype=np.int32)
        for i in range(len(out)):
            dropped[i] = self.row(part_of(self.space, actions, i), functools.partial(view, i), out[i])
        return dropped


def orders_row(view: View, orders: Orders, out: I64) -> int:
    """Write orders to an exact row: armies per region, armies and place per edge. Return the number of illegal ones."""
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
    """Write preferred regions, best first, to an exact row (the best has the highest value); count illegal ones."""
    out[:] = 0
    offers, dropped = set(view.offers), 0
    preferred = list(preferences)
    for place, region in enumerate(preferred):
        if region in offers and out[region] == 0:
            out[region] = len(preferred) - place
        else:
            dropped += 1
    return dropped


def integer(value: Any, what: str) -> int:
    """Return the value as an integer, or raise an InputError that shows the value."""
    try:
        return operator.index(value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value)
    except Exception:  # methods of the caller's own object may raise anything
        raise InputError(f"{what} must be an integer, not {short_repr(value)}") from None
