"""A function that computes in several threads; the result does not depend on the number of threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def in_threads(work: Callable[[int], T], numbers: Iterable[int], jobs: int) -> list[T]:
    """Call `work` with each number in `jobs` threads; return the results in the order of the numbers.

    After an exception or Ctrl-C, no further calls begin.
    """
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(work, number) for number in numbers]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
