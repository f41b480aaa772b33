"""`CoreViews`: the methods of an `EnvCore` that make views, masks and pictures of its games."""

from __future__ import annotations

import sys
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from warlight_env.arguments import index, short_repr
from warlight_env.engine.state import PLAY
from warlight_env.engine.view import View, view_of
from warlight_env.envs.actions.kernels import OFFERED
from warlight_env.envs.arrays import selected
from warlight_env.envs.core_arguments import checked_mode
from warlight_env.envs.core_arrays import CoreArrays
from warlight_env.envs.custom_functions import Games, PlayerViews, read_only
from warlight_env.errors import InputError
from warlight_env.features.columns import TURN_WIDTH


class CoreViews(CoreArrays):
    """The part of `EnvCore` that shows its games to players, to custom functions and to people."""

    def games(self) -> Games:
        """Return the current positions of all games, the argument of a `RewardFunction`.

        The arrays are read-only for the caller; the next step overwrites them.
        """
        state, out = self.state, self.out
        return Games(
            read_only(state.owner), read_only(state.army), read_only(out.income), read_only(state.round),
            read_only(state.phase), read_only(state.winner), read_only(out.live),
        )  # fmt: skip

    def player_views(self, slot: int, games: slice | npt.NDArray[np.int64] = slice(None)) -> PlayerViews:
        """Return the views of the players in a slot of several games, the argument of an `ObservationFunction`.

        games: a slice or int64[M] that selects the games. The arrays are read-only.
        """
        state, out, slot, games = self.state, self.out, index(slot, "slot", self.slots), selected(games, self.batch)
        seat = out.seat[games, slot].astype(np.int64)[:, None]
        turn, income_left = np.zeros((len(seat), 0, TURN_WIDTH), np.float32), np.ones(len(seat), np.float32)
        if self.encoding.stepwise:
            values = out.features[games, slot]
            turn = self.features["turn"].cut(values)
            income_left = self.features["income_left"].cut(values).reshape(len(seat))
        income = np.take_along_axis(out.income[games], seat, axis=1)[:, 0]
        arrays = (
            out.seen_owner[games, slot], out.seen_army[games, slot], (out.free[games, slot] == OFFERED).view(np.int8),
            state.round[games], income, state.phase[games], turn, income_left,
        )  # fmt: skip
        return PlayerViews(*map(read_only, arrays))

    def view(self, player: int, b: int = 0) -> View:
        """Return the player's view of game b, the argument of an agent's methods `act` and `pick`."""
        state, b, player = self.state, index(b, "b", self.batch), index(player, "player", self.players)
        starts, last_round = None, None
        if self.round_history is not None:
            starts, last_round = self.round_history.starts(b), self.round_history.last_round(b, player)
        if starts is None and state.phase[b] == PLAY and not state.round[b]:
            starts = tuple(tuple(np.flatnonzero(state.owner[b] == p).tolist()) for p in range(self.players))
        return view_of(
            self.map, self.board, self.rules, self.params, state, b, player, starts=starts, last_round=last_round
        )

    def render(self, mode: str | None, b: int = 0) -> str | npt.NDArray[np.uint8] | None:
        """Render the true position of game b, without fog of war.

        The mode "human" prints text, "ansi" returns text, and "rgb_array" returns an image uint8[H, W, 3].
        """
        b = index(b, "b", self.batch)
        if checked_mode(mode) is None:
            gymnasium.logger.warn("render() does nothing: this environment was made without a render_mode")
            return None
        from warlight_env.render import ShownPosition, to_rgb, to_text

        owner, army = self.state.owner[b].copy(), self.state.army[b].copy()
        position = ShownPosition(self.map, owner, army, self.players, int(self.state.round[b]))
        if mode == "rgb_array":
            return to_rgb(position)
        text: str = to_text(position)
        if mode == "ansi":
            return text
        sys.stdout.write(text + "\n")
        return None

    def _view_in(self, slot: int, b: int) -> View:
        return self.view(int(self.out.seat[b, slot]), b)

    def mask(self, slot: int, b: int = 0) -> npt.NDArray[np.int8]:
        """Return the action mask of the player in a slot of game b, as a new flat int8 vector."""
        b, slot = index(b, "b", self.batch), index(slot, "slot", self.slots)
        if self.encoding.mask_size:
            return self.out.mask[b, slot].copy()
        return self.encoding.flat_mask(self._view_in(slot, b))

    def flat_masks(self, slot: int, games: slice | npt.NDArray[np.int64] = slice(None)) -> npt.NDArray[np.int8]:
        """Return int8[M, W]: the action masks of the players in a slot of M games; W is the length of a flat mask.

        games: a slice or int64[M] that selects the games.
        """
        slot, games = index(slot, "slot", self.slots), selected(games, self.batch)
        if self.encoding.mask_size:
            return self.out.mask[games, slot].copy()
        masks = [self.mask(slot, int(b)) for b in np.arange(self.batch)[games]]
        if not masks:
            space = self.encoding.mask_space
            return np.zeros((0, 0 if space is None else int(spaces.flatdim(space))), dtype=np.int8)
        return np.stack(masks)

    def shaped_mask(self, slot: int, b: int = 0) -> Any:
        """Return the action mask in the form that ``action_space.sample(mask)`` accepts; see also `mask`."""
        b, slot = index(b, "b", self.batch), index(slot, "slot", self.slots)
        if self.encoding.mask_size:
            return self.encoding.shape_mask(self.out.mask[b, slot].copy())
        return self.encoding.mask(self._view_in(slot, b))

    def read_rows(
        self, actions: Any, games: npt.NDArray[np.int64], slot: int, out: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int32]:
        """Convert M actions to rows for the kernels; return int32[M], the number of orders dropped from each action.

        Args:
            actions: a batch of M actions in the encoding's space, of the players in a slot.
            games: int64[M], the games of these players.
            slot: the slot.
            out: int64[M, K], the array to which the rows are written.

        Raises InputError for values that are not actions. The method does not compare the entries with `limits`.
        """
        index(slot, "slot", self.slots)
        if isinstance(games, slice):
            raise InputError(f"games = {short_repr(games)}: must be an array of integers")
        game_numbers: Any = selected(games, self.batch)
        shape = (len(game_numbers), len(self.limits))
        plain = type(out) is np.ndarray and out.dtype == np.int64 and out.flags.writeable
        if not plain or out.shape != shape:
            raise InputError(f"out must be a writeable array int64 of shape {shape}, not {short_repr(out)}")
        return self.read_rows_bare(actions, games, slot, out)

    def read_rows_bare(
        self, actions: Any, games: npt.NDArray[np.int64], slot: int, out: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int32]:
        """Do the same as `read_rows`, without a check of `games`, `slot` and `out`."""
        # Some action encodings need the players' views to convert an action to a row.
        return self.encoding.rows(actions, lambda i: self._view_in(slot, int(games[i])), out)
