"""The games of a `WarlightTensorEnv` on a GPU: one thread for each game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.agents.players.compiled import CompiledBot
from warlight_env.envs.core import EnvCore
from warlight_env.envs.restarting_games import Seats
from warlight_env.tensor_env import toolkit
from warlight_env.tensor_env.cuda_kernels import make_kernels
from warlight_env.tensor_env.games import DeviceGames
from warlight_env.tensor_env.records import mapped

#: The number of threads in a block.
THREADS: Final = 64


class GpuGames(DeviceGames):
    """Copies of the games of an `EnvCore` with one game, for `batch` games. The `EnvCore` must have a slot per player.

    Raises DeviceError if there is no GPU, or if its memory is too small.
    """

    def __init__(self, core: EnvCore, seats: Seats, bots: Sequence[CompiledBot], batch: int) -> None:
        toolkit.require()
        from numba import cuda

        self._batch, self._cuda = batch, cuda
        sources = make_kernels(core.encoding, bots, core.work)
        names = sources.names
        upload: Any = np.array if toolkit.simulated() else cuda.to_device

        def per_game(array: npt.NDArray[Any]) -> Any:
            return upload(np.repeat(array, batch, axis=0))

        def per_thread(array: npt.NDArray[Any]) -> Any:
            shape = (batch, *array.shape)
            return np.zeros(shape, array.dtype) if toolkit.simulated() else cuda.device_array(shape, array.dtype)

        games: Any = core.game_batch
        fixed = mapped(games._replace(state=0, out=0, turns=0, work=0), upload, names)
        self.games = fixed._replace(
            state=mapped(games.state, per_game), out=mapped(games.out, per_game),
            turns=mapped(games.turns, per_game), work=mapped(games.work, per_thread, names),
        )  # fmt: skip
        self.seats = mapped(seats, per_game)._replace(bots=upload(seats.bots))
        self._bot_games = self.games._replace(context=mapped(core.bots_context, upload, names))
        self._failed = upload(np.full(1, -1, dtype=np.int64))
        self._jitted = {name: cuda.jit(getattr(sources, name)) for name in ("restart", "submit", "finish")}
        self._bots = [cuda.jit(source) for source in sources.bots]

    def _run(self, kernel: Any, *arguments: Any) -> None:
        blocks = -(-self._batch // THREADS)
        with toolkit.compiling():
            kernel[blocks, THREADS](*arguments)

    def tensor(self, array: Any) -> Any:
        import torch

        return torch.from_numpy(array) if toolkit.simulated() else torch.as_tensor(array, device="cuda")

    def restart(self) -> None:
        self._run(self._jitted["restart"], self.games, self.seats, self._failed)

    def step(self, actions: Any) -> None:
        rows = actions.numpy() if toolkit.simulated() else self._cuda.as_cuda_array(actions)
        self._run(self._jitted["submit"], self.games, self.seats, rows)
        for number, bot in enumerate(self._bots):
            self._run(bot, self._bot_games, self.seats, number)
        self._run(self._jitted["finish"], self.games, self.seats)
        self.restart()

    def failed(self) -> int:
        marked = self.tensor(self._failed)
        failed = int(marked[0])
        if failed >= 0:
            marked.fill_(-1)
        return failed
