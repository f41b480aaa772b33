"""MultiDiscrete and Dict spaces with a method `sample` that also accepts a flat array as a mask.

Infos of environments contain action masks as flat arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

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
        """Return a random action among those that the mask allows."""
        if isinstance(mask, np.ndarray):
            ends = np.cumsum(self.nvec).tolist()
            flat = _flat(mask, ends[-1])
            mask = tuple([flat[start:end] for start, end in zip([0, *ends], ends, strict=False)])
        return super().sample(mask, probability)


class MaskableDict(spaces.Dict):
    """A Dict space.

    The method `sample` of this space accepts a dict of masks, as in Gymnasium, or all masks in one flat array int8[K].
    """

    def sample(self, mask: Any = None, probability: Any = None) -> dict[str, Any]:
        """Return a random action among those that the mask allows."""
        if isinstance(mask, np.ndarray):
            ends = np.cumsum([spaces.flatdim(part) for part in self.spaces.values()]).tolist()
            flat = _flat(mask, ends[-1])
            mask = {key: flat[start:end] for key, start, end in zip(self.spaces, [0, *ends], ends, strict=False)}
        return super().sample(mask, probability)


def _flat(mask: npt.NDArray[Any], length: int) -> npt.NDArray[Any]:
    if mask.size != length:
        raise InputError(f"the mask must have {length} entries, not {mask.size}")
    return mask.reshape(-1)
