"""Arrays of training samples as .npz files. The names of arrays in files stay the same if a field is renamed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from warlight_env.networks.npz import read_arrays, write_arrays

#: Field name → name of the array in files, for fields with another name in files.
_KEYS: Final = {"config_index": "place"}
_NAMES: Final = {key: name for name, key in _KEYS.items()}

T = TypeVar("T")


def pack_samples(samples: Any) -> bytes:
    """Return the content of an .npz file with the given samples. samples: a NamedTuple of arrays."""
    return write_arrays({_KEYS.get(name, name): array for name, array in samples._asdict().items()})


def unpack_samples(kind: Callable[..., T], content: bytes) -> T:
    """Return the samples that a file contains.

    Args:
        kind: the class of the samples, a NamedTuple of arrays.
        content: the content of the file, a result of `pack_samples`.

    Raises:
        ArraysError: see `read_arrays`.
    """
    return kind(**{_NAMES.get(key, key): array for key, array in read_arrays(content).items()})
