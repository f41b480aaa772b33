"""The digest of the build: of all versions and settings that change the machine code that Numba generates."""

from __future__ import annotations

import functools
import hashlib
import os
import sys
from typing import Final

import numba
import numpy as np

#: Settings that change the machine code but that Numba leaves out of its own cache key.
CODE_SETTINGS: Final = (
    "NUMBA_BOUNDSCHECK", "NUMBA_OPT", "NUMBA_FASTMATH", "NUMBA_LOOP_VECTORIZE", "NUMBA_SLP_VECTORIZE",
    "WARLIGHT_CHECKED",
)  # fmt: skip


@functools.cache
def environment_digest() -> str:
    """Hex digest of the versions of Python, NumPy and Numba, and of the values of `CODE_SETTINGS`."""
    versions = (sys.version_info[:3], numba.__version__, np.__version__)
    settings = [(name, os.environ.get(name, "")) for name in CODE_SETTINGS]
    return hashlib.sha256(repr((versions, settings)).encode()).hexdigest()[:20]
