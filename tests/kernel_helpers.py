"""Which kernels a process asks of the cache on disk; for processes that tests start in the folder `TESTS`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from warlight_env.engine import cache

TESTS: Final = Path(__file__).parent


def watch_kernels() -> list[str]:
    """The names of the files of kernels that are asked for from now on, in a list that grows."""
    asked: list[str] = []
    load = cache._KernelCache.load_overload

    def watched(self: Any, *arguments: Any) -> Any:
        asked.append(self._impl.filename_base)
        return load(self, *arguments)

    cache._KernelCache.load_overload = watched  # type: ignore[method-assign]
    return asked
