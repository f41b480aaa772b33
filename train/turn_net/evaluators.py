"""Log-probabilities of turns, with gradients: in compiled code on the CPU, in PyTorch on other devices.

On a CPU, PyTorch is slow for rows of 32 numbers, because memory accesses and calls take most of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, Protocol, TypeVar

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from warlight_env.agents.context import Context
from warlight_env.agents.records.turn_record import (
    LAYERS,
    SHAPES,
    TurnNetwork,
    blank_turn_network,
    layers_of,
    make_turn_network_buffers,
    shapes_of,
)
from warlight_env.thread_ownership import SingleThreaded
from warlight_env.train.common.threads import in_threads
from warlight_env.train.turn_net.activations import (
    Activations,
    TurnOutputs,
    fits,
    make_activations,
    make_backward_work,
    make_gradient,
    make_outputs,
    make_transposed,
    total_gradient,
    transpose_weights,
)
from warlight_env.train.turn_net.batches import TurnRows, make_batch
from warlight_env.train.turn_net.device_features import TurnInputs
from warlight_env.train.turn_net.forward import evaluate_turns
from warlight_env.train.turn_net.gradients import add_gradients
from warlight_env.train.turn_net.loss import TurnLogProbs, turn_log_probs
from warlight_env.train.turn_net.module import BoardTensors, TurnModule, board_tensors

T = TypeVar("T")

#: The number of turns that a thread computes together. Gradients are summed inside each such group, and then over all
#: groups, so the rounded result does not depend on the number of threads.
_PART: Final = 128


class TurnEvaluator(Protocol):
    """Computes log-probabilities of turns under a network, with gradients, for one map, rules and number of players."""

    players: int  #: number of players of the game config

    def log_probs(self, module: TurnModule, rows: TurnRows) -> TurnLogProbs:
        """Return the log-probabilities and entropies of the turns in `rows`, and the scores of the players."""


class TensorEvaluator(SingleThreaded):
    """The evaluator in PyTorch, on any device, see `loss.turn_log_probs`. The fields of the `TurnRows` are tensors.

    Each call overwrites the inputs of the previous call, so compute the gradients of a call before the next call.

    Args:
        context: the context of the game config; its network is not used.
        size: the largest number of turns.
        device: "cpu" or "cuda".

    Attributes:
        inputs: computes the network's inputs for up to `size` positions.
        board: the tensors of the map, on the device.

    Raises DeviceError if there is no GPU.
    """

    exclusive_methods = ("log_probs",)

    def __init__(self, context: Context, size: int, device: str) -> None:
        self.inputs, self.players = TurnInputs(context, size, device), context.players
        self.board = BoardTensors(*(tensor.to(device) for tensor in board_tensors(context.board)))

    def log_probs(self, module: TurnModule, rows: TurnRows) -> TurnLogProbs:
        """See `TurnEvaluator`."""
        return turn_log_probs(module, self.board, make_batch(self.inputs, rows))


class _Pool(Generic[T]):
    """A pool of objects with working memory, which threads use again. The allocation of new working memory takes as
    much time as several turns."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make, self._free = make, list[T]()

    def take(self) -> T:
        """Return an unused object of the pool, or a new one."""
        try:
            return self._free.pop()
        except IndexError:
            return self._make()

    def put_back(self, item: T) -> None:
        """Give an object back to the pool."""
        self._free.append(item)


class _LastActivations:
    """Stores the activations of the last call, so that the next call can use their memory again.

    The activations of a thousand turns take about ten megabytes, and allocation is slow. Only the activations of one
    game config are stored, because a run may have many game configs.
    """

    def __init__(self) -> None:
        self._last: list[Activations] = []

    def take(self, size: int, context: Context) -> Activations:
        """Return activations that are large enough for `size` turns of a game config, by the context's network."""
        try:
            activations = self._last.pop()  # an atomic operation: two threads never get the same activations
        except IndexError:
            activations = None
        sizes = context.board.n_regions, context.board.n_edges, context.players, layers_of(context.turns)
        if activations is not None and fits(activations, size, *sizes):
            return activations
        return make_activations(size, *sizes)

    def put_back(self, activations: Activations) -> None:
        """Store activations, so that the next call can use their memory."""
        self._last[:] = [activations]


