"""Action and observation spaces of a batch of games, either for one map or padded for many maps.

The classes of this module also convert actions for the kernels, and make observations from the kernels' arrays.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from warlight_env.agents.records.factored_turns import VALUES
from warlight_env.array_arguments import array_of, checked_array, integer_array
from warlight_env.engine.memory import copy_to_one_block, in_one_block
from warlight_env.envs.actions.batches import check_count, part_of
from warlight_env.envs.actions.continuous import scores_of
from warlight_env.envs.arrays import fixed
from warlight_env.envs.core import ActionError, EnvCore
from warlight_env.envs.observation_spaces import observation, observation_space_of, observed_arrays
from warlight_env.envs.padding import Padding
from warlight_env.envs.parts import EnvParts
from warlight_env.envs.step_many import PaddingLayout, gather_masks, gather_seen

I8: TypeAlias = npt.NDArray[np.int8]
I32: TypeAlias = npt.NDArray[np.int32]
I64: TypeAlias = npt.NDArray[np.int64]
#: The type of a selection of games: a slice, a game number or int64[M], an index of arrays [B, …].
Which = slice | int | npt.NDArray[np.int64]


class OneMapSpaces:
    """The action space and the observation space of games that are all on the same map.

    Args:
        core: the `EnvCore` of the games. with_mask: whether observations contain the action mask.
    """

    padding: Padding | None = None
    kernel_layout: PaddingLayout = PaddingLayout(0, False)  #: the argument of kernels that describes the padding

    def __init__(self, core: EnvCore, with_mask: bool) -> None:
        masks, space = core.encoding.mask_space, observation_space_of(core)
        self.mask_size = 0 if masks is None else int(spaces.flatdim(masks))
        self._with_mask = with_mask and self.mask_size > 0
        self.action_space = core.encoding.space
        self.observation_space: spaces.Space[Any] = space
        if self._with_mask:
            mask = fixed(spaces.Box(0, 1, (self.mask_size,), np.int8))
            inner = space.spaces if isinstance(space, spaces.Dict) else {"observation": space}
            self.observation_space = spaces.Dict({**inner, "action_mask": mask})

    def map_summary(self, core: EnvCore) -> tuple[str, int, int]:
        """Return the map's description for a policy file: its name, and its numbers of regions and directed edges."""
        return core.map.name, core.board.n_regions, core.board.n_edges

    def read(self, parts: EnvParts, actions: Any, acting: npt.NDArray[np.bool_], learner: int) -> tuple[I64, I32]:
        """Return the actions as rows int64[B, K], and int32[B], the number of illegal entries; see `PaddedSpaces.read`.

        If kernels can read the caller's array, the method returns this array without a copy.
        """
        core, count = parts.all[0].core, len(acting)
        shape, dropped = (count, core.row_size), np.zeros(count, dtype=np.int32)
        if core.encoding.copies_integers and type(actions) is np.ndarray and actions.dtype.kind in "iu":
            integers = integer_array(actions, (count, *(self.action_space.shape or ())), "actions")
            return checked_array(integers.reshape(shape), "actions", np.int64, shape), dropped
        rows = np.zeros(shape, dtype=np.int64)
        if acting.all():
            dropped[:] = core.read_rows_bare(actions, np.arange(count), learner, rows)
        else:
            # An action that is ignored in this step may have any value.
            check_count(self.action_space, actions, count)
            games = np.flatnonzero(acting)
            acting_rows = np.empty((len(games), shape[1]), dtype=np.int64)
            acting_actions = part_of(self.action_space, actions, games)
            dropped[games] = core.read_rows_bare(acting_actions, games, learner, acting_rows)
            rows[games] = acting_rows
        return rows, dropped

    def observe(self, parts: EnvParts, games: Which, learner: int) -> Any:
        """Return the learner's observations in the selected games, or in one game."""
        core = parts.all[0].core
        obs = observation(core, learner, games)
        if not self._with_mask:
            return obs
        mask = core.mask(learner, games) if isinstance(games, int) else core.flat_masks(learner, games)
        return {**(obs if isinstance(obs, dict) else {"observation": obs}), "action_mask": mask}

    def masks(self, parts: EnvParts, games: slice | I64, learner: int) -> I8:
        """Return int8[M, W]: the flat action mask of the learner in each selected game."""
        return parts.all[0].core.flat_masks(learner, games)

    def observe_all(self, parts: EnvParts, learners: int, copy: bool) -> list[tuple[Any, I8 | None]]:
        """Return the observations and the flat masks (None: no masks) of all learners in all games.

        copy: whether to return copies, all in one block of memory. Without copies, the next step may change the
        returned arrays.
        """
        core, all_games = parts.all[0].core, slice(None)
        pairs: list[tuple[Any, Any]] = []
        for i in range(learners):
            is_custom = core.custom_observation is not None
            obs = observation(core, i, all_games) if is_custom else observed_arrays(core, i, all_games)
            mask = (core.out.mask[:, i] if core.encoding.mask_size else core.flat_masks(i)) if self.mask_size else None
            if self._with_mask:
                obs = {**(obs if isinstance(obs, dict) else {"observation": obs}), "action_mask": mask}
            pairs.append((obs, mask))
        if not copy:
            return pairs
        arrays = [array for obs, mask in pairs for array in (*_values(obs), *(() if mask is None else (mask,)))]
        copies = iter(copy_to_one_block(arrays))
        return [
            (
                {name: next(copies) for name in obs} if isinstance(obs, dict) else next(copies),
                None if mask is None else next(copies),
            )
            for obs, mask in pairs
        ]


def _values(obs: Any) -> list[npt.NDArray[Any]]:
    """Return the arrays of an observation as a list."""
    return list(obs.values()) if isinstance(obs, dict) else [obs]


