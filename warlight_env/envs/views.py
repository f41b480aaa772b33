"""Functions that make views, masks and pictures of the games of an `EnvCore`, for players and for custom functions."""

from __future__ import annotations

import sys
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from warlight_env.arguments import index, short_repr
from warlight_env.engine.state import PLAY, State
from warlight_env.engine.view import View, view_of
from warlight_env.envs.actions.kernels import OFFERED
from warlight_env.envs.arrays import selected
from warlight_env.envs.core_protocol import Core
from warlight_env.envs.custom_functions import Games, PlayerViews, read_only
from warlight_env.envs.render_modes import checked_mode
from warlight_env.envs.step import refresh_observations, refresh_turn_features
from warlight_env.errors import InputError
from warlight_env.features.columns import TURN_WIDTH


def refresh(core: Core, first: int = 0, end: int | None = None, turns_only: bool = False) -> None:
    """Update the observations of the games first .. end - 1; see `EnvCore.refresh_observations`.

    end: None means the number of games, so that the last game is included.
    """
    end = core.batch if end is None else end
    (refresh_turn_features if turns_only else refresh_observations)(core.game_batch, first, end)


def games_of(state: State, live: npt.NDArray[np.bool_], income: npt.NDArray[np.int32]) -> Games:
    """Return the current positions as read-only arrays, the argument of a `RewardFunction`."""
    return Games(
        read_only(state.owner), read_only(state.army), read_only(income), read_only(state.round),
        read_only(state.phase), read_only(state.winner), read_only(live),
    )  # fmt: skip


def player_views(core: Core, slot: int, games: slice | npt.NDArray[np.int64]) -> PlayerViews:
    """Return the views of a slot's players, the argument of an `ObservationFunction`; see `EnvCore.player_views`."""
    state, out, slot, games = core.state, core.out, index(slot, "slot", core.slots), selected(games, core.batch)
    seat = out.seat[games, slot].astype(np.int64)[:, None]
    count, turn, income_left = (
        len(seat),
        np.zeros((len(seat), 0, TURN_WIDTH), np.float32),
        np.ones(len(seat), np.float32),
    )
    if core.encoding.stepwise:
        values = out.features[games, slot]
        turn, income_left = core.features["turn"].cut(values), core.features["income_left"].cut(values).reshape(count)
    income = np.take_along_axis(out.income[games], seat, axis=1)[:, 0]
    arrays = (
        out.seen_owner[games, slot], out.seen_army[games, slot], (out.free[games, slot] == OFFERED).view(np.int8),
        state.round[games], income, state.phase[games], turn, income_left,
    )  # fmt: skip
    return PlayerViews(*map(read_only, arrays))


def view(core: Core, player: int, b: int) -> View:
    """Return the player's view of game b, the argument of an agent's methods `act` and `pick`."""
    state, b, player = core.state, index(b, "b", core.batch), index(player, "player", core.players)
    starts, last_round = None, None
    if core.round_history is not None:
        starts, last_round = core.round_history.starts(b), core.round_history.last_round(b, player)
    if starts is None and state.phase[b] == PLAY and not state.round[b]:
        starts = tuple(tuple(np.flatnonzero(state.owner[b] == p).tolist()) for p in range(core.players))
    return view_of(
        core.map, core.board, core.rules, core.params, state, b, player, starts=starts, last_round=last_round
    )


def render(core: Core, mode: str | None, b: int) -> str | npt.NDArray[np.uint8] | None:
    """Print game b, or return it as text or as a picture; see `EnvCore.render`."""
    b = index(b, "b", core.batch)
    if checked_mode(mode) is None:
        gymnasium.logger.warn("render() does nothing: this environment was made without a render_mode")
        return None
    from warlight_env.render import ShownPosition, to_rgb, to_text

    state = core.state
    position = ShownPosition(core.map, state.owner[b].copy(), state.army[b].copy(), core.players, int(state.round[b]))
    if mode == "rgb_array":
        return to_rgb(position)
    text: str = to_text(position)
    if mode == "ansi":
        return text
    sys.stdout.write(text + "\n")
    return None


def _view_in(core: Core, slot: int, b: int) -> View:
    return view(core, int(core.out.seat[b, slot]), b)


def mask(core: Core, slot: int, b: int) -> npt.NDArray[np.int8]:
    """Return the action mask of the player in a slot of game b, as a new flat int8 vector."""
    b, slot = index(b, "b", core.batch), index(slot, "slot", core.slots)
    if core.encoding.mask_size:
        return core.out.mask[b, slot].copy()
    return core.encoding.flat_mask(_view_in(core, slot, b))


def flat_masks(core: Core, slot: int, games: slice | npt.NDArray[np.int64]) -> npt.NDArray[np.int8]:
    """Return the flat action masks of the players in a slot of several games; see `EnvCore.flat_masks`."""
    slot, games = index(slot, "slot", core.slots), selected(games, core.batch)
    if core.encoding.mask_size:
        return core.out.mask[games, slot].copy()
    masks = [mask(core, slot, int(b)) for b in np.arange(core.batch)[games]]
    if not masks:
        space = core.encoding.mask_space
        return np.zeros((0, 0 if space is None else int(spaces.flatdim(space))), dtype=np.int8)
    return np.stack(masks)


def shaped_mask(core: Core, slot: int, b: int) -> Any:
    """Return the action mask of the player in a slot, in the form that ``action_space.sample(mask)`` accepts."""
    b, slot = index(b, "b", core.batch), index(slot, "slot", core.slots)
    if core.encoding.mask_size:
        return core.encoding.shape_mask(core.out.mask[b, slot].copy())
    return core.encoding.mask(_view_in(core, slot, b))


def check_reading(core: Core, games: Any, slot: Any, out: Any) -> None:
    """Check the arguments of `EnvCore.read_rows`: raise InputError unless the rows of the games fit into `out`."""
    index(slot, "slot", core.slots)
    if isinstance(games, slice):
        raise InputError(f"games = {short_repr(games)}: must be an array of integers")
    game_numbers: Any = selected(games, core.batch)
    shape = (len(game_numbers), len(core.limits))
    plain = type(out) is np.ndarray and out.dtype == np.int64 and out.flags.writeable
    if not plain or out.shape != shape:
        raise InputError(f"out must be a writeable array int64 of shape {shape}, not {short_repr(out)}")


def read_rows(
    core: Core, actions: Any, games: npt.NDArray[np.int64], slot: int, out: npt.NDArray[np.int64]
) -> npt.NDArray[np.int32]:
    """Convert actions to rows for the kernels, and write the rows to `out`; see `EnvCore.read_rows`.

    Some action encodings need the players' views to convert an action to a row.
    """
    return core.encoding.rows(actions, lambda i: _view_in(core, slot, int(games[i])), out)