_LAST: Final = _LastActivations()


class CompiledEvaluator(SingleThreaded):
    """The evaluator in compiled kernels."""

    exclusive_methods = ("evaluate", "gradients")

    def __init__(self, context: Context, threads: int) -> None:
        self._threads, self.players = threads, context.players
        board = context.board
        n, e = board.n_regions, board.n_edges
        self._work = _Pool(lambda: make_turn_network_buffers(n, e, context.players))
        self._back = _Pool(lambda: make_backward_work(n, e))
        self._context, self._layers = context, 0
        self._set_layers(LAYERS)

    def _take(self, parameters: Sequence[Tensor]) -> None:
        """Copy the parameters of a network, in the order of `SHAPES`."""
        by_name = dict(zip(SHAPES, parameters, strict=True))
        self._set_layers(len(by_name["own"]))
        for name, parameter in by_name.items():
            np.copyto(getattr(self._network, name), parameter.detach().numpy())

    def _set_layers(self, layers: int) -> None:
        """Allocate the arrays whose sizes depend on the network's number of layers."""
        if layers != self._layers:
            self._layers, self._network = layers, blank_turn_network(shapes_of(layers))
            self._context = self._context._replace(turns=self._network)
            self._transposed, self._gradients = make_transposed(layers), _Pool(lambda: make_gradient(layers))

    def log_probs(self, module: TurnModule, rows: TurnRows) -> TurnLogProbs:
        """See `TurnEvaluator`."""
        return TurnLogProbs(*_Compiled.apply(self, rows, *(getattr(module, name) for name in SHAPES)))

    def evaluate(self, parameters: Sequence[Tensor], rows: TurnRows) -> tuple[TurnOutputs, Activations]:
        """Return the arrays of `TurnLogProbs`, and the activations for the backward pass."""
        self._take(parameters)
        size = len(rows.round)
        outputs, activations = make_outputs(size, self.players), _LAST.take(size, self._context)

        def evaluate(number: int) -> None:
            low, work = number * _PART, self._work.take()
            evaluate_turns(self._context, rows, low, min(size, low + _PART), work, activations, outputs)
            self._work.put_back(work)

        self._in_parts(evaluate, size)
        return outputs, activations

    def gradients(
        self, parameters: Sequence[Tensor], rows: TurnRows, activations: Activations, derivatives: TurnOutputs
    ) -> list[Tensor]:
        """Return the gradients of all parameters. derivatives: those of the loss with respect to the outputs."""
        self._take(parameters)
        size = len(rows.round)
        transpose_weights(self._network, self._transposed)

        def add(number: int) -> TurnNetwork:
            low, work, gradient = number * _PART, self._back.take(), self._gradients.take()
            add_gradients(
                self._context, self._transposed, rows, low, min(size, low + _PART), activations, derivatives, work,
                gradient,
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
    """The autograd function of a `CompiledEvaluator`."""

    @staticmethod
    def forward(ctx: Any, compiled: CompiledEvaluator, rows: TurnRows, *parameters: Tensor) -> tuple[Tensor, ...]:
        outputs, activations = compiled.evaluate(parameters, rows)
        if any(ctx.needs_input_grad):
            ctx.save_for_backward(*parameters)
            ctx.compiled, ctx.rows, ctx.activations = compiled, rows, activations
        else:
            _LAST.put_back(activations)
        return tuple(map(torch.from_numpy, outputs))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *output_gradients: Tensor) -> tuple[Tensor | None, ...]:
        compiled, activations = ctx.compiled, ctx.activations
        if activations is None:
            raise RuntimeError("the gradient of these turns was already computed")
        parameters = ctx.saved_tensors  # raises an error if a parameter has changed
        ctx.activations = None
        derivatives = TurnOutputs(*(part.contiguous().numpy() for part in output_gradients))
        gradients = compiled.gradients(parameters, ctx.rows, activations, derivatives)
        _LAST.put_back(activations)
        return None, None, *gradients
