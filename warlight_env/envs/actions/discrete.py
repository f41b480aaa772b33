"""The base class of action encodings with a Discrete space: an action is one integer, and a kernel writes the mask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from warlight_env.array_arguments import integer_array
from warlight_env.engine.board import Board
from warlight_env.engine.rules import RuleParams
from warlight_env.engine.view import View
from warlight_env.envs.actions.base import I8, ActionEncoding, integer
from warlight_env.envs.actions.turns import I64
from warlight_env.errors import InputError


class DiscreteEncoding(ActionEncoding):
    """An action encoding with the space Discrete(`size`)."""

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

    def rows(self, actions: Any, view: Callable[[int], View], out: I64) -> npt.NDArray[np.int32]:
        out[:, 0] = integer_array(actions, (len(out),), "actions")
        return np.zeros(len(out), dtype=np.int32)
