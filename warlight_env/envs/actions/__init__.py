"""Action encodings: each one defines an action space, and converts actions to turns of a player and back.

The packages `envs`, `arena.policies` and `train` import this package. To add an encoding, write a subclass of
`base.ActionEncoding` and add it to `ENCODINGS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from warlight_env.arguments import accepts_arguments, short_repr
from warlight_env.engine.board import Board
from warlight_env.engine.rules import RuleParams
from warlight_env.envs.actions.base import ActionEncoding, free_regions
from warlight_env.envs.actions.continuous import ContinuousActions
from warlight_env.envs.actions.exact import submit_exact
from warlight_env.envs.actions.factored import FactoredActions
from warlight_env.envs.actions.kernels import CLOSED, OFFERED, OWN
from warlight_env.envs.actions.orders import OrdersActions
from warlight_env.envs.actions.steps import StepActions
from warlight_env.envs.actions.strategies import StrategyActions
from warlight_env.envs.actions.turns import Choice, InexpressibleError, Loss
from warlight_env.envs.arrays import fixed
from warlight_env.errors import InputError

#: The type of a function that makes an action encoding, given a board and the parameters of the rules. It may be a
#: subclass of `ActionEncoding` or a `functools.partial` of a subclass.
EncodingFactory = Callable[[Board, RuleParams], ActionEncoding]

ENCODINGS: Final[dict[str, EncodingFactory]] = {
    "orders": OrdersActions,
    "steps": StepActions,
    "factored": FactoredActions,
    "continuous": ContinuousActions,
    "strategies": StrategyActions,
}


def make_encoding(action: str | EncodingFactory, board: Board, params: RuleParams) -> ActionEncoding:
    """Return an action encoding. action: the name of an encoding in `ENCODINGS`, or a function that makes one."""
    if isinstance(action, str):
        if action not in ENCODINGS:
            raise InputError(f"action = {short_repr(action)}: must be one of {', '.join(ENCODINGS)}")
        action = ENCODINGS[action]
    if not callable(action) or not accepts_arguments(action, board, params):
        raise InputError(
            f"action = {short_repr(action)}: must be one of {', '.join(ENCODINGS)}, "
            "or a factory that takes a board and rules"
        )
    return _checked(action(board, params))


def _checked(encoding: ActionEncoding) -> ActionEncoding:
    """Return an action encoding after a check of its array sizes, because kernels do not check them.

    Raises InputError if the sizes contradict each other, or do not match the board.
    """
    if not isinstance(encoding, ActionEncoding):
        raise InputError(f"action: the factory made {short_repr(encoding)}, not an `ActionEncoding`")
    n, e, place = encoding.board.n_regions, encoding.board.n_edges, f"action {type(encoding).__name__}"
    for name in ("space", "mask_space"):
        if not hasattr(encoding, name):
            raise InputError(f"{place}: the class must define the attribute {name}")
    for name in ("limits", "config"):
        array = getattr(encoding, name)
        if not isinstance(array, np.ndarray) or array.dtype != np.int64 or array.ndim != 1 or len(array) < 1:
            raise InputError(f"{place}: {name} must be an array int64[K] with at least 1 entry")
    rows, width = encoding.mask_rows, encoding.row_width
    if (rows, width) != (0, 0) and (width < 1 or rows not in (n + e, n + 2 * e)):
        raise InputError(
            f"{place}: mask_rows = {rows}, row_width = {width}: "
            f"mask_rows must be {n + e} or {n + 2 * e}, and row_width at least 1"
        )
    if encoding.mask_size < 0 or (width and encoding.mask_size < rows * width):
        raise InputError(f"{place}: mask_size {encoding.mask_size} is too small for {rows} rows of width {width}")
    if encoding.submit is submit_exact:
        fits_board = len(encoding.limits) == n + 2 * e and encoding.limits[n + e :].max(initial=0) <= max(e, 1)
        if not fits_board or len(encoding.config) < 2:
            raise InputError(
                f"{place}: with `submit_exact`, `limits` needs one entry for each of {n} regions and two for each of "
                f"{e} edges; the last {e} entries (places in the order of attacks) must be at most {max(e, 1)}"
            )
    fixed(encoding.space)
    fixed(encoding.mask_space)
    return encoding


__all__ = [
    "CLOSED",
    "ENCODINGS",
    "OFFERED",
    "OWN",
    "ActionEncoding",
    "Choice",
    "ContinuousActions",
    "EncodingFactory",
    "FactoredActions",
    "InexpressibleError",
    "Loss",
    "OrdersActions",
    "StepActions",
    "StrategyActions",
    "free_regions",
    "make_encoding",
]
