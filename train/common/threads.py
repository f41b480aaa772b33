"""Work in threads, with a result that does not depend on their number."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def in_threads(work: Callable[[int], T], numbers: Iterable[int], jobs: int) -> list[T]:
    """Return the results of `work` for each number, in order.

    After a failure or Ctrl-C, no further number is started.
    """
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(work, number) for number in numbers]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
