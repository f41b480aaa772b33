"""The notice that kernels are being compiled, where stderr is a file or a pipe; on a terminal the engine gives it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def compiling_noticed() -> Iterator[None]:
    """While the context lasts, the first of our kernels that is compiled makes a line on stderr."""
    if sys.stderr.isatty():
        yield
        return
    from numba.core import event

    class Notice(event.Listener):
        said = False

        def on_start(self, event: Any) -> None:
            module = getattr(getattr(event.data.get("dispatcher"), "py_func", None), "__module__", "")
            if not self.said and module.startswith("warlight_env."):
                self.said = True
                print("compiling (the first time only) …", file=sys.stderr, flush=True)

        def on_end(self, event: Any) -> None:
            pass

    with event.install_listener("numba:compile", Notice()):
        yield
