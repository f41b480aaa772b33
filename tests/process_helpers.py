"""Workers that start as forks of a process that has imported the package: 0.1 s of computing each, not 1.5 s."""

from __future__ import annotations

import multiprocessing
import sys
from multiprocessing.context import BaseContext

from warlight_env.cli import main

_usual = multiprocessing.get_context
_forking = _usual("forkserver")
_forking.set_forkserver_preload(["warlight_env.arena", "warlight_env.web.workers.worker_tasks"])


def forking_context(method: str | None = None) -> BaseContext:
    """As `multiprocessing.get_context`, but processes that would be spawned are forked.

    They have the environment in which the first of them started.
    """
    return _forking if method == "spawn" else _usual(method)


if __name__ == "__main__":  # the command line of warlight, with such workers
    multiprocessing.get_context = forking_context  # type: ignore[method-assign, assignment]
    del sys.modules["__main__"].__file__  # or else each worker would import this module, too
    sys.exit(main())
