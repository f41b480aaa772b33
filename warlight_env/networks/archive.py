"""A network as one .npz archive: the arrays of its weights, and a header in JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env import bounded_io
from warlight_env.errors import InputError
from warlight_env.networks.npz import ArraysError, read_arrays, write_arrays

#: The maximum width and depth of a network. Even the training checkpoint of the largest network stays below
#: `bounded_io.ARRAYS_BYTES`.
WIDTH: Final = 512
LAYERS: Final = 16
#: The name of the array in the archive that contains the header.
HEADER: Final = "header"


def check_network(width: int, layers: int, hidden: int) -> None:
    """Raise `InputError` if a size of a network is out of range, because network files have size limits."""
    for name, value, low, high in (
        ("width", width, 1, WIDTH),
        ("layers", layers, 0, LAYERS),
        ("hidden", hidden, 1, WIDTH),
    ):
        if type(value) is not int or not low <= value <= high:
            raise InputError(f"{name} = {value!r:.60}: must be an integer in {low} .. {high}")


def packed(header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Return the bytes of an .npz file that contains the header and the arrays."""
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    return write_arrays({HEADER: text, **arrays})


def unpacked(content: bytes) -> tuple[str, dict[str, npt.NDArray[Any]]]:
    """Return the text of the header and the arrays from a result of `packed`.

    Raises:
        ArraysError, UnicodeDecodeError: the content is not an archive in the format of `packed`.
    """
    arrays = read_arrays(content)
    if HEADER not in arrays or arrays[HEADER].nbytes > bounded_io.SETTINGS_BYTES:
        raise ArraysError("the header is missing or too long")
    return arrays.pop(HEADER).tobytes().decode(), arrays


def have_shapes(arrays: Mapping[str, npt.NDArray[Any]], shapes: Mapping[str, tuple[int, ...]]) -> bool:
    """Whether the arrays have these names and shapes, are float32, and contain only finite numbers."""
    if not isinstance(arrays, Mapping) or not all(isinstance(array, np.ndarray) for array in arrays.values()):
        return False
    return {key: array.shape for key, array in arrays.items()} == shapes and all(
        array.dtype == np.float32 and np.isfinite(array).all() for array in arrays.values()
    )
