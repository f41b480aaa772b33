"""Action spaces of one game and of B games with a method `sample` that accepts the masks of infos.

Infos of environments contain an action mask as a flat array int8[M], and the masks of B games as int8[B, M].
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from warlight_env.errors import InputError

if TYPE_CHECKING:
    _Choices = spaces.MultiDiscrete[np.int64]
else:  # in older versions of Gymnasium, MultiDiscrete has no type parameter
    _Choices = spaces.MultiDiscrete


class MaskableChoices(_Choices):
    """A MultiDiscrete space. The method `sample` of this space accepts three forms of a mask.

    The mask may be a tuple of rows, as in Gymnasium, an array of rows, or a flat array int8[sum of nvec].
    """

    def sample(self, mask: Any = None, probability: Any = None) -> npt.NDArray[np.int64]:
        """Return a random action that the mask allows. All forms of a mask give the same action for the same seed."""
        if mask is None or probability is not None:
            return super().sample(mask, probability)
        try:
            flat = np.concatenate(mask) if isinstance(mask, tuple) else mask
        except ValueError as error:
            raise InputError(f"mask: must be a tuple of arrays, one for each choice: {error}") from None
        return _draw(_masks(flat, 1, self.nvec), self.nvec, self.np_random)[0]


class MaskableDict(spaces.Dict):
    """A Dict space of `MaskableChoices` spaces.

    The method `sample` of this space accepts a dict of masks, as in Gymnasium, or all masks in one flat array int8[M].
    """

    def sample(self, mask: Any = None, probability: Any = None) -> dict[str, Any]:
        """Return a random action that the mask allows."""
        if isinstance(mask, np.ndarray):
            mask = {key: part[0] for key, part in _masks_by_key(mask, 1, self).items()}
        return super().sample(mask, probability)


class BatchedChoices(spaces.Box):
    """The action space of B games whose actions are MultiDiscrete: a Box int64[B, K].

    Args:
        choices: the action space of one game. batch: B.
    """

    def __init__(self, choices: _Choices, batch: int) -> None:
        super().__init__(0, np.tile(choices.nvec - 1, (batch, 1)), dtype=np.int64)
        self._nvec = choices.nvec

    def sample(self, mask: Any = None, probability: Any = None) -> npt.NDArray[Any]:
        """Return a random action for each game that the masks int8[B, M] allow."""
        if mask is None or probability is not None:
            return super().sample(mask, probability)
        return _draw(_masks(mask, self.shape[0], self._nvec), self._nvec, self.np_random)


class BatchedDict(spaces.Dict):
    """The action space of B games whose action space is a `MaskableDict`.

    Args:
        single: the action space of one game. batch: B.
    """

    def __init__(self, single: MaskableDict, batch: int) -> None:
        super().__init__({key: batch_action_space(part, batch) for key, part in single.items()})
        self._single, self._batch = single, batch

    def sample(self, mask: Any = None, probability: Any = None) -> dict[str, Any]:
        """Return a random action for each game that the masks int8[B, M] allow."""
        if isinstance(mask, np.ndarray):
            mask = _masks_by_key(mask, self._batch, self._single)
        return super().sample(mask, probability)


def batch_action_space(space: spaces.Space[Any], batch: int) -> spaces.Space[Any]:
    """Return the action space of B games, B = `batch`; its `sample` accepts the masks int8[B, M], if there are masks.

    The space is equal to the result of Gymnasium's `batch_space`.
    """
    if isinstance(space, MaskableChoices):
        return BatchedChoices(space, batch)
    if isinstance(space, MaskableDict):
        return BatchedDict(space, batch)
    if isinstance(space, spaces.Discrete) and space == spaces.Discrete(space.n):
        return MaskableChoices(np.full(batch, space.n))
    return batch_space(space, batch)


def _masks_by_key(mask: npt.NDArray[Any], batch: int, space: MaskableDict) -> dict[str, npt.NDArray[Any]]:
    """Split the masks of B games into the masks of each part of a Dict space, each with a row for each game."""
    sizes = np.array([spaces.flatdim(part) for part in space.spaces.values()])
    parts = np.split(_masks(mask, batch, sizes), np.cumsum(sizes[:-1]), axis=1)
    return dict(zip(space.spaces, parts, strict=True))


def _masks(mask: Any, batch: int, sizes: npt.NDArray[np.integer[Any]]) -> npt.NDArray[Any]:
    """Return the masks of B games as an array [B, M], where M is the sum of `sizes`; raise InputError if M differs."""
    masks, length = np.asarray(mask), int(sizes.sum())
    if masks.size != batch * length or (batch > 1 and len(masks) != batch):
        raise InputError(
            f"the mask must have {length} entries, not {masks.size}" if batch == 1
            else f"the masks must have the shape ({batch}, {length}), not {masks.shape}"
        )  # fmt: skip
    return masks.reshape(batch, length)


def _draw(masks: npt.NDArray[Any], nvec: npt.NDArray[Any], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return int64[B, K], a random allowed entry of each of K rows in each of B games; 0 for a row without one."""
    keys = (1.0 - rng.random(masks.shape, dtype=np.float32)) * (masks != 0)
    if (nvec == nvec[0]).all():  # one call for all rows; the calls below are slower
        return keys.reshape(len(masks), len(nvec), nvec[0]).argmax(2)
    return np.stack([row.argmax(1) for row in np.split(keys, np.cumsum(nvec[:-1]), 1)], 1)