class PaddedSpaces:
    """An action space and an observation space that are the same for all maps up to a maximum size.

    Args:
        padding: the maximum size and the layout of padded actions. core: the `EnvCore` of any game.
        with_mask: whether observations contain the action mask.
    """

    def __init__(self, padding: Padding, core: EnvCore, with_mask: bool) -> None:
        self.padding, self.mask_size = padding, padding.mask_size
        self.kernel_layout = padding.kernel_layout
        self._with_mask = with_mask and self.mask_size > 0
        self.action_space = padding.action_space(core.encoding.space)
        self.observation_space = padding.observation_space(observation_space_of(core), with_mask)

    def map_summary(self, core: EnvCore) -> tuple[str, int, int]:
        """Return the description of the maps for a policy file.

        The description is "many maps", and the maximum numbers of regions and directed edges.
        """
        return "many maps", *self.padding.map_limits

    def read(self, parts: EnvParts, actions: Any, acting: npt.NDArray[np.bool_], learner: int) -> tuple[I64, I32]:
        """Return the actions as padded rows int64[B, M], and the number of illegal entries of each action, int32[B].

        Args:
            parts: the parts of the environment.
            actions: the actions of one learner of each game.
            acting: bool[B], False for an action that is ignored in this step.
            learner: the number of the learner.

        Raises:
            InputError: the actions do not have the shape or the dtype of the action space.
            ActionError: an action has a value outside the action space.
        """
        name, batch, map_limits = self.padding.action, len(acting), self.padding.map_limits
        if name == "continuous":
            return self._scores(actions, acting, parts.sizes[parts.map])
        dropped = np.zeros(batch, np.int32)
        if name == "factored":
            integers = integer_array(actions, (batch, sum(map_limits)), "actions")
            rows: I64 = checked_array(integers, "actions", np.int64, integers.shape)
            if rows.view(np.uint64).max(initial=0) >= VALUES:
                self._check(parts, rows, VALUES, acting, learner)
            return rows, dropped
        numbers = integer_array(actions, (batch,), "actions").astype(np.int64)
        self._check(parts, numbers[:, None], self.padding.mask_size, acting, learner)
        if name == "steps":
            numbers, missing = self.padding.own_steps(numbers, parts.sizes[parts.map])
            dropped = missing.astype(np.int32)
        return numbers[:, None].copy(), dropped

    def _scores(self, actions: Any, acting: npt.NDArray[np.bool_], sizes: I64) -> tuple[I64, I32]:
        values, map_limits = array_of(actions, "actions"), self.padding.map_limits
        shape = len(acting), sum(map_limits)
        if values.shape == shape and not acting.all():
            values = np.where(acting[:, None], values, 0.0)
        rows = scores_of(values, shape, "actions")[0]
        exists = np.concatenate([np.arange(limit) < sizes[:, i, None] for i, limit in enumerate(map_limits)], axis=1)
        return rows, np.count_nonzero(((values < -1) | (values > 1)) & exists, axis=1).astype(np.int32)

    def _check(
        self, parts: EnvParts, values: I64, limit: int, acting: npt.NDArray[np.bool_], learner: int
    ) -> None:  # fmt: skip
        wrong = ((values < 0) | (values >= limit)) & acting[:, None]
        if wrong.any():
            b, i = (int(k) for k in np.argwhere(wrong)[0])
            part, c = parts.at(b)
            reason = f"entry {i} is {values[b, i]}; it must lie in 0 .. {limit - 1}"
            raise ActionError(b, int(part.core.out.seat[c, learner]), reason)

    def observe(self, parts: EnvParts, games: Which, learner: int) -> dict[str, npt.NDArray[Any]]:
        """Return the learner's observations in the selected games, or in one game."""
        numbers = np.arange(len(parts.where))[games]
        selected = np.atleast_1d(numbers)
        spaces_ = self.observation_space.spaces
        kinds = [((len(selected), *(space.shape or ())), np.dtype(space.dtype)) for space in spaces_.values()]
        arrays = in_one_block(kinds)
        obs: dict[str, npt.NDArray[Any]] = dict(zip(spaces_, arrays, strict=True))
        index, place, map_ = parts.index[selected], parts.place[selected], parts.map[selected]
        gather_seen(parts.addresses, index, place, learner, obs["nodes"], obs["globals"])
        for name, array in parts.boards.items():
            np.take(array, map_, 0, out=obs[name], mode="clip")
        if self._with_mask:
            self._gather_masks(parts, index, place, learner, obs["action_mask"])
        return obs if numbers.ndim else {name: array[0] for name, array in obs.items()}

    def masks(self, parts: EnvParts, games: slice | I64, learner: int) -> I8:
        """Return int8[M, W]: the flat action mask of the learner in each selected game."""
        index, place = parts.index[games], parts.place[games]
        masks = np.empty((len(index), self.mask_size), np.int8)
        self._gather_masks(parts, index, place, learner, masks)
        return masks

    def observe_all(self, parts: EnvParts, learners: int, copy: bool) -> list[tuple[Any, I8 | None]]:
        """Return the observations and the flat masks (None: no masks) of all learners in all games, always as copies.

        copy: ignored, because padded arrays are always new.
        """
        all_games = slice(None)
        return [
            (self.observe(parts, all_games, i), self.masks(parts, all_games, i) if self.mask_size else None)
            for i in range(learners)
        ]

    def _gather_masks(self, parts: EnvParts, index: I64, place: I64, learner: int, masks: I8) -> None:
        gather_masks(parts.addresses, index, place, learner, masks, self.kernel_layout)


Form = OneMapSpaces | PaddedSpaces
