"""The games of a `WarlightTensorEnv` on a GPU: one thread for each game."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from numba import cuda

from warlight_env.agents.players.compiled import CompiledBot
from warlight_env.envs.core import EnvCore
from warlight_env.envs.restarting_games import Seats
from warlight_env.tensor_env import toolkit
from warlight_env.tensor_env.cuda_kernels import make_kernels
from warlight_env.tensor_env.games import DeviceGames, action_type
from warlight_env.tensor_env.launching import Launcher
from warlight_env.tensor_env.records import mapped, size_of

#: The trees whose arrays have the game as the last axis in memory, so that neighbouring threads read neighbouring
#: numbers. In the arrays of the other trees the numbers of one game are together.
COLUMNS: Final[frozenset[str]] = frozenset()


class GpuGames(DeviceGames):
    """`batch` copies of the game of an `EnvCore` with one game. The `EnvCore` must have a slot for each player.

    Raises DeviceError if there is no GPU, or if its memory is too small.
    """

    def __init__(
        self,
        core: EnvCore,
        seats: Seats,
        bots: Sequence[CompiledBot],
        batch: int,
        columns: Collection[str] = COLUMNS,
    ) -> None:
        toolkit.require()
        self._batch = batch
        sources = make_kernels(core.encoding, bots, core.work)
        names = sources.names
        games: Any = core.game_batch_for(0, 0)
        trees = {name: mapped(getattr(games, name), _same) for name in ("state", "out", "turns")}
        trees["work"] = mapped(games.work, lambda array: array[None], names)
        trees["seats"] = mapped(seats._replace(bots=0), _same)
        #: The number of bytes that a game needs in the memory of the GPU.
        self.bytes_per_game = sum(map(size_of, trees.values()))
        toolkit.check_memory(batch, self.bytes_per_game)
        placed = {
            name: mapped(tree, lambda array, name=name: allocate(array[0], batch, name in columns))
            for name, tree in trees.items()
        }
        upload: Any = np.array if toolkit.simulated() else cuda.to_device
        self.seats = placed.pop("seats")._replace(bots=upload(seats.bots))
        fixed = mapped(games._replace(state=0, out=0, turns=0, work=0), upload, names)
        self.games = fixed._replace(**placed)
        self._failed = upload(np.full(1, -1, dtype=np.int64))
        bot_games = self.games._replace(context=mapped(core.bots_context, upload, names))
        rows = upload(np.zeros((1, core.slots, core.row_size), dtype=action_type(core)))
        self._submit = Launcher(sources.submit, f"submit {sources.key}", (self.games, self.seats), (rows,))
        self._bots = [
            Launcher(bot, f"bot {k} {sources.key}", (bot_games, self.seats, k)) for k, bot in enumerate(sources.bots)
        ]
        self._finish = Launcher(sources.finish, f"finish {sources.key}", (self.games, self.seats))
        self._restart = Launcher(sources.restart, f"restart {sources.key}", (self.games, self.seats, self._failed))

    def tensor(self, array: Any) -> Any:
        import torch

        return torch.from_numpy(array) if toolkit.simulated() else torch.as_tensor(array, device="cuda")

    def restart(self) -> None:
        self._restart(self._batch)

    def step(self, actions: Any) -> None:
        self._submit(self._batch, actions.numpy() if toolkit.simulated() else cuda.as_cuda_array(actions))
        for bot in self._bots:
            bot(self._batch)
        self._finish(self._batch)
        self._restart(self._batch)

    def failed(self) -> int:
        marked = self.tensor(self._failed)
        failed = int(marked[0])
        if failed >= 0:
            marked.fill_(-1)
        return failed


def allocate(row: npt.NDArray[Any], batch: int, columns: bool) -> Any:
    """Return an array [batch, *row.shape] in the memory of the GPU, with `row` for each game.

    columns: whether the games are the last axis in memory.
    """
    if toolkit.simulated():
        return np.repeat(row[None], batch, axis=0)
    import torch

    size, count = row.dtype.itemsize, row.size
    content = torch.from_numpy(np.ascontiguousarray(row).reshape(-1).view(np.uint8).copy()).cuda().reshape(count, size)
    if columns and count > 1:
        memory = content[:, None].expand(count, batch, size).contiguous()
        strides = (size, *(step * batch for step in _steps(row)))
    else:
        memory = content[None].expand(batch, count, size).contiguous()
        strides = (count * size, *_steps(row))
    description = {
        "shape": (batch, *row.shape), "typestr": row.dtype.str, "data": (memory.data_ptr(), False), "strides": strides,
        "version": 3,
    }  # fmt: skip
    return cuda.from_cuda_array_interface(description, owner=memory)


def _steps(row: npt.NDArray[Any]) -> tuple[int, ...]:
    """Return the strides, in bytes, of a contiguous array with the shape and dtype of `row`."""
    return np.ascontiguousarray(row).strides if row.ndim else ()


def _same(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return array
