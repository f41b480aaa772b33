"""Work in threads, whose outcome does not depend on how many there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def in_threads(work: Callable[[int], T], numbers: Iterable[int], jobs: int) -> list[T]:
    """What `work` makes of each number, in their order; where one fails or Ctrl-C comes, what waits is not begun."""
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(work, number) for number in numbers]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
