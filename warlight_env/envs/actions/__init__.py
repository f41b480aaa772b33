"""Action encodings: how a player's turn becomes an action of a Gymnasium space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from warlight_env.engine.board import Board
from warlight_env.engine.rules import RuleParams
from warlight_env.envs.actions.base import ActionEncoding, Choice, InexpressibleError, free_regions
from warlight_env.envs.actions.continuous import ContinuousActions
from warlight_env.envs.actions.factored import FactoredActions
from warlight_env.envs.actions.kernels import CLOSED, OFFERED, OWN
from warlight_env.envs.actions.orders import OrdersActions
from warlight_env.envs.actions.steps import StepActions
from warlight_env.envs.actions.strategies import StrategyActions

#: Makes an encoding for a board and a rules record: an `ActionEncoding` class, or a partial of one.
EncodingFactory = Callable[[Board, RuleParams], ActionEncoding]

ENCODINGS: Final[dict[str, EncodingFactory]] = {
    "orders": OrdersActions,
    "steps": StepActions,
    "factored": FactoredActions,
    "continuous": ContinuousActions,
    "strategies": StrategyActions,
}


def make_encoding(action: str | EncodingFactory, board: Board, params: RuleParams) -> ActionEncoding:
    """The encoding of that name, or made by that factory."""
    if isinstance(action, str):
        if action not in ENCODINGS:
            raise ValueError(f"action = {action!r}: there are {', '.join(ENCODINGS)}")
        action = ENCODINGS[action]
    if not callable(action):
        raise ValueError(f"action = {action!r}: must be {', '.join(ENCODINGS)} or a factory")
    return action(board, params)


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
    "OrdersActions",
    "StepActions",
    "StrategyActions",
    "free_regions",
    "make_encoding",
]
