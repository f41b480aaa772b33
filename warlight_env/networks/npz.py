"""Write and read arrays in .npz files. Reading checks size limits and never executes code from a file."""

from __future__ import annotations

import io
import math
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env import bounded_io
from warlight_env.errors import clipped

#: The end of a ZIP file: signature, unused bytes, size of the list of its members, start of the list, comment length.
_END: Final = struct.Struct("<4s8sIIH")
_SIGNATURE: Final = b"PK\x05\x06"
_LISTED: Final = 200  # maximum bytes of the list for each member, including the member's name


class ArraysError(ValueError):
    """The content is not an .npz file or exceeds the limits; the message gives the reason."""


def write_arrays(arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Return the content of an .npz file that contains the arrays."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def read_arrays(content: bytes) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of an .npz file by name; each array contains only numbers.

    The function checks the sizes in the file before decompression, and the decompressed sizes, too.

    Raises:
        ArraysError: the content is not an .npz file of numbers, or exceeds `bounded_io.ARRAYS_BYTES` or
            `bounded_io.ARRAYS`.
    """
    _check_end(content)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            if len(members) > bounded_io.ARRAYS:
                raise ArraysError(f"more than {bounded_io.ARRAYS} arrays")
            if sum(member.file_size for member in members) > bounded_io.ARRAYS_BYTES:
                raise ArraysError(f"more than {bounded_io.format_size(bounded_io.ARRAYS_BYTES)} of arrays")
            return {member.filename.removesuffix(".npy"): _array(_unpacked(archive, member)) for member in members}
    except ArraysError:
        raise
    except (
        zipfile.BadZipFile, zlib.error, ValueError, KeyError, EOFError, OSError, NotImplementedError, RuntimeError,
        struct.error, OverflowError, TypeError, SyntaxError, MemoryError, tokenize.TokenError,
    ) as error:  # fmt: skip
        raise ArraysError(str(error) or type(error).__name__) from None


def _check_end(content: bytes) -> None:
    """Raise `ArraysError` if the content is not an .npz file, or if its list of members is too long."""
    position = content.rfind(_SIGNATURE, max(0, len(content) - _END.size - 65535))
    if position < 0 or len(content) - position < _END.size:
        raise ArraysError("it is not an .npz file")
    if _END.unpack_from(content, position)[2] > _LISTED * bounded_io.ARRAYS:
        raise ArraysError(f"more than {bounded_io.ARRAYS} arrays")


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return the decompressed bytes of a member; read at most one byte more than the size in the member's header."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ArraysError(f"{clipped(member.filename, 60)}: must be uncompressed or compressed by deflate")
    with archive.open(member) as file:
        return file.read(member.file_size + 1)


def _array(data: bytes) -> npt.NDArray[Any]:
    """Return the array in the bytes of an .npy file. Raise `ValueError` if the content is no valid array of numbers."""
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    if version not in readers:
        raise ArraysError(f"an array has the format version {version}, which is not supported")
    shape, by_columns, dtype = readers[version](file)
    if dtype.kind not in "biuf":
        raise ArraysError(f"an array has the type {dtype}, not numbers")
    n_bytes = len(data) - file.tell()
    if math.prod(shape) * dtype.itemsize != n_bytes:
        raise ArraysError(f"an array of shape {shape} does not fit its {n_bytes} bytes")
    flat = np.frombuffer(data, dtype, offset=file.tell()).copy()
    return flat.reshape(shape, order="F" if by_columns else "C")
