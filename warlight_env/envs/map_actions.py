"""The learners' actions on many maps, read: padded as they come in, rows that kernels take to their maps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from warlight_env.agents.records.factored_turns import VALUES
from warlight_env.array_arguments import array_of, fitting, integer_array
from warlight_env.envs.actions.continuous import scores_of
from warlight_env.envs.core import ActionError
from warlight_env.envs.padding import Padding

I64 = npt.NDArray[np.int64]


class PaddedActions:
    """Reads actions of B games.

    Args:
        padding: how they lie.
        batch: B.
        seat: the learner's in a game, for errors.
    """

    def __init__(self, padding: Padding, batch: int, seat: Callable[[int], int]) -> None:
        self._padding, self._batch, self._seat = padding, batch, seat
        self._rows = np.zeros((batch, sum(padding.room)), np.int64)

    def read(self, actions: Any, acting: npt.NDArray[np.bool_], sizes: I64) -> tuple[I64, I64]:
        """Actions as rows int64[B, M] with room for any map, and what of them was illegal before, int64[B].

        acting: bool[B]; the actions of others do not matter. sizes: int64[B, 2], regions and edges of each game's map.

        Raises:
            InputError: actions of another shape or dtype; an ActionError where one is out of the space.
        """
        name, dropped = self._padding.action, np.zeros(self._batch, np.int64)
        if name == "continuous":
            return self._scores(actions, acting, sizes)
        if name == "factored":
            said = integer_array(actions, self._rows.shape, "actions")
            wide: I64 = fitting(said, "actions", np.int64, said.shape, self._rows)
            if wide.view(np.uint64).max(initial=0) >= VALUES:
                self._check(wide, VALUES, acting)
            return wide, dropped
        numbers = integer_array(actions, (self._batch,), "actions").astype(np.int64)
        self._check(numbers[:, None], self._padding.mask_size, acting)
        if name == "steps":
            numbers, dropped = self._padding.own_steps(numbers, sizes)
        return numbers[:, None].copy(), dropped

    def _scores(self, actions: Any, acting: npt.NDArray[np.bool_], sizes: I64) -> tuple[I64, I64]:
        values, shape, room = array_of(actions, "actions"), self._rows.shape, self._padding.room
        if values.shape == shape and not acting.all():
            values = np.where(acting[:, None], values, 0.0)
        rows = scores_of(values, shape, "actions")[0]
        there = np.concatenate([np.arange(most) < sizes[:, i, None] for i, most in enumerate(room)], axis=1)
        return rows, np.count_nonzero(((values < -1) | (values > 1)) & there, axis=1)

    def _check(self, values: I64, limit: int, acting: npt.NDArray[np.bool_]) -> None:
        wrong = ((values < 0) | (values >= limit)) & acting[:, None]
        if wrong.any():
            b, i = (int(k) for k in np.argwhere(wrong)[0])
            raise ActionError(b, self._seat(b), f"entry {i} is {values[b, i]}; it must lie in 0 .. {limit - 1}")
