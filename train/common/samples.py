"""Arrays of training samples as .npz files. The names of arrays in files stay the same if a field is renamed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy.typing as npt

from warlight_env.networks.npz import read_arrays, write_arrays

#: Field name → name of the array in files, for fields with another name in files.
_KEYS: Final = {"config_index": "place"}
_NAMES: Final = {key: name for name, key in _KEYS.items()}


def pack_samples(arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Return the content of an .npz file with the given arrays. arrays: a mapping from field names to arrays."""
    return write_arrays({_KEYS.get(name, name): array for name, array in arrays.items()})


def unpack_samples(content: bytes) -> dict[str, npt.NDArray[Any]]:
    """Return a dict from field names to arrays. content: the content of a file, a result of `pack_samples`.

    Raises:
        ArraysError: see `read_arrays`.
    """
    return {_NAMES.get(key, key): array for key, array in read_arrays(content).items()}
