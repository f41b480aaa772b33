"""Workspaces (working memory for one round) that games share, because making one takes longer than a round."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator

from warlight_env.engine.state import Workspace, make_workspace


class WorkspacePool:
    """Workspaces of one shape. Any number of threads may use a pool at the same time.

    Two calls never have the same workspace at the same time: neither calls in two threads, nor a call inside another
    call of one thread, for example in a signal handler. The number of workspaces of a pool is the largest number of
    calls that have run at the same time.

    Args:
        n_regions, n_edges, players: the arguments of `make_workspace`.
    """

    __slots__ = ("_free", "_shape")

    def __init__(self, n_regions: int, n_edges: int, players: int) -> None:
        self._shape = n_regions, n_edges, players
        self._free: list[Workspace] = []  # threads need no lock: `append` and `pop` of a list are atomic

    @contextlib.contextmanager
    def borrow(self) -> Iterator[Workspace]:
        """Lend a workspace for the duration of a `with` block. The content of the workspace's arrays is undefined."""
        try:
            work = self._free.pop()
        except IndexError:
            work = make_workspace(*self._shape)
        try:
            yield work
        finally:
            self._free.append(work)


@functools.lru_cache(maxsize=64)
def workspace_pool(n_regions: int, n_edges: int, players: int) -> WorkspacePool:
    """Return the pool that all games of this shape share; a cache keeps the 64 pools used last."""
    return WorkspacePool(n_regions, n_edges, players)
