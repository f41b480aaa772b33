"""Log-probabilities of turns, with gradients: in compiled code on the processor, in PyTorch on other devices.

Rows of 32 numbers are too small for PyTorch on a processor: memory and calls take most of its time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Generic, Protocol, TypeVar

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from warlight_env.agents.context import Context
from warlight_env.agents.records.turn_record import SHAPES, TurnNetwork, blank_turn_network, make_turn_net_work
from warlight_env.thread_ownership import SingleThreaded
from warlight_env.train.common.threads import in_threads
from warlight_env.train.turn_net.batches import TurnRows, make_batch
from warlight_env.train.turn_net.forward import tell_turns
from warlight_env.train.turn_net.gradients import add_gradients
from warlight_env.train.turn_net.loss import TurnChances, turn_chances
from warlight_env.train.turn_net.module import BoardTensors, TurnModule, board_tensors
from warlight_env.train.turn_net.tape import (
    Tape,
    ToldTurns,
    fits,
    make_back_work,
    make_gradient,
    make_tape,
    make_told,
    make_turned,
    total_gradient,
    turn_over,
)

T = TypeVar("T")

#: Number of turns in a part. Gradients are summed inside a part, then over all parts. So the result does not depend on
#: the number of threads.
_PART: Final = 128


class TurnPass(Protocol):
    """Evaluates a network on turns of one place, so that PyTorch can compute gradients."""

    players: int  #: number of players of the place

    def chances(self, module: TurnModule, rows: TurnRows) -> TurnChances:
        """Return log-probabilities, entropies and scores of these turns."""


def turn_pass(context: Context, device: str | torch.device, threads: int = 1) -> TurnPass:
    """Return the fastest pass for a device.

    Args:
        context: context of the place; its network is not used.
        device: device of PyTorch.
        threads: number of threads of compiled code; results do not depend on it.
    """
    return CompiledPass(context, threads) if torch.device(device).type == "cpu" else TorchPass(context, device)


class TorchPass(SingleThreaded):
    """The pass in PyTorch, see `loss.turn_chances`."""

    exclusive_methods = ("chances",)

    def __init__(self, context: Context, device: str | torch.device) -> None:
        board = context.board
        self._context, self._device, self.players = context, torch.device(device), context.players
        self._work = make_turn_net_work(board.n_regions, board.n_edges, context.players)
        self._board = BoardTensors(*(tensor.to(self._device) for tensor in board_tensors(board)))

    def chances(self, module: TurnModule, rows: TurnRows) -> TurnChances:
        """See `TurnPass`."""
        return turn_chances(module, self._board, make_batch(self._context, self._work, rows).to(self._device))


class _Kept(Generic[T]):
    """A pool of working memory. It reuses records, because a new record costs as much time as several turns."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make, self._free = make, list[T]()

    def take(self) -> T:
        """Return a free record, or a new one."""
        try:
            return self._free.pop()
        except IndexError:
            return self._make()

    def put_back(self, used: T) -> None:
        """Return a record to the pool."""
        self._free.append(used)


class _Tapes:
    """The tape that was used last.

    A tape of a thousand turns takes some ten megabytes, and allocation is slow. There may be many places, so only one
    tape is kept.
    """

    def __init__(self) -> None:
        self._last: list[Tape] = []

    def take(self, size: int, context: Context) -> Tape:
        """Return a tape with room for `size` turns of a place."""
        try:
            tape = self._last.pop()  # an atomic operation: two threads never take the same tape
        except IndexError:
            tape = None
        n, e, players = context.board.n_regions, context.board.n_edges, context.players
        if tape is not None and fits(tape, size, n, e, players):
            return tape
        return make_tape(size, n, e, players)

    def put_back(self, used: Tape) -> None:
        """Keep this tape for the next call."""
        self._last[:] = [used]


_TAPES: Final = _Tapes()


class CompiledPass(SingleThreaded):
    """The pass in compiled kernels."""

    exclusive_methods = ("tell", "gradients")

    def __init__(self, context: Context, threads: int) -> None:
        self._threads, self.players = threads, context.players
        self._network = blank_turn_network()
        self._context = context._replace(turns=self._network)
        board = context.board
        n, e = board.n_regions, board.n_edges
        self._turned = make_turned()
        self._work = _Kept(lambda: make_turn_net_work(n, e, context.players))
        self._back, self._gradients = _Kept(lambda: make_back_work(n, e)), _Kept(make_gradient)

    def chances(self, module: TurnModule, rows: TurnRows) -> TurnChances:
        """See `TurnPass`."""
        return TurnChances(*_Compiled.apply(self, rows, *(getattr(module, name) for name in SHAPES)))

    def tell(self, parameters: tuple[Tensor, ...], rows: TurnRows) -> tuple[ToldTurns, Tape]:
        """Return the arrays of `TurnChances`, and the tape for the gradient."""
        for name, parameter in zip(SHAPES, parameters, strict=True):
            np.copyto(getattr(self._network, name), parameter.detach().numpy())
        size = len(rows.round)
        told, tape = make_told(size, self.players), _TAPES.take(size, self._context)

        def tell(number: int) -> None:
            low, work = number * _PART, self._work.take()
            tell_turns(self._context, rows, low, min(size, low + _PART), work, tape, told)
            self._work.put_back(work)

        self._in_parts(tell, size)
        return told, tape

    def gradients(self, rows: TurnRows, tape: Tape, given: ToldTurns) -> list[Tensor]:
        """Return the gradients of all parameters, given the derivatives by the outputs."""
        size = len(rows.round)
        turn_over(self._network, self._turned)

        def add(number: int) -> TurnNetwork:
            low, work, gradient = number * _PART, self._back.take(), self._gradients.take()
            add_gradients(
                self._context, self._turned, rows, low, min(size, low + _PART), tape, given, work, gradient
            )  # fmt: skip
            self._back.put_back(work)
            return gradient

        parts = self._in_parts(add, size)
        totals = total_gradient(parts)
        for part in parts:
            self._gradients.put_back(part)
        return [torch.from_numpy(total) for total in totals]

    def _in_parts(self, work: Any, size: int) -> list[Any]:
        return in_threads(work, range((size + _PART - 1) // _PART), self._threads)


class _Compiled(torch.autograd.Function):
    """The autograd function of a `CompiledPass`."""

    @staticmethod
    def forward(ctx: Any, compiled: CompiledPass, rows: TurnRows, *parameters: Tensor) -> tuple[Tensor, ...]:
        told, tape = compiled.tell(parameters, rows)
        if any(ctx.needs_input_grad):
            ctx.save_for_backward(*parameters)  # detects a parameter that changes before the backward pass
            ctx.compiled, ctx.rows, ctx.tape = compiled, rows, tape
        else:
            _TAPES.put_back(tape)
        return tuple(map(torch.from_numpy, told))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *given: Tensor) -> tuple[Tensor | None, ...]:
        compiled, tape = ctx.compiled, ctx.tape
        if tape is None:
            raise RuntimeError("the gradient of these turns was asked for already")
        ctx.saved_tensors  # noqa: B018 -- raises if
        ctx.tape = None
        found = compiled.gradients(ctx.rows, tape, ToldTurns(*(part.contiguous().numpy() for part in given)))
        _TAPES.put_back(tape)
        return None, None, *found
