"""Arrays of training samples as .npz files. Their keys in files do not change when fields get other names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy.typing as npt

from warlight_env.networks.npz import read_arrays, write_arrays

#: Keys in files, by the names of the fields that differ.
_KEYS: Final = {"config_index": "place"}
_NAMES: Final = {key: name for name, key in _KEYS.items()}


def pack_samples(arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Return the content of a file with arrays by field."""
    return write_arrays({_KEYS.get(name, name): array for name, array in arrays.items()})


def unpack_samples(content: bytes) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a file of `pack_samples` by field.

    Raises:
        ArraysError: see `read_arrays`.
    """
    return {_NAMES.get(key, key): array for key, array in read_arrays(content).items()}
