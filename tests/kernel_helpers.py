"""Helpers to see which kernels a process loads from the cache on disk.

Processes that tests start in the folder `TESTS` import this module.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from warlight_env.engine import cache

TESTS: Final = Path(__file__).parent


def watch_kernels() -> list[str]:
    """Return a list to which the name of each kernel's cache file is appended when the kernel is requested."""
    asked: list[str] = []
    load = cache._KernelCache.load_overload

    def watched(self: Any, *arguments: Any) -> Any:
        asked.append(self._impl.filename_base)
        return load(self, *arguments)

    cache._KernelCache.load_overload = watched  # type: ignore[method-assign]
    return asked
