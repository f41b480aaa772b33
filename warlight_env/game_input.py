"""Checks of the arguments of the methods of `Game`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from warlight_env.arguments import is_integer, seed_of, short_repr
from warlight_env.array_arguments import array_of
from warlight_env.engine.orders import Orders, preferences_of
from warlight_env.engine.rng import SEEDS
from warlight_env.step_results import GameError, IllegalOrder


def checked_seed(seed: Any) -> int:
    """Return a seed as an int; raise GameError unless it is an integer of fewer than 300 digits."""
    number = seed_of(seed, GameError)
    if abs(number) >= SEEDS:
        raise GameError("seed: must have fewer than 300 digits")
    return number


def check_player(player: Any, players: int) -> None:
    """Raise GameError unless `player` is one of a game's players."""
    if not is_integer(player) or not 0 <= player < players:
        raise GameError(f"player = {short_repr(player)}: this game has players 0 to {players - 1}")


def check_on_illegal(on_illegal: Any) -> None:
    """Raise GameError unless the argument is "raise" or "skip"."""
    if not isinstance(on_illegal, str) or on_illegal not in ("raise", "skip"):
        raise GameError(f"on_illegal = {short_repr(on_illegal)}: must be 'raise' or 'skip'")


def checked_script(script: Any) -> npt.NDArray[np.int64] | None:
    """Return the argument `script` of `Game.play_round`; raise GameError for an invalid array."""
    if script is None:
        return None
    array = array_of(script, "script")
    if array.dtype != np.int64 or array.ndim != 1 or len(array) < 2 or not array.flags.carray:
        raise GameError("script must be a contiguous, writeable array int64[1 + K] of a counter and K decisions")
    return array


def _by_player(mapping: Mapping[int, Any], name: str, players: int) -> dict[int, Any]:
    """Return a copy of a caller's mapping from players to values; raise GameError for unknown players."""
    try:
        copied = {player: mapping[player] for player in mapping}
    except Exception as error:  # a method of the caller's object may raise any exception
        raise GameError(f"{name}: the entries cannot be read: {type(error).__name__}") from None
    for player in copied:
        check_player(player, players)
    return copied


def orders_by_player(orders: Any, players: int) -> dict[int, Orders | None]:
    """Return the argument `orders` of `Game.play_round` as a dict; raise GameError for an invalid argument."""
    if isinstance(orders, Mapping):
        return _by_player(orders, "orders", players)
    if isinstance(orders, Orders) or not isinstance(orders, Sequence) or len(orders) != players:
        raise GameError(
            f"orders must be a list of {players} `Orders`, one for each player, or a dict with the `Orders` "
            "of each player"
        )
    return dict(enumerate(orders))


def preferences_by_player(preferences: Any, players: int, pickers: Collection[int]) -> dict[int, Any]:
    """Return the argument `preferences` of `Game.pick` as a dict; raise GameError for an invalid argument.

    pickers: the players who must pick.
    """
    if not isinstance(preferences, Mapping | None):
        raise GameError(
            f"preferences must be a dict with a list of regions for each player, not {short_repr(preferences)}"
        )
    by_player = {} if preferences is None else _by_player(preferences, "preferences", players)
    for player in by_player:
        if player not in pickers:
            raise GameError(f"player {player} cannot pick now; the players who must pick are {pickers}")
    return by_player


def legal_preferences(
    player: int, preferences: Any, offers: Collection[int], required: int, illegal: list[IllegalOrder]
) -> list[int]:
    """Return the regions of a player's list that the player may pick; append the illegal picks to `illegal`.

    required: the number of regions that the list must have; 0: any number.
    """
    legal: list[int] = []
    for index, region in enumerate(preferences_of(preferences, player)):
        if region in legal:
            illegal.append(IllegalOrder(player, "pick", index, (region,), "named twice"))
        elif region not in offers:
            illegal.append(IllegalOrder(player, "pick", index, (region,), "not offered to the player"))
        else:
            legal.append(region)
    if not illegal and len(legal) < required:
        reason = f"{required} regions must be named"
        illegal.append(IllegalOrder(player, "pick", len(legal), tuple(legal), reason))
    return legal
