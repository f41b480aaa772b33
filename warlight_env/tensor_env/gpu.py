"""The games of a `WarlightTensorEnv` on a GPU: one thread for each game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import cuda

from warlight_env.envs.actions import ActionEncoding
from warlight_env.envs.actions.kernels import mask_at, no_mask, submit_at
from warlight_env.envs.core import EnvCore
from warlight_env.envs.restarting_games import Seats, finish, observe, play, submit_bots, submit_learners
from warlight_env.envs.step import GameBatch
from warlight_env.tensor_env import toolkit
from warlight_env.tensor_env.games import Bot, DeviceGames, action_type
from warlight_env.tensor_env.launching import Launcher
from warlight_env.tensor_env.linking import Linker, device_function
from warlight_env.tensor_env.records import mapped, row_reader, size_of

#: The nested NamedTuples in column layout: the game is the last axis of their arrays in memory, so that neighbouring
#: threads read neighbouring numbers. In all other arrays the numbers of one game are neighbours in memory; JAX reads
#: observations without a copy only in this layout.
COLUMNS: Final = ("state", "turns", "work")


class Sources(NamedTuple):
    """The kernels of a batch as Python functions for CUDA, and the names of the fields that they read."""

    submit: Callable[..., Any]  #: (games, seats, actions)
    bots: tuple[Callable[..., Any], ...]  #: (games, seats, number), one for each opponent
    play: Callable[..., Any]  #: (games, seats)
    observe: Callable[..., Any]  #: (games, seats, opening)
    finish: Callable[..., Any]  #: (games, seats)
    names: set[str]
    digest: Callable[..., str]  #: see `Linker.digest`


def make_kernels(encoding: ActionEncoding, bots: Sequence[Bot], work: Any) -> Sources:
    """Return the kernels for an action encoding and compiled bots. Equal arguments give the same functions.

    work: the working memory of one thread.
    """
    key = encoding.submit, encoding.write_mask or no_mask, tuple((bot.policy, bot.pick) for bot in bots)
    if key not in _cached_sources:
        _cached_sources[key] = _make_kernels(*key, work)
    return _cached_sources[key]


#: All results of `make_kernels` in this process.
_cached_sources: dict[Any, Sources] = {}


def _make_kernels(submit_row: Any, write_mask: Any, bots: tuple[tuple[Any, Any], ...], work: Any) -> Sources:
    linker = Linker({submit_at: submit_row, mask_at: write_mask})
    device = linker.device
    submit_game, play_game = device(submit_learners), device(play)
    observe_game, finish_game = device(observe), device(finish)
    players = [(device(submit_bots), device(policy), device(pick)) for policy, pick in bots]
    rows = device_function(row_reader(mapped(work, lambda array: array, linker.names)))

    @device_function
    def thread_batch(games: Any, b: int) -> Any:
        """Return the batch with the working memory of thread b."""
        return GameBatch(
            games.context, games.settings, games.submit_address, games.mask_address, games.config, games.limits,
            games.state, games.out, games.turns, games.bits, rows(games.work, b),
        )  # fmt: skip

    def submit(games: Any, seats: Any, actions: Any) -> None:
        b = cuda.grid(1)
        if b < actions.shape[0]:
            submit_game(thread_batch(games, b), seats, actions, b)

    def play_rounds(games: Any, seats: Any) -> None:
        b = cuda.grid(1)
        if b < seats.ended.shape[0]:
            play_game(thread_batch(games, b), seats, b)

    def observe_games(games: Any, seats: Any, opening: bool) -> None:
        b = cuda.grid(1)
        if b < seats.ended.shape[0]:
            observe_game(thread_batch(games, b), seats, opening, b)

    def finish_games(games: Any, seats: Any) -> None:
        b = cuda.grid(1)
        if b < seats.ended.shape[0]:
            finish_game(thread_batch(games, b), seats, b)

    def bot_kernel(submit_turns: Any, policy: Any, pick: Any) -> Callable[..., Any]:
        def submit_bot(games: Any, seats: Any, number: int) -> None:
            b = cuda.grid(1)
            if b < seats.ended.shape[0]:
                submit_turns(thread_batch(games, b), seats, games.context, policy, pick, number, b)

        return submit_bot

    kernels = tuple(bot_kernel(*functions) for functions in players)
    return Sources(submit, kernels, play_rounds, observe_games, finish_games, linker.names, linker.digest)


class Call(NamedTuple):
    """A CUDA kernel and its arguments."""

    function: Callable[..., Any]
    key: str  #: see `Launcher`
    fixed: tuple[Any, ...]  #: the first arguments
    example: tuple[Any, ...] = ()  #: values of the other arguments; they determine Numba's types


class Calls(NamedTuple):
    """The kernels of a step, and their arguments: nested NamedTuples of arrays."""

    submit: Call
    bots: tuple[Call, ...]
    play: Call
    observe: tuple[Call, Call]  #: for played games, and for new games
    finish: Call
    games: Any
    seats: Any
    bytes_per_game: int


class Placement(NamedTuple):
    """Functions that place arrays in the memory of a device."""

    shared: Callable[[npt.NDArray[Any]], Any]  #: places an array that all games read
    rows: Callable[[npt.NDArray[Any], bool], Any]  #: places a row for each game; True: in column layout, see `COLUMNS`


def make_calls(core: EnvCore, seats: Seats, bots: Sequence[Bot], memory: Placement) -> Calls:
    """Make the kernels of a step, and place their arguments in memory.

    core: an `EnvCore` with one game and a slot for each player.
    """
    sources = make_kernels(core.encoding, bots, core.work)
    names = sources.names
    submit, mask = core.encoding.submit, core.encoding.write_mask or no_mask
    batch: Any = core.game_batch_for(0, 0)
    seat_tree: Any = seats
    trees = {name: mapped(getattr(batch, name), unchanged) for name in ("state", "out", "turns")}
    trees["work"] = mapped(batch.work, lambda array: array[None], names)
    trees["seats"] = mapped(seat_tree, unchanged)

    def place(name: str) -> Any:
        return mapped(trees[name], lambda array: memory.rows(array[0], name in COLUMNS))

    def share(tree: Any) -> Any:
        return mapped(tree, memory.shared, names)

    seat_tree = place("seats")
    games = share(batch._replace(state=0, out=0, turns=0, work=0))._replace(
        state=place("state"), out=place("out"), turns=place("turns"), work=place("work")
    )
    actions = memory.shared(np.zeros((1, core.slots, core.row_size), dtype=action_type(core)))
    return Calls(
        Call(sources.submit, f"submit {sources.digest(submit_learners, submit)}", (games, seat_tree), (actions,)),
        tuple(
            Call(
                source, f"bot {sources.digest(submit_bots, bot.policy, bot.pick)}",
                (games._replace(context=share(bot.context)), seat_tree, k),
            )
            for k, (source, bot) in enumerate(zip(sources.bots, bots, strict=True))
        ),
        Call(sources.play, f"play {sources.digest(play)}", (games, seat_tree)),
        (
            Call(sources.observe, f"observe {sources.digest(observe, mask)}", (games, seat_tree, False)),
            Call(sources.observe, f"observe {sources.digest(observe, mask)}", (games, seat_tree, True)),
        ),
        Call(sources.finish, f"finish {sources.digest(finish)}", (games, seat_tree)),
        games, seat_tree, sum(map(size_of, trees.values())),
    )  # fmt: skip


class GpuGames(DeviceGames):
    """`batch` copies of the game of an `EnvCore` with one game. The `EnvCore` must have a slot for each player.

    Raises DeviceError if there is no GPU, or if its memory is too small.
    """

    def __init__(self, core: EnvCore, seats: Seats, bots: Sequence[Bot], batch: int) -> None:
        toolkit.require()
        self._batch = batch
        host = Placement(unchanged, lambda row, columns: row[None])
        #: The number of bytes that a game needs in the memory of the GPU.
        self.bytes_per_game = make_calls(core, seats, bots, host).bytes_per_game
        toolkit.check_memory(batch, self.bytes_per_game)
        calls = make_calls(core, seats, bots, Placement(upload, lambda row, columns: allocate(row, batch, columns)))
        self.games, self.seats = calls.games, calls.seats
        self._submit, self._play, self._finish = (Launcher(*call) for call in (calls.submit, calls.play, calls.finish))
        self._observe, self._open = (Launcher(*call) for call in calls.observe)
        self._bots = [Launcher(*bot) for bot in calls.bots]

    def tensor(self, array: Any) -> Any:
        return tensor_of(array)

    def restart(self) -> None:
        self.tensor(self.seats.played).zero_()
        self._finish(self._batch)
        self._open(self._batch)

    def step(self, actions: Any) -> None:
        self._submit(self._batch, actions.numpy() if toolkit.simulated() else cuda.as_cuda_array(actions))
        for launch in (*self._bots, self._play, self._observe, self._finish, self._open):
            launch(self._batch)


def tensor_of(array: Any) -> Any:
    """Return a PyTorch tensor that shares the memory of an array in the memory of the GPU."""
    import torch

    return torch.from_numpy(array) if toolkit.simulated() else torch.as_tensor(array, device="cuda")


def allocate(row: npt.NDArray[Any], batch: int, columns: bool) -> Any:
    """Return an array [batch, *row.shape] in the memory of the GPU, with `row` for each game.

    columns: whether the games are the last axis in memory.
    """
    if toolkit.simulated():
        return np.repeat(row[None], batch, axis=0)
    size, count = row.dtype.itemsize, row.size
    content = _bytes_of(row).reshape(count, size)
    if columns and count > 1:
        memory = content[:, None].expand(count, batch, size).contiguous()
        strides = (size, *(step * batch for step in _steps(row)))
    else:
        memory = content[None].expand(batch, count, size).contiguous()
        strides = (count * size, *_steps(row))
    return _array_at(memory, (batch, *row.shape), row.dtype, strides)


def upload(array: npt.NDArray[Any]) -> Any:
    """Copy an array to the memory of the GPU in PyTorch's current stream, and return the copy."""
    if toolkit.simulated():
        return np.array(array)
    return _array_at(_bytes_of(array), array.shape, array.dtype, _steps(array))


def _bytes_of(array: npt.NDArray[Any]) -> Any:
    """Return the content of an array as a tensor uint8 in the memory of the GPU."""
    import torch

    return torch.from_numpy(np.require(array, requirements=("C", "W")).reshape(-1).view(np.uint8)).cuda()


def _array_at(memory: Any, shape: tuple[int, ...], dtype: np.dtype[Any], strides: tuple[int, ...]) -> Any:
    """Return the memory of a tensor as an array of Numba. strides: in bytes."""
    description = {
        "shape": shape, "typestr": dtype.str, "data": (memory.data_ptr(), False), "strides": strides, "version": 3,
    }  # fmt: skip
    return cuda.from_cuda_array_interface(description, owner=memory)


def _steps(row: npt.NDArray[Any]) -> tuple[int, ...]:
    """Return the strides, in bytes, of a contiguous array with the shape and dtype of `row`."""
    return np.ascontiguousarray(row).strides if row.ndim else ()


def unchanged(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the array itself."""
    return array
